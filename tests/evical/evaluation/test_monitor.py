"""The monitor: fair odds, the capital of the definition, alarms, streams, and bad input."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.special import expit

from dstheory import Frame, MassFunction
from evical import LogisticCalibrator
from evical.evaluation import CalibrationMonitor
from evical.evaluation.monitor import bet_odds, n_bets
from evical.plot import MartingaleDisplay
from tests.naive import conformal as naive
from tests.support.each import each


def stream(n, seed, change=lambda z: z, start=0):
    """Probabilities, and classes whose log-odds are changed from a sample on."""
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 1.5, n)
    truth = expit(np.r_[z[:start], change(z[start:])])
    return expit(z), (rng.random(n) < truth).astype(int)


@each("k", [2, 3, 5])
def test_odds_are_fair_and_those_of_the_definition(k):
    rng = np.random.default_rng(k)
    p = rng.dirichlet(np.ones(k), 50)
    p[0], p[1] = 1 / k, np.eye(k)[0] * 0.9 + 0.1 / k
    odds = np.stack([bet_odds(p, np.full(50, y)) for y in range(k)], axis=2)
    assert odds.shape == (50, 1 + n_bets(k), k)
    np.testing.assert_allclose((odds * p[:, np.newaxis]).sum(axis=2), 1, rtol=1e-12)
    row = p[2].tolist()
    wanted = [[1.0] * k]
    for power in (0.6, 1.6):
        powers = [one**power for one in row]
        wanted.append([part / sum(powers) / one for part, one in zip(powers, row, strict=True)])
    for which in range(k) if k > 2 else [1]:
        for shift in (0.4, -0.4, 1.0, -1.0):
            raised = [one * math.exp(shift * (y == which)) for y, one in enumerate(row)]
            wanted.append([part / sum(raised) / one for part, one in zip(raised, row, strict=True)])
    np.testing.assert_allclose(odds[2], wanted, rtol=1e-12)


def test_the_capital_is_that_of_the_definition():
    p, y = stream(30, 0, lambda z: z + 1)
    monitor = CalibrationMonitor().update(p, y)
    odds = bet_odds(np.stack([1 - p, p], axis=1), y)[:, 1:]
    exact = [[Fraction(float(one)) for one in row] for row in odds]
    path = naive.reserve(exact, lambda t: Fraction(1 / (1 + math.log1p(t / 100))))
    np.testing.assert_allclose(np.exp(monitor.log_values), [float(one) for one in path], rtol=1e-10)
    assert monitor.p_value == pytest.approx(min(1, 1 / max(float(one) for one in path)))


def test_calibrated_streams_seldom_give_an_alarm():
    """Ville's inequality; the reserve falls by its logarithm only."""
    found = [CalibrationMonitor().update(*stream(400, seed)) for seed in range(200)]
    for level in (0.05, 0.2):
        often = np.mean([one.p_value <= level for one in found])
        assert often <= level + 3 * np.sqrt(level * (1 - level) / 200)
    assert min(one.log_values.min() for one in found) > -math.log(1 + math.log(5)) - 1e-9


@each(
    ("change", "finding"),
    [
        (lambda z: z + 1, "class 1 is likelier than predicted"),
        (lambda z: z - 1, "class 1 is rarer than predicted"),
        (lambda z: z / 3, "probabilities are too extreme"),
        (lambda z: 3 * z, "probabilities are too moderate"),
    ],
)
@each("start", [0, 300])
def test_a_change_gives_an_alarm_and_says_what_it_is(change, finding, start):
    p, y = stream(start + 500, 1, change, start)
    monitor = CalibrationMonitor().update(p[:start], y[:start])
    assert monitor.p_value > 0.05
    assert monitor.update(p[start:], y[start:]).p_value < 0.001
    assert monitor.finding == finding
    display = MartingaleDisplay.from_test(monitor, ax=Figure().subplots())
    assert start < display.first_ < start + 400


