"""What sources without labels show of themselves: how they vary together.

Second moments are all that is kept of the samples, besides a sample of rows, so batches add up. A
source that follows the others is reliable, one that varies on its own is not, one that goes against
them contradicts, and two whose errors are nearly the same count as little more than one: they agree
beyond what their agreement with others explains, and far more than those others among themselves.

Sources that are nearly always right agree as copies do. If two camps contradict each other, nothing
shows which is right. So what a source has in common with the truth is read from pairs of sources
that are far from it, for both camps alike, and a camp counts as copies of one source only if the
others are less alike than it is.

How reliable all of them are together, agreement alone cannot show: sources that err on the same
samples agree as well. So the truth is taken to explain a power of each correlation only, and no
source is believed more than it says itself: calibrated probabilities p have the covariance with
the truth that they have with themselves, ``Cov(p, y) = Var(p)``. The rest is a model with one
factor, the truth, as in Parisi, Strino, Nadler & Kluger, "Ranking and combining multiple predictors
without labeled data", PNAS 111 (2014), 1253-1258.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from evical._typing import Flags, Floats, Indices
from evical.beliefs import Beliefs
from evical.beliefs.composed import Voted
from evical.fusion._rule import read

ALIKE = 0.8  # partial correlation beyond the usual above which two sources begin to count as one
_LEAST_OWN = 0.02  # variance that a source has on its own, as far as is known
_NEAR, _LEAST_PAIR = 1.5, 1e-3  # how little close pairs count for what all have in common
_JOINT = 10.0  # samples behind the mean correlation, towards which those of few samples shrink
_ALONE = 2.0  # samples behind the doubt that two sources are one; chosen like `Consensus`' others
_ERRORS = 2.0  # standard errors of correlations, within which a source may be always right
_STEPS, _CLOSE = 500, 1e-10
_BALANCED = 1e-6  # sum of loadings that is rounding
_NOTHING = 1e-12  # variance that rounding leaves to a source that always says the same
_KEPT, _CELLS = 5000, 1 << 24  # rows kept, and at most so many numbers
_VOTES, _LEAST_ROWS = 20_000, 200  # votes that show how the ease of items varies
_BLOCK = 1 << 22
Z95 = 1.96  # standard errors on each side of an interval of level 0.95


@dataclass(frozen=True, eq=False)
class Cast:
    """Votes of S sources about n items, listed one by one.

    Parameters
    ----------
    row, code, source : (m,) arrays
        Of each vote.
    shape : (int, int, int)
        Sources, items and classes.
    """

    row: Indices
    code: Indices
    source: Indices
    shape: tuple[int, int, int]

    @classmethod
    def of(cls, sources: Sequence[Beliefs]) -> Self | None:
        """The votes, if all sources have nothing else.

        Parameters
        ----------
        sources : sequence of Beliefs

        Returns
        -------
        Cast or None
        """
        votes = [one for one in sources if isinstance(one, Voted)]
        if len(votes) < len(sources):
            return None
        return cls(
            np.concatenate([one.rows for one in votes]),
            np.concatenate([one.codes for one in votes]),
            np.repeat(np.arange(len(votes)), [len(one.rows) for one in votes]),
            (len(votes), len(votes[0]), len(votes[0].classes)),
        )

    def sums(self, weights: Floats) -> Floats:
        """Weight (n, K) of the votes for each class.

        Parameters
        ----------
        weights : (S,) array

        Returns
        -------
        (n, K) array
        """
        _, n, k = self.shape
        found = np.bincount(self.row * k + self.code, weights[self.source], n * k)
        return np.asarray(found.reshape(n, k))


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over samples of the probabilities of S sources about K classes.

    Parameters
    ----------
    joint : (S, S) array
        Weight of the samples about which both sources are available.
    product : (S, S) array
        Sum over them of the inner products of their probabilities.
    total : (S, K) array
        Sum of the probabilities of a source.
    """

    joint: Floats
    product: Floats
    total: Floats

    @classmethod
    def of(cls, probabilities: Floats, silent: Flags, weight: Floats) -> Self:
        """Sums over n samples.

        Parameters
        ----------
        probabilities : (S, n, K) array
        silent : (S, n) array of bool
        weight : (n,) array

        Returns
        -------
        Moments
        """
        s, n, k = probabilities.shape
        joint, product, total = np.zeros((s, s)), np.zeros((s, s)), np.zeros((s, k))
        step = max(_BLOCK // (s * k), 1)
        for start in range(0, n, step):
            rows = slice(start, start + step)
            available = (~silent[:, rows]).astype(np.float64)
            root = np.sqrt(weight[rows])
            p = probabilities[:, rows] * (available * root)[..., np.newaxis]
            total += np.einsum("snk,n->sk", p, root)
            flat = p.reshape(s, -1)
            product += flat @ flat.T
            joint += (available * root) @ (available * root).T
        return cls(joint, product, total)

    @classmethod
    def of_votes(cls, cast: Cast, weight: Floats) -> Self:
        """The same of votes, in time that grows with pairs of votes about an item.

        Parameters
        ----------
        cast : Cast
        weight : (n,) array

        Returns
        -------
        Moments
        """
        s, n, k = cast.shape
        root = np.sqrt(weight)[cast.row]
        both, alike = (
            csr_array((root, (cast.source, column)), shape=(s, width))
            for column, width in ((cast.row, n), (cast.row * k + cast.code, n * k))
        )
        total = np.bincount(cast.source * k + cast.code, weight[cast.row], s * k)
        joint, product = (
            np.asarray((one @ one.T).toarray(), dtype=np.float64) for one in (both, alike)
        )
        return cls(joint, product, np.asarray(total, dtype=np.float64).reshape(s, k))

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(
            self.joint + other.joint, self.product + other.product, self.total + other.total
        )

    @cached_property
    def mean(self) -> Floats:
        """Mean probabilities (S, K) of each source; even ones if it is never available."""
        weight = self.joint.diagonal()[:, np.newaxis]
        even = np.full_like(self.total, 1 / self.total.shape[1])
        return np.divide(self.total, weight, out=even, where=weight > 0)

    @cached_property
    def deviation(self) -> Floats:
        """Standard deviation (S,) of each source, over samples and summed over classes."""
        return np.sqrt(np.maximum(self._covariance.diagonal(), 0))

    @cached_property
    def _covariance(self) -> Floats:
        found = np.zeros_like(self.product)
        np.divide(self.product, self.joint, out=found, where=self.joint > 0)
        return np.where(self.joint > 0, found - self.mean @ self.mean.T, 0)

    @cached_property
    def _varies(self) -> Flags:
        return np.asarray(self.deviation**2 > _NOTHING)

    @cached_property
    def observed(self) -> Floats:
        """Correlations (S, S) as they were; 0 for a source that always says the same."""
        scale = np.where(self._varies, self.deviation, 1)
        known = np.outer(self._varies, self._varies)
        found = np.where(known, self._covariance / np.outer(scale, scale), 0)
        found = np.clip(found, -1, 1)
        np.fill_diagonal(found, 1)
        return np.asarray(found)

    @cached_property
    def correlation(self) -> Floats:
        """The same, those of few common samples drawn towards the mean one."""
        known = np.outer(self._varies, self._varies)
        pairs = np.where(known, self.joint, 0)
        np.fill_diagonal(pairs, 0)
        usual = max((pairs * self.observed).sum() / pairs.sum(), 0) if pairs.any() else 0
        found = np.where(known, (pairs * self.observed + _JOINT * usual) / (pairs + _JOINT), 0)
        np.fill_diagonal(found, 1)
        return np.asarray(found)


@dataclass(frozen=True, eq=False)
class Agreement:
    """What moments say of each of S sources.

    Parameters
    ----------
    with_others : (S,) array
        Correlation with the mean of the others, copies of the source left out.
    copies : (S, S) array
        How far two sources count as one, from 0 to 1; 1 for a source and itself.
    loadings : (S,) array
        Correlation with what all have in common, from 0 to 1; of that correlation, sources close
        to each other are little evidence.
    others : (S,) array
        Correlation with the others that a source has which always says what all have in common.
    doubt : (S,) array
        Standard error of the logarithm of `others`.
    correlation, evidence, unlike : (S, S) arrays
        Correlation of two sources, how much it counts, and 1 less its part that others lack.
    """

    with_others: Floats
    copies: Floats
    loadings: Floats
    others: Floats
    doubt: Floats
    correlation: Floats
    evidence: Floats
    unlike: Floats

    @classmethod
    def of(cls, moments: Moments, apart: Floats) -> Self:
        """Agreement by the moments.

        Parameters
        ----------
        moments : Moments
        apart : (S, S) array
            On how many samples two sources differ from the others, see `KeptRows.apart`: that
            sources agree where all do is no evidence that one copies the other.

        Returns
        -------
        Agreement
        """
        correlation, deviation = moments.correlation, moments.deviation
        far = (1 - np.maximum(correlation, 0)) ** _NEAR + _LEAST_PAIR
        np.fill_diagonal(far, 0)
        own = _by_others(correlation, moments.joint, far)
        partial = np.clip(_partial(moments.observed, own), 0, 1) * apart / (apart + _ALONE)
        usual = _usual(partial, far)
        beyond = (partial - usual) / np.maximum(1 - usual, _NOTHING)
        copies = np.maximum(beyond - ALIKE, 0) / (1 - ALIKE)
        np.fill_diagonal(copies, 1)
        count = copies.sum(axis=1)
        evidence = (1 - copies) / np.outer(count, count)
        unlike = 1 - partial
        loadings = one_factor(correlation, evidence * unlike + _LEAST_PAIR)
        sign, loadings = np.where(loadings < 0, -1, 1), np.maximum(loadings, 0)
        covariance = correlation * np.outer(deviation, deviation)
        others = (1 - copies) / count
        alone = others.sum(axis=1) <= 0  # all are copies of each other
        others[alone] = 1 - np.eye(len(others))[alone]
        with_them = (others * covariance).sum(axis=1)
        spread = (others @ covariance * others).sum(axis=1)
        scale = np.sqrt(np.maximum(spread, 0)) * deviation
        known = scale > _NOTHING
        found = np.where(known, with_them / np.where(known, scale, 1), 0)
        common = (others * deviation) @ loadings
        reach = np.sqrt(np.maximum(spread, _NOTHING))
        doubt = _doubt(others * sign, correlation, moments.joint)
        found = np.clip(found, -1, 1)
        reached = common / reach
        return cls(found, copies, loadings, reached, doubt, correlation, evidence, unlike)

    def sharing(self, dependence: float) -> Floats:
        """Estimated correlations (S,) with the truth, from 0 to 1.

        Close sources are the better evidence the more errors are expected to be common.

        Parameters
        ----------
        dependence : float
            Reliabilities r and s lead to the correlation ``(r s) ** (1 - dependence)``.

        Returns
        -------
        (S,) array
        """
        correlation = self.correlation
        independent = np.sign(correlation) * np.abs(correlation) ** (1 / (1 - dependence))
        evidence = self.evidence * self.unlike ** (1 - dependence)
        return np.maximum(one_factor(independent, evidence + _LEAST_PAIR), 0)

    def loadings_between(self, agreement: Floats) -> Floats:
        """Interval (S, 2) of the loadings that goes with one of the agreement.

        Spearman's correction for attenuation (1904): a source correlates with the others as with
        what all have in common, times what they do.

        Parameters
        ----------
        agreement : (S, 2) array
            Interval of level 0.95 of the correlation with the others.

        Returns
        -------
        (S, 2) array
        """
        loadings = self.loadings[:, np.newaxis]
        others = np.maximum(self.others, _NOTHING)[:, np.newaxis]
        own = (agreement - self.with_others[:, np.newaxis]) / others
        reach = np.hypot(own, Z95 * loadings * self.doubt[:, np.newaxis])
        return np.asarray(np.clip(loadings + np.array([-1, 1]) * reach, 0, 1))

    @property
    def share(self) -> Floats:
        """Share (S,) of each source in what those that count as one with it say."""
        return np.asarray(1 / self.copies.sum(axis=1))

    @property
    def weights(self) -> Floats:
        """Weights (S,) of sum 1: squared agreement, shared by those that count as one."""
        weights = np.maximum(self.with_others, 0) ** 2 * self.share
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))

    @property
    def groups(self) -> Indices:
        """Number (S,) of the group of each source: sources more than half one share a number."""
        group = np.arange(len(self.copies))
        for one, other in np.argwhere(np.triu(self.copies, 1) > 0.5):
            group[group == group[other]] = group[one]
        return np.asarray(np.unique(group, return_inverse=True)[1])


