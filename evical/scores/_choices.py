"""Names that a user chooses from, and what was meant by a misspelled one."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

__all__ = ["check_choice", "did_you_mean"]


def check_choice(name: str, value: Any, choices: Iterable[Any], expected: str = "") -> None:
    """Raise unless a parameter has one of its values.

    Parameters
    ----------
    name : str
    value : object
    choices : iterable of str, bool and None
    expected : str
        What else may be given; stands before the choices.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> check_choice("ensemble", "yes", (True, False))
    Traceback (most recent call last):
    ValueError: ensemble is 'yes', expected one of True, False
    >>> check_choice("strategy", "quantil", ("uniform", "quantile", "corp"))
    Traceback (most recent call last):
    ValueError: strategy is 'quantil', expected one of 'uniform', 'quantile', 'corp'; did you \
mean 'quantile'?
    """
    allowed = tuple(choices)
    # By kind too: 1 is not True, and an array does not compare.
    plain = value is None or isinstance(value, str | bool | np.bool_)
    if not plain or value not in allowed:
        listed, hint = ", ".join(map(repr, allowed)), did_you_mean(value, allowed)
        raise ValueError(f"{name} is {value!r}, expected {expected}one of {listed}{hint}")


def did_you_mean(value: Any, choices: Iterable[Any]) -> str:
    """The end of an error message: the name that a misspelled one comes nearest to, if any.

    Parameters
    ----------
    value : object
    choices : iterable of str
        Other kinds of choices are no candidates.

    Returns
    -------
    str
        Empty where nothing comes near.

    Examples
    --------
    >>> did_you_mean("Dempstr", ["conjunctive", "dempster"])
    "; did you mean 'dempster'?"
    >>> did_you_mean(7, ["dempster"])
    ''
    """
    if not isinstance(value, str):
        return ""
    plain = {choice.lower(): choice for choice in choices if isinstance(choice, str)}
    wanted = value.strip().lower().replace("-", "_").replace(" ", "_")
    near = get_close_matches(wanted, plain, n=1, cutoff=0.6)
    return f"; did you mean {plain[near[0]]!r}?" if near else ""
