"""One protocol: every kind of beliefs answers as the list of its masses does."""

from fractions import Fraction

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from dstheory.combine import conjunctive, dempster, mixing
from dstheory.decide import interval_dominance, maximality, minimax_regret
from dstheory.errors import CostLimitError
from dstheory.transform import betp
from evical.beliefs import as_beliefs
from evical.beliefs.bounded import Bounded
from evical.beliefs.composed import conflict, joined, mean, placed
from evical.beliefs.consonant import Consonant
from evical.beliefs.joined import Joined
from evical.beliefs.listed import Listed
from evical.beliefs.products import Products
from evical.multiclass import code_beliefs, code_matrix
from tests.naive import approximate as naive_approximate
from tests.naive import mass as naive
from tests.support.each import each

N = 6


def names(k):
    return np.array([f"c{at:02d}" for at in range(k)])


def bayesian(k, seed=0):
    return as_beliefs(np.random.default_rng(seed).dirichlet(np.ones(k), N), names(k))


def bounded(k, share=1.0, known=False):
    rng = np.random.default_rng(1)
    lower = rng.dirichlet(np.ones(k + 1), N)[:, :k]
    upper = np.minimum(lower + rng.uniform(size=(N, k)), 1)
    made = Bounded(names(k), N, lambda: (lower, upper), share=share)
    return Bounded(names(k), N, lambda: (lower, upper), made.betp(), share) if known else made


def normal(k, model):
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(k), N)
    error = rng.exponential(size=(N, k))
    return Bounded.normal(names(k), p, lambda: error, model, 0.9)


def products(k, seed=3):
    columns = np.random.default_rng(seed).dirichlet(np.ones(3), (k, N)).transpose(2, 0, 1)
    return Products.of_columns(columns, names(k))


def consonant(k):
    contour = np.random.default_rng(4).uniform(size=(N, k))
    contour[np.arange(N), np.arange(N) % k] = 1
    contour[1] = 1
    return Consonant(names(k), contour)


def listed(k):
    rng = np.random.default_rng(5)
    focal = [1, 2, 3, 2**k - 1] if k > 2 else [1, 2, 3]
    store = rng.dirichlet(np.ones(len(focal)), N).T
    store[:, 2] = np.eye(len(focal))[-1]
    return Listed(names(k), np.array(focal), store)


def parts(k):
    return [(np.array([4, 0]), products(k)[[0, 1]]), (np.array([2]), bayesian(k)[:1])]


def of_code(k):
    code = code_matrix("all_pairs", k)
    size = code.shape[1], N
    columns = np.random.default_rng(6).dirichlet(np.ones(3), size).transpose(2, 0, 1)
    return code_beliefs(columns, names(k), code)


KINDS = {
    "Bayesian": bayesian,
    "Bounded": bounded,
    "Bounded, known": lambda k: bounded(k, known=True),
    "Bounded, weakened": lambda k: bounded(k, 0.75),
    "likelihood": lambda k: normal(k, "likelihood"),
    "confidence": lambda k: normal(k, "confidence"),
    "Products": products,
    "Consonant": consonant,
    "Listed": listed,
    "mean": lambda k: mean([products(k), bayesian(k), consonant(k)], [0.5, 0.2, 0.3]),
    "mean of listed": lambda k: mean([listed(k), bayesian(k)]),
    "discounted": lambda k: mean([bounded(k), placed(names(k), N, [])], [0.9, 0.1]),
    "placed": lambda k: placed(names(k), N, parts(k)),
    "placed, listed": lambda k: placed(names(k), N, [(np.array([1, 3]), listed(k)[[0, 2]])]),
    "nothing": lambda k: placed(names(k), N, []),
    "Joined": lambda k: joined([products(k), products(k, 7), mean([products(k, 8), bounded(k)])]),
    "joined with nothing": lambda k: Joined(
        [products(k), placed(names(k), N, parts(k)).products()]
    ),
    "probabilities joined": lambda k: joined([bayesian(k), bayesian(k, 9)]),
    "a code": of_code,
}


