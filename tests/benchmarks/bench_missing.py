"""Missing features before evidential neighbors: imputed, or distances over what both samples have.

`python -m tests.benchmarks.bench_missing` removes values at random from data sets of scikit-learn,
in training samples and new ones, and prints mean log losses and error rates with their standard
errors over 20 random splits. Distances over the features that both samples have are scaled up to
all features, and the mass of a neighbor is discounted by the share that is missing in either.
"""

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evical.learners import EvidentialKNeighborsClassifier
from evical.learners._evidence import WeightedEvidence
from evical.learners._neighbors import Neighbors, fit_gamma, weights_of_neighbors

DATA = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": lambda **options: tuple(part[:600] for part in load_digits(**options)),
}
IMPUTERS = {
    "five neighbors imputed": KNNImputer(keep_empty_features=True),
    "mean imputed": SimpleImputer(keep_empty_features=True),
}
ALPHA = EvidentialKNeighborsClassifier().alpha


def imputed(imputer, X, y, new):
    clf = make_pipeline(StandardScaler(), imputer, EvidentialKNeighborsClassifier())
    return clf.fit(X, y).predict_proba(new)


def over_what_both_have(X, y, new):
    scaler = StandardScaler().fit(X)
    X, new = scaler.transform(X), scaler.transform(new)
    classes = np.unique(y)
    labels = np.eye(len(classes))[np.searchsorted(classes, y)]
    search = NearestNeighbors(n_neighbors=5, algorithm="brute", metric="nan_euclidean").fit(X)

    def near(points):
        distance, rows = search.kneighbors(points)
        known = ~np.isnan(X)[rows] & ~np.isnan(X if points is None else points)[:, np.newaxis]
        doubt = 1 - labels[rows]
        return Neighbors(np.nan_to_num(distance) ** 2, doubt), ALPHA * known.mean(2)[
            ..., np.newaxis
        ]

    spread = [2 * np.nanvar(X[y == label], axis=0).sum() for label in classes]
    others, alpha = near(None)
    gamma = fit_gamma(others, labels, 1 / np.array(spread), alpha, "uniform")
    others, alpha = near(new)
    weights = weights_of_neighbors(others, gamma, alpha, "uniform")[0]
    return WeightedEvidence(classes, weights, np.zeros_like(weights)).beliefs().betp()


def scores(X, y, missing, seed):
    """Log loss and error of each way, on one split."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(X.shape) < missing, np.nan, X)
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, random_state=seed, stratify=y
    )
    ways = {name: imputed(imputer, train, y_train, test) for name, imputer in IMPUTERS.items()}
    ways["over what both have"] = over_what_both_have(train, y_train, test)
    return {
        name: (log_loss(y_test, np.clip(p, 1e-12, 1)), (p.argmax(axis=1) != y_test).mean())
        for name, p in ways.items()
    }


def main():
    for missing in (0.1, 0.3, 0.5):
        for name, load in DATA.items():
            X, y = load(return_X_y=True)
            rows = [scores(X, y, missing, seed) for seed in range(20)]
            for way in rows[0]:
                values = np.array([row[way] for row in rows])
                mean, error = values.mean(axis=0), values.std(axis=0) / np.sqrt(len(values))
                print(
                    f"{missing:.0%} {name:14} {way:23} log loss {mean[0]:.3f} ± {error[0]:.3f}  "
                    f"error {mean[1]:.3f} ± {error[1]:.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
