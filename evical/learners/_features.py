"""Features and labels of samples, as an estimator reads them, and distances of samples."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import without_mask
from evical._typing import Floats, SamplesLike
from evical.scores.checks import (
    check_labels,
    check_weights,
    refuse,
    refuse_huge,
    warn_of_little_weight,
)

Metric: TypeAlias = Literal["euclidean", "precomputed"]
_GREATEST = 1e100  # products of its square are floats
_DATES = ("date", "time", "duration", "period")  # how NumPy, pandas, polars name their types


def read_samples(
    estimator: BaseEstimator, X: SamplesLike, metric: str = "euclidean", *, reset: bool
) -> Floats:
    """Features, or distances to the training samples.

    Parameters
    ----------
    estimator : object
    X : (n, n_features) array or data frame, or array of distances
        Distances are (n, n) between training samples, or (m, n) from new samples to these.
    metric : {"euclidean", "precomputed"}
    reset : bool
        Whether these are the training samples.

    Returns
    -------
    (n, n_features), (n, n) or (m, n) array

    Raises
    ------
    TypeError, ValueError
        If they are no table of finite numbers, or no distances.
    """
    X = read_features(estimator, X, reset=reset)
    if metric == "precomputed":
        refuse(X, X < 0, "X", "a distance from 0 (Negative values in data)")
        refuse(X, X > _GREATEST, "X", f"a distance of at most {_GREATEST:g}")
        if reset:
            _check_square(X)
    else:
        refuse_huge(X, "X", _GREATEST)
    return np.asarray(X)


def _check_square(D: Floats) -> None:
    n = len(D)
    if D.shape != (n, n):
        raise ValueError(
            f"X has the shape {D.shape}, expected the (n, n) distances of n samples, as metric "
            "is 'precomputed'; X should be a square matrix"
        )
    scale = 1e-8 * float(np.abs(D).max())
    refuse(D, np.diag(np.abs(np.diag(D)) > scale), "X", "0: a sample and itself")
    gap = np.abs(D - D.T) > scale
    if gap.any():
        i, j = np.argwhere(gap)[0]
        raise ValueError(
            f"X[{i}, {j}] is {D[i, j]:g}, but X[{j}, {i}] is {D[j, i]:g}; distances are symmetric"
        )


def squared_distances(X: Floats, centers: Floats) -> Floats:
    """Squared Euclidean distances; best of centered samples, as norms are subtracted.

    Parameters
    ----------
    X : (n, d) array
    centers : (R, d) array

    Returns
    -------
    (n, R) array

    Examples
    --------
    >>> squared_distances(np.array([[3.0, 4.0]]), np.array([[0.0, 0.0], [3.0, 0.0]])).tolist()
    [[25.0, 16.0]]
    """
    found = X @ (-2 * centers.T)
    found += np.einsum("nj,nj->n", X, X)[:, np.newaxis]
    found += np.einsum("rj,rj->r", centers, centers)
    return np.maximum(found, 0, out=found)


def read_features(
    estimator: BaseEstimator, X: SamplesLike, y: ArrayLike | None = None, *, reset: bool
) -> Floats:
    """Samples as floats, with the number and the names of features checked, or kept.

    Parameters
    ----------
    estimator : object
    X : (n, n_features) array or data frame
    y : (n,) array, optional
        Labels that must fit to them.
    reset : bool
        Whether the estimator takes the number and the names over, as in `fit`.

    Returns
    -------
    (n, n_features) array

    Raises
    ------
    TypeError, ValueError
        If they are no table of finite numbers, or not of the features of `fit`.
    """
    samples = _no_dates(without_mask(X)), *([] if y is None else [_labels(y)])
    what = "X is not a table of numbers" if y is None else "X and y are not samples with labels"
    found = _validated(what, estimator, samples, reset=reset)
    return np.asarray(found if y is None else found[0])


def _validated(
    what: str, estimator: BaseEstimator, samples: tuple[Any, ...], **options: bool
) -> Any:
    try:
        with np.errstate(invalid="ignore"):  # scikit-learn adds all numbers up: infinities too
            return validate_data(estimator, *samples, dtype=np.float64, **options)
    except (TypeError, ValueError, OverflowError) as error:
        raise as_ours(error, what) from error


def _no_dates(values: ArrayLike, name: str = "X") -> Any:
    """The values, unless they are dates, of which NumPy makes floats, of NaT too."""
    one = [getattr(values, "dtype", None)]
    for dtype in getattr(values, "dtypes", one) if hasattr(values, "columns") else one:
        if str(dtype).lower().startswith(_DATES):
            raise TypeError(f"{name} holds {dtype}, expected numbers; take days from some date")
    return values


def as_ours(error: Exception, what: str) -> Exception:
    kind = TypeError if isinstance(error, TypeError) else ValueError
    other_features = "feature names" in str(error)  # of a table of numbers
    return kind(str(error) if other_features else f"{what}: {error}")


_GRID = 2.0**26  # half of the digits of a float


def on_grid(standardized: Floats) -> Floats:
    """Standardized values without the digits in which they differ by the unit of the features.

    A descent makes much of the last digits. Only training samples need that: what is predicted
    is continuous.

    Examples
    --------
    >>> a, b = 1 / 3, 0.1 / 0.3
    >>> a == b, on_grid(np.array(a)) == on_grid(np.array(b))
    (False, np.True_)
    """
    return np.asarray(np.rint(standardized * _GRID) / _GRID)


def distinct_rows(rows: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Each row of positive weight once, in ascending order, with the weight of all its copies.

    A weight of 2 is then the same as two samples, and neither the order of samples matters nor,
    unlike in the order of bytes, their unit.

    Parameters
    ----------
    rows : (n, d) array
    weight : (n,) array
        Not all 0.

    Returns
    -------
    rows : (m, d) array
    weight : (m,) array

    Examples
    --------
    >>> distinct_rows(np.array([[2.0], [-1.0], [2.0]]), np.array([1.0, 1.0, 0.5]))[1]
    array([1. , 1.5])
    """
    kept = np.flatnonzero(weight > 0)
    order = kept[np.lexsort(rows[kept].T[::-1])]
    rows = rows[order] + 0.0  # -0 is 0
    first = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
    return rows[first], np.asarray(np.add.reduceat(weight[order], first))


