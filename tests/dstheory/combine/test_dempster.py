from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import combine_axis, conjunctive, dempster, fixsen_mahler
from dstheory.errors import TotalConflictError
from dstheory.measure import conflict
from tests.dstheory.combine.strategies import sources
from tests.naive import mass as naive
from tests.naive import rules as naive_rules
from tests.support.each import each


def compatible(ms):
    return naive_rules.kappa(*map(naive_rules.as_sets, ms)) != 1


@given(ms=sources(size=st.integers(2, 3), empty=True))
def test_equals_its_definition(ms):
    assume(compatible(ms))
    expected = naive.dempster(*map(naive_rules.as_sets, ms))
    assert naive_rules.as_sets(dempster(*ms)) == expected


@given(ms=sources(size=3))
def test_commutes_and_associates(ms):
    assume(compatible(ms))
    one, two, three = ms
    assert dempster(one, two, three) == dempster(three, one, two)
    assert dempster(one, two, three) == dempster(one, dempster(two, three))


@given(ms=sources(size=2, empty=True))
def test_is_the_normalized_conjunctive_rule(ms):
    assume(compatible(ms))
    assert dempster(*ms) == conjunctive(*ms).normalize()


@given(ms=sources(size=1))
def test_vacuous_is_neutral(ms):
    (m,) = ms
    assert dempster(m, MassFunction.from_dict(m.frame, {m.frame: Fraction(1)})) == m


@given(weights=st.lists(st.tuples(*[st.integers(1, 50)] * 3), min_size=2, max_size=4))
def test_on_bayesian_masses_it_is_bayes_with_a_uniform_prior(weights):
    frame = Frame(list("abc"))
    ms = [
        MassFunction(frame, [1, 2, 4], [Fraction(value, sum(row)) for value in row])
        for row in weights
    ]
    expected = naive_rules.bayes(*map(naive_rules.as_sets, ms))
    assert naive_rules.as_sets(dempster(*ms)) == expected


@each("eps", [1e-9, 1e-15, 1e-100, 1e-160, 1e-300, 5e-324])
def test_zadeh_loses_no_digit(eps):
    frame = Frame(list("abc"))
    one = MassFunction.from_dict(frame, {"a": 1 - eps, "c": eps})
    two = MassFunction.from_dict(frame, {"b": 1 - eps, "c": eps})
    assert dempster(one, two).mass("c") == 1
    assert fixsen_mahler(one, two).mass("c") == pytest.approx(1, abs=1e-12)


def test_products_below_all_floats_keep_their_ratio():
    frame = Frame(list("abc"))
    one = MassFunction(frame, [1, 2, 4], [[0, 1e-200, 1], [1e-200, 2e-200, 1], [1, 0, 0]])
    two = MassFunction(frame, [1, 2, 3], [[[1e-200, 3e-200, 1]], [[0.5, 0.25, 0.25]]])
    fused = dempster(one, two)
    assert fused.batch_shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert fused[i, j].equals(dempster(one[j], two[i, 0], log=True), atol=1e-12)


def test_only_true_total_conflict_is_total():
    frame = Frame(list("ab"))
    one = MassFunction(frame, [1, 2], [[1, 1e-300], [1, 0]])
    two = MassFunction(frame, [2, 3], [1, 0])
    with pytest.raises(TotalConflictError, match=r"in 1 of 2 rows \(first: row 1\)"):
        dempster(one, two)


@each("least", [0, 1e-310])
def test_sources_beside_two_that_exclude_each_other(least):
    """Of the first two no set is left."""
    frame = Frame(list("ab"))
    ms = [MassFunction(frame, [k], [1]) for k in (1, 2)] + [MassFunction(frame, [1, 3], [least, 1])]
    for log in (False, True):
        assert dempster(*ms, log=log, total_conflict="vacuous").is_vacuous
    assert conflict(*ms, kind="weight") == np.inf


def test_high_conflict_keeps_relative_accuracy():
    frame = Frame(list("abc"))
    eps = Fraction(1, 10**12)
    exact = [
        MassFunction.from_dict(frame, {"a": 1 - eps, ("b", "c"): eps}),
        MassFunction.from_dict(frame, {"b": eps, "c": 1 - eps}),
    ]
    floating = [MassFunction(frame, m.focal, np.asarray(m.masses, dtype=np.float64)) for m in exact]
    for event in "abc":
        wanted = float(dempster(*exact).mass(event))
        assert dempster(*floating).mass(event) == pytest.approx(wanted, rel=1e-12)


