"""How often sets of classes hold the true class: of all samples, of each class, and by size.

A promise on average can hide classes and sizes for which it fails, so they are counted apart, with
exact limits (Clopper & Pearson 1934). Sets of one class should be right as often as large ones.

Accuracy of set-valued predictions: a correct set counts less the larger it is.

The utility of a set that contains the true class is a function of its precision 1 / size. Precision
itself values a set like a random choice from it. u65 and u80 value it more, for users who prefer an
honest "I do not know". Zaffalon, Corani & Maua 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, check_choice, check_level, check_rows
from dstheory.decide import interval_dominance
from dstheory.notebook import ShownFields
from evical._typing import Flags, Floats, Indices, Labels, Weights
from evical.metrics.beliefs import normal
from evical.metrics.goodness import share_limits
from evical.metrics.inputs import (
    average,
    check_some,
    checked_weights,
    class_codes,
    class_labels,
    known_labels,
)
from evical.scores.checks import check_column_order, check_same_length

_GAIN = {"discounted": 0.0, "u65": 0.6, "u80": 1.2}


def set_score(
    y_true: ArrayLike,
    y_set: ArrayLike | MassFunction,
    kind: Literal["u65", "u80", "discounted"] = "u65",
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Utility-discounted accuracy of sets of classes, 1 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_set : (n, K) array of bool, or MassFunction
        Which classes each set has; of a mass function those that interval dominance keeps.
    kind : {"u65", "u80", "discounted"}
        What a correct set of two classes is worth: 0.65, 0.8 or 1/2.
    labels : sequence of K labels, optional
        Of the columns. Default: those of `y_true`, sorted, or of the frame.
    sample_weight : (n,) array, optional

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    TypeError
        If `y_set` is an array of another kind than bool.
    ValueError
        If the kind is unknown, a shape is wrong, lengths differ, or a label is not among `labels`.

    Notes
    -----
    The mean of :math:`x + c x (1 - x)`, with x = 1 / size of sets that contain the true class and 0
    of others, and c = 0.6, 1.2 or 0.

    References
    ----------
    Zaffalon, Corani & Maua (2012), Evaluating credal classifiers by utility-discounted
    predictive accuracy, International Journal of Approximate Reasoning 53, 1282-1301.

    Examples
    --------
    Worth 1, 0.65, 0, 0.65, 0.65:

    >>> sets = [[True, False], [True, True], [True, False], [True, True], [True, True]]
    >>> round(set_score([0, 0, 1, 1, 1], sets), 4)
    0.59
    """
    check_choice("kind", kind, _GAIN)
    kept, codes, _, weight = _labeled_sets(y_true, y_set, labels, sample_weight)
    # 1 / size of each set that contains the true class, else 0.
    x = kept[np.arange(len(codes)), codes] / np.maximum(kept.sum(axis=1), 1)
    return average(x + _GAIN[kind] * x * (1 - x), weight)


def _labeled_sets(
    y_true: ArrayLike,
    y_set: ArrayLike | MassFunction,
    labels: ArrayLike | None,
    sample_weight: Weights,
) -> tuple[Flags, Indices, NDArray[Any], Floats | None]:
    """Sets (n, K), the place of the true class in each, the labels of the classes, and weights."""
    check_rows(y_true=y_true, y_set=y_set, sample_weight=sample_weight)
    kept, names = sets_of(y_true, y_set, labels)
    check_some(kept)
    codes = class_codes(y_true, names)
    check_same_length(y_true=codes, y_set=kept)
    return kept, codes, names, checked_weights(sample_weight, len(codes))


