"""What scores, labels, weights and training data must be; every refusal names row and value."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_array, column_or_1d, indexable
from sklearn.utils.multiclass import check_classification_targets

from dstheory.checks.arguments import (
    as_array,
    as_floats,
    check_label_order,
    check_rows,
    number_of,
    shown,
    without_mask,
)
from evical._typing import Floats, SamplesLike
from evical.errors import WeightError

_TEXT_OF_FLOAT = np.dtype("<U32").itemsize
_LEAST, _MOST = 1e-15, 2.0**53  # of a positive weight, and of their sum
_MANY, _ROUNDED = 10, 1e-6  # weights that may be shares of 1, and how well float32 adds them up
FINITE = "a finite number (neither NaN nor infinity)"
"""What `refuse` says of a score."""


def check_scores(scores: ArrayLike) -> Floats:
    """Scores as a finite float64 array (n,).

    Parameters
    ----------
    scores : (n,) or (n, 1) array, list, or pandas object

    Returns
    -------
    (n,) array

    Raises
    ------
    TypeError
        If a score is not a real number, such as a text.
    ValueError
        If there is none, a score is NaN or infinite, or there are several columns.

    Examples
    --------
    >>> check_scores([[0.5], [2]])
    array([0.5, 2. ])
    """
    array = real_numbers(scores, "scores")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"scores have shape {array.shape}, but a calibrator takes one score a sample: "
            "shape (n,) or (n, 1)"
        )
    if len(array) == 0:
        raise ValueError("scores are empty; at least one sample is needed")
    refuse(array, ~np.isfinite(array), "scores", FINITE)
    return array


def check_numbers(numbers: ArrayLike, name: str) -> Floats:
    """A finite float64 array (n,), a copy.

    Parameters
    ----------
    numbers : (n,) array, n at least 1
    name : str
        Their name in errors.

    Returns
    -------
    (n,) array

    Raises
    ------
    TypeError
        If one is not a real number.
    ValueError
        If it is empty or not one-dimensional, or a number is NaN or infinite.

    Examples
    --------
    >>> check_numbers([1, float("nan")], "values")
    Traceback (most recent call last):
    ValueError: values[1] is nan, expected a finite number
    """
    array = as_floats(numbers, name).copy()
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"shape of {name} is {array.shape}, expected (n,) with n of at least 1")
    refuse(array, ~np.isfinite(array), name, "a finite number")
    return array


def check_positive(weights: Floats, name: str) -> None:
    """Raise unless all weights are positive.

    Parameters
    ----------
    weights : (n,) array
    name : str
        Their name in errors.

    Raises
    ------
    ValueError
        If a weight is 0 or less.

    Examples
    --------
    >>> check_positive(np.array([1.0, 0.0]), "weights")
    Traceback (most recent call last):
    ValueError: weights[1] is 0.0, expected a positive number; leave that sample out
    """
    refuse(weights, ~(weights > 0), name, "a positive number; leave that sample out")


def check_unit(scores: Floats, transform: str | None = "logit") -> None:
    """Raise unless all scores are probabilities, which have log-odds.

    Parameters
    ----------
    scores : (n,) array
    transform : str or None
        Why they must be; of "auto", because those of the training sample are.

    Raises
    ------
    ValueError
        If a score lies outside [0, 1].

    Examples
    --------
    >>> check_unit(np.array([0.5, 2.0]))
    Traceback (most recent call last):
    ValueError: scores[1] is 2.0, expected a number in [0, 1] for transform="logit"
    """
    outside = (scores < 0) | (scores > 1)
    why = ' for transform="logit"'
    if transform == "auto":
        why = ", as in training, where scores were taken for probabilities; for margins fit with "
        why += "transform=None"
    refuse(scores, outside, "scores", f"a number in [0, 1]{why}")


def check_weights(weights: ArrayLike | None, n: int, name: str = "sample_weight") -> Floats | None:
    """Weights as a finite, non-negative float64 array (n,), or None.

    Weights count samples. A float64 adds one to a count of at most 2^53, and a weight below 1e-15
    is lost beside Platt's two samples; both ends leave room to multiply by scores.

    Parameters
    ----------
    weights : (n,) array or None
    n : int
        Number of samples.
    name : str
        Their name in errors.

    Returns
    -------
    (n,) array or None

    Raises
    ------
    ValueError
        If the length differs, or a weight is NaN, infinite or negative.
    WeightError
        If a positive weight is less than 1e-15, or the sum more than 2^53.

    Examples
    --------
    >>> check_weights([1, -2], 2)
    Traceback (most recent call last):
    ValueError: sample_weight[1] is -2.0, expected a finite number from 0
    """
    if weights is None:
        return None
    array = real_numbers(weights, name)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({n},)")
    refuse(array, ~(np.isfinite(array) & (array >= 0)), name, "a finite number from 0")
    check_range(array, name)
    return array


def warn_of_little_weight(weights: ArrayLike | None, stacklevel: int = 4) -> None:
    """Warn the caller of `fit` of many samples that count as one or less, as shares of 1 do.

    Parameters
    ----------
    weights : (n,) array or None
        Checked.
    stacklevel : int
        By default that of the caller of a decorated method.
    """
    if weights is None or len(array := np.asarray(weights, dtype=np.float64)) < _MANY:
        return
    if (total := float(array.sum())) <= 1.0 + _ROUNDED:
        warnings.warn(
            f"the weights of {len(array)} samples have the sum {total:.3g}, so that together they "
            "count as no more than one sample; divide the weights by their mean",
            stacklevel=stacklevel,
        )


def check_range(weights: Floats, name: str) -> None:
    """Raise unless weights can count samples, from 1e-15 if positive and at most 2^53 in all.

    Parameters
    ----------
    weights : (n,) array, not negative
    name : str
        Their name in errors.

    Raises
    ------
    WeightError
        With the row and the value.

    Examples
    --------
    >>> check_range(np.array([1.0, 1e-20]), "weights")
    Traceback (most recent call last):
    evical.errors.WeightError: weights[1] is 1e-20, but a positive weight must be from 1e-15 to \