def test_three_hundred_sources_do_not_underflow():
    frame = Frame(list("ab"))
    masses = np.tile([0.01, 0.02, 0.97], (300, 1))
    fused = dempster(*MassFunction(frame, [1, 2, 3], masses))
    # Commonalities multiply: q(a) = 0.98^300, q(b) = 0.99^300, q(ab) = 0.97^300.
    qa, qb, qab = 0.98**300, 0.99**300, 0.97**300
    total = qa + qb - qab
    np.testing.assert_allclose(
        fused.masses, [(qa - qab) / total, (qb - qab) / total, qab / total], rtol=1e-9
    )
    certain = MassFunction(frame, [1, 2], np.tile([0.2, 0.8], (300, 1)))
    assert dempster(*certain).mass("b") == pytest.approx(1)


def test_total_conflict_names_the_rows():
    frame = Frame(list("ab"))
    one = MassFunction(frame, [1, 3], [[0.5, 0.5], [1, 0], [1, 0]])
    two = MassFunction.from_dict(frame, {"b": 1})
    with pytest.raises(TotalConflictError, match=r"in 2 of 3 rows \(first: row 1\)"):
        dempster(one, two)


@given(ms=sources(size=st.integers(2, 4), max_focal=4))
def test_logarithms_give_the_same(ms):
    assume(compatible(ms))
    floating = [MassFunction(m.frame, m.focal, m.masses.astype(float)) for m in ms]
    assert dempster(*floating, log=True).equals(dempster(*floating), atol=1e-14)
    assert dempster(*ms, log=True) == dempster(*ms)


def test_masses_that_fall_below_all_floats_come_back():
    """200 sources for a, then 200 for b, are 1/2 and 1/2, in each order and each row."""
    frame = Frame(list("ab"))
    ant = MassFunction(frame, [1, 2], [[0.99, 0.01]] * 200)
    bee = MassFunction(frame, [1, 2], [[0.01, 0.99]] * 200)
    even = MassFunction(frame, [1, 3], [[0.5, 0.5], [1.0, 0.0]])
    for name, listed in {
        "a first": [*ant, *bee],
        "b first": [*bee, *ant],
        "in turn": [m for pair in zip(ant, bee, strict=True) for m in pair],
    }.items():
        for log in (False, True):
            assert dempster(*listed, log=log).mass("b") == pytest.approx(0.5, abs=1e-10), name
        assert fixsen_mahler(*listed).mass("b") == pytest.approx(0.5, abs=1e-10), name
        stacked = MassFunction(frame, [1, 2], [m.masses for m in listed])
        assert combine_axis(stacked, dempster).mass("b") == pytest.approx(0.5, abs=1e-10), name
    rows = dempster(*ant, *bee, even)  # the second row knows that it is a
    assert rows.mass("b") == pytest.approx([1 / 3, 0], abs=1e-10)
    mixed = MassFunction(frame, [1, 2], [[[0.99, 0.01], [0.5, 0.5]]] * 200)
    rows = dempster(*(mixed[i] for i in range(200)), *bee, MassFunction(frame, [1, 2], [0.4, 0.6]))
    np.testing.assert_allclose(rows.mass("b"), [0.6, 1], rtol=1e-10)


@given(
    exponents=st.lists(
        st.lists(st.integers(-400, 0), min_size=3, max_size=3), min_size=3, max_size=6
    ),
    order=st.randoms(use_true_random=False),
)
def test_tiny_products_are_right_in_any_order(exponents, order):
    """Sources of masses down to 1e-250 beside exact arithmetic, in a batch and alone."""
    frame = Frame(list("abc"))
    exact, floats = [], []
    for row in exponents:
        values = [Fraction(10) ** max(exponent, -250) for exponent in row]
        values = [Fraction(float(value / sum(values))) for value in values]
        exact.append([value / sum(values) for value in values])
        floats.append(MassFunction(frame, [1, 2, 6], list(map(float, exact[-1]))))
    wanted = dempster(*(MassFunction(frame, [1, 2, 6], row) for row in exact))
    order.shuffle(floats)
    other = MassFunction(frame, [1, 2, 6], [0.25, 0.25, 0.5])
    batch = [MassFunction(frame, [1, 2, 6], [m.masses, other.masses]) for m in floats]
    for mask in (1, 2, 6):
        expected = pytest.approx(float(wanted.mass(mask=mask)), rel=1e-9, abs=5e-324)
        assert dempster(*floats).mass(mask=mask) == expected
        assert dempster(*batch).mass(mask=mask)[0] == expected


