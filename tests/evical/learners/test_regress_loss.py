"""Evidential regression as its papers define it: predictions, losses, and exact gradients."""

from typing import get_args

import numpy as np
import pytest

from dstheory.inference import GRFN
from evical.learners._regress_loss import Errors, Kind, Loss
from evical.learners._regress_network import Network, Objective, Penalties, forward
from tests.naive import regression as naive

every_loss = pytest.mark.parametrize("kind", get_args(Kind))


def random_network(n_prototypes, n_features, rng):
    sizes = [(n_prototypes,)] * 4 + [(n_prototypes, n_features)] * 2
    return Network(*(rng.normal(size=size) / 2 for size in sizes))


def as_prototypes(network):
    """For the naive definitions."""
    parts = (
        network.centers,
        network.intercept,
        network.coef,
        np.exp(network.log_sigma),
        np.exp(network.log_h),
        np.exp(network.log_gamma),
    )
    return [tuple(value.tolist() for value in row) for row in zip(*parts, strict=True)]


def test_predictions_as_defined():
    rng = np.random.default_rng(1)
    network = random_network(4, 2, rng)
    points = rng.normal(size=(6, 2))
    found = forward(network, points)
    for i, point in enumerate(points.tolist()):
        mu, sigma, h = naive.predict(point, as_prototypes(network))
        assert found.mu[i] == pytest.approx(mu, abs=1e-12)
        assert found.variance[i] == pytest.approx(sigma**2, rel=1e-12)
        assert np.exp(found.log_h[i]) == pytest.approx(h, rel=1e-12)


def test_loss_as_defined():
    rng = np.random.default_rng(2)
    network = random_network(3, 2, rng)
    points, y = rng.normal(size=(2, 2)), rng.normal(size=2)
    objective = Objective(
        points, y, np.full(2, 0.5), 2.0, Loss(0.3, 0.7, "belief"), Penalties(0.2, 0.4, 3.0)
    )
    expected = naive.objective(
        points.tolist(), y.tolist(), as_prototypes(network), 0.3, 0.7, 0.2, 0.4, 3.0
    )
    assert objective(network)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0])
def test_belief_and_plausibility_are_those_of_random_fuzzy_numbers(epsilon):
    rng = np.random.default_rng(3)
    error, (variance, h) = rng.normal(size=40), rng.uniform(0.3, 4, size=(2, 40))
    number = GRFN(0, variance, h)
    errors = Errors(error, variance, np.log(h))
    bel, _ = Loss(epsilon, 1.0, "belief")(errors)
    pl, _ = Loss(epsilon, 0.0, "belief")(errors)
    np.testing.assert_allclose(np.exp(-pl), number.pl(error - epsilon, error + epsilon), rtol=1e-12)
    known = number.bel(error - epsilon, error + epsilon)
    np.testing.assert_allclose(np.exp(-bel), known, rtol=1e-10, atol=1e-14)  # that one cancels


def test_evreg_minimizes_nearly_the_same_for_narrow_intervals():
    for number, y in (((0.1, 0.8, 2.0), 0.4), ((-1.0, 1.5, 0.3), 1.2)):
        mu, sigma, h = number
        errors = Errors(*np.array([[y - mu], [sigma**2], [np.log(h)]]))
        gaps = []
        for epsilon in (0.1, 0.01):
            found = Loss(epsilon, 0.9, "evreg")(errors)[0][0]
            gaps.append(abs(found - naive.loss_of_evreg(y, number, epsilon, 0.9)))
        assert gaps[0] < 0.02
        assert gaps[1] < gaps[0] / 50  # of second order


@every_loss
def test_losses_are_finite_far_from_predictions(kind):
    """A hundred deviations off, and where h underflows."""
    errors = Errors(*np.array([[100.0, 1.0, 0.0], [1.0, 1e-4, 1.0], [0.0, 5.0, -1e6]]))
    value, slopes = Loss(0.01, 0.9, kind)(errors)
    assert np.isfinite(value).all()
    assert np.isfinite(slopes).all()
    assert slopes.log_h[2] == pytest.approx(-0.9)  # log Bel is log h plus a constant
    assert slopes.mu[0] == pytest.approx(-95, rel=0.01)  # -90 of the normal density, -5 of Pl


@every_loss
@pytest.mark.parametrize("pessimism", [0.0, 0.7, 1.0])
def test_gradients(kind, pessimism, monkeypatch):
    monkeypatch.setattr("evical.learners._regress_network.CHUNK", 12)
    rng = np.random.default_rng(4)
    network = random_network(3, 2, rng)
    points, y, weight = rng.normal(size=(20, 2)), rng.normal(size=20), rng.dirichlet(np.ones(20))
    objective = Objective(
        points, y, weight, 8.0, Loss(0.2, pessimism, kind), Penalties(0.3, 0.2, 5.0)
    )
    gradient = objective(network)[1].packed()
    vector, step = network.packed(), 1e-6
    for i, exact in enumerate(gradient):
        around = [vector + sign * step * np.eye(len(vector))[i] for sign in (1, -1)]
        up, down = (objective(network.unpacked(point))[0] for point in around)
        assert (up - down) / (2 * step) == pytest.approx(exact, abs=1e-8)
