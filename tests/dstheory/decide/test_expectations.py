"""Criteria that look at expected utilities alone, and what they are for the classes as acts."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from dstheory import Frame, MassFunction, decide
from dstheory.testing import frames, masses
from tests.dstheory.decide.strategies import problems
from tests.naive import decide as naive_decide
from tests.naive import mass as naive

CRITERIA = [
    decide.interval_dominance,
    decide.strong_dominance,
    decide.weak_dominance,
    decide.maximality,
    decide.maximin,
    decide.maximax,
    decide.hurwicz,
    decide.maximize_expected_utility,
    decide.minimax_regret,
]


@dataclass
class Alone(decide.Expectations):
    """Expected utilities of a mass function, and no sets."""

    m: MassFunction

    @property
    def frame(self):
        return self.m.frame

    def expected_utility(self, utilities):
        return decide.expected_utility(self.m, _exact(utilities))

    def lower_expected_utility(self, utilities):
        return decide.lower_expected_utility(self.m, _exact(utilities))

    def upper_expected_utility(self, utilities):
        return decide.upper_expected_utility(self.m, _exact(utilities))


def _exact(utilities):
    return np.vectorize(Fraction, otypes=[object])(utilities)


@given(problems(empty=True))
def test_expected_utilities_are_enough(problem):
    m, rows = problem
    for rule in CRITERIA:
        assert np.array_equal(rule(Alone(m), rows), rule(m, rows)), rule
        assert np.array_equal(rule(Alone(m)), rule(m)), rule
    names = [f"act {i}" for i in range(len(rows))]
    assert decide.maximin(Alone(m), rows, acts=names) == decide.maximin(m, rows, acts=names)


@given(frames(2, 4).flatmap(masses))
def test_classes_as_acts_are_decided_by_belief_and_plausibility(m):
    labels = list(m.frame)
    m_naive = {frozenset(event): v for event, v in m.to_dict().items()}
    bel = [naive.bel(m_naive, frozenset([label])) for label in labels]
    pl = [naive.pl(m_naive, frozenset([label])) for label in labels]
    kept = [upper >= max(bel) for upper in pl]
    acts = [{w: Fraction(w == label) for w in labels} for label in labels]
    assert naive_decide.maximality(m_naive, acts) == kept
    assert decide.maximality(m, atol=0).tolist() == kept
    assert decide.interval_dominance(m, atol=0).tolist() == kept
    assert decide.maximin(m) == labels[bel.index(max(bel))]
    assert decide.maximax(m) == labels[pl.index(max(pl))]
    middle = [low + high for low, high in zip(bel, pl, strict=True)]
    assert decide.hurwicz(m, alpha=Fraction(1, 2)) == labels[middle.index(max(middle))]


@given(frames(2, 4).flatmap(masses))
def test_e_admissible_classes_take_beliefs_of_sets(m):
    """Pl({k}) is at least Bel(B) / |B| for each set B without k."""
    m_naive = {frozenset(event): v for event, v in m.to_dict().items()}
    labels = frozenset(m.frame)
    for label, kept in zip(m.frame, decide.e_admissibility(m), strict=True):
        others = [event for event in naive.subsets(labels - {label}) if event]
        most = max(naive.bel(m_naive, event) / len(event) for event in others)
        assert kept == (naive.pl(m_naive, frozenset([label])) >= most)


def test_a_criterion_that_looks_at_sets_wants_a_mass_function():
    alone = Alone(MassFunction(Frame(["a", "b"]), [1, 3], [Fraction(1, 2)] * 2))
    with pytest.raises(TypeError, match=r"m is .*Alone.*, expected a MassFunction"):
        decide.e_admissibility(alone)
    with pytest.raises(ValueError, match=r"utilities have shape \(1, 3\), expected \(A, 2\)"):
        decide.maximin(alone, [[1, 2, 3]])
