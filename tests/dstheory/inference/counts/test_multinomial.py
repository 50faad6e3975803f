"""Counts of categories to belief functions: definitions, oracles, laws, and bad input."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dstheory import Frame, MassFunction
from dstheory.errors import FrameError
from dstheory.inference import binomial, multinomial, multinomial_bounds
from tests.naive import multinomial as definition
from tests.support.each import each

ORACLES = Path(__file__).parents[3] / "oracles" / "dst_oracles.json"
EXACT = ["bayesian", "laplace", "dempster"]
MODELS = [*EXACT, "goodman", "likelihood", "mcd"]
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
    assert multinomial(np.array(counts, dtype=object), model="idm", strength=strength) == m


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


@each("model", MODELS)
@settings(max_examples=25)
@given(counts=count_vectors(4, 4, 5), order=st.permutations(range(4)))
def test_law_the_order_of_labels_does_not_matter(model, counts, order):
    m = multinomial(counts, model=model)
    other = multinomial([counts[k] for k in order], model=model)
    for event, mass in m.to_dict().items():
        assert other.mass([order.index(k) for k in event]) == pytest.approx(mass, abs=1e-12)


@each("model", MODELS)
@each("ordered", [False, True])
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


@each("model", MODELS)
@given(counts=count_vectors(1, 3))
def test_law_bounds_are_those_of_the_belief_function(model, counts):
    m = multinomial(counts, model=model)
    lower, upper = multinomial_bounds(counts, model)
    for k in range(len(counts)):
        assert m.bel(k) == pytest.approx(lower[k], abs=1e-12)
        assert m.pl(k) == pytest.approx(upper[k], abs=1e-12)


@each("model", ["dempster", "goodman", "likelihood", "mcd"])
@each("size", [1, 2, 3, 5])
@each("ordered", [False, True])
def test_law_without_observations_nothing_is_known(model, size, ordered):
    m = multinomial(np.zeros((2, size)), model=model, ordered=ordered)
    assert m.is_vacuous.all()
    lower, upper = multinomial_bounds(np.zeros(size), model)
    assert (lower == (size == 1)).all()
    assert (upper == 1).all()


def test_law_many_observations_leave_what_their_shares_as_pignistic_say():
    share = np.array([0.5, 0.3, 0.2])
    m = multinomial(share * 1e12, model="mcd")
    assert m.contour() == pytest.approx(definition.isopignistic(share), abs=1e-5)


@pytest.mark.parametrize("model", [*EXACT, "goodman", "likelihood"])
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
    lower, _ = multinomial_bounds(counts, "goodman")
    assert m.masses.sum() == pytest.approx(1, abs=1e-12)
    assert m.bel(int(counts.argmax())) == pytest.approx(lower.max(), abs=1e-12)


# --- frame and errors ---------------------------------------------------------------------


def test_frame_or_labels():
    frame = Frame(["ant", "bee"])
    assert multinomial([1, 2], frame) == multinomial([1, 2], ["ant", "bee"])
    assert multinomial([1, 2]).frame == Frame([0, 1])
    assert isinstance(multinomial([1, 2]), MassFunction)


def test_counts_by_label():
    seen, frame = Counter("abbc"), Frame(["c", "a", "b", "d"])
    assert multinomial(seen).frame == Frame(["a", "b", "c"])
    assert multinomial(seen, frame, "idm") == multinomial([1, 1, 2, 0], frame, "idm")
    batch = {"b": [2, 0], "a": [1, 3]}
    assert multinomial(batch, ["a", "b"], "idm") == multinomial([[1, 2], [3, 0]], ["a", "b"], "idm")
    exact = multinomial({"a": Fraction(1), "b": 2}, model="idm")
    assert exact.mass("b") == Fraction(1, 2)
    with pytest.raises(TypeError, match="counts are a mapping; give its values"):
        multinomial_bounds(seen)


@each(
    ("arguments", "options", "error", "message"),
    [
        (([1, -2],), {}, ValueError, "count -2.0: a count is not negative"),
        (([[1, 2], [np.nan, 1]],), {}, ValueError, "count nan in row 1: not a finite number"),
        (([],), {}, ValueError, "counts are empty"),
        (([[1, 2], [1e308, 1e308]],), {}, ValueError, "counts sum to inf in row 1: too large"),
        (
            ({"a": 2, "b": 1}, ["a", "c"]),
            {},
            FrameError,
            "'b' is none of the labels",
        ),
        (({"a": 2}, ["a", "c"]), {}, FrameError, "'c' has no count; labels are"),
        ((Counter(),), {}, ValueError, "counts are empty"),
        (([["1", "2"]],), {}, TypeError, r"counts have dtype \w+, expected real numbers"),
        (([1, 2], ["a"]), {}, ValueError, "counts have 2 categories and the frame has 1 labels"),
        (([1, 2],), {"model": "bayes"}, ValueError, "model is 'bayes', expected one of 'bay"),
        (([1, 2],), {"model": 3}, ValueError, "model is 3, expected one of"),
        (([[1, 2], [0, 0]],), {"model": "bayesian"}, ValueError, "counts are all 0 in row 1"),
        (([1, 2],), {"model": "dempster", "strength": 0}, ValueError, "strength is 0, expected"),
        (
            ([1, 2],),
            {"model": "dempster", "strength": True},
            TypeError,
            "strength is True, expected a finite number above 0",
        ),
        (([1, 2],), {"model": "goodman", "confidence": 95}, ValueError, "confidence is 95"),
        (([1] * 11,), {}, ValueError, "11 unordered categories takes 2,048 sets"),
    ],
)
def test_bad_input(arguments, options, error, message):
    with pytest.raises(error, match=message):
        multinomial(*arguments, **options)


# --- the most committed dominating consonant belief function ---------------------------------


def mcd_by_programs(counts, confidence):
    """Aregui & Denoeux 2008, section 4: for each category and each set of likelier ones a program.

    In the order of p where those of `likelier` are at least p_k and the others at most, the
    plausibility of k is sum of p outside plus |likelier| p_k.
    """
    low, high = definition.goodman(counts, confidence)
    size = len(counts)
    contour = []
    for k in range(size):
        best = 0.0
        others = [i for i in range(size) if i != k]
        for chosen in range(1 << len(others)):
            likelier = [k, *(i for place, i in enumerate(others) if chosen >> place & 1)]
            objective = np.array([-1.0 if i not in likelier else 0.0 for i in range(size)])
            objective[k] -= len(likelier)
            sides = []
            for i in others:
                side = np.zeros(size)
                side[i], side[k] = (-1, 1) if i in likelier else (1, -1)
                sides.append(side)
            found = linprog(
                objective,
                A_ub=np.array(sides),
                b_ub=np.zeros(len(sides)),
                A_eq=np.ones((1, size)),
                b_eq=[1],
                bounds=list(zip(low, high, strict=True)),
            )
            if found.status == 0:
                best = max(best, -found.fun)
        contour.append(best)
    return contour


@settings(max_examples=8)
@given(counts=count_vectors(2, 4), confidence=st.sampled_from([0.5, 0.95]))
def test_mcd_is_the_largest_of_all_programs(counts, confidence):
    m = multinomial(counts, model="mcd", confidence=confidence)
    assert m.is_consonant
    np.testing.assert_allclose(m.contour(), mcd_by_programs(counts, confidence), atol=1e-7)


@settings(max_examples=30)
@given(counts=count_vectors(2, 6), seed=st.integers(0, 99))
def test_mcd_dominates_every_pignistic_probability_within_the_intervals(counts, seed):
    low, high = definition.goodman(counts, 0.9)
    rng = np.random.default_rng(seed)
    contour = multinomial(counts, model="mcd", confidence=0.9).contour()
    for _ in range(20):
        weights = rng.random(len(low))
        one, two = np.array(low) + weights * 0, np.array(high)
        # On the segment between the ends of the box, where the sum is 1.
        one = one + weights * (two - one) * rng.random()
        target = two if one.sum() < 1 else np.array(low)
        share = (1 - one.sum()) / (target.sum() - one.sum())
        p = one + share * (target - one)
        assert (np.array(definition.isopignistic(p.tolist())) <= contour + 1e-9).all()


def test_mcd_of_aregui_and_denoeux_example_6():
    counts = [5, 11, 19, 30, 58, 67, 92, 118, 173, 297]
    printed = [0.171, 0.258, 0.353, 0.462, 0.688, 0.735, 0.804, 0.867, 0.935, 1.0]
    m = multinomial(counts, model="mcd", confidence=0.9)
    np.testing.assert_allclose(m.contour(), printed, atol=5e-4)
    assert m.is_consonant


def test_mcd_bounds_are_those_of_the_belief_function():
    counts = np.random.default_rng(5).integers(0, 30, (6, 2, 5))
    counts[0, 0] = 0
    counts[1, 0] = 3
    m = multinomial(counts, model="mcd")
    lower, upper = multinomial_bounds(counts, model="mcd")
    np.testing.assert_allclose(upper, m.contour(), atol=1e-12)
    beliefs = np.stack([m.bel(k) for k in range(5)], axis=-1)
    np.testing.assert_allclose(lower, beliefs, atol=1e-12)
    assert m[0, 0].is_vacuous
    assert m[1, 0].is_vacuous


def test_mcd_of_many_categories():
    counts = np.random.default_rng(6).integers(0, 50, 200)
    m = multinomial(counts, model="mcd")
    assert m.contour().max() == 1
    assert m.is_consonant
    order = np.argsort(counts, kind="stable")
    assert (np.diff(m.contour()[order]) >= 0).all()
