"""Random mass functions: valid, reproducible, and distributed as stated."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from dstheory.construct import random
from dstheory.errors import DSTheoryError, MassError
from tests.support.each import each

FRAME = Frame(range(6))
KINDS = ["uniform", "cardinality", "bayesian", "consonant", "simple"]


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("kind", KINDS)
def test_valid_and_reproducible(kind):
    m = random(FRAME, rng(), size=(4, 3), n_focal=3, kind=kind)
    again = random(FRAME, rng(), size=(4, 3), n_focal=3, kind=kind)
    assert m.batch_shape == (4, 3)
    assert m.equals(again, 0)
    assert MassFunction(FRAME, m.focal, m.masses).is_normalized.all()
    assert not m.equals(random(FRAME, rng(1), size=(4, 3), n_focal=3, kind=kind))


@pytest.mark.parametrize(
    ("kind", "number"),
    [("uniform", 63), ("bayesian", 6), ("consonant", 6), ("simple", 2)],
)
def test_all_focal_sets_by_default(kind, number):
    m = random(FRAME, rng(), kind=kind)
    assert len(m.focal) == number
    assert 0 not in m.focal


def test_kinds_are_what_they_say():
    assert random(FRAME, rng(), kind="bayesian").is_bayesian
    assert random(FRAME, rng(), kind="consonant").is_consonant
    for seed in range(20):
        assert random(FRAME, rng(seed), kind="simple").is_simple


def test_masses_are_uniform_on_the_simplex():
    """Dirichlet(1, 1, 1): means 1/3, variances 1/18; ten standard errors of the estimates."""
    m = random(Frame(["a", "b"]), rng(), size=20_000)
    np.testing.assert_allclose(m.masses.mean(axis=0), 1 / 3, atol=10 * (1 / 18 / 20_000) ** 0.5)
    np.testing.assert_allclose(m.masses.var(axis=0), 1 / 18, atol=0.005)


def test_cardinality_spreads_sizes():
    frame = Frame(range(30))
    sizes = np.bitwise_count(random(frame, rng(), n_focal=600, kind="cardinality").focal)
    assert (sizes >= 26).sum() > 60  # uniform sets would have one in 10^5 there
    assert (sizes <= 5).sum() > 60


def test_given_focal_sets_and_conflict():
    m = random(FRAME, rng(), size=5, focal=[0, [1, 2], FRAME], conflict=0.25)
    assert m.focal.tolist() == [0, 1, 6, 63]
    assert (m.mass([]) == 0.25).all()
    np.testing.assert_allclose(m.masses.sum(axis=-1), 1)


@pytest.mark.parametrize("kind", KINDS)
def test_large_frames(kind):
    frame = Frame(range(80))
    m = random(frame, rng(), n_focal=50, kind=kind)
    assert len(m.focal) == (2 if kind == "simple" else 50)
    assert m.focal.dtype == object


def test_a_frame_of_one():
    for kind in KINDS:
        assert random(Frame(["a"]), rng(), n_focal=1, kind=kind).focal.tolist() == [1]


@each(
    ("arguments", "message"),
    [
        ({"kind": "gaussian"}, "kind is 'gaussian', expected one of 'uniform'"),
        ({"kind": "bayesian", "n_focal": 7}, "1 to 6 focal sets"),
        ({"n_focal": 0}, "n_focal is 0"),
        ({"kind": "cardinality"}, "needs n_focal"),
        ({"conflict": 1.5}, "conflict is 1.5"),
        ({"focal": []}, "no focal set"),
    ],
)
def test_wrong_values_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        random(FRAME, rng(), **arguments)


def test_too_large_tables_and_double_conflict_are_refused():
    with pytest.raises(DSTheoryError, match=r"2\^27 entries .*; give n_focal"):
        random(Frame(range(27)), rng())
    with pytest.raises(MassError, match="by conflict only"):
        random(FRAME, rng(), focal=[[], [1]], conflict=0.5)
    with pytest.raises(TypeError, match="default_rng"):
        random(FRAME, 0)
    with pytest.raises(DSTheoryError, match=r"takes 516,096 GiB.*; give a smaller size"):
        random(FRAME, rng(), size=2**40)