9.0072e+15 (2^53), since it counts samples; divide all weights by their mean
    """
    wrong = (weights > _MOST) | ((weights > 0) & (weights < _LEAST))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise WeightError(
            f"{name}[{row}] is {weights[row]:g}, but a positive weight must be from {_LEAST:g} to "
            f"{_MOST:.5g} (2^53), since it counts samples; divide all weights by their mean"
        )
    total = float(weights.sum())
    if total > _MOST:
        raise WeightError(
            f"{name} sum to {total:.5g}, but must not exceed {_MOST:.5g} (2^53), since they count "
            "samples; divide all weights by their mean"
        )


def check_binary(y: ArrayLike) -> NDArray[np.int64]:
    """Labels 0 and 1 as integers (n,).

    Parameters
    ----------
    y : (n,) array of 0 and 1 (or booleans)

    Returns
    -------
    (n,) int array

    Raises
    ------
    ValueError
        If a label is something else.

    Examples
    --------
    >>> check_binary([True, False])
    array([1, 0])
    """
    array = real_numbers(y, "y")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"y has shape {array.shape}, expected (n,)")
    refuse(array, (array != 0) & (array != 1), "y", "0 or 1")
    return array.astype(np.int64)


def check_label(name: str, value: object) -> None:
    """Raise TypeError unless an argument can be the label of a class, such as a text or a number.

    Parameters
    ----------
    name : str
        Its name in errors.
    value : label

    Raises
    ------
    TypeError

    Examples
    --------
    >>> check_label("pos_label", ["yes"])
    Traceback (most recent call last):
    TypeError: pos_label is ['yes'], expected one label
    """
    huge = isinstance(value, int) and abs(value) >= 2**63
    if huge or isinstance(value, np.ndarray) or not isinstance(value, Hashable):
        raise TypeError(f"{name} is {shown(value)}, expected one label")


def check_labels(y: ArrayLike) -> NDArray[Any]:
    """Labels of any kind, as an array (n,).

    Parameters
    ----------
    y : (n,) array, list, or pandas object

    Returns
    -------
    (n,) array

    Raises
    ------
    ValueError
        If there is none, a label is missing (masked, None, NaN, NaT, NA) or infinite, or `y` does
        not hold classes.

    Examples
    --------
    >>> check_labels(["a", None])
    Traceback (most recent call last):
    ValueError: y[1] is None, expected a label
    """
    if _is_binary(y):
        return y  # what follows would pass it, in a hundred times as long
    labels = as_column(y, warn=True)
    if len(labels) == 0:
        raise ValueError("y is empty; at least one sample is needed")
    unknown = missing(labels)
    if labels.dtype.kind == "f":
        unknown |= np.isinf(labels)
    refuse(labels, unknown, "y", "a label")
    try:
        check_classification_targets(labels)
    except ValueError as error:
        error.add_note("labels of classes come second: fit(scores, y), fit(X, y)")
        raise
    return labels


def _is_binary(y: ArrayLike) -> TypeGuard[NDArray[Any]]:
    """Whether these are two whole numbers or truth values in a plain array (n,)."""
    if type(y) is not np.ndarray or y.ndim != 1 or len(y) == 0 or y.dtype.kind not in "biu":
        return False
    return bool(((y == y.min()) | (y == y.max())).all())


def check_column_order(table: object, classes: NDArray[Any], name: str) -> None:
    """Refuse a data frame whose columns are the classes in another order; a series has none.

    Examples
    --------
    >>> import pandas as pd
    >>> check_column_order(pd.DataFrame({"b": [0.2], "a": [0.8]}), np.array(["a", "b"]), "scores")
    Traceback (most recent call last):
    ValueError: the columns of scores are ['b', 'a'], but the labels are ['a', 'b']; select them \
