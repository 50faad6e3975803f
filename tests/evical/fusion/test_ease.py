"""How the ease of items varies, as votes show it, and what `Consensus` makes of it."""

import json
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from evical import EvidentialFusion
from evical.beliefs import as_beliefs
from evical.fusion import Consensus, Rule
from evical.fusion._ease import SPREADS, _Listed, dependence_of, log_likelihoods
from tests.naive import consensus as naive


def jury(rng, n, skills, n_classes, spread=0.0, silent=0.0):
    """Votes (S, n), -1 for none, of voters who are right by a logistic model; and the truth."""
    truth = rng.integers(0, n_classes, n)
    log_odds = np.array(skills)[:, np.newaxis] + spread * rng.normal(size=n)
    right = rng.random(log_odds.shape) < 1 / (1 + np.exp(-log_odds))
    others = (truth + rng.integers(1, n_classes, right.shape)) % n_classes
    votes = np.where(right, truth, others)
    votes[rng.random(votes.shape) < silent] = -1
    return votes, truth


def tables(votes, n_classes):
    """What the module reads: tables of 0 and 1, silence, weights and prevalences."""
    table = np.where(votes[..., np.newaxis] == np.arange(n_classes), 1.0, 0.0)
    table[votes < 0] = 1 / n_classes
    weight, prevalence = np.ones(votes.shape[1]), np.full(n_classes, 1 / n_classes)
    return table, votes < 0, np.ones(len(votes)), weight, prevalence


def beliefs(votes):
    """The same of two classes, as rules read it."""
    p = np.where(votes[..., np.newaxis] < 0, np.nan, tables(votes, 2)[0])
    return [as_beliefs(one, np.arange(2)) for one in p]


def named(votes, n_classes=2):
    """A source for each voter, with None for no vote."""
    labels = np.append(np.arange(n_classes), None)
    return {f"v{at}": labels[one] for at, one in enumerate(votes)}


@pytest.mark.parametrize(("spread", "close"), [(0.0, 1e-12), (0.6, 1e-6), (1.0, 1e-3)])
def test_the_likelihood_is_its_definition(spread, close):
    rng = np.random.default_rng(0)
    votes, _ = jury(rng, 30, (0.5, 1.0, -0.5, 2.0), 3, silent=0.3)
    prevalence, skills = np.array([0.5, 0.3, 0.2]), np.array([0.4, 1.2, -0.3, 2.5])
    listed = _Listed.of(*tables(votes, 3)[:4], prevalence)
    ease, share = np.polynomial.hermite_e.hermegauss(9)
    found, asked, right = listed.expected(
        skills[:, np.newaxis] + spread * ease, share / share.sum()
    )
    expected = naive.log_likelihood_of_votes(votes.T.tolist(), skills, spread, prevalence.tolist())
    assert found == pytest.approx(expected, rel=close)
    np.testing.assert_allclose(asked.sum(axis=1), (votes >= 0).sum(axis=1))
    assert (right <= asked + 1e-12).all()


def test_skills_are_at_their_best():
    votes, _ = jury(np.random.default_rng(1), 25, (0.5, 1.0, 1.5), 2)
    found = log_likelihoods(*tables(votes, 2))
    listed = votes.T.tolist()

    def lack(skills, spread):
        prior = ((skills - 1) ** 2).sum() / 8
        return prior - naive.log_likelihood_of_votes(listed, skills, spread, [0.5, 0.5], 30)

    for place in (0, 3):
        best = minimize(lack, np.ones(3), args=(SPREADS[place],), method="Nelder-Mead")
        assert -best.fun - 0.1 < found[place] < -best.fun + 1e-3


@pytest.mark.parametrize("n_classes", [2, 3])
def test_independent_voters_are_found_to_be(n_classes):
    """With spammers and silence; then the consensus is level with Bayes' rule for known skills."""
    rng = np.random.default_rng(n_classes)
    least = -np.log(n_classes - 1)
    skills = np.append(rng.uniform(0.2, 2.9, 7), [least] * 3)
    votes, truth = jury(rng, 1000, skills, n_classes, silent=0.3)
    fusion = EvidentialFusion(Consensus(model="confidence")).fit(named(votes, n_classes))
    assert fusion.fusion_.dependence_ < 0.1
    gain = skills + np.log(n_classes - 1)
    logs = (gain[:, np.newaxis, np.newaxis] * (tables(votes, n_classes)[0] == 1)).sum(axis=0)
    bayes = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    rows = np.arange(1000)
    losses = [
        -np.log(p[rows, truth]).mean()
        for p in (fusion.predict_proba(named(votes, n_classes)), bayes)
    ]
    assert losses[0] < 1.1 * losses[1]
    interval = fusion.predict_interval(named(votes, n_classes))
    lower, upper = np.moveaxis(interval if n_classes > 2 else interval[:, np.newaxis], 2, 0)
    held = bayes if n_classes > 2 else bayes[:, 1:]
    assert np.mean((lower <= held) & (held <= upper)) > 0.95


