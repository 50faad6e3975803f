"""Several mass functions as one batch, over the union of their focal sets.

A batch shares its focal sets, so a set that is not focal in one of the mass functions gets mass 0
there. Axes work as in `numpy.stack` and `numpy.concatenate`, applied to the batch.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.checks.arguments import as_sequence, check_axis
from dstheory.frame import same_frame
from dstheory.kernels.exact import exact_together
from dstheory.mass import MassFunction


def stack(masses: Iterable[MassFunction], axis: int = 0) -> MassFunction:
    """One batch of several mass functions, along a new axis.

    Parameters
    ----------
    masses : iterable of MassFunction
        At least one, on one frame, with one batch shape.
    axis : int
        Place of the new axis in the batch shape of the result; negative ones count from the
        end.

    Returns
    -------
    MassFunction
        On the union of the focal sets. Exact masses stay exact.

    Raises
    ------
    ValueError
        If there is no mass function, batch shapes differ, or the axis is out of range.
    FrameError
        If frames differ.
    TypeError
        If an element is not a mass function.

    See Also
    --------
    concatenate : along an existing axis.
    dstheory.combine.combine_axis : combine along an axis.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> ant = MassFunction.from_dict(frame, {"ant": 0.5, frame: 0.5})
    >>> bee = MassFunction.from_dict(frame, {"bee": 0.25, frame: 0.75})
    >>> both = stack([ant, bee])
    >>> both.batch_shape, both.bel("ant"), both[1] == bee
    ((2,), array([0.5, 0. ]), True)
    """
    listed = _listed(masses)
    shape = listed[0].batch_shape
    for number, m in enumerate(listed, start=1):
        if m.batch_shape != shape:
            raise ValueError(
                f"mass function {number} has batch shape {m.batch_shape}, the first one {shape}; "
                "only equal shapes stack: see concatenate"
            )
    place = check_axis(axis, (len(listed), *shape))
    return _joined(listed, [m.store[:, np.newaxis] for m in listed], place)


def concatenate(masses: Iterable[MassFunction], axis: int = 0) -> MassFunction:
    """One batch of several batches, along an existing axis.

    Parameters
    ----------
    masses : iterable of MassFunction
        At least one, on one frame; batch shapes are equal except along `axis`.
    axis : int
        Axis of the batch shape; negative ones count from the end.

    Returns
    -------
    MassFunction
        On the union of the focal sets. Exact masses stay exact.

    Raises
    ------
    ValueError
        If there is no mass function, one has no batch, batch shapes do not fit, or the axis is
        out of range.
    FrameError
        If frames differ.
    TypeError
        If an element is not a mass function.

    See Also
    --------
    stack : along a new axis.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> two = MassFunction(frame, [1, 3], [[0.5, 0.5], [0.25, 0.75]])
    >>> one = MassFunction(frame, [2], [[1.0]])
    >>> concatenate([two, one]).bel("ant")
    array([0.5 , 0.25, 0.  ])
    """
    listed = _listed(masses)
    n_axes = len(listed[0].batch_shape)
    if not n_axes:
        raise ValueError("a single mass function has no axis to concatenate along; see stack")
    place = check_axis(axis, listed[0].batch_shape)
    rest = _without(listed[0].batch_shape, place)
    for number, m in enumerate(listed, start=1):
        if len(m.batch_shape) != n_axes or _without(m.batch_shape, place) != rest:
            raise ValueError(
                f"mass function {number} has batch shape {m.batch_shape}, the first one "
                f"{listed[0].batch_shape}; they may differ along axis {axis} only"
            )
    return _joined(listed, [np.moveaxis(m.store, place + 1, 1) for m in listed], place)


def _listed(masses: Iterable[MassFunction]) -> list[MassFunction]:
    listed = as_sequence(masses, "masses", "several mass functions")
    if not listed:
        raise ValueError("there is no mass function; give at least one")
    frame = check_mass(listed[0], "element 1").frame
    for number, m in enumerate(listed, start=1):
        if check_mass(m, f"element {number}").frame is not frame:
            same_frame(frame, m.frame)
    return listed


def _without(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    return shape[:place] + shape[place + 1 :]


def _joined(listed: list[MassFunction], stores: list[NDArray[Any]], place: int) -> MassFunction:
    """Stores (F_i, n_i, *rest) one after the other, the axis of the n_i moved to its place."""
    stores = exact_together(stores)
    everything = np.concatenate([m.focal for m in listed])
    focal, places = np.unique(everything, return_inverse=True)
    total = sum(store.shape[1] for store in stores)
    dtype = np.result_type(*{store.dtype for store in stores})
    joined = np.zeros((len(focal), total, *stores[0].shape[2:]), dtype=dtype)
    row = start = 0
    for store in stores:
        n_sets, n_rows = store.shape[:2]
        joined[places[start : start + n_sets], row : row + n_rows] = store
        start, row = start + n_sets, row + n_rows
    moved = np.ascontiguousarray(np.moveaxis(joined, 1, place + 1))
    return MassFunction.from_store(listed[0].frame, focal, moved)
