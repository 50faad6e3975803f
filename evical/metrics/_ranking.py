"""Areas under ROC curves: how well probabilities rank, whether calibrated or not.

For two classes, it is the share of pairs of a positive and a negative sample that are in order; for
more, the mean over pairs of classes (Hand & Till 2001). Scikit-learn computes both.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from evical._typing import Floats, Label, Labels, Weights
from evical.metrics.inputs import (
    BinarySample,
    ClassSample,
    Predicted,
    binary_sample,
    check_positive,
    class_sample,
    count_classes,
)


def roc_auc(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    pos_label: Label = None,
    labels: Labels = None,
    sample_weight: Weights = None,
) -> float:
    r"""Area under the ROC curve, the share of pairs in order, 1 at best.

    Tied pairs count half.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,), (n, 2) or (n, K) array, or MassFunction
    pos_label : label, optional
        Of two classes.
    labels : sequence of K labels, optional
        Labels of the columns.
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`.

    Returns
    -------
    float
        In [0, 1]; 1/2 is chance. For three or more classes, the mean over pairs of classes.

    Raises
    ------
    ValueError
        As `expected_calibration_error`, if a class has no sample, or if `pos_label` comes with more
        than two classes.

    Notes
    -----
    For more than two classes, it is Hand and Till's M,
    :math:`\frac{1}{K (K - 1)} \sum_{k \ne j} A(k | j)`, where A(k | j) is the area for separating k
    from j by the probability of k: scikit-learn's ``roc_auc_score(..., multi_class="ovo")``, and
    with weights too.

    References
    ----------
    Hand & Till (2001), Machine Learning 45, 171-186; used in Naeini (2016), section 6.1.1.

    Examples
    --------
    Of 2 * 3 pairs, four are in order and one is tied:

    >>> roc_auc([0, 0, 1, 1, 1], [0.1, 0.4, 0.4, 0.3, 0.9])
    0.75

    All pairs of classes are in order except 1 and 2, whose samples are mixed:

    >>> p = [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.1, 0.6, 0.3], [0.1, 0.5, 0.4], [0.2, 0.6, 0.2]]
    >>> round(roc_auc([0, 0, 1, 2, 2], p), 4)  # (1 + 1 + 1 + 1 + 3 / 4 + 1 / 2) / 6
    0.875
    """
    check_positive(y_prob, labels, pos_label)
    if labels is None and count_classes(y_prob) == 2:
        return _of_two(binary_sample(y_true, y_prob, pos_label, sample_weight))
    return _of_pairs(class_sample(y_true, y_prob, labels, sample_weight))


def _of_two(sample: BinarySample) -> float:
    used = slice(None) if sample.weight is None else sample.weight > 0
    if np.ptp(sample.y[used]) == 0:
        raise ValueError(
            f"y_true has one class only (all {'positive' if sample.y[used][0] else 'negative'}); "
            "an area under the ROC curve needs both"
        )
    return _area(sample.y, sample.p, sample.weight)


def _of_pairs(sample: ClassSample) -> float:
    weight = np.ones(len(sample.p)) if sample.weight is None else sample.weight
    sizes = np.bincount(sample.codes, weight, sample.p.shape[1])
    if (sizes == 0).any():
        lost = sample.labels[int(np.argmin(sizes))].item()
        raise ValueError(f"class {lost!r} has no sample; each pair of classes needs both")
    areas = []
    for k, j in permutations(range(sample.p.shape[1]), 2):
        pair = (sample.codes == k) | (sample.codes == j)
        right = np.asarray(sample.codes[pair] == k, dtype=np.float64)
        part = None if sample.weight is None else sample.weight[pair]
        areas.append(_area(right, sample.p[pair, k], part))
    return float(np.mean(areas))


def _area(y: Floats, p: Floats, weight: Floats | None) -> float:
    from sklearn.metrics import roc_auc_score  # a tenth of all that is imported

    return float(roc_auc_score(y, p, sample_weight=weight))
