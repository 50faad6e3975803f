"""The study of coverage: maps and measures by hand, coverage that theorems promise."""

import csv
import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import chi2
from sklearn.datasets import make_classification

from evical.calibrators import AutoCalibrator
from evical.datasets import Dataset
from evical.fusion import Stacked
from examples.studies import STUDIES, reproduce, study_files
from examples.studies.interval_coverage.classes import CLASS_MAPS, ClassesCondition, drawn_classes
from examples.studies.interval_coverage.maps import MAPS, coverage, draw, quantiles
from examples.studies.interval_coverage.measured import LEARNED, MEASURES, SIZES
from examples.studies.interval_coverage.methods import ALPHA, METHODS, Method
from examples.studies.interval_coverage.promises import PromiseCondition
from examples.studies.interval_coverage.real import RealCondition, _judged
from examples.studies.interval_coverage.sources import FUSIONS, SOURCES, SourcesCondition, drawn
from examples.studies.interval_coverage.study import ClassifierCondition, CoverageCondition
from tests.support.each import each
from tests.support.probabilities import fit_to_probabilities
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


def log_odds_by_bayes(name, scores):
    """From the densities of the scores in both classes, which are equally probable."""
    if name == "heavy tails":
        means = [1.0, 0.8, 0.5]
        density = [stats.t(2, side * np.array(means)) for side in (1, -1)]
        up, down = (one.logpdf(scores).sum(axis=1) for one in density)
        return up - down
    if name == "discrete":
        chances = np.array([0.8, 0.7, 0.6])
        up = np.where(scores > 0, chances, 1 - chances).prod(axis=1)
        down = np.where(scores > 0, 1 - chances, chances).prod(axis=1)
        return np.log(up / down)
    means = np.array([0.8, 0.6, 0.0 if name == "one useless" else 0.4])
    rho = float(name.split()[1]) if name.startswith("correlated") else 0.0
    within = np.full((3, 3), rho) + (1 - rho) * np.eye(3)
    up, down = (stats.multivariate_normal(side * means, within).logpdf(scores) for side in (1, -1))
    return up - down


@each("name", SOURCES)
def test_the_truth_given_all_sources_is_that_of_bayes(name):
    scores, y, truth = drawn(name, 4000, np.random.default_rng(1))
    assert np.log(truth / (1 - truth)) == pytest.approx(log_odds_by_bayes(name, scores))
    for side in (0, 1):  # scores are of the class that they are said to be of
        mean = np.array([0.8, 0.6, 0.0]) if name == "one useless" else None
        if mean is not None:
            assert scores[y == side].mean(axis=0) == pytest.approx((2 * side - 1) * mean, abs=0.1)
    # Of samples that are positive with a probability p, a share of p is.
    assert y[truth > 0.5].mean() == pytest.approx(truth[truth > 0.5].mean(), abs=0.04)


def test_dependent_sources_are_as_correlated_as_they_are_called():
    scores, y, _ = drawn("correlated 0.8", 20_000, np.random.default_rng(0))
    within = np.corrcoef(scores[y == 1].T)
    assert within[np.triu_indices(3, 1)] == pytest.approx(0.8, abs=0.02)


def test_fusions_are_of_the_same_sources():
    condition = SourcesCondition("one adversarial", sizes=(200, 1000), largest_every=4)
    rows = condition.run_repeat({}, 3, 0)
    assert [labels for labels, _ in rows] == [
        ("sources, one adversarial", fusion) for fusion in FUSIONS
    ]
    found = {labels[1]: dict(zip(MEASURES, values, strict=True)) for labels, values in rows}
    for n in (200, 1000):
        level, wide, narrow, joined = (found[fusion][f"width_{n}"] for fusion in FUSIONS)
        assert wide > level > narrow > joined > 0
    assert found[FUSIONS[0]]["coverage_1000"] > 0.5 > found[FUSIONS[-1]]["coverage_1000"]
    assert math.isnan(found[FUSIONS[0]]["coverage_50"])
    fewer, none = (condition.run_repeat({}, number, 0) for number in (1, 2))
    at = MEASURES.index("coverage_200"), MEASURES.index("coverage_1000")
    assert [np.isfinite(values[at[0]]) for _, values in fewer] == [True] * len(FUSIONS)
    assert all(math.isnan(values[at[1]]) for _, values in fewer)
    assert np.isnan([values for _, values in none]).all()


def test_a_source_that_lies_gets_a_negative_weight():
    scores, y, _ = drawn("one adversarial", 2000, np.random.default_rng(0))
    up = [AutoCalibrator().fit(x, y).predict_proba(x) for x in scores.T]
    p = [up[0], up[1], up[2][:, ::-1]]
    weights = fit_to_probabilities(Stacked(), p, y, [0, 1]).weights_
    assert (np.sign(weights) == [1, 1, -1]).all()


def test_probabilities_of_several_classes_are_covered():
    condition = ClassesCondition("3 classes, overconfident", "confidence", sizes=(200, 1000))
    ((labels, values),) = condition.run_repeat({}, 1, 0)
    assert labels == ("3 classes, overconfident", "AutoMulticlassCalibrator, confidence 95 %")
    found = dict(zip(MEASURES, values, strict=True))
    assert found["coverage_1000"] > 0.8
    assert 0 < found["width_1000"] < found["width_200"] < 1


