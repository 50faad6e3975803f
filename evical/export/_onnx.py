"""ONNX: calibrators and classifiers as graphs of standard operators, for any runtime.

Converters for skl2onnx: classifiers of this package as steps of any scikit-learn pipeline.

skl2onnx asks a registered function for the graph of each step. It gets the graph that `to_onnx`
writes, for the features and the version of operators that the whole pipeline has.
"""

from typing import Any, Literal

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import check_choice, check_flag, check_level
from dstheory.optional import require
from evical._versions import version_of
from evical.calibrators import BaseCalibrator
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.export._classifiers import classifier_model
from evical.export._compile import compiled
from evical.export._graph import DEGREE, DOUBLE, FLOAT, INT64, Graph, label_type
from evical.export._inputs import check_binary, check_size, columns_of, heading
from evical.export._multiclass import binary_beliefs, multiclass_beliefs
from evical.export._table import PieceTable
from evical.export._tensor import Tensor
from evical.fused import EvidentialFusion
from evical.multiclass import BaseMulticlassCalibrator


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


def to_onnx(
    model: Any,
    max_bytes: int | None = 1_000_000,
    *,
    dtype: Literal["float64", "float32"] = "float64",
    class_columns: bool = False,
    level: float | None = None,
) -> Any:
    """A graph that predicts.

    Parameters
    ----------
    model : fitted calibrator, EvidentialClassifier, EvidentialEnsemble or EvidentialFusion
        A calibrator of one score, or of many classes; a classifier that skl2onnx can convert; an
        ensemble of such; or a fusion of sources. See Notes for those that are closed formulas.
    max_bytes : int, optional
        How large the graph of a calibrator may be; None for any size.
    dtype : {"float64", "float32"}
        Of the input. Runtimes take no other: a graph for float64 refuses ``tensor(float)``. All
        formulas compute in 64 bits, so float32 is for inputs that are float32 anyway; rounding
        others to it may move them over a step.
    class_columns : bool
        Whether there is an output for each class and number instead of ``beliefs``, with the names
        that `predict_table` gives to columns.
    level : float, optional
        Of confidence intervals of the probabilities, see `predict_interval`: five numbers instead
        of three.

    Returns
    -------
    onnx.ModelProto
        Of a calibrator: from ``scores``, a tensor (n, 1), to ``beliefs``, a tensor (n, 3) of
        doubles: belief, plausibility and probability of the positive class. Of K classes, more than
        two, from (n, K) to (n, K, 3). They are NaN where a score is NaN, infinite, or none that the
        calibrator takes. Of a classifier or ensemble: from ``X`` (n, n_features) to ``label`` (a
        whole number if all classes are, otherwise its text), ``probabilities`` (n, K) and
        ``beliefs``, which are ``predict_interval`` and then ``predict_proba``. Of a fusion: the
        same outputs, from an input for each source with its name: probabilities (n, K), rows of NaN
        where it is not available; votes (n,), of which labels that are none of the classes, such as
        -1 or an empty text, are not votes; or scores (n,). With `class_columns`, ``beliefs``
        becomes columns (n,) such as ``bel_no``, ``pl_no``, ``p_no``, ``bel_yes``, ``pl_yes`` and
        ``p_yes``.

    Raises
    ------
    ModuleNotFoundError
        If onnx is not installed, or for a classifier skl2onnx (extra ``onnx``).
    TypeError
        If `model` is none of these. Pipelines that end in one are converted by skl2onnx, see
        `register_converters`.
    ValueError
        If the graph is too large, a classifier cannot be converted, such as one that reads columns
        by name, or a calibrator of many classes, a code, a coupling or a rule has no closed
        formula; if columns of classes would have the same name.
    ConvergenceError
        If no polynomials are that accurate.
    sklearn.exceptions.NotFittedError
        Before `fit`.

    Notes
    -----
    Steps and lines are exact to the last digits, as in `AutoCalibrator`, and so are ensembles of
    the default options. Other curves have an error of at most 1e-7, which the description of the
    graph states. Dempster's rule, of members or of one-vs-rest columns, divides errors by the
    agreement, one less the conflict; where fused probabilities jump, an error may move the jump.
    Errors of the converted classifier come in addition. In total conflict beliefs are NaN, or
    vacuous by `total_conflict` of the ensemble.

    Closed formulas are: of many classes `AutoMulticlassCalibrator` (but for "confidence"),
    `OneVsRestCalibrator`, `SoftmaxCalibrator`, `ShallowNetCalibrator`, structured scaling of the
    model "bayesian", and binary calibrators of each class; the coupling "normalize"; the rules
    "stacked", "consensus" and means of mass functions for any number of classes, and for two
    classes "dempster", "discounted", "contextually_discounted", "disjunctive", "yager",
    "valid_mean" and "valid_minimum". Members may be `EvidentialSource`, but not of merged classes.
    A fusion of sources has the rule "stacked" or "consensus", which read probabilities alone; of
    mass functions these are the pignistic ones.

    Examples
    --------
    >>> from evical.calibrators import BinningCalibrator
    >>> fitted = BinningCalibrator(n_bins=2, model="dempster")
    >>> fitted = fitted.fit([0.0, 0.25, 0.75, 1.0], [0, 0, 0, 1])
    >>> graph = to_onnx(fitted).graph
    >>> [value.name for value in (*graph.input, *graph.output)]
    ['scores', 'beliefs']
    """
    require("onnx", "an export to ONNX")
    check_choice("dtype", dtype, ("float64", "float32"))
    check_flag("class_columns", class_columns)
    if level is not None:
        check_level("level", level)
    if isinstance(model, Pipeline):
        raise TypeError(
            "model is a Pipeline, which skl2onnx converts: call register_converters(), then "
            "skl2onnx.to_onnx(pipeline, X[:1])"
        )
    kind = DOUBLE if dtype == "float64" else FLOAT
    if isinstance(model, EvidentialClassifier | EvidentialEnsemble | EvidentialFusion):
        return classifier_model(model, kind, class_columns=class_columns, level=level)
    if isinstance(model, BaseMulticlassCalibrator):
        check_is_fitted(model)
        columns = columns_of(model.classes_)
        note = f"{type(model).__name__} of evical {version_of('evical')}: {columns}"
        found = _named_model(model, note, kind, class_columns, level)
        extent = f"{len(model.classes_)} classes"
    else:
        check_binary(model)
        table = compiled(model, DEGREE, lines=True, level=level)
        note = heading(model, table)
        if class_columns:
            found = _named_model(model, note, kind, class_columns, level)
        else:
            found = onnx_model(table, note, kind)
        extent = f"{len(table)} pieces"
    check_size(found.ByteSize(), max_bytes, "graph", extent)
    return found


def onnx_model(table: PieceTable, note: str, kind: int = DOUBLE) -> Any:
    """The graph of a table, from scores of a type."""
    graph = Graph()
    graph.add("Identity", [graph.beliefs(table, graph.doubles("scores", kind))], "beliefs")
    outputs = {"beliefs": (DOUBLE, [None, max(3, len(table.coefficients))])}
    return graph.model({"scores": (kind, [None, 1])}, outputs, note)


def _named_model(
    calibrator: BaseCalibrator | BaseMulticlassCalibrator,
    note: str,
    kind: int,
    class_columns: bool,
    level: float | None,
) -> Any:
    """The graph of a calibrator of a score for each class, or of one score with named columns."""
    graph = Graph(level=level)
    scores = Tensor(graph, graph.doubles("scores", kind))
    one = isinstance(calibrator, BaseCalibrator)
    beliefs = binary_beliefs(calibrator, scores) if one else multiclass_beliefs(calibrator, scores)
    outputs = beliefs.outputs(calibrator.classes_, class_columns)
    size = 1 if one else calibrator.n_features_in_
    return graph.model({"scores": (kind, [None, size])}, outputs, note)
