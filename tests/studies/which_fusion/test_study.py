"""Every fusion on the same classifiers: what is combined, and that repeats can be made again."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

from dstheory import Frame, MassFunction
from dstheory.combine import dempster, mixing
from evical.calibrators import LogisticCalibrator
from evical.datasets import Dataset, load
from evical.demo.contest import draw_halves, draw_training, share_sizes
from evical.fusion import as_rule
from examples.studies import repeat_rng, reproduce, study_files
from examples.studies.parts.fusion_condition import SCENARIOS, FeatureCondition, FusionCondition
from examples.studies.parts.metrics import METRICS, Fused
from examples.studies.which_fusion.study import (
    ALL_FEATURES,
    FUSED,
    MEASURES,
    REFERENCES,
    WHICH_FUSION,
)
from tests.support.data_folder import DATA, needs_data

_SHARED = next(one for one in WHICH_FUSION.conditions if one.key == "sonar-b-linear-logistic")
CONDITION = replace(_SHARED, key="toy", datasets=("toy",), stream="toy", n_train=120)


@pytest.fixture(scope="module")
def toy() -> dict[str, Dataset]:
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 130)
    X = rng.normal(size=(260, 3)) + y[:, np.newaxis]
    return {"toy": Dataset("toy", X, y, ("a", "b", "c"), ("0", "1"))}


@pytest.fixture(scope="module")
def rows(toy):
    return {labels[-1]: values for labels, values in CONDITION.run_repeat(toy, 2, 0)}


def test_a_repeat_has_a_row_for_each_fusion(rows):
    assert list(rows) == list(FUSED)
    assert set(REFERENCES) <= set(FUSED)
    for values in rows.values():
        measured = dict(zip(MEASURES, values, strict=True))
        assert np.isfinite(values).all()
        assert 0 <= measured["covered"] <= 1
        assert measured["refuted"] in (0, 1)
        assert measured["total_conflict"] == 0


def test_repeats_depend_on_their_number_and_on_nothing_before(toy, rows):
    other = {labels[-1]: values for labels, values in CONDITION.run_repeat(toy, 1, 0)}
    again = {labels[-1]: values for labels, values in CONDITION.run_repeat(toy, 2, 0)}
    assert again == rows
    assert other != rows


def test_fixed_fusions_are_those_of_sources_that_learn_nothing(toy, rows):
    # Drawn by the name of the data alone, so that all conditions of it see the same samples.
    rng = repeat_rng("toy", 2, 0)
    X, y = toy["toy"].X, toy["toy"].y
    sizes = share_sizes(120, SCENARIOS["b"])
    train, rest = draw_training(y, 120, 20, rng)
    halves = draw_halves(y[train], sizes, rng)
    mean, scale = X[train].mean(axis=0), X[train].std(axis=0)
    known, new = (X[train] - mean) / scale, (X[rest] - mean) / scale
    beliefs = {"bayesian": [], "likelihood": []}
    for first, second in halves:
        svm = SVC(kernel="linear").fit(known[first], y[train][first])
        scores = svm.decision_function(known[second])
        for model, found in beliefs.items():
            calibrator = LogisticCalibrator(model=model).fit(scores, y[train][second])
            found.append(calibrator.predict_mass(svm.decision_function(new)))
    weights = np.array(sizes) / sum(sizes)
    for name, m in {
        "Bayesian, Dempster": dempster(*beliefs["bayesian"]),
        "likelihood, Dempster": dempster(*beliefs["likelihood"]),
        "size-weighted mean of probabilities": mixing(*beliefs["bayesian"], weights=weights),
        "size-weighted mean of masses": mixing(*beliefs["likelihood"], weights=weights),
        "largest alone": beliefs["bayesian"][int(np.argmax(sizes))],
    }.items():
        fused = Fused(y[rest], m.bel(1), m.pl(1), np.zeros(len(rest), dtype=bool))
        expected = [metric(fused) for metric in METRICS.values()]
        np.testing.assert_allclose(rows[name][: len(METRICS)], expected, atol=1e-9)


def source(*beliefs: tuple[float, float]) -> MassFunction:
    """Masses of 1, of 0, and of both."""
    return MassFunction(Frame([0, 1]), [1, 2, 3], [(b, a, 1 - a - b) for a, b in beliefs])


def test_a_learned_fusion_learns_from_what_was_known():
    # The first source is always right about the samples that were held out, the second never.
    y = np.tile([0, 1], 30)
    right = source(*((0.8, 0.1) if label else (0.1, 0.8) for label in y))
    wrong = source(*((0.1, 0.8) if label else (0.8, 0.1) for label in y))
    new = [source((0.8, 0.1)), source((0.1, 0.8))]
    for name in ("likelihood_mixture", "discounted", "contextually_discounted", "stacked"):
        fused = as_rule(name).fit([right, wrong], y, [30, 30])(*new)
        mirrored = as_rule(name).fit([wrong, right], y, [30, 30])(*new)
        assert fused.bel(1)[0] > 0.6, name
        assert mirrored.bel(1)[0] < 0.4, name


def test_parts_have_the_sizes_that_the_page_names():
    shared = [one for one in WHICH_FUSION.conditions if isinstance(one, FusionCondition)]
    assert len(shared) == 9 * 2 * 3 * 3
    for condition in shared:
        assert condition.n_train == sum(condition.sizes)


def test_members_with_different_features_see_the_samples_of_the_others():
    by_features = [one for one in WHICH_FUSION.conditions if isinstance(one, FeatureCondition)]
    assert len(by_features) == 9 * 2 * 2
    shared = {one.stream: one for one in WHICH_FUSION.conditions if one not in by_features}
    for condition in by_features:
        other = shared[condition.stream]
        assert (condition.datasets, condition.n_train) == (other.datasets, other.n_train)
        assert {labels[3] for labels, _ in condition.methods} == {"automatic"}
        names = [labels[4] for labels, _ in condition.methods]
        assert [*names, condition.whole[4]] == [*FUSED, ALL_FEATURES]


@needs_data
def test_training_samples_are_at_most_half_of_the_data():
    for name, n_train in {
        p.datasets[0]: p.n_train for p in WHICH_FUSION.conditions if len(p.datasets) == 1
    }.items():
        n = len(load(name, DATA))
        assert n_train == min(300, n // 2), name


@needs_data
def test_the_quick_variant_runs_and_has_a_page(tmp_path):
    outcome = reproduce(WHICH_FUSION, tmp_path, repeats=2, quick=True, data=DATA)
    assert len(outcome.rows) == 4 * len(FUSED) + 1
    error = MEASURES.index("error_rate")
    for labels, values in outcome.rows.items():
        measured = values[~np.isnan(values[:, error]), error]
        assert ((measured > 0) & (measured < 0.7)).all()
        assert len(measured) == (1 if labels[3] == "automatic" else 2)
    page = study_files(outcome, "python -m examples.studies which_fusion")["which_fusion.md"]
    for name in FUSED:
        # An overview and three contests, of each calibrator.
        assert page.count(f"\n| {name} |") == 4 * 4
    assert page.count(f"\n| {ALL_FEATURES} |") == 4
