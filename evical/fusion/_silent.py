"""Sources that are silent about some samples, and what a fusion can learn about that.

A source that speaks tells the share of its classes too. Without it that must come from elsewhere,
and other sources must count for more if they repeat it. So each common choice of sources that speak
has a fusion of its own (reduced models: Saar-Tsechansky & Provost 2007, Handling missing values
when applying classification models, Journal of Machine Learning Research 8, 1623-1657). It learns
from the samples about which all of them speak and, as far as these favor that, from the others too,
where a silent source has the evidence with which it favors no class.
"""

from dataclasses import replace

import numpy as np

from evical._typing import Flags, Floats
from evical.beliefs import as_beliefs
from evical.fusion._held_out import HeldOut
from evical.fusion._log_pool import LogPool

__all__ = [
    "among_all",
    "complete",
    "evidence",
    "informative",
    "learnable",
    "told",
    "usual_evidence",
]


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


def usual_evidence(held_out: HeldOut, says: Floats) -> Floats:
    """Evidence (K, S) of a source that favors no class: the mean of its means in each class.

    For a calibrated source this is about how frequent the classes are; exactly, if its evidence is
    normal with the same variance in each of two classes. Each class has one sample more, about
    which a source says how frequent the classes are where it speaks.

    Parameters
    ----------
    held_out : HeldOut
    says : (n, K, S) array
        Evidence.

    Returns
    -------
    (K, S) array
        Of a source that never speaks, how frequent they are at all.
    """
    speaks = np.where(held_out.silent, 0.0, held_out.weight)
    counts = held_out.targets.T @ speaks.T
    at_all = held_out.weight @ held_out.targets
    frequent = np.where(held_out.silent.all(axis=1), at_all[:, np.newaxis], counts)
    logs = np.log(frequent + 0.5)
    logs -= logs.mean(axis=0)
    each = 1.0 / (counts + 1.0)  # weight of a sample in the mean of its class
    total = np.einsum("sn,nks->ks", speaks * each[held_out.codes].T, says)
    return np.asarray((total + logs * each.sum(axis=0)) / len(counts))


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
    return replace(pool, weights=weights, covariance=covariance)


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
    enough = [_has_enough(held_out, _all_of(speaks[:, choice])) for choice in common]
    return np.asarray(common[np.array(enough, dtype=bool)])


def _all_of(speaks: Flags) -> Flags:
    """Samples (n,) about which all sources speak, given by sample and source."""
    return np.asarray(speaks.all(axis=1))


def _has_enough(held_out: HeldOut, rows: Flags) -> bool:
    n_classes = len(held_out.frame)
    counts = np.bincount(held_out.codes[rows], held_out.weight[rows], minlength=n_classes)
    return bool(counts.min() >= _FEWEST)


def complete(held_out: HeldOut) -> Flags:
    """Samples (n,) about which all sources speak; all samples, if these are too few to learn from.

    Parameters
    ----------
    held_out : HeldOut

    Returns
    -------
    (n,) array of bool
    """
    rows = _all_of(~held_out.silent.T)
    return rows if _has_enough(held_out, rows) else np.ones_like(rows)


def told(held_out: HeldOut, choice: Flags) -> HeldOut:
    """What the chosen sources (S,) tell.

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
        return held_out.part(choice)
    n, k = len(held_out.codes), len(held_out.frame)
    even = as_beliefs(np.full((n, k), 1 / k), held_out.sources[0].classes)
    return replace(held_out, sources=(even,))
