"""Plans, limits, statistics, and what goes wrong."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from dstheory import Frame, FrameError, MassError, MassFunction
from dstheory.network import (
    CostLimitError,
    DisconnectedError,
    NetworkConflictError,
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


def test_focal_sets_are_counted_while_it_runs():
    network = grid(4, max_pairs=50)
    with pytest.raises(CostLimitError, match=r"would combine \d+ and \d+ focal sets, \d+ pairs"):
        network.marginal("00")


# -- errors ----------------------------------------------------------------------------------------


def test_unknown_names():
    network = chain(3)
    for query in ("y", ["x0", "y"], [3]):
        with pytest.raises(NetworkError, match="is no variable of the network; its variables are"):
            network.marginal(query)
    with pytest.raises(NetworkError, match="one or more different variables, not \\['x0', 'x0'\\]"):
        network.marginal(["x0", "x0"])
    with pytest.raises(NetworkError, match="different variables, not \\[\\]"):
        network.marginal([])
    with pytest.raises(NetworkError, match="there is no valuation 'z'; there are 0, 1"):
        network.retract("z")
    with pytest.raises(FrameError, match="'maybe' is no value of variable 'x0'"):
        network.observe({"x0": "maybe"})
    with pytest.raises(NetworkError, match="key 0 is taken"):
        network.add(rule(*network.variables[:2], 0.5), key=0)
    with pytest.raises(NetworkError, match="key \\('observed', 'x0'\\) is taken"):
        network.observe({"x0": "t"}).observe({"x0": "f"})


def test_queries_of_what_is_not_linked():
    network = ValuationNetwork(binary(4)).add(rule(*binary(2), 0.5))
    with pytest.raises(DisconnectedError, match=r"links \{'x0', 'x1'\} and \{'x3'\}"):
        network.marginal(["x3", "x0", "x1"])
    m = network.marginal(["x3", "x0", "x1"], disconnected=True)
    assert m.frame.names == ("x3", "x0", "x1")
    assert m.mass(m.frame) == 0.5


def test_valuations_that_do_not_fit():
    network = chain(2)
    other = Variable("x0", ["t", "f", "u"])
    with pytest.raises(NetworkError, match=r"Variable\('x0', \['t', 'f', 'u'\]\) of the valuation"):
        network.add(MassFunction(ProductFrame([other]), [1], [1]))
    plain = MassFunction(Frame(["t", "f"]), [1], [1])
    with pytest.raises(NetworkError, match="names no variable; say which by on=name"):
        network.add(plain)
    assert network.add(plain, on="x0").marginal("x1").bel("t") == 0.9
    with pytest.raises(NetworkError, match=r"not a batch of shape \(2,\)"):
        network.add(MassFunction(Frame(["t", "f"]), [1, 3], [[1, 0], [0, 1]]), on="x0")
    with pytest.raises(TypeError, match="a valuation is a MassFunction on a product, not 3"):
        network.add(3)


def test_tables_that_do_not_fit():
    network = ValuationNetwork({"a": [0, 1], "b": [0, 1, 2]}, kind="possibility")
    with pytest.raises(NetworkError, match=r"has shape \(3,\), but the variables have \(2,\)"):
        network.add([1, 1, 1], on="a")
    with pytest.raises(NetworkError, match="a possibility on \\('a',\\) is above 1"):
        network.add([2, 1], on="a")
    with pytest.raises(NetworkError, match="values have 1 axes, but there are 2 names"):
        Table(["a", "b"], [1, 2])
    for values, message in (([-1, 1], "negative"), ([math.nan, 1], "finite"), ([0, 0], "zero")):
        with pytest.raises(MassError, match=message):
            Table("a", values)


def test_options():
    for options, message in (
        ({"kind": "fuzzy"}, "kind is 'fuzzy', not"),
        ({"tnorm": "min"}, "only possibilities have a choice"),
        ({"kind": "possibility", "tnorm": "max"}, "tnorm is 'max'"),
        ({"order": "best"}, "order is 'best', not one of min_fill"),
        ({"max_pairs": 0}, "max_pairs is 0, but a limit is 1 or more"),
        ({"max_configurations": 0}, "max_configurations is 0"),
        ({"order": ["a"]}, "an order names each variable once; missing are \\['b'\\]"),
    ):
        with pytest.raises(ValueError, match=message):
            ValuationNetwork({"a": [0], "b": [0]}, **options)
    with pytest.raises(NetworkError, match="at least one variable"):
        ValuationNetwork({})
    with pytest.raises(NetworkError, match="'x0' occurs twice"):
        ValuationNetwork([*binary(2), *binary(1)])
    with pytest.raises(TypeError, match="a variable is a Variable, not 'a'"):
        ValuationNetwork(["a"])


def test_contradictions_are_named_and_travel():
    network = chain(5, Fraction(1)).observe({"x1": "t", "x3": "f", "x4": "t"})
    with pytest.raises(NetworkConflictError) as raised:
        network.marginal("x0")
    keys = (1, 2, ("observed", "x1"), ("observed", "x3"))
    assert raised.value.keys == keys == network.conflicting()
    assert "4 of 7 valuations exclude each other" in str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.keys, str(again)) == (keys, str(raised.value))
    assert network.retract(2).conflicting() == ()
    assert network.kappa() == 1
    assert network.log_normalization() == -math.inf


def test_networks_are_pickled_with_what_they_know():
    network = chain(4).observe({"x0": "t"})
    again = pickle.loads(pickle.dumps(network))
    assert again.marginals() == network.marginals()


def test_symbols_run_through():
    import sympy

    p = sympy.Symbol("p")
    network = chain(3, p).observe({"x0": "t"})
    assert sympy.expand(network.marginal("x2").bel("t") - p**2) == 0
    with pytest.raises(NetworkError, match="is symbolic and meets floats"):
        network.add(rule(*network.variables[:2], 0.5)).marginal("x2")


def test_floats_give_floats_even_where_all_are_0_or_1():
    belief = ValuationNetwork(binary(2), [rule(*binary(2), 1.0)]).observe({"x0": "t"})
    assert belief.marginal("x1").store.dtype == float
    assert isinstance(belief.kappa(), float)
    table = ValuationNetwork({"a": [0, 1], "b": [0, 1]}, kind="probability").observe({"a": 0})
    for name, expected in (("a", [1, 0]), ("b", [0.5, 0.5])):
        assert table.marginal(name).dtype == float
        assert table.marginal(name).tolist() == expected
    half = np.array([Fraction(1, 2)] * 2, dtype=object)
    assert table.add(half, on="b").marginal("b").tolist() == [Fraction(1, 2)] * 2
