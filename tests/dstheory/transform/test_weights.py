"""Canonical decompositions, and conversion between all tables."""

from fractions import Fraction
from functools import reduce
from itertools import product

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.construct import bayesian, random, simple, vacuous
from dstheory.construct.tables import from_table
from dstheory.errors import DSTheoryError, MassError
from dstheory.testing import frames, masses
from dstheory.transform import (
    conjunctive_weights,
    convert_table,
    disjunctive_weights,
    from_weights,
    tables,
)
from tests.naive import transform as naive_transform
from tests.support.each import each

ABC = Frame(["a", "b", "c"])
KINDS = ["m", "bel", "pl", "q", "b", "w", "v"]


def named(m):
    return {frozenset(event): v for event, v in m.to_dict().items()}


def between(frame):
    """Mass functions with mass on the empty set and on the frame."""
    return masses(frame, empty=True, dogmatic=False).map(
        lambda m: MassFunction(
            frame, [*(s for s in m.focal if s), 0], [*(v / 2 for v in _nonempty(m)), _rest(m)]
        )
    )


def _nonempty(m):
    return [v for s, v in zip(m.focal, m.masses, strict=True) if s]


def _rest(m):
    return 1 - sum(_nonempty(m)) / 2


def naive_table(m, frame, kind):
    if kind in naive_transform.TABLES:
        return naive_transform.table(named(m), frame, kind)
    weights = {
        "w": naive_transform.conjunctive_weights,
        "v": naive_transform.disjunctive_weights,
    }[kind](named(m), frame)
    return [weights.get(event, Fraction(1)) for event in naive_transform.by_mask(frame)]


@given(frames(1, 3), st.data())
def test_every_conversion_equals_the_definitions(frame, data):
    m = data.draw(between(frame))
    tables = {kind: naive_table(m, frame, kind) for kind in KINDS}
    for source, target in product(KINDS, KINDS):
        exact = convert_table(np.array(tables[source], dtype=object), source, target)
        assert exact.tolist() == tables[target], (source, target)
        floats = convert_table(np.array(tables[source], dtype=float), source, target)
        np.testing.assert_allclose(floats, np.array(tables[target], dtype=float), atol=1e-10)


@given(frames(1, 3), st.data())
def test_weights_equal_the_definition(frame, data):
    m = data.draw(between(frame))
    assert conjunctive_weights(m).tolist() == naive_table(m, frame, "w")
    assert disjunctive_weights(m).tolist() == naive_table(m, frame, "v")
    logs = np.array([float(w) for w in conjunctive_weights(m)])
    np.testing.assert_allclose(conjunctive_weights(m, log=True), np.log(logs), atol=1e-12)


@given(frames(1, 3), st.data())
def test_weights_come_back(frame, data):
    m = data.draw(between(frame))
    assert from_weights(frame, conjunctive_weights(m)).equals(m, 0)
    assert from_weights(frame, disjunctive_weights(m), "disjunctive").equals(m, 0)
    logs = conjunctive_weights(m, log=True)
    assert from_weights(frame, logs, log=True).equals(m, 1e-9)


@given(st.lists(st.integers(0, 6), min_size=8, max_size=8))
def test_weights_below_one_are_a_combination_of_simple_mass_functions(numbers):
    """The product that defines the decomposition (Denoeux 2008); weights may be zero."""
    weights = [Fraction(n, 6) for n in numbers]
    sources = [simple(ABC, ABC.event(i), weight=weights[i]) for i in range(7)]
    assert from_weights(ABC, weights).equals(reduce(MassFunction.__and__, sources), 0)
    duals = [simple(ABC, ABC.event(i), weight=weights[i], rest=()) for i in range(1, 8)]
    assert from_weights(ABC, weights, "disjunctive").equals(reduce(MassFunction.__or__, duals), 0)
    floats = from_weights(ABC, [float(w) for w in weights])
    assert floats.equals(reduce(MassFunction.__and__, sources), 1e-12)


@given(st.data())
def test_conjunctive_rule_multiplies_weights(data):
    """Smets (1995)."""
    m1, m2 = (data.draw(masses(ABC, empty=True, dogmatic=False)) for _ in range(2))
    expected = conjunctive_weights(m1) * conjunctive_weights(m2)
    assert conjunctive_weights(m1 & m2).tolist() == expected.tolist()


@given(st.data())
def test_disjunctive_weights_are_those_of_the_complement(data):
    m = data.draw(between(ABC))
    assert disjunctive_weights(m).tolist() == conjunctive_weights(~m)[::-1].tolist()


def test_denoeux_2008_table_5():
    m = MassFunction.from_dict(
        ABC, {(): Fraction(1, 10), ("a", "b"): Fraction(3, 10), ("b", "c"): Fraction(3, 5)}
    )
    v = dict(zip(naive_transform.by_mask(ABC), disjunctive_weights(m), strict=True))
    assert v[frozenset("ab")] == Fraction(1, 4)
    assert v[frozenset("bc")] == Fraction(1, 7)
    assert v[frozenset("abc")] == Fraction(14, 5)


