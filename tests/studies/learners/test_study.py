"""The study of learners: its measures by their definitions, its samples, its page."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.neighbors import NearestNeighbors

from evical import EvidentialClassifier
from evical.datasets import Dataset, load
from evical.learners import latent_evidence
from examples.studies import STUDIES, reproduce
from examples.studies._reproduce import Outcome
from examples.studies.learners.measures import MEASURES, Told, best_sets, judged, told_apart
from examples.studies.learners.methods import (
    ALONE,
    CHANGES,
    DISTANCE,
    ENSEMBLES,
    METHODS,
    REFERENCE,
    method,
)
from examples.studies.learners.study import Cell, Split

STUDY = STUDIES["learners"]


@pytest.fixture(scope="module")
def wine() -> Dataset:
    return load("wine")


def found(records):
    ((_, values),) = records
    return dict(zip(MEASURES, values, strict=True))


# ---- measures


@pytest.mark.parametrize(("aversion", "of_two"), [(0.6, 0.65), (1.2, 0.8)])
def test_best_sets_are_those_of_all(aversion, of_two):
    """u65 is worth 0.65 for a correct set of two classes, u80 0.8 (Zaffalon et al. 2012)."""
    x = 1 / 2
    assert x + aversion * x * (1 - x) == pytest.approx(of_two)
    p = np.random.default_rng(0).dirichlet(np.ones(4) / 2, 30)
    for row, kept in zip(p, best_sets(p, aversion), strict=True):
        worth = {}
        for size in range(1, 5):
            for chosen in combinations(range(4), size):
                x = 1 / size
                worth[chosen] = row[list(chosen)].sum() * (x + aversion * x * (1 - x))
        assert tuple(np.flatnonzero(kept)) == max(worth, key=worth.get)


def test_what_is_judged():
    p = np.array([[0.6, 0.4], [0.6, 0.4], [0.2, 0.8], [0.2, 0.8]])
    bel = np.array([[0.5, 0.3], [0.5, 0.3], [0.1, 0.7], [0.1, 0.7]])
    sets = np.array([[True, True], [True, False], [False, True], [False, True]])
    got = judged(Told(p, bel, bel + 0.2, np.full(4, 0.2), sets), np.array([1, 0, 1, 1]))
    assert got["error"] == 0.25
    assert got["brier"] == pytest.approx((0.36 + 0.16 + 0.04 + 0.04) / 4)
    assert got["log_loss"] == pytest.approx(-np.log([0.4, 0.6, 0.8, 0.8]).mean())
    assert got["u65"] == pytest.approx((0.65 + 3) / 4)
    assert got["u80"] == pytest.approx((0.8 + 3) / 4)
    assert got["size"] == 1.25
    # Sets of p: both classes at 0.6, where 0.65 is more, and one at 0.8.
    assert got["u65_of_p"] == pytest.approx((0.65 * 2 + 2) / 4)
    assert got["width"] == pytest.approx(0.2)
    # Half of the first two are of class 1, within 0.3 to 0.5; all others, above 0.7 to 0.9.
    assert got["covered"] == 0.5
    assert got["broken"] == 0


def test_outliers_are_told_apart_by_pairs():
    rng = np.random.default_rng(1)
    usual, strange = rng.integers(5, size=20) / 5, rng.integers(2, 6, size=30) / 5
    gaps = strange[:, np.newaxis] - usual
    expected = np.mean((gaps > 0) + 0.5 * (gaps == 0))
    got = told_apart("far", {"p": usual}, {"p": strange})
    assert got == {"far_p": pytest.approx(expected)}


def test_what_a_classifier_says(wine):
    X, y = wine.X[:130], wine.y[:130]  # two classes
    model = LogisticRegression(max_iter=5000).fit(X[::2], y[::2])
    told = Told.by(model, X[1::2])
    np.testing.assert_array_equal(told.bel, told.pl)
    assert told.sets.sum(axis=1).tolist() == [1] * 65
    assert not told.frame.any()
    latent = EvidentialClassifier(model, calibrator="latent").fit(X[::2], y[::2])
    told, m = Told.by(latent, X[1::2]), latent_evidence(model, X[1::2], reference=X[::2]).mass()
    for k in (0, 1):
        np.testing.assert_allclose(told.bel[:, k], m.bel(k), atol=1e-9)
        np.testing.assert_allclose(told.pl[:, k], m.pl(k), atol=1e-9)
    np.testing.assert_allclose(told.frame, m.mass((0, 1)), atol=1e-9)
    doubts = told.doubts()
    np.testing.assert_allclose(doubts["width"], doubts["frame"], atol=1e-9)
    np.testing.assert_allclose(doubts["bel"], 1 - told.bel.max(axis=1))


# ---- samples


def test_a_split_has_standardized_halves_and_outliers(wine):
    split = Split.of(wine, 4, 0)
    np.testing.assert_allclose(split.X.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(split.X.std(axis=0), 1)
    assert len(split.X) == len(split.new) == 89
    np.testing.assert_array_equal(np.sort(split.new, axis=0), np.sort(split.shuffled, axis=0))
    assert (split.new != split.shuffled).any(axis=1).all()
    assert split.far.std() == pytest.approx(3, rel=0.1)
    assert split.left_out == 4 % 3
    X, y, usual, unseen = split.without()
    assert set(y) == {0, 1}
    assert len(X) == (split.y != 1).sum()
    assert len(usual) + len(unseen) == 89
    np.testing.assert_array_equal(unseen, split.new[split.truth == 1])
    np.testing.assert_array_equal(Split.of(wine, 4, 0).far, split.far)
    assert (Split.of(wine, 5, 0).left_out, Split.of(wine, 6, 0).left_out) == (2, 0)


def test_rare_classes_are_left_out_and_large_sets_cut():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [1500, 1500, 9])
    large = Dataset("large", rng.normal(size=(3009, 2)), y, ("a", "b"), ("p", "q", "r"))
    split = Split.of(large, 0, 0)
    assert np.bincount(split.y).tolist() == [300, 300]
    assert np.bincount(split.truth).tolist() == [500, 500]


# ---- repeats


def test_a_repeat_has_the_numbers_of_scikit_learn(wine):
    split = Split.of(wine, 0, 0)
    got = found(Cell("wine", "logistic").run_repeat({"wine": wine}, 0, 0))
    model = LogisticRegression(max_iter=1000).fit(split.X, split.y)
    p = model.predict_proba(split.new)
    assert got["error"] == pytest.approx(1 - model.score(split.new, split.truth))
    assert got["log_loss"] == pytest.approx(log_loss(split.truth, p))
    assert got["brier"] == pytest.approx(((p - np.eye(3)[split.truth]) ** 2).sum(axis=1).mean())
    assert got["u65"] == got["u80"] == pytest.approx(1 - got["error"])
    assert (got["width"], got["size"], got["far_frame"]) == (0, 1, 0.5)
    X, y, usual, unseen = split.without()
    model = LogisticRegression(max_iter=1000).fit(X, y)
    top = [model.predict_proba(new).max(axis=1)[:, np.newaxis] for new in (usual, unseen)]
    gaps = top[0].T - top[1]
    assert got["unseen_p"] == pytest.approx(np.mean((gaps > 0) + 0.5 * (gaps == 0)))


def test_distances_are_no_predictions(wine):
    got = found(Cell("wine", DISTANCE).run_repeat({"wine": wine}, 1, 0))
    known = {name for name, value in got.items() if not np.isnan(value)}
    assert known == {"unseen_p", "shuffled_p", "far_p"}
    split = Split.of(wine, 1, 0)
    near = NearestNeighbors(n_neighbors=5).fit(split.X)
    usual, far = (near.kneighbors(x)[0].mean(axis=1) for x in (split.new, split.far))
    assert got["far_p"] == pytest.approx(np.mean(far[:, np.newaxis] > usual))


def test_an_ensemble_is_not_asked_about_outliers(wine):
    name = next(iter(ENSEMBLES))
    got = found(Cell("wine", name).run_repeat({"wine": wine}, 0, 0))
    assert got["error"] < 0.15
    assert np.isnan(got["far_p"])


def test_the_quick_variant_runs(tmp_path):
    outcome = reproduce(STUDY, tmp_path, repeats=1, quick=True, data={"iris": load("iris")})
    page = STUDY.extra(outcome)
    assert len(outcome.rows) == len(STUDY.quick)
    assert "## Probabilities, 1 data set\n" in page
    assert "| evidential neighbors |" in page
    assert "## Members of ensembles" not in page


def test_methods_are_those_that_are_compared():
    assert {name for pair in CHANGES for name in pair} <= set(ALONE)
    assert REFERENCE in ALONE
    assert set(METHODS) == {*ALONE, DISTANCE, *ENSEMBLES}
    assert len({cell.key for cell in STUDY.conditions}) == len(METHODS) * 12
    assert method("logistic") is not ALONE["logistic"]


def test_the_page_has_means_and_paired_differences():
    names = ["logistic", REFERENCE, "logistic, latent", *ENSEMBLES]
    rows = {}
    for data, shift in (("one", 0.0), ("two", 0.1)):
        for i, name in enumerate(names):
            values = np.full((3, len(MEASURES)), np.nan)
            values[:, :3] = (0.2 + shift, 0.3, 0.4 + shift * i)
            rows[data, name] = values
    page = STUDY.extra(Outcome(STUDY, (), 3, 0, rows))
    # Log losses 0.4 and 0.4, beside 0.4 and 0.5: the difference 0 and -0.1.
    assert (
        "| logistic | 25.00 (0.00 ± 0.00) | 0.3000 (0.0000 ± 0.0000) | 0.400 (−0.050 ± 0.050) |"
        in page
    )
    assert f"| {REFERENCE} | 25.00 | 0.3000 | 0.450 |" in page
    assert "| 0.0000 ± 0.0000 (0) | +0.050 ± 0.050 (1) |" in page  # latent minus calibrated
    assert "| logistic | – | – | – | – |" in page
    assert "## Members of ensembles" in page


def test_equal_means_are_no_difference():
    """Up to rounding: the mean of the same errors in another order."""
    names = {"logistic": [0.1, 0.2, 0.3], REFERENCE: [0.3, 0.2, 0.1]}
    assert np.mean(names["logistic"]) > np.mean(names[REFERENCE])
    rows = {("one", name): np.full((3, len(MEASURES)), np.nan) for name in names}
    for name, errors in names.items():
        rows["one", name][:, 0] = errors
    page = STUDY.extra(Outcome(STUDY, (), 3, 0, rows))
    assert f"| logistic | {REFERENCE} | +0.00 ± – (0) |" in page