def check_as_listed(beliefs, acts):
    m = beliefs.mass()
    same = Listed.of(m, beliefs.classes)
    np.testing.assert_allclose(np.asarray(m.masses, dtype=float).sum(axis=1), 1, atol=1e-12)
    assert len(beliefs) == len(m)
    for answer in ("betp", "interval"):
        found = getattr(beliefs, answer)()
        np.testing.assert_allclose(found, getattr(same, answer)(), atol=1e-12, err_msg=answer)
    contour, other = beliefs.contour(), same.contour()
    np.testing.assert_allclose(
        contour / contour.sum(axis=1, keepdims=True),
        other / other.sum(axis=1, keepdims=True),
        atol=1e-12,
    )
    np.testing.assert_allclose(beliefs.lower(acts), same.lower(acts), atol=1e-12)


def acts(k):
    return np.vstack([np.eye(k), np.full(k, 0.4), np.random.default_rng(0).normal(size=(2, k))])


@each("kind", KINDS)
@each("k", [2, 3, 5])
def test_answers_are_those_of_the_listed_masses(kind, k):
    if k > 2 or kind != "a code":
        check_as_listed(KINDS[kind](k), acts(k))


@each("kind", KINDS)
@each("k", [3, 5])
def test_products_are_the_same_beliefs(kind, k):
    beliefs = KINDS[kind](k)
    if beliefs.n_products is None:
        with pytest.raises(CostLimitError, match=f"about {k} classes list all sets"):
            beliefs.products()
        return
    found = beliefs.products()
    assert found.n_products <= beliefs.n_products
    assert found.mass().equals(beliefs.mass(), 1e-12)
    check_as_listed(found, acts(k))


@each("kind", KINDS)
@each("rows", [[5, 0, 2], slice(1, 4), np.arange(N) % 2 == 0, []], ids=str)
def test_rows_are_rows_of_each_answer(kind, rows):
    beliefs = KINDS[kind](3)
    some = beliefs[rows]
    assert len(some) == len(np.arange(N)[rows])
    if not len(some):
        return
    np.testing.assert_allclose(some.betp(), beliefs.betp()[rows], atol=1e-12)
    np.testing.assert_allclose(some.interval(), beliefs.interval()[rows], atol=1e-12)
    np.testing.assert_array_equal(some.silent, beliefs.silent[rows])
    assert some.mass().equals(beliefs.mass()[rows], 1e-12)


@each("kind", KINDS)
def test_criteria_decide_as_on_the_listed_masses(kind):
    beliefs = KINDS[kind](3)
    for rule in (interval_dominance, maximality, minimax_regret):
        found, wanted = rule(beliefs.expectations(), acts(3)), rule(beliefs.mass(), acts(3))
        np.testing.assert_array_equal(found, wanted)


@each("kind", KINDS)
@each("k", [2, 4, 6])
def test_singletons_are_an_outer_approximation(kind, k):
    if k == 2 and kind == "a code":
        return
    beliefs = KINDS[kind](k)
    m, found = beliefs.mass(), beliefs.singletons()
    frame = frozenset(names(k).tolist())
    for row in range(N):
        whole = {frozenset(a): v for a, v in m[row].to_dict().items()}
        few = {frozenset(a): v for a, v in found[row].to_dict().items()}
        expected = naive_approximate.singletons(whole, frame)
        for event in {*expected, *few}:
            assert abs(expected.get(event, 0) - few.get(event, 0)) < 1e-12
        rest = few.get(frame, 0) + 1e-12
        for event in naive.subsets(frame):
            assert -1e-12 <= naive.bel(whole, event) - naive.bel(few, event) <= rest
            assert -1e-12 <= naive.pl(few, event) - naive.pl(whole, event) <= rest
        shift = np.abs(betp(m[row].normalize()) - betp(found[row].normalize())).max()
        assert shift <= rest / 2


def test_singletons_of_many_classes():
    for kind in ("Products", "Joined", "discounted", "placed", "likelihood", "confidence"):
        for k in (18, 100):
            beliefs = KINDS[kind](k)
            m = beliefs.listed("singletons")
            assert m.masses.shape == (N, k + 1)
            bounds = beliefs.interval()
            np.testing.assert_allclose(m.masses[:, :k], bounds[..., 0], atol=1e-12)
            np.testing.assert_allclose(m.bel(names(k)[k - 1]), bounds[:, -1, 0], atol=1e-12)
            assert (m.contour() >= bounds[..., 1] - 1e-12).all()
    with pytest.raises(ValueError, match="sets is 'pairs', expected"):
        beliefs.listed("pairs")


