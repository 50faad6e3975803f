"""The fuzz program notices what it is there to notice."""

import numpy as np
import pytest

from evical.calibrators import NormalizingCalibrator
from tests.fuzz.checks import RefusalError, faults, is_named
from tests.fuzz.samples import Sample, draw, halves
from tests.protocols.calibrators_table import Entry

SAMPLE = Sample(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1]), None, "by hand")
ENTRY = Entry("NormalizingCalibrator")


def whats(**spoiled):
    """Faults of a calibrator some of whose methods are replaced by faulty ones."""
    kind = type("NormalizingCalibrator", (NormalizingCalibrator,), spoiled)

    class Spoiled(Entry):
        def __call__(self):
            return kind()

    return [fault.what for fault in faults(Spoiled("NormalizingCalibrator"), SAMPLE)]


def test_a_sound_calibrator_has_no_faults():
    assert whats() == []


SPOILED = {
    "predictions are not finite": {"_predict_mass": lambda self, s: (s * 0 + np.nan, s * 0)},
    "masses are no masses": {"_predict_mass": lambda self, s: (s * 0 + 2, s * 0 - 1)},
    "bel or pl falls": {"_predict_mass": lambda self, s: (s * 0 + (s < 0), s * 0)},
    "state is not finite": {"_get_state": lambda self: {"largest_": np.inf, "alphas_": [0, 0]}},
    "differs after saving": {"_get_state": lambda self: {"largest_": 9.0, "alphas_": [0, 0]}},
}


@pytest.mark.parametrize("what", SPOILED)
def test_faults_are_seen(what):
    assert what in whats(**SPOILED[what])


def test_errors_of_numpy_and_warnings_are_faults():
    found = whats(_fit_counts=lambda self, counts: np.linalg.inv(np.zeros((2, 2))))
    assert found == ["raises LinAlgError: Singular matrix"]
    found = whats(_fit_counts=lambda self, counts: np.log(np.zeros(1)))
    assert found == ["raises RuntimeWarning: divide by zero encountered in log"]


def test_an_error_of_the_package_is_a_refusal():
    with pytest.raises(RefusalError, match=r"scores\[#\] is #, expected a finite number"):
        faults(ENTRY, Sample(np.array([0.0, np.inf]), np.array([0, 1]), None, ""))
    with pytest.raises(ValueError, match="broadcast") as error:
        ENTRY().fit([1.0, 2.0], [0, 1]).predict_mass([1.0]).masses + np.zeros((3, 5))
    assert not is_named(error.value)


def test_samples_are_the_same_again_and_hold_both_classes():
    for number in range(200):
        sample, again = (draw(np.random.default_rng([3, number])) for _ in range(2))
        np.testing.assert_array_equal(sample.scores, again.scores)
        assert np.isfinite(sample.scores).all()
        counted = sample.y if sample.weights is None else sample.y[sample.weights > 0]
        assert set(counted.tolist()) == {0, 1}


def test_a_failing_sample_is_made_smaller():
    sample = Sample(np.arange(64.0), np.arange(64) % 2, None, "")
    small = halves(sample, lambda part: 41.0 in part.scores)
    assert len(small) == 2
    assert 41.0 in small.scores
