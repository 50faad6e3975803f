"""The study of quality: exact expectations, every calibrator, and what each must reach."""

import importlib

import numpy as np
import pytest

from evical import calibrators
from evical.calibrators import LogisticCalibrator
from evical.datasets import simulated_probability, simulated_quantiles, simulated_scores
from evical.studies import Contender, calibrator_contenders, optimum, quality_study

QUICK = {"sizes": [200], "draws": 2, "n_quantiles": 400}


class Oracle:
    """Knows the truth."""

    def __init__(self, kind):
        self.kind = kind

    def fit(self, scores, y):
        """Nothing to learn."""

    def predict_proba(self, scores):
        return simulated_probability(self.kind, scores)


class Always:
    """Predicts one number."""

    def __init__(self, q):
        self.q = q

    def fit(self, scores, y):
        """Nothing to learn."""

    def predict_proba(self, scores):
        return np.full(len(scores), self.q)


@pytest.mark.parametrize("kind", ["monotone", "nonmonotone", "margin"])
def test_the_truth_reaches_the_optimum_and_nothing_else_does(kind):
    truth, half = quality_study(
        [Contender("truth", lambda: Oracle(kind)), Contender("half", lambda: Always(0.5))],
        kinds=[kind],
        **QUICK,
    )
    best = optimum(kind, 400)
    assert truth.squared_error.mean == 0
    assert (truth.log_loss.mean, truth.brier.mean) == (best["log_loss"], best["brier"])
    assert half.log_loss.mean == pytest.approx(np.log(2), abs=1e-12)
    assert half.brier.mean == pytest.approx(0.25, abs=1e-12)
    assert half.squared_error.mean == pytest.approx(0.25 - best["brier"], abs=1e-12)
    assert half.log_loss.standard_error == 0


def test_expectations_are_those_of_a_large_sample():
    scores, y, _ = simulated_scores("nonmonotone", 400_000, np.random.default_rng(0))
    p = simulated_probability("nonmonotone", scores)
    best = optimum("nonmonotone")
    assert np.mean((p - y) ** 2) == pytest.approx(best["brier"], abs=1.5e-3)
    assert -np.mean(np.log(np.where(y, p, 1 - p))) == pytest.approx(best["log_loss"], abs=4e-3)


def test_certainty_is_counted_and_its_log_loss_clipped():
    (row,) = quality_study([Contender("one", lambda: Always(1.0))], kinds=["margin"], **QUICK)
    p = simulated_probability("margin", simulated_quantiles("margin", 400))
    assert row.extreme.mean == 1
    wanted = -np.mean(p * np.log1p(-1e-6) + (1 - p) * np.log(1e-6))
    assert row.log_loss.mean == pytest.approx(wanted)


@pytest.mark.slow
def test_every_calibrator_takes_part_and_is_far_better_than_nothing():
    contenders = calibrator_contenders()
    names = {contender.name.split(" ")[0] + "Calibrator" for contender in contenders}
    assert names == set(calibrators.__all__) - {"BaseCalibrator"}
    rows = quality_study(contenders, kinds=["monotone"], **QUICK)
    assert [row.contender for row in rows] == [contender.name for contender in contenders]
    spread = 0.25 - optimum("monotone", 400)["brier"]
    for row in rows:
        # Normalizing learns nothing from labels, and a temperature is for log-odds.
        poor = row.contender in ("Normalizing", "Temperature")
        assert row.squared_error.mean < spread / 2 or poor, row.contender
        assert 0 <= row.width.mean < 1
    by_name = {row.contender: row for row in rows}
    assert by_name["Logistic"].width.mean > 0.05 > by_name["Logistic (model=bayesian)"].width.mean


def test_draws_are_the_same_for_all_and_in_every_run():
    logistic = [Contender("one", LogisticCalibrator), Contender("two", LogisticCalibrator)]
    one, two = quality_study(logistic, kinds=["monotone"], **QUICK)
    assert one.log_loss == two.log_loss
    assert one.log_loss.standard_error > 0
    (alone,) = quality_study(logistic[:1], kinds=["monotone"], **QUICK)
    assert alone.brier == one.brier
    (other,) = quality_study(logistic[:1], kinds=["monotone"], seed=1, **QUICK)
    assert other.brier != one.brier


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="wrong predicts what is no probability"):
        quality_study([Contender("wrong", lambda: Always(1.5))], **QUICK)
    with pytest.raises(ValueError, match="draws is 0"):
        quality_study([], draws=0)


def test_the_page_ranks_by_squared_error(tmp_path):
    make = importlib.import_module("docs.make_quality")
    contenders = [Contender("half", lambda: Always(0.5)), Contender("logistic", LogisticCalibrator)]
    rows = quality_study(contenders, kinds=["monotone"], **QUICK)
    page = make.page(rows, 2, 0, 400)
    assert page.index("| **logistic** |") < page.index("| half |")
    make.write_csv(rows, tmp_path / "quality.csv")
    lines = (tmp_path / "quality.csv").read_text().splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("monotone,200,half,")


def test_rows_that_are_not_run_again_are_kept(tmp_path):
    make = importlib.import_module("docs.make_quality")
    names = ["half", "gone", "peer 1.0: half"]
    old = quality_study(
        [Contender(name, lambda: Always(0.5)) for name in names], kinds=["monotone"], **QUICK
    )
    make.write_csv(old, tmp_path / "quality.csv")
    read = make.read_csv(tmp_path / "quality.csv")
    assert [row.contender for row in read] == names
    assert read[0].brier.mean == pytest.approx(old[0].brier.mean, rel=1e-5)
    new = quality_study([Contender("half", lambda: Always(0.4))], kinds=["monotone"], **QUICK)
    rows = make.merged(new, read, {"half"})
    assert [(row.contender, row is new[0]) for row in rows] == [
        ("half", True),
        ("peer 1.0: half", False),
    ]
