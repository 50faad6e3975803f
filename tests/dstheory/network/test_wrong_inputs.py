"""What goes wrong with a network, and what is said about it."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sympy

from dstheory import Frame, FrameError, MassError, MassFunction
from dstheory.network import NetworkConflictError, NetworkError, Table, ValuationNetwork
from dstheory.product import ProductFrame, Variable


def rule(one, two, support):
    """If the first of two binary variables is true, then the second is."""
    return MassFunction(ProductFrame([one, two]), [0b1101, 0b1111], [support, 1 - support])


def binary(count):
    return [Variable(f"x{i}", ["t", "f"]) for i in range(count)]


def chain(length, support=0.9, **options):
    variables = binary(length)
    rules = [rule(a, b, support) for a, b in pairwise(variables)]
    return ValuationNetwork(variables, rules, **options)


def test_unknown_names():
    network = chain(3)
    for query in ("y", ["x0", "y"], [3]):
        with pytest.raises(NetworkError, match="is not a variable of the network; its"):
            network.marginal(query)
    with pytest.raises(NetworkError, match="one or more different variables, not \\['x0', 'x0'\\]"):
        network.marginal(["x0", "x0"])
    with pytest.raises(NetworkError, match="different variables, not \\[\\]"):
        network.marginal([])
    with pytest.raises(NetworkError, match="there is no valuation 'z'; the keys are 0, 1"):
        network.retract("z")
    with pytest.raises(FrameError, match="'maybe' is not a value of variable 'x0'"):
        network.observe({"x0": "maybe"})
    with pytest.raises(NetworkError, match="key 0 is taken"):
        network.add(rule(*network.variables[:2], 0.5), key=0)
    with pytest.raises(
        NetworkError, match="'x0' has been observed already; forget\\('x0'\\) first"
    ):
        network.observe({"x0": "t"}).observe({"x0": "f"})
    with pytest.raises(NetworkError, match=r"\[\] has no value of 'x0'; observe one or more"):
        network.observe({"x0": []})
    with pytest.raises(NetworkError, match="nothing was observed about 'x1'"):
        network.observe({"x0": "t"}).forget("x1")
    with pytest.raises(TypeError, match="names is 3, expected a name or a sequence of names"):
        network.marginal(3)


def test_variables_may_stand_for_their_names():
    network = chain(3)
    first, _, last = network.variables
    seen = network.observe({first: "t"})
    assert seen.marginal(last) == seen.marginal("x2")
    assert seen.marginal([last, "x1"]) == seen.fuse(["x2", "x1"])
    assert list(seen.valuations) == [0, 1, ("observed", "x0")]
    assert seen.forget(first).valuations == network.valuations
    assert network.add(MassFunction(last.frame, [1], [1]), on=last).marginal(last).bel("t") == 1
    with pytest.raises(NetworkError, match="differs from the variable Variable"):
        network.marginal(Variable("x0", ["a", "b"]))


def test_queries_of_what_is_not_linked():
    network = ValuationNetwork(binary(4)).add(rule(*binary(2), 0.5))
    with pytest.raises(NetworkError, match=r"links \{'x0', 'x1'\} and \{'x3'\}"):
        network.marginal(["x3", "x0", "x1"])
    m = network.marginal(["x3", "x0", "x1"], disconnected=True)
    assert m.frame.names == ("x3", "x0", "x1")
    assert m.mass(m.frame) == 0.5


def test_valuations_that_do_not_fit():
    network = chain(2)
    other = Variable("x0", ["t", "f", "u"])
    with pytest.raises(NetworkError, match=r"\['t', 'f', 'u'\]\) differs from the variable"):
        network.add(MassFunction(ProductFrame([other]), [1], [1]))
    plain = MassFunction(Frame(["t", "f"]), [1], [1])
    with pytest.raises(NetworkError, match="names no variable; name it by on=name"):
        network.add(plain)
    assert network.add(plain, on="x0").marginal("x1").bel("t") == 0.9
    with pytest.raises(NetworkError, match=r"not a batch of shape \(2,\)"):
        network.add(MassFunction(Frame(["t", "f"]), [1, 3], [[1, 0], [0, 1]]), on="x0")
    with pytest.raises(TypeError, match="a valuation is 3, expected a MassFunction on a product"):
        network.add(3)
    with pytest.raises(TypeError, match="make one by probability_table, or a network of kind="):
        network.add(Table(["x0"], [0.5, 0.5]))
    with pytest.raises(TypeError, match="the variable of a dict of masses by on=name"):
        network.add({"t": 1})
    assert network.add({"t": 1}, on="x0").marginal("x0").bel("t") == 1


def test_tables_that_do_not_fit():
    network = ValuationNetwork({"a": [0, 1], "b": [0, 1, 2]}, kind="possibility")
    with pytest.raises(NetworkError, match=r"has shape \(3,\), but the variables have \(2,\)"):
        network.add([1, 1, 1], on="a")
    with pytest.raises(NetworkError, match=r"possibility 2.0 on \('a',\) is above 1"):
        network.add([2, 1], on="a")
    with pytest.raises(NetworkError, match="values have 1 axes, but there are 2 names"):
        Table(["a", "b"], [1, 2])
    for values, message in (([-1, 1], "negative"), ([math.nan, 1], "finite"), ([0, 0], "zero")):
        with pytest.raises(MassError, match=message):
            Table("a", values)


def test_options():
    for options, message in (
        ({"kind": "fuzzy"}, "kind is 'fuzzy', expected one of 'belief'"),
        ({"tnorm": "min"}, "only possibilities have a choice"),
        ({"kind": "possibility", "tnorm": "max"}, "tnorm is 'max'"),
        ({"order": "best"}, "order is 'best', expected one of 'min_fill'"),
        ({"max_pairs": 0}, "max_pairs is 0, but a limit is 1 or more"),
        ({"max_bytes": 0}, "max_bytes is 0"),
        ({"max_configurations": 0}, "max_configurations is 0"),
        ({"order": ["a"]}, "an order names each variable once; missing are \\['b'\\]"),
    ):
        with pytest.raises(ValueError, match=message):
            ValuationNetwork({"a": [0], "b": [0]}, **options)
    with pytest.raises(NetworkError, match="at least one variable"):
        ValuationNetwork({})
    with pytest.raises(NetworkError, match="'x0' occurs twice"):
        ValuationNetwork([*binary(2), *binary(1)])
    with pytest.raises(TypeError, match="a variable is 'a', expected a Variable"):
        ValuationNetwork(["a"])
    with pytest.raises(TypeError, match="max_pairs is '9', expected a number"):
        ValuationNetwork({"a": [0]}, max_pairs="9")
    with pytest.raises(
        TypeError, match=r"valuations is Table.*, expected a sequence of valuations"
    ):
        ValuationNetwork({"a": [0]}, Table("a", [1]), kind="probability")


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
    p = sympy.Symbol("p")
    network = chain(3, p).observe({"x0": "t"})
    assert sympy.expand(network.marginal("x2").bel("t") - p**2) == 0
    with pytest.raises(NetworkError, match="is symbolic and meets floats"):
        network.add(rule(*network.variables[:2], 0.5)).marginal("x2")


def test_floats_give_floats_even_where_all_are_0_or_1():
    belief = ValuationNetwork(binary(2), [rule(*binary(2), 1.0)]).observe({"x0": "t"})
    assert belief.marginal("x1").store.dtype == float
    assert isinstance(belief.kappa(), float)
    excluded = belief.add({"f": 0.5, ("t", "f"): 0.5}, on="x1").add({"f": 1}, on="x1")
    assert excluded.marginal("x0", normalize=False).mass(()) == excluded.kappa() == 1
    table = ValuationNetwork({"a": [0, 1], "b": [0, 1]}, kind="probability").observe({"a": 0})
    for name, expected in (("a", [1, 0]), ("b", [0.5, 0.5])):
        assert table.marginal(name).dtype == float
        assert table.marginal(name).tolist() == expected
    half = np.array([Fraction(1, 2)] * 2, dtype=object)
    assert table.add(half, on="b").marginal("b").tolist() == [Fraction(1, 2)] * 2
