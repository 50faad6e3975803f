"""Hosmer and Lemeshow's test: the formula, its level and its power."""

import numpy as np
import pytest
from scipy import stats

from tests.evical.metrics.kinds import hosmer_lemeshow_test
from tests.evical.metrics.samples import calibrated


def test_formula_on_deciles():
    """Definition, with deciles made by sorting."""
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = (rng.random(200) < p).astype(int)
    order = np.argsort(p)
    total = 0.0
    for rows in np.split(order, 10):
        e, o = p[rows].sum(), y[rows].sum()
        total += (o - e) ** 2 / (e * (1 - e / len(rows)))
    found = hosmer_lemeshow_test(y, p)
    assert found.statistic == pytest.approx(total)
    assert found.pvalue == pytest.approx(stats.chi2.sf(total, 10))


def test_level_and_power():
    """Law: about 5 % of calibrated sets are rejected, and overconfident ones always."""
    y, p = calibrated(1000, np.random.default_rng(0), 1000)
    share = np.mean([hosmer_lemeshow_test(a, b).pvalue <= 0.05 for a, b in zip(y, p, strict=True)])
    assert 0.03 <= share <= 0.07
    odds = (p / (1 - p)) ** 1.7
    wrong = odds / (1 + odds)
    found = [hosmer_lemeshow_test(a, b).pvalue for a, b in zip(y[:50], wrong[:50], strict=True)]
    assert np.mean(np.array(found) <= 0.05) > 0.9


def test_certain_predictions():
    assert hosmer_lemeshow_test([0, 1, 1], [0.0, 1.0, 1.0]).pvalue == 1
    assert hosmer_lemeshow_test([0, 1, 0], [0.0, 1.0, 1.0]).pvalue == 0


def test_weights_that_are_equal_change_nothing():
    y, p = calibrated(300, np.random.default_rng(1), 1)
    plain = hosmer_lemeshow_test(y[0], p[0])
    weighted = hosmer_lemeshow_test(y[0], p[0], sample_weight=np.full(300, 2.5))
    assert weighted.statistic == pytest.approx(plain.statistic)


def test_wrong_inputs_are_refused():
    with pytest.raises(ValueError, match="strategy"):
        hosmer_lemeshow_test([0, 1], [0.1, 0.9], strategy="deciles")
    with pytest.raises(ValueError, match=r"1\.5"):
        hosmer_lemeshow_test([0, 1], [0.1, 1.5])
