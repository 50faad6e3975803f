"""Calibrators, rules and criteria by their names, without what the names of calibrators stand for.

So a misspelled one is refused before anything else is loaded.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, get_args

from evical._typing import CalibrationTestName, CalibratorName, MulticlassCalibratorName

METHODS, MANY_METHODS = get_args(CalibratorName), get_args(MulticlassCalibratorName)
TESTS = get_args(CalibrationTestName)
# Fusions that learn from beliefs and classes.
FUSIONS = (
    "stacked",
    "consensus",
    "discounted",
    "contextually_discounted",
    "likelihood_mixture",
    "learned_tnorm",
)
# Names of calibrators in the literature, and what they are here.
_OTHER_NAMES = {
    "platt": "logistic:bayesian",
    "sigmoid": "logistic:bayesian",
    "histogram": "binning:bayesian",
    "histogram_binning": "binning:bayesian",
    "pav": "isotonic:bayesian",
    "pava": "isotonic:bayesian",
}


def plain(name: str) -> str:
    """A name as Python writes it.

    >>> plain("Venn-Abers")
    'venn_abers'
    """
    return name.strip().lower().replace("-", "_")


def check_calibrator(text: str, known: Iterable[str], kind: str = "calibrator") -> str:
    """The name in a text, after which options may stand; raises ValueError for an unknown one.

    >>> check_calibrator("Venn-Abers:bayesian", ["venn_abers"])
    'venn_abers'
    """
    given = text.partition(":")[0].strip()
    name = plain(given)
    if name in _OTHER_NAMES:
        raise ValueError(f"there is no {kind} {given!r}; its name here is {_OTHER_NAMES[name]}")
    return check_name(given, known, kind)


def check_method(text: str, *others: str, many: bool) -> None:
    """Raise ValueError unless a text begins with the name of a method, or of another one.

    >>> check_method("softmax", many=False)
    Traceback (most recent call last):
    ValueError: method 'softmax' takes a score for each class; repeat --score
    """
    if not many and plain(text) in MANY_METHODS:
        raise ValueError(f"method {text!r} takes a score for each class; repeat --score")
    check_calibrator(text, (*others, *METHODS, *(MANY_METHODS if many else ())), "method")


def check_name(given: str, known: Iterable[str], kind: str, kinds: str = "") -> str:
    """The name as Python writes it; raises ValueError, with all names, for an unknown one.

    >>> check_name("Dempstr", ["dempster"], "rule")
    Traceback (most recent call last):
    ValueError: there is no rule 'Dempstr'; did you mean 'dempster'? rules: dempster
    """
    name, names = plain(given), list(known)
    if name not in names:
        from dstheory.checks.arguments import suggestion  # inside, for `dstheory` takes 0.2 s

        hint = suggestion(name, names, kinds or f"{kind}s", len(names))
        raise ValueError(f"there is no {kind} {given!r}{hint}")
    return name


def check_rule(given: str, *, learns: bool) -> str:
    """The name of a rule as Python writes it; raises ValueError for an unknown one.

    >>> check_rule("PCR6", learns=False)
    'pcr6'
    """
    if not learns:
        return check_name(given, rules(), "rule")
    if plain(given) not in FUSIONS:
        from dstheory.checks.arguments import suggestion

        raise ValueError(
            f"rule {given!r} learns nothing{suggestion(plain(given), FUSIONS, 'rules')}"
        )
    return plain(given)


def rules() -> dict[str, Callable[..., Any]]:
    """All rules of `dstheory.combine` that take two sources or more, by name.

    >>> rules()["dempster"].__name__
    'dempster'
    """
    from dstheory import combine

    found = {name: getattr(combine, name) for name in combine.__all__}
    return {
        name: rule
        for name, rule in found.items()
        if [*inspect.signature(rule).parameters][:3] == ["m1", "m2", "more"]
    }


def criteria() -> dict[str, Callable[..., Any]]:
    """Rules of `dstheory.decide` that choose one act, or rule acts out, by name.

    >>> criteria()["maximin"].__name__
    'maximin'
    """
    from dstheory import decide

    found = {name: getattr(decide, name) for name in decide.__all__}
    names = {name: [*inspect.signature(rule).parameters] for name, rule in found.items()}
    return {
        name: rule
        for name, rule in found.items()
        if names[name][:2] == ["m", "utilities"] and {"acts", "atol"} & {*names[name]}
    }
