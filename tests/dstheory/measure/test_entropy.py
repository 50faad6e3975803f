"""Uncertainty of one belief: definitions, extremes, oracles, batches."""

from functools import partial

import mpmath
import numpy as np
import pytest
from hypothesis import given

from dstheory import Frame, MassFunction, measure
from dstheory.errors import MassError, TotalConflictError
from dstheory.measure._entropy import (
    aggregated_uncertainty,
    deng_entropy,
    fractal_entropy,
    jirousek_shenoy_entropy,
    maeda_ichihashi_entropy,
    pal_entropy,
    pignistic_entropy,
)
from dstheory.transform import betp, dsmp
from tests.dstheory.measure.strategies import as_naive, pairs
from tests.naive import mass as naive
from tests.naive import measure as naive_measure
from tests.support.each import each

dissonance, discord, strife, pal_conflict = (
    partial(measure.internal_conflict, kind=kind)
    for kind in ("dissonance", "discord", "strife", "pal")
)
NORMALIZED = [
    measure.nonspecificity,
    dissonance,
    discord,
    strife,
    pal_conflict,
    pal_entropy,
    deng_entropy,
    pignistic_entropy,
    jirousek_shenoy_entropy,
    aggregated_uncertainty,
    maeda_ichihashi_entropy,
    fractal_entropy,
    measure.information_volume,
]
ALL = [*NORMALIZED, measure.information]
# Shannon's entropy on probabilities; zero nonspecificity there.
SHANNON = NORMALIZED[1:]

PYDS = MassFunction(Frame(list("abcd")), [1, 2, 9, 15], [0.4, 0.2, 0.1, 0.3])


@given(pairs(empty=True, count=1))
def test_measures_are_their_definitions(given_masses):
    (m,) = given_masses
    (m_naive,) = as_naive(m)
    assert measure.nonspecificity(m) == pytest.approx(naive_measure.nonspecificity(m_naive))
    for kind in ("dissonance", "discord", "strife"):
        expected = getattr(naive_measure, kind)(m_naive)
        assert measure.internal_conflict(m, kind) == pytest.approx(expected, abs=1e-12)
    for kind in ("pal", "deng", "fractal"):
        expected = getattr(naive_measure, f"{kind}_entropy")(m_naive)
        assert measure.entropy(m, kind) == pytest.approx(expected, abs=1e-12)
    expected = naive_measure.deng_entropy(m_naive, order=3)
    assert measure.entropy(m, "deng", order=3) == pytest.approx(expected, abs=1e-12)
    betp = naive_measure.shannon(naive.betp(m_naive, m.frame))
    assert pignistic_entropy(m) == pytest.approx(betp, abs=1e-12)
    plausible = naive_measure.shannon(naive.plausibility_transform(m_naive, m.frame))
    expected = plausible + naive_measure.nonspecificity(m_naive)
    assert jirousek_shenoy_entropy(m) == pytest.approx(expected, abs=1e-12)
    if m.mass(m.frame):
        expected = naive_measure.information(m_naive, m.frame)
        assert measure.information(m) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("focal", [[3], [1, 3], [1, 2, 7], [15], [0, 9, 15]])
def test_information_volume_is_the_limit_of_splitting(focal):
    """A set of two keeps 3/5 of its mass in each round: 55 rounds leave 1e-12."""
    m = MassFunction(Frame(list("abcd")), focal, np.ones(len(focal)) / len(focal))
    (m_naive,) = as_naive(m)
    expected = naive_measure.information_volume(m_naive, rounds=55)
    assert measure.information_volume(m) == pytest.approx(expected, rel=1e-9)


def test_maximal_entropies_of_higher_order():
    """Zhou & Deng 2022: masses in proportion to (k + 1)^|A| - k^|A| reach the maximum."""
    frame = Frame(list("abc"))
    sizes = np.bitwise_count(np.arange(1, 8)).astype(float)
    for k in (1, 2, 5):
        states = (k + 1) ** sizes - k**sizes
        m = MassFunction(frame, range(1, 8), states / states.sum())
        assert deng_entropy(m, k) == pytest.approx(np.log2((k + 2) ** 3 - (k + 1) ** 3))
    assert fractal_entropy(MassFunction(frame, [7], [1.0])) == pytest.approx(np.log2(7))
    with pytest.raises(ValueError, match="order is 0, expected at least 1"):
        deng_entropy(m, 0)


