"""What tests of beta calibration share: how coefficients are tied, and the plain objective."""

import numpy as np
from scipy.special import expit

TIES = {
    "abm": np.eye(3),
    "am": np.array([[1.0, 1, 0], [0, 0, 1]]),
    "ab": np.array([[1, 0, np.log(2)], [0, 1, -np.log(2)]]),
    "a": np.array([[1.0, 1, 0]]),
}


def negative_log_likelihood(sample, smooth=True):
    """Objective and gradient in a, b, c, from counts at log-odds of scores."""
    x = sample.scores
    features = np.stack([-np.logaddexp(0, -x), np.logaddexp(0, x), np.ones_like(x)])
    n0, n1 = sample.n_negative, sample.n_positive
    low, high = (1 / (n0 + 2), (n1 + 1) / (n1 + 2)) if smooth else (0, 1)
    target = low * sample.negative + high * sample.positive

    def loss(theta):
        eta = theta @ features
        value = sample.total @ np.logaddexp(0, eta) - target @ eta
        return value, features @ (sample.total * expit(eta) - target)

    return loss
