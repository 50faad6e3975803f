"""Beliefs as products over classes: against sets one by one, exactly, and against the fold."""

from fractions import Fraction
from functools import reduce

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import Frame
from dstheory.combine import conjunctive, dempster, mixing
from dstheory.decide import lower_expected_utility
from dstheory.transform import betp
from evical.beliefs import as_beliefs
from evical.beliefs.bounded import Bounded
from evical.beliefs.joined import Joined, conjoined
from evical.beliefs.products import Products
from tests.evical.multiclass.one_vs_rest import one_vs_rest_mass
from tests.evical.multiclass.test_reduction import naive_sources, rational_rule
from tests.naive import decide as naive_decide
from tests.naive import mass as naive
from tests.support.each import each

LETTERS = np.array(list("abcde"))


@st.composite
def exact_sources(draw):
    """Classifiers of one or two folds: columns (3, K) of each fold, as Fractions."""
    n_classes = draw(st.integers(3, 4))
    n_folds = draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))
    return [[draw(_columns(n_classes)) for _ in range(folds)] for folds in n_folds]


@st.composite
def _columns(draw, n_classes):
    columns = []
    for _ in range(n_classes):
        weights = draw(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any))
        columns.append([Fraction(weight, sum(weights)) for weight in weights])
    found = np.array(columns, dtype=object).T
    if not any(naive.conjunctive(*naive_sources(found))):
        vacuous = np.array([Fraction(0), Fraction(0), Fraction(1)], dtype=object)
        found[:, :] = vacuous[:, np.newaxis]  # no total conflict
    return found


def naive_mean(masses):
    return naive.collect((event, v / len(masses)) for m in masses for event, v in m.items())


def naive_source(folds):
    joint = [naive.normalize(naive.conjunctive(*naive_sources(columns))) for columns in folds]
    return naive_mean(joint)


def product_source(folds):
    parts = [Products.of_columns(columns) for columns in folds]
    n_folds = Fraction(1, len(parts))
    return Products.mean(parts, [n_folds] * len(parts))


def check_exact(found, expected, utilities):
    size = len(found.single)
    singles = [frozenset([k]) for k in range(size)]
    bounds = found.interval()
    assert bounds[:, 0].tolist() == [naive.bel(expected, single) for single in singles]
    assert bounds[:, 1].tolist() == [naive.pl(expected, single) for single in singles]
    assert dict(enumerate(found.betp(rational_rule(size)))) == naive.betp(expected, range(size))
    acts = [dict(enumerate(row)) for row in utilities]
    lower = found.lower(np.array(utilities, dtype=object))
    assert lower.tolist() == [naive_decide.lower(expected, act) for act in acts]
    m = found.mass()
    assert naive.collect((frozenset(k), v) for k, v in m.to_dict().items()) == expected


@given(exact_sources(), st.data())
@settings(max_examples=40)
def test_all_beliefs_are_dempsters_rule(folds, data):
    size = folds[0][0].shape[1]
    row = st.lists(st.integers(-3, 3).map(Fraction), min_size=size, max_size=size)
    utilities = data.draw(st.lists(row, min_size=1, max_size=3))
    sources, masses = map(product_source, folds), [naive_source(part) for part in folds]
    joint = reduce(conjoined, sources)
    expected = naive.conjunctive(*masses) if len(masses) > 1 else masses[0]
    if not any(expected.keys()):
        assert joint.total() == 0
        return
    check_exact(joint, naive.normalize(expected), utilities)


def random_columns(rng, n_classes, n_rows):
    return np.moveaxis(rng.dirichlet([0.7, 0.7, 0.7], (n_classes, n_rows)), -1, 0)


def random_sources(n_classes, n_sources, n_folds, n_rows=5):
    """Mass functions and the same as products."""
    rng, frame = np.random.default_rng(n_classes), Frame(range(n_classes))
    listed, products = [], []
    for _ in range(n_sources):
        folds = [random_columns(rng, n_classes, n_rows) for _ in range(n_folds)]
        masses = [one_vs_rest_mass(columns, frame) for columns in folds]
        listed.append(mixing(*masses) if n_folds > 1 else masses[0])
        products.append(Products.mean([Products.of_columns(c) for c in folds]))
    return listed, products


@each("n_classes", [3, 5, 8])
@each(("n_sources", "n_folds"), [(2, 1), (3, 3), (5, 2)])
def test_products_and_tables_equal_the_fold_over_sets(n_classes, n_sources, n_folds):
    listed, products = random_sources(n_classes, n_sources, n_folds)
    m, beliefs = dempster(*listed), Joined(products)
    assert beliefs.n_products == n_folds**n_sources
    belief = np.stack([m.bel(k) for k in range(n_classes)], axis=-1)
    bounds = np.stack([belief, m.contour()], axis=-1)
    np.testing.assert_allclose(beliefs.interval(), bounds, atol=1e-12)
    np.testing.assert_allclose(beliefs.betp(), betp(m), atol=1e-12)
    utilities = np.random.default_rng(0).normal(size=(4, n_classes))
    lower = lower_expected_utility(m, utilities)
    np.testing.assert_allclose(beliefs.lower(utilities), lower, atol=1e-12)
    assert beliefs.mass().equals(m, atol=1e-12)
    kappa = conjunctive(*listed).mass(mask=0)
    np.testing.assert_allclose(beliefs.conflict(), kappa, atol=1e-12)


