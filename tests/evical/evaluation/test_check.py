"""A check rejects at its level, finds what it says it would find, and says so in a line."""

import tracemalloc
from typing import get_args

import numpy as np
import pytest

from evical import metrics
from evical._typing import CalibrationTestName
from evical.conformal import ExchangeabilityTest, online_p_values
from evical.evaluation import CalibrationMonitor, Evaluation, check_calibration
from evical.evaluation.check import TESTS
from evical.significance import holm_adjusted
from tests.evical.metrics.kinds import (
    hosmer_lemeshow_test,
    kolmogorov_smirnov_test,
    kuiper_test,
    spiegelhalter_test,
)
from tests.support.each import each

PROBABILITY_TESTS = [name for name, kind in TESTS.items() if not kind.beliefs and not kind.ordered]


def predictions(y, p, bel=None, pl=None, weight=None):
    """An evaluation, as it is."""
    return Evaluation("", y, p, bel, pl, None, ("0", "1"), weight)


def draws(truth, times, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.random((times, len(truth))) < truth).astype(int)


def middling(n=1000, seed=0):
    return np.random.default_rng(seed).uniform(0.1, 0.8, n)


def test_false_alarms_are_as_frequent_as_stated():
    """Law: calibrated predictions fail about once in twenty times, by one test or all of them."""
    p = middling(500)
    y = draws(p, 400)
    alone = np.mean([not check_calibration(predictions(row, p)).passed for row in y])
    assert 0.02 <= alone <= 0.09
    together = np.mean(
        [not check_calibration(predictions(row, p), PROBABILITY_TESTS).passed for row in y[:200]]
    )
    assert 0.005 <= together <= 0.08
    strict = np.mean(
        [not check_calibration(predictions(row, p), level=0.2).passed for row in y[:200]]
    )
    assert 0.13 <= strict <= 0.28


def test_names_of_tests_are_known_to_the_command():
    assert get_args(CalibrationTestName) == tuple(TESTS)


@pytest.mark.parametrize("name", PROBABILITY_TESTS)
def test_errors_that_would_be_found_are_found(name):
    """Law: an error of the stated size is found about 4 times of 5, and half of it less often."""
    p = middling(2000)
    size = check_calibration(predictions(draws(p, 1)[0], p), [name]).tests[0].detectable
    shares = []
    for part in (1.0, 0.5):
        truth = _with_error(name, p, part * size)
        rejected = [
            check_calibration(predictions(row, p), [name]).tests[0].rejected
            for row in draws(truth, 100)
        ]
        shares.append(np.mean(rejected))
    assert 0.7 <= shares[0] <= 0.97
    assert shares[1] < shares[0] - 0.2


def _with_error(name, p, size):
    if name == "spiegelhalter":
        return p + size * (1 - 2 * p) / np.abs(1 - 2 * p).mean()
    if name == "binomial":
        return np.where((p > np.quantile(p, 0.3)) & (p <= np.quantile(p, 0.4)), p + size, p)
    return p + size


def test_a_change_along_the_rows_is_found_by_the_test_of_the_order_only():
    p = middling(1000)
    late = np.arange(1000) >= 600
    for drifting in (False, True):
        truth = np.where(late, 1 - p, p) if drifting else p
        rejected = [
            check_calibration(predictions(row, p), ["exchangeability"]).tests[0].rejected
            for row in draws(truth, 30)
        ]
        assert np.mean(rejected) > 0.9 if drifting else np.mean(rejected) <= 0.1
    calm = check_calibration(predictions(draws(p, 1)[0], p), ["exchangeability"])
    assert "(detects a change along the rows, which must be in the order of time)" in str(calm)
    assert np.isnan(calm.tests[0].detectable)
    with pytest.raises(ValueError, match="takes no weights"):
        check_calibration(predictions(draws(p, 1)[0], p, weight=np.ones(1000)), ["exchangeability"])


