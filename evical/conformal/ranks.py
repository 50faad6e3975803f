"""Conformal p-values: how many calibration samples are at least as strange as a class.

If the new sample with its true class is exchangeable with n calibration samples, the rank of its
score among all n + 1 is uniform, up to ties. So the share of scores at least as great is a valid
p-value: P(p <= alpha) <= alpha, for any score and any n (Vovk, Gammerman & Shafer 2005,
Algorithmic Learning in a Random World, ch. 2). Within a class or a group of samples the same holds
for the class or the group (ch. 4, Mondrian predictors). With weights proportional to the ratio of
densities it holds under covariate shift (Tibshirani, Barber, Candes & Ramdas 2019, Conformal
prediction under covariate shift, NeurIPS).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import as_array, as_floats
from evical._typing import Floats
from evical.conformal._counts import ClassSamples, GroupSamples, ScoreSample
from evical.scores.checks import check_weights


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


def class_p_values(
    calibration: ArrayLike,
    y: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    new_weights: ArrayLike = 1.0,
    tau: ArrayLike | None = None,
) -> Floats:
    """The same, each class compared with the calibration samples of that class.

    Parameters
    ----------
    calibration : (n,) array
        Nonconformity of each calibration sample with its true class.
    y : (n,) array of int
        Its class, 0 to K - 1, a column of `scores`.
    scores : (m, K) array
        Nonconformity of new samples with each class.
    weights, new_weights, tau
        As in `p_values`.

    Returns
    -------
    (m, K) array
        The true class has P(p <= alpha) <= alpha for samples of each class. A class without
        calibration samples has 1.

    Raises
    ------
    ValueError
        As `p_values`; if a class is not a column.

    References
    ----------
    Vovk, Gammerman & Shafer (2005), ch. 4.

    Examples
    --------
    >>> class_p_values([0.1, 0.3, 0.8], [0, 0, 1], [[0.2, 0.9, 0.9]])
    array([[0.66666667, 0.5       , 1.        ]])
    """
    new = _scores(scores)
    if new.ndim != 2:
        raise ValueError(f"scores have shape {new.shape}, expected (m, K)")
    given, amounts = _calibration(calibration, weights)
    codes = _same_length("y", _codes(y, new.shape[1]), given)
    samples = ClassSamples.of(given, codes, new.shape[1], amounts)
    counts = samples.counts(new, ties=tau is not None)
    return counts.p_values(*_of_new(new, new_weights, tau))


def group_p_values(
    calibration: ArrayLike,
    groups: ArrayLike,
    scores: ArrayLike,
    new_groups: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    new_weights: ArrayLike = 1.0,
    tau: ArrayLike | None = None,
) -> Floats:
    """The same, each new sample compared with the calibration samples of its group.

    Parameters
    ----------
    calibration : (n,) array
        Nonconformity of each calibration sample with its true class.
    groups : (n,) array
        Of the calibration samples, known before their classes are.
    scores : (m, K) or (m,) array
        Nonconformity of new samples with each class.
    new_groups : (m,) array
        Of the new samples.
    weights, new_weights, tau
        As in `p_values`.

    Returns
    -------
    array, shaped like `scores`
        The true class has P(p <= alpha) <= alpha for samples of each group. In a group without
        calibration samples all are 1.

    Raises
    ------
    ValueError
        As `p_values`; if there is not one group for each sample.

    References
    ----------
    Vovk, Gammerman & Shafer (2005), ch. 4.

    Examples
    --------
    >>> group_p_values([0.1, 0.3, 0.8], ["a", "a", "b"], [0.2, 0.2, 0.2], ["a", "b", "c"])
    array([0.66666667, 1.        , 1.        ])
    """
    given, amounts = _calibration(calibration, weights)
    new, other = _scores(scores), as_array(new_groups, "new_groups")
    if other.shape != new.shape[:1]:
        raise ValueError(f"new_groups have shape {other.shape}, expected ({len(new)},)")
    own = _same_length("groups", as_array(groups, "groups"), given)
    counts = GroupSamples.of(given, own, amounts).counts(new, other, ties=tau is not None)
    return counts.p_values(*_of_new(new, new_weights, tau))


def _calibration(calibration: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Any]:
    """Scores (n,) and their weights, or None."""
    scores = as_floats(calibration, "calibration")
    if scores.ndim != 1:
        raise ValueError(f"calibration has shape {scores.shape}, expected (n,)")
    if np.isnan(scores).any():
        raise ValueError(f"calibration[{int(np.argmax(np.isnan(scores)))}] is nan, not a score")
    return scores, check_weights(weights, len(scores), "weights")


def _same_length(name: str, labels: NDArray[Any], scores: Floats) -> NDArray[Any]:
    if labels.shape != scores.shape:
        raise ValueError(
            f"{name} has shape {labels.shape}, expected ({len(scores)},), one for each "
            "calibration score"
        )
    return labels


def _scores(scores: ArrayLike) -> Floats:
    new = as_floats(scores, "scores")
    if new.ndim not in (1, 2):
        raise ValueError(f"scores have shape {new.shape}, expected (m, K) or (m,)")
    wrong = np.isnan(new).reshape(len(new), -1).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"scores are {new[row].tolist()} in row {row}, expected numbers")
    return new


def _codes(y: ArrayLike, n_classes: int) -> NDArray[Any]:
    codes = as_array(y, "y")
    if codes.dtype.kind not in "iu" and codes.size:
        raise TypeError(f"y holds columns of scores (int), not {codes.dtype.name}")
    wrong = (codes < 0) | (codes >= n_classes)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"y[{row}] is {codes[row]}, expected a column, 0 to {n_classes - 1}")
    return codes


def _of_new(new: Floats, new_weights: ArrayLike, tau: ArrayLike | None) -> tuple[Any, Any]:
    """Weights and tau of new samples, in shapes that broadcast against the scores."""
    amounts = as_floats(new_weights, "new_weights")
    if amounts.shape not in ((), new.shape[:1]):
        raise ValueError(f"new_weights have shape {amounts.shape}, expected ({len(new)},)")
    if not ((amounts >= 0) & (amounts < np.inf)).all():
        wrong = amounts[~((amounts >= 0) & (amounts < np.inf))].flat[0]
        raise ValueError(f"new_weights hold {wrong}, expected finite numbers from 0")
    if tau is None:
        return _in_rows(amounts, new), None
    ties = as_floats(tau, "tau")
    if ties.shape not in (new.shape[:1], new.shape):
        raise ValueError(f"tau has shape {ties.shape}, expected ({len(new)},) or {new.shape}")
    if not ((ties >= 0) & (ties <= 1)).all():
        raise ValueError(f"tau holds {ties[~((ties >= 0) & (ties <= 1))].flat[0]}, not in [0, 1]")
    return _in_rows(amounts, new), _in_rows(ties, new)


def _in_rows(numbers: Floats, new: Floats) -> Floats:
    return numbers[:, np.newaxis] if numbers.ndim == 1 and new.ndim == 2 else numbers
