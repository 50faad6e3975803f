"""Logarithmic pooling: softmax regression on the evidence of the sources, with learned shrinkage.

The logit of a class is an intercept plus the weighted sum of what each source says for the class. A
normal prior draws the weights towards shares by the sizes of the sources. How strongly it should,
the samples tell: fits under several precisions count by the likelihood of samples that are left
out, each one Newton step away (Rad & Maleki). With more than two classes, the best convex pool is
a second center of the prior. Where some evidence is filled in, pools learned without those samples
compete with pools learned from all. All fits are linear in the same evidence, so their average is
one set of coefficients, and its covariance includes what they disagree on. With it a pool tells the
log-odds of each class and how far they may be off (delta method).

Sources: Wolpert, "Stacked generalization", Neural Networks 5 (1992), 241-259; van der Laan, Polley
& Hubbard, "Super learner", Statistical Applications in Genetics and Molecular Biology 6 (2007);
Denoeux, "Logistic regression, neural networks and Dempster-Shafer theory", Knowledge-Based Systems
176 (2019), 54-67; Rad & Maleki, "A scalable estimate of the out-of-sample prediction error via
approximate leave-one-out cross-validation", J. R. Stat. Soc. B 82 (2020), 965-996.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from scipy.special import logsumexp, softmax

from evical._typing import Floats
from evical.curves.newton import (
    LogisticSums,
    Sums,
    logistic_terms,
    minimize_convex,
    minimize_on_simplex,
)
from evical.curves.softmax import Problem, log_losses, moment
from evical.scores.scale import sides
from evical.scores.scale import softmax as softmax_rows

Terms = Callable[[Floats], Sums]
"""From p rows of coefficients (p, P) to minus the log-likelihood of each and its derivatives."""

_TOLERANCE, _ENOUGH = 1e-10, 1e-15  # squared Newton decrements: of the last step, of no step


def most_probable(
    terms: Terms, center: Floats, pull: Floats, start: Floats | None = None
) -> tuple[Floats, Floats]:
    """Posterior modes and covariances under normal priors, all at once.

    They are found in units of the prior, so any precision is well-posed.

    Parameters
    ----------
    terms : Terms
        The same likelihood for all.
    center, pull : (p, P) and (p, P, P) arrays
        Means and precisions of the priors.
    start : (p, P) array, optional

    Returns
    -------
    mode, covariance : (p, P) and (p, P, P) arrays

    Examples
    --------
    A likelihood around 1 and priors around 0, one as precise and one three times as precise:

    >>> def terms(x):
    ...     return ((x - 1) ** 2).sum(axis=1) / 2, x - 1, np.ones((len(x), 1, 1))
    >>> mode, covariance = most_probable(terms, np.zeros((2, 1)), np.array([[[1.0]], [[3.0]]]))
    >>> mode.ravel().round(9).tolist(), covariance.ravel().round(9).tolist()
    ([0.5, 0.25], [0.5, 0.25])
    """
    values, vectors = np.linalg.eigh(pull)
    scale = np.sqrt(values)
    root = vectors / scale[:, np.newaxis]

    def part(which: NDArray[np.intp]) -> Terms:
        return partial(_in_units, terms, center[which], root[which])

    first = scale * _products((center if start is None else start) - center, vectors)
    every = part(np.arange(len(center)))
    found = minimize_convex(every, first, _TOLERANCE, _ENOUGH, part=part)
    across = root.transpose(0, 2, 1)
    covariance = root @ np.linalg.inv(found.hessian) @ across
    return center + _products(found.parameters, across), covariance


def _in_units(terms: Terms, center: Floats, root: Floats, u: Floats) -> Sums:
    """Terms with the prior, in its units u (p, P)."""
    across = root.transpose(0, 2, 1)
    value, gradient, hessian = terms(center + _products(u, across))
    return (
        value + (u * u).sum(axis=1) / 2,
        _products(gradient, root) + u,
        across @ hessian @ root + np.eye(u.shape[1]),
    )


def _products(rows: Floats, matrices: Floats) -> Floats:
    """Products (p, d) of rows (p, d) and matrices (p, d, d)."""
    return np.asarray((rows[:, np.newaxis] @ matrices)[:, 0])


_CELLS = 1 << 21  # numbers in a temporary array, at most
_BATCH = 1 << 16  # numbers in a temporary array that should stay in cache
_FEWEST_ROWS = 64  # at a time, if so many fit


@dataclass(frozen=True, eq=False)
class LogPool:
    """Weights and intercepts of a pool, with their covariance.

    Parameters
    ----------
    weights : (S,) or (K, S) array
        Of the sources, for all classes or for each.
    intercepts : (K,) array
    covariance : (S + K, S + K) or (K (S + 1), K (S + 1)) array
        Of the weights and then the intercepts; if each class has weights of its own, of these with
        the intercept, class by class.
    filled : float
        How far filled samples counted, from 0 to 1.
    """

    weights: Floats
    intercepts: Floats
    covariance: Floats
    filled: float = 0.0

    def standard_errors(self) -> Floats:
        """Posterior standard deviations of the weights, in their shape."""
        deviation = np.sqrt(np.maximum(np.diagonal(self.covariance), 0))
        if self.weights.ndim == 1:
            return np.asarray(deviation[: len(self.weights)])
        return np.asarray(deviation.reshape(len(self.intercepts), -1)[:, :-1])

    def logits(self, evidence: Floats) -> Floats:
        """Logits (n, K) for evidence (n, K, S)."""
        if self.weights.ndim == 2:
            return np.asarray(np.einsum("nks,ks->nk", evidence, self.weights) + self.intercepts)
        if evidence.flags.c_contiguous:
            return np.asarray(evidence @ self.weights + self.intercepts)
        found = self.weights[0] * evidence[:, :, 0]  # each source by itself in memory
        for weight, says in zip(self.weights[1:], np.moveaxis(evidence, 2, 0)[1:], strict=True):
            found += weight * says
        found += self.intercepts
        return np.asarray(found)

    def log_odds(self, evidence: Floats) -> tuple[Floats, Floats]:
        """Probability of each class, and its log-odds against the others.

        Parameters
        ----------
        evidence : (n, K, S) array

        Returns
        -------
        two (n, K) arrays
        """
        logits = self.logits(evidence)
        if logits.shape[1] == 2:
            odds = logits[:, 1] - logits[:, 0]
            return np.stack(sides(odds)[::-1], axis=1), np.stack([-odds, odds], axis=1)
        row, top = np.arange(len(logits)), logits.argmax(axis=1)
        logits = logits - logits[row, top, np.newaxis]
        others = logits.copy()
        others[row, top] = -np.inf
        behind = logsumexp(others, axis=1)  # without the first, so nothing is lost where it is sure
        p = np.exp(logits)
        less = np.exp(behind)[:, np.newaxis]
        odds = logits - np.log1p(np.maximum(less - p, 0.0))
        odds[row, top] = -behind
        return p / (1.0 + less), odds

    def errors(self, evidence: Floats) -> Floats:
        """Standard errors (n, K) of the log-odds, for evidence (n, K, S)."""
        parts = [self._errors(evidence[rows]) for rows in chunks(*evidence.shape)]
        return np.concatenate(parts)

    def _errors(self, evidence: Floats) -> Floats:
        """The derivative of log(p / (1 - p)) in the logits is (e - p) / (1 - p)."""
        if evidence.shape[1] == 2:  # it is (-1, 1) or (1, -1)
            away = np.broadcast_to([-1.0, 1.0], evidence.shape[:2])
            return np.repeat(np.sqrt(self._variance(evidence, away))[:, np.newaxis], 2, axis=1)
        p, odds = self.log_odds(evidence)
        rest, tied = np.exp(-np.logaddexp(0.0, odds)), self.weights.ndim == 1
        variance = (self._tied_variances if tied else self._variances)(evidence, p)
        # The most likely class from shares of the others, whose probabilities may be no float.
        row, top = np.arange(len(p)), p.argmax(axis=1)
        rivals = self.logits(evidence)
        rivals[row, top] = -np.inf
        away = -softmax_rows(rivals)
        away[row, top] = rest[row, top] = 1.0
        variance[row, top] = self._variance(evidence, away)
        return np.asarray(np.sqrt(np.maximum(variance, 0)) / rest)

    def _variance(self, evidence: Floats, away: Floats) -> Floats:
        """Variances (n,) of sums of the logits with these factors (n, K)."""
        if self.weights.ndim == 1:
            moved = np.hstack([np.einsum("nk,nks->ns", away, evidence), away])
        else:
            moved = away[:, :, np.newaxis] * with_ones(evidence)
            moved = moved.reshape(len(away), len(self.covariance))
        return np.asarray(np.maximum(np.einsum("np,np->n", moved @ self.covariance, moved), 0))

    def _variances(self, evidence: Floats, p: Floats) -> Floats:
        """Variances (n, K) of each logit less the mean one, whose weights are p."""
        spread = self.spread(evidence, p.argmax(axis=1))
        mean = np.einsum("nkl,nl->nk", spread, p)
        variance = np.einsum("nkk->nk", spread) - 2 * mean + np.einsum("nk,nk->n", mean, p)[:, None]
        return np.asarray(variance)

    def _tied_variances(self, evidence: Floats, p: Floats) -> Floats:
        """The same without a covariance (K, K) for each sample."""
        s = len(self.weights)
        both, cross, own = self.covariance[:s, :s], self.covariance[:s, s:], self.covariance[s:, s:]
        bent = p @ own
        square = np.diagonal(own) - 2 * bent + np.einsum("nk,nk->n", bent, p)[:, np.newaxis]
        apart = evidence - np.einsum("nk,nks->ns", p, evidence)[:, np.newaxis]
        mixed = cross.T - (p @ cross.T)[:, np.newaxis]
        return np.asarray(np.einsum("nks,nks->nk", apart @ both + 2 * mixed, apart) + square)

    def spread(self, evidence: Floats, origin: NDArray[np.intp]) -> Floats:
        """Covariance (n, K, K) of the logits less that of a class (n,), the origin."""
        n, k, s = evidence.shape
        if self.weights.ndim == 1:
            cross = evidence @ self.covariance[:s, s:]
            found = evidence @ self.covariance[:s, :s] @ evidence.transpose(0, 2, 1)
            found += cross + cross.transpose(0, 2, 1) + self.covariance[s:, s:]
        else:
            full = with_ones(evidence)
            blocks = self.covariance.reshape(k, s + 1, k, s + 1)
            half = np.einsum("nkm,kmlj->nklj", full, blocks)
            found = np.einsum("nklj,nlj->nkl", half, full)
        row = np.arange(n)
        own, column = found[row, origin, origin], found[row, :, origin]
        return np.asarray(
            found - column[:, :, None] - column[:, None, :] + own[:, np.newaxis, np.newaxis]
        )

    def pulled(self, evidence: Floats, force: Floats) -> Floats:
        """Covariances of the logits times forces (n, K), without a matrix for each sample."""
        n, _, s = evidence.shape
        if self.weights.ndim == 1:
            ahead = np.hstack([np.einsum("nks,nk->ns", evidence, force), force]) @ self.covariance
            return np.asarray(np.einsum("nks,ns->nk", evidence, ahead[:, :s]) + ahead[:, s:])
        full = with_ones(evidence)
        ahead = (full * force[:, :, np.newaxis]).reshape(n, -1) @ self.covariance
        return np.asarray(np.einsum("nks,nks->nk", full, ahead.reshape(full.shape)))


def with_ones(evidence: Floats) -> Floats:
    """Evidence (n, K, S + 1), with that for the intercept.

    Parameters
    ----------
    evidence : (n, K, S) array

    Returns
    -------
    (n, K, S + 1) array

    Examples
    --------
    >>> with_ones(np.zeros((1, 2, 1))).tolist()
    [[[0.0, 1.0], [0.0, 1.0]]]
    """
    return np.concatenate([evidence, np.ones((*evidence.shape[:2], 1))], axis=2)


def chunks(n: int, k: int, s: int) -> Iterator[slice]:
    """Rows of which the covariances of the logits fit into a temporary array.

    Parameters
    ----------
    n, k, s : int
        Numbers of samples, classes and sources.

    Yields
    ------
    slice

    Examples
    --------
    >>> list(chunks(10_000, 2, 3))
    [slice(0, 4096, None), slice(4096, 8192, None), slice(8192, 12288, None)]
    """
    step = max(1, min(_FEWEST_ROWS, _CELLS // (k * k * (s + 1))), _BATCH // (k * k * (s + 1)))
    return (slice(start, start + step) for start in range(0, max(n, 1), step))


_PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)  # precisions around the shares
_AROUND_CONVEX = (30.0, 100.0, 300.0, 1000.0, 10000.0)  # precisions around the best convex pool
_PRICE = 2.0  # log-likelihood that the center must gain, since it saw the samples that are left out
_APART = (1.0, 3.0, 10.0, 30.0, 100.0)  # of weights of a class around the common ones, relative
_TOTAL, _INTERCEPT = 0.1, 10.0  # precisions of the sum of the weights, and of an intercept
_MOST = 400  # coefficients, if each class has weights of its own
_MANY = 26  # classes from which on fewer priors are tried, and all share the weights
_SOLVED = 1e-12  # square of what a step without a sample still lacks
_CACHED = 1 << 14  # numbers in temporary arrays of which several are needed at once


class Labeled(NamedTuple):
    """Evidence about samples with known classes.

    Parameters
    ----------
    evidence : (n, K, S) array
        Log-probabilities that the sources give, of mean 0 over the classes.
    codes : (n,) array
        Places of the labels among the classes.
    counts : (n,) array
        Number of samples that each one counts for.
    """

    evidence: Floats
    codes: NDArray[np.intp]
    counts: Floats

    def part(self, rows: NDArray[np.bool_] | slice) -> "Labeled":
        """Some of the samples."""
        return Labeled(self.evidence[rows], self.codes[rows], self.counts[rows])

    @property
    def truth(self) -> Floats:
        """Indicator (n, K) of the label."""
        return np.equal.outer(self.codes, np.arange(self.evidence.shape[1])).astype(np.float64)


class _Prior(NamedTuple):
    """Mean (S,) and precision of the weights; logarithm of the weight in the average."""

    mean: Floats
    precision: float
    log_weight: float = 0.0


def fit_pool(
    sample: Labeled,
    shares: Floats,
    precision: float | None = None,
    filled: NDArray[np.bool_] | None = None,
) -> LogPool:
    """Average of pools, by the likelihood of samples that are left out.

    Parameters
    ----------
    sample : Labeled
    shares : (S,) array
        Prior mean of the weights, with sum 1.
    precision : float, optional
        Of the weights around their prior mean. Default: learned.
    filled : (n,) array of bool, optional
        Samples about which some evidence is a guess; none by default. Others tell how far these
        count.

    Returns
    -------
    LogPool

    Examples
    --------
    Of two sources, the first is right four times out of five, the second is uninformative:

    >>> says = np.log([[0.8, 0.2], [0.2, 0.8]]).T
    >>> evidence = np.stack([says[[0, 0, 1, 1] * 25], says[[0, 1, 0, 1] * 25]], axis=2)
    >>> codes = np.array([0, 0, 1, 1] * 20 + [1, 1, 0, 0] * 5)
    >>> sample = Labeled(evidence, codes, np.ones(100))
    >>> fit_pool(sample, np.array([0.5, 0.5])).weights.round(1)
    array([0.9, 0.1])
    """
    _, k, s = sample.evidence.shape
    amounts = np.bincount(sample.codes, sample.counts, k).astype(np.float64)
    if k > 2 and amounts.min() > 0 and not sample.evidence.any():
        return _of_amounts(amounts, shares, _PENALTIES[0] if precision is None else precision)
    complete = sample if filled is None or not filled.any() else sample.part(~filled)
    found = _tried(complete, complete, shares, precision)
    if complete is not sample:
        found += _tried(sample, complete, shares, precision)
    if 2 < k <= _MANY and k * (s + 1) <= _MOST and s > 0:
        best = max(found, key=lambda one: one.score)
        found = [one._replace(pool=_untied(one.pool)) for one in found]
        for apart in _APART:
            pool = _by_class(best.sample, best.pool, best.prior.mean, best.prior.precision, apart)
            score = best.prior.log_weight + _left_out([pool], complete)[0]
            found.append(best._replace(pool=pool, score=score))
    weights = softmax([one.score for one in found])
    share = weights @ [one.sample is not complete for one in found]
    return replace(_mean([one.pool for one in found], weights), filled=float(share))


def _of_amounts(amounts: Floats, shares: Floats, precision: float) -> LogPool:
    """Without evidence: the shares of the classes, which a prior of intercepts draws together.

    Of the weights nothing is known but their prior.
    """
    own = np.linalg.pinv(np.diag(amounts) - np.outer(amounts, amounts / amounts.sum()))
    spread = np.linalg.inv(_precision(len(shares), precision))
    return LogPool(shares, np.log(amounts) - np.log(amounts).mean(), block_diag(spread, own))


class _Tried(NamedTuple):
    """A pool, the samples and the prior that it is learned from, and its log-weight."""

    sample: Labeled
    prior: _Prior
    pool: LogPool
    score: float


def _tried(
    sample: Labeled, complete: Labeled, shares: Floats, precision: float | None
) -> list[_Tried]:
    """Pools learned from some samples, under each prior."""
    priors = _priors(sample, shares) if precision is None else [_Prior(shares, precision)]
    pools = _tied(sample, priors)
    return [
        _Tried(sample, prior, pool, prior.log_weight + left_out)
        for prior, pool, left_out in zip(priors, pools, _left_out(pools, complete), strict=True)
    ]


def _priors(sample: Labeled, shares: Floats) -> list[_Prior]:
    """Those that are averaged; for two classes, a convex center gains nothing."""
    _, k, s = sample.evidence.shape
    step = 2 if k > _MANY else 1
    around = [_Prior(shares, precision) for precision in _PENALTIES[::step]]
    if k == 2 or s == 1:
        return around
    center = _convex_weights(sample, shares)
    return around + [_Prior(center, precision, -_PRICE) for precision in _AROUND_CONVEX[::step]]


def _convex_weights(sample: Labeled, shares: Floats) -> Floats:
    """Most probable weights (S,) from 0 with sum 1, without intercepts, under the weakest prior."""
    _, k, s = sample.evidence.shape
    pull, terms = _precision(s, _PENALTIES[0]), _tied_terms(sample)

    def derivatives(weights: Floats) -> tuple[float, Floats, Floats]:
        x = np.append(weights, np.zeros(k))[np.newaxis]
        value, gradient, hessian = (term[0] for term in terms(x))
        moved = pull @ (weights - shares)
        value += (weights - shares) @ moved / 2
        return float(value), gradient[:s] + moved, hessian[:s, :s] + pull

    return minimize_on_simplex(derivatives, shares)


def _tied(sample: Labeled, priors: list[_Prior]) -> list[LogPool]:
    """Most probable weights under each prior, the same for all classes."""
    two = sample.evidence.shape[1] == 2
    terms: Terms = _two_class_sums(sample) if two else _tied_terms(sample)
    step = max(1, _BATCH // max(sample.evidence.size, 1))
    found: list[LogPool] = []
    for first in range(0, len(priors), step):
        last = (found[-1], priors[first - 1]) if found else None
        found += _tied_at_once(terms, priors[first : first + step], sample.evidence, last)
    return found


def _tied_at_once(
    terms: Terms, priors: list[_Prior], evidence: Floats, last: tuple[LogPool, _Prior] | None
) -> list[LogPool]:
    """The same for priors of which all temporaries stay in cache, from a pool of another prior."""
    _, k, s = evidence.shape
    center, pull = _normal(priors, k)
    start = None
    if last is not None:  # one Newton step from where the derivatives are known
        x, (old_center, old_pull) = _flat(last[0]), _normal([last[1]], k)
        force = _products(x - center, pull) - _products(x - old_center, old_pull)
        curvature = np.linalg.inv(last[0].covariance) + pull - old_pull
        start = x - np.linalg.solve(curvature, force[..., np.newaxis])[..., 0]
    x, covariance = most_probable(terms, center, pull, start)
    return [LogPool(one[:s], one[s:], its) for one, its in zip(x, covariance, strict=True)]


def _normal(priors: list[_Prior], k: int) -> tuple[Floats, Floats]:
    """Means (p, S + K) and precisions (p, S + K, S + K) of weights and intercepts."""
    center = np.stack([np.append(prior.mean, np.zeros(k)) for prior in priors])
    s = center.shape[1] - k
    pull = np.zeros((len(priors), s + k, s + k))
    pull[:, s:, s:] = _INTERCEPT * np.eye(k)
    pull[:, :s, :s] = [_precision(s, prior.precision) for prior in priors]
    return center, pull


def _two_class_sums(sample: Labeled) -> LogisticSums:
    """As `_tied_terms`; a logistic regression on how much more a source says for one class."""
    apart = (sample.evidence[:, 1] - sample.evidence[:, 0]).T
    one, favor = np.ones((1, apart.shape[1])), sample.counts * (sample.codes == 1)
    return LogisticSums(np.concatenate([apart, -one, one]), sample.counts - favor, favor)


def _tied_terms(sample: Labeled) -> Terms:
    """Minus the log-likelihood of pools, and its derivatives in weights and intercepts."""
    n, k, s = sample.evidence.shape
    says = np.ascontiguousarray(np.moveaxis(sample.evidence, 2, 0))
    own = says[:, np.arange(n), sample.codes] @ sample.counts
    target = np.append(own, np.bincount(sample.codes, sample.counts, k))

    def terms(x: Floats) -> Sums:
        size = max(1, _CACHED // (k * len(x)))
        loss, gradient = np.zeros(len(x)), np.tile(-target, (len(x), 1)).astype(np.float64)
        hessian = np.zeros((len(x), s + k, s + k))
        for start in range(0, n, size):
            rows = slice(start, start + size)
            part = _tied_sums(x, says[:, rows], sample.codes[rows], sample.counts[rows])
            for total, one in zip((loss, gradient, hessian), part, strict=True):
                total += one
        hessian[:, :s, s:] = hessian[:, s:, :s].transpose(0, 2, 1)
        return loss, gradient, hessian

    return terms


def _tied_sums(x: Floats, says: Floats, codes: NDArray[np.intp], counts: Floats) -> Sums:
    """The same of some samples of evidence (S, n, K), of the gradient what the pools expect.

    Of the second derivatives (p, S + K, S + K), those in a weight and an intercept only once.
    """
    (s, n, k), m = says.shape, len(x)
    logits = np.tile(x[:, np.newaxis, s:], (1, n, 1))
    for weight, each in zip(x[:, :s].T, says, strict=True):
        logits += weight[:, np.newaxis, np.newaxis] * each
    losses = [log_losses(one, codes) for one in logits]
    p = softmax_rows(logits.reshape(-1, k)).reshape(logits.shape)
    share, one = counts[:, np.newaxis] * p, np.ones(k)
    gradient, hessian = np.empty((m, s + k)), np.zeros((m, s + k, s + k))
    gradient[:, s:] = counts @ p
    apart = []
    for at, each in enumerate(says):
        gradient[:, at] = share.reshape(m, -1) @ each.ravel()
        apart.append(each - ((p * each) @ one)[..., np.newaxis])
        heavy = apart[at] * share
        hessian[:, s:, at] = heavy.sum(axis=1)
        for other in range(at + 1):
            product = np.einsum("pnk,pnk->p", heavy, apart[other])
            hessian[:, at, other] = hessian[:, other, at] = product
    hessian[:, s:, s:] = -share.transpose(0, 2, 1) @ p
    hessian[:, range(s, s + k), range(s, s + k)] += gradient[:, s:]
    return np.stack(losses) @ counts, gradient, hessian


def _loss(logits: Floats, sample: Labeled) -> Floats:
    """Minus log-likelihoods (p,), of which no digit is lost."""
    losses = [log_losses(each, sample.codes) for each in logits]
    return np.asarray(np.stack(losses) @ sample.counts)


def _precision(n_sources: int, precision: float) -> Floats:
    """Precision (S, S) of the weights: of their sum, and of how they differ."""
    even = np.full((n_sources, n_sources), 1 / n_sources)
    return np.asarray(precision * (np.eye(n_sources) - even) + _TOTAL * n_sources * even)


def _by_class(
    sample: Labeled, start: LogPool, prior: Floats, precision: float, apart: float
) -> LogPool:
    """Most probable weights of each class; their means over the classes are drawn to the prior."""
    _, k, s = sample.evidence.shape
    features = with_ones(sample.evidence)
    target = moment(features, sample.truth * sample.counts[:, np.newaxis])
    problem = Problem(features, sample.counts, target, np.zeros_like(target))
    even, one = np.full((k, k), 1 / k), np.zeros((s + 1, s + 1))
    one[:s, :s] = _precision(s, precision)
    each = np.diag(np.append(np.full(s, apart * precision), 0.0))
    offset = np.diag(np.append(np.zeros(s), _INTERCEPT))
    pull = np.kron(even / k, one) + np.kron(np.eye(k) - even, each) + np.kron(np.eye(k), offset)
    center = np.tile(np.append(prior, 0.0), k)

    def terms(x: Floats) -> Sums:
        w = x.reshape(k, s + 1)
        _, gradient, p = problem.at(w)
        loss = _loss(problem.logits(w)[np.newaxis], sample)
        return loss, gradient.reshape(1, -1), problem.curvature(p)[np.newaxis]

    first = np.column_stack([np.tile(start.weights, (k, 1)), start.intercepts]).reshape(1, -1)
    found, covariance = most_probable(terms, center[np.newaxis], pull[np.newaxis], first)
    x = found.reshape(k, s + 1)
    return LogPool(x[:, :s], x[:, s], covariance[0])


def _left_out(pools: list[LogPool], sample: Labeled) -> list[float]:
    """Log-likelihood of the samples, each under coefficients one Newton step without it."""
    if sample.evidence.shape[1] == 2:
        return _left_out_of_two(pools, sample)
    return [_left_out_of_more(pool, sample) for pool in pools]


def _left_out_of_more(pool: LogPool, sample: Labeled) -> float:
    """The same of three or more classes, and one pool."""
    n, k, s = sample.evidence.shape
    total, step = 0.0, max(_FEWEST_ROWS, _BATCH // (k * (s + 1)))
    for start in range(0, n, step):
        part = sample.part(slice(start, start + step))
        logits = pool.logits(part.evidence)
        losses = log_losses(logits + _without_one(pool, part, logits), part.codes)
        total -= float(part.counts @ losses)
    return total


def _without_one(pool: LogPool, sample: Labeled, logits: Floats) -> Floats:
    """Moves (n, K) of the logits by Newton steps, each without one of the samples.

    They are S w of (I - C S) w = p - y, where S is the covariance of the logits and C the curvature
    of the loss: by conjugate gradients, whose product of vectors is that of S.
    """
    p, one = softmax_rows(logits), np.minimum(sample.counts, 1.0)[:, np.newaxis]
    moved, rest = np.zeros_like(p), one * (p - sample.truth)
    way, far = rest, pool.pulled(sample.evidence, rest)
    size = np.einsum("nk,nk->n", way, far)
    for _ in range(2 * len(p[0])):  # K - 1 are enough, but for rounding
        going = size > _SOLVED
        if not going.any():
            break
        bend = p * far
        bend = way - one * (bend - p * bend.sum(axis=1, keepdims=True))
        length = _ratio(size, np.einsum("nk,nk->n", bend, far), going)
        moved += length * far
        rest = rest - length * bend
        ahead = pool.pulled(sample.evidence, rest)
        left = np.einsum("nk,nk->n", rest, ahead)
        turn = _ratio(left, size, going)
        way, far, size = rest + turn * way, ahead + turn * far, left
    return moved


def _ratio(above: Floats, below: Floats, where: NDArray[np.bool_]) -> Floats:
    """Ratios (n, 1), and 0 elsewhere."""
    return np.divide(above, below, out=np.zeros_like(above), where=where)[:, np.newaxis]


def _left_out_of_two(pools: list[LogPool], sample: Labeled) -> list[float]:
    """The same of two classes: the step moves the log-odds alone, which have a variance."""
    sums, total = _two_class_sums(sample), np.zeros(len(pools))
    coefficients = np.stack([_flat(pool) for pool in pools])
    covariances = np.stack([pool.covariance for pool in pools])
    unit, wrong = np.minimum(sample.counts, 1.0), np.where(sample.codes == 1, -1.0, 1.0)
    one, none = np.ones(1), np.zeros(1)
    for part in sums.blocks(len(pools)):
        odds = wrong[part] * (coefficients @ sums.z[:, part])  # of the other class
        variance = unit[part] * sums.variances(covariances, part)
        _, p, curvature = logistic_terms(odds, one, none)
        odds += variance * p / (1.0 - curvature * variance)
        total -= logistic_terms(odds, one, none)[0] @ sample.counts[part]
    return list(total.tolist())


def _untied(pool: LogPool) -> LogPool:
    """The same with weights for each class."""
    k, s = len(pool.intercepts), len(pool.weights)
    ties = np.zeros((k, s + 1, s + k))
    ties[:, :s, :s] = np.eye(s)
    ties[:, s, s:] = np.eye(k)
    tie = ties.reshape(k * (s + 1), s + k)
    return LogPool(np.tile(pool.weights, (k, 1)), pool.intercepts, tie @ pool.covariance @ tie.T)


def _mean(pools: list[LogPool], shares: Floats) -> LogPool:
    """Mean of the coefficients, and their covariance: the mean one, and that of the means."""

    def mean(name: str) -> Floats:
        return np.tensordot(shares, np.stack([getattr(pool, name) for pool in pools]), 1)

    apart = np.cov([_flat(pool) for pool in pools], rowvar=False, bias=True, aweights=shares)
    return LogPool(mean("weights"), mean("intercepts"), mean("covariance") + apart)


def _flat(pool: LogPool) -> Floats:
    if pool.weights.ndim == 1:
        return np.concatenate([pool.weights, pool.intercepts])
    return np.column_stack([pool.weights, pool.intercepts]).ravel()
