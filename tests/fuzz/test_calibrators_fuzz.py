"""All calibrators on some nasty samples; ``python -m tests.fuzz.calibrators`` has many more."""

import numpy as np
import pytest

from tests.fuzz.checks import RefusalError, faults
from tests.fuzz.samples import Sample, draw
from tests.protocols.calibrators_table import CALIBRATORS, every

SEED, CASES = 7, 3


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


@pytest.mark.parametrize(
    "entry", [e for e in CALIBRATORS if e.name != "SplineCalibrator"], ids=lambda e: e.id
)
@pytest.mark.parametrize(("scores", "y"), SPANS)
def test_scores_of_any_span(entry, scores, y):
    assert faults(entry, Sample(np.array(scores), np.array(y), None, "span")) == []
