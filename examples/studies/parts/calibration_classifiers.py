"""Base classifiers of two classes, by name: from training samples to a function that scores.

Scores of support vector machines are margins, those of all others probabilities. Options are
those of the papers, or else of the programs that they used.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mutual_info_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

from evical._typing import Floats
from evical.datasets import Dataset
from examples.studies.parts.boosted_bayes import naive_bayes
from examples.studies.parts.categories import Binning, indicators, learn_categories
from examples.studies.parts.mixed_bayes import mixed_bayes
from examples.studies.parts.no_penalty import NO_PENALTY

__all__ = ["TWO_CLASS_LEARNERS", "Learner", "Scorer"]

Scorer = Callable[[Floats], Floats]
Learner = Callable[[Dataset], Scorer]


def _kernel_svm(**options: Any) -> Learner:
    def learn(train: Dataset) -> Scorer:
        model = make_pipeline(StandardScaler(), SVC(**options)).fit(train.X, train.y)
        return lambda X: np.asarray(model.decision_function(X))

    return learn


def _linear_svm(train: Dataset) -> Scorer:
    scaler = StandardScaler().fit(train.X)
    model = SVC(kernel="linear").fit(scaler.transform(train.X), train.y)
    # One product instead of one for each support vector, of which there may be a thousand.
    weights, offset = model.coef_[0], float(model.intercept_[0])
    return lambda X: np.asarray(scaler.transform(X) @ weights + offset)


def _sparse_linear_svm(C: float) -> Learner:
    """Of features that are 0 or 1, with the solver for many samples."""

    def learn(train: Dataset) -> Scorer:
        model = LinearSVC(C=C, loss="hinge", max_iter=100_000, random_state=0)
        model.fit(train.X, train.y)
        return lambda X: np.asarray(model.decision_function(X))

    return learn


def _logistic_regression(train: Dataset) -> Scorer:
    model = LogisticRegression(C=NO_PENALTY).fit(train.X, train.y)
    return lambda X: np.asarray(model.predict_proba(X)[:, 1])


def _liblinear_svm(train: Dataset) -> Scorer:
    """Squared hinge loss and C = 1, the defaults of that program; it penalizes the intercept."""
    model = make_pipeline(StandardScaler(), LinearSVC(dual=False, max_iter=10_000))
    model.fit(train.X, train.y)
    return lambda X: np.asarray(model.decision_function(X))


def _penalized_logistic_regression(scaler: Any, intercept: bool) -> Learner:
    def learn(train: Dataset) -> Scorer:
        regression = LogisticRegression(max_iter=10_000, fit_intercept=intercept)
        model = make_pipeline(clone(scaler), regression).fit(train.X, train.y)
        return lambda X: np.asarray(model.predict_proba(X)[:, 1])

    return learn


def _mixed_bayes(train: Dataset) -> Scorer:
    joint = mixed_bayes(train)
    return lambda X: np.asarray(expit(np.diff(joint(X), axis=1)[:, 0]))


def _bayes(binning: Binning | None, n_features: int | None = None) -> Learner:
    """Naive Bayes; Gaussian without bins; of the features that tell most alone, if so many."""

    def learn(train: Dataset) -> Scorer:
        if binning is None:
            gaussian = naive_bayes(None).fit(train.X, train.y)
            return lambda X: np.asarray(gaussian.predict_proba(X)[:, 1])
        categories = learn_categories(train, binning)
        seen = categories.of(train.X)
        told = [mutual_info_score(column, train.y) for column in seen.T]
        kept = np.argsort(told, kind="stable")[::-1][:n_features]
        sizes = categories.sizes[kept]
        model = naive_bayes(sizes).fit(indicators(seen[:, kept], sizes), train.y)

        def score(X: Floats) -> Floats:
            new = indicators(categories.of(X)[:, kept], sizes)
            return np.asarray(model.predict_proba(new)[:, 1])

        return score

    return learn


# The scaling of LibSVM's data sets.
_TO_ONE = MinMaxScaler((-1, 1))

TWO_CLASS_LEARNERS: dict[str, Learner] = {
    "linear SVM": _linear_svm,
    # (1 + x'z)^2, and gamma of a width of 1 on standardized features: as MATLAB has them.
    "quadratic SVM": _kernel_svm(kernel="poly", degree=2, gamma=1.0, coef0=1.0),
    "RBF SVM": _kernel_svm(kernel="rbf", gamma=0.5),
    "linear SVM, C = 0.01": _sparse_linear_svm(0.01),
    "linear SVM, C = 0.05": _sparse_linear_svm(0.05),
    "linear SVM, squared hinge": _liblinear_svm,
    "logistic regression": _logistic_regression,
    "logistic regression, C = 1": _penalized_logistic_regression(StandardScaler(), True),
    # As liblinear comes: it has no bias term unless it is asked for one.
    "logistic regression, no intercept": _penalized_logistic_regression(StandardScaler(), False),
    "logistic regression, no intercept, -1 to 1": _penalized_logistic_regression(_TO_ONE, False),
    "naive Bayes, ten bins": _bayes(Binning("quantile", 10)),
    "naive Bayes, ten equal bins": _bayes(Binning("uniform", 10)),
    "naive Bayes, twenty equal bins": _bayes(Binning("uniform", 20)),
    "naive Bayes, all attributes": _bayes(Binning("values")),
    "naive Bayes, ten attributes": _bayes(Binning("values"), 10),
    "naive Bayes, Gaussian": _bayes(None),
    "naive Bayes, codes and normals": _mixed_bayes,
}
"""Name to learner."""