def test_voters_who_find_the_same_items_hard_are_dependent():
    found = []
    for spread in (0.0, 0.6, 1.0, 2.0):
        votes, _ = jury(np.random.default_rng(0), 500, np.full(8, 1.5), 2, spread)
        found.append(Consensus().fit(beliefs(votes)).dependence_)
    assert all(one < other for one, other in pairwise(found))
    assert found[-1] > 0.6


def test_few_votes_show_little():
    votes, _ = jury(np.random.default_rng(0), 30, np.full(5, 1.0), 2)
    for number in (2, 3, 5):
        assert 0.2 < dependence_of(log_likelihoods(*tables(votes[:number], 2)))[0] < 0.7


def test_intervals_widen_where_the_dependence_is_not_known():
    votes, _ = jury(np.random.default_rng(0), 60, np.full(8, 1.0), 2)
    learned = Consensus().fit(beliefs(votes))
    given = Consensus(dependence=learned.dependence_).fit(beliefs(votes))
    known = Rule.from_dict(json.loads(json.dumps(given.to_dict())))
    found = [rule.combine(beliefs(votes)) for rule in (learned, given, known)]
    assert found[0].betp() == pytest.approx(found[1].betp(), abs=1e-12)
    widths = [np.diff(one.interval(), axis=2).mean() for one in found]
    assert widths[0] > 1.03 * widths[1]
    assert widths[2] == pytest.approx(widths[1], abs=1e-12)


def test_order_and_repetition_do_not_matter():
    rng = np.random.default_rng(3)
    votes, _ = jury(rng, 200, (0.5, 1.0, 1.5, 2.0), 3, 0.5, silent=0.3)
    p, silent, share, weight, prevalence = tables(votes, 3)
    share = np.array([1.0, 0.5, 0.5, 0.8])
    weight = rng.integers(1, 3, 200).astype(float)
    expected = log_likelihoods(p, silent, share, weight, prevalence)
    rows, voters, classes = rng.permutation(200), rng.permutation(4), rng.permutation(3)
    moved = p[:, rows][voters][..., classes]
    found = log_likelihoods(moved, silent[:, rows][voters], share[voters], weight[rows], prevalence)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    twice = np.repeat(np.arange(200), weight.astype(int))
    found = log_likelihoods(p[:, twice], silent[:, twice], share, np.ones(len(twice)), prevalence)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    none = np.concatenate([np.ones((4, 5), dtype=bool), silent], axis=1)
    found = log_likelihoods(
        np.pad(p, ((0, 0), (5, 0), (0, 0))), none, share, np.pad(weight, (5, 0)), prevalence
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_hundreds_of_voters_and_no_votes_are_finite():
    votes, truth = jury(np.random.default_rng(0), 50, np.full(300, 3.0), 2)
    rule = Consensus().fit(beliefs(votes))
    assert np.isfinite(rule.dependence_)
    assert (rule.combine(beliefs(votes)).betp().argmax(axis=1) == truth).all()
    assert (log_likelihoods(*tables(np.full((3, 5), -1), 2)) == 0).all()


def test_only_votes_teach_it():
    votes, _ = jury(np.random.default_rng(0), 500, np.full(8, 1.5), 2)
    sure = [np.where(one[:, np.newaxis] == [0, 1], 0.9, 0.1) for one in votes]
    assert EvidentialFusion().fit(sure).fusion_.dependence_ == 0.5
    learned = Consensus().fit(beliefs(votes))
    assert learned.dependence_ < 0.1
    assert Consensus(dependence=0.2).fit(beliefs(votes)).dependence_ == 0.2
    assert EvidentialFusion().fit(named(votes)).fusion_.dependence_ == learned.dependence_
    kept = Rule.from_dict(json.loads(json.dumps(learned.to_dict())))
    assert kept.dependence_ == learned.dependence_
    assert kept.combine(beliefs(votes)).betp() == pytest.approx(
        learned.combine(beliefs(votes)).betp(), abs=1e-15
    )
    parts = Consensus().fit(beliefs(votes[:, :200])).partial_fit(beliefs(votes[:, 200:]))
    assert parts.dependence_ == pytest.approx(learned.dependence_, abs=1e-12)