def test_batches_and_saved_monitors_go_on():
    p, y = stream(300, 2, lambda z: z / 2)
    whole, parts, saved = (
        CalibrationMonitor().update(p, y),
        CalibrationMonitor(),
        CalibrationMonitor(),
    )
    for i in range(0, 300, 50):
        parts.update(p[i : i + 50], np.reshape(y[i : i + 50], (-1, 1)))  # as in a data frame
        saved = CalibrationMonitor.from_dict(json.loads(json.dumps(saved.to_dict())))
        saved.update(p[i : i + 50], y[i : i + 50])
    np.testing.assert_allclose(parts.log_values, whole.log_values, rtol=1e-10)
    np.testing.assert_allclose(saved.log_values, whole.log_values[250:], rtol=1e-10)
    assert saved.p_value == pytest.approx(whole.p_value)
    assert saved.finding == whole.finding
    one = CalibrationMonitor().update(p[0], y[0]).update([], [])
    assert one.log_values[0] == pytest.approx(whole.log_values[0])
    for row in ([1 - p[0], p[0]], [[1 - p[0], p[0]]], [p[0]]):  # as predict_proba gives one
        alone = CalibrationMonitor().update(row, y[0])
        np.testing.assert_allclose(alone.log_values, one.log_values)
    assert repr(whole).startswith("CalibrationMonitor: capital ")


def test_classes_of_a_model_and_beliefs():
    p, y = stream(200, 3)
    names = np.array(["no", "yes"])
    model = LogisticCalibrator().fit(p, names[y])
    m = model.predict_mass(p)
    by_model = CalibrationMonitor(model).update(m, names[y])
    plain = CalibrationMonitor().update(model.predict_proba(p)[:, 1], y)
    np.testing.assert_allclose(by_model.log_values, plain.log_values, rtol=1e-9)
    by_frame = CalibrationMonitor().update(m, names[y])
    np.testing.assert_allclose(by_frame.log_values, plain.log_values, rtol=1e-9)
    three = MassFunction(Frame(["a", "b", "c"]), [1, 2, 4], np.full((60, 3), 1 / 3))
    monitor = CalibrationMonitor().update(three, ["b"] * 60)
    assert (monitor.p_value < 0.001, monitor.finding) == (
        True,
        "class b is likelier than predicted",
    )


def test_impossible_classes_give_a_large_and_finite_capital():
    monitor = CalibrationMonitor().update([0.0, 1.0, 0.0], [1, 0, 1])
    assert np.isfinite(monitor.log_values).all()
    assert monitor.p_value < 1e-6
    calm = CalibrationMonitor().update([0.0, 1.0] * 50, [0, 1] * 50)
    assert calm.p_value > 0.9


def test_bad_input():
    monitor = CalibrationMonitor().update([0.5, 0.2], [0, 1])
    before = monitor.to_dict()
    for p, y, message in (
        ([0.5, np.nan], [0, 1], r"y_prob\[1\] is nan"),
        ([0.5, 1.2], [0, 1], r"y_prob\[1\] is 1.2"),
        ([0.5, 0.2], [0, 2], "y_true"),
        ([0.5, 0.2], [0], "2"),
        ([[0.2, 0.3, 0.5]], [1], "expected 3 distinct labels"),
    ):
        with pytest.raises(ValueError, match=message):
            monitor.update(p, y)
    assert monitor.to_dict() == before
    with pytest.raises(TypeError, match="expected a fitted classifier"):
        CalibrationMonitor(LogisticCalibrator)
    with pytest.raises(ValueError, match=r"y holds 'a', but without a model .*\(model\) to name"):
        CalibrationMonitor().update([0.5], ["a"])
    for broken in ({}, {**before, "shares": [1.0, 2.0]}, {**before, "shares": [np.nan] * 7}):
        with pytest.raises(ValueError, match="monitor"):
            CalibrationMonitor.from_dict(broken)
