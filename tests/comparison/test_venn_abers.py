"""Venn-Abers calibration equals the package venn-abers, where that is installed."""

import numpy as np
import pytest

from evical.calibrators import VennAbersCalibrator

venn_abers = pytest.importorskip("venn_abers")


@pytest.mark.parametrize("seed", range(20))
def test_equal_to_the_package_with_ties(seed):
    rng = np.random.default_rng(seed)
    scores = rng.random(200).round(1 + seed % 3)
    y = (rng.random(200) < scores).astype(int)
    probes = rng.random(300).round(1 + seed % 3)
    peer = venn_abers.VennAbers()
    peer.fit(np.stack([1 - scores, scores], axis=1), y)
    _, bounds = peer.predict_proba(np.stack([1 - probes, probes], axis=1))
    ours = VennAbersCalibrator().fit(scores, y).predict_interval(probes)
    np.testing.assert_allclose(ours, bounds, atol=1e-12)
