"""Metrics equal those of other packages where these define the same, and where installed."""

import numpy as np
import pytest

from evical import metrics
from tests.evical.metrics.kinds import (
    adaptive_calibration_error,
    kolmogorov_smirnov_test,
    kuiper_test,
    spiegelhalter_test,
    top_label_calibration_error,
)


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 2, 2000)
    return (rng.random(2000) < p**1.1).astype(int), p


def test_netcal(sample):
    peer = pytest.importorskip("netcal.metrics")
    y, p = sample
    for n_bins in (10, 15):
        found = metrics.expected_calibration_error(y, p, n_bins=n_bins)
        assert found == pytest.approx(peer.ECE(n_bins).measure(p, y))
        found = metrics.maximum_calibration_error(y, p, n_bins=n_bins)
        assert found == pytest.approx(peer.MCE(n_bins).measure(p, y))
    rng = np.random.default_rng(1)
    rows, labels = rng.dirichlet(np.ones(4), 1000), rng.integers(4, size=1000)
    found = top_label_calibration_error(labels, rows)
    assert found == pytest.approx(peer.ECE(10).measure(rows, labels))


def test_mapie(sample):
    """Its p-value of Spiegelhalter's test is one-sided, and those of large statistics negative."""
    peer = pytest.importorskip("mapie.metrics.calibration")
    y, p = sample
    kuiper, ks = kuiper_test(y, p), kolmogorov_smirnov_test(y, p)
    # Ties are broken by noise there.
    assert kuiper.statistic == pytest.approx(peer.kuiper_statistic(y, p), abs=1e-6)
    assert kuiper.pvalue == pytest.approx(peer.kuiper_p_value(y, p), abs=1e-6)
    assert ks.statistic == pytest.approx(peer.kolmogorov_smirnov_statistic(y, p), abs=1e-6)
    assert ks.pvalue == pytest.approx(peer.kolmogorov_smirnov_p_value(y, p), abs=1e-6)
    z = spiegelhalter_test(y, p).statistic
    assert z == pytest.approx(peer.spiegelhalter_statistic(y, p))


def test_relplot(sample):
    """Its smooth calibration error has a coarser grid."""
    peer = pytest.importorskip("relplot")
    y, p = sample
    assert metrics.smooth_calibration_error(y, p) == pytest.approx(peer.smECE(p, y), abs=1e-3)


def test_uncertainty_calibration(sample):
    peer = pytest.importorskip("calibration")
    if not hasattr(peer, "get_ece_em"):
        pytest.skip("another package of this name")
    y, p = sample
    found = adaptive_calibration_error(y, p)
    assert found == pytest.approx(peer.get_ece_em(p, y, num_bins=10))
    found = metrics.debiased_calibration_error(y, p)
    expected = peer.lower_bound_scaling_ce(p, y, num_bins=10)
    assert found == pytest.approx(expected)


def test_model_diagnostics(sample):
    """Its decomposition is CORP's."""
    peer = pytest.importorskip("model_diagnostics.scoring")
    y, p = sample
    found = metrics.corp_decomposition(y, p)
    table = peer.decompose(y, p, scoring_function=peer.SquaredError())
    assert found.miscalibration == pytest.approx(table["miscalibration"][0])
    assert found.discrimination == pytest.approx(table["discrimination"][0])
    assert found.uncertainty == pytest.approx(table["uncertainty"][0])
