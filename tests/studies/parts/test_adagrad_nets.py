"""Nets by Adagrad: gradients, the sizes of a thesis, and what more steps do."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_softmax, softmax

from evical.metrics import log_loss
from examples.studies.parts.adagrad_nets import AdagradNets, _slopes


def test_slopes_are_those_of_the_cross_entropy():
    rng = np.random.default_rng(0)
    shapes = (2, 3, 5), (2, 1, 5), (2, 5, 3), (2, 1, 3)
    parts = [rng.normal(size=shape) for shape in shapes]
    X, target = rng.normal(size=(2, 4, 3)), np.eye(3)[rng.integers(0, 3, (2, 4))]
    cuts = np.cumsum([part.size for part in parts])[:-1]

    def loss(flat):
        a, b, c, d = (p.reshape(s) for p, s in zip(np.split(flat, cuts), shapes, strict=True))
        scores = np.maximum(X @ a + b, 0) @ c + d
        return -(target * log_softmax(scores, axis=-1)).sum() / 4  # a mean for each of two nets

    flat = np.concatenate([part.ravel() for part in parts])
    found = _slopes(parts, np.ones((2, 5), dtype=bool), X, target)
    wanted = approx_fprime(flat, loss, 1e-7)
    np.testing.assert_allclose(np.concatenate([f.ravel() for f in found]), wanted, atol=1e-5)


def test_more_steps_fit_better_and_units_stay_four_to_seven():
    rng = np.random.default_rng(1)
    y = np.arange(300) % 3
    scores = softmax(2 * np.eye(3)[y] + rng.normal(size=(300, 3)), axis=1)
    losses = []
    for n_steps in (20, 200, 2000):
        nets = AdagradNets(n_steps=n_steps, random_state=0).fit(scores, y)
        p = nets.predict_proba(scores)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        losses.append(log_loss(y, p))
        used = (nets._parts[0] != 0).any(axis=1).sum(axis=1)
        assert set(used) <= {4, 5, 6, 7}
    assert losses[0] > losses[1] > losses[2]
    assert losses[2] < 0.9 * np.log(3)
    with pytest.raises(ValueError, match="sample weights differ"):
        AdagradNets().fit(scores, y, np.r_[2.0, np.ones(299)])
