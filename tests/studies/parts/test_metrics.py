"""What is measured of fused beliefs, by hand."""

import numpy as np
import pytest

from examples.studies.parts.metrics import MEASURES, METRICS, Fused


def test_metrics_by_hand():
    fused = Fused(
        y=np.array([1, 0, 1, 0]),
        bel=np.array([0.75, 0.25, 0.0, 1.0]),
        pl=np.array([0.75, 0.35, 1.0, 1.0]),
        conflicting=np.array([False, False, True, False]),
    )
    values = {name: metric(fused) for name, metric in METRICS.items()}
    assert values["error_rate"] == (0 + 0 + 0.5 + 1) / 4
    assert values["brier"] == pytest.approx((0.25**2 + 0.3**2 + 0.5**2 + 1) / 4)
    # A wrong certainty is clipped to the spacing of floats at 1.
    losses = -np.log([0.75, 0.7, 0.5, np.finfo(float).eps])
    assert values["log_loss"] == pytest.approx(losses.mean())
    assert values["imprecision"] == pytest.approx((0.1 + 1) / 4)
    assert values["total_conflict"] == 0.25


def discordant(this, reference):
    return tuple(MEASURES[name](this, reference) for name in ("only_this", "only_reference"))


def test_an_even_probability_is_not_right():
    y = np.array([1, 1, 0, 0])
    none = np.zeros(4, dtype=bool)
    even = Fused(y, bel=np.zeros(4), pl=np.ones(4), conflicting=none)
    sure = Fused(y, bel=y * 1.0, pl=y * 1.0, conflicting=none)
    assert discordant(even, sure) == (0.0, 4.0)
    assert discordant(sure, even) == (4.0, 0.0)
    assert discordant(even, even) == (0.0, 0.0)
