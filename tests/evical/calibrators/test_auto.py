"""AutoCalibrator: weights as defined, near the best method on known maps, intervals, hard data."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from evical.calibrators import (
    AutoCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    SplineCalibrator,
)
from evical.curves.candidates import Candidate, average
from evical.datasets.simulated import simulated_probability, simulated_quantiles, simulated_scores
from tests.naive.averaging import averaged, mixture
from tests.support.each import each

pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")


def test_weights_are_as_defined():
    """Those of the probability, and those of the interval."""
    rng = np.random.default_rng(0)
    priors, left_out, degrees = rng.random(5), -4 * rng.random(5), 6 * rng.random(5)
    p, means, variances = rng.random(5), rng.normal(size=5), rng.random(5)
    caution = np.array([1, 1, 1, 20, 3])
    candidates = [
        Candidate(str(i), *(priors[i], p[[i]], means[[i]], variances[[i]]), *rest)
        for i, rest in enumerate(zip(left_out, degrees, caution, strict=True))
    ]
    curve = average(np.zeros(1), candidates)
    expected = averaged(priors, left_out, degrees)
    np.testing.assert_allclose(curve.weights, expected, rtol=1e-12)
    assert curve.probability[0] == pytest.approx(np.dot(expected, p))
    mean, variance = mixture(
        averaged(caution * priors, left_out, degrees, price=-0.3), means, variances
    )
    assert curve.log_odds[0] == pytest.approx(mean)
    assert curve.error[0] == pytest.approx(np.sqrt(variance))


def test_it_is_nearer_to_the_best_method_than_any_one_method_is():
    """Errors relative to the best method on each map; their geometric mean over four maps."""
    methods = [AutoCalibrator, LogisticCalibrator, IsotonicCalibrator, SplineCalibrator]
    excess = []
    kinds = ("monotone", "nonmonotone", "overconfident", "margin")
    for kind, n in product(kinds, (200, 2000)):
        at = simulated_quantiles(kind, 2000)
        truth = simulated_probability(kind, at)
        losses = np.zeros(len(methods))
        for draw in range(6):
            scores, y, _ = simulated_scores(kind, n, np.random.default_rng([draw, n]))
            for i, method in enumerate(methods):
                p = method().fit(scores, y).predict_proba(at)[:, 1]
                losses[i] += ((p - truth) ** 2).mean()
        excess.append(losses / losses.min())
    ratio = np.exp(np.log(excess).mean(axis=0))
    assert ratio[0] < 1.25
    assert ratio[0] < ratio[1:].min()


def test_intervals_hold_the_truth_and_the_pignistic_probability_is_the_mean():
    held = []
    for seed in range(6):
        scores, y, _ = simulated_scores("nonmonotone", 1000, np.random.default_rng(seed))
        at = simulated_quantiles("nonmonotone", 500)
        truth = simulated_probability("nonmonotone", at)
        sure = AutoCalibrator(model="confidence").fit(scores, y).predict_interval(at)
        held.append(((sure[:, 0] <= truth) & (truth <= sure[:, 1])).mean())
        likely, mean = (AutoCalibrator(model=m).fit(scores, y) for m in ("likelihood", "bayesian"))
        np.testing.assert_allclose(likely.predict_proba(at), mean.predict_proba(at), atol=1e-12)
        assert (np.diff(likely.predict_interval(at)) < np.diff(sure)).mean() > 0.99
    assert np.mean(held) > 0.93


def test_intervals_of_few_samples_hold_steps():
    def truth(scores):
        return np.where(scores < -0.5, 0.1, np.where(scores < 0.5, 0.5, 0.9))

    at, held = np.linspace(-2, 2, 200), []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=200)
        calibrator = AutoCalibrator().fit(scores, rng.random(200) < truth(scores))
        lower, upper = calibrator.predict_interval(at, level=0.95).T
        held.append(((lower <= truth(at)) & (truth(at) <= upper)).mean())
    assert np.mean(held) > 0.94  # 0.92 if steps counted as little as in the probability


def test_what_was_chosen_can_be_read():
    rng = np.random.default_rng(0)
    p = rng.uniform(0, 1, 2000)
    chosen = AutoCalibrator().fit(p, rng.random(2000) < p).candidates_
    assert next(iter(chosen)) == "as probabilities"
    assert sum(chosen.values()) == pytest.approx(1)
    assert list(chosen.values()) == sorted(chosen.values(), reverse=True)


@each(
    ("scores", "y"),
    [
        ([0.0, 1.0], [0, 1]),
        ([0.5, 0.5], [0, 1]),
        ([0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1]),
        (np.arange(100_000.0), np.arange(100_000) == 70_000),
        ([1e308, -1e308, 0.0, 5e-324], [1, 0, 0, 1]),
        (np.repeat([0.0, 1.0], 50), np.tile([0, 1], 50)),
    ],
    ids=["two", "one score", "votes", "one positive", "huge", "no information"],
)
def test_hard_samples_get_an_answer_that_says_how_little_is_known(scores, y):
    calibrator = AutoCalibrator().fit(scores, y)
    bounds = calibrator.predict_interval(np.unique(scores))
    assert ((bounds >= 0) & (bounds <= 1)).all()
    assert (np.diff(bounds) > 0).all()


def test_separated_scores_come_near_to_certainty_as_samples_grow():
    upper = []
    for n in (10, 100, 1000):
        scores = np.linspace(-1, 1, n)
        upper.append(AutoCalibrator().fit(scores, scores > 0).predict_proba([0.8])[0, 1])
    assert 0.8 < upper[0] < upper[1] < upper[2] < 1


def test_votes_of_0_and_1_stay_away_from_certainty():
    rng = np.random.default_rng(0)
    votes = np.clip(np.round(rng.beta(0.3, 0.5, 400) * 100), 0, 100) / 100
    y = rng.random(400) < expit(np.log((votes * 100 + 2) / (102 - votes * 100)))
    found = AutoCalibrator().fit(votes, y).predict_proba([0.0, 1.0])[:, 1]
    assert 0.005 < found[0] < 0.06
    assert 0.94 < found[1] < 0.995


@each("model", ["likelihood", "confidence", "bayesian"])
def test_beliefs_wait_to_be_asked_and_stay_those_of_their_fit(monkeypatch, model):
    """Probabilities need no masses; these are of the curve that was asked, even after a fit."""
    scores, y, _ = simulated_scores("monotone", 60, np.random.default_rng(0))
    calibrator, others = AutoCalibrator(model=model).fit(scores, y), np.linspace(-0.5, 1.5, 50)
    mass, p = calibrator.predict_mass(others).masses, calibrator.predict_proba(others)
    with monkeypatch.context() as patched:
        patched.setattr(AutoCalibrator, "_predict_mass", None)
        beliefs = calibrator.beliefs(others)
        np.testing.assert_allclose(beliefs.probability(), p, rtol=0, atol=1e-15)
        assert beliefs.silent.tolist() == [False] * 50
    calibrator.fit(scores, ~np.asarray(y, dtype=bool))
    np.testing.assert_array_equal(beliefs.mass().masses, mass)


def test_a_curve_that_says_nothing_at_a_score_is_silent_there():
    calibrator = AutoCalibrator().fit([0.1, 0.3, 0.5, 0.7, 0.9], [0, 1, 0, 1, 1])
    calibrator.masses_ = np.where(calibrator.knots_ == 0.5, 0.0, calibrator.masses_)
    assert calibrator.beliefs([0.2, 0.5]).silent.tolist() == [False, True]
