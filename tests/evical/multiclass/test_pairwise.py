"""Belief from conditional beliefs: recovery, optimality, and the Bayesian special case."""

import numpy as np
import pytest
from scipy.optimize import minimize

from dstheory import Frame, MassFunction
from dstheory.revise import condition
from dstheory.transform import betp
from evical.multiclass import code_matrix, pairwise_belief
from tests.naive import code as naive_code


def conditionals(m):
    """Columns of all pairs, each the conditional of one mass function, and their coverage."""
    size = len(m.frame)
    columns, coverage = [], []
    for i in range(size):
        for j in range(i + 1, size):
            given = condition(m, [i, j])
            columns.append([given.mass(event) for event in (j, i, (i, j))])
            coverage.append(m.pl([i, j]))
    return np.array(columns).T, np.array(coverage)


def random_mass(size, seed=0):
    weights = np.random.default_rng(seed).dirichlet(np.ones((1 << size) - 1))
    return MassFunction(Frame(range(size)), range(1, 1 << size), weights)


def criterion(m, columns, coverage=None):
    """The sum of squares, by the definition of conditioning."""
    masses = {frozenset(event): value for event, value in m.to_dict().items()}
    size, total, b = len(m.frame), 0.0, 0
    for i in range(size):
        for j in range(i + 1, size):
            pair = frozenset([i, j])
            given = naive_code.conditional(masses, pair)
            pl = 1 - given.get(frozenset(), 0) if coverage is None else coverage[b]
            events = [frozenset([j]), frozenset([i]), pair]
            for event, mass in zip(events, columns[:, b], strict=True):
                total += (pl * mass - given.get(event, 0)) ** 2
            if coverage is not None:
                total += (1 - pl - given.get(frozenset(), 0)) ** 2
            b += 1
    return total


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("covered", [False, True])
def test_conditionals_of_a_mass_function_are_met(size, covered):
    m = random_mass(size)
    columns, coverage = conditionals(m)
    found = pairwise_belief(columns, m.frame, coverage if covered else None)
    again, covers = conditionals(found)
    np.testing.assert_allclose(again, columns, atol=1e-7)
    if covered:
        np.testing.assert_allclose(covers, coverage, atol=1e-7)
    if size == 3 and covered:
        # With m(Theta) from a pair's plausibility, three classes leave no freedom.
        np.testing.assert_allclose(found.masses, m.masses, atol=1e-7)


@pytest.mark.parametrize("covered", [False, True])
def test_no_other_mass_function_is_nearer(covered):
    rng = np.random.default_rng(1)
    columns = rng.dirichlet([0.7, 0.7, 0.7], 3).T
    coverage = rng.uniform(0.2, 1, 3) if covered else None
    frame = Frame(range(3))
    found = criterion(pairwise_belief(columns, frame, coverage), columns, coverage)

    def value(logits):
        weights = np.exp(logits - logits.max())
        m = MassFunction(frame, range(1, 8), weights / weights.sum())
        return criterion(m, columns, coverage)

    starts = rng.normal(0, 2, (3, 7))
    best = min(minimize(value, start, method="BFGS").fun for start in starts)
    assert found <= best + 1e-9
    assert found == pytest.approx(best, abs=1e-4)
    assert found > 1e-4  # the conditionals contradict each other


def test_consistent_bayesian_pairs_give_their_probabilities():
    p = np.array([[0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4]])
    code = code_matrix("all_pairs", 4)
    first, second = p @ (code == 1), p @ (code == -1)
    r = (first / (first + second)).T
    columns = np.stack([1 - r, r, np.zeros_like(r)])
    m = pairwise_belief(columns, Frame(range(4)))
    assert m.batch_shape == (2,)
    np.testing.assert_allclose(betp(m), p, atol=1e-7)
    np.testing.assert_allclose(m.contour(), p, atol=1e-7)


def test_vacuous_pairs_say_nothing():
    columns = np.zeros((3, 6))
    columns[2] = 1
    assert pairwise_belief(columns, Frame(range(4))).prune(1e-9).is_vacuous


@pytest.mark.parametrize(
    ("size", "shape", "coverage", "message"),
    [
        (11, (3, 55), None, "11 classes have 2047 sets, too many"),
        (3, (3, 2), None, r"columns have shape \(3, 2\), expected \(3, 3, ...\)"),
        (3, (3, 3), [1.0], r"coverage has shape \(1,\), expected \(3,\)"),
        (3, (3, 3), [1.0, 0.5, 1.5], "expected numbers from 0 to 1"),
        (3, (3, 3), [1.0, 0.5, np.nan], "expected numbers from 0 to 1"),
    ],
)
def test_wrong_input_is_refused(size, shape, coverage, message):
    with pytest.raises(ValueError, match=message):
        pairwise_belief(np.ones(shape) / 3, Frame(range(size)), coverage)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_plausibilities_do_not_depend_on_the_order_of_the_classes(size):
    """Pignistic probabilities may, from four classes on: pairs do not fix all masses."""
    rng = np.random.default_rng(size)
    first, second = np.triu_indices(size, 1)
    columns = rng.dirichlet([1, 1, 8], size=(len(first), 20)).transpose(2, 0, 1)
    order = rng.permutation(size)  # class i becomes class order[i]
    moved = np.empty_like(columns)
    place = {pair: b for b, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
    for b, (i, j) in enumerate(zip(order[first].tolist(), order[second].tolist(), strict=True)):
        sides = [0, 1, 2] if i < j else [1, 0, 2]
        moved[:, place[min(i, j), max(i, j)]] = columns[sides, b]
    here, there = (pairwise_belief(c, Frame(range(size))) for c in (columns, moved))
    np.testing.assert_allclose(there.contour()[:, order], here.contour(), atol=1e-9)
    changes = np.abs(betp(there)[:, order] - betp(here)).max()
    assert changes < 1e-9 if size == 3 else changes > 1e-4
