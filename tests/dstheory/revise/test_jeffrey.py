from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, categorical
from dstheory.errors import FrameError, MassError
from dstheory.measure import is_included
from dstheory.revise import condition, jeffrey
from dstheory.testing import frames, masses
from tests.naive import revise as naive_revise
from tests.naive.rules import as_sets
from tests.support.each import each

FRAME = Frame(list("abc"))
both_rules = each("rule", ["outer", "inner"])


@st.composite
def prior_and_evidence(draw):
    frame = draw(frames(1, 3))
    return draw(masses(frame, empty=True)), draw(masses(frame))


@both_rules
@given(case=prior_and_evidence())
def test_equals_its_definition(rule, case):
    prior, evidence = case
    expected = naive_revise.jeffrey(as_sets(prior), as_sets(evidence), rule)
    assert as_sets(jeffrey(prior, evidence, rule=rule)) == expected


@both_rules
@given(case=prior_and_evidence())
def test_evidence_is_accepted(rule, case):
    """Success: the result only says more than the input (Ma et al. 2011)."""
    prior, evidence = case
    assert is_included(jeffrey(prior, evidence, rule=rule), evidence)


@given(case=prior_and_evidence())
def test_certain_evidence_is_conditioning(case):
    prior, evidence = case
    event = prior.frame.event(int(evidence.focal[0]))
    certain = MassFunction.from_dict(prior.frame, {event: Fraction(1)})
    if prior.pl(event) > 0:
        assert jeffrey(prior, certain) == condition(prior, event)
    else:
        assert jeffrey(prior, certain) == certain
    assume(prior.bel(event) > 0)
    assert jeffrey(prior, certain, rule="inner") == condition(prior, event, rule="geometric")


@both_rules
def test_is_jeffreys_rule_on_a_partition(rule):
    prior = MassFunction(FRAME, [1, 2, 4], [Fraction(k, 6) for k in (1, 2, 3)])
    evidence = MassFunction(FRAME, [3, 4], [Fraction(3, 5), Fraction(2, 5)])
    revised = jeffrey(prior, evidence, rule=rule)
    assert revised.masses.tolist() == [Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)]
    # The probabilities given the events of the partition stay.
    assert condition(revised, ["a", "b"]) == condition(prior, ["a", "b"])


@both_rules
def test_rows_of_a_batch_are_their_single_results(rule):
    rng = np.random.default_rng(0)
    prior = MassFunction(FRAME, [1, 3, 6, 7], rng.dirichlet(np.ones(4), (4, 1)))
    evidence = MassFunction(FRAME, [1, 2, 6], rng.dirichlet(np.ones(3), 3))
    revised = jeffrey(prior, evidence, rule=rule)
    assert revised.batch_shape == (4, 3)
    for i, j in np.ndindex(4, 3):
        assert revised[i, j].equals(jeffrey(prior[i, 0], evidence[j], rule=rule))


def test_rows_without_a_conditional_keep_the_evidence():
    prior = MassFunction(FRAME, [1, 2], [[1, 0], [0.5, 0.5]])
    revised = jeffrey(prior, categorical(FRAME, ["b", "c"]))
    assert revised[0].to_dict()[("b", "c")] == 1
    assert revised[1].mass("b") == 1


def test_wrong_arguments_are_refused():
    m = MassFunction(FRAME, [0, 1], [[0.5, 0.5], [0, 1]])
    with pytest.raises(MassError, match=r"empty set in 1 of 2 rows \(first: row 0\)"):
        jeffrey(m, m)
    with pytest.raises(ValueError, match="rule is 'middle'"):
        jeffrey(m, m[1], rule="middle")
    with pytest.raises(FrameError, match="frames differ"):
        jeffrey(m, categorical(Frame(list("xy")), "x"))
    with pytest.raises(ValueError, match="broadcast"):
        jeffrey(m, MassFunction(FRAME, [1], np.ones((3, 1))))
    with pytest.raises(TypeError, match=r"evidence is .*, expected a MassFunction"):
        jeffrey(m, None)


@both_rules
@each("tiny", [1e-200, 1e-310, 1e-322])
def test_a_prior_of_tiny_masses_is_that_of_fractions(rule, tiny):
    prior = MassFunction(FRAME, [1, 2, 4], [tiny, 3 * tiny, 1.0])
    evidence = MassFunction(FRAME, [3, 4], [0.5, 0.5])
    exact = [{a: Fraction(v) for a, v in as_sets(m).items()} for m in (prior, evidence)]
    expected = naive_revise.jeffrey(*exact, rule)
    found = as_sets(jeffrey(prior, evidence, rule=rule))
    assert found == pytest.approx({a: float(v) for a, v in expected.items()}, rel=1e-14)
