"""Plans, limits, statistics, and what goes wrong."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sympy
from hypothesis import given

from dstheory import Frame, MassFunction
from dstheory.errors import CostLimitError
from dstheory.network import (
    NetworkError,
    Table,
    ValuationNetwork,
)
from dstheory.network._elimination import HEURISTICS
from dstheory.product import ProductFrame, Variable
from tests.dstheory.network.strategies import belief_cases


def rule(one, two, support):
    """If the first of two binary variables is true, then the second is."""
    return MassFunction(ProductFrame([one, two]), [0b1101, 0b1111], [support, 1 - support])


def binary(count):
    return [Variable(f"x{i}", ["t", "f"]) for i in range(count)]


def chain(length, support=0.9, **options):
    variables = binary(length)
    rules = [rule(a, b, support) for a, b in pairwise(variables)]
    return ValuationNetwork(variables, rules, **options)


def grid(size, **options):
    cells = {(i, j): Variable(f"{i}{j}", ["t", "f"]) for i in range(size) for j in range(size)}
    rng = np.random.default_rng(0)
    valuations = []
    for (i, j), variable in cells.items():
        for other in ((i + 1, j), (i, j + 1)):
            if other in cells:
                focal = [*rng.choice(np.arange(1, 15), 3, replace=False).tolist(), 15]
                frame = ProductFrame([variable, cells[other]])
                valuations.append(MassFunction(frame, focal, [0.25] * 4))
    return ValuationNetwork(cells.values(), valuations, **options)


# -- long chains -----------------------------------------------------------------------------------


def test_a_chain_of_200_is_exact():
    support = Fraction(9, 10)
    beliefs = chain(200, support).observe({"x0": "t"}).marginals()
    assert all(beliefs[f"x{i}"].bel("t") == support**i for i in range(200))


def test_a_chain_of_200_with_conflict_loses_no_digit():
    network = chain(200).observe({"x0": "t", "x199": "f"})
    assert network.kappa() == pytest.approx(0.9**199, rel=1e-12)
    assert network.log_normalization() == pytest.approx(math.log1p(-(0.9**199)), rel=1e-12)
    # Given the conflict, the chain breaks anywhere.
    exact = chain(200, Fraction(9, 10)).observe({"x0": "t", "x199": "f"})
    for name in ("x1", "x100", "x198"):
        assert network.marginal(name).bel("t") == pytest.approx(
            float(exact.marginal(name).bel("t")), rel=1e-10
        )


def test_conflict_far_beyond_floats():
    """Four hundred sources of 1e-3 leave (1e-3)^400 possible."""
    frame = Frame(["a", "b"])
    sources = [{"a": 0.999, "b": 0.001}, {"a": 0.001, "b": 0.999}] * 200
    network = ValuationNetwork({"x": frame})
    for source in sources:
        network = network.add(MassFunction.from_dict(frame, source), on="x")
    assert network.log_normalization() == pytest.approx(200 * math.log(0.000999) + math.log(2))
    assert network.marginal("x").bel("a") == pytest.approx(0.5, rel=1e-12)
    assert network.kappa() == 1.0


def test_products_that_underflow_at_once():
    frame = Frame(["a", "b", "c"])
    tiny = 1e-200
    one = MassFunction(frame, [1, 4], [1 - tiny, tiny])
    two = MassFunction(frame, [2, 4], [1 - tiny, tiny])
    network = ValuationNetwork({"x": frame}).add(one, on="x").add(two, on="x")
    assert network.marginal("x").bel("c") == 1
    assert network.log_normalization() == pytest.approx(2 * math.log(tiny))
    table = ValuationNetwork({"x": frame}, kind="probability")
    table = table.add([1, 0, tiny], on="x").add([0, 1, tiny], on="x")
    assert table.marginal("x").tolist() == [0, 0, 1]
    assert table.log_normalization() == pytest.approx(2 * math.log(tiny))
    apart = ValuationNetwork(dict.fromkeys("xyz", frame), kind="probability")  # z is free
    apart = apart.add([9e-151, 6e-151, 0], on="x").add({"a": 1e-152, "c": 3e-151, "b": 0}, on="y")
    expected = math.log(15e-151) + math.log(3.1e-151) + math.log(3)
    assert apart.log_normalization() == pytest.approx(expected)
    with pytest.raises(NetworkError, match="give one for each"):
        apart.add({"a": 1}, on="z")


# -- statistics ------------------------------------------------------------------------------------


def test_evidence_recomputes_what_it_affects_only():
    network = chain(50)
    network.marginals()
    before = network.statistics
    edges = 2 * len(network._version.tree.scopes) - 2
    seen = network.observe({"x0": "t"})
    seen.marginals()
    after = seen.statistics
    # A new leaf changes each edge's message in one direction at most.
    assert after.messages_computed - before.messages_computed <= edges // 2
    assert after.messages_reused > before.messages_reused
    again = seen.forget("x0")
    again.marginals()
    assert again.statistics.messages_computed == after.messages_computed


def test_one_query_needs_one_direction():
    network = chain(50)
    network.marginal("x49")
    assert network.statistics.messages_computed <= len(network._version.tree.scopes)


def test_a_network_does_not_change():
    network = chain(3)
    before = network.marginals()
    network.observe({"x0": "t"}).marginals()
    network.retract(0)
    assert network.marginals() == before
    assert list(network.valuations) == [0, 1]
    with pytest.raises(TypeError):
        network.valuations[0] = None


# -- plans -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", HEURISTICS)
def test_the_plan_of_a_chain(order):
    plan = chain(30, order=order).plan()
    assert (plan.width, plan.max_configurations, len(plan.cliques)) == (1, 4, 29)
    assert sorted(plan.order) == sorted(chain(30).names)


def test_the_plan_of_a_grid():
    plan = grid(5).plan()
    assert plan.width == 5
    assert plan.max_configurations == 2 ** (plan.width + 1)
    data = plan.to_dict()
    assert data["width"] == 5
    assert len(data["cliques"]) == len(plan.cliques)
    assert "width 5" in str(plan)
    assert str(plan).splitlines()[3].split()[0] == "clique"
    assert "<table>" in plan._repr_html_()


@given(belief_cases())
def test_a_plan_is_never_exceeded(case):
    """Pairs that are combined, counted, against the bound."""
    network = case.network
    algebra = network._version.store.algebra
    pairs, combine = [], algebra.combine

    def counting(one, two):
        pairs.append(len(one.masses) * len(two.masses))
        return combine(one, two)

    algebra.combine = counting
    for leaf in range(len(network._version.tree.scopes)):
        messages = network._version.messages
        messages.up(leaf)
        if leaf != messages.tree.root:
            messages.down(leaf)
    assert sum(pairs) <= 2 ** network.plan().log2_cost * (1 + 1e-9)


def test_plans_of_tables_are_their_cost():
    variables = {f"x{i}": range(3) for i in range(4)}
    tables = [Table([f"x{i}", f"x{i + 1}"], np.ones((3, 3))) for i in range(3)]
    plan = ValuationNetwork(variables, tables, kind="probability").plan()
    assert plan.max_configurations == 9
    assert all(clique.log2_entries == pytest.approx(math.log2(9)) for clique in plan.cliques)


def test_a_plan_makes_room_for_a_query():
    network = chain(10)
    assert network.plan(["x0", "x9"]).width == 2
    assert network.plan().width == 1
    assert network.plan(order=network.names[::-1]).order == network.names[::-1]


# -- limits ----------------------------------------------------------------------------------------


def test_a_grid_above_its_limits_is_refused_before_anything_runs():
    network = grid(5, max_configurations=32)
    with pytest.raises(CostLimitError, match=r"clique \{.*\} has 64 configurations, more than"):
        network.marginal("00")
    assert network.statistics.combinations == 0
    costly = grid(5, max_cost=1e6)
    with pytest.raises(CostLimitError, match=r"the plan costs up to .* max_cost = 1e\+06"):
        costly.marginals()
    assert costly.statistics.combinations == 0
    with pytest.raises(CostLimitError, match="max_configurations = 10"):
        network.plan().check(max_configurations=10)


def test_a_grid_within_its_limits_is_answered():
    """Far below the worst case of the plan, 2^40 pairs and more; two routes agree."""
    cells = {(i, j): Variable(f"{i}{j}", ["t", "f"]) for i in range(5) for j in range(5)}
    rules = [
        rule(one, cells[other], 0.9)
        for (i, j), one in cells.items()
        for other in ((i + 1, j), (i, j + 1))
        if other in cells
    ]
    network = ValuationNetwork(cells.values(), rules).observe({"00": "t"})
    assert network.plan().log2_cost > 39
    m = network.marginal("44")
    assert m.equals(network.replan("min_weight").fuse("44"), atol=1e-12)
    assert 0.9**8 < m.bel("t") < 1


def test_memory_is_counted_while_it_runs():
    """Sets of 2^12 configurations have 512 bytes, whatever their number."""
    variables = binary(12)
    frame = ProductFrame(variables)
    rng = np.random.default_rng(0)
    focal = [[int.from_bytes(rng.bytes(512), "little") for _ in range(100)] for _ in range(2)]
    masses = [MassFunction(frame, sets, np.full(100, 0.01)) for sets in focal]
    for limit, what in (
        (100_000, "200 focal sets of clique {x0, x1, .*, x11} take 132400 bytes"),
        (1_000_000, r"\d+ focal sets of clique .* take \d+ bytes, more than max_bytes = 1000000"),
    ):
        with pytest.raises(CostLimitError, match=what):
            ValuationNetwork(variables, masses, max_bytes=limit).kappa()
    assert ValuationNetwork(variables, masses).kappa() == 0


def test_messages_are_counted_together():
    """Twelve tables of 2^10 cells lie within a limit that their messages exceed."""
    names = [f"y{i}" for i in range(10)]
    tables = [Table([*names, f"z{i}"], np.full((2,) * 11, 0.5)) for i in range(12)]
    variables = {name: [0, 1] for name in (*names, *(f"z{i}" for i in range(12)))}
    options = {"kind": "probability", "max_bytes": 400_000}
    network = ValuationNetwork(variables, tables, **options)
    assert network.marginal("z0").tolist() == [0.5, 0.5]
    with pytest.raises(CostLimitError, match=r"all messages together take 4\d+ bytes"):
        network.marginals()


def test_the_best_configuration_needs_no_focal_sets():
    """Plausibilities of single configurations multiply, where focal sets are too many."""
    network = grid(3, max_pairs=20)
    best = network.most_plausible(normalize=False)
    joint = grid(3).marginal(network.names, normalize=False)
    assert best.degree == pytest.approx(joint.contour().max())
    assert best.degree == pytest.approx(joint.pl(tuple(best.values.values())))
    assert network.statistics.combinations == 0
    with pytest.raises(CostLimitError, match="pairs"):
        network.most_plausible()
    with pytest.raises(CostLimitError, match="configurations"):
        grid(3, max_configurations=8).most_plausible(normalize=False)


def test_symbols_are_not_compared():
    p = sympy.Symbol("p")
    network = ValuationNetwork({"a": [0, 1]}).add(
        MassFunction(Frame([0, 1]), [1, 3], [p, 1 - p]), on="a"
    )
    with pytest.raises(NetworkError, match="cannot compare plausibilities: 1 - p is symbolic"):
        network.most_plausible()
    against = network.add(MassFunction(Frame([0, 1]), [2, 3], [p, 1 - p]), on="a")
    with pytest.raises(NetworkError, match="is symbolic and has no logarithm"):
        against.log_normalization()
    with pytest.raises(NetworkError, match=r"possibility p on .* is symbolic"):
        ValuationNetwork({"a": [0, 1]}, [Table("a", [p, 1])], kind="possibility")


def test_focal_sets_are_counted_while_it_runs():
    network = grid(4, max_pairs=50)
    with pytest.raises(CostLimitError, match=r"would combine \d+ and \d+ focal sets, \d+ pairs"):
        network.marginal("00")
