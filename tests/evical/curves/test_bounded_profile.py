"""Tables of profiles under bounds, against the profile itself and against integrals of it."""

import numpy as np
import pytest
from scipy.integrate import tanhsinh
from scipy.special import expit

from evical.calibrators import BetaCalibrator
from evical.curves.beta import beta_profile, beta_sample, fit_beta
from evical.scores import ScoreCounts
from tests.support.each import each

TRUTHS = {
    "inside": (1.5, 1.0, 0.3),
    "one zero": (0.1, 1.5, 0.3),
    "both zero": (-0.4, -0.3, 0.2),
    "nothing to tell": (0.0, 0.0, -0.4),
}


def profile(parameters, truth, n):
    rng = np.random.default_rng(n)
    s = rng.beta(0.7, 0.9, n)
    y = rng.random(n) < expit(truth[0] * np.log(s) - truth[1] * np.log1p(-s) + truth[2])
    sample = beta_sample(ScoreCounts.from_samples(s, y))
    return beta_profile(sample, fit_beta(sample, parameters, True), parameters, True)


@each("n", [60, 400])
@each("truth", TRUTHS)
@each("parameters", ["abm", "am"])
def test_tables_of_the_parts_are_the_profile_under_the_bounds(parameters, truth, n):
    direct = profile(parameters, TRUTHS[truth], n).linear
    parts = direct.tabulated()
    assert parts is not None
    x = np.array([-30.0, -4.0, -1.0, -0.2, 0.0, 0.5, 2.0, 7.0, 36.0])
    gap = np.concatenate([np.linspace(-8, 8, 33), [-0.01, 0.01]]) * direct.spread(x)[:, None]
    eta = direct.mle(x)[:, None] + gap
    ours = parts.along(x)(np.arange(len(x)), eta)
    np.testing.assert_allclose(np.exp(-ours), np.exp(-direct.at(x, eta)), atol=1e-6)


@pytest.mark.parametrize("score", [0.9985, 0.3])
def test_masses_are_areas_under_a_contour_with_corners(score):
    """They erred by 3.8e-6 at the first score, where a coefficient reaches zero."""
    rng = np.random.default_rng(21)
    s = expit(rng.normal(size=60))
    y = (rng.random(60) < 0.4).astype(int)
    c = BetaCalibrator().fit(s, y)
    top = expit(c._fit.log_odds(np.log([score]) - np.log1p([-score])))[0]
    ends = c.level_set([score], 1e-14)[0]

    def area(low, high):
        parts = np.linspace(low, high, 41)
        return tanhsinh(
            lambda p: c.contour(score, p), parts[:-1], parts[1:], atol=1e-10
        ).integral.sum()

    wanted = [top - area(ends[0], top), top + area(top, ends[1])]
    np.testing.assert_allclose(c.predict_interval([score])[0], wanted, atol=5e-7)