@given(pairs(count=1))
def test_order_of_the_measures(given_masses):
    """Klir 2006, ch. 6: dissonance <= discord, strife; AU is the largest entropy."""
    (m,) = given_masses
    assert dissonance(m) <= discord(m) + 1e-12
    assert dissonance(m) <= strife(m) + 1e-12
    assert pignistic_entropy(m) <= aggregated_uncertainty(m) + 1e-12
    assert 0 <= measure.nonspecificity(m) <= aggregated_uncertainty(m) + 1e-12


@each("entropy", SHANNON)
def test_probabilities_have_shannons_entropy(entropy):
    m = MassFunction(Frame(list("abc")), [1, 2, 4], [0.5, 0.25, 0.25])
    assert entropy(m) == pytest.approx(1.5)
    certain = entropy(MassFunction(Frame(list("abc")), [2], [1.0]))
    assert certain == 0
    assert not np.signbit(certain)


def test_the_vacuous_belief():
    m = MassFunction(Frame(list("abcd")), [15], [1.0])
    values = [measure_of(m) for measure_of in ALL]
    volume = naive_measure.information_volume(as_naive(m)[0], rounds=40)
    expected = [2, 0, 0, 0, 0, 2, np.log2(15), 2, 4, 2, 4, np.log2(15), volume, 0]
    assert values == pytest.approx(expected)


def test_oracle_pyds_and_jirousek_shenoy():
    """reineking/pyds@30d669c, pyds_test.py; Jirousek & Shenoy 2018 on the same masses."""
    assert measure.nonspecificity(PYDS) == pytest.approx(0.7, abs=1e-12)
    assert pignistic_entropy(PYDS) == pytest.approx(1.6555045533882495, abs=1e-12)
    pal = MassFunction(Frame(list("abc")), [2, 4, 5], [0.5, 0.2, 0.3])
    assert pal_entropy(pal) == pytest.approx(1.7854752972273342, abs=1e-12)
    assert jirousek_shenoy_entropy(PYDS) == pytest.approx(2.6037016960573482, abs=1e-12)
    assert deng_entropy(PYDS) == pytest.approx(3.1770027734256865, abs=1e-12)


def test_oracle_deng_of_the_uniform_masses():
    """Deng 2020, section 4.2: 3.887675 on three labels."""
    m = MassFunction(Frame(list("abc")), range(1, 8), [1 / 7] * 7)
    assert deng_entropy(m) == pytest.approx(3.8876752683749, abs=1e-12)


@given(pairs(count=2))
def test_information_adds_up_under_the_conjunctive_rule(given_masses):
    """Smets 1983."""
    m1, m2 = given_masses
    expected = measure.information(m1) + measure.information(m2)
    assert measure.information(m1 & m2) == pytest.approx(expected, abs=1e-9)


def test_dogmatic_beliefs_have_infinite_information():
    m = MassFunction(Frame(list("ab")), [1, 3], [[1.0, 0.0], [0.5, 0.5]])
    assert measure.information(m).tolist() == [np.inf, 2.0]


def test_pal_is_nonspecificity_plus_conflict_and_aggregated_is_harmanecs():
    total = measure.nonspecificity(PYDS) + pal_conflict(PYDS)
    assert pal_entropy(PYDS) == pytest.approx(total)
    # Harmanec & Klir: {a} is densest (0.4), then b, c and d share the rest.
    expected = naive_measure.shannon(dict(enumerate([0.4, 0.2, 0.2, 0.2])))
    assert aggregated_uncertainty(PYDS) == pytest.approx(expected)


@each("of", ALL)
def test_batches_fractions_and_subnormal_masses(of):
    store = np.random.default_rng(0).dirichlet(np.ones(8), size=(4, 3))
    m = MassFunction(Frame(list("abc")), range(8), store)
    values = of(m)
    assert values.shape == (4, 3)
    rows = np.array([[of(one) for one in row] for row in m])
    assert values == pytest.approx(rows, abs=1e-12)
    assert type(of(m[0, 0])) is float
    if of is not measure.information:
        assert of(m.normalize()) == pytest.approx(values, abs=1e-12)
        with pytest.raises(TotalConflictError):
            of(MassFunction(Frame(list("ab")), [0], [1.0]))
    with pytest.raises(TypeError, match=r"m is '.*', expected a MassFunction"):
        of("m")


