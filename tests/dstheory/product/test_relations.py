"""Relations and rules are the sets of configurations that their definitions say."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import condition
from dstheory.errors import FrameError, MassError
from dstheory.product import (
    ProductFrame,
    Variable,
    at_least,
    at_most,
    combine,
    equal,
    equivalent,
    exactly,
    implies,
    marginalize,
    observe,
    relation,
)
from tests.dstheory.product.strategies import events, naive, named, products, shares
from tests.naive import product as naive_product
from tests.naive.rules import as_sets
from tests.support.each import each

RAIN, WET = Variable("rain", ["yes", "no"]), Variable("wet", [1, 0])
PARTS = [Variable(name, ["up", "down"]) for name in "abcd"]
UP = [{part: "up"} for part in PARTS]


def check(make, holds, support, *mentioned):
    """Make a relation and hold it equal to the set of configurations where `holds` is true.

    `mentioned` are its events; where no configuration is left, it is refused.
    """
    frame = ProductFrame(dict.fromkeys(variable for event in mentioned for variable in event))
    variables = naive(frame)
    event = frozenset(c for c in naive_product.configurations(variables) if holds(variables, c))
    if not event:
        with pytest.raises(FrameError, match="holds for no configuration of"):
            make()
        return
    m = make()
    assert m.frame == frame
    assert as_sets(m) == naive_product.supported(event, variables, support)


def agrees(event):
    """Predicate: whether a configuration agrees with an event."""
    return lambda variables, c: naive_product.holds(named(event), variables, c)


@given(frame=products(), support=shares, data=st.data())
def test_relation(frame, support, data):
    chosen = data.draw(st.sets(st.sampled_from(frame.labels)))
    check(
        lambda: relation(frame.variables, lambda *values: values in chosen, support),
        lambda _, c: c in chosen,
        support,
        dict.fromkeys(frame.variables),
    )


@given(one=events(), two=events(), support=shares)
def test_rules(one, two, support):
    a, b = agrees(one), agrees(two)
    check(lambda: observe(one, support), a, support, one)
    check(
        lambda: implies(one, two, support),
        lambda v, c: not a(v, c) or b(v, c),
        support,
        *(one, two),
    )
    check(lambda: equivalent(one, two, support), lambda v, c: a(v, c) == b(v, c), support, one, two)


@given(listed=st.lists(events(max_variables=2), min_size=1, max_size=3), data=st.data())
def test_counting(listed, data):
    k, support = data.draw(st.integers(0, len(listed))), Fraction(1, 3)

    def count(variables, c):
        return sum(agrees(event)(variables, c) for event in listed)

    check(lambda: at_least(k, listed, support), lambda v, c: count(v, c) >= k, support, *listed)
    check(lambda: at_most(k, listed, support), lambda v, c: count(v, c) <= k, support, *listed)
    check(lambda: exactly(k, listed, support), lambda v, c: count(v, c) == k, support, *listed)


def test_k_out_of_n():
    """Bel(works) of k-out-of-n parts that each work with belief p is the binomial tail."""
    p = Fraction(3, 4)
    parts = [observe(event, p) for event in UP]
    system = Variable("system", ["works", "fails"])
    for k in range(5):
        link = relation(
            [*PARTS, system], lambda *v, k=k: (v[-1] == "works") == (v[:-1].count("up") >= k)
        )
        tail = sum(Fraction([1, 4, 6, 4, 1][j]) * p**j * (1 - p) ** (4 - j) for j in range(k, 5))
        assert combine(*parts, link).bel({"system": "works"}) == tail
        enough = at_least(k, UP)
        assert combine(*parts).bel(enough.frame.event(enough.focal[0])) == tail


def test_modus_ponens_and_contraposition():
    rule = implies({RAIN: "yes"}, {WET: 1}, Fraction(3, 4))
    assert combine(rule, observe({RAIN: "yes"})).bel({"wet": 1}) == Fraction(3, 4)
    assert combine(rule, observe({WET: 0})).bel({"rain": "no"}) == Fraction(3, 4)
    for name in ("rain", "wet"):
        assert marginalize(rule, name).is_vacuous  # a rule says nothing about either alone
    other = implies({WET: 1}, {RAIN: "yes"}, Fraction(3, 4))
    both = equivalent({RAIN: "yes"}, {WET: 1}, Fraction(9, 16))
    mask = both.frame.mask([("yes", 1), ("no", 0)])
    assert combine(rule, other).bel(both.frame.event(mask)) == both.mass(mask=mask)


def test_equality():
    sent, heard = Variable("sent", ["a", "b", "c"]), Variable("heard", ["b", "a", "d"])
    m = equal([sent, heard], Fraction(1, 2))
    assert m.to_dict() == {
        (("a", "a"), ("b", "b")): Fraction(1, 2),
        m.frame.labels: Fraction(1, 2),
    }
    assert condition(equal([sent, heard]), {"sent": "a"}).bel({"heard": "a"}) == 1
    assert equal([sent, Variable("x", "abc"[:1].split())]).to_dict() == {(("a", "a"),): 1.0}


@pytest.mark.parametrize("support", [0.25, np.array([0.0, 0.25, 1.0]), np.full((2, 1), 0.5)])
def test_batches_of_support(support):
    m = implies({RAIN: "yes"}, {WET: 1}, support)
    assert m.batch_shape == np.shape(support)
    mask = m.frame.mask([("yes", 1), {"rain": "no"}])
    np.testing.assert_array_equal(m.mass(mask=mask), support)


def test_a_certain_relation_has_one_focal_set():
    assert len(observe({RAIN: "yes"}).focal) == 1
    assert observe({RAIN: "yes"}, 0).is_vacuous
    assert observe({RAIN: ["yes", "no"]}, 0.5).to_dict() == {(("yes",), ("no",)): 1.0}
    assert observe({RAIN: "yes"}, Fraction(1)).to_dict() == {(("yes",),): 1}


@pytest.mark.parametrize("support", [-0.1, 1.1, np.nan, Fraction(9, 8), [0.5, 2]])
def test_support_is_a_share(support):
    calls = [
        lambda: observe({RAIN: "yes"}, support),
        lambda: implies({RAIN: "yes"}, {WET: 1}, support),
        lambda: relation([RAIN], lambda rain: rain == "yes", support),
        lambda: at_least(1, UP, support),
        lambda: equal([RAIN, Variable("snow", ["yes", "no"])], support),
    ]
    for call in calls:
        with pytest.raises(MassError, match=r"support .*(between 0 and 1|finite)"):
            call()


@each(
    ("call", "error", "message"),
    [
        (lambda: observe({RAIN: "maybe"}), FrameError, "'maybe' is not a value of variable 'rain'"),
        (lambda: observe({RAIN: []}), FrameError, "holds for no configuration of rain"),
        (lambda: observe({}), FrameError, "event names no variable"),
        (lambda: observe({"rain": "yes"}), TypeError, "a key of event is 'rain', expected"),
        (lambda: observe("rain"), TypeError, "event is 'rain', expected a mapping"),
        (lambda: implies({}, {WET: 1}), FrameError, "premise names no variable"),
        (lambda: implies({WET: 1}, 3), TypeError, "conclusion is 3, expected a mapping"),
        (
            lambda: implies({RAIN: "yes"}, {Variable("rain", [1]): 1}),
            FrameError,
            "'rain' has different values",
        ),
        (lambda: relation([RAIN], "rain"), TypeError, "predicate is 'rain', expected a function"),
        (lambda: relation([RAIN], lambda rain: False), FrameError, "holds for no configuration"),
        (
            lambda: relation([RAIN, WET], lambda wet, rain: wet == rain),
            FrameError,
            "the arguments of predicate are wet, rain, but the variables are rain, wet",
        ),
        (
            lambda: relation([RAIN, Variable("wet grass", ["y"])], lambda grass, rain: True),
            FrameError,
            "the arguments of predicate are grass, rain, but",
        ),
        (lambda: relation([], lambda: True), FrameError, "at least one variable"),
        (lambda: equal([RAIN, WET]), FrameError, "holds for no configuration of rain, wet"),
        (lambda: at_least(5, UP), ValueError, "k is 5, expected at most 4"),
        (lambda: at_most(-1, UP), ValueError, "k is -1"),
        (lambda: exactly(1.0, UP), TypeError, "k is 1.0, expected a whole number"),
        (lambda: exactly(True, UP), TypeError, "k is True, expected a whole number"),
        (lambda: at_most(0, []), FrameError, "there is no event"),
        (lambda: at_most(1, {RAIN: "yes"}), TypeError, r"events are .*, expected a sequence"),
        (lambda: at_most(1, [{RAIN: "yes"}, 3]), TypeError, "event 1 is 3, expected a mapping"),
        (
            lambda: exactly(2, [{RAIN: "yes"}, {RAIN: "no"}]),
            FrameError,
            "holds for no configuration of rain",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