def sets_of(
    y_true: ArrayLike, y_set: ArrayLike | MassFunction, labels: ArrayLike | None
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which classes (n, K) each set has, and the labels (K,) of the columns.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_set : (n, K) array of bool, or MassFunction
    labels : sequence of K labels, or None

    Returns
    -------
    sets : (n, K) array of bool
    labels : (K,) array

    Raises
    ------
    TypeError, ValueError
        As `set_score`.
    """
    if isinstance(y_set, MassFunction):
        names = known_labels(np.asarray(y_set.frame.labels), labels, "the frame of y_set")
        return interval_dominance(normal(y_set)), names
    kept = as_array(y_set, "y_set")
    if kept.dtype != bool:
        raise TypeError(
            f"y_set holds {kept.dtype.name} values, expected bool: whether each class is predicted"
        )
    if kept.ndim != 2:
        raise ValueError(f"y_set has shape {kept.shape}, expected (n, n_classes)")
    names = class_labels(y_true, labels, kept.shape[1])
    check_column_order(y_set, names, "y_set")
    return kept, names


@dataclass(frozen=True, eq=False)
class SetCoverage(ShownFields):
    """Coverage of sets of classes, by class or by size.

    Parameters
    ----------
    by : {"all", "class", "size"}
    groups : tuple
        Classes, or sizes of sets; "all" alone.
    n_samples : (G,) array
        Of each group (effective number, with weights).
    coverage : (G,) array
        Share of the samples whose set has the true class; NaN for none.
    interval : (G, 2) array
        Clopper-Pearson limits.
    mean_size : (G,) array
        Classes in a set, on average.
    """

    by: str
    groups: tuple[Any, ...]
    n_samples: Floats
    coverage: Floats
    interval: Floats
    mean_size: Floats

    def __str__(self) -> str:
        """A line for each group."""
        head = f"{self.by:>10}  samples  coverage  interval        mean size"
        rows = zip(
            self.groups, self.n_samples, self.coverage, self.interval, self.mean_size, strict=True
        )
        lines = [
            f"{group!s:>10}  {n:7.6g}  {share:8.3f}  [{low:.3f}, {high:.3f}]  {size:7.3f}"
            for group, n, share, (low, high), size in rows
        ]
        return "\n".join([head, *lines])


def set_coverage(
    y_true: ArrayLike,
    y_set: ArrayLike | MassFunction,
    *,
    by: str = "all",
    labels: Labels = None,
    confidence: float = 0.95,
    sample_weight: Weights = None,
) -> SetCoverage:
    """How often sets of classes hold the true class, with exact confidence limits.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_set : (n, K) array of bool, or MassFunction
        As in `set_score`, such as `ConformalClassifier.predict_set` gives it.
    by : {"all", "class", "size"}
        Of all samples, of the samples of each class, or of the sets of each size that occurs.
    labels : sequence of K labels, optional
        Labels of the columns. Default: those of `y_true`, sorted.
    confidence : float
        Of each interval, in (0, 1).
    sample_weight : (n,) array, optional
        For shares and means. Limits are those of the effective number of samples, the squared sum
        of weights divided by the sum of squared weights.

    Returns
    -------
    SetCoverage

    Raises
    ------
    ValueError
        If a label is unknown, lengths differ, or `by` or `confidence` is not possible.
    TypeError
        If `y_set` is neither bool nor a mass function.

    References
    ----------
    Clopper & Pearson (1934), The use of confidence or fiducial limits illustrated in the case of
    the binomial, Biometrika 26, 404-413.

    Examples
    --------
    >>> sets = [[True, False], [True, True], [True, False], [True, True]]
    >>> print(set_coverage([0, 0, 1, 1], sets, by="size"))
          size  samples  coverage  interval        mean size
             1        2     0.500  [0.013, 0.987]    1.000
             2        2     1.000  [0.158, 1.000]    2.000
    """
    check_choice("by", by, ("all", "class", "size"))
    check_level("confidence", confidence)
    kept, codes, names, weight = _labeled_sets(y_true, y_set, labels, sample_weight)
    w = np.ones(len(codes)) if weight is None else weight / weight.max()
    kept, codes, w = kept[w > 0], codes[w > 0], w[w > 0]
    right, sizes = kept[np.arange(len(codes)), codes], kept.sum(axis=1)
    group, groups = _grouped(by, codes, sizes, names)
    total, squares, hits, size = (
        np.bincount(group, one, len(groups)) for one in (w, w**2, w * right, w * sizes)
    )
    with np.errstate(invalid="ignore"):  # of a class without samples
        coverage, mean_size = hits / total, size / total
    n = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    held = np.round(np.nan_to_num(coverage) * n, 9)  # none is 0, all are n
    interval = np.stack(share_limits(held, n, confidence), axis=1)
    return SetCoverage(by, groups, n, coverage, interval, mean_size)


def _grouped(
    by: str, codes: NDArray[np.intp], sizes: NDArray[np.intp], names: NDArray[Any]
) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    """Number of the group of each sample, and the groups."""
    if by == "class":
        return codes, tuple(names.tolist())
    if by == "size":
        found, group = np.unique(sizes, return_inverse=True)
        return group, tuple(found.tolist())
    return np.zeros(len(codes), dtype=np.intp), ("all",)
