"""Checks of the arguments of constructors: a value for each label or subset of a frame."""

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import check_label_order
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels.limits import check_cost

# 4 GiB: singletons of 262,144 labels, or the nested sets of 185,363.
_MAX_MASK_BYTES = 1 << 32


def as_rows(values: Numbers, frame: Frame, name: str) -> NDArray[Any]:
    """Values (*batch, K), one for each label, as floats or exact objects."""
    return checks.as_masses(row_numbers(values, frame, name))


def row_numbers(
    values: Numbers, frame: Frame, name: str, order: Iterable[object] = ()
) -> NDArray[Any]:
    """The same in the type in which they come; `order` are the labels, if not in that of frame."""
    array = checks.as_numbers(values)
    _check_last_axis(array, len(checks.as_frame(frame)), name, f"{len(frame)} labels")
    check_label_order(values, order or frame.labels, name)
    return array


def as_table(values: Numbers, frame: Frame, name: str) -> NDArray[Any]:
    """Values (*batch, 2**K), one for each subset of the frame, as floats or exact objects."""
    array = checks.as_masses(values)
    n_sets = checks.as_frame(frame).full + 1
    _check_last_axis(array, n_sets, name, f"2^{len(frame)} = {n_sets} subsets")
    return array


def _check_last_axis(array: NDArray[Any], length: int, name: str, parts: str) -> None:
    if array.ndim == 0 or array.shape[-1] != length:
        raise MassError(
            f"{name} of shape {array.shape}: the last axis must run over the {parts} of the frame"
        )


def check_masks(n_bits: int, task: str) -> None:
    """Refuse sets that take too much memory."""
    advice = "group the labels, or work on part of the rows"
    check_cost(n_bits // 8, _MAX_MASK_BYTES, task, "bytes of sets", advice)
