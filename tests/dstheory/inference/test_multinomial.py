"""Counts of categories to belief functions: definitions, oracles, laws, and bad input."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dstheory import Frame, MassFunction
from dstheory.inference import binomial, goodman_intervals, multinomial, multinomial_bounds
from tests import naive_multinomial as definition

ORACLES = Path(__file__).parents[2] / "oracles" / "dst_oracles.json"
EXACT = ["bayesian", "laplace", "dempster"]
MODELS = [*EXACT, "goodman", "likelihood"]
LOWER = {
    "goodman": definition.lower_by_confidence,
    "likelihood": definition.lower_by_likelihood,
}


def count_vectors(min_size=1, max_size=5, most=12):
    return st.lists(st.integers(0, most), min_size=min_size, max_size=max_size).filter(any)


def as_sets(m):
    return {frozenset(event): mass for event, mass in m.to_dict().items()}


def assert_masses(m, expected, atol):
    found = as_sets(m)
    for event in found.keys() | expected.keys():
        assert float(found.get(event, 0)) == pytest.approx(float(expected.get(event, 0)), abs=atol)


# --- definition ---------------------------------------------------------------------------


@pytest.mark.parametrize("model", EXACT)
@given(st.lists(st.fractions(0, 9, max_denominator=7), min_size=2, max_size=5).filter(any))
def test_definition_exact_on_fractions(model, counts):
    m = multinomial(np.array(counts, dtype=object), model=model)
    assert as_sets(m) == getattr(definition, model)(counts)
    assert all(isinstance(mass, Fraction) for mass in m.masses)


@given(count_vectors(2), st.fractions(Fraction(1, 9), 3))
def test_definition_of_the_strength(counts, strength):
    m = multinomial(np.array(counts, dtype=object), model="dempster", strength=strength)
    assert as_sets(m) == definition.dempster(counts, strength)


@pytest.mark.parametrize("model", LOWER)
@given(counts=count_vectors(2, 3))
def test_definition_up_to_three_categories(model, counts):
    """The lower probability is the belief function."""
    expected = definition.inverse(LOWER[model](counts, 0.95))
    assert min(expected.values()) > -1e-12
    assert_masses(multinomial(counts, model=model), expected, 1e-12)


@pytest.mark.parametrize("model", LOWER)
@given(counts=count_vectors(2))
def test_definition_of_ordered_categories(model, counts):
    expected = definition.intervals(LOWER[model](counts, 0.95), len(counts))
    assert min(expected.values()) > -1e-12
    assert_masses(multinomial(counts, model=model, ordered=True), expected, 1e-12)


# --- oracle -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identifier", "options"),
    [
        ("denoeux2006-ex7-ordered", {"model": "goodman", "ordered": True}),
        ("idm-precipitation", {"model": "dempster"}),
    ],
)
def test_oracle(identifier, options):
    cases = {case["id"]: case for case in json.loads(ORACLES.read_text())["oracles"]}
    case = cases[identifier]
    m = multinomial([48, 17, 19, 11, 6, 9], case["frame"], **options)
    found = {",".join(event): mass for event, mass in m.to_dict().items()}
    for event, value in case["expected"].items():
        assert found.pop(event) == pytest.approx(value["float"], abs=1e-14)
    assert max([0, *found.values()]) < 1e-15


# --- law ----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["dempster", "bayesian", "laplace", "likelihood"])
@given(n=st.tuples(st.floats(0, 1e9), st.floats(0.01, 1e9)))
def test_law_two_categories_are_the_binomial_model(model, n):
    m = multinomial([n[1], n[0]], model=model)
    assert m.equals(binomial(n[0], n[0] + n[1], model), atol=1e-12)


@pytest.mark.parametrize("model", LOWER)
@settings(max_examples=25)
@given(counts=count_vectors(4, 5))
def test_law_belief_stays_below_the_lower_probability(model, counts):
    """The constraint of the program, and a consequence of the interval formula."""
    lower = LOWER[model](counts, 0.95)
    for ordered in (False, True):
        m = multinomial(counts, model=model, ordered=ordered)
        assert m.masses.min() >= 0
        assert m.masses.sum() == pytest.approx(1, abs=1e-12)
        for event, bound in lower.items():
            assert m.bel(event) <= float(bound) + 1e-9


@settings(max_examples=25)
@given(counts=count_vectors(4, 5))
def test_law_the_likelihood_keeps_singletons_and_complements(counts):
    m = multinomial(counts)
    lower, upper = multinomial_bounds(counts)
    for k in range(len(counts)):
        assert m.bel(k) == pytest.approx(lower[k], abs=1e-9)
        assert m.pl(k) == pytest.approx(upper[k], abs=1e-9)


def largest_sum_of_beliefs(lower):
    """The program of Denoeux (2006), written down set by set."""
    events = list(lower)
    contained = [[float(part <= event) for part in events] for event in events]
    weights = [-sum(column) for column in zip(*contained, strict=True)]
    bounds = [float(value) for value in lower.values()]
    found = linprog(weights, contained, bounds, [[1.0] * len(events)], [1.0])
    return -found.fun


@pytest.mark.parametrize("model", LOWER)
@settings(max_examples=25)
@given(counts=count_vectors(4, 5))
def test_definition_of_the_most_committed_belief_function(model, counts):
    lower = LOWER[model](counts, 0.95)
    m = multinomial(counts, model=model)
    total = sum(m.bel(event) for event in lower)
    assert total == pytest.approx(largest_sum_of_beliefs(lower), abs=1e-6)


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=25)
@given(counts=count_vectors(4, 4, 5), order=st.permutations(range(4)))
def test_law_the_order_of_labels_does_not_matter(model, counts, order):
    m = multinomial(counts, model=model)
    other = multinomial([counts[k] for k in order], model=model)
    for event, mass in m.to_dict().items():
        assert other.mass([order.index(k) for k in event]) == pytest.approx(mass, abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ordered", [False, True])
def test_law_a_row_of_a_batch_is_the_row_alone(model, ordered):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(9, [0.4, 0.3, 0.2, 0.1], size=(3, 2))
    before = counts.copy()
    batch = multinomial(counts, list("abcd"), model, ordered=ordered)
    assert batch.batch_shape == (3, 2)
    assert (counts == before).all()
    for i in range(3):
        for j in range(2):
            single = multinomial(counts[i, j], list("abcd"), model, ordered=ordered)
            assert single.equals(batch[i, j], atol=1e-14)


@pytest.mark.parametrize("model", MODELS)
@given(counts=count_vectors(1, 3))
def test_law_bounds_are_those_of_the_belief_function(model, counts):
    m = multinomial(counts, model=model)
    lower, upper = multinomial_bounds(counts, model)
    for k in range(len(counts)):
        assert m.bel(k) == pytest.approx(lower[k], abs=1e-12)
        assert m.pl(k) == pytest.approx(upper[k], abs=1e-12)


@pytest.mark.parametrize("model", ["dempster", "goodman", "likelihood"])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("ordered", [False, True])
def test_law_without_observations_nothing_is_known(model, size, ordered):
    m = multinomial(np.zeros((2, size)), model=model, ordered=ordered)
    assert m.is_vacuous.all()
    lower, upper = multinomial_bounds(np.zeros(size), model)
    assert (lower == (size == 1)).all()
    assert (upper == 1).all()


@pytest.mark.parametrize("model", MODELS)
def test_law_many_observations_leave_no_doubt(model):
    share = np.array([0.5, 0.3, 0.2])
    m = multinomial(share * 1e12, model=model)
    assert [m.bel(k) for k in range(3)] == pytest.approx(share, abs=1e-5)


def test_law_the_likelihood_is_convex_in_the_count():
    """What makes the lower probability 2-monotone, hence the interval masses non-negative."""
    for total in (0.5, 3, 40, 1e4):
        successes = np.linspace(0, total, 1001)
        lower, _ = multinomial_bounds(np.stack([successes, total - successes], axis=-1))
        assert np.diff(lower[:, 0], 2).min() > 0


def test_many_ordered_categories():
    counts = np.random.default_rng(0).poisson(3, size=70)
    m = multinomial(counts, model="goodman", ordered=True)
    lower, _ = goodman_intervals(counts)
    assert m.masses.sum() == pytest.approx(1, abs=1e-12)
    assert m.bel(int(counts.argmax())) == pytest.approx(lower.max(), abs=1e-12)


# --- frame and errors ---------------------------------------------------------------------


def test_frame_or_labels():
    frame = Frame(["ant", "bee"])
    assert multinomial([1, 2], frame) == multinomial([1, 2], ["ant", "bee"])
    assert multinomial([1, 2]).frame == Frame([0, 1])
    assert isinstance(multinomial([1, 2]), MassFunction)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([1, -2],), {}, ValueError, "count -2.0: a count is not negative"),
        (([[1, 2], [np.nan, 1]],), {}, ValueError, "count nan in row 1: not a finite number"),
        (([],), {}, ValueError, "counts are empty"),
        (([[1, 2], [1e308, 1e308]],), {}, ValueError, "counts sum to inf in row 1: too large"),
        (([["1", "2"]],), {}, TypeError, "counts are real numbers"),
        (([1, 2], ["a"]), {}, ValueError, "counts have 2 categories and the frame has 1 labels"),
        (([1, 2],), {"model": "bayes"}, ValueError, "unknown model 'bayes'; choose one of 'bay"),
        (([1, 2],), {"model": 3}, TypeError, "model is a string, not 3"),
        (([[1, 2], [0, 0]],), {"model": "bayesian"}, ValueError, "counts are all 0 in row 1"),
        (([1, 2],), {"model": "dempster", "strength": 0}, ValueError, "strength is 0; expected"),
        (([1, 2],), {"model": "dempster", "strength": True}, TypeError, "strength is a positive"),
        (([1, 2],), {"model": "goodman", "confidence": 95}, ValueError, "confidence is 95"),
        (([1] * 11,), {}, ValueError, "11 unordered categories have 2\\^11 sets"),
    ],
)
def test_bad_input(arguments, options, error, message):
    with pytest.raises(error, match=message):
        multinomial(*arguments, **options)
