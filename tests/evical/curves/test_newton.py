"""Newton's method: its proof of the optimum, its errors, and terms that do not cancel."""

import numpy as np
import pytest
from mpmath import mp, mpf

from evical.curves import newton
from evical.curves.newton import logistic_terms, minimize_convex, unit_diagonal
from evical.errors import ConvergenceError
from tests.support.each import each


def quartic(x):
    """(x - 3)^4 + (x - 3)^2 for each of the problems."""
    d = x - 3.0
    return (d**4 + d**2)[:, 0], 4 * d**3 + 2 * d, (12 * d**2 + 2.0)[:, :, None]


def falling(x):
    """exp(-x), which has no minimum."""
    return np.exp(-x)[:, 0], -np.exp(-x), np.exp(-x)[:, :, None]


def test_problems_are_solved_together_as_alone():
    start = np.array([[-50.0], [0.0], [1e4]])
    together = minimize_convex(quartic, start)
    np.testing.assert_allclose(together.parameters, 3.0, atol=1e-12)
    assert together.proven
    for row in start:
        alone = minimize_convex(quartic, row[None])
        np.testing.assert_allclose(alone.parameters, 3.0, atol=1e-12)


def test_problems_that_are_solved_take_no_part_in_further_steps():
    """Each ends at its own optimum, in its own place, whatever the others still need."""
    center, sizes = np.array([0.0, 1.0, 2.0, 3.0]), []

    def part(which):
        def derivatives(x):
            sizes.append(len(x))
            d = x - center[which, None]
            return (d**4 + d**2)[:, 0], 4 * d**3 + 2 * d, (12 * d**2 + 2.0)[:, :, None]

        return derivatives

    start = np.array([[1e4], [1.0], [50.0], [3.01]])
    found = minimize_convex(part(np.arange(4)), start, part=part)
    np.testing.assert_allclose(found.parameters[:, 0], center, atol=1e-12)
    np.testing.assert_allclose(found.value, 0.0, atol=1e-20)
    np.testing.assert_allclose(found.hessian, 2.0, atol=1e-9)
    assert sizes[0] == 4
    assert sizes[-1] == 1


def test_no_optimum_is_an_error_and_no_answer():
    def no_curvature(x):
        return -x[:, 0], -np.ones_like(x), np.zeros((len(x), 1, 1))

    for objective in (no_curvature, lambda x: (x[:, 0], *falling(x)[1:])):
        with pytest.raises(ConvergenceError, match="no proof of an optimum"):
            minimize_convex(objective, np.zeros((1, 1)))


def test_trial_steps_say_that_they_prove_nothing():
    found = minimize_convex(quartic, np.full((1, 1), 1e6), trial_steps=2)
    assert not found.proven
    assert found.value[0] < quartic(np.full((1, 1), 1e6))[0][0]


def test_singular_matrices_can_be_solved():
    scaled, scale = unit_diagonal(np.array([[[1e24, 1e12], [1e12, 1.0]], [[0.0, 0.0], [0.0, 2.0]]]))
    assert np.isfinite(np.linalg.inv(scaled)).all()
    assert scale[0].tolist() == [1e12, 1.0]


@each("eta", [-40.0, -0.0, 0.0, 1.5, 36.0, 300.0])
@each("weights", [(1.0, 2.0), (1.0, 1e15), (1e-15, 1e9), (0.0, 3.0)])
def test_logistic_terms_keep_their_digits(eta, weights):
    mp.dps = 200
    against, favor = map(mpf, weights)
    p, q = 1 / (1 + mp.exp(-mpf(eta))), 1 / (1 + mp.exp(mpf(eta)))
    wanted = (
        -against * mp.log(q) - favor * mp.log(p),
        against * p - favor * q,
        (against + favor) * p * q,
    )
    found = logistic_terms(np.array([eta]), np.array([weights[0]]), np.array([weights[1]]))
    scale = (wanted[0], against * p + favor * q, wanted[2])
    for got, exact, size in zip(found, wanted, scale, strict=True):
        assert abs(got[0] - exact) <= 4e-16 * size + 1e-300


@each(("kept", "wide"), [(0, 12), (1 << 19, 12), (0, 2)])
@each("p", [1, 3])
def test_sums_in_blocks_are_those_of_each_sample(monkeypatch, p, kept, wide):
    """And the variances; whether products of columns are kept, made anew, or not used."""
    monkeypatch.setattr(newton, "_CHUNK", 12)
    monkeypatch.setattr(newton, "_KEPT", kept)
    monkeypatch.setattr(newton, "_WIDE", wide)
    rng = np.random.default_rng(0)
    z, against, favor = rng.normal(size=(3, 10)), *rng.random((2, 10))
    parameters = rng.normal(size=(p, 3))
    sums = newton.LogisticSums(z, against, favor)
    found, root = sums(parameters), rng.normal(size=(p, 3, 3))
    covariances = root @ root.transpose(0, 2, 1)
    spread = np.hstack([sums.variances(covariances, part) for part in sums.blocks(p)])
    np.testing.assert_allclose(spread, [[x @ own @ x for x in z.T] for own in covariances])
    for at, row in enumerate(parameters):
        each_sample = zip(z.T, against, favor, strict=True)
        terms = [(x, *logistic_terms(row @ x, a, f)) for x, a, f in each_sample]
        wanted = (
            sum(loss for _, loss, _, _ in terms),
            sum(slope * x for x, _, slope, _ in terms),
            sum(curvature * np.outer(x, x) for x, _, _, curvature in terms),
        )
        for got, exact in zip(found, wanted, strict=True):
            np.testing.assert_allclose(got[at], exact, rtol=1e-12)
