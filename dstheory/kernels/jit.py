"""One text, compiled or not: `compiled` is numba's `njit` where numba is installed.

numba is the extra `fast`. Without it the same Python text runs, slower and with the
same result; `HAVE_NUMBA` tells which.
"""

from collections.abc import Callable
from importlib.util import find_spec
from os import environ
from typing import TypeVar, cast

__all__ = ["HAVE_NUMBA", "compiled"]

_Function = TypeVar("_Function", bound=Callable[..., object])

# The variable lets the tests run both ways on one machine.
HAVE_NUMBA = find_spec("numba") is not None and environ.get("DSTHEORY_NO_NUMBA", "") != "1"


class _Lazy:
    """Compile at the first call, so that importing this package never imports numba."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._fast: Callable[..., object] | None = None

    def __call__(self, *args: object) -> object:
        if self._fast is None:
            from numba import njit

            self._fast = cast("Callable[..., object]", njit(cache=True)(self.__wrapped__))
        return self._fast(*args)


def compiled(function: _Function) -> _Function:
    """Compile `function` with numba when it is installed, else return it as it is."""
    return cast("_Function", _Lazy(function)) if HAVE_NUMBA else function
