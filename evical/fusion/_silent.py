"""Sources that are silent about some samples, and what a fusion can learn about that.

A source that speaks tells the share of its classes too. Without it that must come from elsewhere,
and other sources must count for more if they repeat it. So each common choice of sources that speak
has a fusion of its own, learned from all samples about which these sources speak. Such reduced
models beat any completion of what is missing (Saar-Tsechansky & Provost 2007, Handling missing
values when applying classification models, Journal of Machine Learning Research 8, 1623-1657).
"""

import numpy as np
from numpy.typing import NDArray

from evical.fusion._held_out import HeldOut
from evical.multiclass.pooling import LogPool

__all__ = ["among_all", "evidence", "informative", "learnable", "told", "usual_evidence"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_FEWEST = 5  # samples of each class from which a choice of sources is learned
_SAME = 1e-9  # difference of log-probabilities that is rounding
_RARE = 0.01  # share of the samples below which a choice is not worth a fusion


def evidence(probabilities: Floats, least: float) -> Floats:
    """Log-probabilities (n, K, S), less their mean over the classes; 0 for even ones.

    Parameters
    ----------
    probabilities : (S, n, K) array
    least : float
        To which smaller ones are raised.

    Returns
    -------
    (n, K, S) array
    """
    logs = np.log(np.maximum(np.moveaxis(probabilities, 0, 2), least))
    return np.ascontiguousarray(logs - logs.mean(axis=1, keepdims=True))


def usual_evidence(held_out: HeldOut) -> Floats:
    """Evidence (K, S) of a source that says only how frequent the classes are where it speaks.

    Parameters
    ----------
    held_out : HeldOut

    Returns
    -------
    (K, S) array
        Of a source that never speaks, how frequent they are at all.
    """
    speaks = np.where(held_out.silent, 0.0, held_out.weight)
    speaks[held_out.silent.all(axis=1)] = held_out.weight
    counts = held_out.targets.T @ speaks.T + 0.5
    logs = np.log(counts)
    return np.asarray(logs - logs.mean(axis=0))


def informative(says: Floats) -> Flags:
    """Sources (S,) whose evidence (n, K, S) differs from sample to sample; all, if none does.

    Parameters
    ----------
    says : (n, K, S) array

    Returns
    -------
    (S,) array of bool
    """
    differs = np.ptp(says, axis=0).max(axis=0) > _SAME
    return np.asarray(differs if differs.any() else ~differs)


def among_all(pool: LogPool, heard: Flags) -> LogPool:
    """A pool of some sources as one of all, in which the others have no weight.

    Parameters
    ----------
    pool : LogPool
    heard : (S,) array of bool

    Returns
    -------
    LogPool
    """
    if heard.all():
        return pool
    k = len(pool.intercepts)
    own = np.append(heard, True)  # with the intercept of a class
    places = np.append(heard, np.ones(k, dtype=bool)) if pool.weights.ndim == 1 else np.tile(own, k)
    covariance = np.zeros((len(places), len(places)))
    covariance[np.ix_(places, places)] = pool.covariance
    weights = np.zeros((*pool.weights.shape[:-1], len(heard)))
    weights[..., heard] = pool.weights
    return LogPool(weights, pool.intercepts, covariance)


def learnable(held_out: HeldOut) -> Flags:
    """Choices (r, S) of sources that speak, each with enough samples to learn from.

    Parameters
    ----------
    held_out : HeldOut

    Returns
    -------
    (r, S) array of bool
        None if no source is ever silent.
    """
    speaks = ~held_out.silent.T
    if speaks.all():
        return np.empty((0, speaks.shape[1]), dtype=bool)
    choices, places = np.unique(speaks, axis=0, return_inverse=True)
    times = np.bincount(places.ravel(), held_out.weight)
    common = choices[times >= _RARE * held_out.weight.sum()]
    enough = [_has_enough(held_out, _heard(speaks, choice)) for choice in common]
    return np.asarray(common[np.array(enough, dtype=bool)])


def _heard(speaks: Flags, choice: Flags) -> Flags:
    """Samples (n,) about which all chosen sources (S,) speak."""
    return np.asarray(speaks[:, choice].all(axis=1))


def _has_enough(held_out: HeldOut, rows: Flags) -> bool:
    n_classes = len(held_out.frame)
    counts = np.bincount(held_out.codes[rows], held_out.weight[rows], minlength=n_classes)
    return bool(counts.min() >= _FEWEST)


def told(held_out: HeldOut, choice: Flags) -> HeldOut:
    """What the chosen sources (S,) tell, about the samples about which all of them speak.

    Parameters
    ----------
    held_out : HeldOut
    choice : (S,) array of bool
        If it is none, one source is left that says nothing.

    Returns
    -------
    HeldOut
    """
    if choice.any():
        return held_out.part(choice, _heard(~held_out.silent.T, choice))
    even = np.full((1, *held_out.probabilities.shape[1:]), 1 / len(held_out.frame))
    none = np.zeros(even.shape[:2], dtype=bool)
    return HeldOut(held_out.frame, (), even, none, held_out.codes, held_out.weight)
