from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, betp, categorical
from dstheory.errors import DSTheoryError, FrameError, MassError, TotalConflictError
from dstheory.revise import (
    disjunctive_rule_of_combination,
    generalized_bayes,
)
from dstheory.testing import frames, masses
from tests.dstheory.revise.strategies import rates
from tests.naive import revise as naive_revise
from tests.naive.rules import as_sets


@st.composite
def models(draw, n_hypotheses=2, n_values=2):
    """A prior, a conditional for each hypothesis, and an observed event."""
    frame, space = draw(frames(1, n_hypotheses)), Frame([f"x{i}" for i in range(n_values)])
    conditionals = {h: draw(masses(space, empty=True, max_focal=3)) for h in frame}
    event = space.event(draw(st.integers(0, space.full)))
    return draw(masses(frame, empty=True)), conditionals, event, space


@given(likelihoods=st.lists(rates, min_size=1, max_size=4))
def test_equals_its_formula(likelihoods):
    frame = Frame([chr(97 + i) for i in range(len(likelihoods))])
    found = generalized_bayes(frame, np.array(likelihoods, dtype=object), normalize=False)
    expected = naive_revise.generalized_bayes(dict(zip(frame, likelihoods, strict=True)))
    assert as_sets(found) == expected


@given(likelihoods=st.lists(rates, min_size=1, max_size=4))
def test_both_routes_agree(likelihoods):
    frame = Frame([chr(97 + i) for i in range(len(likelihoods))])
    array = np.array(likelihoods, dtype=object)
    vacuous = MassFunction.from_dict(frame, {frame: Fraction(1)})
    found = generalized_bayes(frame, array, normalize=False)
    assert generalized_bayes(frame, array, prior=vacuous, normalize=False) == found


@given(case=models())
def test_equals_the_embedding_of_conditionals(case):
    """Smets 1993: decondition, combine conjunctively, condition on the observation."""
    prior, conditionals, event, space = case
    likelihoods = {h: m.pl(event) for h, m in conditionals.items()}
    found = generalized_bayes(prior.frame, likelihoods, prior=prior, normalize=False)
    expected = naive_revise.posterior_by_embedding(
        as_sets(prior),
        {h: as_sets(m) for h, m in conditionals.items()},
        frozenset(event),
        prior.frame,
        space,
    )
    assert as_sets(found) == expected


@given(case=models(n_hypotheses=3))
def test_disjunctive_rule_equals_its_definition(case):
    prior, conditionals, _, _ = case
    expected = naive_revise.disjunctive_rule(
        as_sets(prior), {h: as_sets(m) for h, m in conditionals.items()}
    )
    assert as_sets(disjunctive_rule_of_combination(prior, conditionals)) == expected


@given(weights=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 8)), min_size=2, max_size=4))
def test_bayesian_prior_gives_bayes_theorem(weights):
    total = sum(weight for weight, _ in weights)
    prior = [Fraction(weight, total) for weight, _ in weights]
    likelihoods = [Fraction(k, 8) for _, k in weights]
    evidence = sum(p * q for p, q in zip(prior, likelihoods, strict=True))
    frame = Frame(range(len(prior)))
    m = MassFunction(frame, [1 << i for i in frame], prior)
    likelihoods = np.array(likelihoods, dtype=object)
    if evidence == 0:
        with pytest.raises(TotalConflictError, match="total conflict"):
            generalized_bayes(frame, likelihoods, prior=m)
        return
    found = generalized_bayes(frame, likelihoods, prior=m)
    for i in frame:
        assert found.mass(i) == prior[i] * likelihoods[i] / evidence


def test_pignistic_example():
    """Plausibilities of py_dempster_shafer's test; the values are exact fractions."""
    frame = Frame(list("abcde"))
    likelihoods = {"a": 0.3, "b": 0.8, "c": 0, "d": 0.5, "e": 1}
    expected = [19 / 200, 91 / 300, 0, 101 / 600, 13 / 30]
    np.testing.assert_allclose(betp(generalized_bayes(frame, likelihoods)), expected, rtol=1e-14)


def test_random_walk_prediction():
    """The transition model of py_dempster_shafer's test."""
    frame = Frame([-1, 0, 1, 2, 4, 5, 6])
    prior = MassFunction.from_dict(frame, {(0, 1): Fraction(3, 5), 5: Fraction(2, 5)})
    step = {s: {(s - 1, s + 1): Fraction(4, 5), s: Fraction(1, 5)} for s in (0, 1, 5)}
    models = {s: MassFunction.from_dict(frame, masses) for s, masses in step.items()}
    assert disjunctive_rule_of_combination(prior, models).to_dict() == {
        (-1, 1): Fraction(12, 125),
        (0, 1): Fraction(3, 125),
        (0, 2): Fraction(12, 125),
        (-1, 0, 1, 2): Fraction(48, 125),
        (5,): Fraction(2, 25),
        (4, 6): Fraction(8, 25),
    }


