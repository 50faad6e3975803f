"""Discounted: laws of discounting, and rates of the least error."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction, betp, dempster
from dstheory.errors import CostLimitError
from dstheory.revise import contextual_discount, discount, learn_contextual_rates
from evical.fusion import Discounted
from evical.fusion._reliability import _squared_error, joint_rates
from evical.fusion._rule import HeldOut
from tests.evical.fusion.samples import sources
from tests.support.each import each


def error_by_definition(rates, masses, y):
    """Half the squared distances of pignistic probabilities from labels, sample by sample."""
    fused = dempster(*(discount(m, rate=rate) for m, rate in zip(masses, rates, strict=True)))
    targets = np.array([[label == known for known in fused.frame.labels] for label in y])
    return 0.5 * ((betp(fused) - targets) ** 2).sum()


@each("n_classes", [2, 3])
@each("seed", range(3))
def test_error_and_slope_are_those_of_the_definition(n_classes, seed):
    masses, y = sources(n_classes=n_classes, seed=seed)
    rates = np.random.default_rng(seed).uniform(0, 1, 3)
    value, slope = _squared_error(HeldOut.of(masses, y, None))(rates)
    assert value == pytest.approx(error_by_definition(rates, masses, y))
    for i, step in enumerate(np.eye(3) * 1e-6):
        ahead, behind = (error_by_definition(rates + s * step, masses, y) for s in (1, -1))
        assert slope[i] == pytest.approx((ahead - behind) / 2e-6, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_rates_of_a_grid_are_better(n_classes):
    masses, y = sources(n_classes=n_classes, qualities=(2.0, 0.3))
    found = joint_rates(HeldOut.of(masses, y, None), shrinkage=2.0)

    def objective(rates):
        return error_by_definition(rates, masses, y) + 2.0 * np.mean(np.square(rates))

    grid = np.linspace(0, 1, 21)
    assert objective(found) <= min(objective((a, b)) for a in grid for b in grid) + 1e-6


def test_copies_are_discounted():
    """Dempster's rule counts what sources share as often as it is told; rates make up for it."""
    (good, bad), y = sources(n=300, qualities=(1.0, 0.0))
    copies = Discounted(shrinkage=0).fit([good] * 5, y)
    assert copies.rates_.mean() > 0.3
    assert error_by_definition(copies.rates_, [good] * 5, y) < error_by_definition(
        np.zeros(5), [good] * 5, y
    )
    useless = Discounted().fit([good, bad], y)
    assert useless.rates_[1] > useless.rates_[0]


def test_large_shrinkage_is_dempsters_rule():
    masses, y = sources()
    for contextual in (False, True):
        fusion = Discounted(contextual=contextual, shrinkage=1e9).fit(masses, y)
        np.testing.assert_allclose(fusion.rates_, 0, atol=1e-6)
        assert fusion(*masses).equals(dempster(*masses), atol=1e-5)


def test_rates_of_0_and_1():
    masses, _ = sources(n_classes=3)
    none, all_ = (Discounted(rates=[rate] * 3).fit(sizes=[1] * 3) for rate in (0, 1))
    assert none(*masses).equals(dempster(*masses))
    assert all_(*masses).is_vacuous.all()
    one_left = Discounted(rates=[1, 0, 1]).fit(sizes=[1] * 3)
    assert one_left(*masses).equals(masses[1])


def test_rates_of_contexts():
    masses, _ = sources()
    table = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    fusion = Discounted(rates=table, contextual=True).fit(sizes=[1] * 3)
    weak = [
        contextual_discount(m, rates={"ant": a, "bee": b})
        for m, (a, b) in zip(masses, table, strict=True)
    ]
    assert fusion(*masses).equals(dempster(*weak))
    three, _ = sources(n_classes=3)
    with pytest.raises(ValueError, match="rates of 2 classes, but 3 classes"):
        fusion(*three)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_contextual_rates_are_those_of_each_source_alone(n_classes):
    masses, y = sources(n_classes=n_classes, ignorance=0.0, qualities=(1.0, 0.5, 0.0))
    fusion = Discounted(contextual=True, shrinkage=0).fit(masses, y)
    for m, rates in zip(masses, fusion.rates_, strict=True):
        expected = learn_contextual_rates(m, y.tolist()).rates
        np.testing.assert_allclose(rates, list(expected.values()), atol=1e-12)
    assert (fusion.rates_ > 0).any()


def test_many_sources_of_many_classes():
    """Rates of eight sources are learned from all choices among them; of more they are not."""
    frame = Frame(range(12))
    y = np.arange(60) % 12
    focal = [*(1 << k for k in range(12)), frame.full]
    right = np.column_stack([0.6 * np.eye(12)[y], np.full(60, 0.4)])
    wrong = np.column_stack([0.6 * np.eye(12)[(y + 1) % 12], np.full(60, 0.4)])
    good, bad = (MassFunction(frame, focal, table) for table in (right, wrong))
    fusion = Discounted().fit([good, bad], y)
    assert fusion.rates_[0] < 0.1
    assert fusion.rates_[1] > 0.9
    with pytest.raises(CostLimitError, match=r"rates of 9 sources of 12 classes .* 512 choices"):
        Discounted().fit([good] * 9, y)


def test_sources_that_exclude_each_other_have_rates():
    frame = Frame([0, 1])
    right = MassFunction(frame, [1, 2], [[1, 0], [0, 1]] * 10)
    wrong = MassFunction(frame, [1, 2], [[0, 1], [1, 0]] * 10)
    fusion = Discounted().fit([right, wrong], [0, 1] * 10)
    assert fusion.rates_[0] < fusion.rates_[1]


def test_slope_where_rates_and_commonalities_are_0():
    """Probabilities have no ignorance; the slope at a rate of 0 is to the right."""
    masses, y = sources(ignorance=0.0)
    rates = np.array([0.0, 0.3, 0.5])
    value, slope = _squared_error(HeldOut.of(masses, y, None))(rates)
    for i, step in enumerate(np.eye(3) * 1e-7):
        ahead = error_by_definition(rates + step, masses, y)
        assert slope[i] == pytest.approx((ahead - value) / 1e-7, rel=1e-4)


@each("wrong", [b"half", 1j, ["a"], np.array([1j])])
@each("name", ["rates", "reliabilities"])
def test_shares_that_are_no_numbers_are_refused(name, wrong):
    with pytest.raises(TypeError, match=f"{name} are .*, expected real numbers"):
        Discounted(**{name: wrong}).fit(sizes=[1])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [(10**400, "hold a number above 1.8e308"), ([[1], [1, 2]], "are .*, whose rows differ")],
    ids=["huge", "ragged"],
)
@pytest.mark.parametrize("name", ["rates", "reliabilities"])
def test_shares_that_are_no_array_are_refused(name, wrong, message):
    with pytest.raises(ValueError, match=f"{name} {message}"):
        Discounted(**{name: wrong}).fit(sizes=[1])


def test_reliabilities_are_what_rates_leave():
    kept = Discounted(reliabilities=[1, 0.25]).fit(sizes=[1, 1])
    assert kept.needs == "nothing"
    assert kept.rates_.tolist() == [0, 0.75]
    with pytest.raises(ValueError, match=r"reliabilities are .*, expected numbers between"):
        Discounted(reliabilities=[1, 2]).fit(sizes=[1, 1])