def test_beliefs_that_leave_the_truth_out_are_found():
    p = middling(2000)
    bel, pl = p - 0.05, p + 0.05
    size = check_calibration(predictions(draws(p, 1)[0], p, bel, pl)).tests[0].detectable
    for truth, least, most in ((pl + size, 0.7, 1.0), (pl, 0.0, 0.06)):
        rejected = [
            not check_calibration(predictions(row, p, bel, pl)).passed for row in draws(truth, 100)
        ]
        assert least <= np.mean(rejected) <= most


def test_tests_are_those_of_the_metrics():
    p = middling(300)
    y = draws(p, 1)[0]
    bel, pl = p * 0.9, p * 0.9 + 0.1
    check = check_calibration(predictions(y, p, bel, pl), list(TESTS))
    bounds = np.stack([bel, pl], axis=1)
    expected = [
        spiegelhalter_test(y, p).pvalue,
        kolmogorov_smirnov_test(y, p).pvalue,
        kuiper_test(y, p).pvalue,
        hosmer_lemeshow_test(y, p).pvalue,
        metrics.binomial_test(y, p).pvalue,
        metrics.interval_calibration_test(y, bounds).pvalue,
        metrics.coverage_test(y, bounds).pvalue,
        ExchangeabilityTest()
        .update(online_p_values(np.where(y == 1, 1 - p, p), np.random.default_rng(0)))
        .p_value,
        CalibrationMonitor().update(p, y).p_value,
    ]
    assert [one.pvalue for one in check.tests] == expected
    np.testing.assert_array_equal([one.adjusted for one in check.tests], holm_adjusted(expected))


def test_expected_error_is_that_of_calibrated_predictions():
    p = middling(400)
    check = check_calibration(predictions(draws(p, 1)[0], p), max_error=0.5)
    found = np.mean([metrics.expected_calibration_error(y, p) for y in draws(p, 200)])
    assert check.expected_error == pytest.approx(found, rel=0.1)


def test_a_bound_that_calibrated_predictions_exceed_is_refused():
    p = middling(400)
    made = predictions(draws(p, 1)[0], p)
    expected = check_calibration(made, [], max_error=0.5).expected_error
    assert check_calibration(made, [], max_error=1.01 * expected).max_error == 1.01 * expected
    with pytest.raises(ValueError, match=f"have an ECE of {expected:.2g} on average"):
        check_calibration(made, [], max_error=0.99 * expected)


def test_the_bound_of_the_error_alone():
    p = middling(400)
    y = draws(p, 1)[0]
    error = metrics.expected_calibration_error(y, p)
    assert check_calibration(predictions(y, p), [], max_error=error).passed
    check = check_calibration(predictions(y, p), [], max_error=error / 2)
    assert not check.passed
    assert str(check).startswith("failed, 400 samples: ECE")
    assert "\n" not in str(check)


def test_more_samples_find_smaller_errors():
    sizes = []
    for n in (200, 20_000):
        p = middling(n)
        check = check_calibration(predictions(draws(p, 1)[0], p), PROBABILITY_TESTS)
        sizes.append([one.detectable for one in check.tests])
    few, many = np.array(sizes)
    assert (many < few / 5).all()


def test_tests_that_can_find_nothing_say_so():
    half = np.full(40, 0.5)
    check = check_calibration(predictions(np.arange(40) % 2, half))
    assert check.passed
    assert "can detect no error: the samples are too few" in str(check)


@pytest.mark.parametrize("level", [1e-12, 0.9, 0.99999999])
def test_levels_of_any_size(level):
    p = middling(300)
    check = check_calibration(predictions(draws(p, 1)[0], p), PROBABILITY_TESTS, level=level)
    assert all(one.detectable >= 0 for one in check.tests)


