"""Networks equal the joint by brute force, exactly, on every route."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import MassFunction
from dstheory.network import NetworkConflictError, ValuationNetwork
from dstheory.network._elimination import HEURISTICS
from tests.dstheory.network.strategies import belief_cases, names, table_cases
from tests.naive import network as naive

beliefs = st.one_of(belief_cases(), belief_cases(tree=True))
TABLES = {
    "probability": ({"kind": "probability"}, lambda a, b: a * b, sum),
    "product": ({"kind": "possibility"}, lambda a, b: a * b, max),
    "min": ({"kind": "possibility", "tnorm": "min"}, min, max),
}


def as_sets(m):
    """Masses by frozenset of configurations (of values, for a plain frame)."""
    return {frozenset(m.frame.event(int(f))): v for f, v in zip(m.focal, m.store, strict=True) if v}


def plain(masses):
    """Values instead of configurations of one variable."""
    return {frozenset(x for (x,) in focal): mass for focal, mass in masses.items() if mass}


# -- belief ----------------------------------------------------------------------------------------


@given(beliefs)
def test_marginals_equal_those_of_the_joint(case):
    joint = naive.joint_belief(case.sizes, case.valuations)
    for place, name in enumerate(case.network.names):
        expected = naive.marginal_belief(joint, (place,))
        assert as_sets(case.network.marginal(name, normalize=False)) == plain(expected)
        normalized = naive.normalized_belief(expected)
        if normalized is None:
            with pytest.raises(NetworkConflictError):
                case.network.marginal(name)
        else:
            assert as_sets(case.network.marginal(name)) == plain(normalized)


@given(beliefs, st.data())
def test_joint_marginals_equal_those_of_the_joint(case, data):
    places = st.lists(st.sampled_from(range(len(case.sizes))), min_size=1, max_size=3, unique=True)
    scope = data.draw(places)
    expected = naive.marginal_belief(naive.joint_belief(case.sizes, case.valuations), scope)
    expected = {focal: mass for focal, mass in expected.items() if mass}
    for query in (case.network.marginal, case.network.fuse):
        m = query(names(scope), normalize=False, disconnected=True)
        assert m.frame.names == tuple(names(scope))
        assert as_sets(m) == expected


@settings(max_examples=25)
@given(belief_cases(), st.sampled_from(HEURISTICS), st.randoms(use_true_random=False))
def test_every_order_gives_the_same(case, heuristic, random):
    given = list(case.network.names)
    random.shuffle(given)
    expected = case.network.marginals(normalize=False)
    for order in (heuristic, given):
        assert case.network.replan(order).marginals(normalize=False) == expected


@given(belief_cases())
def test_kappa_is_the_mass_of_the_empty_set(case):
    joint = naive.joint_belief(case.sizes, case.valuations)
    assert case.network.kappa() == joint.get(frozenset(), 0)


@given(beliefs)
def test_the_most_plausible_configuration(case):
    joint = naive.joint_belief(case.sizes, case.valuations)
    contour = naive.contour(joint, case.sizes)
    possible = 1 - joint.get(frozenset(), 0)
    if not possible:
        with pytest.raises(NetworkConflictError):
            case.network.most_plausible()
        return
    best = case.network.most_plausible()
    assert best.degree == max(contour.values()) / possible
    assert contour[tuple(best.values.values())] == max(contour.values())


@given(beliefs)
def test_floats_agree_with_fractions(case):
    network = case.network
    if network.kappa() == 1:
        return
    floats = [
        MassFunction(m.frame, m.focal, m.masses.astype(float)) for m in network.valuations.values()
    ]
    again = ValuationNetwork(network.variables, floats)
    for name, m in again.marginals().items():
        assert m.store.dtype == float
        assert m.equals(network.marginal(name), atol=1e-12)
    assert float(again.kappa()) == pytest.approx(float(network.kappa()), abs=1e-14)
    assert again.most_plausible().degree == pytest.approx(float(network.most_plausible().degree))


@given(beliefs)
def test_exact_stays_exact(case):
    """Integers over integers are fractions, never floats."""
    if case.network.conflicting():
        return
    for m in case.network.marginals().values():
        assert all(isinstance(mass, Fraction | int) for mass in m.store)
    assert isinstance(case.network.most_plausible().degree, Fraction | int)
    assert isinstance(case.network.kappa(), Fraction | int)


# -- tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TABLES)
@given(st.data())
def test_tables_equal_enumeration(kind, data):
    options, join, drop = TABLES[kind]
    case = data.draw(table_cases(tree=data.draw(st.booleans()), **options))
    joint = naive.joint_table(case.sizes, case.valuations, join)
    for place, name in enumerate(case.network.names):
        expected = naive.marginal_table(joint, (place,), drop)
        got = case.network.marginal(name, normalize=False)
        assert {(i,): v for i, v in enumerate(got.tolist())} == expected
        top = drop(expected.values())
        if not top:
            with pytest.raises(NetworkConflictError):
                case.network.marginal(name)
        elif kind == "min":
            normalized = [1 if v == top else v for v in expected.values()]
            assert case.network.marginal(name).tolist() == normalized
        else:
            assert case.network.marginal(name).tolist() == [v / top for v in expected.values()]


@pytest.mark.parametrize("kind", TABLES)
@given(st.data())
def test_joint_tables_and_the_best_configuration(kind, data):
    options, join, drop = TABLES[kind]
    case = data.draw(table_cases(**options))
    joint = naive.joint_table(case.sizes, case.valuations, join)
    scope = data.draw(st.permutations(range(len(case.sizes))))[:2]
    expected = naive.marginal_table(joint, scope, drop)
    for query in (case.network.marginal, case.network.fuse):
        got = query(names(scope), normalize=False, disconnected=True)
        assert dict(np.ndenumerate(got)) == expected
    if any(joint.values()):
        best = case.network.most_plausible(normalize=False)
        assert best.degree == max(joint.values()) == joint[tuple(best.values.values())]
        if kind != "probability":  # possibilities rise to 1
            assert case.network.most_plausible().degree == 1


@pytest.mark.parametrize("kind", ["probability", "possibility"])
def test_floats_and_exact_tables_meet_in_a_single_number(kind):
    """What is left of floats without variables is an array as any other message."""
    network = ValuationNetwork({"a": [0], "b": [0, 1]}, kind=kind)
    network = network.add([0.25], on="a")
    assert network.kappa() == (0.5 if kind == "probability" else 0.75)  # b has two values
    network = network.add([Fraction(1, 2), Fraction(1, 2)], on="b")
    assert network.kappa() == (0.75 if kind == "probability" else 0.875)


# -- evidence --------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(belief_cases(), st.data())
def test_added_and_retracted_equals_from_scratch(case, data):
    """Valuations come and go, in any order, on trees that fit and trees that do not."""
    everything = dict(case.network.valuations)
    network, present = ValuationNetwork(case.network.variables), {}
    for _ in range(6):
        key = data.draw(st.sampled_from(list(everything)))
        if key in present:
            network = network.retract(key)
            del present[key]
        else:
            network = network.add(everything[key], key=key)
            present[key] = everything[key]
        scratch = ValuationNetwork(network.variables, present)
        assert network.marginals(normalize=False) == scratch.marginals(normalize=False)


@given(belief_cases(), st.data())
def test_observations(case, data):
    network = case.network
    values = {v.name: data.draw(st.sampled_from(v.values)) for v in network.variables}
    some = dict(list(values.items())[: data.draw(st.integers(1, 3))])
    joint = naive.joint_belief(case.sizes, case.valuations)
    seen = [((network.names.index(n),), {frozenset([(x,)]): 1}) for n, x in some.items()]
    joint = naive.joint_belief(case.sizes, case.valuations + seen)
    observed = network.observe(some)
    for place, name in enumerate(network.names):
        expected = plain(naive.marginal_belief(joint, (place,)))
        assert as_sets(observed.marginal(name, normalize=False)) == expected
    assert observed.forget().valuations == network.valuations
    assert observed.forget(*some).valuations == network.valuations


@given(belief_cases())
def test_a_smallest_contradiction(case):
    """Together they contradict each other; without any one they do not."""
    keys = case.network.conflicting()
    chosen = [case.valuations[key] for key in keys]
    nothing = {frozenset()}

    def contradictory(valuations):
        joint = naive.joint_belief(case.sizes, valuations)
        return {focal for focal, mass in joint.items() if mass} == nothing

    assert bool(keys) == contradictory(case.valuations)
    if keys:
        assert contradictory(chosen)
        for left_out in range(len(keys)):
            assert not contradictory(chosen[:left_out] + chosen[left_out + 1 :])
        with pytest.raises(NetworkConflictError) as raised:
            case.network.marginals()
        assert raised.value.keys == keys


@given(belief_cases())
def test_conflict_without_each(case):
    found = case.network.kappa_without()
    for key in range(len(case.valuations)):
        left = case.valuations[:key] + case.valuations[key + 1 :]
        assert found[key] == naive.joint_belief(case.sizes, left).get(frozenset(), Fraction(0))


@pytest.mark.parametrize("kind", TABLES)
@given(st.data())
def test_conflict_without_each_table(kind, data):
    network = data.draw(table_cases(**TABLES[kind][0])).network
    found = network.kappa_without()
    assert found == {key: network.retract(key).kappa() for key in network.valuations}


@pytest.mark.parametrize("kind", ["probability", "possibility"])
def test_exact_tables_meet_floats(kind):
    """Whole floats are exact, and sums of them; if one is not, the fractions become floats."""
    half = [Fraction(1, 2), 1]
    network = ValuationNetwork({"a": [0, 1], "b": [0, 1]}, [], kind=kind).add(half, on="a")
    kept = network.add([0.0, 1.0], on="a").observe({"b": [0, 1]}).marginal("a")
    assert all(isinstance(value, Fraction | int) for value in np.asarray(kept).tolist())
    mixed = np.asarray(network.add([1.0, 0.5], on="a").marginal("a"))
    np.testing.assert_allclose(mixed.astype(float), [0.5, 0.5] if kind == "probability" else [1, 1])