def test_the_empty_set_keeps_its_mass_among_singletons():
    m = MassFunction(Frame(names(3)), [0, 1, 6], [[Fraction(1, 2), Fraction(1, 8), Fraction(3, 8)]])
    found = Listed.of(m).singletons()
    assert found.masses.tolist() == [[Fraction(1, 2), Fraction(1, 8), 0, 0, Fraction(3, 8)]]


def test_silence():
    """Closed beliefs about three classes that happen to be vacuous say so; of two, nothing."""
    for k, flat in ((2, True), (3, False)):
        assert consonant(k).silent.tolist() == [False, flat, *[False] * 4]
        assert listed(k).silent.tolist() == [False, False, True, False, False, False]
        assert KINDS["placed"](k).silent.tolist() == [False, True, False, True, False, True]
        assert KINDS["nothing"](k).silent.all()
        assert not KINDS["mean"](k).silent.any()
        both = mean([KINDS["placed"](k), KINDS["nothing"](k)])
        assert both.silent.tolist() == KINDS["placed"](k).silent.tolist()


def test_nothing_is_computed_before_it_is_asked_for():
    p = np.full((2, 3), 1 / 3)

    def error():
        raise AssertionError("asked for")

    beliefs = Bounded.normal(names(3), p, error, "likelihood", 0.9)
    np.testing.assert_array_equal(mean([beliefs, beliefs])[:1].betp(), p[:1])
    with pytest.raises(AssertionError, match="asked for"):
        beliefs.interval()


def test_many_classes_are_refused_where_all_sets_would_be_listed():
    for kind in ("Products", "Joined", "discounted", "placed", "mean"):
        beliefs = KINDS[kind](18)
        assert beliefs.interval().shape == (N, 18, 2)
        assert beliefs.expectations().lower_expected_utility(np.eye(18)).shape == (N, 18)
        if kind != "discounted":  # sets of bounds are few
            message = r"18 classes have 2\^18 sets, 2 MB .*sets='singletons'"
            with pytest.raises(CostLimitError, match=message):
                beliefs.mass()
    for kind in ("Bayesian", "likelihood", "probabilities joined", "Consonant", "nothing"):
        check_as_listed(KINDS[kind](18), acts(18))


def test_empty_sets_are_told_to_criteria():
    frame = Frame(names(3))
    m = MassFunction(frame, [0, 1, 6], [[0.5, 0.25, 0.25]] * N)
    beliefs = as_beliefs(m, names(3))
    assert beliefs.expectations().mass(mask=0).tolist() == [0.5] * N
    np.testing.assert_allclose(beliefs.betp()[0], [0.5, 0.25, 0.25])
    np.testing.assert_allclose(beliefs.interval()[0], [[0.25, 0.25], [0, 0.25], [0, 0.25]])
    both = mean([beliefs, bayesian(3)])
    assert both.mass().equals(mixing(m, bayesian(3).mass()), 1e-15)


@each("k", [2, 3, 18])
def test_conflict_is_that_of_the_conjunctive_rule(k):
    sources = [bayesian(k), bayesian(k, 9), KINDS["likelihood"](k)]
    masses = [source.mass() for source in sources]
    expected = conjunctive(*masses).mass(mask=0)
    np.testing.assert_allclose(conflict(sources), expected, atol=1e-12)
    if k > 2:
        assert joined(sources).mass().equals(dempster(*masses), 1e-12)


def test_probabilities_are_checked():
    for value, message in (
        ([[0.5, 0.6]], r"probabilities\[0\] is \[0.5, 0.6\], expected numbers from 0"),
        ([[0.5, 0.5], [np.nan, 1.0]], r"probabilities\[1\] is \[nan, 1.0\]"),
        ([0.5, 0.5], r"shape \(2,\), expected \(n, 2\)"),
        ([[0.2, 0.3, 0.5]], r"shape \(1, 3\), expected \(n, 2\)"),
    ):
        with pytest.raises(ValueError, match=message):
            as_beliefs(value, names(2))
