"""Displays as pictures: what they look like is what was looked at."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from evical.calibrators import IsotonicCalibrator, LogisticCalibrator
from evical.plot import (
    BeliefBandDisplay,
    BeliefIntervalDisplay,
    ContourDisplay,
    CriticalDifferenceDisplay,
    FusionWeightsDisplay,
    ReliabilityDisplay,
)
from tests.support.images import picture

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


def test_picture_of_a_contour():
    with picture("contour", width=4.2, height=4.2) as figure:
        calibrator = LogisticCalibrator().fit(SCORES, Y)
        ContourDisplay.from_estimator(calibrator, 0.5, ax=figure.subplots())


def test_picture_of_a_band_with_bins(sample):
    with picture("band_bins") as figure:
        calibrator = IsotonicCalibrator().fit(*sample)
        BeliefBandDisplay.from_estimator(calibrator, *sample, n_bins=5, ax=figure.subplots())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("reliability_uniform", {"interval": "clopper_pearson"}),
        ("reliability_quantile", {"strategy": "quantile", "interval": "likelihood", "n_bins": 5}),
        ("reliability_corp", {"strategy": "corp", "random_state": 0}),
    ],
)
def test_picture_of_reliability(sample, name, options):
    density = {"uniform": "histogram", "quantile": "classes", "corp": "rug"}
    with picture(name, height=4.8) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        scores, y = sample
        ReliabilityDisplay.from_predictions(
            y,
            1 / (1 + np.exp(-scores)),
            name="scores",
            ax=above,
            counts_ax=below,
            density=density[name.removeprefix("reliability_")],
            **options,
        )


def test_picture_of_belief_intervals(sample):
    with picture("intervals_few") as figure:
        calibrator = LogisticCalibrator().fit(*sample)
        BeliefIntervalDisplay.from_estimator(calibrator, *sample, ax=figure.subplots())


def test_picture_of_many_belief_intervals(sample):
    with picture("intervals_many") as figure:
        calibrator = IsotonicCalibrator().fit(*sample)
        scores = np.linspace(-3, 3, 400)
        y = np.arange(400) % 7 < np.arange(400) / 60
        BeliefIntervalDisplay.from_estimator(calibrator, scores, y, ax=figure.subplots())


def test_picture_of_belief_intervals_of_three_classes():
    rng = np.random.default_rng(2)
    frame = Frame(["a", "b", "c"])
    beliefs = MassFunction(frame, [1, 2, 4, 7], rng.dirichlet(np.ones(4), size=25))
    y = np.array(frame.labels)[rng.integers(0, 3, 25)]
    with picture("intervals_classes", width=9.0) as figure:
        BeliefIntervalDisplay.from_predictions(y, beliefs, ax=figure.subplots(1, 3, sharey=True))


@pytest.mark.parametrize("test", ["nemenyi", "holm"])
def test_picture_of_critical_differences(test):
    names = {"nemenyi": "critical_difference_nemenyi", "holm": "critical_difference_holm"}
    rng = np.random.default_rng(5)
    table = rng.random((15, 7)) + np.array([0, 0.1, 0.2, 0.3, 0.35, 0.8, 0.9])
    with picture(names[test], width=6.4, height=2.8) as figure:
        figure.subplots_adjust(left=0.2, right=0.8)
        CriticalDifferenceDisplay.from_results(table, test=test, ax=figure.subplots())


WEIGHTS = np.array([0.75, 0.42, 0.2, -0.15])


def test_picture_of_weights():
    with picture("weights") as figure:
        figure.subplots_adjust(top=0.8)
        FusionWeightsDisplay(
            WEIGHTS, standard_error=[0.12, 0.1, 0.12, 0.08], members=list("abcd")
        ).plot(figure.subplots())


def test_picture_of_weights_of_three_classes():
    with picture("weights_classes") as figure:
        figure.subplots_adjust(top=0.8)
        weights = WEIGHTS[:, np.newaxis] + [0, 0.2, -0.1]
        errors = np.full((4, 3), 0.1)
        FusionWeightsDisplay(
            weights, standard_error=errors, members=list("abcd"), order="weight"
        ).plot(figure.subplots())


def test_picture_of_weights_of_many_classes():
    with picture("weights_map") as figure:
        figure.subplots_adjust(top=0.8)
        weights = WEIGHTS[:, np.newaxis] * np.linspace(2, -1, 8)
        FusionWeightsDisplay(
            weights, standard_error=np.full((4, 8), 0.2), members=list("abcd")
        ).plot(figure.subplots())
