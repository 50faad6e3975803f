"""Subjective logic: the numbers of its literature, its definitions, and what its laws say."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, FrameError, MassError, MassFunction, betp, dempster, vacuous
from dstheory.errors import CostLimitError
from dstheory.inference import Opinion, multinomial
from tests.dstheory.combine.strategies import sources
from tests.naive import opinion as naive
from tests.naive.rules import as_sets

FRAME = Frame(list("abc"))
PAIR = ["x", "y"]
TABLE = [(0.1, 0.3, 0.6), (0.4, 0.2, 0.4), (0.7, 0.1, 0.2)]
BINOMIAL = [Opinion.from_beliefs(["x", "not x"], [b, d], u) for b, d, u in TABLE]


@st.composite
def opinions(draw, size=3, labels=3):
    """Exact multinomial opinions on the first labels."""
    counts = st.lists(st.integers(0, 3), min_size=labels + 1, max_size=labels + 1)
    rows = [draw(counts.filter(any)) for _ in range(size)]
    frame = Frame(FRAME.labels[:labels])
    shares = [[Fraction(n, sum(row)) for n in row] for row in rows]
    if labels == 1:  # certain and vacuous alike
        return [Opinion(vacuous(frame))] * size
    return [Opinion.from_beliefs(frame, row[:-1], row[-1]) for row in shares]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("cumulative", (0.651, 0.209, 0.140)),
        ("averaging", (0.509, 0.164, 0.327)),
        ("weighted", (0.562, 0.146, 0.292)),
        ("compromise", (0.629, 0.182, 0.189)),
        ("constraint", (0.738, 0.184, 0.078)),
    ],
)
def test_published_fusions_of_three_binomial_opinions(rule, expected):
    """Table I of van der Heijden et al. 2018, with which public libraries are tested."""
    fused = BINOMIAL[0].fuse(*BINOMIAL[1:], rule=rule)
    assert fused.mass.masses == pytest.approx(expected, abs=5e-4)
    assert fused.base_rate.tolist() == [0.5, 0.5]


@given(ms=sources(size=3))
def test_fusions_equal_their_definitions(ms):
    """Hyper-opinions too, exactly; sources without uncertainty among them."""
    given_sets = [as_sets(m) for m in ms]
    for rule in ("cumulative", "averaging", "weighted"):
        expected = getattr(naive, rule)(frozenset(ms[0].frame), *given_sets)
        fused = Opinion(ms[0]).fuse(*map(Opinion, ms[1:]), rule=rule)
        assert as_sets(fused.mass) == expected


@pytest.mark.parametrize("rule", ["cumulative", "averaging", "weighted"])
def test_three_certain_opinions_have_exact_thirds(rule):
    sure = [Opinion(MassFunction.from_dict(Frame(PAIR), {(one,): Fraction(1)})) for one in "xxy"]
    fused = sure[0].fuse(*sure[1:], rule=rule)
    assert as_sets(fused.mass) == {frozenset("x"): Fraction(2, 3), frozenset("y"): Fraction(1, 3)}


@given(given_opinions=st.integers(1, 3).flatmap(lambda k: opinions(size=3, labels=k)))
def test_compromise_equals_its_definition_and_is_idempotent(given_opinions):
    first, *more = given_opinions
    frame = frozenset(first.mass.frame)
    expected = naive.compromise(frame, *(as_sets(one.mass) for one in given_opinions))
    assert as_sets(first.fuse(*more, rule="compromise").mass) == expected
    assert as_sets(first.fuse(first, rule="compromise").mass) == as_sets(first.mass)


def test_beliefs_that_differ_by_rounding_need_no_compromise():
    one, two = (Opinion.from_beliefs(["a", "b"], [b, 0.2], 0.5) for b in (0.3, 0.1 + 0.2))
    assert one.fuse(two, rule="compromise").mass.equals(one.mass)


@given(ms=sources(size=1), counts=st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_projected_probability_equals_its_definition(ms, counts):
    (m,) = ms
    labels = m.frame.labels
    rates = [Fraction(n, sum(counts[: len(labels)])) for n in counts[: len(labels)]]
    found = Opinion(m, rates).probability()
    expected = naive.probability(as_sets(m), dict(zip(labels, rates, strict=True)))
    assert found.tolist() == [expected[x] for x in labels]
    assert Opinion(m).probability().tolist() == betp(m).tolist()


def test_evidence_adds_up():
    """Cumulative fusion of the opinions of counts is the opinion of all counts."""
    one, two = np.array([5.0, 3.0, 0.0]), np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    fused = Opinion.from_evidence(one).fuse(Opinion.from_evidence(two))
    whole = multinomial(one + two, model="dempster", strength=2)
    assert fused.mass.equals(whole)
    np.testing.assert_allclose(fused.evidence(), one + two, atol=1e-12)
    mean = Opinion.from_evidence(one).fuse(Opinion.from_evidence(two), rule="averaging")
    np.testing.assert_allclose(mean.evidence(), (one + two) / 2, atol=1e-12)


def test_base_rates_follow_the_evidence():
    """Josang 2016, chapter 12: the weights of each fusion; of vacuous sources, equal ones."""
    rates = [[0.2, 0.8], [0.6, 0.4]]
    first = Opinion.from_beliefs(PAIR, [0.5, 0.25], 0.25, base_rate=rates[0])  # evidence 3
    second = Opinion.from_beliefs(PAIR, [0.25, 0.25], 0.5, base_rate=rates[1])  # evidence 1
    weights = {
        "cumulative": (3, 1),
        "averaging": (1, 1),
        "weighted": (0.75, 0.5),
        "constraint": (0.75, 0.5),
        "compromise": (1, 1),
    }
    for rule, pair in weights.items():
        expected = np.average(rates, axis=0, weights=pair)
        np.testing.assert_allclose(first.fuse(second, rule=rule).base_rate, expected)
        vacuous = [Opinion.from_beliefs(PAIR, [0, 0], 1.0, base_rate=rate) for rate in rates]
        fused = vacuous[0].fuse(vacuous[1], rule=rule)
        np.testing.assert_allclose(fused.base_rate, [0.4, 0.6])
        assert fused.uncertainty == 1
    certain = Opinion.from_beliefs(PAIR, [0.5, 0.5], 0.0, base_rate=rates[0])
    for rule, pair in {"cumulative": (1, 0), "averaging": (1, 1), "weighted": (1, 0.5)}.items():
        expected = np.average(rates, axis=0, weights=pair)
        np.testing.assert_allclose(certain.fuse(second, rule=rule).base_rate, expected)


def test_trust_discounting_is_discounting():
    """Josang 2016, section 14.3: by the projected probability of the trust."""
    trust = Opinion.from_beliefs(["right", "wrong"], [0.5, 0.25], 0.25, base_rate=[0.8, 0.2])
    heard = BINOMIAL[2].discount(trust)
    np.testing.assert_allclose(heard.mass.masses, [0.49, 0.07, 0.44])
    assert heard.mass.equals(BINOMIAL[2].discount(0.7).mass)


def test_a_base_rate_of_zero_gets_no_share():
    certain = Opinion.from_beliefs(PAIR, [0.5, 0.0], 0.5, base_rate=[0, 1])
    assert certain.probability().tolist() == [0.5, 0.5]


def test_batches_and_rows_agree():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(4), size=(2, 5))
    shares[0, 0], shares[1, 1] = (0, 0, 0, 1), (0.5, 0.5, 0, 0)
    batches = [Opinion.from_beliefs(FRAME, part[:, :3], part[:, 3]) for part in shares]
    for rule in ("cumulative", "averaging", "weighted", "compromise", "constraint"):
        fused = batches[0].fuse(batches[1], rule=rule)
        assert fused.mass.batch_shape == fused.base_rate.shape[:1] == (5,)
        for i in range(5):
            row = batches[0][i].fuse(batches[1][i], rule=rule)
            assert fused[i].mass.equals(row.mass)
            np.testing.assert_allclose(fused[i].base_rate, row.base_rate)
    assert "with base rates 5 × 3 numbers from" in repr(fused)


def test_uncertainty_next_to_none_does_not_overflow():
    certain = Opinion.from_beliefs(PAIR, [0.25, 0.75], 1e-320)
    other = Opinion.from_beliefs(PAIR, [0.5, 0.25], 0.25)
    for rule in ("cumulative", "averaging", "weighted"):
        masses = certain.fuse(other, rule=rule).mass.masses
        np.testing.assert_allclose(masses, [0.25, 0.75, 0], atol=1e-300)


def test_constraint_is_dempsters_rule():
    first, second, third = BINOMIAL
    fused = first.fuse(second, third, rule="constraint").mass
    assert fused.equals(dempster(first.mass, second.mass, third.mass))
    assert first.fuse(rule="constraint").mass == first.mass


def test_errors_say_what_to_do():
    hyper = Opinion(MassFunction.from_dict(FRAME, {("a", "b"): 0.5, FRAME: 0.5}))
    with pytest.raises(MassError, match=r"mass on \('a', 'b'\), but only single labels"):
        hyper.fuse(hyper, rule="compromise")
    many = Opinion.from_evidence(np.ones(100))
    with pytest.raises(CostLimitError, match="compromise of opinions"):
        many.fuse(many, many, rule="compromise")
    with pytest.raises(MassError, match="only infinite evidence"):
        Opinion.from_beliefs(PAIR, [0.5, 0.5], 0.0).evidence()
    with pytest.raises(ValueError, match="strength is -1"):
        BINOMIAL[0].evidence(strength=-1)
    with pytest.raises(MassError, match="each of its labels has the base rate 0"):
        Opinion(hyper.mass, [0, 0, 1]).probability()
    with pytest.raises(MassError, match="an opinion is defined for normalized"):
        Opinion(MassFunction(FRAME, [0, 7], [0.5, 0.5]))
    with pytest.raises(ValueError, match=r"shape \(2, 3\), which does not fit"):
        Opinion(hyper.mass, [[1, 0, 0], [0, 0, 1]])
    with pytest.raises(MassError, match=r"sum to 1\.1, not 1"):
        Opinion.from_beliefs(PAIR, [0.5, 0.5], 0.1)
    with pytest.raises(FrameError, match="beliefs have 3 categories and the frame has 2"):
        Opinion.from_beliefs(PAIR, [0.2, 0.2, 0.2], 0.4)
    with pytest.raises(FrameError, match="frame"):
        BINOMIAL[0].fuse(hyper)
    with pytest.raises(TypeError, match="expected opinions"):
        BINOMIAL[0].fuse(BINOMIAL[1].mass)
    with pytest.raises(ValueError, match="did you mean 'cumulative'"):
        BINOMIAL[0].fuse(BINOMIAL[1], rule="cumulativ")
    with pytest.raises(ValueError, match="give one on two labels"):
        BINOMIAL[0].discount(hyper)
    with pytest.raises(AttributeError, match="immutable"):
        BINOMIAL[0].mass = hyper.mass
