"""ONNX, executed by onnxruntime."""

import importlib.util

import numpy as np
import onnx
import onnxruntime
import pytest

from evical.calibrators import (
    AsymmetricLaplaceCalibrator,
    AutoCalibrator,
    BinningCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    PiecewiseLogisticCalibrator,
)
from evical.export import to_onnx
from evical.export._compile import compiled
from tests.evical.export.exported import check
from tests.protocols.calibrators_table import samples


def in_onnxruntime(model, **inputs):
    """The outputs of a valid model, by name."""
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs), strict=True))


def beliefs(model, scores):
    return in_onnxruntime(model, scores=np.asarray(scores, dtype=np.float64)[:, None])["beliefs"]


def test_the_graph_has_polynomials_of_low_degree():
    calibrator = LogisticCalibrator().fit(*samples())
    table, scores = compiled(calibrator, 3), np.linspace(-9, 9, 5000)
    assert table.degree == 3
    model = to_onnx(calibrator)
    check(beliefs(model, scores), calibrator, table, scores)
    assert f"{len(table)} pieces" in model.graph.doc_string


def test_a_slope_that_is_steep_for_floats_is_not_steps():
    """Between two neighbors among floats of 1e9 it rises by more than rounding does."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=300)
    y = rng.random(300) < 1 / (1 + np.exp(-2 * scores))
    calibrator = PiecewiseLogisticCalibrator().fit(scores + 1e9, y)
    between = np.linspace(-3, 3, 500) + 1e9
    np.testing.assert_allclose(
        compiled(calibrator)(between)[2], calibrator.predict_proba(between)[:, 1], rtol=0, atol=1e-7
    )


def test_a_curve_with_one_bend():
    scores = np.minimum(np.random.default_rng(0).normal(size=60), 0.0)
    calibrator = AsymmetricLaplaceCalibrator().fit(scores, np.arange(60) % 2)
    table, at = compiled(calibrator), np.linspace(-3, 1, 99)
    np.testing.assert_allclose(table(at)[2], calibrator.predict_proba(at)[:, 1], rtol=0, atol=1e-7)


def test_a_line_of_log_odds_is_its_formula():
    """Platt's sigmoid has no pieces."""
    calibrator = LogisticCalibrator(model="bayesian").fit(*samples())
    model = to_onnx(calibrator)
    kinds = {node.op_type for node in model.graph.node}
    assert "Sigmoid" in kinds
    assert "TreeEnsembleRegressor" not in kinds
    scores = np.concatenate([np.linspace(-40, 40, 999), [1e300, -1e300, 1e5, 0.0]])
    table = compiled(calibrator, 3, lines=True)
    check(beliefs(model, scores), calibrator, table, scores)
    assert (
        np.abs(beliefs(model, scores)[:, 2] - calibrator.predict_proba(scores)[:, 1]).max() < 1e-14
    )
    assert np.isnan(beliefs(model, [np.nan, np.inf, -np.inf])).all()


def test_lines_are_exact():
    calibrator = AutoCalibrator().fit(*samples())
    table, scores = compiled(calibrator, 3, lines=True), np.linspace(-9, 9, 5000)
    assert table.degree == 1
    found = beliefs(to_onnx(calibrator), scores)
    assert np.abs(found[:, :2] - calibrator.predict_interval(scores)).max() < 1e-14


def test_what_is_no_score_is_nan():
    model = to_onnx(IsotonicCalibrator().fit(*samples()))
    found = beliefs(model, [np.nan, np.inf, -np.inf, 0.5])
    np.testing.assert_array_equal(np.isnan(found), [[True] * 3] * 3 + [[False] * 3])
    assert beliefs(model, []).shape == (0, 3)


def test_one_piece():
    """Scores that say nothing: a tree of one leaf."""
    model = to_onnx(BinningCalibrator(n_bins=1).fit(*samples()))
    assert np.unique(beliefs(model, [-5.0, 0.0, 5.0]), axis=0).shape == (1, 3)


def test_scores_of_extreme_size():
    """Powers of distances would leave the floats: they are scaled."""
    scores, y = samples()
    for unit in (1e-200, 1e200):
        calibrator = LogisticCalibrator(model="bayesian").fit(scores * unit, y)
        at = np.linspace(-4, 4, 99) * unit
        found = beliefs(to_onnx(calibrator), at)
        assert np.abs(found[:, 2] - calibrator.predict_proba(at)[:, 1]).max() <= 1e-7


def test_wrong_calls(monkeypatch):
    with pytest.raises(TypeError, match="calibrator is 3"):
        to_onnx(3)
    calibrator = BinningCalibrator().fit(*samples())
    with pytest.raises(ValueError, match=r"the graph has .* bytes for 10 pieces"):
        to_onnx(calibrator, max_bytes=100)
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "dstheory.optional.find_spec", lambda name: None if name == "onnx" else find(name)
    )
    with pytest.raises(ModuleNotFoundError, match="pip install onnx"):
        to_onnx(calibrator)
