"""Gebel's network and tree: tables typed right, and a quick repeat."""

import numpy as np
import pytest

from evical.datasets import load
from examples.studies.gebel2009.others import GEBEL2009_OTHERS
from examples.studies.gebel2009.study import GebelCondition
from tests.support.data_folder import DATA, needs_data

# Of the thesis's columns, added up.
SUMS = {"6.4, CR": 44.329, "6.4, Cal": 34.922, "6.6, CR": 41.045, "6.6, Cal": 35.496}


def test_tables_are_typed_right():
    for table in GEBEL2009_OTHERS.published:
        training = {key: value for key, value in table.values.items() if key[1] == "training"}
        assert len(training) == 54
        (total,) = (value for name, value in SUMS.items() if f"Table {name} " in table.title)
        assert sum(training.values()) == pytest.approx(total, abs=5e-4), table.title


@needs_data
def test_a_quick_repeat():
    data = {"haberman": load("haberman", DATA)}
    records = GebelCondition("Haberman", "haberman", ("tree",), n_folds=3).run_repeat(data, 0, 0)
    found = {labels[2:]: values for labels, values in records}
    assert len(found) == 2 * 7
    for correct, calibration, square in found.values():
        assert 0.5 < correct < 0.85
        assert square == calibration**2
    # Isotonic regression of a tree on the samples that trained it changes nothing.
    same = found["training", "original"], found["training", "isotonic"]
    np.testing.assert_allclose(*same, atol=0.02)
