"""One source, compiled or not: `compiled` is numba's `njit` if numba is installed.

numba comes with the extra `fast`. Without it, the same Python code runs, slower but with the same
result; `HAVE_NUMBA` tells which.
"""

from collections.abc import Callable
from importlib.util import find_spec
from os import environ
from types import FunctionType
from typing import TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., object])

# The environment variable lets the tests run both ways on one machine.
HAVE_NUMBA = find_spec("numba") is not None and environ.get("DSTHEORY_NO_NUMBA", "") != "1"


class _Lazy:
    """Compile at the first call, so that importing this package never imports numba."""

    def __init__(self, function: FunctionType) -> None:
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._fast: Callable[..., object] | None = None

    def __call__(self, *args: object) -> object:
        return self.dispatcher()(*args)

    def dispatcher(self) -> Callable[..., object]:
        """The compiled function, which other compiled functions call directly."""
        if self._fast is None:
            from numba import njit

            text = self.__wrapped__
            names = {
                name: value.dispatcher()
                if isinstance(value, _Lazy) and value is not self
                else value
                for name, value in text.__globals__.items()
                if name in text.__code__.co_names
            }
            function = FunctionType(text.__code__, names, text.__name__)
            function.__module__, function.__qualname__ = text.__module__, text.__qualname__
            self._fast = cast("Callable[..., object]", njit(cache=True, nogil=True)(function))
        return self._fast


def compiled(function: _Function) -> _Function:
    """Compile `function` with numba if it is installed, else return it unchanged."""
    return cast("_Function", _Lazy(cast("FunctionType", function))) if HAVE_NUMBA else function
