"""Credal partitions from intervals of the probability that two samples are in the same cluster.

Mixtures are fitted to bootstrap samples; percentiles of the probability of each pair over them are
its interval. The masses are those whose beliefs and plausibilities of "same cluster" have the least
squared differences from these intervals: one sample after another takes its best masses, which is a
least-squares problem on a simplex. Sources: Denoeux (2020), Calibrated model-based evidential
clustering using bootstrapping, Information Sciences 528, 17-45; ter Braak, Kourmpetis, Kiers & Bink
(2009), Approximating a similarity matrix by a latent class model: A reappraisal of additive fuzzy
clustering, Computational Statistics & Data Analysis 53(8), 3183-3193.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import nnls

from evical._typing import Floats

__all__ = ["Pairs", "best_row", "fit_masses", "masses_beside", "percentiles"]


def percentiles(one: Floats, posteriors: Floats, confidence: float) -> Floats:
    """Percentile intervals (n, 2) of the probability to be in the cluster of each sample.

    Parameters
    ----------
    one : (c, B) array
        Posterior probabilities of one sample, by B mixtures.
    posteriors : (c, n, B) array
        Of the others.
    confidence : float

    Returns
    -------
    (n, 2) array
    """
    together = one[0] * posteriors[0]
    for mine, theirs in zip(one[1:], posteriors[1:], strict=True):
        together += mine * theirs
    tail = (1 - confidence) / 2
    bounds = np.quantile(together, [tail, 1 - tail], axis=-1)
    return np.asarray(np.clip(bounds, 0, 1).T)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Which pairs of sets are "same", which are "different", for sure.

    Parameters
    ----------
    members : (F, c) array
        1 where a focal set contains a cluster; no set is empty.
    """

    members: Floats

    @cached_property
    def same(self) -> Floats:
        """1 for a single cluster and itself, (F, F)."""
        return np.diag((self.members.sum(axis=1) == 1).astype(np.float64))

    @cached_property
    def different(self) -> Floats:
        """1 for sets that do not meet, (F, F)."""
        return np.asarray(self.members @ self.members.T == 0, dtype=np.float64)

    def interval(self, masses: Floats) -> Floats:
        """[Bel, Pl] (n, n, 2) of "same cluster"."""
        bel = masses @ self.same @ masses.T
        return np.stack([bel, 1 - masses @ self.different @ masses.T], axis=-1)


def best_row(gram: Floats, pull: Floats, total: float) -> Floats:
    """Masses m >= 0 of sum 1 with the least m'Gm - 2 p'm, for G and p of a least-squares problem.

    On the simplex, |Am - b|^2 = |(A - b1')m|^2, and without the sum, the least |(A - b1')m|^2 +
    (1'm - 1)^2 is at a multiple of the same m: non-negative least squares.

    Parameters
    ----------
    gram : (F, F) array
        A'A.
    pull : (F,) array
        A'b.
    total : float
        b'b.

    Returns
    -------
    (F,) array

    Examples
    --------
    >>> best_row(np.eye(3), np.array([0.9, 0.3, -0.5]), 1.15).round(9)
    array([0.8, 0.2, 0. ])
    """
    shifted = gram - pull - pull[:, np.newaxis] + total
    values, vectors = np.linalg.eigh(shifted)
    root = np.sqrt(np.maximum(values, 0))[:, np.newaxis] * vectors.T
    scale = root.max() or 1.0
    system = np.vstack([root / scale, np.ones(len(pull))])
    found = nnls(system, np.append(np.zeros(len(pull)), 1.0), maxiter=100 * len(pull))[0]
    return np.asarray(found / found.sum())


def fit_masses(
    pairs: Pairs, interval: Floats, masses: Floats, tol: float, max_iter: int
) -> tuple[Floats, list[float]]:
    """Masses whose [Bel, Pl] of pairs are nearest to intervals.

    Parameters
    ----------
    pairs : Pairs
    interval : (n, n, 2) array
        Symmetric; a sample and itself do not count.
    masses : (n, F) array
        To start from.
    tol : float
        Ends when the stress falls by less than this share.
    max_iter : int

    Returns
    -------
    masses : (n, F) array
    stress : list of float
        Sum of squared differences over pairs, after each sweep.
    """
    masses = masses.copy()
    same, apart = interval[:, :, 0].copy(), 1 - interval[:, :, 1]
    np.fill_diagonal(same, 0)
    np.fill_diagonal(apart, 0)
    stress = [_stress(pairs, same, apart, masses)]
    while len(stress) <= max_iter:
        whole = masses.T @ masses
        for i in range(len(masses)):
            whole -= np.outer(masses[i], masses[i])
            gram, pull, total = _row(pairs, whole, masses, same[i], apart[i])
            found = best_row(gram, pull, total)
            if _gain(gram, pull, masses[i], found) > 0:
                masses[i] = found
            whole += np.outer(masses[i], masses[i])
        stress.append(_stress(pairs, same, apart, masses))
        if stress[-2] - stress[-1] <= tol * stress[-2]:
            break
    return masses, stress


def _row(
    pairs: Pairs, whole: Floats, masses: Floats, same: Floats, apart: Floats
) -> tuple[Floats, Floats, float]:
    """The least-squares problem of a sample: A'A, A'b and b'b; targets of itself are 0."""
    one, other = pairs.same, pairs.different
    gram = one @ whole @ one + other @ whole @ other
    pull = one @ (same @ masses) + other @ (apart @ masses)
    return gram, pull, float(same @ same + apart @ apart)


def _gain(gram: Floats, pull: Floats, before: Floats, after: Floats) -> float:
    gap = before - after
    return float(gap @ (gram @ (before + after) - 2 * pull))


def _stress(pairs: Pairs, same: Floats, apart: Floats, masses: Floats) -> float:
    off = ~np.eye(len(masses), dtype=bool)
    one = (masses @ pairs.same @ masses.T - same)[off]
    other = (masses @ pairs.different @ masses.T - apart)[off]
    return float(one @ one + other @ other) / 2


def masses_beside(pairs: Pairs, interval: Floats, masses: Floats) -> Floats:
    """Masses (F,) of a new sample, from its intervals (n, 2) with samples of given masses."""
    same, apart = interval[:, 0], 1 - interval[:, 1]
    return best_row(*_row(pairs, masses.T @ masses, masses, same, apart))
