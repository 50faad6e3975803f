"""Calibrators by their short names, in Python as on the command line: `venn_abers`, `elite`.

Options `key=value` of methods and rules are checked against the signature that they are for.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, SupportsFloat, Union, get_args, get_origin

from dstheory.checks.arguments import check_instance, did_you_mean, suggestion
from evical import calibrators
from evical._fitting import declared_types
from evical._names import check_calibrator

_WORDS = {"true": True, "false": False}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def settable(function: Callable[..., Any], skipped: Sequence[str] = ()) -> dict[str, Any]:
    """Parameters that an option can set, with their annotations.

    >>> def rule(m1, *more, atol: float = 0): ...
    >>> settable(rule, ["m1"])
    {'atol': <class 'float'>}
    """
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    types = declared_types(function)
    return {
        name: types.get(name, Any)
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in kinds and name not in skipped
    }


def parse_options(texts: Sequence[str], known: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Values of `key=value` texts; `owner` is what they are options of.

    Raises ValueError for a text without =, an unknown or repeated key, or a value of another
    type than the parameter has.

    >>> parse_options(["atol=1e-3"], {"atol": float}, "rule 'x'")
    {'atol': 0.001}
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise ValueError(f"option {text!r} is not of the form key=value")
        if name not in known:
            hint = suggestion(name, known, "options") if known else "; it has none"
            raise ValueError(f"{owner} has no option {name!r}{hint}")
        if name in values:
            raise ValueError(f"option {name} is given twice")
        values[name] = _value(name, value.strip(), known[name], owner)
    return values


def _value(name: str, text: str, annotation: Any, owner: str) -> Any:
    if annotation is Any:
        if text.lower() == "none":
            return None
        return next(v for kind in (bool, int, float, str) if (v := _read(text, kind)) is not None)
    if get_origin(annotation) is Literal:
        if text not in get_args(annotation):
            choices = get_args(annotation)
            raise ValueError(
                f"{owner}: option {name} is {text!r}, expected one of "
                f"{', '.join(map(str, choices))}{did_you_mean(text, choices)}"
            )
        return text
    is_union = get_origin(annotation) in (Union, UnionType)
    kinds = get_args(annotation) if is_union else (annotation,)
    if NoneType in kinds and text.lower() == "none":
        return None
    numbers = any(kind in kinds for kind in (complex, SupportsFloat))  # of arrays and the like
    kinds = (int, float) if numbers else tuple(kind for kind in _KINDS if kind in kinds)
    if not kinds:
        raise ValueError(f"{owner}: option {name} cannot be given as text")
    for kind in kinds:
        if (value := _read(text, kind)) is not None:
            return value
    expected = " or ".join(_KINDS[kind] for kind in kinds)
    raise ValueError(f"{owner}: option {name} is {text!r}, expected {expected}")


def _read(text: str, kind: type) -> Any:
    """The value that a text is as this type, or None."""
    if kind is bool:
        return _WORDS.get(text.lower())
    if kind is not str and "_" in text:  # which Python would skip between digits
        return None
    try:
        return kind(text)
    except ValueError:
        return None


# Classes without a name: abstract, of another calibrator, or what "auto" is of many classes.
_UNNAMED = (
    "AutoMulticlassCalibrator",
    "BaseCalibrator",
    "BaseMulticlassCalibrator",
    "OneVsRestCalibrator",
)


def by_name(room: ModuleType = calibrators) -> dict[str, type[Any]]:
    """Classes of the calibrators of a room by the words of their names, in lower case.

    Those of `evical.calibrators` are listed in `CalibratorName`, those of `evical.multiclass` in
    `MulticlassCalibratorName`.

    >>> by_name()["venn_abers"].__name__, by_name()["elite"].__name__
    ('VennAbersCalibrator', 'ELiTECalibrator')
    """
    return {
        short_name(title): getattr(room, title)
        for title in room.__all__
        if title.endswith("Calibrator") and title not in _UNNAMED
    }


def short_name(title: str) -> str:
    """The words of the name of a class, each begun by a capital between small letters.

    >>> short_name("MultinomialLogisticCalibrator")
    'multinomial_logistic'
    """
    words = title.removesuffix("Calibrator")
    return re.sub("(?<=[a-z])(?=[A-Z][a-z])", "_", words).lower()


def make_calibrator(
    text: str,
    options: Sequence[str] = (),
    known: Mapping[str, type[Any]] | None = None,
    kind: str = "calibrator",
) -> Any:
    """A calibrator, not yet fitted, by its name; after colons a model, or options `key=value`.

    `known` are names and their classes, those of `by_name` by default, and `kind` is what messages
    call them: a calibrator in Python, a method on the command line.

    Raises ValueError for an unknown name or option, or a wrong value.

    >>> make_calibrator("binning:bayesian:n_bins=15", ["strategy=quantile"])
    BinningCalibrator(model='bayesian', n_bins=15, strategy='quantile')
    """
    check_instance("text", text, str, f"a {kind} such as 'logistic:bayesian'")
    _, *own = (part.strip() for part in text.split(":"))
    known = by_name() if known is None else known
    name = check_calibrator(text, known, kind)
    # A word that is no choice is refused below, like any other value.
    types = settable(known[name]).items()
    parameters = {key: str if get_origin(one) is Literal else one for key, one in types}
    owner = f"{kind} {name!r}"
    options = [*(one if "=" in one else f"model={one}" for one in own), *options]
    if "model" not in parameters and any(one.startswith("model=") for one in options):
        raise ValueError(f"{owner} has no evidential models; leave out the model")
    calibrator = known[name](**parse_options(options, parameters, owner))
    try:
        calibrator._check_all_parameters()  # at once, and not as a method that could not be fitted
    except (TypeError, ValueError) as error:
        raise ValueError(f"{owner}: {error}") from error
    return calibrator
