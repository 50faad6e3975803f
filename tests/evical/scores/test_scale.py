"""The scales on which scores are read: definitions, order, refusal, saved and restored."""

import json
from fractions import Fraction

import numpy as np
import pytest

from evical.calibrators import BaseCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.scores import ScoreCounts
from evical.scores.scale import (
    TRANSFORMS,
    at_share,
    between,
    fit_scale,
    location_scale,
    log_odds,
    share_of_range,
    standardized,
)
from tests.support.each import each

SCORES = np.array([0.1, 0.4, 0.4, 0.7, 0.9, 1.0])
Y = np.array([0, 0, 1, 0, 1, 1])
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])


def _knots(kind):
    rng = np.random.default_rng(0)
    return {
        "even": np.linspace(-3.0, 3.0, 50),
        "crowded": np.sort(
            np.concatenate([rng.normal(0, 1e-9, 30), [-20.0, 5.0], 3 + np.arange(9)])
        ),
        "equal": np.repeat([0.0, 1.0, 2.0], 4),
        "one": np.array([0.5]),
        "two": np.array([0.0, 1.0]),
        "far": np.array([-8e307, -1.0, 0.0, 1.0, 8e307]),
        "further": np.array([-1.7e308, -1.5e308, 1.5e308, 1.7e308]),
        "near": np.arange(6) * 5e-324,
        "lopsided": np.geomspace(1e-300, 1.0, 40),
    }[kind]


@each("kind", ["even", "crowded", "equal", "one", "two", "far", "further", "near", "lopsided"])
def test_interpolation_of_many_scores_is_that_of_each(kind):
    """Cells find what a search would; blocks do not matter; ends are exact."""
    knots = _knots(kind)
    values = np.stack([np.arange(len(knots)), np.cos(np.arange(len(knots)))])
    rng = np.random.default_rng(1)
    inside = rng.choice(knots, 20_000)
    moved = np.nextafter(inside, rng.choice([-np.inf, np.inf], len(inside)))
    scores = np.concatenate([inside, moved, rng.normal(0, 3, 5_000), [-1.7e308, 1.7e308]])
    found = between(knots, values, scores)
    places = np.searchsorted(knots[1:-1], scores, side="right")
    left = np.maximum(np.minimum(places + 1, len(knots) - 1) - 1, 0)
    right = np.minimum(left + 1, len(knots) - 1)
    with np.errstate(all="ignore"):
        gap = knots[right] / 2 - knots[left] / 2
        share = (np.clip(scores, knots[0], knots[-1]) / 2 - knots[left] / 2) / gap
    share = np.clip(np.where(gap > 0, share, 1.0), 0.0, 1.0)
    expected = values[:, left] * (1 - share) + values[:, right] * share
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_every_transform_keeps_the_order(transform):
    counts = ScoreCounts.from_samples(SCORES, Y, WEIGHTS)
    scale = fit_scale(transform, counts)
    assert (np.diff(scale(np.linspace(0, 1, 101))) >= 0).all()
    moved = scale.counts(counts)
    assert moved.n_positive == counts.n_positive
    assert moved.n_negative == counts.n_negative


def test_ranks_are_the_shares_of_weight_below_and_half_of_the_ties():
    counts = ScoreCounts.from_samples(SCORES, Y, WEIGHTS)
    below = [(np.sign(s - SCORES) + 1) @ WEIGHTS / 2 for s in counts.scores]
    np.testing.assert_allclose(fit_scale("rank", counts).levels, np.array(below) / WEIGHTS.sum())


@pytest.mark.parametrize(("scores", "kind"), [([0.0, 1.0], "identity"), ([0.0, 1.5], "standard")])
def test_auto_is_a_sigmoid_only_outside_of_the_unit_interval(scores, kind):
    assert fit_scale("auto", ScoreCounts.from_samples(scores, [0, 1])).kind == kind


def test_saturated_margins_become_one_score():
    counts = ScoreCounts.from_samples([-1, 800, 900], [0, 1, 1])
    moved = fit_scale("sigmoid", counts).counts(counts)
    np.testing.assert_array_equal(moved.scores[-1:], [1.0])
    np.testing.assert_array_equal(moved.positive, [0, 2])


def test_logistic_on_the_logit_scale_is_logistic_on_log_odds():
    probability = np.linspace(0.05, 0.95, 40)
    y = (np.arange(40) % 3 > 0) & (probability > 0.2)
    inside = LogisticCalibrator(transform="logit").fit(probability, y)
    outside = LogisticCalibrator().fit(log_odds(probability), y)
    np.testing.assert_array_equal(
        inside.predict_interval(probability), outside.predict_interval(log_odds(probability))
    )
    np.testing.assert_array_equal(
        inside.contour(probability, 0.5), outside.contour(log_odds(probability), 0.5)
    )


