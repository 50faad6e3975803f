"""A check of calibration with a verdict, for pipelines.

The chosen tests share a level by Holm's procedure, and the calibration error may have a bound. A
check that passes reports what error it could detect, which depends on the number of samples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dstheory.checks.arguments import (
    as_real,
    as_sequence,
    check_choice,
    check_count,
    check_instance,
    check_level,
)
from dstheory.notebook import ShownFields
from evical.conformal import ExchangeabilityTest, online_p_values
from evical.evaluation import _detectable as detectable
from evical.evaluation._evaluation import Evaluation
from evical.evaluation.monitor import CalibrationMonitor
from evical.evaluation.promise import BeliefPromise, beliefs_of, promise_of
from evical.metrics import binomial_test, calibration_test, expected_calibration_error
from evical.metrics.beliefs import IntervalSample
from evical.metrics.bins import filled_bins
from evical.metrics.coverage import coverage_test_of
from evical.metrics.goodness import pvalue_text
from evical.metrics.inputs import MOST_REPEATS, BinarySample
from evical.metrics.intervals import interval_test_of
from evical.significance import holm_adjusted


def exchangeability_test(sample: BinarySample, monitor: CalibrationMonitor | None) -> float:
    """P-value that probabilities of the true classes do not change, by a test martingale."""
    strange = np.where(sample.y == 1, 1 - sample.p, sample.p)
    steps = online_p_values(strange, np.random.default_rng(0))
    return ExchangeabilityTest().update(steps).p_value


def monitor_test(sample: BinarySample, monitor: CalibrationMonitor | None) -> float:
    """P-value that the monitor, which may have seen earlier samples, was never richer by chance."""
    watching, codes = CalibrationMonitor() if monitor is None else monitor, sample.y.astype(np.intp)
    known = watching.classes_
    return watching.update(sample.p, codes if known is None else known[codes]).p_value


@dataclass(frozen=True)
class _Kind:
    """A test, what it finds with a probability of 80 %, in words, and whether it tests beliefs.

    A test of beliefs takes an `IntervalSample`; one of probabilities takes y and p; one of the
    order of the samples takes them and a monitor, gives the p-value, and has no size of errors.
    """

    test: Callable[..., Any]
    detectable: Callable[..., float]
    words: str
    beliefs: bool = False
    ordered: bool = False


_NOTHING = "no error: the samples are too few, or all probabilities 1/2"
_ALL = "a constant error of {:.2g}"
TESTS = {
    "spiegelhalter": _Kind(
        partial(calibration_test, kind="spiegelhalter"),
        detectable.too_extreme,
        "probabilities too extreme or too moderate by {:.2g} on average",
    ),
    "kolmogorov_smirnov": _Kind(
        partial(calibration_test, kind="kolmogorov_smirnov"), detectable.shift_by_maximum, _ALL
    ),
    "kuiper": _Kind(calibration_test, detectable.shift_by_range, _ALL),
    "hosmer_lemeshow": _Kind(
        partial(calibration_test, kind="hosmer_lemeshow"), detectable.shift_by_bins, _ALL
    ),
    "binomial": _Kind(binomial_test, detectable.one_bin, "an error of {:.2g} in one bin"),
    "interval": _Kind(
        lambda sample, n_bins: interval_test_of(sample),
        detectable.beyond_bounds,
        "frequencies that lie {:.2g} outside [Bel, Pl], all on one side",
        beliefs=True,
    ),
    "coverage": _Kind(
        coverage_test_of,
        lambda sample, *rest: detectable.one_bin(sample.middle, *rest),
        "a frequency {:.2g} outside the mean [Bel, Pl] of one bin",
        beliefs=True,
    ),
    "exchangeability": _Kind(
        exchangeability_test,
        lambda sample, *rest: float("nan"),
        "a change along the rows, which must be in the order of time",
        ordered=True,
    ),
    "monitor": _Kind(
        monitor_test,
        lambda sample, *rest: float("nan"),
        "probabilities that are or become too low, too high, too extreme or too moderate, in rows "
        "in the order of time",
        ordered=True,
    ),
}


@dataclass(frozen=True)
class CheckedTest(ShownFields):
    """Outcome of a test.

    Parameters
    ----------
    name : str
        A key of `TESTS`.
    pvalue, adjusted : float
        Unadjusted, and adjusted by Holm's procedure for all tests of the check.
    rejected : bool
        Whether calibration is rejected at the level of the check.
    detectable : float
        Error that this test detects with a probability of 80 %; NaN if that is not known.
    finds : str
        What error that is, in words.
    """

    name: str
    pvalue: float
    adjusted: float
    rejected: bool
    detectable: float
    finds: str


@dataclass(frozen=True)
class CalibrationCheck(ShownFields):
    """A verdict with its evidence.

    Parameters
    ----------
    passed : bool
    n_samples : int
    level : float
        Of all tests together.
    tests : tuple of CheckedTest
    error : float
        Expected calibration error with bins of equal width, ten by default.
    expected_error : float
        Its mean if predictions are calibrated, which is considerable for few samples.
    max_error : float or None
        The bound.
    promise : BeliefPromise or None
        Whether [Bel, Pl] held the probability; None without intervals. It decides nothing: its
        `warning` explains more than a failed test, and may be given where none did.
    """

    passed: bool
    n_samples: int
    level: float
    tests: tuple[CheckedTest, ...]
    error: float
    expected_error: float
    max_error: float | None
    promise: BeliefPromise | None = None

    @property
    def warning(self) -> str:
        """Failed coverage of [Bel, Pl], in sentences, or an empty text."""
        return "" if self.promise is None else self.promise.warning

    def __str__(self) -> str:
        """The verdict in one line."""
        found = "passed" if self.passed else "failed"
        return f"{found}, {self.n_samples} samples: {'; '.join([*self._tests(), *self._bound()])}"

    def _tests(self) -> list[str]:
        texts = []
        for one in self.tests:
            holm = ", Holm" if len(self.tests) > 1 else ""
            sign = "<=" if one.rejected else ">"
            text = f"{one.name} {pvalue_text(one.adjusted)} {sign} {self.level:g}{holm}"
            if not one.rejected and np.isnan(one.detectable):
                text += f" (detects {one.finds})"
            elif not one.rejected:
                power = "can" if one.finds == _NOTHING else "80 % power to"
                text += f" ({power} detect {one.finds})"
            texts.append(text)
        return texts

    def _bound(self) -> list[str]:
        if self.max_error is None:
            return []
        sign = "<=" if self.error <= self.max_error else ">"
        return [
            f"ECE {self.error:.3g} {sign} {self.max_error:g} (expected from calibrated predictions "
            f"at this sample size: {self.expected_error:.2g})"
        ]


def check_calibration(
    evaluation: Evaluation,
    tests: Sequence[str] | None = None,
    *,
    level: float = 0.05,
    max_error: float | None = None,
    n_bins: int = 10,
    monitor: CalibrationMonitor | None = None,
) -> CalibrationCheck:
    """Test the calibration of predictions at a given level, and bound their calibration error.

    Parameters
    ----------
    evaluation : Evaluation
    tests : sequence of str, optional
        Names of `TESTS`; by default "interval" for beliefs and "spiegelhalter" for probabilities.
        An empty sequence runs none.
    level : float
        Probability of a false alarm, of all tests together.
    max_error : float, optional
        Bound of the expected calibration error.
    n_bins : int
    monitor : CalibrationMonitor, optional
        Of the test "monitor": one with earlier samples, which goes on with these; the positive
        class is the second of its `classes_`. Its level is that of the whole stream, however often
        it is checked.

    Returns
    -------
    CalibrationCheck

    Raises
    ------
    ValueError
        If there is no such test, a test of beliefs has none to test, a number is out of range, or
        there is nothing to check; if calibrated predictions would exceed the bound on average.

    Examples
    --------
    >>> made = Evaluation.from_predictions([0, 0, 0, 1] * 25, [0.25] * 100)
    >>> check = check_calibration(made, max_error=0.1)
    >>> check.passed, round(check.tests[0].pvalue, 2)
    (True, 1.0)
    >>> sure = Evaluation.from_predictions([0, 0, 0, 1] * 25, [0.05] * 100)
    >>> check_calibration(sure).passed
    False
    """
    check_instance("evaluation", evaluation, Evaluation, "an Evaluation")
    if tests is None:
        tests = ["spiegelhalter" if evaluation.bel is None else "interval"]
    given = as_sequence(tests, "tests", f"names out of {', '.join(TESTS)}")
    for name in given:
        check_choice("test", name, TESTS)
    names = list(dict.fromkeys(given))
    _check_arguments(names, evaluation, level, max_error)
    check_count("n_bins", n_bins, 1, MOST_REPEATS)
    sample = BinarySample(
        evaluation.y.astype(np.float64), evaluation.probability, evaluation.weight
    )
    beliefs = beliefs_of(evaluation)
    if monitor is not None:
        check_instance("monitor", monitor, CalibrationMonitor, "a CalibrationMonitor")
        if "monitor" not in names:
            raise ValueError(f"a monitor is for the test 'monitor', not for {', '.join(names)}")
    pvalues = [_pvalue(name, sample, beliefs, n_bins, monitor) for name in names]
    adjusted = holm_adjusted(pvalues)
    results = []
    for name, alone, together in zip(names, pvalues, adjusted, strict=True):
        tested = beliefs if TESTS[name].beliefs else sample
        size = TESTS[name].detectable(tested, level / len(names), n_bins)
        rejected = bool(together <= level)
        finds = TESTS[name].words.format(size) if not size >= 1 else _NOTHING
        results.append(CheckedTest(name, alone, float(together), rejected, size, finds))
    error = expected_calibration_error(
        sample.y, sample.p, n_bins=n_bins, sample_weight=sample.weight
    )
    expected = _expected_error(sample, n_bins)
    if max_error is not None and 0 < max_error < expected:
        raise ValueError(
            f"the bound of the error is {max_error:g}, but even calibrated predictions have an ECE "
            f"of {expected:.2g} on average at this sample size; take a larger bound, more samples "
            "or fewer bins, or a test, which allows for that"
        )
    passed = not any(one.rejected for one in results)
    passed = passed and (max_error is None or error <= max_error)
    promise = None if beliefs is None else promise_of(beliefs, level, n_bins)
    return CalibrationCheck(
        passed, len(sample.p), level, tuple(results), error, expected, max_error, promise
    )


def _check_arguments(
    names: list[str], evaluation: Evaluation, level: float, max_error: float | None
) -> None:
    for name in names:
        if TESTS[name].beliefs and evaluation.bel is None:
            raise ValueError(f"test {name!r} needs belief intervals, but there are none")
    if not names and max_error is None:
        raise ValueError("there is nothing to check; name a test or a bound of the error")
    check_level("level", level)
    if max_error is not None and not 0 <= as_real("max_error", max_error) <= 1:
        raise ValueError(f"the bound of the error is {max_error!r}, expected one in [0, 1]")


def _pvalue(
    name: str,
    sample: BinarySample,
    beliefs: IntervalSample | None,
    n_bins: int,
    monitor: CalibrationMonitor | None,
) -> float:
    kind = TESTS[name]
    if kind.ordered:
        if sample.weight is not None:
            raise ValueError(
                f"the test {name!r} takes rows one by one, so it takes no weights; leave them out, "
                "or take another test"
            )
        return float(kind.test(sample, monitor))
    if kind.beliefs:
        return float(kind.test(beliefs, n_bins).pvalue)
    result = kind.test(sample.y, sample.p, n_bins=n_bins, sample_weight=sample.weight)
    return float(result.pvalue)


def _expected_error(sample: BinarySample, n_bins: int) -> float:
    """Mean ECE of calibrated predictions: gaps of bins are nearly normal, E|x| = sqrt(2/pi) sd."""
    bins = filled_bins(sample, n_bins, "uniform")
    deviation = np.sqrt(bins.prob * (1 - bins.prob) / bins.size)
    return float(np.sqrt(2 / np.pi) * (bins.weight @ deviation) / bins.weight.sum())
