"""Calibrators of other packages: those that are installed learn and predict probabilities."""

import numpy as np

from evical.datasets import simulated_scores
from examples.studies.quality.peers import installed


def test_every_installed_peer_learns():
    contenders = installed()
    assert any(one.name.startswith("scikit-learn") for one in contenders)
    scores, y, _ = simulated_scores("monotone", 500, np.random.default_rng(0))
    for one in contenders:
        peer = one.make()
        peer.fit(scores, y)
        proba = np.asarray(peer.predict_proba(np.array([0.05, 0.95])))
        low, high = proba[:, 1] if proba.ndim == 2 else proba
        assert 0 <= low < high <= 1, one.name
