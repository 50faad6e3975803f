"""The profile likelihood of Gaussian calibration against its definition with 120 digits."""

import numpy as np
import pytest
from mpmath import mp, mpf

from evical.calibrators import GaussianCalibrator
from evical.curves.gaussian import GaussianProfile, fit_gaussian
from evical.scores import ScoreCounts
from tests.support.each import each

RNG = np.random.default_rng(0)
SAMPLES = {
    "plain": (RNG.normal(size=30), np.arange(30) % 3 == 0, None),
    "heavy and light": (RNG.normal(size=9), np.arange(9) % 2, 10.0 ** np.linspace(-9, 9, 9)),
    "one light sample, far away": ([-1.8108952277497814e144, -1.6545935e48], [0, 1], [1e12, 1e-12]),
    "very narrow": (
        [3.3e-93, 4.8148277847354e125, -2.9e59, 5.1e39, -2.9e112, -6.3e-45, 5.423246069125019e-131],
        [0, 1, 0, 0, 0, 0, 0],
        None,
    ),
    "neighbors": ([1.0, 1 + 2**-52, 1 + 2**-51], [0, 1, 1], [1e-12, 1e12, 1e12]),
    "narrow beside wide": ([0.0, 1e-9, 5.0, 9.0, 14.0], [0, 0, 1, 1, 1], None),
}
# Distances from the origin, in deviations of the narrower class.
DISTANCES = [-1e7, -30.0, 0.0, 0.3, 1e4]
# Log-odds: near to the most plausible ones, far from them, and where both classes are as probable.
SHIFTS = [-40.0, -1e-3, 0.7]


@each(
    ("name", "variances"),
    [(name, ("unequal", "equal")[i % 2]) for i, name in enumerate(SAMPLES)],
)
def test_deviances_are_those_of_the_definition(name, variances):
    scores, y, weights = SAMPLES[name]
    counts = ScoreCounts.from_samples(scores, np.asarray(y, dtype=int), weights)
    fit = fit_gaussian(counts, variances == "equal")
    z = np.array(DISTANCES) * np.sqrt(fit.variances.min())
    profile = GaussianProfile(fit)
    mle = profile.mle(z)
    wanted = np.concatenate([mle[:, None] + SHIFTS, np.tile([0.0, 20.0], (len(z), 1))], axis=1)
    got = profile.at(z, wanted)
    for i, j in np.argwhere(np.indices(wanted.shape).sum(axis=0) % 2 == 0):  # like a chessboard
        exact, slope = exact_deviance(fit, z[i], wanted[i, j])
        # The digits of the log-odds themselves, which are huge where the classes are narrow.
        rounding = 4 * slope * (np.spacing(abs(mle[i])) + np.spacing(abs(wanted[i, j])))
        rounding += 1e-15 * np.sqrt(fit.weights.max())  # of a difference of the labels' logarithms
        assert got[i, j] == pytest.approx(exact, rel=1e-9, abs=rounding)


def exact_deviance(fit, z, log_odds):
    """Deviance after the move that leads to these log-odds, and its slope: what was moved."""
    with mp.workdps(120):
        z, log_odds = mpf(float(z)), mpf(float(log_odds))
        n, m, v = (
            [mpf(float(a)) for a in part] for part in (fit.weights, fit.offsets, fit.variances)
        )

        def moved(kappa):
            w = [n[0] - kappa, n[1] + kappa]
            if min(w) <= 0:
                return None
            mean = [(n[c] * m[c] + (w[c] - n[c]) * z) / w[c] for c in (0, 1)]
            squares = [
                n[c] * (v[c] + (m[c] - mean[c]) ** 2) + (w[c] - n[c]) * (z - mean[c]) ** 2
                for c in (0, 1)
            ]
            if fit.known:
                new = v
            elif fit.common:
                new = [sum(squares) / sum(n)] * 2
            else:
                new = [squares[c] / w[c] for c in (0, 1)]
            return (w, mean, new) if min(new) > 0 else None

        def eta(w, mean, new):
            logs = [
                mp.log(w[c]) - mp.log(new[c]) / 2 - (z - mean[c]) ** 2 / new[c] / 2 for c in (0, 1)
            ]
            return logs[1] - logs[0]

        def loss(w, mean, new):
            return sum(
                n[c]
                * (mp.log(new[c]) / 2 - mp.log(w[c]) + (v[c] + (m[c] - mean[c]) ** 2) / new[c] / 2)
                for c in (0, 1)
            )

        start = moved(mpf(0))
        sign = 1 if log_odds >= eta(*start) else -1
        low, high = mpf(10) ** -200, max(n)
        for _ in range(80):  # to 20 digits of kappa
            middle = mp.sqrt(low * high)
            model = moved(sign * middle)
            if model is None or sign * (eta(*model) - log_odds) > 0:
                high = middle
            else:
                low = middle
        return float(loss(*moved(sign * low)) - loss(*start)), float(low)


def test_a_light_sample_beside_a_heavy_one_has_masses():
    """Was refused after seven seconds: differences of log-odds of 1e18 were rounding."""
    scores, y, weights = SAMPLES["one light sample, far away"]
    c = GaussianCalibrator(variances="equal", model="likelihood").fit(scores, y, weights)
    # A variance that counts as known leaves no doubt at either sample, 1e12 deviations apart.
    np.testing.assert_allclose(c.predict_interval(scores), [[0, 0], [1, 1]], atol=1e-9)
    # Halfway between them nothing is known.
    np.testing.assert_allclose(c.predict_interval([scores[0] / 2]), [[0, 1]], atol=1e-9)


@pytest.mark.parametrize("positive", [0, 1])
def test_narrow_classes_far_from_each_other_have_masses(positive):
    """Was refused after fifteen seconds: between them scores have no digits of the distances."""
    scores, y, _ = SAMPLES["very narrow"]
    y = np.equal(y, positive).astype(int)
    c = GaussianCalibrator(variances="equal", model="likelihood").fit(scores, y)
    got = c.predict_interval([0.0, scores[1]])
    np.testing.assert_allclose(got, [[1 - positive] * 2, [positive] * 2], atol=1e-9)
