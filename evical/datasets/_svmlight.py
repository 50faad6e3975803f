"""Sparse data sets in the svmlight format: a label and the features that are not zero in a line.

Counts of words have tens of thousands of columns, of which a document has a few hundred.
"""

from pathlib import Path

import numpy as np

from evical.datasets._dataset import Dataset

__all__ = ["load_svmlight"]


def load_svmlight(path: Path, n_features: int | None = None) -> Dataset:
    """Read a data set with features counted from 1; ``.gz`` is unpacked.

    Parameters
    ----------
    path : Path
    n_features : int, optional
        By default the greatest that occurs.

    Returns
    -------
    Dataset
        With a sparse `X`, and features named by their numbers.

    Raises
    ------
    ValueError
        If the file is damaged, or has a feature beyond the last.
    """
    from sklearn.datasets import load_svmlight_file  # inside, as in _bundled.py

    try:
        X, labels = load_svmlight_file(str(path), n_features=n_features, zero_based=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(
            f"{path.name} is not in the svmlight format, has a feature beyond the last, or is "
            f"damaged ({error})"
        ) from error
    classes, y = np.unique(labels, return_inverse=True)
    return Dataset(
        name=path.name.removesuffix(".gz").removesuffix(".svm"),
        X=X,
        y=y,
        feature_names=tuple(str(number + 1) for number in range(X.shape[1])),
        class_names=tuple(f"{label:g}" for label in classes),
    )
