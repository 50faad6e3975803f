"""Arrays of any library that follows the array API: their namespace, and checks of masses.

Values are checked where they are known. While a function is traced (`jax.jit`, `jax.vmap`,
`torch.compile`, `torch.vmap`) there are none, and only shapes and types are checked.
"""

import sys
from collections.abc import Callable
from math import prod
from typing import Any, TypeAlias

import numpy as np

from dstheory.checks.arguments import shown
from dstheory.checks.masses import check_table_size
from dstheory.errors import MassError, TotalConflictError
from dstheory.kernels.batches import blocks
from dstheory.kernels.rows import in_row
from dstheory.optional import require

Tensor: TypeAlias = Any
"""An array of NumPy, torch, JAX, CuPy or another library that follows the array API."""

Namespace: TypeAlias = Any
"""The functions of such a library."""

_BLOCK = 2**15
"""Numbers: 256 KiB. Twice or half as many take a tenth more time (bench_tensor)."""

_FEW = 64
"""Numbers in a row, up to which the last axis is too short to be fast (bench_tensor)."""

_NUMPY = "array_api_compat.numpy"

MOST_LABELS = 12
"""A table has 2^K entries per row: 4096."""


def namespace(*arrays: Tensor) -> Namespace:
    """The functions for arrays that all come from one library."""
    require("array_api_compat", "dstheory.tensor")
    # Not asked below: torch.compile warns of functions that have a cache.
    if "torch" in sys.modules and all(map(is_of_torch, arrays)):
        from array_api_compat import torch

        return torch
    from array_api_compat import array_namespace, is_array_api_obj

    for array in arrays:
        if not is_array_api_obj(array):
            raise TypeError(
                f"{shown(array)} is not an array; convert it with numpy.asarray, torch.asarray or "
                "jax.numpy.asarray"
            )
    try:
        return array_namespace(*arrays)
    except TypeError as error:
        kinds = ", ".join(dict.fromkeys(type(array).__module__ for array in arrays))
        raise TypeError(f"arrays of several libraries ({kinds}); convert them to one") from error


def is_of_torch(x: object) -> bool:
    """Whether an object is a tensor of torch, which is not imported for that."""
    return isinstance(x, sys.modules["torch"].Tensor)


def constant(xp: Namespace, x: Tensor) -> Tensor:
    """The same values, through which no gradient flows."""
    if hasattr(x, "detach"):
        return x.detach()
    if xp.__name__ == "jax.numpy":
        from jax.lax import stop_gradient

        return stop_gradient(x)
    return x


def matmul(xp: Namespace, left: Tensor, right: Tensor) -> Tensor:
    """A matrix product in the precision of its factors, which JAX lowers on some processors."""
    if xp.__name__ == "jax.numpy":
        return xp.matmul(left, right, precision="highest")
    return xp.matmul(left, right)


def like(xp: Namespace, values: Tensor, model: Tensor) -> Tensor:
    """Constants as an array of the library, type and device of another one."""
    return xp.asarray(values, dtype=model.dtype, device=device(model))


def device(x: Tensor) -> object:
    """Where an array is."""
    if hasattr(x, "detach"):
        return x.device
    from array_api_compat import device as found

    return found(x)


