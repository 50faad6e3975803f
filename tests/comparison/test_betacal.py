"""Beta calibration equals the package betacal, where that is installed."""

import warnings

import numpy as np
import pytest
from scipy.special import expit

from evical.calibrators import BetaCalibrator

betacal = pytest.importorskip("betacal")

AT = np.linspace(0.01, 0.99, 50)


@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
@pytest.mark.parametrize("truth", [(0.5, 1.5, 0.3), (1.0, 1.0, 0.0), (-0.3, 1.0, 0.0)])
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_the_package(parameters, truth, seed):
    """Up to the tolerance of its optimizer; it keeps a negative coefficient of "ab"."""
    rng = np.random.default_rng(seed)
    a, b, c = truth
    s = rng.beta(0.7, 0.9, 2000)
    y = (rng.random(2000) < expit(a * np.log(s) - b * np.log1p(-s) + c)).astype(int)
    peer = betacal.BetaCalibration(parameters)
    with warnings.catch_warnings():  # it changes the filters of the whole process
        peer.fit(s.reshape(-1, 1), y)
    if parameters == "ab" and min(peer.calibrator_.map_[:2]) < 0:
        pytest.skip("betacal leaves a coefficient negative")
    ours = BetaCalibrator(parameters=parameters, smooth=False, model="bayesian").fit(s, y)
    np.testing.assert_allclose(ours.predict_proba(AT)[:, 1], peer.predict(AT), atol=1e-3)
    np.testing.assert_allclose(ours.coefficients_[:2], peer.calibrator_.map_[:2], atol=5e-3)
