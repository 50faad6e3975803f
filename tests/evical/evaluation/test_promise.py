"""Broken promises of [Bel, Pl]: rarely found where none is, found where the form is wrong."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from evical.calibrators import LogisticCalibrator
from evical.evaluation import Evaluation, check_calibration, check_promise
from examples.studies.interval_coverage.maps import MAPS, draw
from tests.support.each import each


def judged(y, bel, pl):
    return Evaluation.from_predictions(y, (bel + pl) / 2, bel=bel, pl=pl)


@cache
def promises(name, n, n_new, draws, model):
    """Promises of logistic calibration with n samples, judged on other ones."""
    found = []
    for seed in range(draws):
        rng = np.random.default_rng([seed, n])
        calibrator = LogisticCalibrator(model=model)._fit_quietly(*draw(name, n, rng))
        scores = rng.normal(size=n_new)
        y = (rng.random(n_new) < MAPS[name](scores)).astype(int)
        bel, pl = calibrator.predict_interval(scores).T
        found.append(check_promise(judged(y, bel, pl)))
    return found


@each(
    ("n", "model"),
    [(50, "likelihood"), (1000, "likelihood"), (50, "confidence")],
)
def test_right_forms_are_rarely_said_to_break_their_promise(n, model):
    """At most 5 %, however many samples judge: here 40 draws."""
    found = promises("sigmoid", n, 10_000, 40, model)
    assert np.mean([one.broken for one in found]) <= 0.05


def test_wrong_forms_are_found_to_break_it():
    found = promises("two steps", 1000, 5000, 20, "likelihood")
    assert np.mean([one.broken for one in found]) >= 0.9
    assert all(one.warning.startswith("[Bel, Pl] fails to cover") for one in found if one.broken)


def test_one_error_in_five_of_the_likelihood_model_is_no_broken_promise():
    """Judged by many samples, a likelihood interval misses where twice its width does not."""
    found = promises("sigmoid", 50, 10_000, 40, "likelihood")
    doubtful = [one for one in found if one.doubtful]
    assert len(doubtful) >= 5
    assert all(not one.broken and "four scores of five" in one.warning for one in doubtful)


def test_p_values_are_those_of_exact_binomial_tests():
    rng = np.random.default_rng(0)
    bel = np.repeat([0.1, 0.5], 100)
    pl = bel + 0.1
    y = np.concatenate([rng.permutation(np.arange(100) < k) for k in (26, 56)]).astype(int)
    found = check_promise(judged(y, bel, pl))
    for value, reach in ((found.pvalue, 0.0), (found.wider_pvalue, 0.05)):
        tail = binom.sf(25, 100, 0.2 + reach)  # the second bin is within
        assert value == pytest.approx(1 - (1 - 2 * tail) ** 2, rel=1e-9)
    assert found.pvalue > 0.05 or found.missed == 1
    assert found.n_bins == 2
    assert found.worst == pytest.approx((0.1, 0.2, 0.26, 100))


def test_the_warning_names_promise_figure_test_and_advice():
    y = np.repeat([0, 1], 100)
    broken = check_promise(judged(y, np.full(200, 0.1), np.full(200, 0.2)))
    for part in (
        "cover the frequency of the positive class",
        "in 1 of 1 bin ",
        "0.5 of 200 samples, where Bel is 0.1 and Pl 0.2",
        "p < 0.0001",
        f"80 % power to detect an error of {broken.detectable:.2g}",
        "cancel within a bin",
        "AutoCalibrator(model='confidence')",
    ):
        assert part in broken.warning
    kept = check_promise(judged(y, np.full(200, 0.4), np.full(200, 0.6)))
    assert not kept.broken
    assert kept.warning == ""


def test_probabilities_promise_no_interval():
    y, p = np.repeat([0, 1], 50), np.full(100, 0.2)
    assert check_promise(Evaluation.from_predictions(y, p)) is None
    assert check_promise(judged(y, p, p)) is None
    assert check_calibration(Evaluation.from_predictions(y, p)).warning == ""


def test_a_check_warns_without_deciding():
    y = np.tile([0, 0, 0, 1, 0, 1, 1, 1], 200)  # shares 1/4 and 3/4 where 0.4 and 0.6 were said
    bel = np.where(np.arange(1600) % 8 < 4, 0.35, 0.55)
    evaluation = judged(y, bel, bel + 0.1)
    found = check_calibration(evaluation, ["interval"])
    assert found.promise == check_promise(evaluation)
    assert found.promise.broken
    assert found.passed == (not found.tests[0].rejected)
    alone = check_calibration(evaluation, [], max_error=1.0)
    assert alone.passed
    assert alone.warning == found.warning != ""


@pytest.mark.parametrize("level", [0.0, 1.0, -1])
def test_wrong_levels_are_refused(level):
    evaluation = judged(np.array([0, 1]), np.zeros(2), np.ones(2))
    with pytest.raises(ValueError, match="level"):
        check_promise(evaluation, level=level)


def test_what_is_no_evaluation_is_refused():
    with pytest.raises(TypeError, match="an Evaluation"):
        check_promise([0, 1])
