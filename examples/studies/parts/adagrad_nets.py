"""`AdagradNets`: Naeini's shallow nets, stopped after so many steps of Adagrad.

The thesis names scikit flow, batches of ten and a rate of 0.1. What it does not name is as that
library had it: rectified linear units, uniform starting weights of unit scaling, biases of 0,
accumulated squares that begin at 0.1, and 200 steps (50 in its first versions). Scores are not
standardized.

Source: Naeini (2016), section 6.1.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from evical._fitting import as_random_state
from evical._typing import Floats, RandomState
from evical.multiclass import BaseMulticlassCalibrator

__all__ = ["AdagradNets"]

_START = 0.1  # of the accumulated squares


@dataclass(kw_only=True, eq=False, repr=False)
class AdagradNets(BaseMulticlassCalibrator):
    """Mean of shallow nets with four to seven hidden units.

    Parameters
    ----------
    n_steps : int
        Of Adagrad.
    n_nets, batch_size : int
    rate : float
    random_state : int, RandomState or None

    Examples
    --------
    >>> scores, y = [[1.0, 0.0], [0.0, 1.0]] * 20, ["a", "b"] * 20
    >>> AdagradNets(random_state=0).fit(scores, y).predict([[0.9, 0.1], [0.2, 0.6]]).tolist()
    ['a', 'b']
    """

    _ranges: ClassVar = {}
    _state: ClassVar = {}

    n_steps: int = 200
    n_nets: int = 10
    batch_size: int = 10
    rate: float = 0.1
    random_state: RandomState = None

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        if (weight != weight[0]).any():
            raise ValueError("sample weights differ, but these nets take equal ones only")
        rng = as_random_state(self.random_state)
        (n, k), most = scores.shape, 7
        used = np.arange(most) < rng.randint(4, most + 1, (self.n_nets, 1))  # hidden units
        first = _uniform(rng, (self.n_nets, k, most), np.full((self.n_nets, 1, 1), k))
        last = _uniform(rng, (self.n_nets, most, k), used.sum(axis=1)[:, np.newaxis, np.newaxis])
        parts = [
            first * used[:, np.newaxis],
            np.zeros((self.n_nets, 1, most)),
            last * used[:, :, np.newaxis],
            np.zeros((self.n_nets, 1, k)),
        ]
        squares = [np.full_like(part, _START) for part in parts]
        order = np.concatenate(
            [rng.rand(self.n_nets, n).argsort(axis=1) for _ in range(self._passes(n))], axis=1
        )
        targets = np.eye(k)[codes]
        for step in range(self.n_steps):
            rows = order[:, step * self.batch_size : (step + 1) * self.batch_size]
            for part, square, slope in zip(
                parts, squares, _slopes(parts, used, scores[rows], targets[rows]), strict=True
            ):
                square += slope**2
                part -= self.rate * slope / np.sqrt(square)
        self._parts = parts

    def _passes(self, n: int) -> int:
        return -(-self.n_steps * self.batch_size // n)

    def _predict_single(self, scores: Floats) -> Floats:
        first, bias, last, out = self._parts
        hidden = np.maximum(scores @ first + bias, 0)
        return np.asarray(softmax(hidden @ last + out, axis=-1).mean(axis=0))


def _uniform(rng: np.random.RandomState, shape: tuple[int, ...], fan_in: Floats) -> Floats:
    return np.asarray(rng.uniform(-1, 1, shape) * np.sqrt(3 / fan_in))


def _slopes(
    parts: list[Floats], used: NDArray[np.bool_], X: Floats, target: Floats
) -> list[Floats]:
    """Gradients of the mean cross entropy of a batch (nets, samples, classes) of each net."""
    first, bias, last, out = parts
    hidden = np.maximum(X @ first + bias, 0) * used[:, np.newaxis]
    error = (softmax(hidden @ last + out, axis=-1) - target) / X.shape[1]
    back = error @ last.transpose(0, 2, 1) * (hidden > 0)
    return [
        X.transpose(0, 2, 1) @ back,
        back.sum(axis=1, keepdims=True),
        hidden.transpose(0, 2, 1) @ error,
        error.sum(axis=1, keepdims=True),
    ]
