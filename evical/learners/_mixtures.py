"""Gaussian mixtures: one chosen by its BIC, and those of bootstrap samples."""

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.mixture import GaussianMixture

from evical._typing import Floats

__all__ = ["COVARIANCES", "bootstrapped", "chosen_mixture", "posteriors_of"]


COVARIANCES = ("full", "tied", "diag", "spherical")
_TOL = 1e-6
"""Of the mean log-likelihood: at scikit-learn's 1e-3, EM stops near its start, as mixtures of
bootstrap samples would, and intervals would be too narrow (tests/benchmarks/bench_boot_clusters).
"""

_MAX_ITER = 10_000

_N_INIT = 5
"""Starts of the mixture that is chosen; those of bootstrap samples start from it."""


def chosen_mixture(
    X: Floats, counts: list[int], kinds: list[str], random: np.random.RandomState
) -> GaussianMixture:
    """The mixture of least BIC.

    Parameters
    ----------
    X : (n, p) array
    counts : list of int
        Numbers of components to choose from.
    kinds : list of str
        Kinds of covariance matrices to choose from.
    random : RandomState

    Returns
    -------
    fitted GaussianMixture
    """
    seed = int(random.randint(2**31 - 1))
    fits = [
        GaussianMixture(
            count,
            covariance_type=kind,
            tol=_TOL,
            n_init=_N_INIT,
            max_iter=_MAX_ITER,
            random_state=seed,
        ).fit(X)
        for count in counts
        for kind in kinds
    ]
    return min(fits, key=lambda fit: float(fit.bic(X))) if len(fits) > 1 else fits[0]


def bootstrapped(
    mixture: GaussianMixture,
    X: Floats,
    n_bootstraps: int,
    n_jobs: int | None,
    random: np.random.RandomState,
) -> list[GaussianMixture]:
    """Mixtures of samples drawn with replacement.

    Parameters
    ----------
    mixture : fitted GaussianMixture
        To start from.
    X : (n, p) array
    n_bootstraps : int
    n_jobs : int or None
    random : RandomState

    Returns
    -------
    list of fitted GaussianMixture
    """
    seeds = random.randint(2**31 - 1, size=n_bootstraps).tolist()
    return list(Parallel(n_jobs=n_jobs)(delayed(_refitted)(mixture, X, seed) for seed in seeds))


def _refitted(mixture: GaussianMixture, X: Floats, seed: int) -> GaussianMixture:
    rows = np.random.RandomState(seed).randint(0, len(X), len(X))
    again = GaussianMixture(
        mixture.n_components,
        covariance_type=mixture.covariance_type,
        weights_init=mixture.weights_ / mixture.weights_.sum(),
        means_init=mixture.means_,
        precisions_init=mixture.precisions_,
        init_params="random",  # what is given counts; k-means would be run for nothing
        tol=_TOL,
        max_iter=_MAX_ITER,
        random_state=seed,
    )
    return again.fit(X[rows])


def posteriors_of(mixtures: list[Any], X: Floats) -> Floats:
    """Posterior probabilities of components, (c, n, B)."""
    return np.ascontiguousarray(
        np.stack([mixture.predict_proba(X) for mixture in mixtures], axis=-1).transpose(1, 0, 2)
    )
