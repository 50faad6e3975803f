from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given

from dstheory import Frame, MassFunction
from dstheory.combine import dempster
from dstheory.errors import FrameError, TotalConflictError
from dstheory.revise import condition, decondition
from tests.dstheory.revise.strategies import mass_and_event
from tests.naive import mass as naive
from tests.naive import revise as naive_revise
from tests.naive.rules import as_sets

FRAME = Frame(list("abcd"))
condition_geometric = partial(condition, rule="geometric")
condition_focusing = partial(condition, rule="focusing")
EVERY = [condition, condition_geometric, condition_focusing]


@given(case=mass_and_event(empty=True))
def test_unnormalized_equals_its_definition(case):
    m, event = case
    assert as_sets(condition(m, event, normalize=False)) == naive_revise.condition(
        as_sets(m), event
    )


@given(case=mass_and_event(empty=True))
def test_equals_dempster_with_certainty(case):
    m, event = case
    assume(m.pl(event) > 0)
    certain = MassFunction.from_dict(m.frame, {event: Fraction(1)})
    assert condition(m, event) == dempster(m, certain)


@given(case=mass_and_event(empty=True))
def test_divides_plausibilities(case):
    m, event = case
    assume(m.pl(event) > 0)
    given_event = condition(m, event)
    for a in naive.subsets(m.frame):
        assert given_event.pl(a) == naive.pl(as_sets(m), a & event) / m.pl(event)


@given(case=mass_and_event(empty=True))
def test_geometric_divides_beliefs(case):
    m, event = case
    assume(m.bel(event) > 0)
    found = condition_geometric(m, event)
    without_empty = {a: v for a, v in as_sets(m).items() if a}
    assert as_sets(found) == naive_revise.condition_geometric(without_empty, event)
    for a in naive.subsets(m.frame):
        assert found.bel(a) == m.bel(a & event) / m.bel(event)


@given(case=mass_and_event(empty=True))
def test_focusing_equals_its_formula(case):
    m, event = case
    assume(m.pl(event) > 0)
    focused = condition_focusing(m, event)
    for a in naive.subsets(m.frame):
        assert focused.bel(a) == naive_revise.focusing_bel(as_sets(m), a, event)


@given(case=mass_and_event(max_labels=3))
def test_focusing_bounds_all_conditional_probabilities(case):
    """Fagin & Halpern 1991: the bounds are attained by extreme probabilities."""
    m, event = case
    assume(m.pl(event) > 0)
    focused = condition_focusing(m, event)
    for a in naive.subsets(m.frame):
        assert (focused.bel(a), focused.pl(a)) == naive_revise.envelope(as_sets(m), a, event)


@given(case=mass_and_event())
def test_dempster_lies_within_focusing(case):
    m, event = case
    assume(m.pl(event) > 0)
    wide, narrow = condition_focusing(m, event), condition(m, event)
    for a in naive.subsets(m.frame):
        assert wide.bel(a) <= narrow.bel(a) <= narrow.pl(a) <= wide.pl(a)


@given(case=mass_and_event(empty=True))
def test_deconditioning_equals_its_definition_and_is_undone(case):
    m, event = case
    inside = condition(m, event, normalize=False)
    back = decondition(inside, event)
    assert as_sets(back) == naive_revise.decondition(as_sets(inside), event, frozenset(m.frame))
    assert condition(back, event, normalize=False) == inside
    # Least committed of all with that conditional, of which m is one (Smets 1993).
    for a in naive.subsets(m.frame):
        assert back.pl(a) >= m.pl(a)


@pytest.mark.parametrize("rule", EVERY)
def test_bayesian_conditioning_is_bayes(rule):
    m = MassFunction(FRAME, [1, 2, 4, 8], [Fraction(k, 10) for k in (1, 2, 3, 4)])
    expected = {"a": Fraction(1, 3), "b": Fraction(2, 3)}
    found = rule(m, ["a", "b"])
    assert {label: found.mass(label) for label in "ab"} == expected


