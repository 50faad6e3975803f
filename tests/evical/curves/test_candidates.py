"""Smooth candidates: posterior modes by another optimizer, left-out samples by fitting again."""

from collections import defaultdict

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from evical.curves import automatic
from evical.curves.automatic import automatic_curve
from evical.curves.candidates import (
    BENDS,
    laplace_fit,
    left_out_likelihoods,
    mean_probability,
    smooth_candidates,
)
from evical.scores import ScoreCounts
from tests.support.each import each


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n).round(2)
    return scores, (rng.random(n) < expit(2 * np.sin(2 * scores))).astype(int)


def cubic(z):
    return np.stack([np.ones_like(z), z, z**2, z**3], axis=1)


PRECISION = np.stack([np.diag([0.25, 0.0625, 1.0, 4.0]), np.diag([0.25, 0.0625, 1e10, 1e10])])


def test_modes_and_covariances_are_those_of_another_optimizer():
    counts = ScoreCounts.from_samples(*sample())
    design, center = cubic(counts.scores), np.array([[0.3, 0, 0, 0], [0.0, 0, 0, 0]])
    fit = laplace_fit(design, PRECISION, center, counts)
    for precision, mean, mode, covariance in zip(
        PRECISION[:1], center[:1], fit.parameters[:1], fit.covariance[:1], strict=True
    ):

        def objective(theta, precision=precision, mean=mean):
            eta = design @ theta
            loss = counts.total * np.logaddexp(0, eta) - counts.positive * eta
            return loss.sum() + (theta - mean) @ precision @ (theta - mean) / 2

        found = minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
        np.testing.assert_allclose(mode, found.x, atol=1e-6)
        p = expit(design @ mode)
        hessian = (design.T * (counts.total * p * (1 - p))) @ design + precision
        np.testing.assert_allclose(covariance, np.linalg.inv(hessian), rtol=1e-8)


def test_the_optimum_is_the_same_from_any_start():
    counts = ScoreCounts.from_samples(*sample())
    design, center = cubic(counts.scores), np.zeros((2, 4))
    wild = np.where(np.arange(len(counts)) % 2, 30.0, -30.0)
    one, *others = (
        laplace_fit(design, PRECISION, center, counts, near)
        for near in (0.0, wild, np.sin(2 * counts.scores))
    )
    for other in others:
        np.testing.assert_allclose(other.parameters, one.parameters, atol=1e-6)
        np.testing.assert_allclose(other.covariance, one.covariance, atol=1e-6)


def test_a_held_parameter_takes_no_degree_of_freedom():
    counts = ScoreCounts.from_samples(*sample())
    fit = laplace_fit(cubic(counts.scores), PRECISION, np.zeros((2, 4)), counts)
    assert np.abs(fit.parameters[1, 2:]).max() < 1e-6
    assert 1.8 < fit.degrees[1] < 2 < fit.degrees[0] < 4


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_left_out_samples_are_nearly_those_of_fitting_again(scale):
    scores, y = sample(120)
    precision = PRECISION[:1] * scale
    total = 0.0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        counts = ScoreCounts.from_samples(scores[rest], y[rest])
        fit = laplace_fit(cubic(counts.scores), precision, np.zeros((1, 4)), counts)
        mean, variance = fit.at(cubic(scores[[i]]))
        p = mean_probability(mean, variance)[0, 0]
        total += np.log(p if y[i] else 1 - p)
    counts = ScoreCounts.from_samples(scores, y)
    fit = laplace_fit(cubic(counts.scores), precision, np.zeros((1, 4)), counts)
    (found,) = left_out_likelihoods(*fit.at(cubic(counts.scores)), counts)
    assert found == pytest.approx(total, abs=0.15)  # of about -60


def test_expected_probabilities_agree_with_draws():
    rng = np.random.default_rng(0)
    for mean, deviation in ((0.0, 1.0), (-7.0, 1.0), (3.0, 2.0)):
        draws = expit(mean + deviation * rng.standard_normal(400_000))
        found = mean_probability(np.array([mean]), np.array([deviation**2]))[0]
        assert found == pytest.approx(draws.mean(), abs=5 * draws.std() / 600 + 2e-4)
    # The same quadrature node by node, also where exponentials overflow.
    nodes, shares = np.polynomial.hermite_e.hermegauss(9)
    mean, deviation = (v.ravel() for v in np.meshgrid([-2e3, -5, 0, 3, 1e3], [0, 1, 80, 1e6]))
    expected = expit(mean[:, None] + deviation[:, None] * nodes) @ shares / shares.sum()
    np.testing.assert_allclose(mean_probability(mean, deviation**2), expected, rtol=1e-12)


