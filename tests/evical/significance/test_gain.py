"""Relative gains: by definition, beside Student's interval of SciPy, and wrong input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evical.significance import relative_gain
from tests.naive import significance as naive

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=8)


@given(pairs)
def test_the_mean_and_its_error_by_definition(found):
    first, second = zip(*found, strict=True)
    mean, variance = naive.gain_moments(first, second)
    result = relative_gain(first, second, confidence=0.9)
    assert result.mean == pytest.approx(float(mean), abs=1e-12)
    reach = stats.t.isf(0.05, len(found) - 1) * np.sqrt(float(variance) / len(found))
    assert result.upper - result.mean == pytest.approx(reach, abs=1e-12)
    assert result.mean - result.lower == pytest.approx(reach, abs=1e-12)
    assert (result.n_data_sets, result.confidence) == (len(found), 0.9)


def test_the_interval_is_that_of_a_t_test():
    rng = np.random.default_rng(0)
    first, second = rng.random(12), 0.1 + rng.random(12)
    expected = stats.ttest_1samp(first / second - 1, 0).confidence_interval(0.95)
    result = relative_gain(first, second)
    np.testing.assert_allclose([result.lower, result.upper], expected)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1.0], [1.0], "there is only one data set; an interval needs at least 2"),
        ([1.0, 2.0], [1.0, 0.0], r"values2\[1\] is 0.0, expected a positive number"),
        ([1.0, np.nan], [1.0, 1.0], r"values1\[1\] is nan, expected a finite number"),
        ([1.0, 2.0], [1.0], r"values have shapes \(2,\) and \(1,\)"),
    ],
)
def test_what_has_no_gain_is_refused(first, second, message):
    with pytest.raises(ValueError, match=message):
        relative_gain(first, second)


def test_a_level_must_be_inside_the_unit_interval():
    with pytest.raises(ValueError, match="confidence is 1"):
        relative_gain([1.0, 2.0], [1.0, 1.0], confidence=1)