def test_symbolic_weights():
    """The weight of a simple mass function is 1 - m (Shafer 1976, ch. 4)."""
    p = sympy.Symbol("p", positive=True)
    weights = conjunctive_weights(simple(ABC, "a", mass=p))
    assert [sympy.simplify(w) for w in weights] == [1, 1 - p, 1, 1, 1, 1, 1, 1]


def test_batch_row_is_the_single_one():
    m = random(Frame(range(4)), np.random.default_rng(0), size=(2, 3), conflict=0.1)
    for weights in (conjunctive_weights, disjunctive_weights):
        table = weights(m)
        assert table.shape == (2, 3, 16)
        np.testing.assert_allclose(table[1, 2], weights(m[1, 2]), rtol=1e-12)


@pytest.mark.parametrize("size", [12, 20])
def test_large_frames_do_not_underflow(size):
    frame = Frame(range(size))
    m = random(frame, np.random.default_rng(0), n_focal=40)
    tiny = 1e-280
    focal = [*m.focal, frame.full]
    m = MassFunction(frame, focal, [*(m.masses * (1 - tiny)), tiny])
    logs = conjunctive_weights(m, log=True)
    assert np.isfinite(logs).all()
    assert from_weights(frame, logs, log=True, atol=1e-9).equals(m, 1e-9)


def test_weights_beyond_floats_ask_for_logarithms():
    m = MassFunction(ABC, [1, 2, 4, 3, 5, 6, 7], [0.5, 0.3, 0.2, 0, 0, 0, 1e-300])
    with pytest.raises(MassError, match="log=True"):
        conjunctive_weights(m)
    assert conjunctive_weights(m, log=True)[0] > 1300


def test_certain_sets_have_weight_zero():
    assert from_weights(ABC, [1, 1, 1, 0.0, 1, 1, 1, 1]).is_categorical
    both = convert_table([1, 1, 1, 0.0, 1, 0.0, 1, 1], "w", "m")
    assert both.tolist() == [0, 1, 0, 0, 0, 0, 0, 0]


def test_latent_beliefs_live_in_tables_only():
    weights = [1, 2.0, 1, 1, 1, 1, 1, 1]
    signed = convert_table(weights, "w", "m")
    np.testing.assert_allclose(signed, [0, -1, 0, 0, 0, 0, 0, 2])
    np.testing.assert_allclose(convert_table(signed, "m", "w"), weights)
    with pytest.raises(MassError, match=r"would have mass -1"):
        from_weights(ABC, weights)


def test_dogmatic_and_normalized_rows_are_named():
    m = MassFunction(ABC, [0, 1, 7], [[0.25, 0.25, 0.5], [0.5, 0.5, 0], [0, 0.5, 0.5]])
    with pytest.raises(MassError, match=r"is dogmatic .* in 1 of 3 rows \(first: row 1\)"):
        conjunctive_weights(m)
    with pytest.raises(MassError, match=r"is normalized .* \(first: row 2\)"):
        disjunctive_weights(m)
    with pytest.raises(MassError, match="is dogmatic"):
        conjunctive_weights(bayesian(ABC, [0.5, 0.25, 0.25]))
    with pytest.raises(MassError, match=r"q of mask 2 is 0.0 in row 1; .* m\(frame\) > 0"):
        convert_table(tables.table(m), "m", "w")


@each(
    ("make", "message"),
    [
        (lambda: convert_table([0, 1, 0], "m", "q"), "2, 4, 8"),
        (lambda: convert_table(1.0, "m", "q"), r"shape \(\)"),
        (lambda: convert_table([0, np.nan], "m", "q"), "m nan is not finite"),
        (lambda: convert_table([[1, 1], [-1, 1]], "w", "q"), "weight -1.0 in row 1 is negative"),
        (lambda: from_weights(ABC, [1, -2, 1, 1, 1, 1, 1, 1]), "weight -2.0"),
        (lambda: from_weights(ABC, [1, 1, 1]), "8 subsets"),
        (lambda: from_weights(ABC, 1.0, "disjunctive"), r"shape \(\)"),
        (lambda: convert_table([1e300, 1e300, 1, 1], "w", "m"), "beyond float64"),
        (lambda: conjunctive_weights(vacuous(Frame(range(27)))), "27 labels"),
    ],
)
def test_wrong_values_are_refused(make, message):
    with pytest.raises(DSTheoryError, match=message):
        make()


def test_names_of_tables_are_checked():
    with pytest.raises(ValueError, match="source is 'mass', expected one of 'm'"):
        convert_table([0, 1], "mass", "q")
    with pytest.raises(ValueError, match=r"target is 'Bel'.*did you mean 'bel'"):
        convert_table([0, 1], "m", "Bel")


def test_small_plausibilities_keep_their_digits():
    table = convert_table([0, 1 - 1e-20, 1e-20, 0], "m", "pl")
    assert table[2] == 1e-20
    assert from_table(Frame(["a", "b"]), [0, 1, 0, 0]).pl("b") == 0
