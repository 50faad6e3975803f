"""Learned fusions as graphs: `evical.fusion.Stacked` and `evical.fusion.Consensus`.

Both are closed formulas of the probabilities of the sources. `Stacked`: logarithms, one product
with the weights, the delta method, and for two classes the calibration curve, whose lines are kept
as they are. `Consensus`: a mean and a pool, the spread of the evidence over the sources, and where
it has learned from labels a `Stacked`.
"""

from collections.abc import Sequence
from functools import reduce
from operator import add, and_
from typing import NamedTuple

import numpy as np

from evical._typing import Floats
from evical.curves.candidates import AveragedCurve
from evical.export._multiclass import normal_beliefs, values_of
from evical.export._table import PieceTable, polyline
from evical.export._tensor import (
    BeliefTensors,
    Tensor,
    exp,
    joined,
    log,
    maximum,
    sigmoid,
    softmax,
    unless,
    where,
)
from evical.fusion import Consensus, Stacked
from evical.scores.scale import interpolated

_GREATEST = float(np.finfo(np.float64).max)


class Source(NamedTuple):
    """What a fusion reads of a source.

    `probabilities` (n, K) are of all classes; `silent` (n, 1) says where it has no belief, None if
    it always has one.
    """

    probabilities: Tensor
    silent: Tensor | None


class Odds(NamedTuple):
    """Fused probabilities, log-odds and their standard errors: (n, 1) of two classes, or (n, K)."""

    probability: Tensor
    log_odds: Tensor
    error: Tensor


def stacked(fusion: Stacked, sources: Sequence[Source]) -> BeliefTensors:
    """Fused beliefs of `Stacked`."""
    return normal_beliefs(*_odds(fusion, sources), fusion, len(fusion.frame_ or ()))


def _odds(fusion: Stacked, sources: Sequence[Source]) -> Odds:
    silent = [source.silent for source in sources]
    found = _pooled(fusion, [source.probabilities for source in sources], silent)
    for choice, reduced in zip(fusion._choices, fusion._reduced, strict=True):
        own = _speaks(silent, choice.tolist())
        if own is not None:
            parts = [s.probabilities for s, chosen in zip(sources, choice, strict=True) if chosen]
            # Where no source speaks there is one that says nothing.
            parts = parts or [where(sources[0].probabilities.is_nan(), 1.0, 1.0)]
            other = _pooled(reduced, parts, [None] * len(parts))
            found = Odds(*(where(own, new, old) for new, old in zip(other, found, strict=True)))
    return found


def consensus(fusion: Consensus, sources: Sequence[Source]) -> BeliefTensors:
    """Fused beliefs of `Consensus`, vacuous where no source with a weight is available."""
    k = len(fusion.prevalence_)
    found, nothing = consensus_odds(fusion, sources, fusion.weights_)
    if k == 2:
        found = Odds(*(one.columns([1]) for one in found))
    return unless(nothing, normal_beliefs(*found, fusion, k).parts, k)


def consensus_odds(
    fusion: Consensus, sources: Sequence[Source], weights: Floats
) -> tuple[Odds, Tensor]:
    """The same as log-odds of each of K classes, and where (n, 1) no source is available."""
    k = len(fusion.prevalence_)
    p = [
        one.probabilities if one.silent is None else where(one.silent, 1 / k, one.probabilities)
        for one in sources
    ]
    heard = [
        where(one.probabilities.columns([0]).is_nan(), 1.0, 1.0)
        if one.silent is None
        else one.silent.node("Not").numbers()
        for one in sources
    ]
    own = joined(heard) * weights[np.newaxis]
    total = own.sum(axis=1)
    nothing = total.equals(0.0)
    total = where(nothing, 1.0, total)
    parts = [own.columns([place]) for place in range(len(p))]
    prior = np.log(fusion.prevalence_)[np.newaxis]
    says = [log(maximum(one, fusion._floor)) - prior for one in p]
    evidence = reduce(add, [part * one for part, one in zip(parts, says, strict=True)])
    mean = reduce(add, [part * one for part, one in zip(parts, p, strict=True)]) / total
    pooled = softmax(evidence * fusion.sharpness_ + prior)
    dependence = fusion.dependence_
    fused = mean * dependence + pooled * (1.0 - dependence)
    error = _spread(fusion, parts, says, pooled, total)
    if fusion._stacked is not None:
        share, learned = fusion.label_share_, _odds(fusion._stacked, sources)
        other = learned.probability
        other = joined([1.0 - other, other]) if k == 2 else other
        ahead, new = log(maximum(fused, fusion._least)), log(maximum(other, fusion._least))
        fused = softmax(ahead * (1 - share) + new * share)
        error = error * (1 - share) + learned.error * share
    log_odds = log(maximum(fused, fusion._least)) - log(maximum(1.0 - fused, fusion._least))
    return Odds(fused, log_odds, error), nothing


def _spread(
    fusion: Consensus,
    parts: Sequence[Tensor],
    says: Sequence[Tensor],
    pooled: Tensor,
    total: Tensor,
) -> Tensor:
    """Standard errors (n, K) of the log-odds, as `Consensus` has them without labels."""
    against = []
    for one in says:
        own = pooled * one
        rest = (own.sum(axis=1) - own) / maximum(1.0 - pooled, 1e-12)
        against.append(one - rest)
    moments = [
        reduce(add, [part * one for part, one in zip(parts, ones, strict=True)]) / total
        for ones in (against, [one * one for one in against])
    ]
    mean, square = moments[0], moments[0] * moments[0]
    effective = total * total / reduce(add, [part * part for part in parts])
    drawn = maximum(moments[1] - square, 0.0) / maximum(effective - 1.0, 0.5)
    reach = total * fusion.sharpness_
    sharpness = mean * fusion._sharpness_error
    variance = reach * reach * (drawn + sharpness * sharpness)
    return (variance + fusion._least_variance).node("Sqrt")


