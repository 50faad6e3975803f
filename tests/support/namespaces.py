"""Arrays of all libraries of the array API that are installed, for the tests of `dstheory.tensor`.

NumPy, array-api-strict and JAX come with the extra `test`; torch takes part where it is installed.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

TYPES = {
    "numpy": ["float64", "float32", "float16"],
    "array_api_strict": ["float64", "float32"],
    "jax.numpy": ["float64", "float32", "float16"],
    "torch": ["float64", "float32", "float16", "bfloat16"],
}
INSTALLED = [name for name in TYPES if find_spec(name.partition(".")[0]) is not None]
TOLERANCE = {"float64": 1e-12, "float32": 1e-6, "float16": 4e-3, "bfloat16": 4e-2}

EVERY_TYPE = [(library, dtype) for library in INSTALLED for dtype in TYPES[library]]


def array(library: str, values: Any, dtype: str = "float64") -> Any:
    """Numbers as an array of a library. JAX has float64 where the test asks for `x64`."""
    xp = import_module(library)
    return xp.asarray(np.asarray(values, dtype=np.float64), dtype=getattr(xp, dtype))


def results(library: str, calls: dict[str, Callable[..., Any]], *arrays: Any) -> dict[str, Any]:
    """Name to result of each call; JAX compiles them in one piece, which takes less time."""

    def together(*given: Any) -> dict[str, Any]:
        return {name: call(*given) for name, call in calls.items()}

    if library == "jax.numpy":
        return dict(import_module("jax").jit(together)(*arrays))
    return together(*arrays)


def floats(x: Any) -> Any:
    """Any array as float64 of NumPy."""
    if hasattr(x, "detach"):
        x = x.detach().double()
    return np.asarray(x).astype(np.float64)


def type_of(x: Any) -> str:
    """Name of the type of an array."""
    return str(x.dtype).rpartition(".")[2]