@pytest.mark.parametrize("rule", EVERY)
def test_each_row_of_a_batch_is_its_single_result(rule):
    rng = np.random.default_rng(0)
    m = MassFunction(FRAME, [1, 3, 6, 12, 15], rng.dirichlet(np.ones(5), (2, 3)))
    found = rule(m, ["a", "b"])
    assert found.batch_shape == (2, 3)
    for row in np.ndindex(2, 3):
        assert found[row].equals(rule(m[row], ["a", "b"]))
    assert rule(m[:0], ["a", "b"]).batch_shape == (0, 3)


@pytest.mark.parametrize("rule", EVERY)
def test_large_frames(rule):
    frame = Frame(range(100))
    m = MassFunction.from_dict(frame, {(0, 1): Fraction(1, 4), (1, 99): Fraction(3, 4)})
    if rule is condition_geometric:
        assert rule(m, [0, 1]).to_dict() == {(0, 1): 1}
    elif rule is condition:
        assert rule(m, [0, 99]).to_dict() == {(0,): Fraction(1, 4), (99,): Fraction(3, 4)}
    else:
        assert rule(m, [1, 99]).to_dict() == {(1, 99): 1}


def test_small_plausibilities_keep_their_digits():
    tiny = 1e-18
    m = MassFunction(Frame(list("abc")), [1, 2, 4], [tiny, 3 * tiny, 1 - 4 * tiny])
    for rule in EVERY:
        assert rule(m, ["a", "b"]).bel("b") == pytest.approx(0.75, rel=1e-12)


@pytest.mark.parametrize("rule", EVERY)
def test_impossible_events_name_the_row(rule):
    m = MassFunction(Frame(list("ab")), [1, 2], [[0.5, 0.5], [1, 0], [1, 0]])
    with pytest.raises(
        TotalConflictError, match=r"event \('b',\) has .* 0 in 2 of 3 rows \(first: row 1\)"
    ):
        rule(m, "b")
    with pytest.raises(TotalConflictError, match=r"has .* 0; "):
        rule(m[1], "b")
    with pytest.raises(TotalConflictError, match=r"event \(\)"):
        rule(m, [])
    assert condition(m, [], normalize=False).mass([]).tolist() == [1, 1, 1]


@pytest.mark.parametrize("rule", [*EVERY, decondition])
def test_wrong_arguments_are_refused(rule):
    m = MassFunction(FRAME, [1, 2], [0.5, 0.5])
    with pytest.raises(FrameError, match="'z' is not a label"):
        rule(m, "z")
    with pytest.raises(TypeError, match=r"m is .*, expected a MassFunction"):
        rule({"a": 1}, "a")


def test_unknown_rules_and_unnormalized_ones_are_refused():
    m = MassFunction(FRAME, [1, 2], [0.5, 0.5])
    with pytest.raises(
        ValueError, match="rule is 'bayes', expected one of 'dempster', 'geometric'"
    ):
        condition(m, "a", rule="bayes")
    for rule in (condition_geometric, condition_focusing):
        with pytest.raises(ValueError, match="normalize=False belongs to the rule 'dempster'"):
            rule(m, "a", normalize=False)


@pytest.mark.parametrize("mass", [1e-12, 1e-13, 1e-20, 1e-300, 5e-324])
def test_focusing_keeps_small_masses(mass):
    """A mass of the event itself, and one that the inversion has to find."""
    for m in (
        MassFunction(FRAME, [1, 3, 15], [mass, 0.25, 0.75]),
        MassFunction(FRAME, [1, 2, 15], [0.25, max(mass, 1e-14), 0.75]),
    ):
        exact = {event: Fraction(v) for event, v in as_sets(m).items()}
        focused = condition_focusing(m, ["a", "b"])
        assert focused.focal.tolist() == ([1, 3] if m.mass(mask=3) else [1, 2, 3])
        for label in "ab":
            expected = naive_revise.focusing_bel(exact, frozenset(label), frozenset("ab"))
            assert focused.bel(label) == pytest.approx(float(expected), rel=1e-13, abs=0)


def test_focusing_a_probability_leaves_no_rounding_noise():
    rng = np.random.default_rng(0)
    m = MassFunction(FRAME, [1, 2, 4, 8], rng.dirichlet([1, 1, 1, 1], 500))
    assert condition_focusing(m, ["a", "b", "c"]).focal.tolist() == [1, 2, 4]
