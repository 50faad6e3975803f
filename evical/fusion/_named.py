"""Fusions by name: rules of `dstheory.combine`, and fusions with parameters."""

import inspect
from collections.abc import Callable
from typing import Any

from sklearn.base import clone

from dstheory import MassFunction, combine
from dstheory.checks.arguments import did_you_mean
from evical.fusion._consensus import Consensus
from evical.fusion._discounted import Discounted
from evical.fusion._function import of_function
from evical.fusion._mixture import Mixture
from evical.fusion._rule import Rule
from evical.fusion._stacked import Stacked
from evical.fusion._t_norm import TNorm
from evical.fusion._valid import valid_mean, valid_minimum

_MADE: dict[str, Callable[[], Rule]] = {
    "stacked": Stacked,
    "consensus": Consensus,
    "size_mixture": Mixture,
    "likelihood_mixture": lambda: Mixture(weights="likelihood"),
    "discounted": Discounted,
    "contextually_discounted": lambda: Discounted(contextual=True),
    "learned_tnorm": TNorm,
}

_VALID: dict[str, Callable[..., MassFunction]] = {
    "valid_mean": valid_mean,
    "valid_minimum": valid_minimum,
}


def as_rule(rule: Rule | str | Callable[..., MassFunction]) -> Rule:
    """Make a rule from a name, a function or a rule.

    The result is a copy, so that it can be fitted.

    Parameters
    ----------
    rule : Rule, callable or str
        ``rule(*masses)``; the name of a rule of `dstheory.combine`; or "stacked", "consensus",
        "size_mixture", "likelihood_mixture", "discounted", "contextually_discounted",
        "learned_tnorm", "valid_mean" or "valid_minimum" for the rules of this stage.

    Returns
    -------
    Rule

    Raises
    ------
    TypeError
        If it is a class.
    ValueError
        If there is no such name.

    Examples
    --------
    >>> as_rule("stacked")
    Stacked()
    >>> as_rule("cautious").name
    'cautious'
    """
    if isinstance(rule, type):
        raise TypeError(
            f"rule is the class {rule.__name__}, expected an instance: {rule.__name__}()"
        )
    if isinstance(rule, Rule):
        return clone(rule)  # type: ignore[no-any-return]  # sklearn is untyped
    if callable(rule):
        return of_function(rule)
    if isinstance(rule, str) and rule in _MADE:
        return _MADE[rule]()
    rules = {name: getattr(combine, name) for name in combine.__all__}
    rules = {name: rule for name, rule in rules.items() if _needs_masses_only(rule)} | _VALID
    if not isinstance(rule, str) or rule not in rules:
        names = [*_MADE, *rules]
        raise ValueError(
            f"rule is {rule!r}, expected a function of mass functions (with its options, as "
            f"functools.partial), a fusion, or one of {', '.join(names)}"
            f"{did_you_mean(rule, names)}"
        )
    return of_function(rules[rule])


def _needs_masses_only(rule: Callable[..., Any]) -> bool:
    """Whether ``rule(*masses)`` works for any number of masses from two."""
    parameters = inspect.signature(rule).parameters.values()
    options = [one for one in parameters if one.kind is one.KEYWORD_ONLY]
    return any(one.kind is one.VAR_POSITIONAL for one in parameters) and not any(
        option.default is option.empty for option in options
    )
