"""Features as categories, for naive Bayes: codes as they are, numbers by bins.

Which bins is left open by most papers; they are learned from training samples, and a value
beyond these falls into an end bin.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from evical._typing import Floats
from evical.datasets import Dataset

__all__ = ["Binning", "Categories", "indicators", "learn_categories"]

Integers = NDArray[np.intp]


@dataclass(frozen=True)
class Binning:
    """Conversion of numbers to categories.

    Parameters
    ----------
    strategy : {"quantile", "uniform", "values"}
        Bins that hold equally many training samples, or of equal width, or one for each value
        in the training samples.
    n_bins : int
        Fewer where a quantile repeats; not used for "values".
    """

    strategy: Literal["quantile", "uniform", "values"]
    n_bins: int = 10


@dataclass(frozen=True, eq=False)
class Categories:
    """Learned conversion of features to categories.

    Parameters
    ----------
    codes : tuple of (k,) arrays
        Columns of each one-hot encoded feature.
    numbers : tuple of (column, edges) pairs
        The other columns, with the upper edges of all bins but the last.
    """

    codes: tuple[Integers, ...]
    numbers: tuple[tuple[int, Floats], ...]

    @property
    def sizes(self) -> Integers:
        """Number of categories of each feature."""
        return np.array(
            [len(columns) for columns in self.codes] + [len(edges) + 1 for _, edges in self.numbers]
        )

    def of(self, X: Floats) -> Integers:
        """Categories of features.

        Parameters
        ----------
        X : (n, p) array

        Returns
        -------
        (n, q) array of int
            From 0; encoded features first.
        """
        coded = [X[:, columns].argmax(axis=1) for columns in self.codes]
        binned = [np.searchsorted(edges, X[:, j], side="right") for j, edges in self.numbers]
        return np.stack(coded + binned, axis=1)


def indicators(categories: Integers, sizes: Integers) -> csr_array:
    """A column for each category of each feature, which is 1 where it is the sample's.

    Parameters
    ----------
    categories : (n, q) array of int
    sizes : (q,) array
        Numbers of categories.

    Returns
    -------
    (n, sum of sizes) sparse array

    Examples
    --------
    >>> indicators(np.array([[0, 2], [1, 0]]), np.array([2, 3])).toarray()
    array([[1., 0., 0., 0., 1.],
           [0., 1., 1., 0., 0.]])
    """
    n, q = categories.shape
    columns = (categories + np.cumsum(sizes) - sizes).ravel()
    rows = np.arange(n + 1) * q
    return csr_array((np.ones(n * q), columns, rows), shape=(n, int(sizes.sum())))


def learn_categories(train: Dataset, binning: Binning) -> Categories:
    """Find the bins of training samples.

    Parameters
    ----------
    train : Dataset
        Its encoded features are taken as categories as they are.
    binning : Binning
        Of the other features.

    Returns
    -------
    Categories

    Examples
    --------
    >>> X = np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 5.0], [0.0, 1.0, 9.0]])
    >>> data = Dataset("d", X, np.array([0, 1, 1]), ("a=x", "a=y", "b"), ("0", "1"), ("a",))
    >>> learn_categories(data, Binning("values")).of(X)
    array([[0, 0],
           [1, 1],
           [1, 2]])
    """
    owners = [name.split("=", 1)[0] for name in train.feature_names]
    codes = tuple(
        np.array([j for j, owner in enumerate(owners) if owner == name]) for name in train.encoded
    )
    numbers = tuple(
        (j, _edges(train.X[:, j], binning))
        for j, owner in enumerate(owners)
        if owner not in train.encoded
    )
    return Categories(codes, numbers)


def _edges(x: Floats, binning: Binning) -> Floats:
    if binning.strategy == "values":
        values = np.unique(x)
        return (values[1:] + values[:-1]) / 2
    if binning.strategy == "uniform":
        return np.unique(np.linspace(x.min(), x.max(), binning.n_bins + 1)[1:-1])
    return np.unique(np.quantile(x, np.arange(1, binning.n_bins) / binning.n_bins))
