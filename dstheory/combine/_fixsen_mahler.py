"""Modified Dempster's rule: agreement counts by how surprising it is under a prior.

Two sources that agree on a set of small prior probability confirm each other more than
two that agree on a likely one. Fixsen & Mahler 1997.
"""

from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._checks import SUM_TOLERANCE
from dstheory._masses import batch_of
from dstheory.combine.sources import (
    any_exact,
    check_sources,
    combination_rule,
    match_numbers,
    refuse_subnormal,
)
from dstheory.errors import MassError
from dstheory.kernels import bits, setwise
from dstheory.kernels.batches import stretch
from dstheory.kernels.pairwise import agreement, log_agreement, logarithms, refuse_total_conflict
from dstheory.mass import MassFunction

__all__ = ["fixsen_mahler"]

# Below this, the quotient of two masses by their prior probabilities may exceed 1e308.
_SMALL_CHANCE = 1e-100


@combination_rule
def fixsen_mahler(
    m1: MassFunction, m2: MassFunction, *more: MassFunction, prior: ArrayLike | None = None
) -> MassFunction:
    """Modified Dempster's rule of Fixsen and Mahler, with a prior probability P.

    m(C) is proportional to the sum of m1(A) m2(B) P(C) / (P(A) P(B)) over A ∩ B = C.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.
    prior : (K,) array, optional
        Probability of each label, in the order of the frame; uniform if not given.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    TotalConflictError
        If the sources exclude each other; the message names the rows.
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
    frame = check_sources(*sources)
    refuse_subnormal("the modified rule", *sources)
    chances = _checked_prior(sources, prior)
    parts = [_possible(m, chances, number) for number, m in enumerate(sources, start=1)]
    if not any_exact(sources) and chances.dtype != object and _least(chances) < _SMALL_CHANCE:
        return _by_logarithms(sources, parts, chances)
    focal, store = reduce(_met, [(f, s / _chances_of(f, chances, s)) for f, s in parts])
    store = _chances_of(focal, chances, store) * store
    total = np.asarray(store.sum(axis=0))
    refuse_total_conflict(total)
    return MassFunction.from_store(frame, focal, np.asarray(store / total))


_Part = tuple[NDArray[Any], NDArray[Any]]


def _met(one: _Part, two: _Part) -> _Part:
    focal, store, total = agreement(*one, *two)
    refuse_total_conflict(total)  # scaled, so that many sources do not underflow
    return focal.copy(), np.asarray(store / total)


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


def _least(chances: NDArray[Any]) -> float:
    return float(chances.min(initial=1, where=chances > 0))


def _by_logarithms(
    sources: tuple[MassFunction, ...], parts: list[_Part], chances: NDArray[Any]
) -> MassFunction:
    """The same with logarithms: quotients by tiny probabilities leave the range of floats."""
    batch = batch_of(*sources)
    wide = [(focal, logarithms(stretch(store, batch))) for focal, store in parts]
    logs = [(focal, log - np.log(_chances_of(focal, chances, log))) for focal, log in wide]
    focal, met = reduce(log_agreement, logs)
    met = met + np.log(_chances_of(focal, chances, met))
    top = met.max(axis=0, initial=-np.inf)
    refuse_total_conflict(np.isfinite(top).astype(np.float64))
    masses = np.exp(met - top)
    return MassFunction.from_store(sources[0].frame, focal, np.asarray(masses / masses.sum(axis=0)))


def _checked_prior(sources: tuple[MassFunction, ...], prior: ArrayLike | None) -> NDArray[Any]:
    size = len(sources[0].frame)
    if prior is None:
        return np.full(size, Fraction(1, size) if any_exact(sources) else 1 / size)
    array = match_numbers(prior, sources)
    if array.shape != (size,):
        raise ValueError(f"prior has shape {array.shape}, but the frame has {size} labels")
    if not np.asarray(array >= 0, dtype=bool).all():
        raise ValueError(f"prior probabilities are {prior!r}, expected non-negative")
    if not abs(array.sum() - 1) <= SUM_TOLERANCE:
        raise ValueError(f"prior probabilities sum to {array.sum()}, not 1")
    return array
