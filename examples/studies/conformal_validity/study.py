"""How often conformal beliefs reject the true class, on real data, and how large their sets are."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import betabinom
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dstheory import Frame, consonant, dempster
from evical._typing import Floats
from evical.conformal import ConformalClassifier, lac_scores
from evical.conformal.calibration import Calibration
from evical.conformal.contour import to_contour
from evical.conformal.nonconformity import aps_scores
from evical.datasets import Dataset
from evical.ensemble import EvidentialEnsemble
from evical.estimators.responses import class_values
from evical.fusion import valid_mean, valid_minimum
from examples.studies._beside import read_prose
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.conformal_validity._summary import summary

__all__ = ["ALPHAS", "CONFORMAL_VALIDITY", "WAYS", "Sample", "Splits", "judged"]


ALPHAS = (0.01, 0.05, 0.1, 0.2)
_N_MOST, _N_TEST, _N_OF_CLASS, _HELD_OUT = 800, 1000, 15, 0.3
_LEARNED = 5  # repeats with the learned fusion, which takes most of the time
_HARD = 0.25  # of the test samples, with the least probability of the likeliest class

_MEMBERS: dict[str, Any] = {
    "naive_bayes": GaussianNB(var_smoothing=1e-3),
    "logistic_regression": make_pipeline(
        StandardScaler(), LogisticRegression(tol=1e-3, max_iter=300)
    ),
    "nearest_neighbors": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
}
_SINGLE = "logistic_regression"


@dataclass(frozen=True, eq=False)
class Sample:
    """A random split, and the values of the classifiers that were trained on its first part.

    Parameters
    ----------
    X, y : training and calibration samples, in random order, and labels 0 to K - 1
    new : test samples
    n_trained : int
        Samples for training; the rest are for calibration.
    number : int
        Of the repeat.
    """

    X: Floats
    y: NDArray[np.intp]
    new: Floats
    n_trained: int
    number: int

    @property
    def n_classes(self) -> int:
        """K."""
        return int(self.y.max()) + 1

    def values(self) -> dict[str, tuple[Floats, Floats]]:
        """Probabilities of calibration samples and of test samples, by classifier."""
        head, classes = slice(self.n_trained), np.arange(self.n_classes)
        fitted = {
            name: clone(one).fit(self.X[head], self.y[head]) for name, one in _MEMBERS.items()
        }
        return {
            name: (
                class_values(one, self.X[self.n_trained :], classes),
                class_values(one, self.new, classes),
            )
            for name, one in fitted.items()
        }

    def adaptive(self) -> Callable[[Floats], Floats]:
        """The randomized score aps."""
        rng = np.random.default_rng(self.number)
        return lambda values: aps_scores(values, rng.uniform(size=len(values)))

    def contour(
        self, values: tuple[Floats, Floats], score: Any = lac_scores, by_class: bool = False
    ) -> Floats:
        """Contour (m, K) of the test samples."""
        y = self.y[self.n_trained :]
        seen, scores = (score(part) for part in values)
        calibration = Calibration.of(seen, y, None, by_class=by_class, groups=None)
        p = calibration.counts(scores, None, ties=False).p_values()
        return to_contour(p, scores)


Values = dict[str, tuple[Floats, Floats]]
Way = Callable[[Sample, Values], Floats | None]


def _fused(rule: Callable[..., Any]) -> Way:
    def way(sample: Sample, values: Values) -> Floats:
        frame = Frame(range(sample.n_classes))
        masses = [consonant(frame, sample.contour(own)) for own in values.values()]
        return np.asarray(rule(*masses).contour())

    return way


def _vote(sample: Sample, values: Values) -> Floats:
    seen, new = (np.mean(part, axis=0) for part in zip(*values.values(), strict=True))
    return sample.contour((seen, new))


def _crossed(sample: Sample, values: Values) -> Floats:
    clf = ConformalClassifier(_MEMBERS[_SINGLE], method="cross")
    return clf.fit(sample.X, sample.y).predict_contour(sample.new)


def _learned(sample: Sample, values: Values) -> Floats | None:
    if sample.number >= _LEARNED:
        return None
    ensemble = EvidentialEnsemble(list(_MEMBERS.items()))
    clf = ConformalClassifier(ensemble, held_out=_HELD_OUT, random_state=sample.number)
    return clf.fit(sample.X, sample.y).predict_contour(sample.new)


WAYS: dict[str, Way] = {
    "split": lambda sample, values: sample.contour(values[_SINGLE]),
    "split, aps": lambda sample, values: sample.contour(values[_SINGLE], sample.adaptive()),
    "split, by class": lambda sample, values: sample.contour(values[_SINGLE], by_class=True),
    "cross": _crossed,
    "Dempster's rule": _fused(dempster),
    "valid_mean": _fused(valid_mean),
    "valid_minimum": _fused(valid_minimum),
    "vote, then conformal": _vote,
    "EvidentialEnsemble, then conformal": _learned,
}
"""Name to the contour of the test samples; None if a repeat leaves it out."""


def judged(
    contour: Floats | None, y: NDArray[np.intp], hard: NDArray[np.bool_], alpha: float, n: int
) -> tuple[float, ...]:
    """The measures of the study.

    Parameters
    ----------
    contour : (m, K) array or None
    y : (m,) array
        True classes.
    hard : (m,) array of bool
    alpha : float
    n : int
        Number of calibration samples.

    Returns
    -------
    tuple of float
        Share of rejected true classes, of all, on average over the classes, and of hard samples;
        size of the sets; whether more are rejected than in 95 % of the calibration samples.
    """
    if contour is None:
        return (np.nan,) * 5
    kept = contour > alpha
    missed = ~kept[np.arange(len(y)), y]
    by_class = np.mean([missed[y == k].mean() for k in np.unique(y)])
    rejected = int(alpha * (n + 1) + 1e-9)
    limit = betabinom(len(y), rejected, n + 1 - rejected).ppf(0.95) if rejected else 0
    return (
        float(missed.mean()),
        float(by_class),
        float(missed[hard].mean()),
        float(kept.sum(axis=1).mean()),
        float(missed.sum() > limit),
    )


@dataclass(frozen=True)
class Splits:
    """Random splits of a data set.

    Parameters
    ----------
    name : str
    """

    name: str

    @property
    def key(self) -> str:
        return self.name

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.name,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        rng = repeat_rng(self.name, number, seed)
        sample, y = _drawn(data[self.name], number, rng)
        # That a regression has not converged is no fault: the promise is for any classifier.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            values = sample.values()
            contours = {name: way(sample, values) for name, way in WAYS.items()}
        top = values[_SINGLE][1].max(axis=1)
        hard = top <= np.quantile(top, _HARD)
        n = len(sample.y) - sample.n_trained
        return [
            ((self.name, name, f"{alpha:g}"), judged(contour, y, hard, alpha, n))
            for name, contour in contours.items()
            for alpha in ALPHAS
        ]


def _drawn(
    dataset: Dataset, number: int, rng: np.random.Generator
) -> tuple[Sample, NDArray[np.intp]]:
    """Samples in random order; no class has a fixed share in any part."""
    labels, counts = np.unique(dataset.y, return_counts=True)
    expected = counts * min(0.5, _N_MOST / len(dataset.y))
    kept = np.flatnonzero(np.isin(dataset.y, labels[expected >= _N_OF_CLASS]))
    y = np.unique(dataset.y[kept], return_inverse=True)[1]
    rows = rng.permutation(len(y))
    n = min(len(y) // 2, _N_MOST)
    train, test = rows[:n], rows[n : n + _N_TEST]
    X = np.asarray(dataset.X, dtype=np.float64)[kept]
    sample = Sample(X[train], y[train], X[test], n - round(_HELD_OUT * n), number)
    return sample, y[test]


_TWO = (
    "sonar haberman ionosphere liver_disorders breast_cancer_wisconsin diabetes australian "
    "fourclass german_numeric bbq_circular_train svmguide1_train mammography"
)
_MORE = "balance_scale vehicle ecoli glass segment satimage_train pendigits_train page_blocks"

TEXT = read_prose(__file__)
CONFORMAL_VALIDITY = Study(
    name="conformal_validity",
    title="Whether conformal beliefs keep their promise",
    source="A study of this package, on data sets of UCI, KEEL and OpenML",
    labels=("data", "way", "alpha"),
    measures=("missed", "missed_by_class", "missed_hard", "size", "over_bound"),
    conditions=tuple(Splits(name) for name in f"{_TWO} {_MORE}".split()),
    repeats=100,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("sonar", "glass"),
    extra=summary,
)
