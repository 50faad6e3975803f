"""Checks of mass functions, and sums of the parts of a result.

The checks require mass functions on one frame whose batches broadcast. A result is often a sum of
parts, each with its own sets; `collect` adds them up without aligning them first.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dstheory.checks.arguments import common_shape, shown
from dstheory.frame import Frame, same_frame
from dstheory.kernels import bits
from dstheory.kernels.batches import Part, added_up
from dstheory.kernels.exact import exact_together
from dstheory.mass import MassFunction


def check_mass(m: object, name: str = "m") -> MassFunction:
    """The mass function, if it is one."""
    if not isinstance(m, MassFunction):
        raise TypeError(f"{name} is {shown(m)}, expected a MassFunction")
    return m


def check_masses(*masses: MassFunction) -> tuple[int, ...]:
    """The common batch shape; refuse what is not a mass function, and different frames."""
    for number, m in enumerate(masses, start=1):
        check_mass(m, f"argument {number}")
        same_frame(masses[0].frame, m.frame)
    return batch_of(*masses)


def batch_of(*masses: MassFunction) -> tuple[int, ...]:
    """Batch shape to which all of them broadcast."""
    return common_shape("batches", *(m.batch_shape for m in masses))


def exact_beside(masses: Sequence[MassFunction]) -> list[MassFunction]:
    """The mass functions; those with floats that are all 0 or 1 are exact beside exact ones."""
    stores = exact_together([m.store for m in masses])
    return [
        m if store is m.store else MassFunction.from_store(m.frame, m.focal, store)
        for m, store in zip(masses, stores, strict=True)
    ]


def collect(frame: Frame, *parts: Part) -> MassFunction:
    """Mass function that is the sum of parts: sets (F,), which may repeat, and masses (F, *batch).

    A third entry scales the masses of a part; batches broadcast.
    """
    return MassFunction.from_store(frame, *added_up(*parts))


def certain(
    frame: Frame, mask: int, batch_shape: tuple[int, ...] = (), dtype: DTypeLike = np.float64
) -> MassFunction:
    """All mass on one set."""
    store = np.ones((1, *batch_shape), dtype=dtype)
    return MassFunction.from_store(frame, bits.mask_array([mask], len(frame)), store)


def two_sets(
    frame: Frame, one: int, mass: NDArray[Any], other: int, rest: NDArray[Any]
) -> MassFunction:
    """Masses on two sets, which may be the same."""
    sets = (bits.mask_array([mask], len(frame)) for mask in (one, other))
    return collect(frame, *zip(sets, (mass[np.newaxis], rest[np.newaxis]), strict=True))


def discounted(m: MassFunction, lost: NDArray[Any], kept: NDArray[Any]) -> MassFunction:
    """Shares `kept` of the masses, and the shares `lost` on the frame; they sum to 1."""
    whole = bits.mask_array([m.frame.full], len(m.frame))
    return collect(m.frame, (m.focal, m.store, kept), (whole, lost[np.newaxis]))


def indicators(frame: Frame, labels: Iterable[Hashable]) -> NDArray[np.int64]:
    """Indicators (n, K) of one label for each of n samples."""
    positions = [frame.mask((label,)).bit_length() - 1 for label in labels]
    return np.equal.outer(positions, np.arange(len(frame))).astype(np.int64)
