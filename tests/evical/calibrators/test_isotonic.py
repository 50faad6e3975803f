"""Isotonic calibration: blocks by the definition, envelopes, scikit-learn's fit."""

import json
from fractions import Fraction
from itertools import pairwise
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from sklearn.isotonic import IsotonicRegression

from evical.calibrators import IsotonicCalibrator
from evical.calibrators.models import BinomialModel
from evical.curves.isotonic_band import isotonic_band
from evical.metrics import roc_auc
from evical.scores import ScoreCounts
from tests.naive.venn_abers import centered_isotonic
from tests.support.each import each

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

samples = st.lists(
    st.tuples(st.integers(-10, 10), st.integers(0, 1)), min_size=2, max_size=40
).filter(lambda pairs: len({label for _, label in pairs}) == 2)


def columns(pairs):
    scores, y = zip(*pairs, strict=True)
    return np.array(scores, dtype=float), np.array(y)


def random_samples(seed, n=200):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n).round(2)
    return scores, (rng.random(n) < 1 / (1 + np.exp(-scores))).astype(int)


def roc_hull(pairs):
    """Score to the share of positives on its segment of the upper convex hull of the ROC curve."""
    points = [(0, 0)]  # negatives and positives from a score on
    by_score = sorted({score for score, _ in pairs}, reverse=True)
    for score in by_score:
        labels = [label for other, label in pairs if other >= score]
        points.append((labels.count(0), labels.count(1)))
    hull = []
    for i, (x, y) in enumerate(points):
        while len(hull) > 1:
            (x0, y0), (x1, y1) = (points[j] for j in hull[-2:])
            if (x1 - x0) * (y - y0) < (y1 - y0) * (x - x0):
                break
            hull.pop()
        hull.append(i)
    return {
        by_score[k]: Fraction(points[b][1] - points[a][1], sum(points[b]) - sum(points[a]))
        for a, b in pairwise(hull)
        for k in range(a, b)
    }


@given(pairs=samples)
def test_blocks_are_the_convex_hull_of_the_roc_curve(pairs):
    """Fawcett & Niculescu-Mizil (2007), by Naeini (2016), section 2.3.

    So no AUC is lost, and 1/2 is the threshold of fewest errors (Cohen & Goldszmidt 2004).
    """
    scores, y = columns(pairs)
    found = IsotonicCalibrator(model="bayesian").fit(scores, y).predict_proba(scores)[:, 1]
    hull = roc_hull(pairs)
    np.testing.assert_allclose(found, [float(hull[score]) for score, _ in pairs], atol=1e-12)
    assert roc_auc(y, found) >= roc_auc(y, (scores + 10) / 20) - 1e-12
    cuts = [*np.unique(scores), np.inf]
    assert np.mean((found > 0.5) == y) == max(np.mean((scores >= cut) == y) for cut in cuts)


def block_shares(calibrator):
    return [
        Fraction(k) / Fraction(n)
        for k, n in zip(calibrator.positive_, calibrator.total_, strict=True)
    ]


def max_min(scores, y):
    """The isotonic fit at each distinct score, by its max-min formula, exactly.

    Robertson, Wright & Dykstra 1988, theorem 1.4.4: the largest over starts of the least
    over ends of the mean between them.
    """
    values = sorted(set(scores))
    groups = [[int(label) for s, label in zip(scores, y, strict=True) if s == v] for v in values]

    def mean(i, j):
        labels = [label for group in groups[i : j + 1] for label in group]
        return Fraction(sum(labels), len(labels))

    size = len(values)
    return values, [
        max(min(mean(i, j) for j in range(t, size)) for i in range(t + 1)) for t in range(size)
    ]


@given(pairs=samples)
def test_blocks_are_the_level_sets_of_the_isotonic_fit(pairs):
    """Equal neighboring shares are one block: n counts all samples of that share."""
    scores, y = columns(pairs)
    values, fit = max_min(scores, y)
    calibrator = IsotonicCalibrator(model="bayesian").fit(scores, y)
    cuts = [i for i in range(1, len(fit)) if fit[i] != fit[i - 1]]
    assert calibrator.thresholds_.tolist() == [(values[i - 1] + values[i]) / 2 for i in cuts]
    shares = block_shares(calibrator)
    assert shares == [fit[i] for i in [0, *cuts]]
    assert calibrator.total_.sum() == len(scores)


