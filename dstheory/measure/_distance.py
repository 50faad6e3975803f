"""Distances between two beliefs.

Jousselme's distance compares all pairs of focal sets by their overlap, so {a, b} is nearer to {a}
than {c} is. Other distances compare tables, pignistic probabilities or square roots of masses
(Jousselme & Maupin 2012, "Distances in evidence theory: comprehensive survey and generalizations",
IJAR 53).

Belief Jensen-Shannon divergence: how much two beliefs differ from their mean.

Masses are compared set by set like probabilities; the overlap of sets plays no role (Xiao 2019,
"Multi-sensor data fusion based on the belief divergence measure of evidences and the belief
entropy", Information Fusion 46).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._masses import check_masses
from dstheory._typing import Numbers
from dstheory.checks.arguments import (
    as_floats,
    as_real,
    check_above_zero,
    check_choice,
    check_label_order,
)
from dstheory.errors import DSTheoryError
from dstheory.frame import Frame
from dstheory.kernels import bits, setwise
from dstheory.kernels.batches import placed, scalar, stretch
from dstheory.mass import MassFunction
from dstheory.transform import betp, tables


def align(m1: MassFunction, m2: MassFunction) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Focal sets (F,) of either, and the masses of both on them, (F, *batch) each."""
    batch = check_masses(m1, m2)
    focal = np.union1d(m1.focal, m2.focal)
    one, two = (placed(focal, m.focal, stretch(m.store, batch)) for m in (m1, m2))
    return focal, one, two


def jensen_shannon(m1: MassFunction, m2: MassFunction) -> Any:
    """Belief Jensen-Shannon divergence, in bits.

    Notes
    -----
    Half the sum of m1 log2(2 m1 / (m1 + m2)) and m2 log2(2 m2 / (m1 + m2)) over all sets
    (Xiao 2019).

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> one, two = (MassFunction.from_dict(frame, {label: 1}) for label in frame)
    >>> jensen_shannon(one, one), jensen_shannon(one, two)
    (0.0, 1.0)
    """
    _, masses1, masses2 = align(m1, m2)
    one, two = (np.maximum(masses.astype(np.float64), 0) for masses in (masses1, masses2))
    total = one + two
    # Rounding can give -1e-17 for equal masses.
    return scalar(np.maximum((_gain(one, total) + _gain(two, total)) / 2, 0.0))


