"""`CalibrationCondition`: calibrators of one classifier of two classes, measured on new samples.

One type serves all studies of this kind: samples, classifier, calibrators and measures have names.
Calibrators see scores here, without an `EvidentialClassifier`: the papers calibrate on the samples
that trained the classifier, and on links of its score.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evical import calibrators
from evical._typing import Floats
from evical.datasets import Dataset
from examples.studies._study import Record, repeat_rng
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS, Scorer
from examples.studies.parts.calibration_measures import MEASURES
from examples.studies.parts.calibration_samples import Samples, Source

__all__ = [
    "CUBE_ROOT",
    "LABELS",
    "SIMILARITY",
    "Calibration",
    "CalibrationCondition",
    "calibrate",
    "similarity_binning",
]


LABELS = ("data", "classifier", "design", "size", "method", "sample")
"""What a row can be named by."""

CUBE_ROOT = "cube root"
"""Number of bins: the cube root of the number of calibration samples, to the nearest."""


@dataclass(frozen=True)
class Calibration:
    """A calibrator with its options, or none.

    Parameters
    ----------
    name : str
        In tables.
    calibrator : str
        Class of `evical.calibrators`; empty for scores that are probabilities already.
    options : tuple of (str, value) pairs
        Its parameters; ``("n_bins", CUBE_ROOT)`` depends on the number of samples.

    Notes
    -----
    `SIMILARITY` is none of these, as it sees the features too.

    Examples
    --------
    >>> Calibration("bins", "BinningCalibrator", (("n_bins", CUBE_ROOT),)).make(1000)
    BinningCalibrator()
    """

    name: str
    calibrator: str = ""
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, name: str, calibrator: str, **options: Any) -> Self:
        """One with these options of the calibrator."""
        return cls(name, calibrator, tuple(options.items()))

    def make(self, n_samples: int) -> Any:
        """The calibrator, not fitted."""
        bins = max(1, round(n_samples ** (1 / 3)))
        options = {key: bins if value == CUBE_ROOT else value for key, value in self.options}
        return getattr(calibrators, self.calibrator)(**options)


SIMILARITY = Calibration("similarity binning", "similarity", (("n_neighbors", 10),))
"""Similarity binning averaging, see `similarity_binning`."""


@dataclass(frozen=True)
class CalibrationCondition:
    """One source of samples and one classifier, with several calibrators.

    Parameters
    ----------
    key : str
    source : Source
    classifier : str
        In `TWO_CLASS_LEARNERS`.
    methods : tuple of Calibration
    measures : tuple of str
        In `MEASURES`, in the order of the study.
    labels : tuple of str
        Which of `LABELS` name a row, in the order of the study; and those of `fixed`.
    design : str
        What is to be said of the calibration samples.
    link : {"none", "sigmoid"}
        Whether calibrators see the score, or 1 / (1 + exp(-score)).
    sizes : tuple of int
        The first so many calibration samples are used; all if empty.
    on_training : bool
        Whether calibration samples are measured too, beside test samples.
    fixed : tuple of (str, str) pairs
        Further labels with their values, which the study has for conditions of another type.
    """

    key: str
    source: Source
    classifier: str
    methods: tuple[Calibration, ...]
    measures: tuple[str, ...]
    labels: tuple[str, ...]
    design: str = ""
    link: Literal["none", "sigmoid"] = "none"
    sizes: tuple[int, ...] = ()
    on_training: bool = False
    fixed: tuple[tuple[str, str], ...] = ()

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.source.datasets

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        # By the source alone, so that classifiers and designs see the same samples.
        rng = repeat_rng(repr(self.source), number, seed)
        samples = self.source.draw(data, number, rng)
        score = self._link(TWO_CLASS_LEARNERS[self.classifier](samples.train))
        return [
            record
            for size in self._used_sizes(samples)
            for record in self._rows(samples, score, size)
        ]

    def _used_sizes(self, samples: Samples) -> tuple[int, ...]:
        return self.sizes or (len(samples.calibration),)

    def _link(self, score: Scorer) -> Scorer:
        return score if self.link == "none" else lambda X: np.asarray(expit(score(X)))

    def _rows(self, samples: Samples, score: Scorer, size: int) -> Iterator[Record]:
        X, y = samples.calibration.X[:size], samples.calibration.y[:size]
        seen = score(X)
        shown = {"test": (samples.test.X, score(samples.test.X), samples.test.y)}
        if self.on_training:
            shown["training"] = X, seen, y
        for method in self.methods:
            predict = _fitted(method, X, seen, y)
            for sample, (features, scores, truth) in shown.items():
                names = {
                    "data": self.source.name,
                    "classifier": self.classifier,
                    "design": self.design,
                    "size": str(size),
                    "method": method.name,
                    "sample": sample,
                    **dict(self.fixed),
                }
                p = predict(features, scores)
                values = tuple(MEASURES[measure](truth, p) for measure in self.measures)
                yield tuple(names[label] for label in self.labels), values


def calibrate(method: Calibration, scores: Floats, y: NDArray[np.intp]) -> Scorer:
    """Fit a calibrator.

    Parameters
    ----------
    method : Calibration
    scores : (n,) array
    y : (n,) array
        Labels 0 and 1.

    Returns
    -------
    callable
        From scores to probabilities of label 1.
    """
    if not method.calibrator:
        return lambda new: new
    fitted = method.make(len(y)).fit(scores, y)
    # Sums that round may leave [0, 1] by an ulp.
    return lambda new: np.clip(fitted.predict_proba(new)[:, 1], 0.0, 1.0)


_Predict = Callable[[Floats, Floats], Floats]  # from features and scores


def _fitted(method: Calibration, X: Floats, scores: Floats, y: NDArray[np.intp]) -> _Predict:
    if method == SIMILARITY:
        return similarity_binning(X, scores, y, **dict(method.options))
    calibrated = calibrate(method, scores, y)
    return lambda _, new: calibrated(new)


def similarity_binning(
    X: Floats, scores: Floats, y: NDArray[np.intp], n_neighbors: int
) -> _Predict:
    """Similarity binning averaging: the frequency of the class among similar samples.

    Samples are similar by their features and the score of the classifier together, each
    standardized.

    Parameters
    ----------
    X : (n, p) array
    scores : (n,) array
    y : (n,) array
        Labels 0 and 1.
    n_neighbors : int
        Number of similar samples.

    Returns
    -------
    callable
        From features and scores to probabilities of label 1.

    References
    ----------
    Naeini (2016), section 2.1.2.3, after Bella, Ferri, Hernandez-Orallo & Ramirez-Quintana (2009).

    Examples
    --------
    Of the two samples that are most like the new one, one is positive:

    >>> X, scores = np.array([[0.0], [1.0], [5.0]]), np.array([0.1, 0.2, 0.9])
    >>> predict = similarity_binning(X, scores, np.array([0, 1, 1]), n_neighbors=2)
    >>> predict(np.array([[0.5]]), np.array([0.2]))
    array([0.5])
    """
    near = make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors))
    near.fit(np.column_stack([X, scores]), y)
    return lambda X, scores: np.asarray(near.predict_proba(np.column_stack([X, scores]))[:, 1])