def _by_others(correlation: Floats, joint: Floats, far: Floats) -> Floats:
    """Sizes (S,) of correlations with what all have in common, as pairs of others show them.

    If sources s, t and u have nothing but that in common, the squared correlation of s times r_tu
    is r_st r_su (Spearman 1904): a regression over the pairs t, u, in which those count that are
    far from s and from each other. It is drawn towards 1 by the sampling errors of r_tu, for a
    source of which nothing shows that it errs. Of three sources there is one triad, which holds for
    a source and its copy as well as for two that are nearly always right: each is as reliable as
    its nearest one shows, and no copy is found.

    Parameters
    ----------
    correlation, joint : (S, S) arrays
    far : (S, S) array
        From 0 to about 1.
    """
    error = _ERRORS * (1 - correlation**2) / np.sqrt(np.maximum(joint, 1))
    if len(far) == 3:
        nearest = (correlation + error - 2 * np.eye(3)).max(axis=1)
        return np.asarray(np.sqrt(np.clip(nearest, 0, 1)))
    along = far * correlation
    found = np.maximum(((along @ along) * along).sum(axis=1), 0)
    most = _over_pairs(far, far * correlation**2)
    doubt = _over_pairs(far, far * error**2)
    square = np.ones_like(found)
    np.divide(found + doubt, most + doubt, out=square, where=most + doubt > 0)
    return np.asarray(np.sqrt(np.minimum(square, 1)))


