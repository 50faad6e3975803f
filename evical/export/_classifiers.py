"""Classifiers as ONNX: one graph from features to beliefs.

skl2onnx converts the classifier, and the tables of its calibrators are appended. Ensembles of two
classes are joined by Dempster's rule, which multiplies plausibilities, and what they leave open.
"""

from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dstheory.combine import dempster
from dstheory.optional import require
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.estimators.calibrated import CalibratedBinary, score_scale
from evical.estimators.rules import plain
from evical.export._compile import compiled
from evical.export._graph import DEGREE, DOUBLE, FLOAT, OPSETS, Graph, label_type

__all__ = ["classifier_model"]


def classifier_model(classifier: EvidentialClassifier | EvidentialEnsemble) -> Any:
    """The graph of a fitted classifier of two classes, or of an ensemble of such.

    Raises ValueError or TypeError for what cannot be exported.
    """
    require("skl2onnx", "an export of a classifier to ONNX")
    check_is_fitted(classifier)
    graph = Graph()
    if isinstance(classifier, EvidentialEnsemble):
        beliefs = _fused(graph, classifier)
    else:
        beliefs = _classified(graph, classifier)
    return _finished(graph, beliefs, classifier)


def _fused(graph: Graph, ensemble: EvidentialEnsemble) -> str:
    """Beliefs by Dempster's rule."""
    if ensemble.fusion_ is not dempster:
        raise ValueError(
            f"rule is {ensemble.rule!r}, and an export takes 'dempster'; fit the ensemble with it, "
            "or export its members one by one"
        )
    members = [plain(member) for member in ensemble.estimators_]
    for member in members:
        if not isinstance(member, EvidentialClassifier):
            raise TypeError(
                f"a member is a {type(member).__name__}, and an export takes an "
                "EvidentialClassifier"
            )
    parts = [_classified(graph, member) for member in members]
    bel, pl = (
        graph.add("Concat", [graph.column(part, k) for part in parts], axis=1) for k in (0, 1)
    )
    one = graph.constant(np.float64(1.0))
    sides = [pl, graph.add("Sub", [one, bel]), graph.add("Sub", [pl, bel])]
    yes, no, unknown = (graph.add("ReduceProd", [side], axes=[1], keepdims=1) for side in sides)
    total = graph.add("Sub", [graph.add("Add", [yes, no]), unknown])
    lower = graph.add("Div", [graph.add("Sub", [yes, unknown]), total])
    fused = graph.with_mean(lower, graph.add("Div", [yes, total]))
    excluded = graph.add("Equal", [total, graph.constant(np.float64(0.0))])
    instead = [0.0, 1.0, 0.5] if ensemble.total_conflict == "vacuous" else [np.nan] * 3
    return graph.add("Where", [excluded, graph.constant(np.array([instead])), fused])


def _classified(graph: Graph, classifier: EvidentialClassifier) -> str:
    """Mean beliefs of all pairs of a classifier and a calibrator."""
    if len(classifier.classes_) > 2:
        raise ValueError(
            f"the classifier has {len(classifier.classes_)} classes, and an export takes two; "
            "export a classifier of each class against the rest"
        )
    if classifier.probability != "pignistic":
        raise ValueError(
            f"probability is {classifier.probability!r}, and an export gives the pignistic one"
        )
    pairs = [p for p in classifier.calibrated_classifiers_ if isinstance(p, CalibratedBinary)]
    found = [_part(graph, pair) for pair in pairs]
    if len(found) == 1:
        return found[0]
    total = reduce(lambda one, other: graph.add("Add", [one, other]), found)
    return graph.add("Div", [total, graph.constant(np.float64(len(found)))])


def _part(graph: Graph, pair: CalibratedBinary) -> str:
    """Beliefs of one calibrated classifier."""
    estimator, calibrator = pair.estimator, pair.calibrator
    while isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    scale = score_scale(calibrator)
    raw = hasattr(estimator, "decision_function") and scale != "probability"
    scores = graph.column(_converted(graph, estimator, raw), -1)
    if not raw and scale == "any":
        scores = graph.log_odds(scores)
    return graph.beliefs(compiled(calibrator, DEGREE), scores)


def _converted(graph: Graph, estimator: Any, raw: bool) -> str:
    """Append the converted classifier; the name of its scores or probabilities.

    Some converters know 32-bit features only.
    """
    # Without ZipMap outputs are plain tables, and some have none to leave out.
    for kind, options in product((DOUBLE, FLOAT), ({"zipmap": False}, {})):
        try:
            model = _model(estimator, {**options, **({"raw_scores": True} if raw else {})}, kind)
        except _refusals() as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        else:
            return graph.append(model, "X" if kind == DOUBLE else graph.cast("X", FLOAT))
    raise ValueError(
        f"skl2onnx does not convert {type(estimator).__name__} ({reason}); export the calibrator "
        "alone, and compute the scores elsewhere"
    )


def _refusals() -> tuple[type[Exception], ...]:
    """What converters raise, each its own, and what says that their graph is wrong."""
    import onnx

    own = (onnx.checker.ValidationError, onnx.shape_inference.InferenceError)
    return (*own, AttributeError, LookupError, NameError, RuntimeError, TypeError, ValueError)


def _model(estimator: Any, options: dict[str, bool], kind: int) -> Any:
    """The converted classifier, checked: its last output has scores or probabilities."""
    import onnx
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    last = estimator
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    tensor = DoubleTensorType if kind == DOUBLE else FloatTensorType
    model = convert_sklearn(
        estimator,
        initial_types=[("X", tensor([None, estimator.n_features_in_]))],
        options={id(last): options},
        target_opset=dict(OPSETS),
    )
    for value in model.graph.output:  # some converters state a wrong number of columns
        for size in value.type.tensor_type.shape.dim:
            size.Clear()
    onnx.checker.check_model(model, full_check=True)
    if not model.graph.output[-1].type.HasField("tensor_type"):
        raise TypeError("its scores are no table")
    return model


def _finished(graph: Graph, beliefs: str, classifier: Any) -> Any:
    """The model, with the outputs that converted classifiers have, and beliefs."""
    betp = graph.column(beliefs, 2)
    rest = graph.add("Sub", [graph.constant(np.float64(1.0)), betp])
    graph.add("Concat", [rest, betp], "probabilities", axis=1)
    graph.add("Identity", [beliefs], "beliefs")
    graph.label(betp, classifier.classes_, "label")
    name, positive = type(classifier).__name__, classifier.classes_.tolist()[1]
    return graph.model(
        {"X": (DOUBLE, [None, classifier.n_features_in_])},
        {
            "label": (label_type(classifier.classes_), [None]),
            "probabilities": (DOUBLE, [None, 2]),
            "beliefs": (DOUBLE, [None, 3]),
        },
        f"{name}: bel, pl, betp of class {positive!r}",
    )
