"""Risk and coverage: the definitions, their laws, other packages, and bad input."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from dstheory import Frame, MassFunction
from evical.metrics import aurc, risk_coverage_curve
from evical.metrics.selective import relative_entropy, risk_limits
from tests.naive import metrics as naive
from tests.support.each import each

PEERS = json.loads((Path(__file__).parents[2] / "oracles" / "risk.json").read_text("utf-8"))
EIGHTHS = st.integers(0, 8)


SAMPLES = st.tuples(st.booleans(), st.integers(4, 8), EIGHTHS, st.integers(0, 3))


@given(st.lists(SAMPLES, min_size=1, max_size=5).filter(lambda found: any(w for *_, w in found)))
def test_the_curve_and_its_area_are_those_of_the_definition(samples):
    """With weights too, in any unit, and with rows repeated as often."""
    wrong, eighths, parts, weights = zip(*samples, strict=True)
    p = np.array(eighths) / 8
    y = np.where(wrong, p <= 0.5, p > 0.5).astype(int)
    doubts = [Fraction(8 - k, 8) for k in eighths]
    w = np.array(weights)
    for losses, given_losses in (
        ([Fraction(int(one)) for one in wrong], np.array(wrong, dtype=float)),
        ([Fraction(k, 8) for k in parts], np.array(parts) / 8),
    ):
        options = {"loss": given_losses, "sample_weight": 1e-10 * w}
        curve = risk_coverage_curve(y, p, **options)
        wanted = naive.answered_risks(losses, doubts, weights)
        found = list(zip(curve.doubt, curve.coverage, curve.risk, strict=True))
        np.testing.assert_allclose(found, np.array(wanted, dtype=float), atol=1e-15)
        area = naive.area(losses, doubts, weights)
        best = naive.area(losses, losses, weights)  # as the least loss is doubted least
        excess = aurc(y, p, excess=True, **options)
        assert (aurc(y, p, **options), excess) == pytest.approx((area, area - best), abs=1e-14)
        assert (curve.aurc, curve.excess) == pytest.approx((area, area - best), abs=1e-14)
        repeated = risk_coverage_curve(y.repeat(w), p.repeat(w), loss=given_losses.repeat(w))
        assert (repeated.aurc, repeated.excess) == pytest.approx((area, excess), abs=1e-14)
        size = np.array(
            [w[p >= one].sum() ** 2 / (w[p >= one] ** 2).sum() for one in 1 - curve.doubt]
        )
        np.testing.assert_allclose(curve.n_answered, size)
        whole = bool(np.isin(given_losses, (0, 1)).all())
        limits = risk_limits(curve.risk, size, 0.95, whole=whole)
        np.testing.assert_allclose((curve.lower, curve.upper), limits, atol=1e-12)


@each("case", PEERS["curves"])
def test_areas_of_torch_uncertainty_and_evtools(case):
    """Sums of our points; the area of evtools starts at a share of 0 with a risk of 0."""
    y, p = np.array(case["y"]), np.array(case["p"])
    curve = risk_coverage_curve(y, p)
    ends = (curve.risk[0] + curve.risk[-1]) / 2
    area = (curve.risk.sum() - ends) / (len(y) - 1)
    assert area == pytest.approx(case["torch_uncertainty"], abs=1e-6)  # in single precision
    np.testing.assert_allclose(curve.risk[::-1], case["evtools_curve"][:-1], atol=1e-12)
    area = (curve.risk.sum() - curve.risk[-1] / 2) / len(y)
    assert area == pytest.approx(case["evtools"], abs=1e-12)


def test_doubts_of_beliefs():
    frame = Frame(["a", "b", "c"])
    focal, masses = [1, 2, 4, 3, 7], [
        [0.5, 0.1, 0.1, 0.1, 0.2],
        [0.3, 0.2, 0.0, 0.0, 0.5],
        [0.0, 0.0, 0.9, 0.0, 0.1],
    ]  # fmt: skip
    m, y = MassFunction(frame, focal, masses), ["a", "b", "c"]
    wanted = {"width": [0.3, 0.5, 0.1], "plausibility": [0.4, 0.7, 0.1]}
    for by, doubts in wanted.items():
        curve = risk_coverage_curve(y, m, by=by)
        np.testing.assert_allclose(curve.doubt, sorted(doubts), atol=1e-12)
        np.testing.assert_allclose(curve.risk, [0, 0, 1 / 3])
        same = risk_coverage_curve(y, m, by=doubts)
        assert same.aurc == curve.aurc
    with pytest.raises(TypeError, match="by='width' needs mass functions"):
        risk_coverage_curve([0, 1], [0.2, 0.4], by="width")


def test_losses_of_answers_and_classes():
    y, p = np.array([0, 1, 1, 0]), [0.1, 0.2, 0.7, 0.6]
    table = [[0.0, 1.0], [0.25, 0.0]]  # a miss, and a false alarm
    found = risk_coverage_curve(y, p, loss=table)
    np.testing.assert_allclose(found.risk, [0, 0.5, 1 / 3, 1.25 / 4])
    assert found.aurc == aurc(y, p, loss=[0, 1, 0, 0.25])


@each("n", [1, 2, 30, 500])
def test_limits_hold_the_mean_as_often_as_they_say(n):
    """Exactly, over all numbers of errors; Hoeffding's are wider, and hold for any losses."""
    hits = np.arange(n + 1)
    for mean in (0.01, 0.2, 0.5):
        often = binom(n, mean).pmf(hits)
        inside = []
        for whole in (True, False):
            low, high = risk_limits(hits / n, np.full(n + 1, n), 0.9, whole=whole)
            inside.append(often[(low <= mean) & (mean <= high)].sum())
        assert 0.9 <= inside[0] <= inside[1] + 1e-12
    low, high = risk_limits(hits / n, np.full(n + 1, n), 0.9, whole=False)
    edge = hits < n  # there the bound is met
    np.testing.assert_allclose(n * relative_entropy(hits / n, high)[edge], np.log(20), rtol=1e-6)
    np.testing.assert_allclose(low, (1 - high)[::-1], atol=1e-12)


def test_the_table_has_a_line_a_tenth():
    y, p = np.arange(100) % 2, np.linspace(0.001, 0.999, 100)
    assert len(str(risk_coverage_curve(y, p)).splitlines()) == 11


@each(
    ("changes", "message"),
    [
        ({"loss": [0, 1.5, 0, 0]}, r"loss\[1\] is 1.5, expected a loss in \[0, 1\]; divide"),
        ({"loss": [0, np.nan, 0, 0]}, r"loss\[1\] is nan"),
        ({"loss": [0, 1, 0]}, r"loss has shape \(3,\), expected \(4,\), of each sample, or \(2, 2"),
        ({"by": "with"}, "by is 'with', expected numbers"),
        ({"by": [0.1, 0.2]}, "2"),
        ({"by": [[0.1, 0.2]]}, r"by has shape \(1, 2\)"),
        ({"by": [0.1, 0.2, np.nan, 0.3]}, r"by\[2\] is nan"),
        ({"confidence": 1}, "confidence is 1"),
    ],
)
def test_bad_input(changes, message):
    with pytest.raises(ValueError, match=message):
        risk_coverage_curve([0, 1, 1, 0], [0.1, 0.2, 0.7, 0.6], **changes)
