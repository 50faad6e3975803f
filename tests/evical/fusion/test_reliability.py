"""Choices of sources: what discounted ones agree on, of products and of masses."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from dstheory import Frame, MassFunction, betp, dempster, discount
from evical.beliefs import as_beliefs
from evical.beliefs.composed import mean, placed
from evical.beliefs.products import Products
from evical.fusion._reliability import Agreed, _squared_error, _squared_error_of_choices, agreed
from evical.fusion._rule import HeldOut
from tests.evical.fusion.samples import sources
from tests.support.each import each

RATES = [[0.1, 0.2, 0.7], [0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 1.0, 1.0]]


def products(n=20, n_classes=4, n_sources=3):
    """Beliefs of one class against the rest, as products and as mass functions."""
    rng = np.random.default_rng(0)
    columns = rng.dirichlet(np.ones(3), size=(n_sources, n_classes, n)).transpose(0, 3, 1, 2)
    made = [Products.of_columns(one) for one in columns]
    return made, [one.mass() for one in made]


def fused(masses, rates):
    return betp(dempster(*(discount(m, rate=r) for m, r in zip(masses, rates, strict=True))))


@pytest.mark.parametrize("rates", RATES)
def test_shares_are_those_of_dempsters_rule(rates):
    masses, _ = sources(n_classes=3)
    shares = Agreed(agreed(masses, 3)).shares(np.array(rates))
    np.testing.assert_allclose((shares / shares.sum(axis=0)).T, fused(masses, rates), atol=1e-12)


@pytest.mark.parametrize("rates", RATES)
def test_products_and_masses_agree(rates):
    beliefs, masses = products()
    found = agreed(beliefs, 4)
    np.testing.assert_allclose(found, agreed(masses, 4), atol=1e-12)
    shares = Agreed(found).shares(np.array(rates))
    np.testing.assert_allclose((shares / shares.sum(axis=0)).T, fused(masses, rates), atol=1e-12)


@each("n_classes", [2, 3])
@each("rates", RATES)
def test_both_routes_have_the_same_error_and_slopes(n_classes, rates):
    masses, y = sources(n_classes=n_classes)
    held_out = HeldOut.of(masses, y, np.arange(60) % 3)
    value, slope = _squared_error(held_out)(np.array(rates))
    other, other_slope = _squared_error_of_choices(held_out)(np.array(rates))
    np.testing.assert_allclose(other, value, rtol=1e-12)
    np.testing.assert_allclose(other_slope, slope, atol=1e-10)


def test_slopes_are_derivatives():
    masses, y = sources(n_classes=3)
    error = _squared_error_of_choices(HeldOut.of(masses, y, None))
    rates = np.array([0.2, 0.5, 0.7])
    expected = approx_fprime(rates, lambda r: error(r)[0], 1e-7)
    np.testing.assert_allclose(error(rates)[1], expected, rtol=1e-4)


def test_sources_that_exclude_each_other_agree_on_nothing():
    sure = [as_beliefs(np.eye(3)[[k, 0]], np.arange(3)).products() for k in (0, 1)]
    table = agreed(sure, 3)
    assert not table[1, 1, :, 0].any()
    np.testing.assert_array_equal(table[1, 1, :, 1], [1, 0, 0])
    np.testing.assert_allclose(table[1, 0, :, 0], [1, 0, 0])
    np.testing.assert_allclose(table[0, 0], 1 / 3)


def test_discounted_products_are_discounted_masses():
    beliefs, masses = products()
    for rate in (0.0, 0.3, 1.0):
        nothing = placed(beliefs[0].classes, len(beliefs[0]), [])
        found = mean([beliefs[0], nothing], [1 - rate, rate]).products().mass()
        assert found.equals(discount(masses[0], rate=rate), atol=1e-12)


def test_rates_of_products_are_those_of_masses():
    beliefs, masses = products(n=60)
    y = betp(masses[0]).argmax(axis=1)
    found = _squared_error_of_choices(HeldOut.of(beliefs, y, None))
    wanted = _squared_error(HeldOut.of(masses, y, None))
    for rates in (np.zeros(len(beliefs)), np.linspace(0.1, 0.9, len(beliefs))):
        np.testing.assert_allclose(found(rates)[0], wanted(rates)[0], rtol=1e-12)
        np.testing.assert_allclose(found(rates)[1], wanted(rates)[1], atol=1e-10)


def test_empty_sets_are_left_out():
    frame = Frame(["a", "b"])
    m = MassFunction(frame, [0, 1, 3], [[0.5, 0.25, 0.25]])
    np.testing.assert_allclose(agreed([m], 2)[1][:, 0], [0.375, 0.125])
