"""Ways to fuse without labels: all learn from the same rows, and fuse others."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy.special import softmax

from evical._typing import Floats, Indices
from evical.beliefs import Beliefs, as_beliefs
from evical.fusion import Consensus, Stacked
from examples.studies.label_free.dawid_skene import dawid_skene

__all__ = [
    "CHOSEN_ON",
    "DEFAULT",
    "MEAN",
    "MIXTURE",
    "NO_LABELS",
    "STACKED",
    "WAYS",
    "beliefs",
    "consensus",
    "crowd_kit",
    "interval",
    "labeled",
]

_LEAST = 1e-4

DEFAULT, MEAN = "Consensus", "mean"
NO_LABELS, MIXTURE, STACKED = "no labels", "Consensus with labels", "Stacked"

CHOSEN_ON = (
    "sonar",
    "diabetes",
    "australian",
    "german_numeric",
    "svmguide1_train",
    "mammography",
    "vehicle",
    "glass",
    "satimage_train",
    "wine",
)
"""Data sets on which the method and its constants were chosen."""


def beliefs(p: Floats) -> list[Beliefs]:
    """Beliefs of each source from probabilities (S, n, K), NaN where there are none."""
    return [as_beliefs(one, np.arange(p.shape[2])) for one in p]


def consensus(seen: Floats, new: Floats, dependence: float | None = None) -> Floats:
    """Probabilities (m, K) by `Consensus`.

    Parameters
    ----------
    seen, new : (S, n, K) and (S, m, K) arrays
    dependence : float, optional
        Default: that of `Consensus`.
    """
    rule = Consensus() if dependence is None else Consensus(dependence=dependence)
    return rule._fit(beliefs(seen)).combine(beliefs(new)).betp()


def interval(seen: Floats, new: Floats, dependence: float | None = None) -> Floats:
    """[Bel, Pl] (m, K, 2) of the "confidence" model at 0.95."""
    rule = Consensus(model="confidence")
    if dependence is not None:
        rule.set_params(dependence=dependence)
    return rule._fit(beliefs(seen)).combine(beliefs(new)).interval()


def _mean(seen: Floats, new: Floats) -> Floats:
    return np.asarray(np.nanmean(new, axis=0))


def _logs(p: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(p, _LEAST)))


def _log_pool(seen: Floats, new: Floats) -> Floats:
    return np.asarray(softmax(_logs(new).mean(axis=0), axis=1))


def _dempster(seen: Floats, new: Floats) -> Floats:
    return np.asarray(softmax(np.log(np.maximum(new, 1e-15)).sum(axis=0), axis=1))


def _votes(p: Floats) -> Floats:
    """Counts (S, n, K) of the first classes of each source."""
    votes = np.eye(p.shape[2])[np.nan_to_num(p).argmax(axis=2)]
    return np.asarray(votes * ~np.isnan(p[..., :1]))


def _smoothed_votes(seen: Floats, new: Floats) -> Floats:
    counts = _votes(new).sum(axis=0) + 1
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _half_and_half(seen: Floats, new: Floats) -> Floats:
    """Half the mean, half the logarithmic pool weighted by kappa with the mean of the others."""
    weights = np.array([_kappa(seen, own) for own in range(len(seen))])
    weights = weights / weights.sum() if weights.any() else np.full(len(seen), 1 / len(seen))
    pooled = softmax(np.tensordot(weights, _logs(new), 1), axis=1)
    return np.asarray((new.mean(axis=0) + pooled) / 2)


def _kappa(p: Floats, own: int) -> float:
    """Cohen's kappa of a source and the mean of the others, at least 0."""
    others = np.delete(p, own, axis=0).mean(axis=0).argmax(axis=1)
    first, k = p[own].argmax(axis=1), p.shape[2]
    chance = float(np.bincount(first, minlength=k) @ np.bincount(others, minlength=k))
    chance /= len(first) ** 2
    return max((float(np.mean(first == others)) - chance) / (1 - chance), 0) if chance < 1 else 0.0


def _dawid_skene(one_coin: bool) -> Callable[[Floats, Floats], Floats]:
    """Estimates of all rows together, as the model has no prediction for others."""

    def way(seen: Floats, new: Floats) -> Floats:
        both = np.concatenate([seen, new], axis=1)
        return dawid_skene(_votes(both), one_coin, 200).posterior[seen.shape[1] :]

    return way


WAYS: dict[str, Callable[[Floats, Floats], Floats]] = {
    MEAN: _mean,
    DEFAULT: consensus,
    "Consensus(dependence=0)": lambda seen, new: consensus(seen, new, 0.0),
    "half mean, half agreement pool": _half_and_half,
    "log pool": _log_pool,
    "smoothed votes": _smoothed_votes,
    "Dempster's rule": _dempster,
    "Dawid-Skene": _dawid_skene(one_coin=False),
    "Dawid-Skene, one coin": _dawid_skene(one_coin=True),
}
"""Name to a function from seen and new probabilities to those (m, K) of the new rows."""


def crowd_kit(p: Floats) -> Floats:
    """Probabilities (n, K) by the Dawid-Skene model of crowd-kit, of votes (S, n, K).

    Parameters
    ----------
    p : (S, n, K) array
        0 and 1, NaN where there is no vote.
    """
    import pandas as pd
    from crowdkit.aggregation import DawidSkene  # type: ignore[import-not-found]  # an optional rival

    source, item, vote = np.nonzero(_votes(p))
    votes = pd.DataFrame({"task": item, "worker": source, "label": vote})
    with warnings.catch_warnings(action="ignore"):  # of one package about another
        found = DawidSkene(n_iter=100).fit(votes).probas_
    return np.asarray(found.reindex(columns=range(p.shape[2]), fill_value=0).sort_index())


def labeled(seen: Floats, y: Indices, new: Floats, m: int) -> dict[str, Floats]:
    """Probabilities of new rows without labels, with labels of m rows, and from those m rows alone.

    Parameters
    ----------
    seen, new : (S, n, K) and (S, l, K) arrays
    y : (n,) array
    m : int

    Returns
    -------
    dict of str to (l, K) array
        Nothing if a class has fewer than two of the labels.
    """
    if np.bincount(y[:m], minlength=seen.shape[2]).min() < 2:
        return {}
    some = y.astype(object)
    some[m:] = None
    fusions = {
        NO_LABELS: Consensus()._fit(beliefs(seen)),
        MIXTURE: Consensus()._fit(beliefs(seen), some),
        STACKED: Stacked()._fit(beliefs(seen[:, :m]), y[:m]),
    }
    return {name: rule.combine(beliefs(new)).betp() for name, rule in fusions.items()}


def log_loss(p: Floats, y: Indices) -> float:
    """Mean log loss of probabilities that are at least 1e-4, for every way alike."""
    kept = np.maximum(p, _LEAST)
    kept = kept / kept.sum(axis=1, keepdims=True)
    return float(-np.log(kept[np.arange(len(y)), y]).mean())
