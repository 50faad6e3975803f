"""What is recommended from given losses, and what is said of samples that are few."""

import numpy as np
import pytest

from evical.calibrators import (
    AutoCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    VennAbersCalibrator,
)
from evical.evaluation.methods import make_calibrator
from evical.evaluation.recommendation import (
    Choice,
    differences,
    general_warnings,
    method_warnings,
)
from evical.evaluation.validation import MEASURES


def sample(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=n)
    return rng.normal(2 * y - 1), y


@pytest.mark.parametrize(("gap", "taken"), [(0.1, "mine"), (0.3, "logistic")])
def test_automatic_calibration_is_taken_within_two_standard_errors(gap, taken):
    """Whatever its name is, and though other methods are as near."""
    estimators = {"logistic": make_calibrator("logistic"), "mine": AutoCalibrator()}
    scores, y = sample(2000)
    values = np.zeros((2, 4, len(MEASURES)))
    values[1, :, 0] = gaps = gap + np.array([-0.1, 0.1, -0.1, 0.1])
    error = np.sqrt((1 / 4 + 1 / 3) * gaps.var(ddof=1))
    assert (gap < 2 * error) == (taken == "mine")
    found = differences(list(estimators), values[:, :, 0], 1 / 3)
    advice = Choice(estimators, values, found, "brier_score", scores, y).recommendation()
    assert (advice.best, advice.method) == ("logistic", taken)
    if taken == "mine":
        assert "mine averages many methods, so selection bias" in advice.reasons[1]
        assert (
            f"{gap:.2g} higher than that of logistic, less than two standard" in advice.reasons[1]
        )


def test_few_samples_are_no_reason_against_automatic_calibration():
    scores, y = sample(60)
    assert not method_warnings("auto", AutoCalibrator(), scores, y)
    assert method_warnings("spline", make_calibrator("spline"), scores, y)


def test_small_samples_are_warned_of():
    y = np.repeat([0, 1], [400, 60])
    scores = np.random.default_rng(0).normal(y)
    assert "60 samples" in general_warnings(y)[0]
    (text,) = method_warnings("isotonic", IsotonicCalibrator(), scores, y)
    assert "460 samples are fewer than 1000" in text
    assert "Niculescu-Mizil & Caruana 2005" in text
    few = method_warnings("logistic", LogisticCalibrator(), scores[385:415], y[385:415])
    assert "logistic fits 2 parameters, but the rarer class has 15 samples" in few[0]
    assert not method_warnings("logistic", LogisticCalibrator(), scores, y)
    assert "20 it" not in str(method_warnings("va", VennAbersCalibrator(), scores[:150], y[:150]))
    ties = method_warnings("kde", make_calibrator("kde"), scores.round(), y)
    assert "distinct scores" in ties[0]
    assert method_warnings("beta", make_calibrator("beta"), y * 1.0, y)[0].endswith(
        "beta fits 3 parameters to 2 distinct scores"
    )


def test_of_few_samples_two_standard_errors_are_made_of_chance():
    """A method that samples are too few for gives way to one that they suffice for."""
    estimators = {name: make_calibrator(name) for name in ("isotonic", "temperature")}
    scores, y = sample(40)
    values = np.zeros((2, 4, len(MEASURES)))
    values[1, :, 0] = gaps = np.array([0.0, 0.1, 0.0, 0.1])
    error = np.sqrt((1 / 4 + 1 / 3) * gaps.var(ddof=1))
    assert error < gaps.mean() < 2 * error
    found = differences(list(estimators), values[:, :, 0], 1 / 3)
    advice = Choice(estimators, values, found, "brier_score", scores, y).recommendation()
    assert (advice.best, advice.method) == ("isotonic", "temperature")
    assert "needs fewer samples" in advice.reasons[1]
    many, outcomes = sample(2000)
    advice = Choice(estimators, values, found, "brier_score", many, outcomes).recommendation()
    assert (advice.best, advice.method) == ("isotonic", "isotonic")
