"""The ways beside which an ensemble is judged: Dempster's rule, and weights of other folds."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from dstheory import Frame, MassFunction
from dstheory.combine import dempster
from evical.beliefs import as_beliefs
from evical.evaluation.other_rules import DEMPSTER, STACKED, other_rules
from evical.fusion import Mixture, Stacked
from tests.support.each import each

FRAME = Frame(["a", "b"])


def listed(masses):
    """Beliefs of masses (n, 3)."""
    return as_beliefs(MassFunction(FRAME, [1, 2, 3], masses), np.array(["a", "b"]))


def sources(n=60, n_sources=2, seed=0):
    """Members of some skill, and the labels."""
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b"])[rng.integers(2, size=n)]
    beliefs = []
    for _ in range(n_sources):
        p = 1 / (1 + np.exp(-rng.normal(np.where(y == "b", 1, -1))))
        beliefs.append(listed(np.stack([0.9 * (1 - p), 0.9 * p, p * 0 + 0.1], 1)))
    return beliefs, y


@each(
    ("rule", "names"),
    [
        ("dempster", [STACKED]),
        (dempster, [STACKED]),
        ("stacked", [DEMPSTER]),
        (Stacked(), [DEMPSTER]),
        ("Stacked(model='confidence')", [DEMPSTER]),
        ("cautious", [DEMPSTER, STACKED]),
        (Mixture(), [DEMPSTER, STACKED]),
    ],
    ids=range(7),
)
def test_the_ways_that_are_not_the_rule(rule, names):
    assert list(other_rules(rule, *sources())) == names


def test_dempsters_rule_is_vacuous_in_total_conflict():
    beliefs, y = sources(3)
    beliefs[0] = listed([[1, 0, 0], *beliefs[0].mass().masses[1:]])
    beliefs[1] = listed([[0, 1, 0], *beliefs[1].mass().masses[1:]])
    found = other_rules("stacked", beliefs, y)[DEMPSTER].mass()
    assert found.is_vacuous.tolist() == [True, False, False]
    expected = dempster(*(one.mass()[1:] for one in beliefs))
    assert found[1:].equals(expected, atol=1e-12)


def test_no_sample_is_fused_by_weights_that_it_taught():
    beliefs, y = sources()
    masses = [one.mass() for one in beliefs]
    found = other_rules("dempster", beliefs, y)[STACKED].mass()
    splits = StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(60), y)
    for known, new in splits:
        fusion = Stacked().fit([m[known] for m in masses], y[known])
        expected = fusion(*(m[new] for m in masses))
        assert found[new].bel("a") == pytest.approx(expected.bel("a"))
        assert found[new].pl("a") == pytest.approx(expected.pl("a"))


def test_rare_classes_get_fewer_folds_or_none():
    beliefs, _ = sources(40)
    few = np.array(["a"] * 38 + ["b"] * 2)
    assert STACKED in other_rules("dempster", beliefs, few)
    few[-1] = "a"
    assert other_rules("dempster", beliefs, few) == {}
    assert other_rules("dempster", beliefs, np.full(40, "a")) == {}


def test_a_single_member_has_no_other_ways():
    beliefs, y = sources(n_sources=1)
    assert other_rules("cautious", beliefs, y) == {}
