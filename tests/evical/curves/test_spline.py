"""Smoothing splines: the penalized optimum by another optimizer, and weights as defined."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from scipy.special import expit

from evical.curves import candidates as smooth
from evical.curves.automatic import SPLINES, spline_curve
from evical.scores import ScoreCounts


def wavy(n=80, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0, 1, n).round(2)
    return scores, (rng.random(n) < expit(3 * np.sin(6 * scores))).astype(int)


def test_roughness_is_the_integral_of_the_squared_second_derivative():
    nodes = np.array([0.0, 0.1, 0.35, 0.5, 0.8, 1.0])
    to_values, roughness = smooth.spline_coordinates(nodes)
    values = np.random.default_rng(1).normal(size=len(nodes))
    curve = CubicSpline(nodes, values, bc_type="natural")
    pieces = [quad(lambda x: float(curve(x, 2)) ** 2, *ends)[0] for ends in pairwise(nodes)]
    parameters = np.linalg.solve(to_values, values)
    np.testing.assert_allclose(parameters @ roughness @ parameters, sum(pieces), rtol=1e-9)


def penalty_of(z, weight, knots, deviation, level):
    """Minus the log prior of values at the knots: of their line at the scores, and of bends."""
    basis = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")
    at = basis(z)

    def penalty(values):
        slope, start = np.polyfit(z, at @ values, 1, w=np.sqrt(weight))
        curve = CubicSpline(knots, values, bc_type="natural")
        # f''^2 is a parabola between knots, which Simpson's rule integrates exactly.
        second = [curve(np.array([a, (a + b) / 2, b]), 2) ** 2 for a, b in pairwise(knots)]
        rough = sum(
            (b - a) * (s @ [1, 4, 1]) / 6 for (a, b), s in zip(pairwise(knots), second, strict=True)
        )
        line = (start - level) ** 2 / smooth._LEVEL**2 + slope**2 / smooth._SLOPE**2
        return (line + rough / deviation**2) / 2

    return at, penalty


@pytest.mark.parametrize("name", ["bends 0.62", "bends 3.9"])
def test_a_candidate_is_the_optimum_of_the_penalized_deviance_and_its_curvature(name):
    counts = ScoreCounts.from_samples(*wavy())
    weight = counts.total
    center = np.average(counts.scores, weights=weight)
    unit = np.sqrt(np.average((counts.scores - center) ** 2, weights=weight))
    z = (counts.scores - center) / unit
    level = np.log((counts.n_positive + 1) / (counts.n_negative + 1))
    deviation = float(name.split()[1])
    deviation = min(smooth.BENDS.values(), key=lambda d: abs(d - deviation))
    knots = smooth._knots(z, weight)
    at, penalty = penalty_of(z, weight, knots, deviation, level)

    def objective(values):
        eta = at @ values
        return (weight * np.logaddexp(0, eta) - counts.positive * eta).sum() + penalty(values)

    best = minimize(objective, np.zeros(len(knots)), method="BFGS", options={"gtol": 1e-7}).x
    places = np.arange(len(counts))
    candidates = smooth.smooth_candidates("given", 1.0, counts.scores, places, counts)
    found = {c.name: c for c in candidates}[f"given: {name}"]
    np.testing.assert_allclose(found.log_odds, at @ best, atol=1e-4)
    rows = np.eye(len(knots))
    quadratic = np.array(
        [[penalty(a + b) - penalty(a) - penalty(b) + penalty(0 * a) for a in rows] for b in rows]
    )
    p = expit(at @ best)
    hessian = (at.T * (weight * p * (1 - p))) @ at + quadratic
    variance = ((at @ np.linalg.inv(hessian)) * at).sum(axis=1)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-3)


@pytest.mark.parametrize("kind", ["margin", "probability", "one"])
def test_candidates_are_splines_on_all_scales(kind):
    scores, y = wavy(300)
    scores = {"margin": 6 * scores - 3, "probability": scores, "one": 0 * scores}[kind]
    names = spline_curve(ScoreCounts.from_samples(scores, y)).names
    expected = {
        "margin": [name for name in SPLINES if name.startswith(("given", "rank"))],
        "probability": SPLINES[1:],
        "one": SPLINES[:1],
    }[kind]
    assert names == tuple(expected)
