"""A layer of prototypes: how near a sample is to each of them, with gradients, and where to start.

Networks of prototypes share it. A prototype p answers a sample x with exp(-rate ||x - p||^2), 1 at
the prototype and 0 far from it. Arrays of answers are (R, n): prototypes first, samples last.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans, kmeans_plusplus

from evical._typing import Floats
from evical.learners._features import squared_distances

_START = 0.2
"""Of 0.1, 0.3 and 1 over that mean, 1 ends in worse minima (vehicle, digits, breast cancer, glass);
the others do not differ."""

_CLOSE = 1e-12
"""Share of the squared spread."""


class Layer(NamedTuple):
    """Prototypes, and how fast their answers fade.

    Parameters
    ----------
    prototypes : (R, d) array
    rate : (R,) array
        0 or more, in 1 / (unit of the features)^2.
    """

    prototypes: Floats
    rate: Floats

    def answers(self, X: Floats) -> tuple[Floats, Floats]:
        """Squared distances of samples (n, d), and exp(-rate times them), both (R, n).

        Examples
        --------
        >>> layer = Layer(np.array([[0.0], [1.0]]), np.array([1.0, 0.0]))
        >>> layer.answers(np.array([[2.0]]))[0].tolist()
        [[4.0], [1.0]]
        """
        squared = squared_distances(self.prototypes, X)
        return squared, np.exp(-self.rate[:, np.newaxis] * squared)

    def slopes(self, X: Floats, squared: Floats, answers: Floats, given: Floats) -> "LayerSlopes":
        """Derivatives of what has the given ones (R, n) with respect to the answers."""
        moved = given * answers
        pull = moved * self.rate[:, np.newaxis]
        towards = 2 * (pull @ X - pull.sum(axis=1)[:, np.newaxis] * self.prototypes)
        return LayerSlopes(towards, -(moved * squared).sum(axis=1))


class LayerSlopes(NamedTuple):
    """Derivatives with respect to prototypes (R, d) and rates (R,)."""

    prototypes: Floats
    rate: Floats


class Spread(NamedTuple):
    """Center and common scale of samples: distances keep their proportions.

    Parameters
    ----------
    center : (d,) array
    scale : float
        Root mean squared distance from the center.
    """

    center: Floats
    scale: float

    @classmethod
    def of(cls, X: Floats, weight: Floats) -> Self:
        """Of samples (n, d) with weights (n,) of sum 1."""
        center = weight @ X
        size = float(np.abs(X - center).max(initial=0))  # squares of large numbers overflow
        if size == 0:
            return cls(center, 1.0)
        gaps = (X - center) / size
        return cls(center, size * float(np.sqrt(weight @ (gaps**2).sum(axis=1))))

    def apply(self, X: Floats) -> Floats:
        """Samples in the unit of the scale, with mean 0."""
        return np.asarray((X - self.center) / self.scale)

    def revert(self, X: Floats) -> Floats:
        """Samples in their own unit."""
        return np.asarray(X * self.scale + self.center)


def start_of_prototypes(
    X: Floats, weight: Floats, n: int, random: np.random.RandomState
) -> tuple[Floats, NDArray[np.int64]]:
    """Centers of k-means, and the center of each sample.

    Seeds are drawn one by one (k-means++). The greedy choice among several, which is the default of
    scikit-learn, is nearly the same in each start, so that many find no better network.

    Parameters
    ----------
    X : (n_samples, d) array
    weight : (n_samples,) array
        Positive.
    n : int
        Number of centers; fewer if there are fewer distinct samples.
    random : RandomState

    Returns
    -------
    centers : (R, d) array
    nearest : (n_samples,) array of int
    """
    count = min(n, len(np.unique(X, axis=0)))
    seeds, _ = kmeans_plusplus(
        X, count, sample_weight=weight, random_state=random, n_local_trials=1
    )
    means = KMeans(count, init=seeds, n_init=1).fit(X, sample_weight=weight)
    return np.asarray(means.cluster_centers_), np.asarray(means.labels_, dtype=np.int64)


def start_rate(X: Floats, weight: Floats, prototypes: Floats, nearest: NDArray[np.int64]) -> float:
    """Rate to start from: small beside 1 / mean squared distance of samples to their prototypes.

    Parameters
    ----------
    X : (n, d) array
    weight : (n,) array
        Of sum 1.
    prototypes : (R, d) array
    nearest : (n,) array of int
        The prototype of each sample.

    Returns
    -------
    float
    """
    mean = float(weight @ ((X - prototypes[nearest]) ** 2).sum(axis=1))
    if mean < _CLOSE:  # each sample is a prototype
        mean = float(weight @ ((X - weight @ X) ** 2).sum(axis=1))
    return _START / mean if mean > 0 else 1.0
