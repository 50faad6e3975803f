"""One experiment of the study: all methods on the probabilities of a classifier."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.datasets import Dataset
from examples.studies._study import Record, repeat_rng
from examples.studies.calarena_small.data import DataSource, read_packaged
from examples.studies.calarena_small.methods import methods
from examples.studies.calarena_small.samples import Samples, draw

__all__ = ["Experiment", "losses"]


# The log loss of a probability of 0 is 87.3, as in CalArena.
_LEAST = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class Experiment:
    """All methods on the probabilities of a classifier for a data set.

    Parameters
    ----------
    source : DataSource
    classifier : str
        In `CLASSIFIERS`.
    """

    source: DataSource
    classifier: str

    @property
    def key(self) -> str:
        return f"{self.source.name}-{self.classifier}"

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.source.loaded

    def samples(self, data: Mapping[str, Dataset], number: int, seed: int) -> Samples:
        """What the methods learn from and are judged by; all classifiers have the same rows."""
        dataset = data[self.source.name] if self.datasets else read_packaged(self.source)
        state = int(repeat_rng(self.source.name, number, seed).integers(2**31))
        return draw(dataset, self.classifier, state)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        p_cal, y_cal, p_test, y_test = self.samples(data, number, seed)
        raw, _ = losses(p_test, y_test)
        rows: list[Record] = []
        for method in methods(self.source.classes):
            p = method.predictions(p_cal, y_cal, p_test)
            log_loss, squares = losses(p, y_test)
            error = float(np.mean(p.argmax(axis=1) != y_test))
            gap_error = (log_loss - raw).std(ddof=1) / np.sqrt(len(raw))
            labels = (self.source.classes, self.source.name, self.classifier, method.name)
            found = (log_loss.mean(), squares.mean(), error, gap_error, np.nan)
            rows.append((labels, tuple(map(float, found))))
        return rows


def losses(p: Floats, y: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Log loss and Brier score of each sample, as CalArena has them.

    Parameters
    ----------
    p : (n, K) array
    y : (n,) array of numbers of classes

    Returns
    -------
    pair of (n,) arrays
        The Brier score is the sum over all classes, of two classes too.

    Examples
    --------
    >>> log_loss, brier = losses(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 1]))
    >>> log_loss.round(2), brier
    (array([ 0.69, 87.34]), array([0.5, 2. ]))
    """
    at = y[:, np.newaxis] == np.arange(p.shape[1])
    return -np.log(np.maximum(p[at], _LEAST)), ((p - at) ** 2).sum(axis=1)