def _gain(masses: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    present = masses > 0
    ratio = np.where(present, 2 * masses / np.where(present, total, 1), 1)
    return np.asarray((masses * np.log2(ratio)).sum(axis=0))


_TABLES = get_args(tables.TableKind)


def jousselme(m1: MassFunction, m2: MassFunction) -> Any:
    """Jousselme's distance, Euclidean, with focal sets similar by |A & B| / |A | B|.

    Parameters
    ----------
    m1, m2 : MassFunction
        On one frame; batches broadcast. Subnormal ones are not normalized: the empty set is similar
        only to itself.

    Returns
    -------
    float, or array of the batch shape
        From 0 to 1; a metric.

    Raises
    ------
    FrameError
        If frames differ.

    References
    ----------
    Jousselme, Grenier & Bosse (2001), A new distance between two bodies of evidence,
    Information Fusion 2; Bouchard, Jousselme & Dore (2013) prove that it is a metric.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> one = MassFunction.from_dict(frame, {"ant": 1})
    >>> jousselme(one, MassFunction.from_dict(frame, {"bee": 1}))
    1.0
    >>> round(jousselme(one, MassFunction.from_dict(frame, {frame: 1})), 4)
    0.7071
    """
    focal, masses1, masses2 = align(m1, m2)
    return _quadratic(bits.overlap(focal), masses1, masses2)


def _quadratic(
    similarity: NDArray[np.float64], masses1: NDArray[Any], masses2: NDArray[Any]
) -> Any:
    """Square root of half of d' S d, with d the difference of the masses."""
    difference = (masses1 - masses2).astype(np.float64)
    squares = (difference * setwise.weighted_sum(similarity, difference)).sum(axis=0) / 2
    if (squares < -1e-9).any():
        raise DSTheoryError(
            f"a squared distance is {squares.min():.3g}: Hausdorff similarities of sets with gaps "
            "need not be positive definite; another scale may help, or use jousselme"
        )
    return scalar(np.sqrt(np.maximum(squares, 0)))


def hausdorff(
    m1: MassFunction, m2: MassFunction, positions: Numbers | None = None, *, scale: float = 1.0
) -> Any:
    """Jousselme's distance with focal sets similar by their Hausdorff distance.

    References
    ----------
    Sunberg & Rogers (2013), A belief function distance metric for orderable sets,
    Information Fusion 14.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame([1, 2, 3, 4])
    >>> one, two, four = (MassFunction.from_dict(frame, {k: 1}) for k in (1, 2, 4))
    >>> round(hausdorff(one, two), 4), round(hausdorff(one, four), 4)
    (0.7071, 0.866)
    """
    focal, masses1, masses2 = align(m1, m2)
    places = _positions(positions, m1.frame)
    check_above_zero(scale=scale)
    distances = _hausdorff_distances(bits.members(focal, len(places)).T, places)
    with np.errstate(over="ignore"):  # the farthest sets have nothing in common
        likeness = 1 / (1 + float(scale) * distances)
    return _quadratic(likeness, masses1, masses2)


def _positions(positions: Numbers | None, frame: Frame) -> NDArray[np.float64]:
    size = len(frame)
    given = np.arange(size) if positions is None else positions
    places = as_floats(given, "positions")
    check_label_order(given, frame, "positions")
    if places.shape != (size,):
        raise ValueError(f"positions have shape {places.shape}, expected ({size},)")
    if not np.isfinite(places).all():
        raise ValueError(f"position {np.flatnonzero(~np.isfinite(places))[0]} is not finite")
    return places


def _hausdorff_distances(
    inside: NDArray[np.bool_], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Hausdorff distances (F, F) of sets (F, K); the empty set is infinitely far from others."""
    gaps = np.abs(places[:, np.newaxis] - places)
    # Distance of each label to each set (F, K), infinite to the empty set.
    to_set = np.where(inside[:, np.newaxis, :], gaps, np.inf).min(axis=2)
    # One-sided: the farthest label of A (rows) from B (columns); -inf for empty A.
    sided = np.array([np.where(row, to_set, -np.inf).max(axis=1) for row in inside])
    both = np.maximum(sided, sided.T)
    return np.asarray(np.where(np.isneginf(both), 0.0, both))  # both empty


def table_distance(
    m1: MassFunction,
    m2: MassFunction,
    table: tables.TableKind = "m",
    p: float = 2,
) -> Any:
    """Minkowski distance of two tables over all subsets, Euclidean by default.

    References
    ----------
    Cuzzolin (2008), Two new Bayesian approximations of belief functions based on convex
    geometry; Jousselme & Maupin (2012).

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> one, two = (MassFunction.from_dict(frame, {label: 1}) for label in frame)
    >>> table_distance(one, two, p=1), table_distance(one, two, "pl", p=float("inf"))
    (2.0, 1.0)
    """
    check_choice("table", table, _TABLES)
    order = as_real("p", p)
    if not order >= 1:
        raise ValueError(f"p is {p}, but an order is at least 1")
    if table == "m":
        _, masses1, masses2 = align(m1, m2)
        difference = masses1 - masses2
    else:
        check_masses(m1, m2)
        difference = np.moveaxis(tables.table(m1, table) - tables.table(m2, table), -1, 0)
    return scalar(np.asarray(np.linalg.norm(difference.astype(np.float64), ord=order, axis=0)))


def tessem(m1: MassFunction, m2: MassFunction) -> Any:
    """Largest difference of the pignistic probabilities of any event.

    Notes
    -----
    The event of all labels with a positive difference attains the maximum, so no search over events
    is needed.

    References
    ----------
    Tessem (1993), Approximations for efficient computation in the theory of evidence,
    Artificial Intelligence 61.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> tessem(MassFunction.from_dict(frame, {"ant": 1}), MassFunction.from_dict(frame, {frame: 1}))
    0.5
    """
    check_masses(m1, m2)
    gains = betp(m1) - betp(m2)
    return scalar(np.maximum(gains, 0).sum(axis=-1))


def bhattacharyya(m1: MassFunction, m2: MassFunction) -> Any:
    """Square root of 1 minus the sum of sqrt(m1(A) m2(A)).

    Notes
    -----
    Computed as the square root of half the sum of (sqrt m1(A) - sqrt m2(A))^2. This is equal for
    masses that sum to 1, and accurate for small distances.

    References
    ----------
    Ristic & Smets (2006), The TBM global distance measure for the association of uncertain
    combat ID declarations, Information Fusion 7.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> one, two = (MassFunction.from_dict(frame, {label: 1}) for label in frame)
    >>> bhattacharyya(one, one), bhattacharyya(one, two)
    (0.0, 1.0)
    """
    _, masses1, masses2 = align(m1, m2)
    roots1, roots2 = (np.sqrt(np.maximum(s.astype(np.float64), 0)) for s in (masses1, masses2))
    return scalar(np.sqrt(((roots1 - roots2) ** 2).sum(axis=0) / 2))


DistanceKind = Literal[
    "jousselme", "hausdorff", "bhattacharyya", "jensen_shannon", "tessem",
    "m", "bel", "pl", "q", "b",
]  # fmt: skip

_OF_MASSES: dict[str, Callable[[MassFunction, MassFunction], Any]] = {
    "jousselme": jousselme,
    "bhattacharyya": bhattacharyya,
    "jensen_shannon": jensen_shannon,
    "tessem": tessem,
}


def distance(
    m1: MassFunction,
    m2: MassFunction,
    kind: DistanceKind = "jousselme",
    *,
    positions: ArrayLike | None = None,
    scale: float = 1.0,
    p: float = 2.0,
) -> Any:
    r"""How far two beliefs are apart.

    Parameters
    ----------
    m1, m2 : MassFunction
        On one frame; batches broadcast.
    kind : str
        ========================================= ==============================================
        ``"jousselme"``                           Euclidean, with focal sets similar by their
                                                  overlap, as Jaccard's index of sets [1]_
        ``"hausdorff"``                           the same, similar by their distance on a scale
                                                  of ordered labels [2]_
        ``"tessem"``                              the largest difference of the pignistic
                                                  probabilities of an event [3]_
        ``"bhattacharyya"``                       of the masses set by set, as of probabilities
                                                  (Hellinger's) [4]_
        ``"jensen_shannon"``                      divergence of these, in bits [5]_
        ``"m", "bel", "pl", "q", "b"``            Minkowski distance of these tables of all sets
        ========================================= ==============================================
    positions : (K,) array, optional
        Of "hausdorff": the place of each label. Default: 0, 1, 2, ... in the order of the frame.
    scale : float, positive
        Of "hausdorff": sets at distance H have the similarity 1 / (1 + scale H).
    p : float, at least 1
        Of tables: the power of the norm; infinity for the largest difference.

    Returns
    -------
    number, or array of the batch shape

    Raises
    ------
    FrameError
        If the frames differ.
    TotalConflictError
        Of "tessem": if all mass of a row is on the empty set.
    ValueError
        If the kind is unknown, or an option does not fit the kind, or is out of its range.

    References
    ----------
    .. [1] Jousselme, Grenier & Bosse, Information Fusion 2, 2001.
    .. [2] Sunberg & Rogers, Information Fusion 14, 2013.
    .. [3] Tessem, Artificial Intelligence 61, 1993.
    .. [4] Ristic & Smets, Information Fusion 7, 2006.
    .. [5] Xiao, Information Fusion 46, 2019.

    Examples
    --------
    >>> from dstheory import Frame, categorical
    >>> frame = Frame(["a", "b", "c"])
    >>> distance(categorical(frame, "a"), categorical(frame, "b"))
    1.0
    >>> distance(categorical(frame, "a"), categorical(frame, ["a", "b"]), "pl", p=1)
    2.0
    """
    check_choice("kind", kind, get_args(DistanceKind))
    power, size = as_real("p", p, "a number from 1"), as_real("scale", scale, "a positive number")
    if kind != "hausdorff" and (positions is not None or size != 1):
        raise ValueError(f"positions and scale belong to the kind 'hausdorff', not to {kind!r}")
    if kind not in _TABLES and power != 2:
        raise ValueError(f"p belongs to the kinds {', '.join(_TABLES)}, not to {kind!r}")
    if kind == "hausdorff":
        return hausdorff(m1, m2, positions, scale=scale)
    if kind in _OF_MASSES:
        return _OF_MASSES[kind](m1, m2)
    table: Any = kind
    return table_distance(m1, m2, table, p)
