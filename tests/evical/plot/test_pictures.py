"""Displays as pictures: what they look like is what was looked at."""

import numpy as np
import pytest

from evical.calibrators import IsotonicCalibrator, LogisticCalibrator
from evical.plot import BeliefBandDisplay, ContourDisplay
from tests.images import picture

SCORES = np.array([-1.5, -1.0, -0.4, 0.1, 0.3, 0.8, 1.2, 2.0])
Y = np.array([0, 0, 1, 0, 1, 0, 1, 1])


@pytest.fixture
def sample():
    """Scores of logistic classes, and labels."""
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1.5, 60)
    return scores, (rng.random(60) < 1 / (1 + np.exp(-1.5 * scores))).astype(int)


def test_picture_of_a_band(sample):
    with picture("band_logistic") as figure:
        calibrator = LogisticCalibrator().fit(*sample)
        BeliefBandDisplay.from_estimator(calibrator, *sample, ax=figure.subplots())


def test_picture_of_two_bands(sample):
    with picture("band_two") as figure:
        ax = figure.subplots()
        for model, linestyle, color in (("likelihood", "-", "C0"), ("confidence", "--", "C3")):
            calibrator = IsotonicCalibrator(model=model).fit(*sample)
            BeliefBandDisplay.from_estimator(
                calibrator, sample[0], ax=ax, linestyle=linestyle, color=color, fill=False
            )


def test_picture_of_a_contour(sample):
    with picture("contour") as figure:
        calibrator = LogisticCalibrator().fit(SCORES, Y)
        ContourDisplay.from_estimator(calibrator, 0.5, ax=figure.subplots())