def test_left_out_samples_tell_the_loss_on_new_ones():
    """Over repeats, the left-out likelihood of a candidate is that of as many new samples."""
    gains = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scores, new = rng.normal(size=(2, 300))
        y, labels = (rng.random(300) < expit(2 * np.sin(2 * s)) for s in (scores, new))
        counts = ScoreCounts.from_samples(scores, y)
        table = np.union1d(counts.scores, new)
        places, others = np.searchsorted(table, counts.scores), np.searchsorted(table, new)
        for c in smooth_candidates("given", 1.0, table, places, counts):
            p = c.probability[others]
            fresh = np.log(np.where(labels, p, 1 - p)).sum()
            gains.append((c.name, c.left_out - fresh))
    for name in {name for name, _ in gains}:
        values = np.array([gain for found, gain in gains if found == name])
        assert abs(values.mean()) < 3.5 * values.std(ddof=1) / np.sqrt(len(values)), name


def test_temperature_and_beta_are_those_families():
    rng = np.random.default_rng(0)
    scores = np.sort(rng.uniform(0.01, 0.99, 20_000)).round(2)
    odds = np.log(scores / (1 - scores))
    at = np.linspace(-4, 4, 9)
    for name, truth, expected in (
        ("logit: beta", 0.5 * np.log(scores) - 1.5 * np.log(1 - scores) - 1, None),
        ("logit: temperature", 0.5 * odds, 0.5 * at),
    ):
        counts = ScoreCounts.from_samples(scores, rng.random(20_000) < expit(truth))
        odds_of = np.log(counts.scores / (1 - counts.scores))
        table = np.union1d(odds_of, at)
        places = np.searchsorted(table, odds_of)
        candidates = smooth_candidates("logit", 1.0, table, places, counts, "log-odds")
        found = {c.name: c for c in candidates}[name]
        if expected is None:
            p = expit(at)
            expected = 0.5 * np.log(p) - 1.5 * np.log(1 - p) - 1
        log_odds, variance = (
            v[np.searchsorted(table, at)] for v in (found.log_odds, found.variance)
        )
        assert np.abs((log_odds - expected) / np.sqrt(variance + 1e-12)).max() < 3.5
    assert log_odds[4] == pytest.approx(0, abs=2e-3)  # even odds stay even


@each("seed", range(20))
def test_every_candidate_takes_part(seed):
    """A fit that cannot be proven would leave a whole scale out."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([50, 200, 1000]))
    scores = (rng.random(n), rng.normal(size=n), np.round(rng.random(n), 1))[seed % 3]
    y = rng.random(n) < expit(3 * (scores - scores.mean()))
    names = automatic_curve(ScoreCounts.from_samples(scores, y)).names
    scales = ("given", "rank") if seed % 3 == 1 else ("given", "logit", "rank")
    assert {name.split(":")[0] for name in names} == {"as given", "steps", *scales}


def test_two_scores_have_lines():
    names = automatic_curve(ScoreCounts.from_samples([-1, -1, 2, 2], [0, 1, 1, 1])).names
    assert {"steps", "given: line", "rank: line"} < set(names)


def test_all_scales_together_have_the_weight_of_one(monkeypatch):
    found = []
    monkeypatch.setattr(automatic, "average", lambda table, candidates: found.extend(candidates))
    rng = np.random.default_rng(0)
    automatic_curve(ScoreCounts.from_samples(rng.random(60), np.arange(60) % 2))
    shares = defaultdict(float)
    for c in found:
        name = c.name.split(": ")[-1]
        shares["bends" if name in BENDS else name] += c.prior
    expected = {"steps": 0.05, "as given": 1, "line": 0.5, "parabola": 0.25, "bends": 1.5}
    expected |= {"beta": 0.25 / 3, "temperature": 1 / 3}  # on one scale of three
    assert shares == pytest.approx(expected)
