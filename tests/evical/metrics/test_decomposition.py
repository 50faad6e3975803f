"""Decompositions of proper scores: their parts by definition, and that they add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evical.metrics import brier_decomposition, brier_score, corp_decomposition, log_loss
from tests.evical.metrics.samples import arrays, binary
from tests.naive import metrics as naive


@given(binary())
def test_murphy(samples):
    y, p, w = arrays(samples)
    parts = brier_decomposition(y, p, sample_weight=w)
    calibration, refinement = naive.murphy(samples)
    assert parts.calibration == pytest.approx(float(calibration), abs=1e-14)
    assert parts.refinement == pytest.approx(float(refinement), abs=1e-14)
    assert parts.score == pytest.approx(brier_score(y, p, sample_weight=w))
    assert parts.score == pytest.approx(parts.calibration + parts.refinement)
    assert parts.refinement == pytest.approx(parts.uncertainty - parts.resolution, abs=1e-14)
    assert parts.within == 0


@given(binary())
def test_the_error_is_at_most_twice_the_refinement(samples):
    """Cohen & Goldszmidt (2004), by Naeini (2016), section 2.3: e_b < 2 e_R if well calibrated.

    There, "<" is printed; of frequencies of 0, 1/2 and 1 alone, the two are equal.
    """
    y, p, w = arrays(samples)
    parts = brier_decomposition(y, p, sample_weight=w)
    groups = [(w[p == value], y[p == value]) for value in np.unique(p)]
    frequency = np.array([np.average(one, weights=weight) for weight, one in groups])
    share = np.array([weight.sum() for weight, _ in groups]) / w.sum()
    error = share @ np.minimum(frequency, 1 - frequency)
    assert error <= 2 * parts.refinement + 1e-12
    if not np.isin(frequency, (0, 0.5, 1)).all():
        assert error < 2 * parts.refinement


@given(binary(), st.sampled_from(["uniform", "quantile"]))
def test_within_bins(samples, strategy):
    """Variance of the predictions within bins, less twice their covariance with outcomes."""
    y, p, _ = arrays(samples)
    parts = brier_decomposition(y, p, n_bins=2, strategy=strategy)
    binned = {"uniform": naive.uniform_bins, "quantile": naive.quantile_bins}[strategy]
    within = 0.0
    for found in binned([(a, b, 1) for a, b, _ in samples], 2):
        outcomes, predictions, _ = arrays(found)
        spread = predictions - predictions.mean()
        within += (spread**2).sum() - 2 * (spread * (outcomes - outcomes.mean())).sum()
    assert parts.within == pytest.approx(within / len(y), abs=1e-14)
    total = parts.calibration + parts.refinement + parts.within
    assert parts.score == pytest.approx(total)


@settings(max_examples=30)
@given(binary(), st.sampled_from(["brier", "log"]))
def test_corp(samples, score):
    y, p, w = arrays(samples)
    parts = corp_decomposition(y, p, score=score, sample_weight=w)
    fitted = naive.pav(samples)
    q = np.array([float(fitted[value]) for _, value, _ in samples])
    base = np.full(len(y), np.average(y, weights=w))
    loss = brier_score if score == "brier" else log_loss
    of_p, of_q, of_base = (loss(y, x, labels=[0, 1], sample_weight=w) for x in (p, q, base))
    assert parts.miscalibration == pytest.approx(of_p - of_q, abs=1e-12)
    assert parts.discrimination == pytest.approx(of_base - of_q, abs=1e-12)
    assert parts.uncertainty == pytest.approx(of_base, abs=1e-12)
    if np.isfinite(of_p):
        total = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert parts.score == pytest.approx(total)


def test_corp_of_isotonic_predictions():
    """What isotonic regression gives is calibrated in its sense."""
    parts = corp_decomposition([0, 1, 0, 1, 1], [0.0, 0.5, 0.5, 1.0, 1.0])
    assert parts.miscalibration == 0
    assert str(parts).startswith("Brier score 0.1 = MCB 0 - DSC 0.14 + UNC 0.24")
    assert "log loss" in str(corp_decomposition([0, 1], [0.2, 0.8], score="log"))


def test_corp_leaves_out_what_has_no_weight():
    y, p = np.array([0, 1, 0, 1, 0]), np.array([0.1, 0.2, 0.3, 0.4, 0.9])
    w = np.array([1.0, 1, 1, 1, 0])
    assert corp_decomposition(y, p, sample_weight=w) == corp_decomposition(y[:4], p[:4])


def test_no_such_score():
    with pytest.raises(ValueError, match="score is 'quadratic', expected one of 'brier', 'log'"):
        corp_decomposition([0, 1], [0.1, 0.9], score="quadratic")