def test_real_data_refute_intervals_or_do_not():
    X, y = make_classification(400, n_features=4, flip_y=0.1, random_state=0)
    data = {"heart": Dataset("heart", X, y, tuple("abcd"), ("no", "yes"))}
    found = {
        labels[1]: dict(zip(MEASURES, values, strict=True))
        for labels, values in RealCondition("heart").run_repeat(data, 0, 0)
    }
    level, bounds = found["ensemble, level 95 %"], found["ensemble, [Bel, Pl]"]
    for n in LEARNED:
        assert level[f"span_{n}"] > bounds[f"span_{n}"] > 0
        assert level[f"refuted_{n}"] in (0.0, 1.0)
    assert found["classifier, level 95 %"]["refuted_1000"] < 1
    assert math.isnan(found["classifier, level 95 %"]["refuted_60"])
    rows = RealCondition("heart").run_repeat(data, 1, 0)
    assert np.isnan([values for _, values in rows]).all()
    wrong = np.tile([0.9, 0.95], (200, 1))
    assert _judged(np.zeros(200, dtype=int), wrong) == pytest.approx(
        {"refuted": 1.0, "uneven": 1.0, "span": 0.05}
    )


def test_classes_are_drawn_with_their_probabilities():
    for name, (k, _) in CLASS_MAPS.items():
        scores, y, truth = drawn_classes(name, 20_000, np.random.default_rng(2))
        assert scores.shape == truth.shape == (20_000, k)
        assert truth.sum(axis=1) == pytest.approx(1)
        sure = truth.max(axis=1) > 0.8
        right = y[sure] == truth[sure].argmax(axis=1)
        assert right.mean() == pytest.approx(truth[sure].max(axis=1).mean(), abs=0.02)


def test_a_broken_promise_is_found_and_a_kept_one_is_not():
    sizes = (1000, 10_000)
    wrong, right = (
        PromiseCondition(name, "likelihood", sizes, draws=4).run_repeat({}, 0, 0)
        for name in ("two steps", "sigmoid")
    )
    assert [labels[0] for labels, _ in wrong] == [
        f"two steps, judged by {n:,}" for n in (200, 1000, 10_000)
    ]
    at = [MEASURES.index(f"broken_{n}") for n in sizes]
    assert [values[i] for _, values in wrong[2:] for i in at] == [1, 1]
    assert [values[i] for _, values in right for i in at] == [0] * 6


def test_the_quick_variant_runs(tmp_path):
    outcome = reproduce(STUDY, tmp_path, repeats=2, quick=True)
    models = {labels[1] for labels in outcome.rows}
    assert models == {
        "logistic, likelihood",
        "logistic, level 95 %",
        "logistic, level set 95 %",
        "isotonic, band 95 %",
        "AutoMulticlassCalibrator, confidence 95 %",
        *FUSIONS,
    }
    assert outcome.values(("sigmoid", "isotonic, band 95 %"), "whole_50").tolist() == [1, 1]
    page = study_files(outcome, "python -m examples.studies")["interval_coverage.md"]
    titles = [one.title for one in STUDY.overviews if not one.title.startswith("Real data")]
    assert all(f"## {title}" in page for title in titles)
    alone, fused = (page.split(f"## {titles[i]}")[1].split("##")[0] for i in (0, 3))
    assert "sources" not in alone
    assert "sources, independent" in fused


def of_the_page():
    """Rows of the table of the page, by map and model."""
    with (ROOT / "docs/reproductions/interval_coverage.csv").open(encoding="utf-8") as file:
        return {(row["map"], row["model"]): row for row in csv.DictReader(file)}


def percent(row, measure, sizes=SIZES):
    return [f"{100 * float(row[f'{measure}_{n}']):.0f}" for n in sizes]


def guide(name):
    return (ROOT / "docs/guide" / name).read_text(encoding="utf-8")


def test_the_tables_of_the_guide_are_those_of_the_study():
    rows, text = of_the_page(), guide("intervals.md")
    for name in (name for method in METHODS for name in method.names):
        shown = [percent(rows[map_name, name], "coverage") for map_name in ("sigmoid", "two steps")]
        assert f"| {' | '.join([name, *shown[0], *shown[1]])} |" in text
    regression, forest = (
        [100 * float(rows["P(y | x)", f"{name}, level 95 %"][f"coverage_{n}"]) for n in SIZES]
        for name in ("logistic regression", "random forest")
    )
    plain = " ".join(text.split())
    assert f"at {min(regression):.0f} to {max(regression):.0f} % of the samples" in plain
    assert f"at {forest[0]:.0f} % with 50 training samples, {forest[-1]:.0f} % with" in plain
    real = [row for (map_name, name), row in rows.items() if name == "classifier, level 95 %"]
    refuted = np.mean([float(row["refuted_1000"]) for row in real])
    assert f"in {100 * refuted:.1f} % of 240 test sets" in plain
    fused = [row for (_, name), row in rows.items() if name == "ensemble, level 95 %"]
    assert not any(float(row[f"refuted_{n}"]) for row in fused for n in LEARNED)


def test_the_guide_quotes_fusions_promises_and_several_classes():
    rows, text = of_the_page(), guide("intervals.md")
    for name in SOURCES:
        wide, *_, joined = (rows[f"sources, {name}", fusion] for fusion in FUSIONS)
        cells = percent(wide, "coverage", (*SIZES, 100_000))
        cells += percent(joined, "coverage", (50, 10_000))
        assert f"| {' | '.join([name, *cells])} |" in text
    for (map_name, model), row in rows.items():
        form, _, judged = map_name.partition(", judged by ")
        if judged:
            name = f"{form}, {model.removeprefix('logistic, ')}, {judged}"
            assert f"| {' | '.join([name, *percent(row, 'broken')])} |" in text
    for name in CLASS_MAPS:
        row = rows[name, "AutoMulticlassCalibrator, level 95 %"]
        line = f"| {' | '.join([name, *percent(row, 'coverage')])} |"
        assert line in guide("multiclass_calibrators.md")
