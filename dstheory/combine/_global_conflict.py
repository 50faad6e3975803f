"""Rules that combine conjunctively, then distribute the whole conflict at once.

Lefevre et al. write many rules as m(A) = m∩(A) + share(A) m∩(∅). Yager gives all conflict to the
frame; Inagaki divides it between the frame and the other sets in a chosen ratio. The conjunctive
rule combines all sources before the conflict is distributed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, collect
from dstheory._typing import Numbers
from dstheory.combine._boolean import conjunctive
from dstheory.combine.sources import check_sources, combination_rule, match_numbers, nonempty
from dstheory.kernels.batches import stretch
from dstheory.kernels.rows import refuse_rows
from dstheory.mass import MassFunction


@combination_rule
def yager(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine conjunctively and move the conflict to the frame (Yager's rule).

    m(A) = m∩(A) for A other than ∅ and the frame, m(frame) = m∩(frame) + m∩(∅).

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative, not associative (quasi-associative): combine all sources in one call.
    The vacuous mass function is neutral for normalized sources.

    References
    ----------
    Yager, R. R. (1987). On the Dempster-Shafer framework and new combination rules.
    Information Sciences 41, 93-137.

    Examples
    --------
    Zadeh's example:

    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, "c": 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, "c": 0.5})
    >>> yager(m1, m2)
    MassFunction on {a, b, c}
      {c}        0.25
      {a, b, c}  0.75
    """
    frame = m1.frame
    agreed = conjunctive(m1, m2, *more)
    sets = np.where(agreed.focal == 0, frame.full, agreed.focal)
    return collect(frame, (sets, agreed.store))


@combination_rule
def inagaki(m1: MassFunction, m2: MassFunction, *more: MassFunction, k: Numbers) -> MassFunction:
    """Combine by Inagaki's rule, from Yager's (k = 0) through Dempster's to the extreme rule.

    m(A) = (1 + k κ) m∩(A) for A other than ∅ and the frame, where κ = m∩(∅);
    m(frame) = (1 + k κ) m∩(frame) + (1 + k κ - k) κ.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.
    k : number, or array of the batch shape
        From 0 to 1 / (1 - κ - m∩(frame)), which is at least 1. Dempster's rule is k = 1 / (1 - κ).
        With the largest k, the frame receives none of the conflict.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    ValueError
        If `k` lies outside its range.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative, not associative: combine all sources in one call.

    References
    ----------
    Inagaki, T. (1991). Interdependence between safety-control policy and multiple-sensor
    schemes via Dempster-Shafer theory. IEEE Transactions on Reliability 40(2), 182-188.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": Fraction(1, 2), frame: Fraction(1, 2)})
    >>> m2 = MassFunction.from_dict(frame, {"b": Fraction(1, 2), frame: Fraction(1, 2)})
    >>> inagaki(m1, m2, k=1)
    MassFunction on {a, b}
      {a}     5/16
      {b}     5/16
      {a, b}  3/8
    """
    frame = m1.frame
    agreed = conjunctive(m1, m2, *more)
    shares = match_numbers(k, (m1, m2, *more))
    batch = np.broadcast_shapes(agreed.batch_shape, shares.shape)
    focal, store = nonempty(agreed, batch)
    kappa, on_frame = agreed.mass(mask=0), agreed.mass(mask=frame.full)
    kept = store.sum(axis=0)
    _check_k(shares, kept - on_frame)
    # 1 + k kappa - k is computed from the sum of the non-empty masses, so no digits cancel.
    to_frame = np.broadcast_to((1 - shares * kept) * kappa, batch)
    full = np.array([frame.full], dtype=focal.dtype)
    return collect(frame, (focal, store, 1 + shares * kappa), (full, to_frame[np.newaxis]))


def _check_k(k: NDArray[Any], specific: NDArray[Any]) -> None:
    bad = np.asarray(k != k, dtype=bool) | np.asarray(k < 0, dtype=bool)
    if np.asarray(k > 1, dtype=bool).any():  # k <= 1 is always allowed
        bad = bad | np.asarray(k * specific > 1, dtype=bool)
    fault, advice = (
        "k lies outside [0, 1 / (1 - kappa - m(frame))]",
        "k from 0 to 1 is always allowed",
    )
    refuse_rows(bad, fault, advice, ValueError)


@combination_rule
def lefevre(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    share: MassFunction | Callable[..., MassFunction],
) -> MassFunction:
    """Combine by a weighting function that distributes the conflict (Lefevre et al.).

    m(A) = m∩(A) + share(A) m∩(∅), for A not empty.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.
    share : MassFunction or callable
        The share of the conflict that each set receives: a mass function, or a rule that computes
        one from the same sources. A vacuous share is Yager's rule, `share=dempster` is Dempster's,
        `share=mixing` is the weighted average operator, and m(∅) = 1 keeps the conflict.

    Returns
    -------
    MassFunction

    Raises
    ------
    FrameError
        If the frames differ.
    TypeError
        If a source, or the share, is not a mass function.

    References
    ----------
    Lefevre, E., Colot, O. & Vannoorenberghe, P. (2002). Belief function combination and
    conflict management. Information Fusion 3(2), 149-162.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.combine import mixing
    >>> frame = Frame(["a", "b", "c"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, "c": 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, "c": 0.5})
    >>> lefevre(m1, m2, share=mixing)
    MassFunction on {a, b, c}
      {a}  0.1875
      {b}  0.1875
      {c}  0.625
    """
    to = share if isinstance(share, MassFunction) or not callable(share) else share(m1, m2, *more)
    frame = check_sources(m1, m2, *more, to)
    agreed = conjunctive(m1, m2, *more)
    batch = batch_of(agreed, to)
    conflict = np.broadcast_to(agreed.mass(mask=0), batch)
    shares = match_numbers(stretch(to.store, batch), (m1, m2, *more))
    return collect(frame, nonempty(agreed, batch), (to.focal, shares, conflict))
