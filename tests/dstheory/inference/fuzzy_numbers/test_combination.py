"""The product-intersection rule: definition by quadrature, oracle, laws, limits, bad input."""

import json
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory.errors import TotalConflictError
from dstheory.inference import GRFN, product_intersection
from tests.naive import grfn as naive

ORACLES = Path(__file__).parents[3] / "oracles" / "dst_oracles.json"

numbers = st.tuples(st.floats(-3, 3), st.floats(0.2, 2), st.floats(0.05, 10))
sources = st.builds(
    GRFN,
    st.floats(-3, 3),
    st.floats(0.1, 4),
    st.one_of(st.sampled_from([0, inf]), st.floats(0.05, 10)),
)
normalizations = st.sampled_from(["soft", "hard"])


def parameters(number):
    return [float(number.mu), float(number.sigma2), float(number.h)]


def agree(one, two):
    """The same belief: without precision, modes say nothing."""
    assert one.h == pytest.approx(two.h, rel=1e-12)
    if one.h > 0:
        assert parameters(one)[:2] == pytest.approx(parameters(two)[:2], rel=1e-10, abs=1e-10)


# --- definition and oracle ----------------------------------------------------------------


@settings(max_examples=8)
@given(numbers, numbers)
def test_definition_of_soft_normalization(one, two):
    mean, variance, conflict = naive.combine(one, two)
    first, second = (GRFN(mu, sigma**2, h) for mu, sigma, h in (one, two))
    agree(product_intersection(first, second), GRFN(mean, variance, one[2] + two[2]))
    found = first.conflict(second)
    assert found == pytest.approx(conflict, abs=1e-10)


@given(numbers, numbers)
def test_definition_of_hard_normalization(one, two):
    """Modes stay independent: the mean and variance of (h1 M1 + h2 M2) / (h1 + h2)."""
    (mu1, sigma1, h1), (mu2, sigma2, h2) = one, two
    mean = (h1 * mu1 + h2 * mu2) / (h1 + h2)
    variance = ((h1 * sigma1) ** 2 + (h2 * sigma2) ** 2) / (h1 + h2) ** 2
    first, second = (GRFN(mu, sigma**2, h) for mu, sigma, h in (one, two))
    agree(product_intersection(first, second, normalization="hard"), GRFN(mean, variance, h1 + h2))


def test_oracle():
    cases = {case["id"]: case for case in json.loads(ORACLES.read_text())["oracles"]}
    expected = {k: v["float"] for k, v in cases["grfn-combination"]["expected"].items()}
    sources = GRFN(1, 1, 2), GRFN(2, 4, 3)
    for kind in ("soft", "hard"):
        found = product_intersection(*sources, normalization=kind)
        assert found.mu == pytest.approx(expected[f"{kind} mu"], abs=1e-14)
        assert sqrt(found.sigma2) == pytest.approx(expected[f"{kind} sigma"], abs=1e-14)
        assert found.h == expected[f"{kind} h"]
    conflict = GRFN.conflict(*sources)
    assert conflict == pytest.approx(expected["soft conflict"], abs=1e-14)


# --- law ----------------------------------------------------------------------------------


@given(sources, sources)
def test_law_commutes(one, two):
    agree(product_intersection(one, two), product_intersection(two, one))
    assert one.conflict(two) == pytest.approx(two.conflict(one), abs=1e-14)


@given(sources, sources, sources)
def test_law_associates_when_soft(one, two, three):
    left = product_intersection(product_intersection(one, two), three)
    agree(left, product_intersection(one, product_intersection(two, three)))
    agree(left, product_intersection(one, two, three))


@given(st.tuples(numbers, numbers, numbers))
def test_law_associates_when_hard(triple):
    one, two, three = (GRFN(mu, sigma**2, h) for mu, sigma, h in triple)

    def rule(a, b):
        return product_intersection(a, b, normalization="hard")

    agree(rule(rule(one, two), three), rule(one, rule(two, three)))


@given(sources, st.floats(-9, 9), st.floats(0, 9), normalizations)
def test_law_vacuous_is_neutral(source, mu, sigma2, normalization):
    vacuous = GRFN(mu, sigma2, 0)
    joint = product_intersection(source, vacuous, normalization=normalization)
    agree(joint, source)
    assert source.conflict(vacuous) == 0


