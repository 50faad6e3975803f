"""Consensus of simulated juries: copies, contradiction, later votes and judges, labels beside."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from evical import EvidentialFusion
from evical.beliefs import as_beliefs
from evical.errors import WrongWayWarning
from evical.fusion import Consensus, Stacked
from evical.fusion._agreement import KeptRows


def voters(rng, truth, accuracies):
    """Votes (S, n) of independent voters for one of four classes."""
    n = len(truth)
    wrong = (truth + rng.integers(1, 4, (len(accuracies), n))) % 4
    return np.where(rng.random((len(accuracies), n)) < np.array(accuracies)[:, None], truth, wrong)


def as_votes(votes, k=4):
    return [as_beliefs(one, np.arange(k)) for one in np.eye(k)[votes]]


def log_loss(p, truth):
    return -np.log(np.maximum(p[np.arange(len(truth)), truth], 1e-4)).mean()


def test_a_copy_is_no_evidence_of_reliability():
    """However exact the copy is, and the weight of both falls without a step."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 1000)
    votes = voters(rng, truth, [0.85, 0.75, 0.7, 0.65, 0.8, 0.55])
    y = np.eye(4)[truth] - np.eye(4)[truth].mean(axis=0)
    alone = Consensus(dependence=0).fit(as_votes(votes))
    shares, free = [], rng.random(1000)
    for exact in np.arange(0.8, 1.001, 0.025):
        copy = np.where(free < exact, votes[3], rng.integers(0, 4, 1000))
        both = as_votes(np.vstack([votes, copy]))
        rule = Consensus(dependence=0).fit(both)
        np.testing.assert_allclose(rule.reliability_[:6], alone.reliability_, atol=0.05)
        shares.append(rule.weights_[3] + rule.weights_[6])
        low, high = rule.reliability_interval_.T
        p = np.stack([one.probability() for one in both])
        p -= p.mean(axis=1, keepdims=True)
        true = (p * y).sum(axis=(1, 2)) / np.sqrt((p**2).sum(axis=(1, 2)) * (y**2).sum())
        assert ((low <= true) & (true <= high)).all()
        fused = rule.combine(both).probability().argmax(axis=1)
        assert np.mean(fused == truth) > 0.93
    assert np.abs(np.diff(shares)).max() < 0.1
    assert shares[-1] < alone.weights_[3] + 0.01
    assert rule.groups_.tolist() == [0, 1, 2, 3, 4, 5, 3]


def test_few_common_samples_show_no_copies():
    """Of a crowd in which two voters vote on few samples both, however many each has."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 600)
    votes = voters(rng, truth, np.repeat([0.85, 0.3], [27, 3]))
    share = rng.choice([0.02, 0.3], (30, 1))
    p = np.eye(4)[votes]
    p[rng.random((30, 600)) > share] = np.nan
    rule = Consensus().fit([as_beliefs(one, np.arange(4)) for one in p])
    assert len(set(rule.groups_)) == 30
    assert rule.weights_[:27].mean() > 3 * rule.weights_[27:].mean()
    rows = KeptRows(np.arange(600), np.nan_to_num(p, nan=0.25), np.isnan(p[..., 0]), truth + 1.0, 0)
    twice = np.repeat(np.arange(600), truth + 1)
    repeated = replace(
        rows,
        probabilities=rows.probabilities[:, twice],
        silent=rows.silent[:, twice],
        weight=np.ones(len(twice)),
    )
    np.testing.assert_allclose(rows.apart, repeated.apart)


def test_voters_who_are_nearly_always_right_are_not_copies_beside_a_camp_that_errs_together():
    """Which of two camps is right does not show, so the consensus leaves it open as votes do."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, 400)
        right = truth ^ (rng.random((4, 400)) > np.array([0.995, 0.99, 0.985, 0.95])[:, None])
        shared = truth ^ (rng.random(400) < 0.22)
        camp = np.where(rng.random((4, 400)) < 0.95, shared, rng.integers(0, 2, (4, 400)))
        votes = as_votes(np.vstack([right, camp]), 2)
        rule = Consensus().fit(votes)
        assert rule.weights_[:4].sum() == pytest.approx(0.5, abs=0.03)
        share = np.mean([one.betp() for one in votes], axis=0)
        assert log_loss(rule.combine(votes).betp(), truth) < 1.3 * log_loss(share, truth)


def test_a_majority_of_copies_is_outvoted():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 4, 300)
        votes = voters(rng, truth, [0.8, 0.8, 0.75, 0.7, 0.7, 0.5])
        copies = np.where(rng.random((5, 300)) < 0.95, votes[5], rng.integers(0, 4, (5, 300)))
        both = as_votes(np.vstack([votes, copies]))
        rule = Consensus().fit(both)
        counts = np.sum([one.betp() for one in both], axis=0)
        assert np.mean(counts.argmax(axis=1) == truth) < 0.6
        assert np.mean(rule.combine(both).betp().argmax(axis=1) == truth) > 0.8
        assert rule.weights_[5:].sum() < 0.42
        assert rule.reliability_[5:].max() < rule.reliability_[:5].min()


