"""Inputs of metrics: labels, probabilities or mass functions, and weights.

Labels become numbers and mass functions become pignistic probabilities here, so each metric is just
a formula. Label conventions are scikit-learn's. Every error names the row.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import (
    as_array,
    as_floats,
    check_label_order,
    check_rows,
    last_labels,
)
from dstheory.kernels.rounding import sum_tolerance, unit_rows
from dstheory.transform import betp
from evical._typing import Floats, Label, Labels, Weights
from evical.scores.checks import (
    as_column,
    check_column_order,
    check_label,
    check_labels,
    check_same_length,
    check_weights,
    refuse,
)

Predicted: TypeAlias = ArrayLike | MassFunction
"""Probabilities, or beliefs, which stand for their pignistic transform."""


# Quantiles of ten million draws are accurate to 1e-4 of the level; as many bins take 80 MB per
# array.
MOST_REPEATS = 10_000_000

_ADVICE = "; divide each row by its sum, if it is 1 but for rounding"

# Rows per block. Spiegelhalter's test of ten million rows takes 0.04 s in blocks of 2**14 to 2**18
# rows, whose temporaries stay in the cache, and 0.4 s at once (`bench_check.py`).
BLOCK = 1 << 16


class WeightedRows:
    """Base of samples whose fields have a number for each row, or are None."""

    y: Floats
    weight: Floats | None

    def rows(self, chosen: slice | NDArray[Any]) -> Self:
        """Some of the rows, in any order."""
        values = (getattr(self, one.name) for one in fields(self))  # type: ignore[arg-type]  # a dataclass
        return type(self)(*(None if value is None else value[chosen] for value in values))

    def blocks(self, size: int = BLOCK) -> Iterator[Self]:
        """Blocks of at most `size` rows, to keep temporaries small."""
        for start in range(0, len(self.y), size):
            yield self.rows(slice(start, start + size))

    def total(self, term: Callable[[Self], Floats]) -> float:
        """Sum of a term over all rows."""
        return float(sum(term(part).sum() for part in self.blocks()))

    def weighted(self, values: Floats) -> Floats:
        """Values (n,) times the weights, if there are any."""
        return values if self.weight is None else values * self.weight

    @property
    def total_weight(self) -> float:
        """Sum of the weights, or the number of samples if there are none."""
        return float(len(self.y) if self.weight is None else self.weight.sum())


@dataclass(frozen=True, eq=False)
class BinarySample(WeightedRows):
    """Outcomes (n,) of 0 and 1, probabilities (n,) of 1, and weights (n,) or None."""

    y: Floats
    p: Floats
    weight: Floats | None

    def variances(self) -> Floats:
        """Variances (n,) of the weighted outcomes if predictions are calibrated."""
        variance = self.p * (1 - self.p)
        return variance if self.weight is None else variance * self.weight**2

    @property
    def deviation(self) -> float:
        """Standard deviation of the weighted mean of y - p if predictions are calibrated."""
        return float(np.sqrt(self.total(BinarySample.variances))) / self.total_weight


@dataclass(frozen=True, eq=False)
class ClassSample:
    """Class numbers (n,), probabilities (n, K), weights (n,) or None, and labels (K,)."""

    codes: NDArray[np.intp]
    p: Floats
    weight: Floats | None
    labels: NDArray[Any]


def binary_sample(
    y_true: ArrayLike, y_prob: Predicted, pos_label: Label, sample_weight: Weights
) -> BinarySample:
    """Probabilities of the positive one of two classes, from any input."""
    check_rows(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    if isinstance(y_prob, MassFunction):
        p, pos_label = _pignistic_positive(y_prob, pos_label, y_true)
    else:
        p = positive_column(probabilities(y_prob))
    check_some(p)
    y = is_positive(y_true, pos_label)
    if hasattr(y_prob, "columns") and not isinstance(y_prob, MassFunction):
        positive = 1 if pos_label is None else pos_label
        rest = [label for label in set(as_column(y_true, "y_true").tolist()) if label != positive]
        check_label_order(y_prob, [*rest, positive], "y_prob")
        columns = last_labels(y_prob)
        if len(columns) == 2 and columns[0] == positive:  # the other class is not in y_true
            raise ValueError(
                f"the columns of y_prob are {columns}, but the last one is that of the positive "
                f"class, {positive!r}; turn them"
            )
    check_same_length(y_true=y, y_prob=p)
    return BinarySample(y, p, checked_weights(sample_weight, len(p)))


def counted(sample: BinarySample) -> BinarySample:
    """The sample without rows of weight zero."""
    return sample if sample.weight is None else sample.rows(sample.weight > 0)


def class_sample(
    y_true: ArrayLike, y_prob: Predicted, labels: Labels, sample_weight: Weights
) -> ClassSample:
    """Probabilities of any number of classes, where one column is that of the greater label."""
    check_rows(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    if isinstance(y_prob, MassFunction):
        names, p = np.asarray(y_prob.frame.labels), _pignistic(y_prob)
        names = known_labels(names, labels, "the frame of y_prob")
    else:
        p = probabilities(y_prob)
        p = np.stack([1 - p, p], axis=1) if p.ndim == 1 else p
        names = class_labels(y_true, labels, p.shape[1])
        check_column_order(y_prob, names, "y_prob")
    check_some(p)
    codes = codes_01(y_true) if names.tolist() == [0, 1] else None
    if codes is None:
        codes = class_codes(y_true, names)
    check_same_length(y_true=codes, y_prob=p)
    return ClassSample(codes, p, checked_weights(sample_weight, len(p)), names)


def unlabeled_probabilities(y_prob: ArrayLike | MassFunction) -> Floats:
    """Probabilities (n, K) where labels do not matter."""
    p = _pignistic(y_prob) if isinstance(y_prob, MassFunction) else probabilities(y_prob)
    check_some(p)
    return np.stack([1 - p, p], axis=1) if p.ndim == 1 else p


def count_classes(y_prob: Predicted) -> int:
    """Number of classes, two for a single column."""
    if isinstance(y_prob, MassFunction):
        return len(y_prob.frame)
    shape = as_array(y_prob, "y_prob").shape
    return shape[1] if len(shape) == 2 and shape[1] > 2 else 2


def check_positive(y_prob: Predicted, labels: Any, pos_label: Label) -> None:
    """Raise if there are more than two classes, or if another label is the last."""
    if pos_label is None:
        return
    n_classes = count_classes(y_prob)
    if n_classes != 2:
        raise ValueError(f"pos_label is {pos_label!r}, but there are {n_classes} classes, not two")
    framed = isinstance(y_prob, MassFunction)
    if labels is not None and not framed and list(labels)[-1:] != [pos_label]:
        raise ValueError(f"pos_label is {pos_label!r}, expected the last of labels {list(labels)}")


def numbers(values: ArrayLike, name: str) -> Floats:
    """Check that numbers are finite, as float64."""
    array = as_floats(values, name)
    # If the sum is finite, all values are: one pass in the usual case.
    with np.errstate(invalid="ignore", over="ignore"):
        fine = np.isfinite(array.sum())
    if not fine:
        refuse(array, ~np.isfinite(array), name, "a finite number")
    return array


def check_some(rows: Any) -> None:
    """Raise if there is no sample."""
    if len(rows) == 0:
        raise ValueError("there is no sample; a metric needs at least one")


def probabilities(y_prob: ArrayLike) -> Floats:
    """Numbers in [0, 1], (n,) or (n, K), where rows of several columns sum to 1."""
    p = numbers(y_prob, "y_prob")
    if p.ndim == 2 and p.shape[1] == 1:
        p = p[:, 0]
    if p.ndim not in (1, 2):
        raise ValueError(f"y_prob has shape {p.shape}, expected (n,) or (n, n_classes)")
    dtype = as_array(y_prob, "y_prob").dtype
    most = 1 + sum_tolerance(dtype, p.shape[1]) if p.ndim == 2 else 1.0
    if p.size and (p.min() < 0 or p.max() > most):
        refuse(p, (p < 0) | (p > most), "y_prob", "a probability in [0, 1]")
    return _unit_rows(p, dtype) if p.ndim == 2 else p


def _unit_rows(p: Floats, dtype: np.dtype[Any]) -> Floats:
    rows, wrong = unit_rows(p, dtype)
    if wrong.any():
        row = int(np.argmax(wrong))
        hint = "; for [Bel, Pl] give a mass function, or their mean" if p.shape[1] == 2 else ""
        raise ValueError(
            f"row {row} of y_prob sums to {p[row].sum():.10g}, expected 1 "
            f"({int(wrong.sum())} of {len(p)} rows){hint or _ADVICE}"
        )
    return rows


def positive_column(p: Floats) -> Floats:
    """Probability (n,) of the positive class, from one column or two."""
    if p.ndim == 1:
        return p
    if p.shape[1] != 2:
        raise ValueError(
            f"y_prob has {p.shape[1]} columns, but this metric is about two classes; for more "
            "see the classwise, micro and top_label metrics"
        )
    return np.ascontiguousarray(p[:, 1])


def check_batch(m: MassFunction) -> None:
    """Raise unless there is a mass function for each sample."""
    if len(m.batch_shape) != 1:
        raise ValueError(
            f"the mass functions have batch shape {m.batch_shape}, expected (n,): one for each "
            "sample"
        )


def _pignistic(m: MassFunction) -> Floats:
    check_batch(m)
    return np.asarray(betp(m), dtype=np.float64)


def _pignistic_positive(
    m: MassFunction, pos_label: Hashable, y_true: ArrayLike
) -> tuple[Floats, Any]:
    positive = positive_label(m, pos_label)
    class_codes(y_true, np.asarray(m.frame.labels))  # no label outside the frame
    return np.ascontiguousarray(_pignistic(m)[:, m.frame.labels.index(positive)]), positive


def positive_label(m: MassFunction, pos_label: Hashable | None) -> Any:
    """Positive label of a frame of two, by default the second one."""
    check_label("pos_label", pos_label)
    labels = m.frame.labels
    if len(labels) != 2:
        raise ValueError(
            f"y_prob has a frame of {len(labels)} labels, but this metric is about two classes"
        )
    if pos_label is not None and pos_label not in labels:
        raise ValueError(f"pos_label is {pos_label!r}, expected one of {list(labels)}")
    return labels[1] if pos_label is None else pos_label


def is_positive(y_true: ArrayLike, pos_label: Hashable | None) -> Floats:
    """1 where a label is the positive one, else 0."""
    check_label("pos_label", pos_label)
    y = as_column(y_true, "y_true")
    if y.dtype.kind not in "biuf":
        return _is_positive_name(check_labels(y), pos_label)
    one = y == (1 if pos_label is None else pos_label)
    if pos_label is None:
        zero, below = y == 0, y == -1
        wrong = ~(one | zero | below)
        refuse(y, wrong, "y_true", "0 or 1, or -1 or 1; name another positive label by pos_label")
        if zero.any() and below.any():
            raise ValueError("y_true holds -1, 0 and 1, expected two labels")
    else:
        rest = y[~one]
        refuse(y, ~np.isfinite(y), "y_true", "a label")
        if len(rest) and rest.min() != rest.max():
            raise ValueError(
                f"y_true has other labels than {pos_label!r} and {rest[0].item()!r}, expected two"
            )
        _check_present(one, rest, pos_label)
    return np.asarray(one, dtype=np.float64)


def _is_positive_name(y: NDArray[Any], pos_label: Hashable | None) -> Floats:
    labels = list(Frame.from_array(y).labels)  # dates stay dates, unlike by `tolist`
    if pos_label is None:
        raise ValueError(f"y_true holds {labels}; name the positive label by pos_label")
    if len(labels) > 2 or (len(labels) == 2 and pos_label not in labels):
        raise ValueError(f"y_true holds {labels[:5]}, expected {pos_label!r} and one other label")
    return np.asarray(y == pos_label, dtype=np.float64)


def _check_present(one: NDArray[np.bool_], rest: NDArray[Any], pos_label: Hashable) -> None:
    if not one.any() and pos_label not in (0, 1) and len(rest):
        raise ValueError(f"pos_label is {pos_label!r}, but all labels are {rest[0].item()!r}")


def class_labels(y_true: ArrayLike, labels: ArrayLike | None, n_classes: int) -> NDArray[Any]:
    """Labels of the columns, those given or those of `y_true`, sorted."""
    if labels is not None:
        names = as_column(labels, "labels")
        if len(names) != n_classes or len(set(names.tolist())) != n_classes:
            raise ValueError(
                f"labels are {names.tolist()}, expected {n_classes} distinct labels, one for each "
                "column"
            )
        return names
    if n_classes == 2 and codes_01(y_true) is not None:
        return np.array([0, 1])
    found = np.unique(check_labels(y_true))
    for pair in ([0, 1], [-1, 1]):  # one of them may be missing
        if n_classes == 2 and set(found.tolist()) <= set(pair):
            return np.array(pair)
    if len(found) != n_classes:
        raise ValueError(
            f"y_true has {len(found)} labels, but there are {n_classes} columns; name the labels "
            "of the columns by labels"
        )
    return found


def known_labels(names: NDArray[Any], labels: Any, owner: str) -> NDArray[Any]:
    """Known labels; labels given in addition must be the same."""
    given = names if labels is None else as_column(labels, "labels")
    if given.tolist() != names.tolist():
        raise ValueError(f"labels are {given.tolist()}, but {owner} has {names.tolist()}")
    return names


def codes_01(y_true: ArrayLike) -> NDArray[np.intp] | None:
    """Codes of labels that are 0 and 1 already, without the sort that other labels need."""
    y = as_array(y_true, "y_true")
    if y.ndim != 1 or y.dtype.kind not in "biu" or not len(y) or y.min() < 0 or y.max() > 1:
        return None
    return y.astype(np.intp, copy=False)


def class_codes(y_true: ArrayLike, labels: NDArray[Any], name: str = "y_true") -> NDArray[np.intp]:
    """Number of the class of each sample."""
    y = check_labels(y_true)
    order = np.argsort(labels, kind="stable")
    try:
        place = np.searchsorted(labels, y, sorter=order)
    except TypeError as error:
        raise ValueError(f"labels of {name} and {labels.tolist()} cannot be compared") from error
    codes = order[np.minimum(place, len(labels) - 1)]
    wrong = np.asarray(labels[codes] != y)
    refuse(y, wrong, name, f"one of {labels.tolist()}")
    return np.asarray(codes)


def indicators(sample: ClassSample) -> Floats:
    """Indicators (n, K) of the class of each sample."""
    return np.asarray(sample.codes[:, np.newaxis] == np.arange(sample.p.shape[1]), dtype=np.float64)


def mean_squares(sample: ClassSample) -> Floats:
    """Mean over classes of the squared error of each sample (n,)."""
    if sample.p.shape[1] == 2:  # both classes have the same error
        return np.asarray((sample.p[:, 1] - sample.codes) ** 2)
    return np.asarray(((sample.p - indicators(sample)) ** 2).mean(axis=1))


def assigned_classes(p: Floats) -> NDArray[np.intp]:
    """Number (n,) of the most probable class, the first of ties."""
    if p.shape[1] == 2:  # many times faster than argmax along rows
        return np.asarray(p[:, 1] > p[:, 0], dtype=np.intp)
    return np.asarray(p.argmax(axis=1))


def of_class(p: Floats, codes: NDArray[np.intp]) -> Floats:
    """Probability (n,) of a given class for each sample."""
    if p.shape[1] == 2:  # several times faster than an index for each row
        return np.where(codes == 1, p[:, 1], p[:, 0])
    return np.asarray(p[np.arange(len(p)), codes])


def checked_weights(sample_weight: Weights, n: int) -> Floats | None:
    """Weights (n,) that are not all zero, or None."""
    weight = check_weights(sample_weight, n)
    if weight is not None and not weight.any():
        raise ValueError("all sample weights are zero; at least one sample must count")
    return weight


def average(values: Floats, weight: Floats | None) -> float:
    """Weighted mean, where a weight of zero outweighs an infinite value."""
    if weight is None:
        return float(values.mean())
    with np.errstate(invalid="ignore"):  # zero times infinity, handled below
        total = float((values * weight).sum())
    if not np.isfinite(total):
        used = weight > 0
        total = float((values[used] * weight[used]).sum())
    return total / float(weight.sum())