def test_large_frames_and_rounding_noise():
    frame = Frame(range(1200))
    m = MassFunction.from_dict(frame, {0: 0.5, frame: 0.5})
    assert deng_entropy(m) == pytest.approx(1 + 600)
    assert measure.nonspecificity(m) == pytest.approx(np.log2(1200) / 2)
    noisy = MassFunction(Frame(list("ab")), [1, 2, 3], [1 + 1e-10, -1e-10, 0])
    assert [of(noisy) for of in NORMALIZED] == pytest.approx([0] * len(NORMALIZED), abs=1e-8)


@each("of", ALL)
def test_batches_may_be_empty_and_frames_may_have_one_label(of):
    assert of(MassFunction(Frame(["a", "b"]), [1, 3], np.zeros((0, 2)))).shape == (0,)
    assert of(MassFunction(Frame(["a"]), [1], [1.0])) == 0


@pytest.mark.parametrize("size", [1, 2, 5])
def test_pic_is_its_definition(size):
    rows = np.random.default_rng(size).dirichlet(np.full(size, 0.3), size=(4, 3))
    found = measure.pic(rows)
    expected = [[naive_measure.pic(p.tolist()) for p in row] for row in rows]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert measure.pic(np.eye(size)).tolist() == [1.0] * size
    assert measure.pic(np.full(size, 1 / size)) == pytest.approx(float(size == 1), abs=1e-15)


@given(pairs(count=1))
def test_pic_of_betp_is_what_pignistic_entropy_leaves(given_masses):
    (m,) = given_masses
    if len(m.frame) > 1:
        expected = 1 - pignistic_entropy(m) / np.log2(len(m.frame))
        assert measure.pic(betp(m)) == pytest.approx(expected, abs=1e-12)


def test_dsmp_has_the_greater_pic():
    """Dezert & Smarandache (2008), example 1 with Shafer's model: PIC is 1 for DSmP, epsilon 0."""
    m = MassFunction.from_dict(Frame(["A", "B"]), {"A": 0.3, ("A", "B"): 0.7})
    assert measure.pic(dsmp(m, 0)) == pytest.approx(1)
    assert measure.pic(betp(m)) == pytest.approx(naive_measure.pic([0.65, 0.35]))


@each(
    ("p", "error", "message"),
    [
        ([0.5, 0.4], MassError, "probabilities sum to 0.9"),
        ([1.5, -0.5], MassError, "is negative"),
        ([np.nan, 1], MassError, "not finite"),
        (0.5, MassError, "have shape"),
        ("half", TypeError, "real numbers"),
        (PYDS, TypeError, r"use pic\(betp\(m\)\)"),
    ],
)
def test_pic_refuses_what_is_no_probability(p, error, message):
    with pytest.raises(error, match=message):
        measure.pic(p)


@each("order", [1, 2, 10**6, 10**12, 10**16, 10**100, 1e300, 1e308])
def test_deng_entropy_of_large_orders(order):
    """log2((k + 1)^n - k^n), with 700 digits."""
    m = MassFunction(Frame(list("abc")), [1, 3, 7], [0.5, 0.25, 0.25])
    with mpmath.workdps(700):
        k = mpmath.mpf(order)
        volume = [mpmath.log((k + 1) ** n - k**n, 2) for n in (1, 2, 3)]
        expected = 1.5 + float(volume[1] / 4 + volume[2] / 4 + volume[0] / 2)
    assert deng_entropy(m, order) == pytest.approx(expected, rel=1e-14)


def test_orders_that_are_no_floats_are_refused():
    m = MassFunction(Frame(list("ab")), [3], [1.0])
    with pytest.raises(ValueError, match=r"order is about 10\^400, expected at most 1e\+308"):
        deng_entropy(m, 10**400)
    with pytest.raises(ValueError, match="order is inf, expected"):
        deng_entropy(m, float("inf"))
    with pytest.raises(TypeError, match="order is 'two', expected a number"):
        deng_entropy(m, "two")


def test_kinds_are_one_function_each():
    m = PYDS
    whole = measure.nonspecificity(m)
    assert measure.entropy(m) == jirousek_shenoy_entropy(m)
    assert measure.entropy(m, "aggregated") + whole == measure.entropy(m, "maeda_ichihashi")
    assert measure.internal_conflict(m, "pal") + whole == measure.entropy(m, "pal")
    assert measure.entropy(m, "pignistic") == pignistic_entropy(m)
    assert measure.internal_conflict(m) == measure.internal_conflict(m, "discord")
    with pytest.raises(ValueError, match="order is 2, but only the kind 'deng' has one"):
        measure.entropy(m, order=2)
    with pytest.raises(ValueError, match=r"kind is 'dengs', .*did you mean 'deng'"):
        measure.entropy(m, "dengs")