@given(numbers, numbers, st.floats(-4, 4))
def test_law_contours_multiply_up_to_agreement(one, two, x):
    """Independent sources: pl = pl1 pl2 / (1 - kappa), as in Dempster's rule."""
    first, second = (GRFN(mu, sigma**2, h) for mu, sigma, h in (one, two))
    agreement = 1 - first.conflict(second)
    joint = product_intersection(first, second).contour(x) * agreement
    assert joint == pytest.approx(first.contour(x) * second.contour(x), rel=1e-7, abs=1e-14)


@given(st.tuples(numbers, numbers, numbers))
def test_law_agreements_multiply(triple):
    one, two, three = (GRFN(mu, sigma**2, h) for mu, sigma, h in triple)
    found = one.conflict(two, three)
    first = 1 - one.conflict(two)
    second = 1 - product_intersection(one, two).conflict(three)
    assert found == pytest.approx(1 - first * second, abs=1e-14)


@given(st.floats(-3, 3), st.floats(0.1, 4), st.floats(-3, 3), st.floats(0.1, 4))
def test_limit_of_probabilities_is_bayes_rule(mu1, v1, mu2, v2):
    joint = product_intersection(GRFN(mu1, v1, inf), GRFN(mu2, v2, inf))
    agree(joint, GRFN((mu1 * v2 + mu2 * v1) / (v1 + v2), v1 * v2 / (v1 + v2), inf))
    assert GRFN(mu1, v1, inf).conflict(GRFN(mu2, v2, inf)) == 1


@given(numbers, numbers)
def test_limit_of_one_probability_is_approached(one, two):
    (mu1, s1, _), (mu2, s2, h2) = one, two
    near = product_intersection(GRFN(mu1, s1**2, 1e10), GRFN(mu2, s2**2, h2))
    limit = product_intersection(GRFN(mu1, s1**2, inf), GRFN(mu2, s2**2, h2))
    assert parameters(near)[:2] == pytest.approx(parameters(limit)[:2], abs=1e-6)


def test_a_known_number_wins():
    known = GRFN(1, 0, inf)
    agree(product_intersection(known, GRFN(3, 2, 5)), known)
    agree(product_intersection(known, known), known)
    agree(product_intersection(known, GRFN(3, 2, inf)), known)
    assert known.conflict(known) == 0
    assert known.conflict(GRFN(3, 0, inf)) == 1


@pytest.mark.parametrize("normalization", ["soft", "hard"])
def test_law_a_row_of_a_batch_is_the_row_alone(normalization):
    one = GRFN([[0], [1]], 1, [[0], [2]])
    two = GRFN([1, 2, 3], [0, 1, 2], [0, 1, inf])
    joint = product_intersection(one, two, normalization=normalization)
    conflict = one.conflict(two)
    assert joint.batch_shape == conflict.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        row = product_intersection(one[i, 0], two[j], normalization=normalization)
        assert parameters(row) == parameters(joint[i, j])
        assert one[i, 0].conflict(two[j]) == conflict[i, j]


# --- errors -------------------------------------------------------------------------------


def test_total_conflict_is_refused():
    one, two = GRFN([0, 0], 0, [1, inf]), GRFN(2, 0, inf)
    with pytest.raises(TotalConflictError, match=r"in row 1: .* about 0 and 2 have no joint"):
        product_intersection(one, two)
    with pytest.raises(TotalConflictError, match="infinitely precise numbers about 0 and 2"):
        product_intersection(GRFN(0, 1, inf), GRFN(2, 1, inf), normalization="hard")


def test_bad_sources():
    with pytest.raises(TypeError, match="source 1 is 3, expected a GRFN"):
        product_intersection(GRFN(0, 1, 1), 3)
    with pytest.raises(ValueError, match="normalization is 'none', expected one of 'soft', 'hard'"):
        product_intersection(GRFN(0, 1, 1), GRFN(0, 1, 1), normalization="none")
    with pytest.raises(ValueError, match=r"batches of shapes \(2,\), \(3,\) do not broadcast"):
        GRFN([0, 1], 1, 1).conflict(GRFN([0, 1, 2], 1, 1))