def test_equal_shares_are_pooled_in_spite_of_rounding():
    """Running means of floats keep two blocks of these ties apart whose shares are both 1/2."""
    positives, sizes = "2302022020200112", "2323123223322222"
    n, k = np.array([*map(int, sizes)]), np.array([*map(int, positives)])
    scores = np.repeat(np.arange(16.0), n)
    y = np.concatenate([np.arange(size) < hits for hits, size in zip(k, n, strict=True)])
    calibrator = IsotonicCalibrator().fit(scores, y)
    assert calibrator.total_.tolist() == [n[:15].sum(), 2]
    raw = isotonic_regression(k / n, weights=n.astype(float))
    assert raw.blocks.tolist() == [0, 13, 15, 16]  # or this test has lost its point


@each("weighted", [False, True])
@each("seed", range(3))
def test_bayesian_model_is_isotonic_regression(seed, weighted):
    scores, y = random_samples(seed)
    weights = np.random.default_rng(seed).random(200) + 0.1 if weighted else None
    reference = IsotonicRegression(out_of_bounds="clip").fit(scores, y, sample_weight=weights)
    got = IsotonicCalibrator(model="bayesian").fit(scores, y, sample_weight=weights)
    np.testing.assert_allclose(
        got.predict_proba(scores)[:, 1], reference.predict(scores), atol=1e-12
    )
    ends = [-1e9, 1e9]
    np.testing.assert_allclose(got.predict_proba(ends)[:, 1], reference.predict(ends), atol=1e-12)


def test_thresholds_are_midway_and_belong_to_the_block_above():
    calibrator = IsotonicCalibrator(model="bayesian").fit([0.0, 1.0, 4.0], [0, 0, 1])
    assert calibrator.thresholds_.tolist() == [2.5]
    assert calibrator.predict_proba([-9, 2.4, 2.5, 9])[:, 1].tolist() == [0, 0, 1, 1]


def test_ties_stay_together():
    calibrator = IsotonicCalibrator(model="bayesian").fit([1, 1, 2, 2], [0, 1, 1, 1])
    assert calibrator.positive_.tolist() == [1, 2]
    assert calibrator.total_.tolist() == [2, 2]


def test_constant_scores_are_one_block():
    calibrator = IsotonicCalibrator(model="dempster").fit([3, 3, 3, 3], [0, 1, 1, 1])
    assert calibrator.thresholds_.shape == (0,)
    np.testing.assert_allclose(calibrator.predict_interval([-1, 3, 5]), [[0.6, 0.8]] * 3)


def test_descending_labels_are_one_block():
    calibrator = IsotonicCalibrator(model="dempster").fit(np.arange(8), np.arange(8) < 4)
    assert calibrator.total_.tolist() == [8]


@each("model", get_args(BinomialModel))
@given(pairs=samples)
def test_envelope(model, pairs):
    """Xu et al. 2016, section 4.2: both bounds rise, and hold the bounds of each block."""
    scores, y = columns(pairs)
    grid = np.unique(scores)
    low, high = IsotonicCalibrator(model=model).fit(scores, y).predict_interval(grid).T
    raw = IsotonicCalibrator(model=model, envelope=False).fit(scores, y)
    raw_low, raw_high = raw.predict_interval(grid).T
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= -1e-15).all()
    assert (low <= raw_low + 1e-15).all()
    assert (raw_high <= high + 1e-15).all()
    # The narrowest such bounds: Bel is the least Bel to the right, Pl the greatest to the left.
    np.testing.assert_allclose(low, [raw_low[i:].min() for i in range(len(grid))], atol=1e-15)
    np.testing.assert_allclose(
        high, [raw_high[: i + 1].max() for i in range(len(grid))], atol=1e-15
    )


@pytest.mark.parametrize("model", ["likelihood", "confidence", "dempster", "inverse_pignistic"])
@given(pairs=samples)
def test_the_isotonic_fit_lies_in_the_interval(model, pairs):
    """Bel <= k / n <= Pl."""
    scores, y = columns(pairs)
    share = IsotonicCalibrator(model="bayesian").fit(scores, y).predict_proba(scores)[:, 1]
    for envelope in (True, False):
        low, high = (
            IsotonicCalibrator(model=model, envelope=envelope)
            .fit(scores, y)
            .predict_interval(scores)
            .T
        )
        assert (low <= share + 1e-12).all()
        assert (share <= high + 1e-12).all()