def test_equal_weights_change_nothing():
    p = middling(300)
    y = draws(p, 1)[0]
    plain = check_calibration(predictions(y, p), PROBABILITY_TESTS, max_error=0.1)
    heavy = check_calibration(
        predictions(y, p, weight=np.full(300, 3.0)), PROBABILITY_TESTS, max_error=0.1
    )
    for one, other in zip(plain.tests, heavy.tests, strict=True):
        assert other.pvalue == pytest.approx(one.pvalue)
        assert other.detectable == pytest.approx(one.detectable)
    assert heavy.expected_error == pytest.approx(plain.expected_error)


@pytest.mark.parametrize("beliefs", [False, True])
def test_a_check_holds_few_arrays_beside_the_rows(beliefs):
    """Kept are outcomes, probabilities and beliefs; a sort takes two more arrays of n numbers."""
    n = 400_000
    p = middling(n)
    y = draws(p, 1)[0]
    given = {"bel": p * 0.9, "pl": p * 0.9 + 0.1} if beliefs else {"probability": p}
    check_calibration(Evaluation.from_predictions(y[:99], **{k: v[:99] for k, v in given.items()}))
    tracemalloc.start()
    try:
        check_calibration(Evaluation.from_predictions(y, **given), max_error=0.1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < (10 if beliefs else 6) * p.nbytes


def test_real_evaluations_are_taken():
    p = middling(200)
    y = draws(p, 1)[0]
    plain = Evaluation.from_predictions(y, p, n_resamples=1)
    assert [one.name for one in check_calibration(plain).tests] == ["spiegelhalter"]
    beliefs = Evaluation.from_predictions(y, bel=p * 0.9, pl=p * 0.9 + 0.1, n_resamples=1)
    assert [one.name for one in check_calibration(beliefs).tests] == ["interval"]


@each(
    ("tests", "options", "message"),
    [
        (["chi"], {}, "test is 'chi', expected one of 'spiegelhalter'"),
        (["interval"], {}, "belief intervals, but there are none"),
        ([], {}, "nothing to check"),
        (None, {"level": 0}, "level is 0"),
        (None, {"max_error": -1}, "bound of the error is -1"),
        (None, {"n_bins": 0}, "n_bins"),
    ],
)
def test_wrong_arguments_are_refused(tests, options, message):
    p = middling(50)
    with pytest.raises(ValueError, match=message):
        check_calibration(predictions(draws(p, 1)[0], p), tests, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tests": "kuiper"}, "tests is 'kuiper', expected names out of spiegelhalter"),
        ({"level": "5%"}, "level is '5%', expected a level"),
        ({"max_error": "small"}, "max_error is 'small', expected a number"),
        ({"n_bins": 2.5}, "n_bins is 2.5, expected a whole number"),
    ],
)
def test_arguments_of_a_wrong_kind_are_named(options, message):
    p = middling(50)
    with pytest.raises(TypeError, match=message):
        check_calibration(predictions(draws(p, 1)[0], p), **options)
    with pytest.raises(TypeError, match="evaluation is None, expected an Evaluation"):
        check_calibration(None)


def test_a_monitor_goes_on_from_check_to_check():
    p = middling(400)
    y, monitor = draws(p + 0.15 * (np.arange(400) >= 100), 1, seed=1)[0], CalibrationMonitor()
    verdicts = [
        check_calibration(
            predictions(y[i : i + 100], p[i : i + 100]), ["monitor"], level=0.01, monitor=monitor
        ).passed
        for i in range(0, 400, 100)
    ]
    assert monitor.p_value == pytest.approx(CalibrationMonitor().update(p, y).p_value)
    assert verdicts == sorted(verdicts, reverse=True)
    assert verdicts[0]
    assert not verdicts[-1]
    with pytest.raises(ValueError, match="a monitor is for the test 'monitor', not for kuiper"):
        check_calibration(predictions(y, p), ["kuiper"], monitor=monitor)
    with pytest.raises(ValueError, match="the test 'monitor' takes rows one by one"):
        check_calibration(predictions(y, p, weight=np.ones(400)), ["monitor"])
