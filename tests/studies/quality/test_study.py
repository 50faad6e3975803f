"""The study of quality: exact expectations, every calibrator, and what each must reach."""

import numpy as np
import pytest

from evical import calibrators
from evical.calibrators import LogisticCalibrator
from evical.datasets.simulated import simulated_probability, simulated_quantiles, simulated_scores
from evical.evaluation.estimate import Estimate
from examples.studies import STUDIES, reproduce, study_files
from examples.studies.quality.contenders import Contender, calibrator_contenders
from examples.studies.quality.study import optimum, quality_study

QUICK = {"sizes": [200], "repeats": 2, "n_quantiles": 400}


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


def results(contenders, seed=0, **options):
    """Name of a contender to an estimate of each measure, on samples of one kind."""
    outcome = reproduce(quality_study(contenders, **QUICK, **options), seed=seed)
    return {
        row[-1]: {name: Estimate.of(outcome.values(row, name)) for name in outcome.study.measures}
        for row in outcome.rows
    }


@pytest.mark.parametrize("kind", ["monotone", "nonmonotone", "margin"])
def test_the_truth_reaches_the_optimum_and_nothing_else_does(kind):
    found = results(
        [Contender("truth", lambda: Oracle(kind)), Contender("half", lambda: Always(0.5))],
        kinds=[kind],
    )
    truth, half = found["truth"], found["half"]
    best = optimum(kind, 400)
    assert truth["squared_error"].mean == 0
    assert (truth["log_loss"].mean, truth["brier"].mean) == (best["log_loss"], best["brier"])
    assert half["log_loss"].mean == pytest.approx(np.log(2), abs=1e-12)
    assert half["brier"].mean == pytest.approx(0.25, abs=1e-12)
    assert half["squared_error"].mean == pytest.approx(0.25 - best["brier"], abs=1e-12)
    assert half["log_loss"].standard_error == 0


def test_expectations_are_those_of_a_large_sample():
    scores, y, _ = simulated_scores("nonmonotone", 400_000, np.random.default_rng(0))
    p = simulated_probability("nonmonotone", scores)
    best = optimum("nonmonotone")
    assert np.mean((p - y) ** 2) == pytest.approx(best["brier"], abs=1.5e-3)
    assert -np.mean(np.log(np.where(y, p, 1 - p))) == pytest.approx(best["log_loss"], abs=4e-3)


def test_certainty_is_counted_and_its_log_loss_clipped():
    row = results([Contender("one", lambda: Always(1.0))], kinds=["margin"])["one"]
    p = simulated_probability("margin", simulated_quantiles("margin", 400))
    assert row["extreme"].mean == 1
    wanted = -np.mean(p * np.log1p(-1e-6) + (1 - p) * np.log(1e-6))
    assert row["log_loss"].mean == pytest.approx(wanted)


def test_every_calibrator_takes_part_and_is_far_better_than_nothing():
    contenders = calibrator_contenders()
    names = {contender.name.split(" ")[0] + "Calibrator" for contender in contenders}
    assert names == set(calibrators.__all__) - {"BaseCalibrator"}
    rows = results(contenders, kinds=["monotone"])
    assert list(rows) == [contender.name for contender in contenders]
    spread = 0.25 - optimum("monotone", 400)["brier"]
    for name, row in rows.items():
        # Normalizing learns nothing from labels, and None takes probabilities for log-odds.
        poor = name in ("Normalizing", "Temperature (transform=None)")
        assert row["squared_error"].mean < spread / 2 or poor, name
        assert 0 <= row["width"].mean < 1
    bayesian = rows["Logistic (model=bayesian)"]
    assert rows["Logistic"]["width"].mean > 0.05 > bayesian["width"].mean


def test_draws_are_the_same_for_all_and_in_every_run():
    logistic = [Contender("one", LogisticCalibrator), Contender("two", LogisticCalibrator)]
    both = results(logistic, kinds=["monotone"])
    one, two = both["one"], both["two"]
    assert one["log_loss"] == two["log_loss"]
    assert one["log_loss"].standard_error > 0
    alone = results(logistic[:1], kinds=["monotone"])["one"]
    assert alone["brier"] == one["brier"]
    other = results(logistic[:1], kinds=["monotone"], seed=1)["one"]
    assert other["brier"] != one["brier"]


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="wrong predicts what is no probability"):
        results([Contender("wrong", lambda: Always(1.5))])
    with pytest.raises(ValueError, match="repeats is 0"):
        quality_study([], repeats=0)
    with pytest.raises(ValueError, match="a kind is 'flat', expected one of"):
        quality_study([], kinds=["flat"])


def test_the_page_ranks_by_squared_error():
    contenders = [
        Contender("half", lambda: Always(0.5)),
        Contender("logistic", LogisticCalibrator),
        Contender("same", LogisticCalibrator),
    ]
    outcome = reproduce(quality_study(contenders, kinds=["monotone"], **QUICK))
    page = study_files(outcome, "x")["calibrator_quality.md"]
    assert page.index("| **logistic** |") < page.index("| **same** |") < page.index("| half |")
    error = Estimate.of(1000 * outcome.values(("monotone", "200", "logistic"), "squared_error"))
    assert f" {error.mean:.2f} ± {error.standard_error:.2f} |" in page


def test_the_page_names_the_losses_of_the_truth():
    text = " ".join(STUDIES["calibrator_quality"].protocol)
    for kind in ("monotone", "nonmonotone", "overconfident"):
        best = optimum(kind)
        assert f"{best['log_loss']:.4f}" in text
        assert f"{best['brier']:.5f}" in text


def test_methods_of_quadratic_cost_sit_out_the_largest_samples():
    sizes = {
        one.n for one in STUDIES["calibrator_quality"].conditions if one.contender.name == "SBB"
    }
    assert sizes == {200, 1000}
