"""Scores of one classifier with small and large calibration samples, for pictures.

Xu et al. (2016), figure 7, show how the bands of the same calibrators narrow as the
calibration sample grows from 20 to 200.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from evical.datasets import Dataset
from evical.studies.parts.protocol import Protocol
from evical.studies.parts.sources import CLASSIFIERS
from evical.studies.parts.split import draw_training

__all__ = ["CalibrationSample", "calibration_samples"]


@dataclass(frozen=True, eq=False)
class CalibrationSample:
    """Scores and labels of samples that the classifier was not trained on.

    Parameters
    ----------
    scores : (n,) array
    y : (n,) array of 0 and 1
    """

    scores: NDArray[np.float64]
    y: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.y)


def calibration_samples(
    protocol: Protocol, dataset: Dataset, sizes: tuple[int, ...] = (20, 200)
) -> list[CalibrationSample]:
    """Train one classifier on a third of the data and score samples of the other two thirds.

    Parameters
    ----------
    protocol : Protocol
        Gives the classifier and the seed.
    dataset : Dataset
        Of two classes.
    sizes : tuple of int
        Sizes wanted; less where fewer samples are left.

    Returns
    -------
    list of CalibrationSample
        One for each size, with at least one sample of each class.
    """
    rng = np.random.default_rng(np.random.SeedSequence(protocol.seed, spawn_key=(1,)))
    train, rest = draw_training(dataset.y, len(dataset) // 3, 1, rng)
    scaler = StandardScaler().fit(dataset.X[train])
    X = scaler.transform(dataset.X)
    classifier = CLASSIFIERS[protocol.classifier]().fit(X[train], dataset.y[train])
    samples = []
    for size in sizes:
        drawn, _ = draw_training(dataset.y[rest], min(size, len(rest) - 2), 1, rng)
        chosen = rest[drawn]
        scores = classifier.decision_function(X[chosen])
        samples.append(CalibrationSample(scores, dataset.y[chosen]))
    return samples
