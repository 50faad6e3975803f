"""Shares of trust by keyword: a rate (what is lost) or a reliability (what is kept).

Papers use both, and a rate of 0.2 is a reliability of 0.8. So a function takes such a share by
either keyword, exactly one of them, and never by position.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

RATE = {"rate": "the share that is lost", "reliability": "the share that is kept"}
RATES = {"rates": "the shares that are lost", "reliabilities": "the shares that are kept"}


def shares_by_name(**meanings: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Refuse a share by position, with a message that explains its keywords."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        parameters = inspect.signature(function).parameters.values()
        n_positional = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            if len(args) > n_positional:
                value = _short(args[n_positional])
                ways = " or ".join(f"{name}={value} ({is_})" for name, is_ in meanings.items())
                name = function.__qualname__.removesuffix(".__init__")
                raise TypeError(f"{name} takes no share by position; write {ways}")
            return function(*args, **kwargs)

        return checked

    return decorate


def one_of(default: tuple[str, object] | None = None, **shares: object) -> tuple[str, Any]:
    """Name and value of the one share that is given."""
    given = [(name, value) for name, value in shares.items() if value is not None]
    if not given and default is not None:
        return default
    if len(given) != 1:
        names = " or ".join(f"{name}=" for name in shares)
        fault = "both are given" if given else "neither is given"
        raise TypeError(f"{fault}; write exactly one of {names}")
    return given[0]


def _short(value: object) -> str:
    return repr(value) if isinstance(value, int | float) and abs(value) < 10 else "..."