def _usual(partial: Floats, far: Floats) -> Floats:
    """Mean partial correlation (S, S) between others that are far from one of two sources.

    The greater one of both: sources are hardly copies if others are as much alike.
    """
    off = 1 - np.eye(len(far))
    weight = _over_pairs(far, off)
    usual = np.zeros(len(far))
    np.divide(_over_pairs(far, off * partial), weight, out=usual, where=weight > 0)
    return np.asarray(np.maximum(usual[:, np.newaxis], usual))


def _over_pairs(far: Floats, table: Floats) -> Floats:
    """Sums (S,) of a table (S, S) over pairs of sources, weighted by how far both are."""
    return np.asarray(((far @ table) * far).sum(axis=1))


def _partial(correlation: Floats, loadings: Floats) -> Floats:
    """Correlations (S, S) of what sources do not have in common with all others."""
    own = np.sqrt(np.maximum(1 - loadings**2, _LEAST_OWN))
    return np.asarray((correlation - np.outer(loadings, loadings)) / np.outer(own, own))


def _doubt(others: Floats, correlation: Floats, joint: Floats) -> Floats:
    """Standard error (S,) of the logarithm of what others have in common with all.

    They have it by the square root of the mean correlation between them, of which each is known up
    to ``(1 - r ** 2) / sqrt(n)``. A single other one shows nothing.

    Parameters
    ----------
    others : (S, S) array
        Weight of the others (columns) for each source.
    correlation, joint : (S, S) arrays
    """
    off = 1 - np.eye(len(others))
    between = ((others @ (off * correlation)) * others).sum(axis=1)
    others = np.abs(others)
    square = others.sum(axis=1) ** 2 - (others**2).sum(axis=1)
    mean = np.maximum(between / np.maximum(square, _NOTHING), 0)
    samples = ((others @ (off * joint)) * others).sum(axis=1) / np.maximum(square, _NOTHING)
    size = square / np.maximum((others**2).sum(axis=1), _NOTHING)  # m (m - 1) of m equal ones
    pairs = np.maximum(size / 2 * np.maximum(samples, 1), _NOTHING)
    error = (1 - np.minimum(mean, 1) ** 2) / np.sqrt(pairs)
    return np.asarray(error / (2 * np.maximum(mean, 1e-6)))


