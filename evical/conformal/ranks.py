"""Conformal p-values: how many calibration samples are at least as nonconforming as a class.

If the new sample with its true class is exchangeable with n calibration samples, the rank of its
score among all n + 1 is uniform, up to ties. So the share of scores at least as great is a valid
p-value: P(p <= alpha) <= alpha, for any score and any n (Vovk, Gammerman & Shafer 2005,
Algorithmic Learning in a Random World, ch. 2). Within a class or a group of samples the same holds
for the class or the group (ch. 4, Mondrian predictors). With weights proportional to the ratio of
densities it holds under covariate shift (Tibshirani, Barber, Candes & Ramdas 2019, Conformal
prediction under covariate shift, NeurIPS).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import as_floats
from evical._typing import Floats
from evical.conformal.calibration import ScoreSample
from evical.scores.checks import check_weights, refuse


def p_values(
    calibration: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    new_weights: ArrayLike = 1.0,
    tau: ArrayLike | None = None,
) -> Floats:
    """Share of calibration scores that are at least as great, the new one counted too.

    Parameters
    ----------
    calibration : (n,) array
        Nonconformity of each calibration sample with its true class; n may be 0.
    scores : (m, K) array
        Nonconformity of new samples with each class; or (m,), with one class.
    weights : (n,) array, optional
        Non-negative; a weight of 2 counts as two samples. Under covariate shift, the ratio of the
        density of new samples to that of calibration samples, times any constant.
    new_weights : float or (m,) array
        Weight of the new samples: their ratio under covariate shift, else 1.
    tau : (m,) or (m, K) array, optional
        Uniform random numbers. They smooth: a tie counts as this share of itself, so that the
        p-value of the true class is exactly uniform.

    Returns
    -------
    array, shaped like `scores`
        ``(w + sum of weights of scores >= s) / (w + sum of weights)``, with w the new weight;
        smoothed, ``(sum of weights > s + tau (w + sum of weights = s)) / (w + sum of weights)``.
        Without calibration samples it is 1, or tau.

    Raises
    ------
    ValueError
        If a score is NaN, a weight negative or not finite, a tau outside [0, 1], or a shape wrong.

    References
    ----------
    Vovk, Gammerman & Shafer (2005), ch. 2; Tibshirani, Barber, Candes & Ramdas (2019).

    Examples
    --------
    >>> p_values([0.1, 0.2, 0.2, 0.7], [[0.2, 0.5, 0.9]])
    array([[0.8, 0.4, 0.2]])
    >>> p_values([0.1, 0.2, 0.2, 0.7], [[0.2, 0.5, 0.9]], tau=[0.5])
    array([[0.5, 0.3, 0.1]])
    >>> p_values([0.1, 0.2, 0.7], [[0.2, 0.5, 0.9]], weights=[1, 2, 1])
    array([[0.8, 0.4, 0.2]])
    """
    sample, new = ScoreSample.of(*_calibration(calibration, weights)), _scores(scores)
    return sample.counts(new, ties=tau is not None).p_values(*_of_new(new, new_weights, tau))


def _calibration(calibration: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Any]:
    """Scores (n,) and their weights, or None."""
    scores = as_floats(calibration, "calibration")
    if scores.ndim != 1:
        raise ValueError(f"calibration has shape {scores.shape}, expected (n,)")
    refuse(scores, np.isnan(scores), "calibration", "a score")
    return scores, check_weights(weights, len(scores), "weights")


def _scores(scores: ArrayLike) -> Floats:
    new = as_floats(scores, "scores")
    if new.ndim not in (1, 2):
        raise ValueError(f"scores have shape {new.shape}, expected (m, K) or (m,)")
    refuse(new, np.isnan(new), "scores", "a number")
    return new


def _of_new(new: Floats, new_weights: ArrayLike, tau: ArrayLike | None) -> tuple[Any, Any]:
    """Weights and tau of new samples, in shapes that broadcast against the scores."""
    amounts = as_floats(new_weights, "new_weights")
    if amounts.shape not in ((), new.shape[:1]):
        raise ValueError(f"new_weights have shape {amounts.shape}, expected ({len(new)},)")
    wrong = ~((amounts >= 0) & (amounts < np.inf))
    refuse(amounts, wrong, "new_weights", "a finite number from 0")
    if tau is None:
        return _in_rows(amounts, new), None
    ties = as_floats(tau, "tau")
    if ties.shape not in (new.shape[:1], new.shape):
        raise ValueError(f"tau has shape {ties.shape}, expected ({len(new)},) or {new.shape}")
    refuse(ties, ~((ties >= 0) & (ties <= 1)), "tau", "a number in [0, 1]")
    return _in_rows(amounts, new), _in_rows(ties, new)


def _in_rows(numbers: Floats, new: Floats) -> Floats:
    return numbers[:, np.newaxis] if numbers.ndim == 1 and new.ndim == 2 else numbers
