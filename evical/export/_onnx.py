"""ONNX: calibrators and classifiers as graphs of standard operators, for any runtime."""

from typing import Any

from dstheory.kernels.arguments import check_count
from dstheory.optional import require
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.export._classifiers import classifier_model
from evical.export._compile import compiled
from evical.export._graph import DEGREE, DOUBLE, Graph
from evical.export._inputs import check_binary, heading
from evical.export._table import PieceTable

__all__ = ["onnx_model", "to_onnx"]


def to_onnx(model: Any, max_bytes: int | None = 1_000_000) -> Any:
    """A graph that predicts.

    Parameters
    ----------
    model : fitted calibrator, EvidentialClassifier or EvidentialEnsemble
        A calibrator of one score; a classifier of two classes that skl2onnx can convert; or an
        ensemble of such, fused by Dempster's rule.
    max_bytes : int, optional
        How large the graph of a calibrator may be; None for any size.

    Returns
    -------
    onnx.ModelProto
        Of a calibrator: from ``scores``, a tensor (n, 1) of doubles, to ``beliefs``, a tensor (n,
        3): belief, plausibility and pignistic probability of the positive class. They are NaN where
        the score is NaN, infinite, or none that the calibrator takes. The description of the graph
        states the error: none for steps, at most 1e-7 for curves. Of a classifier: from ``X`` (n,
        n_features) to ``label``, ``probabilities`` (n, 2) and ``beliefs``; the error of the
        converted classifier comes in addition. Dempster's rule divides errors by the agreement of
        the members, one less their conflict; in total conflict beliefs are NaN, or vacuous if the
        ensemble says so.

    Raises
    ------
    ModuleNotFoundError
        If onnx is not installed, or for a classifier skl2onnx (extra ``onnx``).
    TypeError
        If `model` is none of these.
    ValueError
        If the graph is too large; if a classifier has more classes, or cannot be converted; if an
        ensemble has another rule.
    ConvergenceError
        If no polynomials are that accurate.
    sklearn.exceptions.NotFittedError
        Before `fit`.

    Examples
    --------
    >>> from evical.calibrators import BinningCalibrator
    >>> fitted = BinningCalibrator(2, model="dempster").fit([0.0, 0.25, 0.75, 1.0], [0, 0, 0, 1])
    >>> graph = to_onnx(fitted).graph
    >>> [value.name for value in (*graph.input, *graph.output)]
    ['scores', 'beliefs']
    """
    require("onnx", "an export to ONNX")
    if isinstance(model, EvidentialClassifier | EvidentialEnsemble):
        return classifier_model(model)
    check_binary(model)
    table = compiled(model, DEGREE)
    found = onnx_model(table, heading(model, table))
    if max_bytes is not None and found.ByteSize() > check_count("max_bytes", max_bytes, 1):
        raise ValueError(
            f"the graph has {found.ByteSize()} bytes for {len(table)} pieces, and max_bytes is "
            f"{max_bytes}; permit more, or fit the calibrator to fewer distinct scores "
            "(ScoreCounts.compress)"
        )
    return found


def onnx_model(table: PieceTable, note: str) -> Any:
    """The graph of a table."""
    graph = Graph()
    graph.add("Identity", [graph.beliefs(table, "scores")], "beliefs")
    return graph.model({"scores": (DOUBLE, [None, 1])}, {"beliefs": (DOUBLE, [None, 3])}, note)
