"""Gaussian random fuzzy numbers: definition by quadrature, oracles, laws, limits, bad input."""

import json
import pickle
import re
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from dstheory.inference import GRFN
from tests.naive import grfn as naive
from tests.support.each import each

ORACLES = Path(__file__).parents[3] / "oracles" / "dst_oracles.json"

modes = st.floats(-3, 3)
deviations = st.floats(0.2, 3)
precisions = st.floats(0.01, 20)
numbers = st.tuples(modes, deviations, precisions)
# All kinds of numbers, the limits too.
any_numbers = st.builds(
    GRFN,
    modes,
    st.one_of(st.just(0.0), deviations),
    st.one_of(st.sampled_from([0, inf]), precisions),
)
intervals = st.tuples(st.floats(-5, 5), st.floats(0, 5)).map(lambda t: (t[0], t[0] + t[1]))


def grfn(number):
    mu, sigma, h = number
    return GRFN(mu, sigma**2, h)


# --- definition and oracle ----------------------------------------------------------------


@settings(max_examples=15)
@given(numbers, intervals)
def test_definition(number, interval):
    x, y = interval
    found = grfn(number)
    assert found.contour(x) == pytest.approx(naive.contour(x, number), abs=1e-8)
    assert found.pl(x, y) == pytest.approx(naive.pl(x, y, number), abs=1e-8)
    assert found.bel(x, y) == pytest.approx(naive.bel(x, y, number), abs=1e-8)


@settings(max_examples=10)
@given(numbers, st.floats(-5, 5))
def test_definition_of_the_distribution_functions(number, x):
    lower, upper = grfn(number).cdf_bounds(x)
    assert lower == pytest.approx(naive.bel(-inf, x, number), abs=1e-8)
    assert upper == pytest.approx(naive.pl(-inf, x, number), abs=1e-8)
    assert grfn(number).bel(x, inf) == pytest.approx(1 - upper, abs=1e-12)
    assert grfn(number).pl(x, inf) == pytest.approx(1 - lower, abs=1e-12)


def test_oracle():
    cases = {case["id"]: case for case in json.loads(ORACLES.read_text())["oracles"]}
    number = GRFN(2, 1, 2)
    for name, value in cases["grfn-mu2-sig1-h2"]["expected"].items():
        what, low, high = re.fullmatch(r"(\w+)\[(.*),(.*)\]", name).groups()
        found = getattr(number, what.lower())(float(low), float(high))
        assert found == pytest.approx(value["float"], abs=1e-14)


# --- law ----------------------------------------------------------------------------------


@given(any_numbers, intervals)
@example(GRFN(0, 0, inf), (0, 1))
@example(GRFN(0, 0, 1), (0, 0))
def test_law_belief_is_at_most_plausibility(number, interval):
    assert 0 <= number.bel(*interval) <= number.pl(*interval) + 1e-14 <= 1 + 1e-13
    assert number.contour(interval[0]) == pytest.approx(number.pl(*interval[:1] * 2), abs=1e-14)


@given(any_numbers, intervals, st.floats(0, 2), st.floats(0, 2))
def test_law_larger_intervals_have_more(number, interval, below, above):
    x, y = interval
    assert number.bel(x - below, y + above) >= number.bel(x, y) - 1e-14
    assert number.pl(x - below, y + above) >= number.pl(x, y) - 1e-14


@given(numbers, st.floats(0.001, 0.999))
def test_law_quantile_bounds_invert_the_distribution_functions(number, p):
    low, high = grfn(number).quantile_bounds(p)
    assert low <= high
    assert grfn(number).cdf_bounds(low)[1] == pytest.approx(p, abs=1e-12)
    assert grfn(number).cdf_bounds(high)[0] == pytest.approx(p, abs=1e-12)


@given(numbers, st.floats(0.001, 0.999))
def test_law_belief_interval_has_its_level(number, level):
    low, high = grfn(number).belief_interval(level)
    assert grfn(number).bel(low, high) == pytest.approx(level, abs=1e-12)
    assert (low + high) / 2 == pytest.approx(number[0], abs=1e-9)


