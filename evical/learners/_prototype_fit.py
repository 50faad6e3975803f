"""Networks of prototypes, and parameters that fit samples best.

The vector of parameters has the prototypes, the roots of twice the rates, and those of the output.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from evical._typing import Floats
from evical.learners._prototype_outputs import Output
from evical.learners._prototypes import Layer
from evical.scores.descent import descend

__all__ = ["Fitted", "Loss", "Network", "Samples", "cost", "fit_network", "merged"]


Loss = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Of weights and targets (K, n): values (n,), and derivatives (K, n)."""

CHUNK = 2**17
"""Numbers in an array of prototypes by samples: a megabyte stays in the cache."""


class Samples(NamedTuple):
    """What a network is fitted to.

    Parameters
    ----------
    X : (n, d) array
    target : (K, n) array
        Plausibility of each class: 1 for a hard label and 0 for others.
    weight : (n,) array
        Of sum 1.
    """

    X: Floats
    target: Floats
    weight: Floats


@dataclass(frozen=True, eq=False)
class Network:
    """A layer of prototypes and an output.

    Parameters
    ----------
    prototypes : (R, d) array
    roots : (R,) array
        Half of their squares are the rates; free of bounds, unlike these.
    output : Output
    """

    prototypes: Floats
    roots: Floats
    output: Output

    @property
    def layer(self) -> Layer:
        """The prototypes with their rates."""
        return Layer(self.prototypes, self.roots**2 / 2)

    def vector(self) -> Floats:
        """All parameters, (q,)."""
        return np.concatenate([self.prototypes.ravel(), self.roots, self.output.vector()])

    def replaced(self, vector: Floats) -> Self:
        """The same with other parameters."""
        n, d = self.prototypes.shape
        prototypes, roots, rest = np.split(vector, [n * d, n * d + n])
        return type(self)(prototypes.reshape(n, d), roots, self.output.replaced(rest))

    def with_output(self, output: Output) -> Self:
        """The same prototypes, read otherwise."""
        return type(self)(self.prototypes, self.roots, output)

    def rows(self, n: int) -> list[slice]:
        """Parts of n samples that fit into the cache."""
        size = max(CHUNK // len(self.roots), 64)
        return [slice(start, start + size) for start in range(0, n, size)]

    def weights(self, X: Floats) -> Floats:
        """Weights of evidence (K, n) for samples (n, d)."""
        layer = self.layer
        parts = [self.output.weights(layer.answers(X[rows])[1]) for rows in self.rows(len(X))]
        return np.concatenate(parts, axis=1)


class Fitted(NamedTuple):
    """A network, its cost, and how it was found.

    Parameters
    ----------
    network : Network
    cost : float
    n_iter : int
    converged : bool
    """

    network: Network
    cost: float
    n_iter: int
    converged: bool


def merged(samples: Samples) -> Samples:
    """Equal samples in one, with the sum of their weights; without those of weight 0.

    They come in an order of their own, so that no order of samples makes a difference, and a weight
    of 2 is the same as two samples.

    Examples
    --------
    >>> samples = Samples(np.array([[1.0], [1.0]]), np.ones((2, 2)), np.array([0.5, 0.5]))
    >>> merged(samples).weight.tolist()
    [1.0]
    """
    kept = samples.weight > 0
    target = samples.target[:, kept]
    rows = np.column_stack([target.T, samples.X[kept]]) + 0.0  # no negative zeros
    whole = np.ascontiguousarray(rows).view(f"V{rows.itemsize * rows.shape[1]}").ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    weight = np.bincount(place.ravel(), samples.weight[kept]).astype(np.float64)
    return Samples(samples.X[kept][first], target[:, first], weight)


def cost(
    network: Network, samples: Samples, loss: Loss, regularization: float
) -> tuple[float, Floats]:
    """Mean loss and penalty of a network.

    Parameters
    ----------
    network : Network
    samples : Samples
    loss : callable
    regularization : float
        Factor of the penalty of the output.

    Returns
    -------
    float, and its derivatives (q,) by the vector of parameters
    """
    layer, output = network.layer, network.output
    penalty, by_output = output.penalty()
    value, by_output = regularization * penalty, regularization * by_output
    by_prototypes, by_rate = np.zeros_like(layer.prototypes), np.zeros_like(layer.rate)
    for rows in network.rows(len(samples.X)):
        X, weight = samples.X[rows], samples.weight[rows]
        squared, answers = layer.answers(X)
        each, slopes = loss(output.weights(answers), samples.target[:, rows])
        value += float(each @ weight)
        by_answers, part = output.slopes(answers, slopes * weight)
        by_layer = layer.slopes(X, squared, answers, by_answers)
        by_output = by_output + part
        by_prototypes += by_layer.prototypes
        by_rate += by_layer.rate
    return value, np.concatenate([by_prototypes.ravel(), by_rate * network.roots, by_output])


def fit_network(
    start: Network,
    samples: Samples,
    loss: Loss,
    regularization: float,
    *,
    optimize_prototypes: bool,
    max_iter: int,
    tol: float,
) -> Fitted:
    """A local minimum of the cost near a start, by L-BFGS-B.

    Parameters
    ----------
    start : Network
    samples, loss, regularization
        As of `cost`.
    optimize_prototypes : bool
        Else they stay where they are.
    max_iter : int
    tol : float
        Ends when the cost falls by less, or by less than this share of a cost above 1.

    Returns
    -------
    Fitted
    """
    fixed = 0 if optimize_prototypes else start.prototypes.size
    kept, free = np.split(start.vector(), [fixed])

    def objective(vector: Floats) -> tuple[float, Floats]:
        network = start.replaced(np.concatenate([kept, vector]))
        value, slopes = cost(network, samples, loss, regularization)
        return value, slopes[fixed:]

    options: Any = {"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": tol, "gtol": 0.0}
    found = descend(objective, free, options=options)
    network = start.replaced(np.concatenate([kept, found.x]))
    return Fitted(network, float(found.fun), int(found.nit), found.status != 1)