def test_no_source_counts_for_more_than_by_dempsters_rule():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, 200)
    for _ in range(5):
        votes = as_votes(voters(rng, truth, [0.95, 0.9, 0.9, 0.85]))
        rule = Consensus(dependence=0).fit(votes)
        assert rule.sharpness_ * rule.weights_.max() <= 1 + 1e-12


def test_a_source_that_agrees_less_than_by_chance_is_named():
    rng = np.random.default_rng(3)
    truth = rng.random(300) < 0.5
    votes = truth ^ (rng.random((5, 300)) > np.array([0.85, 0.8, 0.8, 0.75, 0.0])[:, None])
    votes[4] = truth ^ (rng.permutation(300) >= 0.385 * 300)
    names = {name: one.astype(str) for name, one in zip("abcde", votes, strict=True)}
    with pytest.warns(WrongWayWarning, match=r"'e' agrees .* less than by chance: .*, with a 95 %"):
        fusion = EvidentialFusion().fit(names)
    assert not fusion.fusion_.contradicts_.any()
    assert fusion.fusion_.agreement_interval_[4, 1] < 0


def test_a_fusion_goes_on_with_new_votes_and_judges():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 300)
    votes = voters(rng, truth, [0.9, 0.8, 0.7, 0.6]).astype(str).astype(object)
    votes[1, 100:200] = None
    votes[3, :200] = None
    named = dict(zip("abcd", votes, strict=True))
    whole, parts = EvidentialFusion().fit(named), EvidentialFusion(classes=list("0123"))
    for rows, names in ((slice(100), "abc"), (slice(100, 200), "ac"), (slice(200, None), "dcab")):
        parts.partial_fit({name: named[name][rows] for name in names})
    assert parts.source_names_ == list("abcd")
    np.testing.assert_allclose(parts.predict_proba(named), whole.predict_proba(named), atol=1e-9)
    silent = {**named, "b": np.full(300, None)}
    some = {name: named[name] for name in "dac"}
    np.testing.assert_array_equal(parts.predict_proba(some), parts.predict_proba(silent))
    with pytest.raises(ValueError, match=r"'a' votes for 'x' in row 0"):
        parts.partial_fit({"a": ["x"], "new": ["1"]})
    assert parts.source_names_ == list("abcd")
    p = np.tile([[0.3, 0.7], [0.8, 0.2]], (50, 1))
    labeled = EvidentialFusion("consensus").fit([p, p], [1, 0] * 50)
    with pytest.raises(ValueError, match=r"source 'new' has scores, .*; calibrate it first"):
        labeled.partial_fit({"source0": p, "new": p[:, 1]})
    with pytest.raises(ValueError, match=r"Mixture.* learns from all samples at once; call fit"):
        EvidentialFusion("size_mixture").fit(named).partial_fit(named)


def test_the_share_of_labels_has_the_least_loss_on_samples_left_out():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 60)
    said = np.exp(rng.normal(size=(3, 60, 4)) + 1.2 * np.eye(4)[truth])
    said /= said.sum(axis=2, keepdims=True)
    sources = [as_beliefs(one, np.arange(4)) for one in said]
    first, codes = [one[:20] for one in sources], truth[:20]
    rule = Consensus().fit(sources, np.where(np.arange(60) < 20, truth, np.nan))
    left_out = np.empty((20, 4))
    folds = StratifiedKFold(np.bincount(codes).min(), shuffle=True, random_state=0)
    for seen, new in folds.split(codes, codes):
        stacked = Stacked().fit([one[seen] for one in first], codes[seen])
        left_out[new] = stacked.combine([one[new] for one in first]).betp()
    own = Consensus().fit(sources).combine(first).betp()
    shares = np.linspace(0, 1, 1001)
    pool = own ** (1 - shares[:, None, None]) * left_out ** shares[:, None, None]
    pool /= pool.sum(axis=2, keepdims=True)
    loss = -np.log(pool[:, np.arange(20), codes]).sum(axis=1) + 5 * (shares - 20 / 28) ** 2
    assert abs(rule.label_share_ - shares[loss.argmin()]) < 1e-3
    assert 0.01 < abs(rule.label_share_ - 20 / 28) < 0.7


def test_labels_beside_votes():
    votes = {"a": ["cat", "dog", "cat", "fish"] * 9, "b": ["cat", "dog", "dog", "fish"] * 9}
    some = np.full(36, None)
    some[:9] = ["cat", "dog", "cat", None, "cat", "dog", "catt", None, "cat"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fusion = EvidentialFusion().fit(votes, some)
    assert fusion.classes_.tolist() == ["cat", "catt", "dog", "fish"]
    texts = [str(one.message) for one in caught]
    assert any(
        "'catt' in row 6, for which no source votes; did you mean 'cat'?" in t for t in texts
    )
    assert any("but class 'catt' has 1, class 'fish' has 0" in text for text in texts)
    assert all(one.filename == __file__ for one in caught)


@pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")
def test_two_of_three_who_are_nearly_always_right_are_no_copies():
    draws, truth = np.random.default_rng(0).random((3, 2000)), np.arange(2000) % 2
    for weak in (0.15, 0.5, 0.7):
        votes = (draws < np.array([[0.98], [0.98], [weak]])) == truth
        rule = Consensus().fit(as_votes(votes * 1, 2))
        assert rule.weights_[2] < 0.2 < 0.4 < rule.weights_[:2].min()
