"""`Dataset`: features and labels as arrays, with the names that reports need."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dstheory.checks.arguments import as_array, as_floats, as_sequence
from dstheory.notebook import ShownFields
from evical._typing import SamplesLike
from evical.scores.checks import refuse


@dataclass(frozen=True, eq=False)
class Dataset(ShownFields):
    """A classification data set.

    Parameters
    ----------
    name : str
        Name to show to readers.
    X : (n, p) array, or sparse matrix
        Finite features; read-only. A sparse one is kept in rows (CSR).
    y : (n,) int array
        Positions in `class_names`; read-only.
    feature_names : tuple of str
        One for each column of `X`.
    class_names : tuple of str
        Labels as they were written, ascending; of two, the second is positive.
    encoded : tuple of str
        Columns of text that were one-hot encoded.

    Raises
    ------
    TypeError
        If `y` is not of whole numbers.
    ValueError
        If shapes differ, a feature is NaN or infinite, or a label has no name.

    Examples
    --------
    >>> Dataset("toy", np.eye(2), np.array([0, 1]), ("a", "b"), ("no", "yes"))
    Dataset(toy: 2 samples, 2 features, classes no 1, yes 1)
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.intp]
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    encoded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for names in ("feature_names", "class_names"):
            listed = as_sequence(getattr(self, names), names, "several names")
            object.__setattr__(self, names, tuple(listed))
        features = _frozen_features(self.X)
        labels = as_array(self.y, "y")
        if labels.ndim != 1:
            raise ValueError(f"y has shape {labels.shape}, expected (n,)")
        if labels.dtype.kind not in "iub":
            raise TypeError(f"y is of {labels.dtype}, expected positions in class_names")
        # Copies, because freezing the caller's arrays would be a side effect.
        object.__setattr__(self, "X", features)
        object.__setattr__(self, "y", _frozen(np.array(self.y, dtype=np.intp)))
        shape = (len(self.y), len(self.feature_names))
        if self.X.shape != shape:
            raise ValueError(f"X has shape {self.X.shape}, but labels and names call for {shape}")
        place = _not_finite(self.X)
        if place is not None:
            row, column = place
            raise ValueError(
                f"{self.feature_names[column]!r} is {self.X[row, column]} in row {row}, but every "
                "feature must be finite; fill it in, or drop the row or the column"
            )
        strange = (self.y < 0) | (self.y >= len(self.class_names))
        refuse(self.y, strange, "y", f"the position of one of {len(self.class_names)} class names")

    def __len__(self) -> int:
        return len(self.y)

    @property
    def class_counts(self) -> tuple[int, ...]:
        """How many samples each class has."""
        return tuple(np.bincount(self.y, minlength=len(self.class_names)).tolist())

    def __repr__(self) -> str:
        pairs = zip(self.class_names, self.class_counts, strict=True)
        counts = ", ".join(f"{name} {count}" for name, count in pairs)
        n, p = self.X.shape
        return f"Dataset({self.name}: {n} samples, {p} features, classes {counts})"


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _frozen_features(X: SamplesLike) -> Any:
    """A copy of the features that nobody can change."""
    if not sparse.issparse(X):
        as_floats(X, "X")
        return _frozen(np.array(X, dtype=np.float64))
    rows: Any = sparse.csr_matrix(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    for part in (rows.data, rows.indices, rows.indptr):
        _frozen(part)
    return rows


def _not_finite(X: Any) -> tuple[int, int] | None:
    """Row and column of the first feature that is not a number."""
    if not isinstance(X, sparse.csr_matrix):
        places = np.argwhere(~np.isfinite(X))
        return tuple(places[0].tolist()) if len(places) else None
    wrong = ~np.isfinite(X.data)
    at = int(np.argmax(wrong)) if wrong.any() else -1
    row = int(np.searchsorted(X.indptr, at, side="right")) - 1
    return None if at < 0 else (row, int(X.indices[at]))
