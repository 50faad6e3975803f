"""Fusions by name: rules of `dstheory.combine`, and fusions with parameters."""

import inspect
from collections.abc import Callable
from typing import Any

from dstheory import MassFunction, combine
from dstheory.checks.arguments import did_you_mean
from evical.fusion._base import BaseFusion
from evical.fusion._discounted import Discounted
from evical.fusion._mixture import Mixture
from evical.fusion._stacked import Stacked
from evical.fusion._t_norm import TNorm
from evical.fusion._valid import valid_mean, valid_minimum

__all__ = ["named_fusion"]

_MADE: dict[str, Callable[[], BaseFusion]] = {
    "stacked": Stacked,
    "size_mixture": Mixture,
    "likelihood_mixture": lambda: Mixture("likelihood"),
    "discounted": Discounted,
    "contextually_discounted": lambda: Discounted(contextual=True),
    "learned_tnorm": TNorm,
}

_VALID: dict[str, Callable[..., MassFunction]] = {
    "valid_mean": valid_mean,
    "valid_minimum": valid_minimum,
}


def named_fusion(rule: Any) -> Callable[..., MassFunction]:
    """A fusion: as it is, or by its name.

    Parameters
    ----------
    rule : callable or str
        ``rule(*masses)``, among them a `BaseFusion`; the name of a rule of
        `dstheory.combine`; or "stacked", "size_mixture", "likelihood_mixture", "discounted",
        "contextually_discounted", "learned_tnorm", "valid_mean" or "valid_minimum" for the fusions
        of this stage.

    Returns
    -------
    callable

    Raises
    ------
    TypeError
        If it is a class.
    ValueError
        If there is no such name.

    Examples
    --------
    >>> named_fusion("stacked")
    Stacked()
    >>> named_fusion("cautious").__name__
    'cautious'
    """
    if isinstance(rule, type):
        raise TypeError(
            f"rule is the class {rule.__name__}, expected an instance: {rule.__name__}()"
        )
    if callable(rule):
        return rule  # type: ignore[no-any-return]  # callable() does not narrow Any
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
    return rules[rule]  # type: ignore[no-any-return]  # looked up by name


def _needs_masses_only(rule: Callable[..., Any]) -> bool:
    """Whether ``rule(*masses)`` works for any number of masses from two."""
    parameters = inspect.signature(rule).parameters.values()
    options = [one for one in parameters if one.kind is one.KEYWORD_ONLY]
    return any(one.kind is one.VAR_POSITIONAL for one in parameters) and not any(
        option.default is option.empty for option in options
    )