def check_neighbors(n_neighbors: int, n: int) -> None:
    """Raise unless each of n samples has so many others."""
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors is {n_neighbors}, but there are only {n} samples (n_samples={n}), of "
            "which each needs others; take fewer neighbors"
        )


def read_labels(
    y: ArrayLike | MassFunction, n: int, refusal: str | None
) -> tuple[NDArray[Any], Floats]:
    """Classes, and the plausibility of each for each sample.

    Parameters
    ----------
    y : (n,) array or MassFunction
        Labels, or a batch (n,) of mass functions about them.
    n : int
        Number of samples.
    refusal : str, optional
        Why labels must be hard, if they must.

    Returns
    -------
    classes : (K,) array
    plausibility : (n, K) array

    Raises
    ------
    ValueError
        If there is one class only, a batch is of another size or has all mass of a row on the
        empty set, or labels are uncertain and must be hard.
    """
    if not isinstance(y, MassFunction):
        classes, codes = np.unique(_labels(y), return_inverse=True)
        _check_classes(classes.tolist())
        return classes, np.eye(len(classes))[codes]
    if y.batch_shape != (n,):
        raise ValueError(f"y is a batch {y.batch_shape} of mass functions, expected ({n},)")
    if refusal is not None:
        raise ValueError(refusal)
    _check_classes(list(y.frame.labels))
    plausibility = np.asarray(y.contour(), dtype=np.float64)
    none = ~plausibility.any(axis=1)
    if none.any():
        raise ValueError(
            f"y has all mass on the empty set in row {int(np.argmax(none))}, so no class is "
            "plausible there; leave that sample out"
        )
    return _classes_of(y.frame), plausibility


def _labels(y: ArrayLike) -> NDArray[Any]:
    try:
        return check_labels(y)
    except (TypeError, ValueError) as error:
        raise as_ours(error, "y has no labels of classes") from error


def _classes_of(frame: Frame) -> NDArray[Any]:
    """Labels as they are: an array of texts and numbers would turn all into texts."""
    labels = frame.labels
    numbers = all(isinstance(label, int | float) for label in labels)
    if numbers or all(isinstance(label, str) for label in labels):
        return np.array(labels)
    return np.fromiter(labels, dtype=object, count=len(labels))


def _check_classes(classes: list[Any]) -> None:
    if len(classes) < 2:
        raise ValueError(f"y has one class only (all {classes[0]!r}); at least two are needed")


def read_responses(estimator: BaseEstimator, X: SamplesLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Samples and their responses as floats, with the number and the names of features kept.

    Parameters
    ----------
    estimator : object
    X : (n, n_features) array or data frame
    y : (n,) array

    Returns
    -------
    X : (n, n_features) array
    y : (n,) array

    Raises
    ------
    TypeError, ValueError
        If they are no samples with finite real responses.
    """
    samples = _no_dates(without_mask(X)), _no_dates(without_mask(y), "y")
    what = "X and y are not samples with responses"
    X, y = _validated(what, estimator, samples, y_numeric=True)
    return np.asarray(X), np.asarray(y, dtype=np.float64)


def read_weights(sample_weight: ArrayLike | None, n: int) -> Floats:
    """Weights of samples, 1 by default.

    Parameters
    ----------
    sample_weight : (n,) array or None
    n : int
        Number of samples.

    Returns
    -------
    (n,) array

    Raises
    ------
    TypeError, ValueError
        If they are no weights of n samples, or all zero.

    Warns
    -----
    UserWarning
        If ten weights or more have a sum of at most 1, so that they count as one sample.
    """
    weight = check_weights(sample_weight, n)
    if weight is None:
        return np.ones(n)
    if not weight.any():
        raise ValueError("sample_weight is zero for all samples; at least one must count")
    warn_of_little_weight(weight, stacklevel=5)
    return weight
