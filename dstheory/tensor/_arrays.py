"""Arrays of any library that follows the array API: their namespace, and checks of masses.

Values are checked where they are known. While a function is traced (`jax.jit`, `jax.vmap`,
`torch.compile`, `torch.vmap`) there are none, and only shapes and types are checked.
"""

from math import log2
from typing import Any, TypeAlias

from dstheory.checks.arguments import shown
from dstheory.errors import CostLimitError, MassError, TotalConflictError
from dstheory.optional import require

Tensor: TypeAlias = Any
"""An array of NumPy, torch, JAX, CuPy or another library that follows the array API."""

Namespace: TypeAlias = Any
"""The functions of such a library."""

MOST_LABELS = 12
"""A table has 2^K entries per row: 4096."""


def namespace(*arrays: Tensor) -> Namespace:
    """The functions for arrays that all come from one library."""
    require("array_api_compat", "dstheory.tensor")
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


def constant(xp: Namespace, x: Tensor) -> Tensor:
    """The same values, through which no gradient flows."""
    from array_api_compat import is_jax_namespace

    if hasattr(x, "detach"):
        return x.detach()
    if is_jax_namespace(xp):
        from jax.lax import stop_gradient

        return stop_gradient(x)
    return x


def matmul(xp: Namespace, left: Tensor, right: Tensor) -> Tensor:
    """A matrix product in the precision of its factors, which JAX lowers on some processors."""
    from array_api_compat import is_jax_namespace

    if is_jax_namespace(xp):
        return xp.matmul(left, right, precision="highest")
    return xp.matmul(left, right)


def like(xp: Namespace, values: Tensor, model: Tensor) -> Tensor:
    """Constants as an array of the library, type and device of another one."""
    from array_api_compat import device

    return xp.asarray(values, dtype=model.dtype, device=device(model))


def ones_like_column(xp: Namespace, x: Tensor) -> Tensor:
    """Ones (..., 1) for an array (..., K)."""
    return xp.ones_like(x[..., :1])


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


def check_floating(xp: Namespace, name: str, x: Tensor, ndim: int = 1) -> None:
    """Raise unless an array holds real floating-point numbers, on so many axes or more."""
    if not xp.isdtype(x.dtype, "real floating"):
        raise TypeError(f"{name} have the type {x.dtype}, expected floating-point numbers")
    if x.ndim < ndim:
        raise ValueError(f"{name} have shape {tuple(x.shape)}, expected {ndim} axes or more")


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
    """How far a sum of masses may lie from 1: 1e-9, or more where types are coarser."""
    rounding: float = float(xp.finfo(x.dtype).eps) * (8 + int(x.shape[-1]))
    return max(rounding, 1e-9)


def check_total(xp: Namespace, total: Tensor, rule: str) -> None:
    """Raise if what a rule divides by, (..., 1), is 0 in a row of known values."""
    values = constant(xp, total)[..., 0]
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
    named = row[0] if len(row) == 1 else row
    return row, f" in row {named}", f" ({int(xp.count_nonzero(bad))} of {bad.size} rows)"


def check_table(xp: Namespace, table: Tensor) -> int:
    """How many labels tables (..., 2^K) are of; at most 12."""
    check_floating(xp, "tables", table)
    n_sets = int(table.shape[-1])
    if n_sets < 2 or n_sets & (n_sets - 1):
        raise ValueError(
            f"a table has shape {tuple(table.shape)}, but its last axis runs over all subsets: its "
            "length is 2, 4, 8, ..."
        )
    n_labels = int(log2(n_sets))
    check_labels(n_labels)
    return n_labels


def check_labels(n_labels: int) -> None:
    """Refuse tables of more than 12 labels."""
    if n_labels > MOST_LABELS:
        raise CostLimitError(
            f"a table on {n_labels} labels has 2^{n_labels} entries per row, more than "
            f"2^{MOST_LABELS}; use masses of classes and the frame, or dstheory.MassFunction"
        )
