"""Losses equal the metrics of `evical`, and utilities of sets."""

from importlib import import_module

import numpy as np
import pytest

from dstheory import tensor
from evical.metrics import brier_score, log_loss, set_score
from tests.support.each import each
from tests.support.namespaces import EVERY_TYPE, TOLERANCE, array, floats, results

RNG = np.random.default_rng(0)
M = RNG.dirichlet(np.ones(4), 20)
P = M[:, :-1] + M[:, -1:] / 3
Y = np.arange(20) % 3


@each(("library", "dtype"), EVERY_TYPE)
def test_losses_equal_metrics(library, dtype):
    p, y = array(library, P, dtype), import_module(library).asarray(Y)
    wide = 2 if dtype.endswith("16") else 1
    metrics = {"log_loss": log_loss(Y, P), "brier_loss": brier_score(Y, P)}
    losses = {name: getattr(tensor, name) for name in metrics}
    for name, found in results(library, losses, p, y).items():
        assert floats(found).shape == (20,)
        assert abs(floats(found).mean() - metrics[name]) <= wide * TOLERANCE[dtype], name


def test_utility_is_the_mean_score_of_a_random_focal_set():
    sets = np.concatenate([np.eye(3, dtype=bool), np.ones((1, 3), dtype=bool)])
    for kind in ("u65", "u80", "discounted"):
        gained = sum(
            M[:, s] * [set_score([y], members[np.newaxis], kind, labels=range(3)) for y in Y]
            for s, members in enumerate(sets)
        )
        np.testing.assert_allclose(tensor.utility_loss(M, Y, kind), 1 - gained)


def test_log_loss_of_an_excluded_class_is_finite():
    p = np.array([[1.0, 0.0]], dtype=np.float32)
    assert 87 < tensor.log_loss(p, np.array([1]))[0] < 88


BAD = {
    "a class": (lambda: tensor.log_loss(P, Y + 1), ValueError, r"outside 0 \.\.\. 2"),
    "below 0": (lambda: tensor.brier_loss(P, Y - 1), ValueError, r"outside 0 \.\.\. 2"),
    "floats": (lambda: tensor.log_loss(P, Y + 0.5), ValueError, "type float64"),
    "shapes": (lambda: tensor.log_loss(P, Y[:3]), ValueError, r"shape \(20,\)"),
    "kind": (lambda: tensor.utility_loss(M, Y, "u66"), ValueError, "did you mean 'u65'"),
}


@each("name", list(BAD))
def test_bad_input(name):
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call()
