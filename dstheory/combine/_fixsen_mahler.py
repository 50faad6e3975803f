"""Modified Dempster's rule: agreement counts by how surprising it is under a prior.

Two sources that agree on a set of small prior probability confirm each other more than
two that agree on a likely one. Fixsen & Mahler 1997.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._masses import batch_of
from dstheory.checks.arguments import check_label_order
from dstheory.combine._orthogonal import TotalConflict, settled
from dstheory.combine.sources import (
    any_exact,
    as_weights,
    combination_rule,
    refuse_subnormal,
)
from dstheory.errors import MassError
from dstheory.kernels import bits, setwise
from dstheory.kernels.batches import stretch
from dstheory.kernels.limits import fold_order
from dstheory.kernels.orthogonal import (
    Agreed,
    least_positive,
    log_fold,
    normalized,
    normalized_logs,
    orthogonal_sum,
)
from dstheory.kernels.pairwise import SMALL_TOTAL, logarithms
from dstheory.mass import MassFunction

# Below this, the quotient of two masses by their prior probabilities may exceed 1e308.
_SMALL_CHANCE = 1e-100


@combination_rule
def fixsen_mahler(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    prior: ArrayLike | None = None,
    total_conflict: TotalConflict = "error",
) -> MassFunction:
    """Modified Dempster's rule of Fixsen and Mahler, with a prior probability P.

    m(C) is proportional to the sum of m1(A) m2(B) P(C) / (P(A) P(B)) over A ∩ B = C.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.
    prior : (K,) array, optional
        Probability of each label, in the order of the frame; uniform if not given.
    total_conflict : {"error", "vacuous", "nan"}
        What to return for rows in which the sources exclude each other: an error, the vacuous mass
        function, or masses that are not numbers.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    TotalConflictError
        If the sources exclude each other; the message names the rows.
    CostLimitError
        If there are too many focal sets or pairs of them.
    MassError
        If a source gives mass to the empty set or to a set without prior probability.
    ValueError
        If `prior` is not a probability distribution on the frame.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative and associative; the vacuous mass function is neutral. On Bayesian mass
    functions that are posteriors under the prior it is Bayes' rule.

    References
    ----------
    Fixsen, D. & Mahler, R. P. S. (1997). The modified Dempster-Shafer approach to
    classification. IEEE Transactions on Systems, Man and Cybernetics A 27(1), 96-104.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": Fraction(1, 2), frame: Fraction(1, 2)})
    >>> fixsen_mahler(m1, m1, prior=[Fraction(1, 4), Fraction(3, 4)])
    MassFunction on {a, b}
      {a}     6/7
      {a, b}  1/7
    """
    sources = (m1, m2, *more)
    frame, exact = m1.frame, any_exact(sources)
    refuse_subnormal("the modified rule", *sources)
    check_label_order(prior, frame.labels, "prior probabilities")
    chances = as_weights(prior, sources, len(frame), "prior probabilities", "labels")
    if chances.ndim > 1:
        raise ValueError(f"prior probabilities have shape {chances.shape}, expected one axis")
    parts = [_possible(m, chances, number) for number, m in enumerate(sources, start=1)]
    order = fold_order("fixsen_mahler", [focal for focal, _ in parts], len(frame), exact=exact)
    parts = [parts[i] for i in order]
    least = min(chance for chance in chances.tolist() if chance > 0)
    scaled = [
        (focal, store * (least / _chances_of(focal, chances, store))) for focal, store in parts
    ]
    if exact or chances.dtype == object or _is_safe(scaled, least):
        agreed = orthogonal_sum(scaled)
        masses = _chances_of(agreed.focal, chances, agreed.masses) * agreed.masses
        agreed = normalized(agreed.focal, masses)
    else:
        agreed = _by_logarithms(batch_of(*sources), parts, chances)
    return settled(frame, agreed, total_conflict)


_Part = tuple[NDArray[Any], NDArray[Any]]


def _is_safe(parts: list[_Part], least: float) -> bool:
    """Whether products of masses by prior probabilities stay far within the range of floats."""
    low = math.prod(least_positive(store) for _, store in parts)
    return low >= SMALL_TOTAL and least >= _SMALL_CHANCE


def _chances_of(focal: NDArray[Any], chances: NDArray[Any], like: NDArray[Any]) -> NDArray[Any]:
    """Prior probability of each set, shaped to multiply masses (F, *batch)."""
    values = setwise.weighted_sum(bits.members(focal, len(chances)).T, chances)
    return values.reshape(len(focal), *(1,) * (like.ndim - 1))


def _possible(m: MassFunction, chances: NDArray[Any], number: int) -> _Part:
    """Focal sets and masses, without the sets of prior probability 0; these must have no mass."""
    values = _chances_of(m.focal, chances, m.store)
    impossible = np.asarray(values == 0, dtype=bool).ravel()
    if np.asarray(m.store[impossible] != 0, dtype=bool).any():
        event = m.frame.event(int(m.focal[impossible][0]))
        raise MassError(f"source {number} gives mass to {event!r}, which is impossible a priori")
    return m.focal[~impossible], m.store[~impossible]


def _by_logarithms(batch: tuple[int, ...], parts: list[_Part], chances: NDArray[Any]) -> Agreed:
    """The same with logarithms: quotients by tiny probabilities leave the range of floats."""
    wide = [(focal, logarithms(stretch(store, batch))) for focal, store in parts]
    focal, logs, _ = log_fold(
        [(focal, log - np.log(_chances_of(focal, chances, log))) for focal, log in wide]
    )
    return normalized_logs(focal, logs + np.log(_chances_of(focal, chances, logs)))
