"""Classifiers of scikit-learn in graphs: skl2onnx converts them, and their scores are read.

What a calibrator reads is what `EvidentialClassifier` gives it: a decision function, probabilities,
or log-odds of these.
"""

from itertools import product
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from evical.estimators.calibrated import score_scale
from evical.export._graph import DOUBLE, FLOAT
from evical.export._tensor import Tensor, log, maximum, minimum

__all__ = ["scores_of"]


def scores_of(estimator: Any, calibrator: Any, features: Tensor) -> Tensor:
    """Scores (n, 1) of two classes, or (n, K), from features (n, p), as the calibrator reads them.

    Raises ValueError for a classifier that skl2onnx does not convert.
    """
    while isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    classes, scale = calibrator.classes_, score_scale(calibrator)
    decides = hasattr(estimator, "decision_function")
    # As `class_scores` does: of more than two classes probabilities come first if given.
    given = scale == "given" and (not decides or len(classes) > 2)
    unit = hasattr(estimator, "predict_proba") and (given or scale == "probability")
    raw = decides and not unit
    table = _converted(features, estimator, raw)
    order = _order(estimator, len(classes))
    scores = table.columns(order)
    return scores if raw or unit else _log_odds(scores)


def _order(estimator: Any, k: int) -> list[int]:
    """Columns of the converted classifier, in the order of the sorted classes."""
    if k == 2:
        return [-1]
    places: list[int] = np.argsort(estimator.classes_, kind="stable").tolist()
    return places


def _log_odds(probability: Tensor) -> Tensor:
    """Log-odds of probabilities that are kept from 0 and 1 by the spacing of floats."""
    eps = float(np.finfo(np.float64).eps)
    inside = minimum(maximum(probability, eps), 1.0 - eps)
    return log(inside) - log(1.0 - inside)


def _converted(features: Tensor, estimator: Any, raw: bool) -> Tensor:
    """Scores or probabilities (n, c) of a converted classifier.

    Some converters know 32-bit features only.
    """
    graph = features.graph
    model, kind, reason = _first(estimator, raw, graph.opsets)
    if model is not None:
        read = features.name if kind == DOUBLE else graph.cast(features.name, FLOAT)
        found = Tensor(graph, graph.append(model, read)).reshape(0, -1)
        return Tensor(graph, graph.cast(found.name, DOUBLE))
    last = _last(estimator)
    if last is not estimator and _first(last, raw, graph.opsets)[0] is not None:
        name = type(last).__name__
        raise ValueError(
            f"skl2onnx converts {name}, but not the steps before it from one table of numbers "
            f"({reason}); if they read columns by name or texts, put EvidentialClassifier behind "
            f"them, make_pipeline(..., EvidentialClassifier({name}(...))), which skl2onnx converts "
            "after register_converters()"
        )
    raise ValueError(
        f"skl2onnx does not convert {type(estimator).__name__} ({reason}); export the calibrator "
        "alone, and compute the scores elsewhere"
    )


def _first(estimator: Any, raw: bool, opsets: dict[str, int]) -> tuple[Any, int, str]:
    """The first conversion that works, with the type of its features; or None, and why."""
    # Without ZipMap outputs are plain tables, and some have none to leave out.
    for kind, options in product((DOUBLE, FLOAT), ({"zipmap": False}, {})):
        try:
            asked = {**options, **({"raw_scores": True} if raw else {})}
            return _model(estimator, asked, kind, opsets), kind, ""
        except _refusals() as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return None, FLOAT, reason


def _last(estimator: Any) -> Any:
    """The classifier at the end of pipelines and searches."""
    if isinstance(estimator, Pipeline):
        return _last(estimator.steps[-1][1])
    best = getattr(estimator, "best_estimator_", None)
    return estimator if best is None else _last(best)


def _refusals() -> tuple[type[Exception], ...]:
    """What converters raise, each its own, and what says that their graph is wrong."""
    import onnx

    own = (onnx.checker.ValidationError, onnx.shape_inference.InferenceError)
    return (*own, AttributeError, LookupError, NameError, RuntimeError, TypeError, ValueError)


def _model(estimator: Any, options: dict[str, bool], kind: int, opsets: dict[str, int]) -> Any:
    """The converted classifier, checked: its last output has scores or probabilities."""
    import onnx
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    tensor = DoubleTensorType if kind == DOUBLE else FloatTensorType
    model = convert_sklearn(
        estimator,
        initial_types=[("X", tensor([None, estimator.n_features_in_]))],
        options={id(_last(estimator)): options},
        target_opset=opsets,
    )
    for value in model.graph.output:  # some converters state a wrong number of columns
        for size in value.type.tensor_type.shape.dim:
            size.Clear()
    onnx.checker.check_model(model, full_check=True)
    if not model.graph.output[-1].type.HasField("tensor_type"):
        raise TypeError("its scores are no table")
    return model