in that order
    """
    if hasattr(table, "columns"):
        check_label_order(table, classes.tolist(), name)


def check_sorted(classes: ArrayLike, table: ArrayLike, name: str) -> None:
    """Refuse classes in another order than sorted, in which columns without their names are read.

    Examples
    --------
    >>> check_sorted(["no", "maybe"], [[0.2, 0.8]], "scores")
    Traceback (most recent call last):
    ValueError: classes are ['no', 'maybe'], but the columns of scores are read as those of \
['maybe', 'no']; give both in that order
    """
    listed = as_column(classes, "classes").tolist()
    ordered = np.unique(as_column(classes, "classes")).tolist()
    named = [*map(str, columns_of(table))] == [*map(str, ordered)]
    if listed != ordered and not named and np.shape(table)[1:] == (len(listed),):
        raise ValueError(
            f"classes are {listed}, but the columns of {name} are read as those of {ordered}; "
            "give both in that order"
        )


def columns_of(table: object) -> list[Any]:
    """Names of the columns of a data frame, to compare with those of another; of others none.

    Examples
    --------
    >>> import pandas as pd
    >>> columns_of(pd.DataFrame({"b": [0.2], "a": [0.8]})), columns_of([[0.2, 0.8]])
    (['b', 'a'], [])
    """
    return [*getattr(table, "column_names", getattr(table, "columns", ()))]  # of Arrow, of others


def check_fitted_order(table: object, columns: list[Any], name: str) -> None:
    """Refuse a data frame with the columns of `fit` in another order.

    Examples
    --------
    >>> import pandas as pd
    >>> check_fitted_order(pd.DataFrame({"b": [0.2], "a": [0.8]}), ["a", "b"], "scores")
    Traceback (most recent call last):
    ValueError: the columns of scores are ['b', 'a'], but in fit they were ['a', 'b']; select them \
in that order
    """
    if columns and hasattr(table, "columns"):
        check_label_order(table, columns, name, known="in fit they were")


def as_column(y: Any, name: str = "y", *, warn: bool = False) -> NDArray[Any]:
    """Labels (n,) of any kind, the missing ones among them; nothing else is checked.

    A list of texts with NaN or pandas.NA is read as objects, where NumPy would make a text of what
    is missing; what a masked array masks is NaN or None. Nullable whole numbers and truth values
    of pandas, none of them missing, are NumPy's, and so are numbers that come as objects.

    Parameters
    ----------
    y : (n,) or (n, 1) array, list, or pandas object
    name : str
        Their name in errors.
    warn : bool
        Of a table (n, 1).

    Returns
    -------
    (n,) array

    Examples
    --------
    >>> as_column(["a", float("nan")])
    array(['a', nan], dtype=object)
    """
    own = getattr(y, "dtype", None)
    nullable = not isinstance(own, np.dtype) and getattr(own, "kind", "O") in "iub"
    if nullable:  # scikit-learn makes floats of them, of 53 bits
        whole = object if np.any(y.isna()) else getattr(own, "numpy_dtype", None)
        y = y.to_numpy(dtype=whole)
    given = y if _is_foreign(y) else as_array(y, name)
    if isinstance(y, list | tuple) and given.dtype.kind in "US":
        objects = np.asarray(y, dtype=object)
        others = [value for value in objects.ravel() if not isinstance(value, str | bytes)]
        if any(map(_is_missing, others)):
            given = objects
    try:
        column: NDArray[Any] = np.asarray(column_or_1d(given, warn=warn))
    except TypeError:  # raised by a comparison with pandas.NA
        column = np.asarray(y, dtype=object)
    kind = str(getattr(y, "dtype", getattr(y, "type", ""))).lower()  # of polars, of Arrow
    if column.dtype.kind == "f" and "int" in kind:  # some are missing, which no whole number is
        names = ("to_pylist", "to_list", "tolist")  # of Arrow, polars and masked arrays
        values = next(getattr(y, name)() for name in names if hasattr(y, name))
        return np.fromiter(values, dtype=object, count=len(column))
    numbers = (int, float, np.integer, np.floating, np.bool_)
    if column.dtype != object or not all(isinstance(value, numbers) for value in column):
        return column
    plain = np.asarray(column.tolist())  # NumPy's floats cannot hold all whole numbers
    return plain if plain.tolist() == column.tolist() else column


def label_list(labels: NDArray[Any]) -> list[Any]:
    """Labels (n,) as a list, in which dates of nanoseconds are no bare numbers.

    Examples
    --------
    >>> label_list(np.array(["2026-01-01"], dtype="datetime64[ns]"))
    [np.datetime64('2026-01-01T00:00:00.000000000')]
    """
    plain: list[Any] = labels.tolist()
    lost = labels.dtype.kind in "mM" and any(isinstance(one, int) for one in plain[:1])
    return list(labels) if lost else plain


class ReadsLabels(ClassifierMixin):  # type: ignore[misc]  # sklearn is untyped
    """Mixin of classifiers whose `score` reads labels as `fit` does."""

    def score(self, X: SamplesLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Share of samples of which `predict` gives the label.

        Parameters
        ----------
        X : (n, n_features) array or data frame, or scores
        y : (n,) array
        sample_weight : (n,) array, optional

        Returns
        -------
        float
        """
        return float(super().score(X, as_column(y), sample_weight))


def missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values of an array are missing, as NaN, NaT, None, or pandas.NA.

    Parameters
    ----------
    values : array

    Returns
    -------
    array of bool, of the same shape

    Examples
    --------
    >>> missing(np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"))
    array([False,  True])
    """
    kind = values.dtype.kind
    if kind in "fc":
        return np.asarray(np.isnan(values))
    if kind in "mM":
        return np.asarray(np.isnat(values))
    if kind == "U" and values.dtype.itemsize == _TEXT_OF_FLOAT:
        return _made_of_nan(values)
    if kind not in ("O", "T"):
        return np.zeros(values.shape, dtype=bool)
    try:
        known: Any = (values == None) | (values != values)  # noqa: E711  # of each value
    except TypeError:  # raised by a comparison with pandas.NA
        known = None
    if isinstance(known, np.ndarray) and known.dtype == bool:
        return known
    flags = [_is_missing(value) for value in values.ravel()]
    return np.array(flags, dtype=bool).reshape(values.shape)


def _made_of_nan(texts: NDArray[Any]) -> NDArray[np.bool_]:
    """NumPy makes texts of 32 characters of a list of texts and NaN, none of them so long."""
    if np.strings.str_len(texts).max(initial=0) >= _TEXT_OF_FLOAT // 4:
        return np.zeros(texts.shape, dtype=bool)
    return np.asarray(texts == "nan")


def _is_missing(value: object) -> bool:
    # pandas.NA is known by its name, because pandas need not be installed; NaN and NaT are
    # what differs from itself.
    return value is None or type(value).__name__ == "NAType" or bool(np.any(value != value))


def check_same_length(**arrays: Any) -> None:
    """Raise unless all arrays have the same number of rows.

    Parameters
    ----------
    **arrays : arrays by name

    Raises
    ------
    ValueError
        With the names and the lengths.

    Examples
    --------
    >>> check_same_length(scores=[1, 2], y=[1])
    Traceback (most recent call last):
    ValueError: lengths differ: scores has 2 rows, y has 1; each sample needs one of each
    """
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        (first, n), *others = lengths.items()
        rest = ", ".join(f"{name} has {k}" for name, k in others)
        raise ValueError(
            f"lengths differ: {first} has {number_of(n, 'row')}, {rest}; each sample needs one of "
            "each"
        )


def real_numbers(values: ArrayLike, name: str) -> Floats:
    """Check real numbers of any shape, as float64, refusing texts, dates and complex numbers.

    Parameters
    ----------
    values : array, nested lists, or pandas object
    name : str
        Their name in errors.

    Returns
    -------
    array

    Raises
    ------
    TypeError
        If a value is not a real number.
    ValueError
        If rows differ in length, or a number is too great for a float.

    Examples
    --------
    >>> real_numbers(["0.5"], "scores")
    Traceback (most recent call last):
    TypeError: scores are array(['0.5'], dtype='<U3'), expected real numbers; the argument must \
be converted from texts, strings or objects to numbers
    """
    array = values if _is_foreign(values) else as_array(values, name)
    if type(array) is not np.ndarray or array.dtype.kind not in "biuf":  # they pass unchanged
        array = check_array(
            array,
            dtype=None,
            ensure_2d=False,
            allow_nd=True,
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
        )
    try:
        return as_floats(array, name)
    except TypeError as error:
        raise TypeError(  # in words that scikit-learn's checks look for
            f"{error}; the argument must be converted from texts, strings or objects to numbers"
        ) from error


def _is_foreign(values: ArrayLike) -> bool:
    """Whether it is a table of another package, such as pandas or scipy.sparse."""
    # Tensors of torch are read, or refused by name, where arrays are.
    return not (isinstance(values, np.ndarray) or hasattr(values, "requires_grad")) and (
        hasattr(values, "dtypes") or hasattr(values, "dtype")
    )


def refuse(array: NDArray[Any], wrong: NDArray[np.bool_], name: str, expected: str) -> None:
    """Raise for the first wrong value; of rows, where `wrong` has fewer axes.

    Examples
    --------
    >>> refuse(np.eye(2), np.eye(2) == 0, "scores", "a positive number")
    Traceback (most recent call last):
    ValueError: scores[0, 1] is 0.0 (2 such values), expected a positive number
    >>> refuse(np.eye(2), np.array([False, True]), "limits", "two numbers in ascending order")
    Traceback (most recent call last):
    ValueError: limits[1] is [0.0, 1.0], expected two numbers in ascending order
    """
    if wrong.any():
        where = np.argwhere(wrong)[0].tolist()
        value, place = array[tuple(where)], f"[{', '.join(map(str, where))}]" if where else ""
        if isinstance(value, np.ndarray | str):  # a row, or a label
            value = value.tolist() if isinstance(value, np.ndarray) else repr(str(value))
        kind, count = "values" if wrong.ndim == array.ndim else "rows", int(wrong.sum())
        others = f" ({count} such {kind})" if count > 1 else ""
        raise ValueError(f"{name}{place} is {value}{others}, expected {expected}")


def refuse_huge(array: Floats, name: str, most: float) -> None:
    """Raise if squares of features, and their products, are no floats."""
    greatest = float(np.abs(array).max(initial=0))
    if greatest > most:
        raise ValueError(
            f"{name} has numbers beyond {most:g}, up to {greatest:.3g}; take another unit"
        )


def check_groups(groups: ArrayLike, n: int) -> NDArray[Any]:
    """Groups of samples, one for each.

    Parameters
    ----------
    groups : (n,) array
    n : int

    Returns
    -------
    (n,) array

    Raises
    ------
    ValueError

    Examples
    --------
    >>> check_groups(["a", "b"], 3)
    Traceback (most recent call last):
    ValueError: groups have shape (2,), expected (3,), one for each sample
    """
    array = as_array(groups, "groups")
    if array.shape != (n,):
        raise ValueError(f"groups have shape {array.shape}, expected ({n},), one for each sample")
    if (unknown := missing(array)).any():
        row = int(np.argmax(unknown))
        raise ValueError(
            f"groups[{row}] is {array[row]}; give each sample without a group one of its own"
        )
    return array


def check_samples(
    X: Any, y: Any, sample_weight: Any, groups: object = None
) -> tuple[Any, NDArray[Any], NDArray[np.float64] | None]:
    """Samples that can be indexed, labels of at least two classes, and weights.

    Parameters
    ----------
    X : (n, n_features) array, data frame or sparse matrix
        The classifiers check its content.
    y : (n,) array of labels
    sample_weight : (n,) array or None
    groups : (n,) array, optional
        Of which the order of rows is checked only.

    Returns
    -------
    X : indexable
    y : (n,) array
    sample_weight : (n,) float array or None

    Raises
    ------
    ValueError
        If there are no samples, lengths differ, data frames and series have the same rows in
        different orders, a label is NaN or infinite, `y` is not of classes or has one class only, a
        weight is unusable, or all of a class are zero.

    Examples
    --------
    >>> check_samples([[1.0], [2.0]], ["a", "a"], None)
    Traceback (most recent call last):
    ValueError: y has one class only (all 'a'); at least two are needed
    """
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    check_rows(X=X, y=y, sample_weight=sample_weight, groups=groups)
    y = check_labels(y)
    X, y = indexable(without_mask(X), y)
    weight = check_weights(sample_weight, len(y))
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only (all {classes.tolist()[0]!r}); at least two are needed"
        )
    if weight is not None:
        lost = np.setdiff1d(classes, y[weight > 0]).tolist()
        if lost:
            raise ValueError(
                f"all samples of class {lost[0]!r} have weight zero; drop them, or give them weight"
            )
    return X, y, weight