def test_an_envelope_that_is_needed():
    """Few samples in the middle leave more open there than the blocks beside it."""
    scores = [0] * 20 + [1] * 2 + [2] * 20
    y = [0] * 12 + [1] * 8 + [0, 1] + [0] * 8 + [1] * 12
    raw = (
        IsotonicCalibrator(model="dempster", envelope=False)
        .fit(scores, y)
        .predict_interval([0, 1, 2])
    )
    np.testing.assert_allclose(raw * 21, [[8, 9], [7, 14], [12, 13]])
    wide = IsotonicCalibrator(model="dempster").fit(scores, y).predict_interval([0, 1, 2])
    np.testing.assert_allclose(wide * 21, [[7, 9], [7, 14], [12, 14]])


@given(pairs=samples)
def test_centered_blocks_are_the_definition(pairs):
    scores, y = columns(pairs)
    fitted = IsotonicCalibrator(model="laplace", centered=True, envelope=False).fit(scores, y)
    rows = [(Fraction(float(s)), int(label), 1) for s, label in zip(scores, y, strict=True)]
    centers, values = zip(*centered_isotonic(rows), strict=True)
    np.testing.assert_allclose(fitted.centers_, [float(c) for c in centers], rtol=1e-14)
    shares = fitted.positive_ / fitted.total_
    np.testing.assert_allclose(shares, [float(v) for v in values], atol=1e-15)
    # Between two centers, half way is the mean; beyond the ends nothing changes.
    probes = np.concatenate([[-99], (fitted.centers_[1:] + fitted.centers_[:-1]) / 2, [99]])
    low = fitted.masses_[0]
    expected = np.concatenate([low[:1], (low[1:] + low[:-1]) / 2, low[-1:]])
    np.testing.assert_allclose(fitted.predict_interval(probes)[:, 0], expected, atol=1e-12)


@given(pairs=samples)
def test_centered_probability_rises_strictly_and_is_never_certain(pairs):
    scores, y = columns(pairs)
    fitted = IsotonicCalibrator(model="bayesian", centered=True).fit(scores, y)
    at_centers = fitted.predict_proba(fitted.centers_)[:, 1]
    assert (np.diff(at_centers) > 0).all()
    assert (at_centers > 0).all()
    assert (at_centers < 1).all()
    np.testing.assert_allclose(fitted.total_.sum(), len(y) + 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"model": "best"}, "model is 'best'"), ({"confidence": -1}, "confidence is -1")],
)
def test_wrong_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        IsotonicCalibrator(**options).fit([0.0, 1.0], [0, 1])


def test_centers_of_any_distance_are_interpolated():
    """The slope between 0 and 1e-320 is beyond all floats, the probability is not."""
    scores, y = [0.0, 1e-320, 1.0, 1e308], [0, 1, 1, 1]
    fitted = IsotonicCalibrator(model="laplace", centered=True, envelope=False).fit(scores, y)
    m = fitted.masses_[0]
    got = fitted.predict_interval([-1e308, 0.0, 5e-321, 1e308])[:, 0]
    np.testing.assert_allclose(got, [m[0], m[0], m[0], m[1]], atol=1e-9)
    tiny = IsotonicCalibrator(model="laplace", centered=True, envelope=False)
    tiny.fit([0.0, 1e-320], [0, 1])
    got = tiny.predict_interval([-1.0, 0.0, 5e-321, 1e-320, 1.0])[:, 0]
    np.testing.assert_allclose(got, np.array([2, 2, 3, 4, 4]) / 6, atol=1e-3)


@pytest.mark.parametrize("options", [{"envelope": "no"}, {"centered": 1}])
def test_choices_are_true_or_false(options):
    name, value = next(iter(options.items()))
    with pytest.raises(TypeError, match=f"{name} is {value!r}, expected True or False"):
        IsotonicCalibrator(**options).fit([0.0, 1.0], [0, 1])


# ---- the band


