"""Squared distances between many points, as centers and prototypes need them."""

import numpy as np

from evical._typing import Floats


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