def one_factor(correlation: Floats, weight: Floats) -> Floats:
    """Loadings (S,) of which the products are nearest to the correlations off the diagonal.

    Parameters
    ----------
    correlation : (S, S) array
    weight : (S, S) array
        Positive, of each pair.

    Returns
    -------
    (S,) array
        From -1 to 1, with a sum that is not negative. 0 where two camps of equal strength
        contradict each other: which one is right does not show.

    Examples
    --------
    >>> r = np.array([[1, 0.42, 0.54], [0.42, 1, 0.63], [0.54, 0.63, 1]])
    >>> one_factor(r, np.ones((3, 3))).round(6)
    array([0.6, 0.7, 0.9])
    >>> one_factor(np.array([[1, -0.9], [-0.9, 1]]), np.ones((2, 2)))
    array([0., 0.])
    """
    n = len(correlation)
    if n < 2:
        return np.ones(n)
    if n == 2:  # only their product is known
        return np.full(2, np.sqrt(max(correlation[0, 1], 0.0)))
    weight = weight - np.diag(weight.diagonal())
    off = weight * correlation
    loadings = np.full(n, np.sqrt(max(off.sum() / weight.sum(), 1e-3)))
    for _ in range(_STEPS):
        before = loadings.copy()
        for own in range(n):
            square = weight[own] @ loadings**2
            loadings[own] = np.clip(off[own] @ loadings / max(square, 1e-9), -1, 1)
        if np.abs(loadings - before).max() < _CLOSE:
            break
    total = loadings.sum()
    return loadings * (np.sign(total) if abs(total) > _BALANCED else 0.0)


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Rows of the samples seen so far, the same ones whatever the batches were.

    Parameters
    ----------
    key : (m,) array
        Pseudorandom numbers of the rows by their places; the least are kept.
    probabilities : (S, m, K) array
    silent : (S, m) array of bool
    weight : (m,) array
    seen : int
        How many rows there were.
    """

    key: NDArray[np.uint64]
    probabilities: Floats
    silent: Flags
    weight: Floats
    seen: int

    @classmethod
    def of(cls, sources: Sequence[Beliefs], weight: Floats, seen: int = 0) -> "KeptRows":
        """Rows of a batch that follows so many rows.

        Parameters
        ----------
        sources : sequence of Beliefs
        weight : (n,) array
        seen : int

        Returns
        -------
        KeptRows
        """
        n = len(weight)
        key = _scrambled(np.arange(seen, seen + n, dtype=np.uint64))
        rows = _least(key, len(sources) * len(sources[0].classes))
        if len(rows) < n:
            sources = [source[rows] for source in sources]
        return cls(key[rows], *read(sources), weight[rows], seen + n)

    @property
    def apart(self) -> Floats:
        """On how many common samples (S, S) either source differs from the mean of the others.

        An effective number (Kish 1965), by the squared distance d of probabilities from the mean of
        the other sources: the square of the sum of d over the sum of the squares. All common
        samples, if neither differs anywhere.
        """
        said = (~self.silent).astype(np.float64)
        available = said * self.weight
        total = available.sum(axis=0)
        whole = np.einsum("sn,snk->nk", available, self.probabilities)
        distance = np.zeros_like(available)
        for own, (weight, p) in enumerate(zip(available, self.probabilities, strict=True)):
            rest = total - weight
            known = (weight > 0) & (rest > 0)
            mean = (whole - weight[:, np.newaxis] * p)[known] / rest[known, np.newaxis]
            distance[own, known] = ((p[known] - mean) ** 2).sum(axis=1)
        counted = distance * self.weight
        sums, squares = counted @ said.T, (counted * distance) @ said.T
        square = squares + squares.T + 2 * counted @ distance.T
        found = available @ said.T
        np.divide((sums + sums.T) ** 2, square, out=found, where=square > 0)
        return np.asarray(found)

    def votes(self, heard: Flags) -> "KeptRows | None":
        """Some rows of the sources that are heard, if these say nothing but 0 and 1.

        Parameters
        ----------
        heard : (S,) array of bool

        Returns
        -------
        KeptRows or None
        """
        p, silent = self.probabilities[heard], self.silent[heard]
        if not np.isin(p[~silent], (0, 1)).all():
            return None
        a_row = max((~silent).sum() / max(len(self.key), 1), 1)
        at = np.argsort(self.key)[: max(int(_VOTES / a_row), _LEAST_ROWS)]
        return KeptRows(self.key[at], p[:, at], silent[:, at], self.weight[at], self.seen)

    def __add__(self, later: "KeptRows") -> "KeptRows":
        joined = KeptRows(
            np.concatenate([self.key, later.key]),
            np.concatenate([self.probabilities, later.probabilities], axis=1),
            np.concatenate([self.silent, later.silent], axis=1),
            np.concatenate([self.weight, later.weight]),
            later.seen,
        )
        return joined._least()

    def _least(self) -> "KeptRows":
        s, _, k = self.probabilities.shape
        rows = _least(self.key, s * k)
        return replace(
            self,
            key=self.key[rows],
            probabilities=self.probabilities[:, rows],
            silent=self.silent[:, rows],
            weight=self.weight[rows],
        )


def _least(key: NDArray[np.uint64], size: int) -> Indices:
    """Places of the keys that are kept, in their order, for rows of so many numbers."""
    number = max(min(_KEPT, _CELLS // size), 100)
    if len(key) <= number:
        return np.arange(len(key))
    return np.asarray(np.sort(np.argpartition(key, number)[:number]))


def _scrambled(place: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Pseudorandom numbers of the places (SplitMix64: Steele, Lea & Flood 2014)."""
    with np.errstate(over="ignore"):
        z = (place + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))