def test_few_sets_are_products_of_zeros_and_ones():
    rng = np.random.default_rng(0)
    lower = rng.dirichlet(np.ones(5), 6)[:, :4]
    bounds = lower, np.minimum(lower + rng.uniform(size=(6, 4)), 1)
    beliefs = Bounded(np.arange(4), 6, lambda: bounds, share=0.9)
    products = beliefs.products()
    assert products.n_products == beliefs.n_products
    assert products.mass().equals(beliefs.mass(), 1e-15)
    np.testing.assert_allclose(products.interval(), beliefs.interval(), atol=1e-15)
    np.testing.assert_allclose(products.betp(), beliefs.betp(), atol=1e-15)


def bayesian(p):
    return as_beliefs(p, np.arange(p.shape[1])).products()


def test_probabilities_multiply_for_any_number_of_classes():
    p, q = np.random.default_rng(0).dirichlet(np.ones(70), (2, 3))
    joint = Joined(
        [
            bayesian(p),
            bayesian(q),
        ]
    )
    expected = p * q / (p * q).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(joint.betp(), expected, rtol=1e-12)
    m = joint.mass()
    assert m.is_bayesian.all()
    np.testing.assert_allclose(m.contour(), expected, rtol=1e-12)


def test_hundreds_of_classes():
    rng = np.random.default_rng(0)
    sources = [Products.of_columns(random_columns(rng, 400, 2)) for _ in range(3)]
    joint = Joined(sources)
    bounds, p = joint.interval(), joint.betp()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert (bounds[..., 0] <= p * (1 + 1e-9)).all()
    assert (p <= bounds[..., 1] * (1 + 1e-9)).all()


@each("small", [1e-40, 1e-170, 1e-300])
@each("shared", [1, 2])
def test_agreement_below_all_floats_is_not_lost(small, shared):
    """All but excluded: one class, or two that no source tells apart, and nothing else."""
    inside = np.array([1.0] * shared + [0.0] * (3 - shared))
    sources = []
    for sure in (3, 4) * 2:
        single = np.zeros(5)
        single[sure] = 1.0
        present = np.concatenate([inside, [0.0, 0.0]])[np.newaxis]
        sources.append(Products(LETTERS, single, np.array([small]), 1 - present, present))
    batch = [
        Products(
            LETTERS,
            s.single[:, np.newaxis],
            s.scale[:, np.newaxis],
            s.absent[..., np.newaxis],
            s.present[..., np.newaxis],
        )
        for s in sources
    ]
    joint = Joined(batch)
    assert not joint.impossible().any()
    expected = [[1 if shared == 1 else 0, 1], [0, 1 if shared == 2 else 0], *[[0, 0]] * 3]
    assert joint.interval()[0].tolist() == expected
    m = joint.mass().prune()
    assert m.focal.tolist() == [(1 << shared) - 1]


def test_factors_below_all_floats_leave_single_classes():
    """Ten sources that each all but exclude each class: 1e-600 and 2e-600 remain."""
    columns = np.tile([[1.0], [0.0], [1e-60]], (1, 4))
    columns[2, 1] = 2 ** (1 / 10) * 1e-60
    source = Products.of_columns(columns[..., np.newaxis])
    joint = Joined([source] * 10)
    expected = np.array([1, 2, 1, 1]) / 5
    np.testing.assert_allclose(joint.interval()[0], np.stack([expected] * 2, axis=1), rtol=1e-12)
    np.testing.assert_allclose(joint.betp()[0], expected, rtol=1e-12)


def test_a_product_below_all_floats_is_found_from_contours():
    def alone(*present):
        inside = np.array(present)[np.newaxis, :, np.newaxis]
        return Products(LETTERS[:3], np.zeros((3, 1)), np.ones((1, 1)), 1 - inside, inside)

    joint = Joined([alone(1, 1e-300, 0), alone(0, 1e-30, 1)])
    assert joint.interval().tolist() == [[[0, 0], [1, 1], [0, 0]]]


def test_rows_in_total_conflict_are_known_beforehand():
    p = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    q = np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    sources = [
        bayesian(p),
        bayesian(q),
    ]
    joint = Joined(sources)
    assert joint.impossible().tolist() == [True, False]
    assert joint.conflict().tolist() == [1, 0.5]
    silent = Joined([s.vacuous_where(joint.impossible()) for s in sources])
    assert silent.interval().tolist() == [[[0, 1]] * 3, [[0.5, 0.5], [0.5, 0.5], [0, 0]]]
    assert silent.mass().is_vacuous.tolist() == [True, False]


def test_blocks_change_nothing():
    _, products = random_sources(4, 3, 5, n_rows=3000)  # 125 products: six blocks
    joint, few = Joined(products), Joined([source[2990:] for source in products])
    np.testing.assert_array_equal(joint.interval()[2990:], few.interval())
    np.testing.assert_array_equal(joint.mass().masses[2990:], few.mass().masses)


def test_sums_over_sets_are_those_of_products():
    rng = np.random.default_rng(0)
    inside = (rng.random((6, 5, 7)) < 0.5).astype(np.float64)  # some sets are empty
    sets = Products(LETTERS, rng.random((5, 7)), rng.random((6, 7)), 1 - inside, inside)
    # A product that is no set in a single row: all sums are those of products then.
    other = np.concatenate([inside, np.full((1, 5, 7), 0.5)])
    products = Products(
        LETTERS, sets.single, np.concatenate([sets.scale, np.zeros((1, 7))]), 1 - other, other
    )
    for name in ("betp", "interval", "total"):
        np.testing.assert_allclose(getattr(sets, name)(), getattr(products, name)(), atol=1e-14)
