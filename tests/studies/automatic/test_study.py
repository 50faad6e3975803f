"""The study of `AutoCalibrator`: excesses known otherwise, every method, ratios by hand."""

import numpy as np
import pytest

from evical import calibrators
from examples.studies import STUDIES, Outcome, reproduce
from examples.studies.automatic._page import cell_ratios, ratios_text
from examples.studies.automatic.maps import MAPS
from examples.studies.automatic.study import AutomaticCondition, methods
from examples.studies.quality.contenders import Contender

STUDY = STUDIES["automatic_calibration"]


class Always:
    """Predicts what it is told."""

    def __init__(self, predict):
        self.predict = predict

    def fit(self, scores, y):
        """Nothing to learn."""

    def predict_proba(self, scores):
        return self.predict(scores)


def test_excesses_are_those_of_the_stairs():
    truth = Contender("truth", lambda: Always(MAPS["stairs"].probability))
    half = Contender("half", lambda: Always(lambda s: np.full(len(s), 0.5)))
    rows = dict(AutomaticCondition("stairs", 20, (truth, half), 600).run_repeat({}, 0, 0))
    assert rows["stairs", "20", "truth"] == (0, 0)
    p = np.array([0.02, 0.2, 0.25, 0.6, 0.65, 0.98])  # of a sixth of the scores each
    divergence = np.mean(p * np.log(p / 0.5) + (1 - p) * np.log((1 - p) / 0.5))
    wanted = (divergence, np.mean((p - 0.5) ** 2))
    assert rows["stairs", "20", "half"] == pytest.approx(wanted, rel=1e-12)


def test_every_calibrator_takes_part_on_its_scales():
    bounded, margins = ({one.name for one in methods(kind, 50)} for kind in (True, False))
    assert {name.split(" ")[0].rstrip(",") + "Calibrator" for name in margins} == set(
        calibrators.__all__
    ) - {"BaseCalibrator"}
    assert margins < bounded
    assert any(name.startswith("scikit-learn") for name in bounded - margins)
    assert not any(name.startswith("Auto,") for name in bounded)
    options = {one.name: one.make() for one in methods(True, 50)}
    assert options["Spline, log-odds"].transform == "logit"
    assert options["Spline, ranks"].transform == "rank"
    assert {one.name: one.make() for one in methods(False, 50)}[
        "Spline, log-odds"
    ].transform is None


def test_slow_methods_sit_out_the_largest_samples():
    sizes = {
        name: {c.n for c in STUDY.conditions for one in c.contenders if one.name == name}
        for name in ("DPM", "SBB, ranks", "Auto")
    }
    assert sizes == {
        "DPM": {20, 50, 200},
        "SBB, ranks": {20, 50, 200, 1000},
        "Auto": {20, 50, 200, 1000, 10_000, 100_000, 1_000_000},
    }


def test_the_largest_samples_are_drawn_less_often():
    one = tuple(one for one in methods(True, 50) if one.name == "Logistic")
    condition = AutomaticCondition("waves", 50, one, 100, draws=2)
    first, second, third = (dict(condition.run_repeat({}, number, 0)) for number in range(3))
    assert first.keys() == second.keys() == third.keys()
    assert np.isfinite([*first.values(), *second.values()]).all()
    assert np.isnan([*third.values()]).all()
    assert {c.n: c.draws for c in STUDY.conditions if c.draws} == {100_000: 2, 1_000_000: 1}


def test_draws_depend_on_map_size_and_number():
    one = tuple(one for one in methods(True, 50) if one.name == "Logistic")
    condition = AutomaticCondition("waves", 50, one, 100)
    assert condition.run_repeat({}, 3, 0) == condition.run_repeat({}, 3, 0)
    assert condition.run_repeat({}, 3, 0) != condition.run_repeat({}, 4, 0)


def outcome_of(excesses):
    """Rows by hand: (map, method) to excesses of both measures, with 50 samples."""
    rows = {(name, "50", method): np.array(v) for (name, method), v in excesses.items()}
    return Outcome(STUDY, (), 2, 0, rows)


def test_ratios_by_hand():
    outcome = outcome_of(
        {
            ("steps", "Auto"): [[0.2, 0.1], [0.4, 0.1]],
            ("steps", "Logistic"): [[0.1, 0.4], [0.1, 0.4]],
            ("steps", "Isotonic"): [[0.3, 0.2], [0.5, 0.2]],
            ("U", "Auto"): [[0.3, 0.1], [0.3, 0.1]],
            ("U", "Logistic"): [[0.9, 0.4], [0.9, 0.4]],
            ("U", "Isotonic"): [[0.1, 0.1], [0.1, 0.1]],
            ("U", "only here"): [[0.4, 0.4], [0.4, 0.4]],
        }
    )
    ratios = cell_ratios(outcome, "log_loss")
    assert ratios["steps", "50"] == pytest.approx({"Auto": 3, "Logistic": 1, "Isotonic": 4})
    assert ratios["U", "50"]["Auto"] == pytest.approx(3)
    page = ratios_text(outcome)
    assert "| Auto | 3.00 | 3.00 | 0 |\n| Isotonic | 2.00 | 2.00 | 50 |\n| Logistic | 3.00 " in page
    assert "| Auto | 0.71 | 0.71 | 100 |" in page  # ratios 1/2 and 1
    assert "| steps | 300 | 100 | 3.00 | Logistic | 100 | 200 | 0.50 | Isotonic |" in page
    assert "| only here |" not in page
    assert "every cell is not reached: `AutoCalibrator` is that near in 0 of 2 cells" in page
    assert (
        "geometric mean is 3.00. In the 2 cells in which the best fixed method (Isotonic)" in page
    )
    assert "takes part it is 3.00, that of the fixed method 2.00" in page
    assert "every cell is reached: `AutoCalibrator` is that near in 2 of 2 cells, in 2" in page


def test_the_quick_variant_runs(tmp_path):
    outcome = reproduce(STUDY, tmp_path, repeats=1, quick=True)
    assert {labels[0] for labels in outcome.rows} == {"sigmoid", "calibrated"}
    assert all((values > -1e-9).all() for values in outcome.rows.values())
