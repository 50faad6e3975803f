"""Converters for skl2onnx: classifiers of this package as steps of any scikit-learn pipeline.

skl2onnx asks a registered function for the graph of each step. It gets the graph that `to_onnx`
writes, for the features and the version of operators that the whole pipeline has.
"""

from typing import Any

from dstheory.optional import require
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.export._classifiers import classifier_model
from evical.export._graph import DOUBLE, FLOAT, INT64, label_type

__all__ = ["register_converters"]


def register_converters() -> None:
    """Make `EvidentialClassifier` and `EvidentialEnsemble` known to skl2onnx.

    ``skl2onnx.to_onnx`` and ``convert_sklearn`` then convert pipelines and searches that end in
    one, with the outputs ``label``, ``probabilities`` and ``beliefs`` of `evical.export.to_onnx`.
    Call it once, before the conversion.

    Raises
    ------
    ModuleNotFoundError
        If skl2onnx is not installed (extra ``onnx``).

    Examples
    --------
    >>> from evical import EvidentialClassifier
    >>> from skl2onnx import to_onnx
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> pipeline = make_pipeline(StandardScaler(), EvidentialClassifier(LogisticRegression(), cv=2))
    >>> register_converters()
    >>> [output.name for output in to_onnx(pipeline.fit(X, y), X[:1]).graph.output]
    ['label', 'probabilities', 'beliefs']
    """
    require("skl2onnx", "register_converters")
    from skl2onnx import update_registered_converter

    for kind in (EvidentialClassifier, EvidentialEnsemble):
        update_registered_converter(
            kind,
            f"Evical{kind.__name__}",
            _shapes,
            _convert,
            parser=_parse,
            options={"zipmap": [False]},  # outputs are plain tables
        )


def _parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:
    """Declare the step with its outputs."""
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType, StringTensorType

    operator = scope.declare_local_operator(f"Evical{type(model).__name__}", model)
    operator.inputs = inputs
    whole = label_type(model.classes_) == INT64
    kinds = {
        "label": (Int64TensorType if whole else StringTensorType)(),
        "probabilities": DoubleTensorType(),
        "beliefs": DoubleTensorType(),
    }
    for name, kind in kinds.items():
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return list(operator.outputs)


def _shapes(operator: Any) -> None:
    """Sizes of the outputs."""
    k = len(operator.raw_operator.classes_)
    label, probabilities, beliefs = (output.type for output in operator.outputs)
    label.shape, probabilities.shape = [None], [None, k]
    beliefs.shape = [None, 3] if k == 2 else [None, k, 3]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Append the graph of a classifier.

    Raises ValueError or TypeError for what cannot be exported.
    """
    from skl2onnx.common.data_types import DoubleTensorType, StringTensorType
    from skl2onnx.helpers import add_onnx_graph

    features = operator.inputs[0]
    if len(operator.inputs) > 1 or isinstance(features.type, StringTensorType):
        names = ", ".join(repr(column.raw_name) for column in operator.inputs)
        name = type(operator.raw_operator).__name__
        raise ValueError(
            f"{name} gets the inputs {names}, but its graph takes one table of numbers; put it "
            f"behind the steps that read them, make_pipeline(..., {name}(...))"
        )
    kind = DOUBLE if isinstance(features.type, DoubleTensorType) else FLOAT
    opset = container.target_opset_any_domain("")
    model = classifier_model(operator.raw_operator, kind, opset)
    add_onnx_graph(scope, operator, container, model)
