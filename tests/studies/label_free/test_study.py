"""Fusion without labels: the rivals by their definitions, scenarios, voters, and the tables."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_wine

from evical.fusion import Stacked
from examples.studies.label_free import study, ways
from examples.studies.label_free.dawid_skene import PATIENTS, dawid_skene, patients
from examples.studies.label_free.scenarios import SCENARIOS, sources
from tests.support.public_objects import ROOT


def test_dawid_skene_has_the_published_estimates():
    """Dawid & Skene (1979), tables 2 and 3: class probabilities, and error rates of observer 1."""
    found = dawid_skene(patients())
    np.testing.assert_allclose(found.prevalence, [0.40, 0.42, 0.11, 0.07], atol=0.005)
    first = [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
    np.testing.assert_allclose(found.confusion[0], first, atol=0.005)
    assert found.posterior.shape == (45, 4)


@pytest.mark.parametrize("one_coin", [False, True])
def test_dawid_skene_is_bayes_rule_under_its_own_estimates(one_coin):
    counts = patients()
    found = dawid_skene(counts, one_coin)
    for i in (0, 2, 35, 44):
        joint = found.prevalence.copy()
        for s, k in np.ndindex(5, 4):
            joint *= np.maximum(found.confusion[s, :, k], 1e-10) ** counts[s, i, k]
        np.testing.assert_allclose(found.posterior[i], joint / joint.sum(), atol=1e-6)
    if one_coin:
        right = found.confusion[:, np.arange(4), np.arange(4)]
        np.testing.assert_allclose(right, right[:, :1] * np.ones(4))


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("scenario", ["copies", "votes", "disjoint", "swapped"])
def test_scenarios_give_probabilities_of_new_samples(scenario):
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    p = sources(scenario, False, X[:90], y[:90], X[90:], np.random.default_rng(0))
    assert p.shape[1:] == (88, 3)
    assert len(p) == {"copies": 10, "votes": 8, "swapped": 7}.get(scenario, len(p))
    np.testing.assert_allclose(p.sum(axis=2), 1, atol=1e-9)
    right = (p.argmax(axis=2) == y[90:]).mean(axis=1)
    if scenario == "votes":
        assert set(np.unique(p)) == {0.0, 1.0}
    if scenario == "swapped":
        assert right[-1] < 0.2 < right[:-1].min()
    assert set(SCENARIOS) >= {scenario}


def test_the_posterior_of_voters_is_bayes_rule():
    p = np.array([[[1.0, 0, 0]], [[0, 1.0, 0]], [[np.nan] * 3]])
    right = np.array([0.9, 0.6, 0.5])
    expected = np.array([0.9 * 0.2, 0.05 * 0.6, 0.05 * 0.2])
    np.testing.assert_allclose(study._posterior(p, right)[0], expected / expected.sum())


def test_a_repeat_of_voters_and_its_tables():
    crowd = study.Crowd(600, 6, 2, 1, 0.2, 0.6, 0.9)
    records = crowd.run_repeat({}, 0, 0)
    assert [labels[-1] for labels, _ in records][:2] == [ways.MEAN, ways.DEFAULT]
    assert repr(records) == repr(crowd.run_repeat({}, 0, 0))  # NaN differs from itself
    losses = {labels[-1]: values[0] for labels, values in records}
    assert losses["Consensus(dependence=0)"] < losses["smoothed votes"]


def test_labels_of_some_rows_are_of_the_first():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    p = rng.dirichlet([1, 1], size=(3, 80)) * np.exp(np.equal.outer(y, [0, 1]))
    p /= p.sum(axis=2, keepdims=True)
    found = ways.labeled(p[:, :50], y[:50], p[:, 50:], 20)
    expected = Stacked().fit(ways.beliefs(p[:, :20]), y[:20]).combine(ways.beliefs(p[:, 50:]))
    np.testing.assert_allclose(found[ways.STACKED], expected.betp(), atol=1e-12)
    np.testing.assert_allclose(found[ways.NO_LABELS], ways.consensus(p[:, :50], p[:, 50:]))
    gap = np.abs(found[ways.MIXTURE] - found[ways.NO_LABELS]).max()
    assert gap > 0.001
    assert ways.labeled(p, np.zeros(80, dtype=int), p, 20) == {}


def test_crowd_kit_has_the_same_estimates():
    pytest.importorskip("crowdkit")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    votes = np.where(rng.random((6, 300)) < 0.8, truth, 1 - truth)
    p = np.eye(2)[votes]
    own = ways.WAYS["Dawid-Skene"](p[:, :0], p)
    np.testing.assert_allclose(ways.crowd_kit(p), own, atol=0.02)


def test_ways_agree_with_their_definitions():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=(4, 30))
    np.testing.assert_allclose(ways.WAYS["mean"](p, p), p.mean(axis=0))
    product = p.prod(axis=0)
    expected = product / product.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ways.WAYS["Dempster's rule"](p, p), expected, atol=1e-9)
    for name, way in ways.WAYS.items():
        q = way(p[:, :20], p[:, 20:])
        assert q.shape == (10, 3), name
        np.testing.assert_allclose(q.sum(axis=1), 1, atol=1e-9)


def test_the_story_of_the_patients_has_the_same_table():
    story = (ROOT / "examples" / "several" / "plot_patients.py").read_text(encoding="utf-8")
    table = story.partition("PATIENTS = (")[2].partition(")")[0]
    assert " ".join(re.findall(r"[1-4]{7}", table)) == PATIENTS
