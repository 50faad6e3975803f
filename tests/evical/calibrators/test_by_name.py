"""Calibrators by name: options after colons, and what the literature calls some of them."""

from typing import get_args

import pytest

from evical import multiclass
from evical._typing import CalibratorName, MulticlassCalibratorName
from evical.calibrators import BinningCalibrator
from evical.calibrators.by_name import by_name, make_calibrator


def test_options_after_colons_are_those_of_a_list():
    made = make_calibrator("binning:bayesian:n_bins=15")
    listed = make_calibrator("Binning", ["model=bayesian", "n_bins=15"])
    wanted = BinningCalibrator(n_bins=15, model="bayesian")
    assert made.get_params() == listed.get_params() == wanted.get_params()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("platt", "there is no method 'platt'; its name here is logistic:bayesian"),
        (
            "isotonic:centered=1",
            "method 'isotonic': option centered is '1', expected true or false",
        ),
        ("binning:n_bins=0", "method 'binning': n_bins is 0"),
        ("elite:bayesian", "method 'elite' has no evidential models; leave out the model"),
    ],
)
def test_wrong_texts_are_named(text, message):
    with pytest.raises(ValueError, match="method") as caught:
        make_calibrator(text, kind="method")
    assert message in str(caught.value)


def test_names_are_those_of_the_classes():
    assert list(get_args(CalibratorName)) == sorted(by_name())
    assert list(get_args(MulticlassCalibratorName)) == sorted(by_name(multiclass))
