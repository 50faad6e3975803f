"""Profit and cost of decisions by probabilities, with values that may differ between samples.

For each sample, the act with the largest expected profit is chosen; the metric averages its actual
profit. Good probabilities make good decisions. Elkan 2001; Zadrozny & Elkan 2002, section 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evical._typing import Floats, Label, Labels, Weights
from evical.metrics.inputs import (
    ClassSample,
    Predicted,
    average,
    binary_sample,
    class_sample,
    numbers,
)
from evical.scores.checks import check_column_order, check_same_length


def decision_profit(
    y_true: ArrayLike,
    y_prob: Predicted,
    profit: ArrayLike,
    *,
    labels: Labels = None,
    sample_weight: Weights = None,
) -> float:
    r"""Mean profit of the acts of greatest expected profit.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    profit : (A, K) or (n, A, K) array
        Of each act under each class, common to all samples or one for each sample.
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All others as in `brier_score`.

    Returns
    -------
    float
        In units of `profit`.

    Raises
    ------
    ValueError
        As `brier_score`, or if `profit` has another shape or holds NaN.

    Notes
    -----
    :math:`\frac1n \sum_i g_i(a_i, y_i)`, where :math:`a_i` maximizes
    :math:`\sum_k p_{ik} g_i(a, k)`, the first of equally good acts.

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI, 973-978; Zadrozny & Elkan
    (2002), section 5.

    Examples
    --------
    The acts are to do nothing, or to spend 1 and win 5 if the class is 1. The second is chosen if 5
    p > 1, and brings -1, 4 and 4 in three of five cases:

    >>> decision_profit([0, 1, 0, 1, 1], [0.1, 0.1, 0.3, 0.5, 0.9], [[0, 0], [-1, 4]])
    1.4
    """
    return _mean_profit(class_sample(y_true, y_prob, labels, sample_weight), profit, "profit", 1)


def decision_cost(
    y_true: ArrayLike,
    y_prob: Predicted,
    cost: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean cost of the acts of least expected cost.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    cost : (A, K) or (n, A, K) array
        Of each act under each class, common to all samples or one for each sample.
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All others as in `brier_score`.

    Returns
    -------
    float
        In units of `cost`.

    Raises
    ------
    ValueError
        As `decision_profit`.

    Examples
    --------
    A missed positive costs 5, a false alarm 1. The decision is positive if 5 p > 1 - p, and the
    five cases cost 0, 5, 1, 0, 0:

    >>> decision_cost([0, 1, 0, 1, 1], [0.1, 0.1, 0.3, 0.5, 0.9], [[0, 5], [1, 0]])
    1.2
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    return 0.0 - _mean_profit(sample, cost, "cost", -1)


def _mean_profit(sample: ClassSample, values: ArrayLike, name: str, sign: int) -> float:
    """Mean profit of the best acts, from profits, or from costs with the sign -1."""
    gains = sign * numbers(values, name)
    n, n_classes = sample.p.shape
    if gains.ndim not in (2, 3) or gains.shape[-1] != n_classes or gains.shape[-2] == 0:
        raise ValueError(
            f"{name} has shape {gains.shape}, expected (n_acts, {n_classes}) or ({n}, n_acts, "
            f"{n_classes})"
        )
    check_column_order(values, sample.labels, name)
    if gains.ndim == 3:
        check_same_length(y_true=sample.codes, **{name: gains})
        acts = np.einsum("nak,nk->na", gains, sample.p).argmax(axis=1)
        return average(gains[np.arange(n), acts, sample.codes], sample.weight)
    acts = (sample.p @ gains.T).argmax(axis=1)
    return average(gains[acts, sample.codes], sample.weight)


def solicitation_profit(
    y_true: ArrayLike,
    y_prob: Predicted,
    gain: ArrayLike,
    cost: ArrayLike,
    *,
    predicted_gain: ArrayLike | None = None,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> float:
    r"""Total profit of asking those whose expected gain exceeds the cost.

    Parameters
    ----------
    y_true : (n,) array of labels
        Positive if the person gives when asked.
    y_prob : (n,) or (n, 2) array, or MassFunction
    gain : float or (n,) array
        Gain of each sample if it is positive; the gains of others are ignored.
    cost : float or (n,) array
        Cost of asking.
    predicted_gain : float or (n,) array, optional
        Predicted gains at the time of the decision. Default: the gains themselves.
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All others as in `expected_calibration_error`.

    Returns
    -------
    float
        A sum, as in the KDD-98 contest, weighted by the sample weights.

    Raises
    ------
    ValueError
        As `expected_calibration_error`, or if a gain or cost has another length or is NaN.

    Notes
    -----
    :math:`\sum_i [p_i \hat g_i > c_i] (y_i g_i - c_i)`.

    References
    ----------
    Zadrozny & Elkan (2001), Learning and making decisions when costs and probabilities are both
    unknown, KDD, 204-213; Zadrozny & Elkan (2002), section 5.1.

    Examples
    --------
    Asking costs 1. The expected gains are 0.5, 2, 1.5, 0.8 and 4, so three are asked; two give 4
    and 5:

    >>> gain = [5.0, 4.0, 3.0, 8.0, 5.0]
    >>> solicitation_profit([0, 1, 0, 1, 1], [0.1, 0.5, 0.5, 0.1, 0.8], gain, 1.0)
    6.0
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    n = len(sample.p)
    gains, costs = _for_each(gain, "gain", n), _for_each(cost, "cost", n)
    known = gains if predicted_gain is None else _for_each(predicted_gain, "predicted_gain", n)
    profits = np.where(sample.p * known > costs, sample.y * gains - costs, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(sample.weighted(profits).sum())
    if not np.isfinite(total):
        raise ValueError("the total profit exceeds 1.8e308; give gains and costs in a larger unit")
    return total


def _for_each(values: ArrayLike, name: str, n: int) -> Floats:
    array = numbers(values, name)
    if array.shape not in ((), (n,)):
        raise ValueError(f"{name} has shape {array.shape}, expected a number or ({n},)")
    return np.broadcast_to(array, (n,))
