"""The axioms of Shenoy & Shafer (1990), which local computation rests on, for all kinds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.network._belief import BeliefPart
from tests.dstheory.network.strategies import belief_cases, table_cases
from tests.support.each import each

KINDS = {
    "belief": belief_cases(),
    "probability": table_cases(kind="probability"),
    "product": table_cases(kind="possibility"),
    "min": table_cases(kind="possibility", tnorm="min"),
}
every_kind = each("kind", KINDS)


def same(one, two):
    if isinstance(one, BeliefPart):
        return (one.scope, one.masses) == (two.scope, two.masses)
    return one.scope == two.scope and np.array_equal(one.values, two.values)


def three_parts(data, kind):
    """Parts of a network, with repetitions, and their algebra."""
    version = data.draw(KINDS[kind]).network._version
    parts = [entry.part for entry in version.entries.values()]
    return version.store.algebra, *(data.draw(st.sampled_from(parts)) for _ in range(3))


@every_kind
@given(st.data())
def test_combination_commutes_and_associates(kind, data):
    algebra, a, b, c = three_parts(data, kind)
    ab = algebra.combine(a, b)
    assert same(ab, algebra.combine(b, a))
    assert same(algebra.combine(ab, c), algebra.combine(a, algebra.combine(b, c)))


@every_kind
@given(st.data())
def test_variables_may_be_dropped_in_any_order(kind, data):
    algebra, a, b, _ = three_parts(data, kind)
    whole = algebra.combine(a, b)
    some = data.draw(st.sets(st.sampled_from(whole.scope)))
    fewer = data.draw(st.sets(st.sampled_from(sorted(some)))) if some else set()
    in_steps = algebra.marginalize(algebra.marginalize(whole, sorted(some)), sorted(fewer))
    assert same(in_steps, algebra.marginalize(whole, sorted(fewer)))
    assert algebra.total(in_steps) == algebra.total(whole)


@every_kind
@given(st.data())
def test_what_does_not_speak_of_a_variable_may_wait(kind, data):
    """Marginalizing the combination to the scope of one part needs the other on it only."""
    algebra, a, b, _ = three_parts(data, kind)
    shared = [v for v in b.scope if v in a.scope]
    local = algebra.combine(a, algebra.marginalize(b, shared))
    assert same(algebra.marginalize(algebra.combine(a, b), a.scope), local)


def test_both_routes_of_combination_agree(monkeypatch):
    """Arrays and dictionaries, from the same floats."""
    from dstheory.network import _belief
    from dstheory.network._limits import DEFAULT

    rng = np.random.default_rng(0)
    algebra = _belief.BeliefAlgebra([2, 2, 2, 2], "abcd", DEFAULT)
    parts = []
    for scope in ((0, 1, 2), (1, 2, 3)):
        focal = rng.choice(np.arange(1, 256), 80, replace=False).tolist()
        parts.append(algebra.part(scope, dict(zip(focal, rng.dirichlet(np.ones(80)), strict=True))))
    assert len(parts[0].masses) * len(parts[1].masses) >= _belief._MANY_PAIRS
    fast = algebra.combine(*parts)
    monkeypatch.setattr(_belief, "_MANY_PAIRS", 10**6)
    plain = algebra.combine(*parts)
    assert fast.masses.keys() == plain.masses.keys()
    assert list(fast.masses.values()) == pytest.approx(
        [plain.masses[mask] for mask in fast.masses], rel=1e-12
    )
    assert fast.log_scale == pytest.approx(plain.log_scale, rel=1e-12)
