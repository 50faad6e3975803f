"""Maximum likelihood estimates of observers' error rates, by expectation and maximization.

Source: Dawid & Skene, "Maximum likelihood estimation of observer error-rates using the EM
algorithm", Applied Statistics 28 (1979), 20-28.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from evical._typing import Floats

__all__ = ["PATIENTS", "DawidSkene", "dawid_skene", "patients"]

_LEAST = 1e-10
_CLOSE = 1e-10

PATIENTS = (
    "1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 "
    "2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 "
    "2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 "
    "2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 "
    "2222222"
)
"""Fitness for anesthesia of 45 patients, 1 to 4: three times by observer 1, once by four others.

Table 1 of Dawid & Skene (1979).
"""


class DawidSkene(NamedTuple):
    """Estimates of the model.

    Parameters
    ----------
    posterior : (n, K) array
    prevalence : (K,) array
    confusion : (S, K, K) array
        Probability that an observer votes for a class (last axis) where another is true.
    """

    posterior: Floats
    prevalence: Floats
    confusion: Floats


def patients() -> Floats:
    """Counts (5, 45, 4) of the votes of each observer on each patient, from `PATIENTS`."""
    counts = np.zeros((5, 45, 4))
    for i, votes in enumerate(PATIENTS.split()):
        for place, vote in enumerate(votes):
            counts[max(place - 2, 0), i, int(vote) - 1] += 1
    return counts


def dawid_skene(counts: Floats, one_coin: bool = False, n_steps: int = 1000) -> DawidSkene:
    """Estimates from votes, starting from the shares of the votes on each item.

    Parameters
    ----------
    counts : (S, n, K) array
        How often an observer voted for a class, about an item.
    one_coin : bool
        Whether an observer is right with one probability, and all errors are equally likely.
    n_steps : int

    Returns
    -------
    DawidSkene

    Examples
    --------
    >>> dawid_skene(patients()).prevalence.round(2)
    array([0.4 , 0.42, 0.11, 0.07])
    """
    k = counts.shape[2]
    votes = counts.sum(axis=0)
    posterior = (votes + _LEAST) / (votes + _LEAST).sum(axis=1, keepdims=True)
    given = counts.sum(axis=(1, 2))
    for _ in range(n_steps):
        prevalence = posterior.mean(axis=0)
        joint = np.einsum("nj,snl->sjl", posterior, counts)
        if one_coin:
            right = np.einsum("sjj->s", joint) / np.maximum(given, _LEAST)
            wrong = (1 - right) / (k - 1)
            confusion = np.tile(wrong[:, np.newaxis, np.newaxis], (1, k, k))
            confusion[:, np.arange(k), np.arange(k)] = right[:, np.newaxis]
        else:
            confusion = joint / np.maximum(joint.sum(axis=2, keepdims=True), _LEAST)
        logs = np.log(np.maximum(prevalence, _LEAST))
        logs = logs + np.einsum("sjl,snl->nj", np.log(np.maximum(confusion, _LEAST)), counts)
        before, posterior = posterior, softmax(logs, axis=1)
        if np.abs(posterior - before).max() < _CLOSE:
            break
    return DawidSkene(posterior, prevalence, confusion)
