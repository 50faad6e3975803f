"""Probability intervals: coherence, natural extension, and the belief function they define.

Intervals on single labels define the set of all probabilities within them. The lower envelope of
this set is 2-monotone but not always a belief function (de Campos, Huete & Moral 1994, Probability
intervals: a tool for uncertain reasoning, Int. J. Uncertainty, Fuzziness and Knowledge-Based
Systems 2, 167-196).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import (
    check_atol,
    check_label_order,
    check_rows,
    common_shape,
    last_labels,
)
from dstheory.construct.tables import from_table
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels import predicates
from dstheory.kernels.rows import in_row
from dstheory.mass import MassFunction


def natural_extension(
    lower: Numbers, upper: Numbers, *, atol: float = 1e-12
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The tightest intervals that contain the same probabilities.

    Parameters
    ----------
    lower, upper : (*batch, K) arrays
        Bounds of the probability of each label; shapes broadcast.
    atol : float
        How far the sums of float bounds may stray from 1.

    Returns
    -------
    lower, upper : (*batch, K) arrays
        Some probability within the intervals attains each bound (coherence).

    Raises
    ------
    MassError
        If a bound does not lie between 0 and 1, a lower bound is above its upper bound, or
        no probability lies within the intervals of a row (sure loss).
    TypeError
        If a bound is not a number.

    References
    ----------
    de Campos, Huete & Moral (1994), on reachable intervals; Walley (1991), Statistical
    Reasoning with Imprecise Probabilities.

    Examples
    --------
    >>> lower, upper = natural_extension([0.5, 0.25, 0], [1, 1, 1])
    >>> lower, upper
    (array([0.5 , 0.25, 0.  ]), array([0.75, 0.5 , 0.25]))
    """
    check_atol(atol)
    low, high = _bounds(lower, upper, atol)
    return _tightened(low, high)


def lower_envelope(lower: Numbers, upper: Numbers, *, atol: float = 1e-12) -> NDArray[Any]:
    """Lower probability of every set, given intervals for the labels.

    Parameters
    ----------
    lower, upper : (*batch, K) arrays
        Bounds of the probability of each label; shapes broadcast.
    atol : float
        How far the sums of float bounds may stray from 1.

    Returns
    -------
    (*batch, 2**K) array
        Indexed by mask. For the tightened intervals, it is the larger of two numbers: the sum of
        the lower bounds in A, and 1 minus the sum of the upper bounds outside A.

    Raises
    ------
    MassError
        As for `natural_extension`.
    DSTheoryError
        If K is above 26.
    TypeError
        If a bound is not a number.

    References
    ----------
    de Campos, Huete & Moral (1994), Probability intervals: a tool for uncertain reasoning.

    Examples
    --------
    >>> lower_envelope([0.5, 0.25, 0], [1, 1, 1])
    array([0.  , 0.5 , 0.25, 0.75, 0.  , 0.5 , 0.25, 1.  ])
    """
    check_atol(atol)
    low, high = _bounds(lower, upper, atol)
    return _envelope(*_tightened(low, high))


def from_probability_intervals(
    frame: Frame, lower: Numbers, upper: Numbers, *, atol: float = 1e-12
) -> MassFunction:
    """The belief function that is the lower envelope of coherent probability intervals.

    Parameters
    ----------
    frame : Frame
        K labels.
    lower, upper : (*batch, K) arrays
        Bounds of the probability of each label; shapes broadcast.
    atol : float
        How far float bounds may stray from coherence. Float masses within `atol` of zero
        are rounding noise and dropped.

    Returns
    -------
    MassFunction
        Bel and Pl of each label are its bounds.

    Raises
    ------
    MassError
        If a bound does not lie between 0 and 1 or no probability lies within the intervals;
        if they are not coherent (tighten them by `natural_extension`); or if the envelope is not a
        belief function, which can happen with three or more labels.
    DSTheoryError
        If K is above 26.
    TypeError
        If `frame` is not a Frame, or a bound is not a number.

    References
    ----------
    de Campos, Huete & Moral (1994); Lemmer & Kyburg (1991), Conditions for the existence of
    belief functions corresponding to intervals of belief, AAAI-91.

    Examples
    --------
    >>> from_probability_intervals(Frame(["ant", "bee"]), [0.5, 0.25], [0.75, 0.5]).to_dict()
    {('ant',): 0.5, ('bee',): 0.25, ('ant', 'bee'): 0.25}
    """
    check_atol(atol)
    size = len(checks.as_frame(frame))
    for bounds in (lower, upper):
        check_label_order(bounds, frame.labels, "bounds")
    low, high = _bounds(lower, upper, atol)
    if low.shape[-1] != size:
        raise MassError(f"bounds have shape {low.shape}, but the frame has {size} labels")
    tight = _tightened(low, high)
    _check_coherent(frame, low, tight[0], "lower", atol)
    _check_coherent(frame, high, tight[1], "upper", atol)
    try:
        return from_table(frame, _envelope(*tight), "b", atol=atol)
    except MassError as error:
        raise MassError(
            f"the lower envelope of the intervals is 2-monotone, but {error}; "
            "decide by dstheory.decide.CredalSet.from_intervals, or widen the intervals"
        ) from error


