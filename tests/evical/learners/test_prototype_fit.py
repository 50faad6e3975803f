"""Costs of networks of prototypes: definitions, gradients, figures of another package."""

import json
from functools import partial

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from evical.learners._evidence import log_loss, squared_loss
from evical.learners._features import squared_distances
from evical.learners._prototype_classifier import (
    Committed,
    Linear,
    Network,
    TrainingSamples,
    committed_weights,
    cost,
)
from tests.naive import learners as naive
from tests.naive import prototypes
from tests.support.each import each
from tests.support.public_objects import ROOT


def a_network(rng, linear):
    centers, roots = rng.normal(size=(4, 2)), rng.uniform(0.3, 1.5, 4)
    coef = rng.normal(size=(4, 3))
    output = Linear(coef) if linear else Committed(rng.normal(size=4), coef)
    return Network(centers, roots, output)


def some_samples(rng, *, hard):
    target = np.eye(3)[:, rng.integers(0, 3, 12)]
    if not hard:
        target = np.maximum(target, rng.random((3, 12)) * 0.8)
    return TrainingSamples(rng.normal(size=(12, 2)), target, rng.dirichlet(np.ones(12)))


CASES = {
    "squared, belief": (False, partial(squared_loss, part=0.0), prototypes.squared_error, 0.0),
    "squared": (False, partial(squared_loss, part=1 / 3), prototypes.squared_error, 1 / 3),
    "log": (False, partial(log_loss, part=1 / 3), prototypes.log_error, 1 / 3),
    "log, plausibility": (False, partial(log_loss, part=1.0), prototypes.log_error, 1.0),
    "radial": (True, partial(log_loss, part=None), prototypes.log_error, None),
}
every_loss = each(("linear", "loss", "error", "part"), CASES.values(), ids=CASES.keys())


@every_loss
def test_cost_is_the_mean_loss_and_a_penalty(linear, loss, error, part):
    rng = np.random.default_rng(0)
    network, samples = a_network(rng, linear), some_samples(rng, hard=True)
    layer, output = network.layer, network.output
    known = [layer.prototypes.tolist(), layer.rate.tolist()]
    if linear:
        outputs = [prototypes.softmax(x, *known, output.coef) for x in samples.X]
        penalty = sum(c**2 for c in output.coef.ravel())
    else:
        known += [output.alpha.tolist(), output.shares.tolist()]
        outputs = [prototypes.shared(prototypes.neural(x, *known), 3, part) for x in samples.X]
        penalty = sum(output.alpha)
    pairs = zip(samples.weight, outputs, samples.target.T, strict=True)
    expected = sum(w * error(p, t) for w, p, t in pairs) + 0.3 * penalty
    assert cost(network, samples, loss, 0.3)[0] == pytest.approx(expected, abs=1e-12)


@every_loss
@each("hard", [True, False])
def test_gradients(linear, loss, error, part, hard):
    rng = np.random.default_rng(1)
    samples = some_samples(rng, hard=hard)
    for _ in range(3):
        network = a_network(rng, linear)
        found = cost(network, samples, loss, 0.3)[1]
        expected = approx_fprime(
            network.vector(),
            lambda v, network=network: cost(network.replaced(v), samples, loss, 0.3)[0],
            1e-7,
        )
        np.testing.assert_allclose(found, expected, atol=2e-6)


def test_many_prototypes_do_not_overflow():
    """Each of 2,000 gives a class odds of 99."""
    weights = committed_weights(np.full((2000, 1), 0.99), np.eye(3)[np.zeros(2000, dtype=int)])
    assert weights[:, 0] == pytest.approx([2000 * np.log(100), 0, 0])
    values, slopes = log_loss(weights, np.eye(3)[:, [1]], 1 / 3)
    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()


def test_distances():
    rng = np.random.default_rng(0)
    points, centers = rng.normal(size=(9, 4)), rng.normal(size=(3, 4))
    expected = [[naive.squared(x, p) for x in points] for p in centers]
    np.testing.assert_allclose(squared_distances(centers, points), expected, atol=1e-12)


def test_the_network_of_evtools():
    known = json.loads((ROOT / "tests/oracles/evtools_enn.json").read_text(encoding="utf-8"))
    points, labels = np.array(known["X"]), np.array(known["labels"])
    rate = np.array(known["gamma"]) ** 2
    output = Committed(np.array(known["alpha_raw"]), np.array(known["beta"]))
    network = Network(np.array(known["prototypes"]), np.sqrt(2 * rate), output)
    single = np.expm1(network.weights(points))
    masses = np.vstack([single, np.ones(len(points))]) / (1 + single.sum(axis=0))
    np.testing.assert_allclose(masses.T, known["masses"], atol=1e-12)
    samples = TrainingSamples(points, np.eye(4)[:, labels], np.full(len(points), 1 / len(points)))
    for name, expected in known["costs"].items():
        loss, part, factor = name.split(", ")
        if loss == "pl_loss":
            own = partial(squared_loss, part=float(part))
        else:
            own = partial(log_loss, part=1.0)
        assert cost(network, samples, own, float(factor))[0] == pytest.approx(expected, abs=1e-12)
