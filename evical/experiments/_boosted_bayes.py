"""Boosted naive Bayes: ten weighted naive Bayes classifiers of two classes, as one.

AdaBoost (Freund & Schapire 1997) with hypotheses in [0, 1]; the weighted vote becomes a
probability by a logistic function. Source: Elkan (1997), "Boosting and naive Bayesian learning",
the learner of Zadrozny (2001) and of Zadrozny & Elkan (2002).
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.naive_bayes import CategoricalNB, GaussianNB

__all__ = ["BASES", "BoostedNaiveBayes", "discretized", "naive_bayes"]

Floats = NDArray[np.float64]

BASES = ("gaussian", "discrete")


def discretized(train: Floats, test: Floats, n_bins: int) -> tuple[Floats, Floats]:
    """Features as numbers of bins that hold equally many training samples.

    Parameters
    ----------
    train, test : (n, p) arrays
    n_bins : int

    Returns
    -------
    tuple of (n, p) arrays
        Fewer bins where a quantile repeats; values beyond the range are in the outer bins.
    """
    edges = np.quantile(train, np.arange(1, n_bins) / n_bins, axis=0).T
    features = [np.unique(edge) for edge in edges]
    return _binned(train, features), _binned(test, features)


def _binned(X: Floats, edges: list[Floats]) -> Floats:
    columns = [np.searchsorted(e, x, side="right") for e, x in zip(edges, X.T, strict=True)]
    return np.stack(columns, axis=1).astype(np.float64)


class BoostedNaiveBayes:
    """Naive Bayes for two classes, boosted or not.

    Parameters
    ----------
    base : {"gaussian", "discrete"}
        Gaussian features, or features that are numbers of bins.
    n_rounds : int
        0 for naive Bayes itself.
    n_bins : int
        Of discrete features.
    """

    def __init__(self, base: str, n_rounds: int, n_bins: int) -> None:
        self.base = base
        self.n_rounds = n_rounds
        self.n_bins = n_bins

    def fit(self, X: Floats, y: NDArray[np.intp]) -> Self:
        """Learn from features (n, p) and labels 0 and 1.

        Parameters
        ----------
        X : (n, p) array
        y : (n,) array

        Returns
        -------
        self
        """
        weights = np.full(len(y), 1 / len(y))
        self.models_: list[Any] = []
        self.votes_: list[float] = []
        for _ in range(max(1, self.n_rounds)):
            # Of mean 1: the smoothing of counts takes a sample for 1.
            model = self._base().fit(X, y, weights * len(y))
            miss = np.abs(model.predict_proba(X)[:, 1] - y)
            error = float(weights @ miss)
            if self.models_ and not 0 < error < 0.5:
                break  # no weak hypothesis any more
            self.models_.append(model)
            # Of a first hypothesis without errors, the vote of an error of 1e-12.
            self.votes_.append(float(-np.log(max(error, 1e-12) / (1 - min(error, 0.5)))))
            if error == 0:
                break
            weights = weights * np.exp(-self.votes_[-1] * (1 - miss))
            weights /= weights.sum()
        return self

    def predict_positive(self, X: Floats) -> Floats:
        """Probability of label 1.

        Parameters
        ----------
        X : (n, p) array

        Returns
        -------
        (n,) array
            1 / (1 + prod beta_t^(2 h_t - 1)) over the rounds, with beta the odds of an error.
        """
        shares = [model.predict_proba(X)[:, 1] for model in self.models_]
        if not self.n_rounds:
            return np.asarray(shares[0])
        votes = zip(self.votes_, shares, strict=True)
        return np.asarray(expit(sum(vote * (2 * share - 1) for vote, share in votes)))

    def _base(self) -> Any:
        if self.base == "gaussian":
            return GaussianNB()
        return CategoricalNB(min_categories=self.n_bins)


def naive_bayes(sizes: NDArray[np.intp] | None) -> Any:
    """Naive Bayes of any number of classes, not fitted.

    Parameters
    ----------
    sizes : (q,) array, optional
        Number of categories of each feature; Gaussian features without.

    Returns
    -------
    object
        Of scikit-learn; counts of categories are smoothed by one.
    """
    return GaussianNB() if sizes is None else CategoricalNB(min_categories=sizes)