def test_belief_and_plausibility_are_the_limits_of_the_band():
    scores, y = random_samples(0)
    counts = ScoreCounts.from_samples(scores, y)
    fit = isotonic_regression(counts.positive / counts.total, weights=counts.total).x
    at = np.linspace(-4, 4, 200)
    for grid in (None, "auto", 7, [-4, -1, 0, 1, 4]):
        calibrator = IsotonicCalibrator(model="band", grid=grid, confidence=0.9).fit(scores, y)
        positive, negative = isotonic_band(counts, fit, 0.9, grid).masses_at(at)
        interval = calibrator.predict_interval(at)
        np.testing.assert_array_equal(interval, np.stack([positive, 1 - negative], axis=1))
        assert (np.diff(interval, axis=0) >= 0).all()
        assert calibrator.predict_interval([-99.0])[0, 0] == 0
        assert calibrator.predict_interval([99.0])[0, 1] == 1


def test_the_band_holds_the_isotonic_regression():
    scores, y = random_samples(1)
    probability = IsotonicCalibrator(model="bayesian").fit(scores, y).predict_proba(scores)[:, 1]
    for grid in (None, "auto"):
        bel, pl = (
            IsotonicCalibrator(model="band", grid=grid).fit(scores, y).predict_interval(scores).T
        )
        assert (bel <= probability + 1e-12).all()
        assert (pl >= probability - 1e-12).all()


def test_a_higher_level_gives_a_wider_band():
    scores, y = random_samples(2)
    widths = [
        np.ptp(
            IsotonicCalibrator(model="band", confidence=level)
            .fit(scores, y)
            .predict_interval(scores),
            axis=1,
        )
        for level in (0.5, 0.9, 0.99)
    ]
    assert (widths[0] <= widths[1]).all()
    assert (widths[1] <= widths[2]).all()
    assert widths[0].mean() < widths[2].mean()


def test_edges_of_the_grid_are_kept_in_json():
    scores, y = random_samples(3)
    edges = np.linspace(-3, 3, 13)
    calibrator = IsotonicCalibrator(model="band", grid=edges).fit(scores, y)
    again = IsotonicCalibrator.from_dict(json.loads(json.dumps(calibrator.to_dict())))
    assert list(again.grid) == edges.tolist()
    at = np.linspace(-4, 4, 100)
    np.testing.assert_array_equal(again.predict_interval(at), calibrator.predict_interval(at))


@each(
    ("options", "error", "message"),
    [
        ({"centered": True}, ValueError, "centered is True, but a band has steps"),
        ({"grid": "fine"}, ValueError, "grid is 'fine'"),
        ({"grid": 0}, ValueError, "grid is 0"),
        ({"grid": True}, TypeError, "grid is True"),
        ({"grid": 2.5}, TypeError, "grid is 2.5"),
        ({"grid": [1.0]}, ValueError, "grid as edges needs at least two finite numbers"),
        ({"grid": [2.0, 1.0]}, ValueError, "grid as edges must be ascending"),
        ({"grid": [[0.0, 1.0]]}, ValueError, "grid as edges needs at least two"),
    ],
)
def test_wrong_options_of_the_band(options, error, message):
    with pytest.raises(error, match=message):
        IsotonicCalibrator(model="band", **options).fit([1, 2], [0, 1])


def test_a_band_that_was_tampered_with_is_refused():
    scores, y = random_samples(4)
    data = IsotonicCalibrator(model="band").fit(scores, y).to_dict()
    plain = IsotonicCalibrator().fit(scores, y).to_dict()

    def refused(state, message, parameters=data["parameters"]):
        with pytest.raises(ValueError, match=message):
            IsotonicCalibrator.from_dict({**data, "parameters": parameters, "state": state})

    band = data["state"]["band"]
    refused({**data["state"], "band": {}}, "masses_ missing|without a band")
    refused(data["state"], "with a band", plain["parameters"])
    refused(plain["state"], "without a band")
    falling = {**band, "masses": np.array(band["masses"])[:, ::-1].tolist()}
    refused({**data["state"], "band": falling}, "band falls")


def test_the_picture_of_a_calibrator_draws_the_band():
    pytest.importorskip("matplotlib")
    from evical.plot import BeliefBandDisplay

    scores, y = random_samples(5)
    calibrator = IsotonicCalibrator(model="band").fit(scores, y)
    display = BeliefBandDisplay.from_estimator(calibrator, scores, y)
    interval = calibrator.predict_interval(display.scores)
    np.testing.assert_array_equal(np.stack([display.bel, display.pl], axis=1), interval)
    assert display.band_ is not None
    assert display.name == "band"
