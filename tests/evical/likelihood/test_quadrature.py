"""Panels and Gauss rules of discrete measures."""

import numpy as np
import pytest

from evical.likelihood.quadrature import compress, gauss_rule, panel_edges, panels_resolve


@pytest.mark.parametrize("size", [1, 4, 10])
def test_gauss_rule_is_exact_to_its_degree(size):
    rng = np.random.default_rng(size)
    x, w = np.sort(rng.uniform(-3, 5, 50)), rng.uniform(0.1, 2, 50)
    nodes, weights = gauss_rule(x, w, size)
    assert nodes.size == size
    assert np.all(weights > 0)
    assert x[0] < nodes.min() <= nodes.max() < x[-1]
    t, tn = (x - 1) / 4, (nodes - 1) / 4
    for degree in range(2 * size):
        assert weights @ tn**degree == pytest.approx(w @ t**degree, abs=1e-11)


def test_gauss_rule_keeps_small_and_degenerate_measures():
    x, w = np.array([0.0, 1.0, 4.0]), np.array([1.0, 2.0, 3.0])
    assert gauss_rule(x, w, 3)[0] is x
    tiny = np.array([1.0, 1e-40, 1e-40, 1.0])
    nodes, weights = gauss_rule(np.array([0.0, 1.0, 2.0, 3.0]), tiny, 3)
    assert weights.sum() == pytest.approx(2.0)
    assert weights @ nodes == pytest.approx(3.0)


def test_panels():
    x = np.linspace(-10, 10, 1001)
    lines = np.array([[0.0, 5.0], [1.0, -0.1], [2.0, 0.0]])
    edges = panel_edges(x, lines)
    assert panels_resolve(x, edges, lines)
    assert not panels_resolve(x, edges, np.array([[0.0, 50.0]]))
    nodes, weights = compress(x, np.ones(1001), edges)
    assert weights.sum() == pytest.approx(1001)
    for a, b in lines:
        exact = np.logaddexp(0, a + b * x).sum()
        assert weights @ np.logaddexp(0, a + b * nodes) == pytest.approx(exact, rel=1e-11)
    assert panel_edges(x, np.array([[3.0, 0.0]])).size == 0


def test_gaps_cost_no_panels():
    x = np.r_[np.linspace(0, 1e-6, 100), np.linspace(1e6, 1e6 + 1e-6, 100)]
    assert panel_edges(x, np.array([[0.0, 1.0]])).tolist() == [1e6]


def test_scores_that_rounding_makes_one_are_one_node():
    nodes, weights = gauss_rule(np.full(40, -7e-14), np.arange(1.0, 41.0), 20)
    assert (nodes.tolist(), weights.tolist()) == ([-7e-14], [820.0])
