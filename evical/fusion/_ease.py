"""How far sources err on the same items, as the votes of them show by how the ease of items varies.

Voters who err independently of each other are as often right where the others agree as where they
do not. Classifiers of one problem are not: some items are easy for all of them, and some are hard
for all. So a voter s is taken to be right about an item of ease u ~ N(0, 1) with the probability

    1 / (1 + exp(-(b_s + sigma u)))

and otherwise to name each other class alike, as in Rasch's model of tests (1960), here with a key
that nobody knows. With sigma = 0 it is the model of Dawid & Skene (1979) with one coin for each
voter. What the votes say of sigma is their likelihood, with skills b_s at their best and the ease
and the class of each item integrated out.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from evical._typing import Flags, Floats, Indices

# Spreads sigma of the ease, the dependence that suits each (the first three: simulated voters, the
# others: classifiers on the data sets that chose the constants of `Consensus`), and the odds of
# each before any vote (the same data sets, and public crowds: bench_crowds.py). Few sources are
# independent, so their votes have to show it.
SPREADS = (0.0, 0.3, 0.6, 1.0, 2.0, 3.0)
_DEPENDENCES = np.array([0.0, 0.05, 0.45, 0.55, 0.7, 0.75])
_ODDS = np.array([0.1, 0.1, 1.0, 1.0, 1.0, 1.0])
_SKILL, _PRECISION = 1.0, 0.25  # mean and precision of the skills before any vote
_NODES = 9  # of the quadrature over the ease
# Rounds at most, Newton steps in each and their greatest length; and the gain that ends the rounds.
_STEPS, _INNER, _LONGEST, _CLOSE = 100, 2, 1.0, 0.01
_HOPELESS = 30.0  # below the best spread, beyond which wider ones are not tried
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class _Listed:
    """Votes of S voters about n items.

    Parameters
    ----------
    asked : (n, S) sparse array
        What a vote of the voter counts, where there is one.
    named : (P, S) sparse array
        The same where it names that class of that item, for each pair that somebody named.
    item : (P,) array of int
        Of each pair; it never falls.
    start : (n,) array of int
        First pair of each item.
    prior : (P,) array
        Prevalence of the class of a pair.
    rest : (n,) array
        Prevalence of all classes that nobody has named for the item.
    weight : (n,) array
    n_classes : int
    """

    asked: csr_array
    named: csr_array
    item: Indices
    start: Indices
    prior: Floats
    rest: Floats
    weight: Floats
    n_classes: int

    @classmethod
    def of(
        cls, votes: Floats, silent: Flags, share: Floats, weight: Floats, prevalence: Floats
    ) -> "_Listed":
        """As `log_likelihoods` reads them, without items about which all are silent."""
        kept = (~silent & (weight > 0)).any(axis=0)
        voter, item, code = np.nonzero(votes[:, kept] * ~silent[:, kept, np.newaxis])
        n, k = int(kept.sum()), len(prevalence)
        pairs, pair = np.unique(item * k + code, return_inverse=True)
        of_pair = pairs // k
        counted = share[voter]
        prior = prevalence[pairs % k]
        return cls(
            csr_array((counted, (item, voter)), shape=(n, len(votes))),
            csr_array((counted, (pair, voter)), shape=(len(pairs), len(votes))),
            of_pair,
            np.searchsorted(of_pair, np.arange(n)),
            prior,
            np.maximum(1 - np.bincount(of_pair, prior, n), 0),
            weight[kept],
            k,
        )

    def expected(self, right: Floats, share: Floats) -> tuple[float, Floats, Floats]:
        """Logarithm of the likelihood, and expected votes and right votes of each voter and ease.

        Parameters
        ----------
        right : (S, L) array
            Log-odds that a voter is right about an item of each ease.
        share : (L,) array
            Of the items of each ease.

        Returns
        -------
        log_likelihood : float
        asked, named : (S, L) arrays
        """
        wrong = -np.logaddexp(0, right) - np.log(self.n_classes - 1)
        ahead = self.named @ (right + np.log(self.n_classes - 1))
        most = np.maximum(np.maximum.reduceat(ahead, self.start), 0)
        odds = self.prior[:, np.newaxis] * np.exp(ahead - most[self.item])
        total = np.add.reduceat(odds, self.start) + self.rest[:, np.newaxis] * np.exp(-most)
        logs = self.asked @ wrong + most + np.log(np.maximum(total, _LEAST)) + np.log(share)
        height = logs.max(axis=1, keepdims=True)
        ease = np.exp(logs - height)
        sums = ease.sum(axis=1, keepdims=True)
        log_likelihood = float(self.weight @ (height + np.log(sums))[:, 0])
        ease *= self.weight[:, np.newaxis] / sums
        odds *= (ease / np.maximum(total, _LEAST))[self.item]
        return log_likelihood, self.asked.T @ ease, self.named.T @ odds


def log_likelihoods(
    votes: Floats, silent: Flags, share: Floats, weight: Floats, prevalence: Floats
) -> Floats:
    """Logarithm of the likelihood of each spread in `SPREADS`, with skills at their best.

    The skills b_s maximize the likelihood times the density of N(1, 4), by expectation and
    maximization; those of one spread are the start for the next.

    Parameters
    ----------
    votes : (S, n, K) array
        1 for the class that a source names, otherwise 0.
    silent : (S, n) array of bool
    share : (S,) array
        What a vote of each source counts: of two that are copies of each other, half.
    weight : (n,) array
    prevalence : (K,) array

    Returns
    -------
    (6,) array
        -inf for spreads beyond one that is hopeless.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth, ease = rng.random(500) < 0.5, rng.normal(size=500)
    >>> def found(spread):
    ...     right = rng.random((6, 500)) < 1 / (1 + np.exp(-1 - spread * ease))
    ...     votes = np.eye(2)[np.where(right, truth, ~truth).astype(int)]
    ...     silent, even = np.zeros((6, 500), dtype=bool), np.full(2, 0.5)
    ...     return log_likelihoods(votes, silent, np.ones(6), np.ones(500), even)
    >>> SPREADS[found(0).argmax()], SPREADS[found(2).argmax()]
    (0.0, 2.0)
    """
    listed = _Listed.of(votes, silent, share, weight, prevalence)
    if not len(listed.weight):
        return np.zeros(len(SPREADS))
    skill = np.full(len(votes), _SKILL)
    found = np.full(len(SPREADS), -np.inf)
    for place, spread in enumerate(SPREADS):
        ease, amount = np.polynomial.hermite_e.hermegauss(_NODES if spread else 1)
        amount /= amount.sum()
        for _ in range(_STEPS):
            right = skill[:, np.newaxis] + spread * ease
            log_likelihood, asked, named = listed.expected(right, amount)
            log_likelihood -= _PRECISION / 2 * float(((skill - _SKILL) ** 2).sum())
            gain = log_likelihood - found[place]
            found[place] = max(found[place], log_likelihood)
            if gain < _CLOSE:
                break
            for _ in range(_INNER):
                p = expit(skill[:, np.newaxis] + spread * ease)
                slope = (named - asked * p).sum(axis=1) - _PRECISION * (skill - _SKILL)
                curvature = (asked * p * (1 - p)).sum(axis=1) + _PRECISION
                skill = skill + np.clip(slope / curvature, -_LONGEST, _LONGEST)
        if found[place] < found.max() - _HOPELESS:
            break
    return found


def dependence_of(log_likelihood: Floats) -> tuple[float, float]:
    """Expected dependence of sources that vote, see `Consensus`, and its standard deviation.

    Parameters
    ----------
    log_likelihood : (6,) array
        Of each spread, see `log_likelihoods`.

    Returns
    -------
    expected : float
        From 0 to 0.75.
    deviation : float

    Examples
    --------
    >>> dependence_of(np.array([0.0, 0.0, -np.inf, -np.inf, -np.inf, -np.inf]))
    (0.025, 0.025)
    """
    shares = _ODDS * np.exp(log_likelihood - log_likelihood.max())
    shares /= shares.sum()
    expected = float(shares @ _DEPENDENCES)
    return expected, math.sqrt(shares @ (_DEPENDENCES - expected) ** 2)