def test_what_underflowed_is_not_called_an_exclusion():
    frame = Frame(list("abc"))
    ant = MassFunction(frame, [1, 2], [[0.99, 0.01]] * 200)
    bee = MassFunction(frame, [1, 2], [[0.01, 0.99]] * 200)
    parts = dempster(*ant), dempster(*bee)
    assert 0 < parts[0].mass("b") < 1e-300  # possible, but its digits are lost
    with pytest.raises(TotalConflictError, match=r"masses underflowed.*in one call of dempster"):
        dempster(*parts)
    with pytest.raises(TotalConflictError, match="masses underflowed"):
        parts[0] @ parts[1]
    assert dempster(*parts, total_conflict="vacuous").is_vacuous
    rows = MassFunction(frame, [1, 2], [parts[0].masses, [0.5, 0.5]])
    with pytest.raises(TotalConflictError, match=r"5e-315 in 1 of 2 rows \(first: row 0\)"):
        dempster(rows, parts[1])
    small = [MassFunction(frame, k, [1, 1e-310]) for k in ([1, 2], [2, 1])]  # of 13 digits
    assert dempster(*small).mass("b") == pytest.approx(0.5, rel=1e-9)
    known = MassFunction.from_dict(frame, {("b", "c"): 1})
    assert dempster(parts[0], known).mass("b") == 1  # the only set that is left needs no digits


@pytest.mark.parametrize("shape", [(3,), (1, 3), (3, 1)])
def test_one_total_conflict_costs_the_other_rows_nothing(shape):
    frame = Frame(list("ab"))
    masses = np.array([[0.5, 0.5], [1, 0], [0.25, 0.75]]).reshape(*shape, 2)
    one = MassFunction(frame, [1, 3], masses)
    two = MassFunction(frame, [2, 3], [[1, 0]] * 3).reshape(shape)
    with pytest.raises(TotalConflictError):
        dempster(one, two)
    for log in (False, True):
        vacuous = dempster(one, two, two, log=log, total_conflict="vacuous").reshape(3)
        assert vacuous[1].is_vacuous
        assert vacuous[[0, 2]].mass("b").tolist() == [1, 1]
        missing = dempster(one, two, two, log=log, total_conflict="nan").reshape(3)
        assert np.isnan(missing.masses[1]).all()
        assert missing[[0, 2]].mass("b").tolist() == [1, 1]
    exact = [MassFunction(frame, [k], [Fraction(1)]) for k in (1, 2)]
    assert dempster(*exact, total_conflict="vacuous").to_dict() == {("a", "b"): 1}
    with pytest.raises(ValueError, match="total_conflict is 'ignore', expected one of 'error'"):
        dempster(*exact, total_conflict="ignore")


def test_logarithms_on_batches_and_large_frames():
    frame = Frame(range(100))
    one = MassFunction(frame, [1, frame.full], [[[0.5, 0.5]], [[0, 1]]])
    two = MassFunction(frame, [1, 1 << 99], [[0.5, 0.5], [1, 0], [0, 1]])
    assert dempster(one, two, log=True).equals(dempster(one, two))


def test_logarithms_name_rows_of_total_conflict():
    frame = Frame(list("ab"))
    one = MassFunction(frame, [1, 3], [[0.5, 0.5], [1, 0], [1, 0]])
    two = MassFunction.from_dict(frame, {"b": 1})
    with pytest.raises(TotalConflictError, match=r"in 2 of 3 rows \(first: row 1\)"):
        dempster(one, two, log=True)


@each("seed", range(20))
def test_masses_are_right_to_1e_15_and_by_logarithms_to_their_digits(seed):
    """Products of masses from 1e-170 to 1, most of them below 1e-308 beside such as are not."""
    rng = np.random.default_rng(seed)
    frame = Frame(range(3))
    stores = 10.0 ** rng.uniform(-170, 0, (2, 7))
    stores[np.arange(2), rng.integers(0, 7, 2)] = 1.0
    stores /= stores.sum(axis=1, keepdims=True)
    floats = [MassFunction(frame, range(1, 8), row) for row in stores]
    fractions = [[Fraction(value) for value in row.tolist()] for row in stores]
    exact = dempster(
        *(MassFunction(frame, range(1, 8), [v / sum(row) for v in row]) for row in fractions)
    )
    for mask in range(1, 8):
        expected = float(exact.mass(mask=mask))
        assert dempster(*floats).mass(mask=mask) == pytest.approx(expected, rel=0, abs=1e-15)
        by_logarithms = dempster(*floats, log=True).mass(mask=mask)
        assert by_logarithms == pytest.approx(expected, rel=1e-11, abs=1e-300)
