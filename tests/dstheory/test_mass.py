"""One mass function: the definitions, exactly; the laws; every kind of number; every frame."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.errors import FrameError, MassError, TotalConflictError
from dstheory.testing import frames, masses
from dstheory.transform import betp
from tests.naive import mass as naive
from tests.naive.rules import as_sets
from tests.support.each import each

FRAME = Frame(["a", "b", "c"])


@st.composite
def mass_functions(draw, size=1, **options):
    """`size` mass functions on one frame."""
    frame = draw(frames(max_size=4))
    drawn = [draw(masses(frame, **{"empty": True, **options})) for _ in range(size)]
    return drawn if size > 1 else drawn[0]


def events(frame):
    return [(mask, frozenset(frame.event(mask))) for mask in range(frame.full + 1)]


# ---- definitions


@pytest.mark.parametrize("name", ["bel", "pl", "q", "b"])
@given(m=mass_functions())
def test_functions_of_events(name, m):
    sets = as_sets(m)
    for mask, event in events(m.frame):
        wanted = getattr(naive, name)(sets, event)
        assert getattr(m, name)(event) == getattr(m, name)(mask=mask) == wanted


@given(m=mass_functions())
def test_mass_of_events(m):
    sets = as_sets(m)
    for mask, event in events(m.frame):
        assert m.mass(event) == m.mass(mask=mask) == sets.get(event, 0)


@given(m=mass_functions())
def test_contour(m):
    wanted = [naive.pl(as_sets(m), frozenset([label])) for label in m.frame]
    assert m.contour().tolist() == wanted


@given(ms=mass_functions(size=2))
def test_operators(ms):
    one, two = ms
    sets = [as_sets(m) for m in ms]
    assert as_sets(one & two) == naive.conjunctive(*sets)
    assert as_sets(one | two) == naive.disjunctive(*sets)
    assert as_sets(~one) == naive.complement(sets[0], one.frame)
    if naive.conjunctive(*sets).get(frozenset(), 0) == 1:
        with pytest.raises(TotalConflictError, match=r"^total conflict \(kappa = 1\)"):
            one @ two
    else:
        assert as_sets(one @ two) == naive.dempster(*sets)


@given(m=mass_functions())
def test_normalize(m):
    assume(m.mass([]) != 1)
    assert as_sets(m.normalize()) == naive.normalize(as_sets(m))


@given(m=mass_functions())
def test_predicates(m):
    sets, frame = as_sets(m), frozenset(m.frame)
    assert m.is_normalized == (frozenset() not in sets)
    assert m.is_vacuous == (set(sets) == {frame})
    assert m.is_categorical == (len(sets) == 1)
    assert m.is_simple == (len(set(sets) - {frame}) <= 1)
    assert m.is_bayesian == all(len(event) == 1 for event in sets)
    assert m.is_consonant == all(x <= y or y <= x for x in sets for y in sets)
    assert m.is_dogmatic == (frame not in sets)
    assert type(m.is_consonant) is bool


# ---- laws


@given(m=mass_functions(empty=False))
def test_duality_when_normalized(m):
    """Shafer 1976, theorem 2.1 and section 2.3: Bel <= Pl, Bel(A) = 1 - Pl(not A)."""
    for mask in range(m.frame.full + 1):
        assert 0 <= m.bel(mask=mask) <= m.pl(mask=mask) <= 1
        assert m.bel(mask=mask) == 1 - m.pl(mask=m.frame.full - mask)


@given(m=mass_functions())
def test_open_world(m):
    """Smets 1990: b counts m(empty), bel and pl do not; b(A) = 1 - pl(not A) always."""
    assert m.pl([]) == m.bel([]) == 0
    assert m.b([]) == m.mass([])
    assert m.q([]) == m.b(m.frame) == 1
    for mask in range(m.frame.full + 1):
        assert m.b(mask=mask) == m.bel(mask=mask) + m.mass([])
        assert m.b(mask=mask) == 1 - m.pl(mask=m.frame.full - mask)


@given(m=mass_functions(empty=False))
def test_belief_is_superadditive(m):
    """Shafer 1976, axiom of belief functions, for two events."""
    for one in range(m.frame.full + 1):
        for two in range(one):
            both = m.bel(mask=one) + m.bel(mask=two) - m.bel(mask=one & two)
            assert m.bel(mask=one | two) >= both


@given(ms=mass_functions(size=2))
def test_products(ms):
    """Commonalities multiply under &, implicabilities under |; ~ exchanges them."""
    one, two = ms
    for mask in range(one.frame.full + 1):
        assert (one & two).q(mask=mask) == one.q(mask=mask) * two.q(mask=mask)
        assert (one | two).b(mask=mask) == one.b(mask=mask) * two.b(mask=mask)
        assert (~one).b(mask=mask) == one.q(mask=one.frame.full - mask)


@given(m=mass_functions())
def test_complement_twice_is_the_same(m):
    assert ~~m == m


@given(m=mass_functions())
def test_dict_round_trip(m):
    assert MassFunction.from_dict(m.frame, m.to_dict()) == m


def test_dict_round_trip_where_a_set_of_labels_is_itself_a_label():
    frame = Frame(["a", "b", ("a", "b")])
    m = MassFunction(frame, [3, 4, 7], [0.5, 0.25, 0.25])
    assert m.to_dict()[frozenset("ab")] == 0.5
    assert MassFunction.from_dict(frame, m.to_dict()) == m


# ---- numbers


@pytest.mark.parametrize("number", [float, np.float32, np.float64])
def test_floating_masses_become_float64(number):
    m = MassFunction(FRAME, [1, 7], np.array([0.25, 0.75], dtype=number))
    assert m.masses.dtype == np.float64
    assert type(m.bel("a")) is float


def test_integers_become_float64():
    assert MassFunction(FRAME, [1, 7], [1, 0]).masses.dtype == np.float64


@given(m=mass_functions())
def test_fractions_stay_fractions(m):
    for mask in range(m.frame.full + 1):
        assert isinstance(m.pl(mask=mask), Fraction | int)
    assert all(isinstance(mass, Fraction) for mass in m.masses)


@pytest.mark.parametrize("kind", [Decimal, sympy.Rational])
def test_other_exact_numbers(kind):
    m = MassFunction.from_dict(FRAME, {"a": kind("0.1"), "b": kind("0.2"), FRAME: kind("0.7")})
    assert m.pl(["a", "b"]) == kind(1)
    assert (m @ m).mass("a") == (kind("0.01") + 2 * kind("0.07")) / (1 - 2 * kind("0.02"))


def test_symbols_end_to_end():
    x, y = sympy.symbols("x y", positive=True)
    one = MassFunction.from_dict(FRAME, {"a": x, FRAME: 1 - x})
    two = MassFunction.from_dict(FRAME, {("b", "c"): y, FRAME: 1 - y})
    assert one.bel("a") == x
    assert one.contour().tolist() == [1, 1 - x, 1 - x]
    fused = one @ two
    assert sympy.simplify(fused.bel("a") - x * (1 - y) / (1 - x * y)) == 0
    wanted = {"a": x - x * y, (): x * y, ("b", "c"): y - x * y, FRAME: (1 - x) * (1 - y)}
    assert (one & two).equals(MassFunction.from_dict(FRAME, wanted))
    assert one & two == MassFunction.from_dict(FRAME, wanted)
    assert not one.equals(two)
    assert one.is_simple
    assert not one.is_vacuous
    assert repr(one) == "MassFunction on {a, b, c}\n  {a}        x\n  {a, b, c}  1 - x"
    batch = MassFunction(FRAME, [1, 7], [[x, 1 - x], [y, 1 - y]])
    assert batch[1].bel("a") == y
    assert batch.contour()[0].tolist() == [1, 1 - x, 1 - x]


def test_zadeh_loses_no_digit():
    eps = 1e-9
    one = MassFunction.from_dict(FRAME, {"a": 1 - eps, "c": eps})
    two = MassFunction.from_dict(FRAME, {"b": 1 - eps, "c": eps})
    assert (one @ two).mass("c") == 1
    assert (one & two).normalize().mass("c") == 1


# ---- frames above 62 elements


@each("size", [1, 61, 62, 63, 64, 65, 200])
def test_frames_of_any_size(size):
    frame = Frame(range(size))
    last, half = frame.mask(size - 1), frame.mask(range(size // 2, size))
    focal = {last, half, frame.full}
    m = MassFunction(frame, focal, [Fraction(1, len(focal))] * len(focal))
    sets = as_sets(m)
    for mask in {0, 1, last, half, frame.full, frame.full - last}:
        event = frozenset(frame.event(mask))
        assert m.bel(event) == m.bel(mask=mask) == naive.bel(sets, event)
        assert m.pl(event) == naive.pl(sets, event)
        assert m.q(event) == naive.q(sets, event)
    assert m.contour().tolist() == [naive.pl(sets, frozenset([i])) for i in range(size)]
    assert as_sets(m @ m) == naive.dempster(sets, sets)
    assert as_sets(~m) == naive.complement(sets, frame)
    assert m.is_consonant
    assert pickle.loads(pickle.dumps(m)) == m


# ---- events


def test_events_and_masks_are_told_apart():
    frame = Frame([4, 2, 1])
    m = MassFunction(frame, [1, 2, 4], [0.5, 0.25, 0.25])
    assert m.mass(4) == m.mass(mask=1) == m.mass(np.int64(4)) == 0.5
    assert m.bel([4, 2]) == m.bel(mask=3) == 0.75
    with pytest.raises(FrameError, match="3 is not a label"):
        m.bel(3)
    with pytest.raises(FrameError, match="mask 8 is outside"):
        m.bel(mask=8)
    for wrong in ({}, {"event": 4, "mask": 1}):
        with pytest.raises(TypeError, match="either an event or mask="):
            m.bel(**wrong)


def test_none_may_be_a_label():
    frame = Frame([None, "a"])
    assert MassFunction.from_dict(frame, {None: 1}).bel(None) == 1


def test_a_string_is_one_label():
    frame = Frame(["a", "d", "ad"])
    m = MassFunction.from_dict(frame, {"ad": 0.5, ("a", "d"): 0.5})
    assert m.focal.tolist() == [3, 4]


# ---- values


@given(m=mass_functions(exact=False))
def test_copies_are_equal_and_read_only(m):
    copies = [copy.copy(m), copy.deepcopy(m)]
    copies += [pickle.loads(pickle.dumps(m, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for other in copies:
        assert other == m
        assert hash(other) == hash(m)
        for array in (other.focal, other.masses, other.store):
            assert not array.flags.writeable


def test_immutable():
    focal, values = [1, 7], np.array([0.25, 0.75])
    m = MassFunction(FRAME, focal, values)
    values[0] = 9
    assert m.mass("a") == 0.25
    with pytest.raises(ValueError, match="read-only"):
        m.masses[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        m.focal[0] = 2
    for name in ("frame", "masses", "extra"):
        with pytest.raises(AttributeError):
            setattr(m, name, None)


def test_equality():
    m = MassFunction(FRAME, [1, 7], [0.5, 0.5])
    assert m == MassFunction(FRAME, [7, 2, 1], [0.5, 0, 0.5])
    assert hash(m) == hash(MassFunction(FRAME, [7, 2, 1], [0.5, 0, 0.5]))
    assert m != MassFunction(FRAME, [1, 7], [0.5 + 1e-13, 0.5 - 1e-13])
    assert m.equals(MassFunction(FRAME, [1, 7], [0.5 + 1e-13, 0.5 - 1e-13]))
    assert not m.equals(MassFunction(FRAME, [1, 7], [0.6, 0.4]), atol=0.05)
    # Sets without mass, on either side, change nothing.
    more = MassFunction(FRAME, [0, 1, 2, 7], [0.0, 0.5, 0.0, 0.5])
    assert m.equals(more, atol=0)
    assert more.equals(m, atol=0)
    assert not more.equals(MassFunction(FRAME, [1, 2], [0.5, 0.5]))
    assert m != MassFunction(Frame(["a", "b", "d"]), [1, 7], [0.5, 0.5])
    assert m != MassFunction(FRAME, [1, 7], [[0.5, 0.5]])
    assert m != 0.5
    with pytest.raises(TypeError, match=r"other is 0\.5, expected a mass function"):
        m.equals(0.5)


def test_prune():
    m = MassFunction(FRAME, [0, 1, 2, 7], [0, 0.5, 1e-6, 0.5 - 1e-6])
    assert m.prune().focal.tolist() == [1, 2, 7]
    pruned = m.prune(1e-5)
    assert pruned.focal.tolist() == [1, 7]
    assert pruned.masses.sum() == pytest.approx(1, abs=1e-15)
    assert pruned.prune() is pruned
    with pytest.raises(MassError, match=r"no focal set has more than 0\.9; prune with a lower"):
        m.prune(0.9)


def test_operands_of_other_kinds():
    m = MassFunction(FRAME, [1, 7], [0.5, 0.5])
    for other in (1, 0.5, np.ones(2), np.float64(1), "a", None):
        for operation in ("__and__", "__or__", "__matmul__"):
            assert getattr(m, operation)(other) is NotImplemented
    with pytest.raises(TypeError):
        np.ones(2) @ m
    with pytest.raises(TypeError):
        np.ones(2) & m
    with pytest.raises(TypeError):
        m + m


def test_operands_on_other_frames():
    m = MassFunction(FRAME, [1], [1])
    other = MassFunction(Frame(["a", "b"]), [1], [1])
    for operation in (m.__and__, m.__or__, m.__matmul__):
        with pytest.raises(FrameError, match=r"frames differ: Frame\(\['a', 'b', 'c'\]\) and"):
            operation(other)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_have_a_row_for_each_sample(backend):
    pytest.importorskip(backend)
    rng = np.random.default_rng(0)
    m = MassFunction(Frame(["a", "b", "c"]), np.arange(8), rng.dirichlet(np.ones(8), size=5))
    for kind, expected in (
        ("sets", {m.frame._text(mask): m.mass(mask=mask) for mask in range(8)}),
        (
            "labels",
            {
                f"{name}_{label}": values
                for label, p in zip(m.frame, betp(m.normalize()).T, strict=True)
                for name, values in (("bel", m.bel(label)), ("pl", m.pl(label)), ("p", p))
            },
        ),
    ):
        table = m.to_frame(kind, backend)
        names = table.column_names if backend == "pyarrow" else list(table.columns)
        assert names == list(expected)
        for name, values in expected.items():
            np.testing.assert_allclose(np.asarray(table[name]), values, atol=1e-15)
        assert len(m[0].to_frame(kind, backend)) == 1
    with pytest.raises(ValueError, match="reshape it to one axis"):
        m.reshape(5, 1).to_frame()
    with pytest.raises(ValueError, match=r"the batch has 5 rows; take one, as in m\[0\]"):
        m.to_frame("events", backend)
    one = MassFunction(Frame(["a", "b"]), [0, 1, 3], [0.25, 0.25, 0.5]).to_frame("events", backend)
    for name, values in (
        ("event", ["{}", "{a}", "{a, b}"]),
        ("mass", [0.25, 0.25, 0.5]),
        ("bel", [0, 0.25, 0.75]),
        ("pl", [0, 0.75, 0.75]),
        ("q", [1, 0.75, 0.5]),
    ):
        assert np.asarray(one[name]).tolist() == values
    with pytest.raises(ValueError, match="did you mean 'labels'"):
        m.to_frame("label")
    with pytest.raises(TypeError, match=r"m\.to_frame\(\) is a table"):
        pandas.DataFrame(m)
