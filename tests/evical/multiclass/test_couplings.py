"""Couplings against their definitions, exactly solved small problems, and their laws."""

from fractions import Fraction
from functools import partial
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from evical.multiclass import code_matrix, hastie_tibshirani, least_squares, normalize, wu_lin_weng
from evical.multiclass.coupling import coupling_divergence, hastie_tibshirani_steps
from tests.naive import coupling as naive_coupling
from tests.support.each import each

KINDS = ("one_vs_rest", "all_pairs", "sparse", "complete")
COUPLINGS = {
    "least_squares": least_squares,
    "scoring": hastie_tibshirani,
    "minorize": partial(hastie_tibshirani, update="minorize", atol=1e-12, max_iter=20_000),
}
# A code of the user's: seven columns, of sides of one to three classes.
OWN = [
    [1, 1, 1, 0, 0, 1, 1],
    [-1, 1, 0, 1, 0, 1, -1],
    [0, -1, -1, -1, 1, -1, 0],
    [0, -1, 0, 0, -1, 1, 1],
]

codes = st.one_of(
    st.just(np.array(OWN)),
    st.builds(partial(code_matrix, random_state=0), st.sampled_from(KINDS), st.integers(3, 4)),
)


@st.composite
def truths(draw):
    """A code, exact class probabilities, and column weights."""
    code = draw(codes)
    shares = draw(st.lists(st.integers(1, 20), min_size=len(code), max_size=len(code)))
    p = [Fraction(s, sum(shares)) for s in shares]
    n = code.shape[1]
    weights = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    return code, p, weights


