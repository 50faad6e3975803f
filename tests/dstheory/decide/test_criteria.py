"""Point decisions and expectations: definitions on Fractions, laws, oracles, bad input."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, decide
from dstheory.decide._set_acts import owa_expected_utility
from dstheory.errors import TotalConflictError
from dstheory.testing import frames, masses
from dstheory.transform import betp
from tests.dstheory.decide.strategies import as_naive, problems
from tests.naive import decide as naive_decide
from tests.support.each import each

CRITERIA = [decide.maximize_expected_utility, decide.maximin, decide.maximax, decide.hurwicz]
ON_LABELS = [
    decide.maximum_betp,
    decide.maximax,
    decide.maximin,
]


@given(problems(empty=True))
def test_expectations_are_their_definitions(problem):
    m, rows = problem
    m_naive, acts = as_naive(m, rows)
    assert decide.lower_expected_utility(m, rows).tolist() == [
        naive_decide.lower(m_naive, act) for act in acts
    ]
    assert decide.upper_expected_utility(m, rows).tolist() == [
        naive_decide.upper(m_naive, act) for act in acts
    ]
    assert decide.expected_utility(m, rows).tolist() == [
        naive_decide.pignistic(m_naive, act) for act in acts
    ]


@given(problems(empty=True), st.fractions(0, 1, max_denominator=7))
def test_point_decisions_are_their_definitions(problem, alpha):
    m, rows = problem
    m_naive, acts = as_naive(m, rows)

    def best(value):
        return naive_decide.first_best([value(m_naive, act) for act in acts])

    assert decide.maximin(m, rows) == best(naive_decide.lower)
    assert decide.maximax(m, rows) == best(naive_decide.upper)
    assert decide.maximize_expected_utility(m, rows) == best(naive_decide.pignistic)
    assert decide.hurwicz(m, rows, alpha) == best(lambda m, act: naive_decide.mixed(m, act, alpha))


@given(frames().flatmap(masses))
def test_default_utilities_give_belief_pignistic_probability_and_plausibility(m):
    assert decide.lower_expected_utility(m).tolist() == [m.bel(label) for label in m.frame]
    assert decide.upper_expected_utility(m).tolist() == m.contour().tolist()
    assert sum(decide.expected_utility(m)) == 1


@given(problems())
def test_pignistic_expectation_lies_between_the_bounds(problem):
    """The pignistic probability belongs to the credal set (Smets & Kennes 1994)."""
    lower, mean, upper = (
        f(*problem)
        for f in (
            decide.lower_expected_utility,
            decide.expected_utility,
            decide.upper_expected_utility,
        )
    )
    assert (lower <= mean).all()
    assert (mean <= upper).all()


@given(problems())
def test_hurwicz_ends_at_maximin_and_maximax(problem):
    assert decide.hurwicz(*problem, alpha=1) == decide.maximin(*problem)
    assert decide.hurwicz(*problem, alpha=0) == decide.maximax(*problem)


def test_exact_inputs_give_exact_results():
    m = MassFunction(Frame(["a", "b"]), [1, 3], [Fraction(1, 3), Fraction(2, 3)])
    assert decide.expected_utility(m).tolist() == [Fraction(2, 3), Fraction(1, 3)]
    assert type(decide.lower_expected_utility(m, [[3, 1]])[0]) is Fraction
    x = sympy.Symbol("x")
    symbolic = MassFunction(m.frame, [1, 3], [x, 1 - x])
    assert sympy.simplify(decide.expected_utility(symbolic)[1] - (1 - x) / 2) == 0


def test_oracle_improb_lower_expectations():
    """improb, lowprev/belfunc.py doctest."""
    m = MassFunction(Frame(["0", "1"]), [1, 2, 3], [0.3, 0.2, 0.5])
    found = decide.lower_expected_utility(m, [[1, 0], [0, 1], [4, 9], [5, 1]])
    assert found == pytest.approx([0.3, 0.2, 5.0, 2.2], abs=1e-12)


def test_oracle_bounds_of_labels_and_reject():
    """Masses of evtools tests/test_conversions.py; a reject act of utility 0.5."""
    m = MassFunction(Frame(["a", "b", "c"]), [1, 3, 7], [0.3, 0.4, 0.3])
    utilities = decide.with_reject(np.eye(3), 0.5)
    assert decide.lower_expected_utility(m, utilities) == pytest.approx([0.3, 0, 0, 0.5], abs=1e-12)
    assert decide.upper_expected_utility(m, utilities) == pytest.approx([1, 0.7, 0.3, 0.5])
    assert decide.expected_utility(m) == pytest.approx([0.6, 0.3, 0.1])


def test_oracle_troffaes_gamma_maximin():
    """Troffaes 2007, the six gambles on a coin: the constant one wins."""
    m = MassFunction(Frame(["H", "T"]), [1, 2, 3], [0.28, 0.3, 0.42])
    gambles = [[4, 0], [0, 4], [3, 2], [0.5, 3], [2.35, 2.35], [4.1, -0.3]]
    assert decide.maximin(m, gambles) == 4
    assert decide.maximin(m, gambles, acts=["g1", "g2", "g3", "g4", "g5", "g6"]) == "g5"


@pytest.mark.parametrize("rule", ON_LABELS)
def test_labels_keep_their_type(rule):
    def chosen(labels):
        m = MassFunction(Frame(labels), [2, 3], [[0.5, 0.5], [1.0, 0.0]])
        return rule(m), rule(m[0])

    batch, single = chosen(["ant", "bee"])
    assert batch.dtype.kind == "U"
    assert batch.tolist() == ["bee", "bee"]
    assert type(single) is str
    batch, single = chosen([10, 20])
    assert batch.dtype.kind == "i"
    assert type(single) is int
    batch, single = chosen([(0, 1), (0, 2)])
    assert batch.tolist() == [(0, 2), (0, 2)]
    assert single == (0, 2)
    assert chosen(["1", 1])[0].tolist() == [1, 1]
    assert chosen([None, "a\0"])[1] == "a\0"
    assert chosen(["a", "a\0"])[0].tolist() == ["a\0", "a\0"]


@pytest.mark.parametrize("rule", ON_LABELS)
def test_ties_go_to_the_first_label(rule):
    assert rule(MassFunction(Frame(["a", "b"]), [3], [1.0])) == "a"
    assert rule(MassFunction(Frame(["a", "b", "c"]), [2, 4], [0.5, 0.5])) == "b"
    rounded = MassFunction(Frame(["a", "b", "c", "d"]), [1, 2, 4, 8], [0.3, 0.1 + 0.2, 0.2, 0.2])
    assert rule(rounded) == "a"


@pytest.mark.parametrize("rule", CRITERIA)
def test_acts_are_labels_indices_or_names(rule):
    m = MassFunction(Frame(["a", "b"]), [2, 3], [[0.6, 0.4]] * 3).reshape(3, 1)
    assert rule(m).tolist() == [["b"]] * 3
    assert rule(m, np.eye(2)).tolist() == [[1]] * 3
    assert rule(m, np.eye(2), acts=["stay", "go"]).tolist() == [["go"]] * 3
    assert rule(m[0, 0], np.eye(2)) == 1
    assert type(rule(m[0, 0], np.eye(2))) is int
    assert rule(m, acts=np.array([5, 6])).tolist() == [[6]] * 3


@each("rule", [*CRITERIA, *ON_LABELS])
def test_each_row_of_a_batch_is_decided_alone(rule):
    store = np.random.default_rng(0).dirichlet(np.ones(7), size=(4, 3))
    m = MassFunction(Frame([0, 1, 2]), range(1, 8), store)
    assert [[rule(one) for one in row] for row in m] == rule(m).tolist()


@each("rule", [*CRITERIA, *ON_LABELS])
def test_subnormal_masses_are_normalized_and_total_conflict_is_refused(rule):
    frame = Frame(["a", "b"])
    half = MassFunction(frame, [0, 1, 2], [0.5, 0.1, 0.4])
    assert rule(half) == rule(half.normalize()) == "b"
    with pytest.raises(TotalConflictError, match=r"1 of 2 rows \(first: row 1\)"):
        rule(MassFunction(frame, [0, 1], [[0.5, 0.5], [1, 0]]))


def test_large_frames_work():
    frame = Frame(range(100))
    m = MassFunction.from_dict(frame, {99: 0.5, frame: 0.5})
    assert decide.maximum_betp(m) == 99
    assert decide.upper_expected_utility(m)[[0, 99]].tolist() == [0.5, 1.0]


def test_hurwicz_degree_is_checked():
    m = MassFunction(Frame(["a", "b"]), [3], [1.0])
    for alpha in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match=r"alpha is .*, expected a number from 0 to 1"):
            decide.hurwicz(m, alpha=alpha)
    with pytest.raises(TypeError, match="alpha is 'high', expected a number from 0 to 1"):
        decide.hurwicz(m, alpha="high")


@pytest.mark.parametrize("rule", CRITERIA)
def test_bad_input_is_named(rule):
    m = MassFunction(Frame(["a", "b"]), [3], [1.0])
    with pytest.raises(ValueError, match=r"shape \(1, 3\), expected \(A, 2\)"):
        rule(m, [[1, 2, 3]])
    with pytest.raises(ValueError, match=r"shape \(2,\), expected \(A, K\)"):
        rule(m, [1, 2])
    with pytest.raises(ValueError, match="not finite in row 1"):
        rule(m, [[1, 2], [np.nan, 0]])
    with pytest.raises(TypeError, match=r"utilities have dtype \w+, expected real numbers"):
        rule(m, [["x", "y"]])
    with pytest.raises(ValueError, match="acts has 1 names, but there are 2 acts"):
        rule(m, np.eye(2), acts=["go"])
    with pytest.raises(TypeError, match="acts is 'go', expected the names of the acts"):
        rule(m, np.eye(2), acts="go")
    with pytest.raises(TypeError, match=r"m is .*, expected a MassFunction"):
        rule({"a": 1})


@given(frames().flatmap(lambda frame: masses(frame)))
def test_default_expectation_is_the_pignistic_probability(m):
    assert decide.expected_utility(m).tolist() == betp(m).tolist()
    assert owa_expected_utility(m).dtype == float


POINT_DECISIONS = [*CRITERIA, *ON_LABELS, decide.owa, decide.minimax_regret]
SET_VALUED = [
    decide.interval_dominance,
    decide.strong_dominance,
    decide.weak_dominance,
    decide.maximality,
    decide.e_admissibility,
    decide.appriou,
    decide.nearest_set,
]


@each("rule", [*POINT_DECISIONS, *SET_VALUED])
def test_batches_may_be_empty_and_frames_may_have_one_label(rule):
    nobody = MassFunction(Frame(["a", "b"]), [1, 3], np.zeros((0, 2)))
    assert rule(nobody).shape == ((0,) if rule in POINT_DECISIONS else (0, 2))
    one = MassFunction(Frame(["a"]), [1], [1.0])
    assert np.asarray(rule(one)).tolist() == ("a" if rule in POINT_DECISIONS else [True])