def test_large_sets_of_hypotheses():
    frame, space = Frame(range(2000)), Frame(["x", "y"])
    prior = MassFunction.from_dict(frame, {frame: 1})
    models = dict.fromkeys(frame, MassFunction.from_dict(space, {"x": 1}))
    assert disjunctive_rule_of_combination(prior, models).to_dict() == {("x",): 1}


def test_batches_broadcast():
    rng = np.random.default_rng(0)
    frame = Frame(list("abc"))
    likelihoods = rng.random((4, 1, 3))
    prior = MassFunction(frame, [1, 3, 7], rng.dirichlet(np.ones(3), 2))
    found = generalized_bayes(frame, likelihoods, prior=prior)
    assert found.batch_shape == (4, 2)
    single = generalized_bayes(frame, likelihoods[3, 0], prior=prior[1])
    assert found[3, 1].equals(single)
    assert generalized_bayes(frame, np.ones((5, 3))).batch_shape == (5,)
    assert generalized_bayes(frame, np.empty((0, 3))).batch_shape == (0,)
    space = Frame(["x", "y"])
    models = {h: MassFunction(space, [1, 3], rng.dirichlet(np.ones(2), (4, 1))) for h in frame}
    forward = disjunctive_rule_of_combination(prior, models)
    assert forward.batch_shape == (4, 2)
    rows = {h: m[3, 0] for h, m in models.items()}
    assert forward[3, 1].equals(disjunctive_rule_of_combination(prior[1], rows))
    likelihoods = {h: m.pl("y") for h, m in models.items()}
    assert generalized_bayes(frame, likelihoods, prior=prior).batch_shape == (4, 2)


def test_a_bayesian_prior_on_many_hypotheses_stays_small():
    frame = Frame(range(150))
    prior = MassFunction(frame, [1 << i for i in frame], np.full(150, 1 / 150))
    found = generalized_bayes(frame, np.linspace(0.1, 0.9, 150), prior=prior)
    assert len(found.focal) == 150
    with pytest.raises(DSTheoryError, match=r"focal sets, more than 67,108,864; give a prior"):
        generalized_bayes(frame, np.linspace(0.1, 0.9, 150))
    assert len(generalized_bayes(frame, np.arange(150) % 2).focal) == 1


def test_wrong_arguments_are_refused():
    frame, space = Frame(list("ab")), Frame(list("xy"))
    x = categorical(space, "x")
    prior = categorical(frame, "a")
    with pytest.raises(MassError, match=r"likelihood 1.5 in row 1"):
        generalized_bayes(frame, [[0.5, 0.5], [1.5, 0]])
    with pytest.raises(MassError, match=r"shape \(3,\)"):
        generalized_bayes(frame, [0.1, 0.2, 0.3])
    with pytest.raises(MassError, match=r"nothing is given for \['b'\]"):
        generalized_bayes(frame, {"a": 1})
    with pytest.raises(FrameError, match="frames differ"):
        generalized_bayes(frame, [1, 1], prior=x)
    with pytest.raises(TypeError, match="frame"):
        generalized_bayes(None, [1, 1])
    with pytest.raises(TotalConflictError, match="total conflict"):
        generalized_bayes(frame, [0, 0])
    with pytest.raises(MassError, match=r"nothing is given for \['a'\]"):
        disjunctive_rule_of_combination(prior, {"b": x})
    with pytest.raises(MassError, match="no conditional"):
        disjunctive_rule_of_combination(prior, {})
    with pytest.raises(FrameError, match="frames differ"):
        disjunctive_rule_of_combination(prior, {"a": x, "b": prior})
    with pytest.raises(TypeError, match="mapping"):
        disjunctive_rule_of_combination(prior, [x, x])
    with pytest.raises(TypeError, match="MassFunction"):
        disjunctive_rule_of_combination(prior, {"a": x, "b": 0.5})
    with pytest.raises(FrameError, match="'z'"):
        disjunctive_rule_of_combination(prior, {"a": x, "z": x})


def test_likelihoods_of_zero_are_named():
    """The words of another rule, on sources that exclude each other, do not help here."""
    with pytest.raises(TotalConflictError, match="all likelihoods of hypotheses are 0"):
        generalized_bayes(Frame(list("abc")), [0, 0, 0])
    prior = MassFunction(Frame(list("abc")), [1, 2], [0.5, 0.5])
    message = r"of hypotheses that the prior allows are 0 .* in 1 of 2 rows \(first: row 1\)"
    with pytest.raises(TotalConflictError, match=message):
        generalized_bayes(prior.frame, [[1, 1, 1], [0, 0, 1]], prior=prior)
