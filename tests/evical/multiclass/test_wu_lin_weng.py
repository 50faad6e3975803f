"""The second method of Wu, Lin and Weng against its equations, and against libsvm."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from evical.multiclass import wu_lin_weng


def test_its_own_equations():
    """Eq. 18-21: Q_ii = sum of r_ji^2, Q_ij = -r_ji r_ij, and Qp is constant."""
    rng = np.random.default_rng(0)
    pairs = rng.random((5, 5))
    r = np.triu(pairs, 1) + np.tril(1 - pairs.T, -1)
    quadratic = -r.T * r
    quadratic[np.diag_indices(5)] = (r**2).sum(axis=0)
    p = wu_lin_weng(r[np.triu_indices(5, 1)][np.newaxis])[0]
    np.testing.assert_allclose(quadratic @ p, (p @ quadratic @ p) * np.ones(5), atol=1e-13)


@pytest.mark.skipif("probability" not in SVC().get_params(), reason="scikit-learn withdrew it")
def test_libsvm():
    """Which stops at an accuracy of 0.005 / K."""
    X, y = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn withdraws the option
        svc = SVC(probability=True, decision_function_shape="ovo", random_state=0)
        svc.fit(X[:500], y[:500])
        logits = svc.probA_ * svc.decision_function(X[500:700]) + svc.probB_
        expected = svc.predict_proba(X[500:700])
    r = (1 / (1 + np.exp(logits))).clip(1e-7, 1 - 1e-7)
    np.testing.assert_allclose(wu_lin_weng(r), expected, atol=5e-3)
