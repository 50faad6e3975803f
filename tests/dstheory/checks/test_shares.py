"""Shares of trust: by name only, what is lost or what is kept, and the same under both names."""

import inspect
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, construct, exact, revise
from dstheory.errors import MassError
from dstheory.inference import RandomInterval, binomial_contour, predict
from evical.fusion import Discounted
from tests.support.each import each
from tests.support.public_objects import callables

FRAME = Frame(["ant", "bee"])
HALF = Fraction(1, 2)
M = MassFunction.from_dict(FRAME, {"ant": HALF, FRAME: HALF})
BATCH = MassFunction(FRAME, [1, 3], [[0.5, 0.5], [0.25, 0.75]])
INTERVAL = RandomInterval(binomial_contour(2, 3))
PREDICTED = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
ONE = ("rate", "reliability")
MANY = ("rates", "reliabilities")


def contextual(correct):
    def of(m=M, **shares):
        return correct(m, **{name: {"ant": value} for name, value in shares.items()})

    return of


def as_floats(shares):
    return {name: float(value) for name, value in shares.items()}


def discounted(**shares):
    return Discounted(**{name: [value] for name, value in shares.items()}).fit(sizes=[1])(M)


# Name, function of a share, the name of what is lost and of what is kept, call by position.
CASES = [
    ("discount", lambda **s: revise.discount(M, **s), ONE, lambda v: revise.discount(M, v)),
    ("negate", lambda **s: revise.negate(M, **s), ONE, lambda v: revise.negate(M, v)),
    *(
        (name, contextual(function), MANY, lambda v, function=function: function(M, {"ant": v}))
        for name, function in (
            ("contextual_discount", revise.contextual_discount),
            ("contextual_reinforce", revise.contextual_reinforce),
            ("contextual_negate", revise.contextual_negate),
        )
    ),
    (
        "simple",
        lambda **s: construct.simple(FRAME, "ant", **s),
        ("weight", "mass"),
        lambda v: construct.simple(FRAME, "ant", v),
    ),
    (
        "simple",
        lambda **s: construct.simple(FRAME, "ant", rest=(), **s),
        ("weight", "mass"),
        lambda v: construct.simple(FRAME, "ant", v, rest=()),
    ),
    (
        "discount_bounds",
        lambda **s: exact.discount_bounds([M], "ant", **{n: [v] for n, v in s.items()}),
        MANY,
        lambda v: exact.discount_bounds([M], "ant", "bel", [v]),
    ),
    (
        "RandomInterval.discount",
        lambda **s: INTERVAL.discount(**as_floats(s)).rate,
        ONE,
        INTERVAL.discount,
    ),
    (
        "PredictiveInterval.discount",
        lambda **s: PREDICTED.discount(**as_floats(s)).rate,
        ONE,
        PREDICTED.discount,
    ),
]
# These have a default, so that none of the two need be given.
OPTIONAL = [
    (
        "evidential_labels",
        lambda **s: construct.evidential_labels(
            FRAME, np.array([3 * HALF / 2, HALF / 2], object), **s
        ),
        ONE,
        None,
    ),
    (
        "sensitivity",
        lambda **s: exact.sensitivity([M], "ant", **s).value,
        MANY,
        lambda v: exact.sensitivity([M], "ant", "bel", v),
    ),
    ("Discounted", discounted, MANY, lambda v: Discounted([v])),
]


def names_of(case):
    return case[0] if isinstance(case[0], str) else None


def same(one, two):
    return one.equals(two, 1e-12) if isinstance(one, MassFunction) else one == pytest.approx(two)


@each("case", [*CASES, *OPTIONAL], ids=names_of)
@given(share=st.fractions(0, 1, max_denominator=16))
def test_what_is_lost_is_the_rest_of_what_is_kept(case, share):
    _, of, (lost, kept), _ = case
    assert same(of(**{lost: share}), of(**{kept: 1 - share}))


@each("case", [*CASES, *OPTIONAL], ids=names_of)
def test_a_share_is_given_once_and_by_name(case):
    name, of, (lost, kept), by_position = case
    with pytest.raises(TypeError, match="both are given; write exactly one of"):
        of(**{lost: HALF, kept: HALF})
    if case in CASES:
        with pytest.raises(TypeError, match="neither is given; write exactly one of"):
            of()
    if by_position is not None:
        with pytest.raises(TypeError) as error:
            by_position(0.25)
        assert f"{name} takes no share by position; write " in str(error.value)
        assert f"{lost}=" in str(error.value)
        assert f"{kept}=" in str(error.value)


@each("case", [*CASES, *OPTIONAL], ids=names_of)
def test_a_share_outside_of_0_and_1_is_named_as_it_was_given(case):
    _, of, names, _ = case
    for name in names:
        share = 1.5 if name in ("rate", "rates", "mass") else -0.5
        said = name.replace("ies", "y").removesuffix("s") if name != "mass" else name
        with pytest.raises(ValueError, match=rf"({said}|{name})\b.* \[?{share}"):
            of(**{name: share})


def test_the_message_shows_both_senses():
    expected = (
        "discount takes no share by position; write rate=0.2 (the share that is lost) or "
        "reliability=0.2 (the share that is kept)"
    )
    with pytest.raises(TypeError) as error:
        revise.discount(M, 0.2)
    assert str(error.value) == expected
    with pytest.raises(TypeError, match=r"rate=\.\.\. \(the share that is lost\)"):
        revise.discount(M, np.linspace(0, 1, 50))


def test_a_small_share_that_is_kept_keeps_its_digits():
    """1 - (1 - 1e-20) is 0 in floating point."""
    sure = MassFunction.from_dict(FRAME, {"ant": 1.0})
    assert revise.discount(sure, reliability=1e-20).mass("ant") == 1e-20
    assert revise.contextual_reinforce(sure, reliabilities={"bee": 1e-20}).mass("ant") == 1e-20
    assert construct.simple(FRAME, "ant", weight=1e-20).mass(FRAME) == 1e-20
    assert construct.evidential_labels(FRAME, [1, 0], reliability=1e-20).mass("ant") == 1e-20


def test_shafers_discount_of_a_textbook():
    """Papers that speak of a reliability of 0.2 mean that 0.2 of the mass stays."""
    m = MassFunction.from_dict(FRAME, {"ant": 0.6, "bee": 0.3, FRAME: 0.1})
    assert revise.discount(m, reliability=0.2).mass(FRAME) == pytest.approx(0.82)
    assert revise.discount(m, rate=0.2).mass(FRAME) == pytest.approx(0.28)


def test_rows_have_shares_of_their_own():
    both = revise.discount(BATCH, reliability=[1, 0.5])
    assert both[0].equals(BATCH[0])
    assert both[1].equals(revise.discount(BATCH[1], rate=0.5))
    with pytest.raises(MassError, match=r"reliability 2.0 in row 1 does not lie between 0 and 1"):
        revise.discount(BATCH, reliability=[1, 2])


def functions():
    """Public functions, constructors and methods, by path."""
    for public in callables():
        if inspect.isclass(public.value):
            for name, member in vars(public.value).items():
                if inspect.isfunction(member) and (name == "__init__" or name[0] != "_"):
                    yield f"{public.path}.{name}", member
        else:
            yield public.path, public.value


def test_no_public_function_takes_such_a_share_by_position():
    names = {"rate", "rates", "reliability", "reliabilities"}
    found = [
        path
        for path, function in functions()
        for p in inspect.signature(function).parameters.values()
        if p.name in names and p.kind < p.VAR_POSITIONAL
    ]
    # These two are records that functions give back.
    assert found == []
