"""Adaptive calibration: counts within the interval of each prediction."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from evical.calibrators import AdaptiveCalibrator
from tests.evical.curves.of_arrays import fit_platt
from tests.naive import inference as naive_inference
from tests.naive import kde as naive

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

values = st.integers(-20, 20)
samples = st.lists(
    st.tuples(values, st.integers(0, 1), st.integers(1, 3)), min_size=2, max_size=20
).filter(lambda rows: len({label for _, label, _ in rows}) == 2)


def fitted(rows, **options):
    scores, y, weights = (np.array(column) for column in zip(*rows, strict=True))
    return AdaptiveCalibrator(**options).fit(scores, y, weights)


@given(rows=samples, limits=st.tuples(values, values).map(sorted))
def test_an_interval_has_the_evidence_of_its_samples(rows, limits):
    k, n = naive.shares(*limits, rows)
    got = fitted(rows, model="dempster").predict_mass([0], [limits]).masses[0]
    wanted = naive_inference.dempster(k, n) if n else (Fraction(0), Fraction(0))
    np.testing.assert_allclose(got[[1, 0]], [float(m) for m in wanted[:2]], atol=1e-14)
    bayesian = fitted(rows).predict_proba([0], [limits])[0, 1]
    assert bayesian == pytest.approx(k / n if n else 0.5, abs=1e-15)


@given(rows=samples, score=values, width=st.integers(0, 8))
def test_a_width_reaches_around_the_score_or_to_the_nearest_one(rows, score, width):
    inside = min(max(score, min(s for s, _, _ in rows)), max(s for s, _, _ in rows))
    k, n = naive.shares(inside - width, inside + width, rows)
    if not n:  # the upper one of two that are as near
        nearest = min({s for s, _, _ in rows}, key=lambda s: (abs(s - inside), -s))
        k, n = naive.shares(nearest, nearest, rows)
    got = fitted(rows, width=width).predict_proba([score])[0, 1]
    assert got == pytest.approx(k / n, abs=1e-15)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_default_interval_is_that_of_a_logistic_regression(sign):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=300)
    y = rng.random(300) < 1 / (1 + np.exp(-2 * sign * scores))
    calibrator = AdaptiveCalibrator(confidence=0.9).fit(scores, y)
    order = np.sort(scores)
    fit = fit_platt(order, ~y[scores.argsort()], y[scores.argsort()])
    predictions = fit.logit(order)
    for probe in (-1.0, 0.0, 0.7):
        half = ndtri(0.95) * fit.standard_error(probe)
        lower, upper = fit.logit(probe) - half, fit.logit(probe) + half
        within = (predictions >= lower) & (predictions <= upper)
        wanted = y[scores.argsort()][within].mean()
        assert calibrator.predict_proba([probe])[0, 1] == pytest.approx(wanted, abs=1e-12)
        assert 10 < within.sum() < 150


def test_a_score_alone_always_has_a_share():
    calibrator = AdaptiveCalibrator(width=0, model="dempster").fit([1, 2, 2], [0, 0, 1])
    got = calibrator.predict_mass([-1e9, 1.4, 1e9]).masses
    np.testing.assert_allclose(got, [[0.5, 0, 0.5], [0.5, 0, 0.5], [1 / 3, 1 / 3, 1 / 3]])


def test_equal_scores_have_their_share():
    calibrator = AdaptiveCalibrator().fit([2.0] * 4, [0, 1, 1, 1])
    np.testing.assert_allclose(calibrator.predict_proba([2, 3])[:, 1], 0.75)


def test_every_prediction_takes_intervals_on_the_scale_of_the_scores():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=40)
    y = (rng.random(40) < 0.5).astype(int)
    limits = np.stack([scores - 0.5, scores + 0.25], axis=1)
    plain = AdaptiveCalibrator(model="likelihood").fit(scores, y)
    for transform in ("sigmoid", "auto"):
        read = AdaptiveCalibrator(model="likelihood", transform=transform).fit(scores, y)
        for method in ("predict_interval", "predict_proba", "predict"):
            np.testing.assert_allclose(
                getattr(read, method)(scores, limits),
                getattr(plain, method)(scores, intervals=pd.DataFrame(limits)),
                atol=1e-12,
            )


@pytest.mark.parametrize(
    ("intervals", "message"),
    [
        ([[0, 1]], r"intervals have shape \(1, 2\), expected \(2, 2\)"),
        ([[0], [1]], r"intervals have shape \(2, 1\)"),
        ([[0, 1], [2, 1]], r"intervals\[1\] is \[2.0, 1.0\], expected two finite limits"),
        ([[0, float("nan")], [0, 1]], r"intervals\[0\] is \[0.0, nan\]"),
        ([[0, 1], [0, float("inf")]], r"intervals\[1\] is \[0.0, inf\]"),
    ],
)
def test_wrong_intervals_are_refused(intervals, message):
    calibrator = AdaptiveCalibrator().fit([0, 1, 2], [0, 1, 1])
    with pytest.raises(ValueError, match=message):
        calibrator.predict_proba([0, 1], intervals)


@pytest.mark.parametrize("width", [-1, float("nan"), float("inf")])
def test_wrong_widths_are_refused(width):
    with pytest.raises(ValueError, match="width is"):
        AdaptiveCalibrator(width=width).fit([0, 1], [0, 1])


@pytest.mark.parametrize("width", ["1", True])
def test_widths_that_are_no_numbers_are_refused(width):
    with pytest.raises(TypeError, match=r"width is .*, expected None or a number from 0"):
        AdaptiveCalibrator(width=width).fit([0, 1], [0, 1])


def test_damaged_data_are_refused():
    data = AdaptiveCalibrator().fit([0, 1, 2], [0, 1, 1]).to_dict()
    data["state"]["total_"] = [3, 2, 1, 0]
    with pytest.raises(ValueError, match="state total_ is not in ascending order"):
        AdaptiveCalibrator.from_dict(data)
