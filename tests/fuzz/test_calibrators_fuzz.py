"""All calibrators on some nasty samples; ``python -m tests.fuzz.calibrators`` has many more."""

import numpy as np
import pytest

from evical.calibrators import LogisticCalibrator
from evical.errors import ConvergenceError
from tests.fuzz.checks import RefusalError, faults
from tests.fuzz.samples import Sample, draw
from tests.protocols.calibrators_table import CALIBRATORS, every
from tests.support.each import each

SEED, CASES = 7, 1


@every
def test_nasty_samples_are_answered_or_refused(entry):
    number = CALIBRATORS.index(entry)
    for case in range(CASES):
        sample = draw(np.random.default_rng([SEED, number, case]))
        try:
            found = faults(entry, sample)
        except RefusalError:
            continue
        assert found == [], sample.kind


SPANS = [
    ([-1.7e308, 1.7e308], [0, 1]),
    ([1.7e308, -1.7e308], [0, 1]),
    ([-1.7e308, -1.0, 1.0, 1.7e308], [0, 1, 0, 1]),
    ([1.7976931348623157e308, 1.6e308, -1e308, -1.7976931348623157e308], [1, 1, 0, 0]),
    ([5e-324, 0.0, -5e-324], [1, 0, 0]),
    ([-1e-310, 1e-310, 2e-310], [0, 1, 1]),
]


@every
def test_scores_of_any_span(entry):
    """One span for each entry, in turn: those of one class see most of them."""
    scores, y = SPANS[CALIBRATORS.index(entry) % len(SPANS)]
    assert faults(entry, Sample(np.array(scores), np.array(y), None, "span")) == []


DIFFICULT = {
    "light outlier": (
        "Gaussian-likelihood",
        [-0.9, -0.4, 0.1, 0.6, -0.06, 1.4, 1e32],
        [1, 1, 0, 0, 1, 0, 0],
        [1e12, 1e12, 1e12, 1e12, 1e12, 1e-12, 1e-12],
    ),
    "far assignment values": (
        "AssignmentValue",
        [0.0, -0.2],
        [0, 1],
        [2.8705035214317554, 833572246966.7122],
    ),
    "denormal mixture": ("DPM-3-None", [-3e-323, -1.5e-323, 0.0], [1, 1, 0], [2.0, 4.0, 1.0]),
    "denormal knots": (
        "ELiTE-bic-5-None",
        [-4.4e-323, 4.4e-323, -2e-323, 4.4e-323, -3.5e-323],
        [0, 0, 0, 0, 1],
        None,
    ),
    "lambda beyond all floats": (
        "ELiTE-bic-5-None",
        [-1.6e308, -9e307, -1.6e308, 0.9, 1.0, 0.0, 0.0, 1.6e308, 1.79e308, 1.6e308],
        [1, 1, 1, 0, 0, 0, 1, 0, 0, 0],
        None,
    ),
    "center beyond all floats": (
        "Logistic-likelihood",
        [0.0, -1.6179238213760842e308, 1.7976931348623157e308],
        [0, 0, 1],
        [15949976481.250435, 925848328743.9175, 86852199.21993604],
    ),
}


@each("name", DIFFICULT)
def test_samples_that_once_failed(name):
    calibrator, scores, y, weights = DIFFICULT[name]
    entry = next(e for e in CALIBRATORS if e.id == calibrator)
    weights = None if weights is None else np.array(weights)
    sample = Sample(np.array(scores), np.array(y), weights, name)
    assert faults(entry, sample) == []


def test_a_fit_that_cannot_be_proven_ends():
    """Scores next to each other, weights 24 powers of ten apart: rounding in every panel."""
    weights = np.array([1.0, 1.0, 1e12, 1e-12, 1e12, 1e-12, 1e-12])
    scores = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1e-13, 0.0])
    with np.errstate(all="ignore"), pytest.raises(ConvergenceError, match="too many powers of ten"):
        LogisticCalibrator().fit(scores, [0, 1, 1, 1, 1, 1, 1], sample_weight=weights)
