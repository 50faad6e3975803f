"""Calibration errors of all classes, by the name of the kind."""

import numpy as np
import pytest

from evical import metrics
from tests.evical.metrics.kinds import (
    classwise_calibration_error,
    classwise_maximum_calibration_error,
    micro_calibration_error,
    micro_maximum_calibration_error,
    top_label_calibration_error,
)


def test_kinds_of_all_classes_by_name():
    y, p = [0, 0, 1, 2, 1], np.full((5, 3), 1 / 3)
    for of, mean, largest in (
        ("classwise", classwise_calibration_error, classwise_maximum_calibration_error),
        ("micro", micro_calibration_error, micro_maximum_calibration_error),
        ("top_label", top_label_calibration_error, None),
    ):
        assert metrics.expected_calibration_error(y, p, of) == mean(y, p)
        if largest is not None:
            assert metrics.maximum_calibration_error(y, p, of) == largest(y, p)
    with pytest.raises(ValueError, match="pos_label belongs to the kind 'positive', not to 'mi"):
        metrics.expected_calibration_error(y, p, "micro", pos_label=1)
    with pytest.raises(ValueError, match="labels belong to other kinds than 'positive'"):
        metrics.maximum_calibration_error([0, 1], [0.5, 0.5], labels=[0, 1])
    with pytest.raises(ValueError, match="of is 'top', expected one of 'positive'"):
        metrics.expected_calibration_error(y, p, "top")


def test_the_debiased_error_is_the_root_of_its_square():
    y, p = [0, 1, 1, 0, 0], [0.1, 0.1, 0.9, 0.9, 0.9]
    square = metrics.debiased_calibration_error(y, p, n_bins=2, squared=True)
    assert square > 0
    assert metrics.debiased_calibration_error(y, p, n_bins=2) == square**0.5