def in_blocks(xp: Namespace, rule: Callable[..., Tensor], m1: Tensor, m2: Tensor) -> Tensor:
    """A rule of two sources; by NumPy on so many rows at a time that all stays in the cache.

    Few classes are moved to the first axis: NumPy is fast along a long last one.
    """
    if xp.__name__ != _NUMPY or max(m1.size, m2.size) <= 2 * _BLOCK:
        return rule(xp, m1, m2)
    m1, m2 = xp.broadcast_arrays(m1, m2)
    rows1, rows2 = (xp.reshape(m, (-1, m.shape[-1])) for m in (m1, m2))
    result = xp.empty(rows1.shape, dtype=xp.result_type(m1, m2))
    try:
        for part in blocks(len(rows1), _BLOCK // m1.shape[-1]):
            if m1.shape[-1] < _FEW:
                sides = (np.ascontiguousarray(rows[part].T) for rows in (rows1, rows2))
                result[part] = rule(xp, *sides, axis=0).T
            else:
                result[part] = rule(xp, rows1[part], rows2[part])
    except TotalConflictError:
        return rule(xp, m1, m2)  # names the row in all of them
    return xp.reshape(result, m1.shape)


def holds(condition: Tensor) -> bool:
    """Whether a condition is met; also True where this is unknown because nothing has a value."""
    if hasattr(condition, "detach"):
        from torch.compiler import is_compiling

        if is_compiling():
            return True
    try:
        return bool(condition)
    except (TypeError, RuntimeError):  # of JAX and of torch, for values that are traced
        return True


def check_floating(xp: Namespace, name: str, x: Tensor) -> None:
    """Raise unless an array holds real floating-point numbers, on one axis or more."""
    if not xp.isdtype(x.dtype, "real floating"):
        raise TypeError(f"{name} have the type {x.dtype}, expected floating-point numbers")
    if x.ndim == 0:
        raise ValueError(f"{name} have shape (), expected one axis or more")


def check_same_length(name: str, *arrays: Tensor) -> None:
    """Raise unless all last axes have one length."""
    lengths = list(dict.fromkeys(int(array.shape[-1]) for array in arrays))
    if len(lengths) > 1:
        raise ValueError(
            f"{name} have last axes of lengths {', '.join(map(str, lengths))}, expected one length"
        )


def checked(*masses: Tensor) -> Namespace:
    """The namespace of masses (..., K + 1), of classes and of the frame, that sum to 1."""
    xp = namespace(*masses)
    for m in masses:
        check_floating(xp, "masses", m)
        if m.shape[-1] < 2:
            raise ValueError(
                f"masses have shape {tuple(m.shape)}, but their last axis holds one mass per class "
                "and that of the frame: its length is 2 or more"
            )
    check_same_length("masses", *masses)
    for m in masses:
        check_masses(xp, m)
    return xp


def check_masses(xp: Namespace, m: Tensor) -> None:
    """Raise unless each row of known values has no negative entry and sums to 1."""
    values = constant(xp, m)
    least = -tolerance(xp, m)
    if xp.__name__ == _NUMPY:  # short rows are summed faster by a product
        total = values @ np.ones(m.shape[-1], m.dtype)
    else:
        total = xp.sum(values, axis=-1)
    if not holds(xp.all(xp.abs(total - 1) <= -least) & xp.all(values >= least)):
        negative = xp.min(values, axis=-1)
        bad = ~((xp.abs(total - 1) <= -least) & (negative >= least))
        row, where, count = first_row(xp, bad)
        what = f"sum to {float(total[row]):.6g}{where}, not 1"
        if float(negative[row]) < least:
            what = f"are as low as {float(negative[row]):.6g}{where}, expected 0 or more"
        raise MassError(f"masses {what}{count}; apply normalize to their logarithms, for example")


def tolerance(xp: Namespace, x: Tensor) -> float:
    """How far a sum of masses may lie from 1, 1e-9 or more where types are coarser."""
    rounding: float = float(xp.finfo(x.dtype).eps) * (8 + int(x.shape[-1]) ** 0.5)
    return max(rounding, 1e-9)


def check_total(xp: Namespace, total: Tensor, rule: str) -> None:
    """Raise if what a rule divides by, (...), is 0 in a row of known values."""
    values = constant(xp, total)
    if not holds(xp.all(values > 0)):
        _, where, count = first_row(xp, ~(values > 0))
        raise TotalConflictError(
            f"total conflict (kappa = 1){where}{count}; {rule} has no result: discount a source"
        )


def first_row(xp: Namespace, bad: Tensor) -> tuple[tuple[int, ...], str, str]:
    """Index of the first bad row, and how to name it and how many there are."""
    if bad.ndim == 0:
        return (), "", ""
    row = tuple(int(place[0]) for place in xp.nonzero(bad))
    count = int(xp.sum(xp.astype(bad, xp.int32)))
    return row, in_row(row), f" ({count} of {prod(bad.shape)} rows)"


def check_table(xp: Namespace, table: Tensor) -> int:
    """Number of labels of tables (..., 2^K), at most 12."""
    check_floating(xp, "tables", table)
    n_sets = int(table.shape[-1])
    if n_sets < 2 or n_sets & (n_sets - 1):
        raise ValueError(
            f"a table has shape {tuple(table.shape)}, but its last axis runs over all subsets: its "
            "length is 2, 4, 8, ..."
        )
    n_labels = n_sets.bit_length() - 1
    check_labels(n_labels)
    return n_labels


def check_labels(n_labels: int) -> None:
    """Refuse tables of more than 12 labels."""
    advice = "use masses of classes and the frame, or dstheory.MassFunction"
    check_table_size(n_labels, advice, MOST_LABELS)
