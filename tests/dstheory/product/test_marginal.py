"""Extension, projection and combination: definitions, laws, batches, long bitsets."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, combine, conjunctive, disjunctive, vacuous
from dstheory import product as many
from dstheory.errors import DSTheoryError, FrameError, TotalConflictError
from dstheory.interchange import from_json, to_json
from dstheory.product import ProductFrame, Variable, extend, marginalize, on, project
from dstheory.testing import masses
from tests.dstheory.product.strategies import POOL, beliefs, naive, products
from tests.naive import product as naive_product
from tests.naive.rules import as_sets
from tests.support.each import each

RAIN, WET = Variable("rain", ["yes", "no"]), Variable("wet", [1, 0])
# 4 * 5 * 4 = 80 configurations: masks are Python integers.
LONG = [Variable(name, range(size)) for name, size in zip("abc", (4, 5, 4), strict=True)]


def names_of(draw, frame, min_size=1):
    return draw(st.lists(st.sampled_from(frame.names), min_size=min_size, unique=True))


@given(m=beliefs(), data=st.data())
def test_extension_is_its_definition(m, data):
    onto = data.draw(products(max_variables=4))
    frame = many.combine(vacuous(m.frame), vacuous(onto)).frame
    frame = ProductFrame(data.draw(st.permutations(frame.variables)))
    wide = extend(m, frame)
    assert wide.frame == frame
    assert as_sets(wide) == naive_product.extend(as_sets(m), naive(m.frame), naive(frame))
    assert (np.diff(wide.focal) > 0).all()
    assert marginalize(wide, m.frame.names) == m  # the marginal of an extension


@given(m=beliefs(), data=st.data())
def test_marginal_is_its_definition(m, data):
    names = names_of(data.draw, m.frame)
    part = marginalize(m, names)
    assert part.frame == ProductFrame([m.frame.variable(name) for name in names])
    assert as_sets(part) == naive_product.marginalize(as_sets(m), naive(m.frame), names)
    single = marginalize(m, names[0])
    assert single.frame == m.frame.variable(names[0]).frame
    assert on(m.frame.variable(names[0]), single) == marginalize(m, names[:1])


@given(m=beliefs(), data=st.data())
def test_marginals_keep_beliefs(m, data):
    names = names_of(data.draw, m.frame)
    part = marginalize(m, iter(names))
    mask = data.draw(st.integers(0, part.frame.full))
    event = [dict(zip(names, label, strict=True)) for label in part.frame.event(mask)]
    assert (part.bel(mask=mask), part.pl(mask=mask)) == (m.bel(event), m.pl(event))


@given(m=beliefs(), data=st.data())
def test_transitivity_of_marginals(m, data):
    """Variables may be left out one after the other (Shenoy & Shafer 1990)."""
    names = names_of(data.draw, m.frame)
    fewer = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    assert marginalize(marginalize(m, names), fewer) == marginalize(m, fewer)


@given(m1=beliefs(max_focal=3), m2=beliefs(max_focal=3))
def test_combination_is_its_definition(m1, m2):
    both = many.combine(m1, m2, rule=conjunctive)
    wanted, variables = naive_product.combine(
        (as_sets(m1), naive(m1.frame)), (as_sets(m2), naive(m2.frame))
    )
    assert naive(both.frame) == variables
    assert list(both.frame.names) == list(variables)
    assert as_sets(both) == wanted


@given(m1=beliefs(max_focal=3), m2=beliefs(max_focal=3))
def test_combination_axiom(m1, m2):
    """Marginals distribute over combination (Shenoy & Shafer 1990): local computation."""
    common = [name for name in m1.frame.names if name in m2.frame.names]
    if not common:
        return
    left = marginalize(many.combine(m1, m2, rule=conjunctive), m1.frame.names)
    assert left == many.combine(m1, marginalize(m2, common), rule=conjunctive)


@given(m1=beliefs(max_focal=3), m2=beliefs(max_focal=3), m3=beliefs(max_focal=2))
def test_combination_commutes_and_associates(m1, m2, m3):
    """Shenoy & Shafer 1990; the order of the variables apart."""
    one = many.combine(m1, m2, m3, rule=conjunctive)
    two = many.combine(m3, many.combine(m2, m1, rule=conjunctive), rule=conjunctive)
    assert marginalize(two, one.frame.names) == one


@given(data=st.data())
def test_long_bitsets(data):
    """The same on products above 62 configurations."""
    frame = ProductFrame(data.draw(st.permutations(LONG)))
    m = data.draw(masses(frame, empty=True, max_focal=3))
    names = names_of(data.draw, frame)
    part = marginalize(m, names)
    assert as_sets(part) == naive_product.marginalize(as_sets(m), naive(frame), names)
    back = extend(part, frame)
    assert as_sets(back) == naive_product.extend(as_sets(part), naive(part.frame), naive(frame))
    together = many.combine(part, m, rule=conjunctive)
    assert marginalize(together, frame.names).equals(back & m)


def test_blocks_do_not_show(monkeypatch):
    """Masks are worked on a block at a time."""
    rng = np.random.default_rng(0)
    frame = ProductFrame(LONG)
    focal = sorted({int.from_bytes(rng.bytes(10), "little") for _ in range(50)})
    m = MassFunction(frame, focal, np.full(len(focal), 1 / len(focal)))
    whole = marginalize(m, ["c", "a"])
    wide = extend(m, ProductFrame([RAIN, *LONG]))
    monkeypatch.setattr("dstheory.kernels.bitsets._BLOCK_CELLS", 200)
    assert marginalize(m, ["c", "a"]) == whole
    assert extend(m, ProductFrame([RAIN, *LONG])) == wide


@pytest.mark.parametrize("shape", [(3,), (2, 2), (0,)])
def test_batches(shape):
    frame = ProductFrame([RAIN, WET])
    rows = np.random.default_rng(0).dirichlet(np.ones(3), shape)
    m = MassFunction(frame, [1, 6, 15], rows)
    part, wide = marginalize(m, "wet"), extend(m, ProductFrame([WET, *LONG, RAIN]))
    assert part.batch_shape == wide.batch_shape == shape
    for row in np.ndindex(*shape):
        assert part[row].equals(marginalize(m[row], "wet"))
        assert wide[row].equals(extend(m[row], wide.frame))
    both = many.combine(m, many.observe({WET: 1}, 0.5))
    assert both.batch_shape == shape


def test_rules():
    rain = many.observe({RAIN: "yes"}, Fraction(1, 2))
    wet = many.observe({WET: 1}, Fraction(1, 4))
    assert many.combine(rain, wet).mass(("yes", 1)) == Fraction(1, 8)
    assert many.combine(rain, wet, rule=disjunctive).mass(
        [{"rain": "yes"}, {"wet": 1}]
    ) == Fraction(1, 8)
    assert many.combine(rain, many.observe({RAIN: "no"}), rule=combine.yager).mass({}) == Fraction(
        1, 2
    )
    assert many.combine(rain) == rain
    with pytest.raises(TotalConflictError):
        many.combine(many.observe({RAIN: "yes"}), many.observe({RAIN: "no"}))


def test_too_many_sets_are_refused_before_they_are_made():
    """A thousand sets twice, on 2^20 configurations together."""
    rng = np.random.default_rng(0)
    parts = []
    for side in "ab":
        frame = ProductFrame([Variable(f"{side}{i}", [0, 1]) for i in range(10)])
        focal = [int.from_bytes(rng.bytes(128), "little") for _ in range(1000)]
        parts.append(MassFunction(frame, focal, np.full(1000, 0.001)))
    with pytest.raises(DSTheoryError, match="1000000 sets to 1048576 configurations takes"):
        many.combine(*parts)


def test_certainty_keeps_fractions_exact():
    rain = many.observe({RAIN: "yes"}, Fraction(1, 3))
    joint = many.combine(rain, many.implies({RAIN: "yes"}, {WET: 1}), vacuous(rain.frame))
    assert joint.bel({"wet": 1}) == Fraction(1, 3)
    assert isinstance(joint.bel({"wet": 1}), Fraction)
    floating = many.combine(rain, many.implies({RAIN: "yes"}, {WET: 1}, 0.5))
    assert floating.bel({"wet": 1}) == pytest.approx(1 / 6)


def test_symbols_run_through():
    p, r = sympy.symbols("p r")
    joint = many.combine(
        many.observe({RAIN: "yes"}, p),
        many.implies({RAIN: "yes"}, {WET: 1}, r),
        many.observe({WET: 1}, p),
        rule=conjunctive,
    )
    assert sympy.expand(marginalize(joint, "wet").bel(1) - (p * r + p - p * p * r)) == 0


def test_projection_of_events():
    frame = ProductFrame([RAIN, WET])
    assert project(frame, [("yes", 1), ("no", 1)], "wet") == (1,)
    assert project(frame, {"rain": "yes"}, ["wet", "rain"]) == ((1, "yes"), (0, "yes"))
    assert project(frame, frame, "rain") == ("yes", "no")
    assert project(frame, [], "rain") == ()


M = many.observe({RAIN: "yes", WET: 1})
PLAIN = vacuous(Frame(["yes", "no"]))


@each(
    ("call", "error", "message"),
    [
        (lambda: marginalize(M, "snow"), FrameError, "'snow' is not a variable here"),
        (lambda: marginalize(M, ["rain", "snow"]), FrameError, "'snow' is not a variable here"),
        (lambda: marginalize(M, ["rain", "rain"]), FrameError, "'rain' occurs twice"),
        (lambda: marginalize(M, []), FrameError, "at least one variable"),
        (
            lambda: marginalize(M, 5),
            TypeError,
            "names is 5, expected a name or",
        ),
        (lambda: marginalize(M, [5]), FrameError, "5 is not a variable here"),
        (lambda: marginalize(PLAIN, "rain"), TypeError, r"lift it with on\(variable, m\)"),
        (lambda: extend(M, ProductFrame([RAIN])), FrameError, "'wet' is not a variable here"),
        (
            lambda: extend(M, ProductFrame([RAIN, Variable("wet", [0, 1])])),
            FrameError,
            r"Variable\('wet', .* is another variable than",
        ),
        (lambda: extend(M, [RAIN, WET]), TypeError, r"onto is .*, expected a ProductFrame"),
        (lambda: extend(None, M.frame), TypeError, "m is None, expected a MassFunction"),
        (
            lambda: project(PLAIN.frame, "yes", "rain"),
            TypeError,
            r"frame is .*expected a ProductFrame",
        ),
        (
            lambda: on("rain", PLAIN),
            TypeError,
            "variables is 'rain', expected a",
        ),
        (lambda: on(WET, PLAIN), FrameError, r"expected the values of .*'wet'"),
        (lambda: on([WET, RAIN], M), FrameError, r"expected the values of .*'wet'"),
        (lambda: many.combine(), TypeError, "at least one mass function"),
        (lambda: many.combine(M, PLAIN), TypeError, "argument 2 is on Frame"),
        (
            lambda: many.combine(M, M, rule="dempster"),
            TypeError,
            "rule is 'dempster', expected a function",
        ),
        (lambda: many.combine(M, 3), TypeError, "argument 2 is 3, expected a MassFunction"),
        (
            lambda: many.combine(M, many.observe({Variable("wet", [2, 3]): 2})),
            FrameError,
            "variable 'wet' has different values",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_on_is_for_the_values_of_the_variables():
    lifted = on(RAIN, PLAIN)
    assert lifted.frame == ProductFrame([RAIN])
    assert on(RAIN, lifted) is lifted
    assert marginalize(lifted, "rain") == PLAIN
    assert POOL["x"].frame != RAIN.frame
    plain = MassFunction(Frame(M.frame.labels), M.focal, M.masses)  # labels are configurations
    assert on([RAIN, WET], plain) == M
    assert from_json(to_json(M)) == M


def test_variables_may_stand_for_their_names():
    assert marginalize(M, WET) == marginalize(M, "wet")
    assert marginalize(M, [WET, "rain"]) == marginalize(M, ["wet", "rain"])
    assert project(M.frame, {RAIN: "yes"}, WET) == (1, 0)
    other = Variable("wet", [2, 3])
    for wrong in (lambda: marginalize(M, other), lambda: M.bel({other: 2})):
        with pytest.raises(FrameError, match="is another variable than"):
            wrong()