@settings(max_examples=20)
@given(numbers)
def test_law_expectations_are_integrals_of_the_quantiles(number):
    """Lower and upper expectation of a random interval are means of its ends."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    low, high = grfn(number).quantile_bounds((nodes + 1) / 2)
    expected = grfn(number).expectation_bounds()
    scale = number[1] + number[2] ** -0.5  # the tails that the nodes miss
    assert weights @ low / 2 == pytest.approx(expected[0], abs=1e-3 * scale)
    assert weights @ high / 2 == pytest.approx(expected[1], abs=1e-3 * scale)


def test_law_a_row_of_a_batch_is_the_row_alone():
    batch = GRFN([0, 1, 2, 3], [[1], [0]], [0, 1, 5, inf])
    assert batch.batch_shape == (2, 4)
    assert len(batch) == 2
    values = (
        batch.bel(-1, 2.5),
        batch.pl(-1, 2.5),
        batch.contour(0.5),
        *batch.quantile_bounds(0.7),
        *batch.belief_interval(0.7),
        *batch.expectation_bounds(),
    )
    for row in np.ndindex(2, 4):
        one = batch[row]
        expected = (
            one.bel(-1, 2.5),
            one.pl(-1, 2.5),
            one.contour(0.5),
            *one.quantile_bounds(0.7),
            *one.belief_interval(0.7),
            *one.expectation_bounds(),
        )
        assert [value[row] for value in values] == list(expected)
        assert all(type(value) is float for value in expected)


# --- limits -------------------------------------------------------------------------------


@given(modes, deviations, intervals)
def test_limit_of_infinite_precision_is_the_normal_distribution(mu, sigma, interval):
    number, normal = GRFN(mu, sigma**2, inf), stats.norm(mu, sigma)
    x, y = interval
    probability = normal.cdf(y) - normal.cdf(x)
    assert number.bel(x, y) == pytest.approx(probability, abs=1e-14)
    assert number.pl(x, y) == pytest.approx(probability, abs=1e-14)
    assert number.contour(x) == 0
    assert number.quantile_bounds(0.9) == pytest.approx([normal.ppf(0.9)] * 2, abs=1e-12)
    assert number.expectation_bounds() == (mu, mu)


@given(modes, precisions, intervals)
@example(0.0, 1.0, (0.0, 2.0))
@example(1.0, 1.0, (0.0, 2.0))
@example(2.0, 1.0, (0.0, 2.0))
def test_limit_of_a_certain_mode_is_a_possibility_distribution(mu, h, interval):
    x, y = interval
    number = GRFN(mu, 0, h)
    inside = x <= mu <= y
    largest = max(naive.membership(end, mu, h) for end in interval)
    assert number.pl(x, y) == pytest.approx(1 if inside else largest, abs=1e-15)
    assert number.bel(x, y) == pytest.approx(1 - largest if inside else 0, abs=1e-15)


@given(any_numbers.map(lambda n: GRFN(n.mu, n.sigma2, 0)), intervals)
def test_limit_of_no_precision_is_vacuous(number, interval):
    assert number.bel(*interval) == 0
    assert number.pl(*interval) == 1
    assert number.contour(interval[0]) == 1
    assert number.bel(-inf, inf) == 1
    assert number.bel(interval[0], inf) == 0
    assert number.belief_interval(0.5) == (-inf, inf)
    assert number.quantile_bounds(0.5) == (-inf, inf)
    assert number.expectation_bounds() == (-inf, inf)


def test_limit_of_a_known_number():
    number = GRFN(1, 0, inf)
    for low, high in ((0, 1), (1, 1), (1, 2), (-inf, 1), (0, 3)):
        assert number.bel(low, high) == number.pl(low, high) == 1
    assert number.bel(2, 3) == number.pl(2, 3) == number.contour(0.5) == 0
    assert number.belief_interval(0.9) == number.quantile_bounds(0.9) == (1, 1)


@given(numbers, intervals)
def test_limits_are_approached(number, interval):
    mu, sigma, h = number
    x, y = interval
    for near, limit in (
        (GRFN(mu, sigma**2, 1e12), GRFN(mu, sigma**2, inf)),
        (GRFN(mu, sigma**2, 1e-12), GRFN(mu, sigma**2, 0)),
    ):
        assert near.bel(x, y) == pytest.approx(limit.bel(x, y), abs=1e-5)
        assert near.pl(x, y) == pytest.approx(limit.pl(x, y), abs=1e-5)
    off = min(abs(x - mu), abs(y - mu)) > 1e-3  # where the limit is continuous
    if off:
        near, limit = GRFN(mu, 1e-16, h), GRFN(mu, 0, h)
        assert near.bel(x, y) == pytest.approx(limit.bel(x, y), abs=1e-5)
        assert near.pl(x, y) == pytest.approx(limit.pl(x, y), abs=1e-5)


@given(st.floats(-1e300, 1e300), st.floats(0, 1e300), st.floats(0, 1e308), st.floats(-1e300, 1e300))
def test_extreme_parameters_give_no_nan(mu, sigma2, h, x):
    number = GRFN(mu, sigma2, h)
    values = [number.contour(x), number.pl(x, inf), number.bel(-inf, x), number.bel(x, x)]
    assert all(0 <= value <= 1 for value in values)


# --- value and errors ---------------------------------------------------------------------


def test_is_a_value():
    number = GRFN([0, 1], 1, 2)
    again = pickle.loads(pickle.dumps(number))
    assert (again.mu == number.mu).all()
    assert not number.mu.flags.writeable
    assert repr(number) == "GRFN, batch of shape (2,)"
    assert repr(number[1]) == "GRFN(mu=1, sigma2=1, h=2)"
    with pytest.raises(AttributeError, match="immutable; 'mu' cannot be set"):
        number.mu = 3
    with pytest.raises(TypeError, match="a single GRFN has no rows"):
        number[0][0]
    with pytest.raises(TypeError, match="a single GRFN has no length"):
        len(number[0])


@each(
    ("arguments", "error", "message"),
    [
        ((np.nan, 1, 1), ValueError, "mu is nan; expected numbers"),
        ((inf, 1, 1), ValueError, "mu is inf; expected a finite number"),
        ((0, [1, -1], 1), ValueError, "sigma2 is -1 in row 1; expected 0 or more"),
        ((0, inf, 1), ValueError, "sigma2 is inf; expected 0 or more"),
        ((0, 1, [[-1]]), ValueError, r"h is -1 in row \(0, 0\); expected 0 or more, or infinite"),
        ((0, 1, np.nan), ValueError, "h is nan; expected numbers"),
        (("0", 1, 1), TypeError, "mu are '0', expected real numbers"),
        (([0, 1], [1, 2, 3], 1), ValueError, r"shapes \(2,\), \(3,\), \(\) do not broadcast"),
    ],
)
def test_bad_parameters(arguments, error, message):
    with pytest.raises(error, match=message):
        GRFN(*arguments)


@each(
    ("call", "message"),
    [
        (lambda n: n.pl(1, 0), "low is 1; expected at most high"),
        (lambda n: n.bel([0, 2], 1), "low is 2 in row 1; expected at most high"),
        (lambda n: n.contour(np.nan), "x is nan; expected numbers"),
        (lambda n: n.quantile_bounds(1), r"p is 1; expected inside \(0, 1\)"),
        (lambda n: n.belief_interval([0.5, 0]), r"level is 0 in row 1; expected inside \(0, 1\)"),
        (
            lambda n: GRFN([0, 1], 1, 1).contour([1, 2, 3]),
            r"batch and x .* of shapes \(2,\), \(3,\) do not",
        ),
    ],
)
def test_bad_points(call, message):
    with pytest.raises(ValueError, match=message):
        call(GRFN(0, 1, 1))
