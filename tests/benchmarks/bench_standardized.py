"""What standardizing margins gains over their plain sigmoid, for methods of probabilities.

    EVICAL_DATA=folder python -m tests.benchmarks.bench_standardized [FIRST [LAST]]

Splits FIRST to LAST (100 to 106 by default) of twenty data sets, six classifiers with margins: 40 %
train, up to 300 calibrate, 30 % test. For each calibrator whose transform is "auto" by default:
mean log loss of the plain sigmoid and of "auto", the difference, and its standard error over data
sets. Splits 0 to 3 served to choose the quartiles and where standardized scores bend.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from evical import calibrators
from evical.datasets import load

# The class that is positive, of two or more.
TWO = (
    "australian",
    "banknote",
    "diabetes",
    "german_numeric",
    "haberman",
    "heart",
    "ionosphere",
    "liver_disorders",
    "sonar",
    "svmguide1_train",
    "mammography",
    "fourclass",
    "breast_cancer_wisconsin",
)
MORE = {"vehicle": 0, "segment": 1, "satimage_train": 3, "pendigits_train": 8, "page_blocks": 1}
DATA = dict.fromkeys(TWO, -1) | MORE | {"ecoli": 0, "glass": 0}
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "LinearSVC": lambda: make_pipeline(StandardScaler(), LinearSVC(dual=False)),
    "SVC": lambda: make_pipeline(StandardScaler(), SVC()),
    "LogisticRegression": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "GaussianNB": GaussianNB,
    "GradientBoosting": lambda: GradientBoostingClassifier(n_estimators=60, random_state=0),
    "SGD on features as they are": lambda: SGDClassifier(random_state=0),
}
MOST, CALIBRATION, CLIP = 1500, 300, 1e-3
DEFAULTS = [
    name
    for name in calibrators.__all__
    if name not in ("BaseCalibrator", "TemperatureCalibrator")
    and getattr(calibrators, name)().transform == "auto"
]


def margins(name: str, split: int) -> Iterator[tuple[str, Any]]:
    """Scores and labels for calibration and for testing, of each classifier."""
    data = load(name)
    classes = np.unique(data.y)
    X, y = np.asarray(data.X, dtype=float), (data.y == classes[DATA[name]]).astype(int)
    kept = np.random.default_rng(0).permutation(np.flatnonzero(np.isfinite(X).all(axis=1)))[:MOST]
    X, rest, y, labels = train_test_split(
        X[kept], y[kept], train_size=0.4, random_state=split, stratify=y[kept]
    )
    own, new, own_y, new_y = train_test_split(
        rest, labels, test_size=0.5, random_state=split, stratify=labels
    )
    for title, make in CLASSIFIERS.items():
        fitted = make().fit(X, y)
        if hasattr(fitted, "decision_function"):
            score = fitted.decision_function
        else:
            score = partial(log_odds, fitted)
        yield title, (score(own[:CALIBRATION]), own_y[:CALIBRATION], score(new), new_y)


def log_odds(fitted: Any, X: Any) -> Any:
    return np.diff(fitted.predict_log_proba(X))[:, 0]


def loss(name: str, transform: str, sample: Any) -> float:
    """Log loss of a calibrator on the test samples."""
    scores, y, new, truth = sample
    options = {"transform": transform}
    if name == "BetaCalibrator":
        options["model"] = "bayesian"  # has the same probabilities as the default, nearly
    p = getattr(calibrators, name)(**options).fit(scores, y).predict_proba(new)[:, 1]
    p = np.clip(p, CLIP, 1 - CLIP)
    return float(-np.mean(np.where(truth == 1, np.log(p), np.log1p(-p))))


def main(first: int = 100, last: int = 106) -> None:
    """Print the table."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    with warnings.catch_warnings(action="ignore"):
        for split in range(first, last + 1):
            for data in DATA:
                for title, sample in margins(data, split):
                    for name in DEFAULTS:
                        try:
                            pair = [loss(name, each, sample) for each in ("sigmoid", "auto")]
                        except ValueError as error:
                            print(f"{name}, {data}, {title}: {error}", flush=True)
                        else:
                            found.setdefault((name, data), []).append(pair)
    for name in DEFAULTS:
        means = np.array([np.mean(found[name, data], axis=0) for data in DATA])
        gain = means[:, 1] - means[:, 0]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        plain, auto = means.mean(axis=0)
        print(f"{name:28}{plain:8.4f}{auto:8.4f}{gain.mean():9.4f} +- {error:.4f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