def _speaks(silent: Sequence[Tensor | None], choice: Sequence[bool]) -> Tensor | None:
    """Where the chosen sources speak, and no others; None if that is nowhere or cannot be."""
    if any(flag is None and not chosen for flag, chosen in zip(silent, choice, strict=True)):
        return None
    flags = [
        flag.node("Not") if chosen else flag
        for flag, chosen in zip(silent, choice, strict=True)
        if flag is not None
    ]
    return reduce(and_, flags) if flags else None


def _pooled(
    fusion: Stacked, probabilities: Sequence[Tensor], silent: Sequence[Tensor | None]
) -> Odds:
    """What a fusion says where it is the one to ask."""
    says = [
        _evidence(p, fusion._least, flag, fusion._usual[:, place])
        for place, (p, flag) in enumerate(zip(probabilities, silent, strict=True))
    ]
    pool = fusion._pool
    weights = np.broadcast_to(pool.weights, (len(pool.intercepts), len(says)))
    parts = [one * weights[np.newaxis, :, place] for place, one in enumerate(says)]
    logits = reduce(add, parts) + pool.intercepts[np.newaxis]
    if fusion._curve is not None:
        return _calibrated(fusion._curve, _of_two(says, logits, pool.covariance))
    return _of_many(says, logits, pool.covariance, tied=pool.weights.ndim == 1)


def _evidence(p: Tensor, least: float, silent: Tensor | None, usual: Floats) -> Tensor:
    """Log-probabilities (n, K), less their mean over the classes."""
    logs = log(maximum(p, least))
    says = logs - logs.mean(axis=1)
    return says if silent is None else where(silent, usual[np.newaxis], says)


def _of_two(says: Sequence[Tensor], logits: Tensor, covariance: Floats) -> Odds:
    """Log-odds of the second of two classes; their gradient is a difference of evidence."""
    apart = np.array([[-1.0], [1.0]])
    odds = logits @ apart
    gradient = joined([one @ apart for one in says])
    s = len(says)
    both = np.vstack([np.eye(s, s + 2), np.zeros((1, s + 2))])
    both[s, s:] = -1.0, 1.0
    root = both @ _root(covariance)
    moved = gradient @ root[:s] + root[np.newaxis, s]
    return Odds(sigmoid(odds), odds, _length(moved, axis=1))


def _of_many(says: Sequence[Tensor], logits: Tensor, covariance: Floats, *, tied: bool) -> Odds:
    """The same of each of K classes.

    With q the probabilities of the other classes among themselves, the derivative of the log-odds
    of k is that of the logit of k less the mean of the other ones under q.
    """
    size, s = len(covariance), len(says)
    k = size - s if tied else size // (s + 1)
    own = Tensor(logits.graph, logits.graph.constant(np.eye(k, dtype=bool)[np.newaxis]))
    others = where(own, -_GREATEST, logits.reshape(-1, 1, k))
    top = others.max(axis=2)
    rest = (log(exp(others - top).sum(axis=2)) + top).reshape(-1, k)
    odds = logits - rest
    every = joined([one.reshape(-1, k, 1) for one in says], axis=2)
    root = _root(covariance)
    # Changes (n, K, P) of the logits by unit steps of common weights and of intercepts, or of own.
    slopes = every @ root[:s] + root[np.newaxis, s:] if tied else _own_slopes(every, root, k, s)
    moved = slopes - softmax(others) @ slopes
    return Odds(softmax(logits), odds, _length(moved, axis=2).reshape(-1, k))


def _own_slopes(every: Tensor, root: Floats, k: int, s: int) -> Tensor:
    """Changes (n, K, P) of the logits by unit steps of weights and intercepts of each class."""
    blocks = root.reshape(k, s + 1, -1)
    ahead = every.reshape(-1, k, 1, s) @ blocks[np.newaxis, :, :s]
    return ahead.reshape(-1, k, root.shape[1]) + blocks[np.newaxis, :, s]


def _root(covariance: Floats) -> Floats:
    """A matrix whose square is the covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _length(moved: Tensor, axis: int) -> Tensor:
    return (moved * moved).sum(axis=axis).node("Sqrt")


def _calibrated(curve: AveragedCurve, fused: Odds) -> Odds:
    """Fused log-odds of two classes on the calibration curve."""
    table = _curve(curve, curve.probability, curve.log_odds, curve.error)
    odds_only = _curve(curve, curve.log_odds)
    scores, error = fused.log_odds, fused.error
    found = values_of(table, scores)
    p, odds, own = (found.columns([place]) for place in range(3))
    ahead, behind = values_of(odds_only, scores + error), values_of(odds_only, scores - error)
    pulled = (ahead - behind) * 0.5
    return Odds(p, odds, _length(joined([own, pulled]), axis=1))


def _curve(curve: AveragedCurve, *rows: Floats) -> PieceTable:
    """The lines of a curve between its knots, constant outside of them."""

    def at(scores: Floats) -> Floats:
        return np.stack([interpolated(scores, curve.scores, row) for row in rows])

    return polyline(np.concatenate([[-_GREATEST], curve.scores]), _GREATEST, at)