def test_isotonic_calibration_knows_only_ranks():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=50)
    y = rng.random(50) < 0.5
    plain = IsotonicCalibrator().fit(scores, y).predict_interval(scores)
    ranks = IsotonicCalibrator(transform="rank").fit(scores, y).predict_interval(scores)
    np.testing.assert_array_equal(ranks, plain)


def test_learning_in_two_steps_fits_the_scale_to_all_scores():
    whole = LogisticCalibrator(transform="rank").fit(SCORES, Y, WEIGHTS)
    steps = LogisticCalibrator(transform="rank")
    steps.partial_fit(SCORES[:2], Y[:2], classes=[0, 1], sample_weight=WEIGHTS[:2])
    steps.partial_fit(SCORES[2:], Y[2:], sample_weight=WEIGHTS[2:])
    np.testing.assert_allclose(
        steps.predict_interval(SCORES), whole.predict_interval(SCORES), atol=1e-12
    )


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_saved_calibrator_keeps_its_scale(transform):
    fitted = LogisticCalibrator(transform=transform).fit(SCORES, Y)
    again = BaseCalibrator.from_dict(json.loads(json.dumps(fitted.to_dict())))
    np.testing.assert_array_equal(again.predict_interval(SCORES), fitted.predict_interval(SCORES))


@pytest.mark.parametrize(
    "damage",
    [
        {"kind": "log"},
        {"kind": "rank"},
        {"knots": [1, 2]},
        {"kind": "rank", "knots": [1, 2], "levels": [0.75, 0.25]},
        {"kind": None},
    ],
)
def test_a_damaged_scale_is_refused(damage):
    data = LogisticCalibrator().fit(SCORES, Y).to_dict()
    with pytest.raises(ValueError, match="damaged: scale"):
        BaseCalibrator.from_dict({**data, "scale": {**data["scale"], **damage}})


@pytest.mark.parametrize("transform", ["log", 1, ["logit"], True])
def test_an_unknown_transform_is_refused(transform):
    with pytest.raises(ValueError, match=r"transform is .*, expected one of None, 'auto', 'logit'"):
        LogisticCalibrator(transform=transform).fit(SCORES, Y)


def test_log_odds_of_what_is_no_probability_are_refused():
    message = r"scores\[1\] is 1.5, expected a number in \[0, 1\]"
    with pytest.raises(ValueError, match=message):
        LogisticCalibrator(transform="logit").fit([0.5, 1.5], [0, 1])
    fitted = LogisticCalibrator(transform="logit").fit(SCORES, Y)
    with pytest.raises(ValueError, match=r"scores\[0\] is -2.0"):
        fitted.predict_proba([-2.0])
    with pytest.raises(ValueError, match=r"scores\[0\] is -2.0"):
        fitted.contour(-2.0, 0.5)


EXTREME = [
    [-1.7e308, -1e300, 0.0, 1.7e308],
    [0.0, 5e-324, 1e-323],
    [-1e300, -1e-300, 1e-300, 1.0],
    [0.7, 0.7 + 1.2e-16, 0.7 + 3e-16],
]


@pytest.mark.parametrize("scores", EXTREME)
def test_shares_are_those_of_fractions(scores):
    x = [Fraction(s) for s in scores]
    wanted = [float((v - x[0]) / (x[-1] - x[0])) for v in x]
    shares = share_of_range(np.array(scores), scores[0], scores[-1])
    np.testing.assert_allclose(shares, wanted, rtol=1e-15)
    back = at_share(shares, scores[0], scores[-1]) / 4 - np.array(scores) / 4
    assert (np.abs(back) <= 1e-15 * max(map(abs, scores))).all()


@pytest.mark.parametrize("scores", EXTREME)
def test_location_and_scale_are_finite_and_about_right(scores):
    center, scale = location_scale(np.array(scores), np.ones(len(scores)))
    x = [Fraction(s) for s in scores]
    mean = sum(x) / len(x)
    assert np.isfinite([center, scale]).all()
    assert scale > 0
    span = x[-1] - x[0]
    assert abs(Fraction(center) - mean) <= span / 2
    z = standardized(np.array(scores), center, scale)
    assert (np.abs(z) <= 8).all()
    assert (np.diff(z) >= 0).all()
    exact = [float((v - Fraction(center)) / Fraction(scale)) for v in x]
    np.testing.assert_allclose(z, exact, rtol=1e-15)


def test_one_score_has_no_scale():
    assert location_scale(np.array([2.0]), np.ones(1)) == (2.0, 0.0)


def test_beyond_floats_is_infinite():
    assert standardized(np.array([1e308, -1e308]), 0.0, 1e-10).tolist() == [np.inf, -np.inf]