def _bounds(lower: Numbers, upper: Numbers, atol: float) -> tuple[NDArray[Any], NDArray[Any]]:
    ends = checks.as_masses(lower), checks.as_masses(upper)
    common_shape("bounds", *(end.shape for end in ends), error=MassError)
    check_label_order(upper, last_labels(lower), "upper bounds")
    check_rows(lower=lower, upper=upper)
    low, high = np.broadcast_arrays(*ends)
    if low.ndim == 0 or low.shape[-1] == 0:
        raise MassError(f"bounds have shape {low.shape}, but their last axis runs over labels")
    checks.check_shares(low, "lower bound")
    checks.check_shares(high, "upper bound")
    crossed = predicates.below(high - low, atol)
    if crossed.any():
        place = np.argwhere(crossed)[0]
        raise MassError(
            f"lower bound {low[tuple(place)]}{in_row(place[:-1])} is above its upper bound "
            f"{high[tuple(place)]}"
        )
    total, most = low.sum(axis=-1), high.sum(axis=-1)
    _refuse_loss(predicates.below(1 - total, atol), total, "lower bounds sum to {}, more than 1")
    _refuse_loss(predicates.below(most - 1, atol), most, "upper bounds sum to {}, less than 1")
    return low, high


def _refuse_loss(wrong: NDArray[np.bool_], totals: NDArray[Any], what: str) -> None:
    if wrong.any():
        place = np.argwhere(wrong)[0]
        text = what.format(np.asarray(totals)[tuple(place)])
        raise MassError(f"{text}{in_row(place)}: no probability lies within the intervals")


def _check_coherent(
    frame: Frame, given: NDArray[Any], tight: NDArray[Any], name: str, atol: float
) -> None:
    wrong = predicates.below(-abs(given - tight), atol)
    if wrong.any():
        place = np.argwhere(wrong)[0]
        raise MassError(
            f"{name} bound {given[tuple(place)]} of {frame.labels[int(place[-1])]!r}"
            f"{in_row(place[:-1])} is not reached: the other bounds imply "
            f"{tight[tuple(place)]}; tighten the intervals by natural_extension"
        )


def _tightened(low: NDArray[Any], high: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    rest_low = low.sum(axis=-1, keepdims=True) - low
    rest_high = high.sum(axis=-1, keepdims=True) - high
    return np.asarray(np.maximum(low, 1 - rest_high)), np.asarray(np.minimum(high, 1 - rest_low))


def _envelope(low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """Lower probabilities (*batch, 2**K) from coherent bounds."""
    size = low.shape[-1]
    checks.check_table_size(size, "natural_extension needs no table")
    table = np.asarray(np.maximum(_set_sums(low), 1 - _set_sums(high)[..., ::-1]))
    table[..., 0], table[..., -1] = 0, 1  # exactly, whatever the rounding of the sums
    return table


def _set_sums(values: NDArray[Any]) -> NDArray[Any]:
    """Sums over each subset of the last axis, by doubling."""
    table = np.zeros_like(values[..., :1])
    for i in range(values.shape[-1]):
        table = np.concatenate([table, table + values[..., i : i + 1]], axis=-1)
    return table