@st.composite
def inconsistent(draw, least=0):
    """A code, answers in sixteenths, and column weights."""
    code = draw(codes)
    n = code.shape[1]
    answers = st.integers(least, 16 - least).map(lambda i: Fraction(i, 16))
    r = draw(st.lists(answers, min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    return code, r, weights


def floats(values):
    return np.array([[float(v) for v in values]])


def random_answers(kind, n_classes=5, n=40, seed=0):
    code = code_matrix(kind, n_classes, random_state=0)
    r = np.random.default_rng(seed).beta(0.5, 0.5, (n, code.shape[1]))
    return r.clip(1e-3, 1 - 1e-3), code


# Definitions


@given(truths())
def test_consistent_answers_give_the_truth(truth):
    code, p, weights = truth
    r = floats(naive_coupling.answers(p, code.tolist()))
    np.testing.assert_allclose(least_squares(r, code, weights), floats(p), atol=1e-9)
    np.testing.assert_allclose(hastie_tibshirani(r, code, weights), floats(p), atol=1e-7)


@given(truths())
def test_truth_stands_still(truth):
    """Consistent answers are a fixed point of every update, exactly."""
    code, p, weights = truth
    rows = code.tolist()
    r = naive_coupling.answers(p, rows)
    assert naive_coupling.minorize_step(p, r, rows, weights) == p
    assert naive_coupling.zadrozny_step(p, r, rows, weights) == p


@given(truths())
def test_normalized_truth(truth):
    _, p, _ = truth
    np.testing.assert_allclose(normalize(floats([v / 2 for v in p])), floats(p), rtol=1e-14)


@given(inconsistent())
def test_least_squares_is_the_exact_minimum(problem):
    code, r, weights = problem
    rows = code.tolist()
    found = least_squares(floats(r), code, weights)[0]
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-14)
    value = naive_coupling.squares(found.tolist(), [float(x) for x in r], rows, weights)
    best = naive_coupling.least_squares(r, rows, weights)
    # A singular support has a smaller one with the same value, unless all of them are.
    if best is not None:
        assert value <= float(best) + 1e-12


@given(inconsistent(least=1), st.sampled_from(["minorize", "zadrozny"]))
def test_steps_are_the_printed_ones(problem, update):
    code, r, weights = problem
    rows = code.tolist()
    step = getattr(naive_coupling, f"{update}_step")
    p = naive_coupling.votes(r, rows)
    steps = hastie_tibshirani_steps(floats(r), code, weights, update)
    np.testing.assert_allclose(next(steps), floats(p), rtol=1e-13)
    for found in islice(steps, 2):
        p = step(p, r, rows, weights)
        np.testing.assert_allclose(found, floats(p), rtol=1e-11)


@given(inconsistent(least=1))
def test_divergence_definition(problem):
    code, r, weights = problem
    p = naive_coupling.votes(r, code.tolist())
    mean = sum(weights) / len(weights)
    expected = naive_coupling.divergence(p, r, code.tolist(), [w / mean for w in weights])
    found = coupling_divergence(floats(p), floats(r), code, weights)
    np.testing.assert_allclose(found, [expected], rtol=1e-9, atol=1e-13)


@given(inconsistent())
def test_non_iterative_definition(problem):
    code, r, weights = problem
    expected = floats(naive_coupling.votes(r, code.tolist()))
    found = hastie_tibshirani(floats(r), code, weights, iterative=False)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


# Small problems by brute force


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_on_the_simplex_is_nearer(kind):
    """Divergence: from three starts, a general optimizer finds nothing better."""
    r, code = random_answers(kind, n_classes=4, n=4)
    p = hastie_tibshirani(r, code, max_iter=5000)
    starts = np.random.default_rng(1).normal(size=(3, 4))
    for row, found in zip(r, p, strict=True):

        def loss(logits, row=row):
            q = np.exp(logits - logits.max())
            return coupling_divergence([q / q.sum()], [row], code)[0]

        best = min(minimize(loss, start, method="BFGS").fun for start in starts)
        assert coupling_divergence([found], [row], code)[0] <= best + 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_least_squares_against_slsqp(kind):
    r, code = random_answers(kind, n_classes=6, n=8)
    sides = [(code == sign).astype(float) for sign in (1, -1)]

    def loss(p, row):
        return (((1 - row) * (p @ sides[0]) - row * (p @ sides[1])) ** 2).sum()

    total = {"type": "eq", "fun": lambda p: p.sum() - 1}
    for row, found in zip(r, least_squares(r, code), strict=True):
        start, bounds = np.full(6, 1 / 6), [(0, 1)] * 6
        other = minimize(loss, start, (row,), "SLSQP", bounds=bounds, constraints=total)
        assert loss(found, row) <= loss(other.x, row) + 1e-12


@given(
    st.integers(2, 6).flatmap(
        lambda k: st.lists(st.floats(0, 1), min_size=k * (k - 1) // 2, max_size=k * (k - 1) // 2)
    )
)
def test_wu_lin_weng_is_least_squares(r):
    found = wu_lin_weng([r])
    code = code_matrix("all_pairs", found.shape[1])
    sides = [(code == sign).astype(float) for sign in (1, -1)]
    rows = np.array(r)
    losses = [
        (((1 - rows) * (p @ sides[0]) - rows * (p @ sides[1])) ** 2).sum()
        for p in (found, least_squares([r], code))
    ]
    assert losses[0] == pytest.approx(losses[1], abs=1e-12)


# Laws


@each("update", ["minorize", "scoring"])
@each("kind", KINDS)
def test_divergence_falls_at_every_step(kind, update):
    r, code = random_answers(kind, n=20)
    weights = np.arange(1, code.shape[1] + 1)
    steps = islice(hastie_tibshirani_steps(r, code, weights, update), 60)
    path = np.array([coupling_divergence(p, r, code, weights) for p in steps])
    assert np.diff(path, axis=0).max() <= 1e-12
    assert (path[-1] < path[0]).all()


def test_printed_update_falls_for_all_pairs():
    r, code = random_answers("all_pairs")
    both = [
        list(islice(hastie_tibshirani_steps(r, code, update=update), 10))
        for update in ("minorize", "zadrozny")
    ]
    np.testing.assert_allclose(*both, rtol=1e-10)


def test_printed_update_rises_for_one_vs_rest():
    """Its fixed point solves other equations: the printed claim is for all pairs only."""
    r, code = random_answers("one_vs_rest")
    steps = islice(hastie_tibshirani_steps(r, code, update="zadrozny"), 30)
    path = np.array([coupling_divergence(p, r, code) for p in steps])
    assert (np.diff(path, axis=0).max(axis=0) > 1e-6).mean() > 0.5


@pytest.mark.parametrize("update", ["scoring", "minorize"])
def test_updates_agree_for_all_pairs(update):
    r, code = random_answers("all_pairs")
    settled = hastie_tibshirani(r, code, update=update, atol=1e-12, max_iter=20_000)
    np.testing.assert_allclose(settled, hastie_tibshirani(r, code), atol=1e-7)


@each("name", COUPLINGS)
@each("kind", KINDS)
def test_renaming_classes_renames_the_result(kind, name):
    r, code = random_answers(kind, n_classes=4)
    order = np.array([2, 0, 3, 1])
    couple = COUPLINGS[name]
    np.testing.assert_allclose(couple(r, code[order]), couple(r, code)[:, order], atol=1e-6)


@pytest.mark.parametrize("name", COUPLINGS)
def test_exchanging_sides_changes_nothing(name):
    r, code = random_answers("all_pairs", n_classes=4)
    signs = np.array([1, -1, 1, -1, -1, 1])
    turned = np.where(signs == 1, r, 1 - r)
    couple = COUPLINGS[name]
    np.testing.assert_allclose(couple(turned, code * signs), couple(r, code), atol=1e-7)


@each("name", COUPLINGS)
@each("kind", KINDS)
def test_rows_are_independent(kind, name):
    """Whatever the chunks, and whoever settles first."""
    r, code = random_answers(kind, n_classes=3, n=1500)
    couple = COUPLINGS[name] if name != "minorize" else partial(COUPLINGS[name], max_iter=20)
    alone = np.vstack([couple(r[[i]], code) for i in (0, 1023, 1024, 1499)])
    np.testing.assert_allclose(couple(r, code)[[0, 1023, 1024, 1499]], alone, atol=1e-12)


@pytest.mark.parametrize("name", COUPLINGS)
def test_weights_are_relative(name):
    r, code = random_answers("sparse", n_classes=4)
    weights = np.arange(1.0, code.shape[1] + 1)
    couple = COUPLINGS[name]
    first = couple(r, code, weights)
    np.testing.assert_allclose(first, couple(r, code, weights * 1e200), atol=1e-9)
    assert np.abs(first - couple(r, code)).max() > 1e-3


# The ends of the scale


@each("kind", KINDS)
@each("n_classes", [2, 3, 5])
def test_certain_answers(kind, n_classes):
    """A class that all columns of its own name has everything."""
    code = code_matrix(kind, n_classes, random_state=0)
    unsure = 0.3  # of columns that ignore the class
    r = np.where(code == 1, 1.0, np.where(code == -1, 0.0, unsure))
    for p in (
        hastie_tibshirani(r, code),
        hastie_tibshirani(r, code, update="minorize", max_iter=50),
        least_squares(r, code),
    ):
        assert np.isfinite(p).all()
        np.testing.assert_array_equal(p.argmax(axis=1), np.arange(n_classes))
    np.testing.assert_allclose(hastie_tibshirani(r, code), np.eye(n_classes), atol=1e-6)
    np.testing.assert_allclose(least_squares(r, code), np.eye(n_classes), atol=1e-6)


@given(inconsistent())
def test_zeros_and_ones_are_taken_as_they_are(problem):
    """Every answer rounded to 0, 1/2 or 1: finite, on the simplex, no warning."""
    code, r, weights = problem
    extreme = np.round(2 * floats(r)) / 2
    for update in ("scoring", "minorize", "zadrozny"):
        p = hastie_tibshirani(extreme, code, weights, update=update, max_iter=30)
        assert p.min() >= 0
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    p = least_squares(extreme, code, weights)
    assert p.min() >= 0
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)


def test_continuous_at_the_ends():
    """Answers of 1e-9 give nearly what answers of 0 give."""
    code = code_matrix("all_pairs", 4)
    r = np.array([[1, 1, 0.7, 0.4, 0, 0.5], [0.2, 0, 0, 0.5, 0.5, 1]])
    near = r.clip(1e-9, 1 - 1e-9)
    np.testing.assert_allclose(hastie_tibshirani(r, code), hastie_tibshirani(near, code), atol=1e-3)
    np.testing.assert_allclose(least_squares(r, code), least_squares(near, code), atol=1e-6)


def test_cycle_of_certain_answers_is_undecided():
    """Each class beats the next one."""
    code = code_matrix("all_pairs", 3)
    for p in (hastie_tibshirani([[1, 0, 1]], code), least_squares([[1, 0, 1]], code)):
        np.testing.assert_allclose(p, [[1 / 3, 1 / 3, 1 / 3]], atol=1e-9)


def test_code_that_leaves_something_open():
    """Two columns for four classes: any p with the right sums; the most even one is taken."""
    code = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    r = np.array([[0.75, 0.5], [1.0, 0.0]])
    p = least_squares(r, code)
    np.testing.assert_allclose(p @ (np.array(code) == 1), r, atol=1e-6)
    np.testing.assert_allclose(p[0], [0.375, 0.375, 0.125, 0.125], atol=1e-3)
    coupled = hastie_tibshirani(r, code)
    np.testing.assert_allclose(coupled @ (np.array(code) == 1), r, atol=1e-6)


def test_subnormal_scores_are_normalized():
    np.testing.assert_array_equal(normalize([[5e-324, 5e-324]]), [[0.5, 0.5]])
    np.testing.assert_array_equal(normalize([[0.0, 0.0, 0.0]]), np.full((1, 3), 1 / 3))
    np.testing.assert_array_equal(normalize([[0.25]]), [[0.25, 0.75]])


@pytest.mark.parametrize("couple", [least_squares, hastie_tibshirani])
def test_no_samples(couple):
    code = code_matrix("all_pairs", 3)
    assert couple(np.empty((0, 3)), code).shape == (0, 3)
    assert wu_lin_weng(np.empty((0, 3))).shape == (0, 3)


def test_inputs_are_not_changed():
    r, code = random_answers("sparse")
    copies = r.copy(), code.copy()
    r.setflags(write=False)
    hastie_tibshirani(r, code)
    least_squares(r, code)
    normalize(r)
    np.testing.assert_array_equal(r, copies[0])
    np.testing.assert_array_equal(code, copies[1])


# Refusals


@pytest.mark.parametrize("couple", [least_squares, hastie_tibshirani, hastie_tibshirani_steps])
def test_refusals(couple):
    code = code_matrix("all_pairs", 3)
    with pytest.raises(ValueError, match=r"r\[1, 2\] is nan, expected a probability"):
        couple([[0, 0, 0], [0, 1, np.nan]], code)
    with pytest.raises(ValueError, match=r"r\[0, 0\] is -0.1"):
        couple([[-0.1, 0, 0]], code)
    with pytest.raises(ValueError, match=r"r has shape \(1, 2\), expected \(n, 3\)"):
        couple([[0.5, 0.5]], code)
    with pytest.raises(ValueError, match=r"weights\[1\] is 0.0, expected a positive"):
        couple([[0.5, 0.5, 0.5]], code, [1, 0, 1])
    with pytest.raises(ValueError, match=r"weights have shape \(2,\), expected \(3,\)"):
        couple([[0.5, 0.5, 0.5]], code, [1, 1])


def test_further_refusals():
    with pytest.raises(ValueError, match=r"r\[0, 1\] is 1.5"):
        normalize([[0.5, 1.5]])
    with pytest.raises(ValueError, match=r"r has 4 columns, which is not K \(K - 1\) / 2"):
        wu_lin_weng([[0.5] * 4])
    with pytest.raises(ValueError, match="update is 'newton', expected one of 'scoring'"):
        hastie_tibshirani([[0.5]], [[1], [-1]], update="newton")
    with pytest.raises(ValueError, match=r"p\[0, 0\] is 2.0, expected"):
        coupling_divergence([[2, 0]], [[0.5]], [[1], [-1]])
