"""The study of coverage: maps and measures by hand, coverage that theorems promise."""

import csv
import math

import numpy as np
import pytest
from scipy.stats import chi2

from evical.studies import STUDIES, reproduce
from evical.studies.interval_coverage.maps import MAPS, coverage, draw, quantiles
from evical.studies.interval_coverage.methods import ALPHA, METHODS, Method
from evical.studies.interval_coverage.study import SIZES, ClassifierCondition, CoverageCondition
from tests.support.public_objects import ROOT

STUDY = STUDIES["interval_coverage"]
RISING = {"sigmoid", "two steps", "plateau", "rare"}


def test_maps_are_what_the_page_says():
    at = quantiles(20_000)
    truth = {name: probability(at) for name, probability in MAPS.items()}
    assert {name for name, p in truth.items() if (np.diff(p) >= 0).all()} == RISING
    assert all(((p > 0) & (p < 1)).all() for p in truth.values())
    assert truth["rare"].mean() == pytest.approx(0.01, rel=0.05)
    assert truth["sigmoid"].mean() == pytest.approx(0.5)
    assert (truth["plateau"] == 0.5).mean() == pytest.approx(0.576, abs=0.001)  # |z| < 0.8
    assert set(truth["two steps"].tolist()) == {0.1, 0.5, 0.9}


def test_quantiles_have_the_moments_of_the_scores():
    at = quantiles(20_000)
    assert at.mean() == pytest.approx(0, abs=1e-12)
    assert at.std() == pytest.approx(1, abs=1e-3)
    scores, y = draw("two steps", 20_000, np.random.default_rng(0))
    assert scores.std() == pytest.approx(1, abs=0.03)
    assert y[scores < -0.5].mean() == pytest.approx(0.1, abs=0.015)


def test_coverage_and_width_by_hand():
    interval = np.array([[0.0, 0.5], [0.25, 0.5], [0.5, 1.0], [0.5, 0.5]])
    assert coverage(interval, np.array([0.5, 0.6, 0.5, 0.5])) == (0.75, 0.0, 0.3125)
    assert coverage(interval, np.array([0.1, 0.3, 0.7, 0.5]))[1] == 1.0


def of_bins(options, level_set=False, repeats=200):
    """Coverage of bins that are the steps of a map, so that each has one probability."""
    edges = ("n_bins", (-9.0, -0.5, 0.5, 9.0))
    method = Method("bins, likelihood", "BinningCalibrator", (edges, *options), level_set)
    condition = CoverageCondition("two steps", method, sizes=(300,))
    rows = [condition.run_repeat({}, number, 0) for number in range(repeats)]
    assert {labels[0] for row in rows for labels, _ in row} == {"two steps"}
    return np.mean([[values[0] for _, values in row] for row in rows], axis=0)


def test_limits_of_clopper_and_pearson_cover_as_they_promise():
    (found,) = of_bins((("model", "confidence"),))
    assert found > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 600)


def test_level_sets_cover_by_wilks_theorem_and_belief_less():
    belief, level_set = of_bins((), level_set=True)
    assert chi2.cdf(-2 * math.log(ALPHA), 1) == pytest.approx(0.95, abs=1e-4)
    assert level_set == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / 600))
    # The mean half-width is sqrt(pi / 2) standard errors, if the likelihood is normal.
    normal = chi2.cdf(math.pi / 2, 1)
    assert belief == pytest.approx(normal, abs=3 * math.sqrt(normal * (1 - normal) / 600))


def test_methods_see_the_same_samples_and_repeats_different_ones():
    chosen = [method for method in METHODS if method.calibrator == "LogisticCalibrator"][:2]
    first, other = (CoverageCondition("wavy", method, (60,)) for method in chosen)
    assert first.run_repeat({}, 3, 0) == first.run_repeat({}, 3, 0)
    assert first.run_repeat({}, 3, 0) != first.run_repeat({}, 4, 0)
    likelihood = dict(first.run_repeat({}, 3, 0))["wavy", "logistic, likelihood"]
    confidence = dict(other.run_repeat({}, 3, 0))["wavy", "logistic, confidence 95 %"]
    assert confidence[2] > likelihood[2]


def test_what_takes_long_is_left_out_of_most_repeats():
    method = next(method for method in METHODS if method.every > 1)
    rows = CoverageCondition("U", method, (50,)).run_repeat({}, 1, 0)
    assert [labels[1] for labels, _ in rows] == list(method.names)
    assert all(math.isnan(value) for _, values in rows for value in values)
    ((labels, values),) = ClassifierCondition("logistic regression").run_repeat({}, 3, 0)
    assert labels[0] == "P(y | x)"
    assert all(map(math.isnan, values))


def test_a_whole_classifier_is_measured():
    condition = ClassifierCondition("logistic regression", sizes=(100, 300))
    ((_, values),) = condition.run_repeat({}, 5, 0)
    small, large = values[:2]
    assert 0 <= small <= 1
    assert math.isnan(large)
    assert values[4] > 0


def test_names_of_methods_are_different():
    names = [name for method in METHODS for name in method.names]
    assert len(set(names)) == len(names)
    assert sum("level set" in name for name in names) == 5


def test_the_quick_variant_runs(tmp_path):
    outcome = reproduce(STUDY, tmp_path, repeats=2, quick=True)
    models = {labels[1] for labels in outcome.rows}
    assert models == {"logistic, likelihood", "logistic, level set 95 %", "isotonic, band 95 %"}
    assert outcome.values(("sigmoid", "isotonic, band 95 %"), "whole_50").tolist() == [1, 1]


def test_the_tables_of_the_guide_are_those_of_the_study():
    with (ROOT / "docs/reproductions/interval_coverage.csv").open(encoding="utf-8") as file:
        rows = {(row["map"], row["model"]): row for row in csv.DictReader(file)}

    def percent(*key):
        return [f"{100 * float(rows[key][f'coverage_{n}']):.0f}" for n in SIZES]

    guide = (ROOT / "docs/guide/promises.md").read_text(encoding="utf-8")
    for name in (name for method in METHODS for name in method.names):
        cells = [name, *percent("sigmoid", name), *percent("two steps", name)]
        assert f"| {' | '.join(cells)} |" in guide
    for map_name, name in rows:
        if map_name == "P(y | x)":
            assert f"| {' | '.join([name, *percent(map_name, name)])} |" in guide
