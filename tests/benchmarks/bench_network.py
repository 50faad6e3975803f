"""Local computation beside the joint of all variables, on chains and trees that grow.

The joint takes all focal sets on all configurations; messages take those of two neighbors. Sizes
where the joint takes minutes are run locally only. One group asks for all marginals again after one
more observation; another finds orders of elimination, beside costs that are counted at each step.
"""

import json
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from dstheory import MassFunction
from dstheory.network import ValuationNetwork
from dstheory.network._belief import BeliefAlgebra
from dstheory.network._elimination import eliminate
from dstheory.network._limits import DEFAULT
from dstheory.product import ProductFrame, Variable, combine, marginalize
from tests.benchmarks.timing import best_seconds, median_ms, report
from tests.oracles import networks as oracle_networks

SIZES = (4, 6, 8, 10, 11, 12, 13)
LARGE = (25, 50, 100, 200, 400)


def rule(one, two):
    """If the first is true, then the second is, with support 0.9."""
    return MassFunction(ProductFrame([one, two]), [0b1101, 0b1111], [0.9, 0.1])


def chain(size):
    variables = [Variable(f"x{i}", ["t", "f"]) for i in range(size)]
    return variables, [rule(one, two) for one, two in pairwise(variables)]


def tree(size):
    variables = [Variable(f"x{i}", ["t", "f"]) for i in range(size)]
    return variables, [rule(variables[(i - 1) // 2], variables[i]) for i in range(1, size)]


def star(size):
    variables = [Variable(f"x{i}", ["t", "f"]) for i in range(size)]
    return variables, [rule(variables[0], other) for other in variables[1:]]


SHAPES = {"chain": chain, "tree": tree}
GRAPHS = {
    "chain": nx.path_graph(1000),
    "tree": nx.balanced_tree(2, 9),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(32, 32)),
    "star": nx.star_graph(1000),
}


def local(variables, masses):
    return ValuationNetwork(variables, masses).observe({"x0": "t"}).marginals()


def naive(variables, masses):
    seen = MassFunction(ProductFrame(variables[:1]), [1], [1.0])
    joint = combine(*masses, seen)
    return {variable.name: marginalize(joint, variable.name) for variable in variables}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_growth(shape, size):
    """A line for each size, to be read with -s."""
    variables, masses = SHAPES[shape](size)
    results = local(variables, masses), naive(variables, masses)  # once before the clock runs
    for name, m in results[0].items():
        assert m.equals(results[1][name], atol=1e-12)
    ours = median_ms(lambda: local(variables, masses))
    report(f"{shape} of {size}", ours, median_ms(lambda: naive(variables, masses), repeat=1))


@pytest.mark.parametrize("size", LARGE)
@pytest.mark.parametrize("shape", SHAPES)
def test_large(benchmark, shape, size):
    benchmark.group = f"{shape}, locally"
    variables, masses = SHAPES[shape](size)
    found = benchmark.pedantic(local, (variables, masses), rounds=3)
    assert found["x1"].bel("t") == pytest.approx(0.9)


@pytest.mark.parametrize("shape", SHAPES)
def test_one_more_observation(benchmark, shape):
    """All marginals of 200 variables, after those without the observation are known."""
    benchmark.group = f"{shape} of 200, again"
    variables, masses = SHAPES[shape](200)

    def known():
        network = ValuationNetwork(variables, masses)
        network.marginals()
        return (network,), {}

    def again(network):
        return network.observe({"x199": "f"}).marginals()

    benchmark.pedantic(again, setup=known, rounds=3)


@pytest.mark.parametrize("n_variables", [3, 4])
def test_pairs_of_small_sets(n_variables):
    """128 x 128 sets on 8 or 16 configurations: arrays beside dictionaries."""
    rng = np.random.default_rng(0)
    algebra = BeliefAlgebra([2] * n_variables, "abcd", DEFAULT)
    scope = tuple(range(n_variables))
    sets = np.arange(1, 1 << (1 << n_variables))
    left, right = (
        algebra.part(scope, dict.fromkeys(rng.choice(sets, 128, False).tolist(), 1 / 128))
        for _ in range(2)
    )
    arrays, plain = (
        median_ms(partial(algebra._meet, left.masses, right.masses, scope, exact))
        for exact in (False, True)  # exact numbers take dictionaries
    )
    report(f"pairs on {1 << n_variables} configurations", arrays, plain)


@pytest.mark.parametrize("number", [Fraction, float], ids=["exact", "float"])
def test_captain(number):
    """All eight marginals beside the joint on 3,584 configurations.

    The vignette of the R package dst, which peels for one marginal, took 0.95 s on a machine of
    two cores.
    """
    path = Path(__file__).parents[1] / "oracles" / "dst_oracles.json"
    listed = json.loads(path.read_text(encoding="utf-8"))["oracles"]
    (captain,) = (oracle for oracle in listed if oracle["id"] == "captain")
    variables = captain["variables"]
    masses = oracle_networks.valuations(
        captain["potentials"], variables, lambda text: number(Fraction(text))
    )

    def joint():
        together = combine(*masses)
        return [marginalize(together, name) for name in variables]

    ours = median_ms(lambda: ValuationNetwork(variables, masses).marginals())
    report("captain, all marginals", ours, median_ms(joint))


def counted_anew(graph):
    """Min-fill with costs that are counted again wherever an elimination may change them."""
    near, order = {v: set(graph[v]) for v in graph}, []

    def missing(v):
        return [(a, b) for a, b in combinations(sorted(near[v]), 2) if b not in near[a]]

    def price(v):
        return len(missing(v)), len(near[v]), v

    prices = {v: price(v) for v in graph}
    while prices:
        *_, variable = min(prices.values())
        del prices[variable]
        order.append(variable)
        new, left = missing(variable), near.pop(variable)
        for v in left:
            near[v] = (near[v] | left) - {v, variable}
        for v in left.union(*(near[a] for edge in new for a in edge)):
            prices[v] = price(v)
    return tuple(order)


@pytest.mark.parametrize("shape", GRAPHS)
def test_min_fill_of_a_thousand(shape):
    """A line for each shape, to be read with -s; a star takes many seconds to count anew."""
    graph, orders = GRAPHS[shape], []
    sizes = [2] * len(graph)
    ours = median_ms(lambda: eliminate(graph, sizes))
    alternative = 1e3 * best_seconds(lambda: orders.append(counted_anew(graph)), repeat=1)
    assert orders == [eliminate(graph, sizes)]
    report(f"min-fill, {shape} of {len(graph)}", ours, alternative)


def test_star_of_eight_hundred(benchmark):
    """All marginals, with the default order."""
    benchmark.group = "star of 800 leaves"
    benchmark.pedantic(local, star(801), rounds=3)
