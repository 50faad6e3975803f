"""Classifiers and ensembles as ONNX: one graph from features to beliefs.

skl2onnx converts the classifiers; the tables and formulas of their calibrators, and of the rule
that combines them, are appended.
"""

from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dstheory.optional import require
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.estimators.calibrated import CalibratedBinary, CalibratedColumns, CalibratedMulticlass
from evical.estimators.partial import of_columns
from evical.estimators.rules import plain
from evical.export._convert import scores_of
from evical.export._graph import DOUBLE, Graph, label_type
from evical.export._multiclass import binary_told, multiclass_told, sides_of, silence_of
from evical.export._one_vs_rest import normalized_columns
from evical.export._rules import combined
from evical.export._stacked import Source, stacked
from evical.export._tensor import Tensor, joined, where
from evical.export._told import Told, mean_told
from evical.fusion import Stacked
from evical.source import EvidentialSource

__all__ = ["classifier_model"]


def classifier_model(
    classifier: EvidentialClassifier | EvidentialEnsemble,
    kind: int = DOUBLE,
    opset: int = 15,
    *,
    class_columns: bool = False,
) -> Any:
    """The graph of a fitted classifier, or of an ensemble of such, from features of a type.

    Raises ValueError or TypeError for what cannot be exported.
    """
    require("skl2onnx", "an export of a classifier to ONNX")
    check_is_fitted(classifier)
    graph = Graph(opset)
    told = classified(classifier, Tensor(graph, graph.doubles("X", kind)))
    k = len(classifier.classes_)
    many, betp = k > 2, told.betp
    everything = betp if many else joined([1.0 - betp, betp])
    graph.add("Identity", [everything.name], "probabilities")
    beliefs = told.outputs(classifier.classes_, class_columns)
    graph.label(betp.name, classifier.classes_, "label")
    whose = "each class" if many else f"class {classifier.classes_.tolist()[1]!r}"
    return graph.model(
        {"X": (kind, [None, classifier.n_features_in_])},
        {
            "label": (label_type(classifier.classes_), [None]),
            "probabilities": (DOUBLE, [None, k]),
            **beliefs,
        },
        f"{type(classifier).__name__}: bel, pl, betp of {whose}",
    )


def classified(classifier: Any, features: Tensor) -> Told:
    """Beliefs of a fitted classifier or ensemble from features (n, p)."""
    if isinstance(classifier, EvidentialEnsemble):
        return _fused(classifier, features)
    if isinstance(classifier, EvidentialSource):
        return _of_source(classifier, features)
    parts = [_part(pair, features) for pair in _pairs(classifier)]
    return mean_told(parts, [1 / len(parts)] * len(parts))


def _fused(ensemble: EvidentialEnsemble, features: Tensor) -> Told:
    members = [plain(member) for member in ensemble.estimators_]
    for member in members:
        if not isinstance(member, EvidentialClassifier | EvidentialEnsemble | EvidentialSource):
            raise TypeError(
                f"a member is a {type(member).__name__}, and an export takes EvidentialClassifier, "
                "EvidentialEnsemble and EvidentialSource"
            )
    rule = ensemble.fusion_
    if isinstance(rule, Stacked):
        return stacked(rule, [_source(member, features) for member in members])
    told = [classified(member, features) for member in members]
    return combined(rule, told, len(ensemble.classes_), ensemble.total_conflict)


def _source(member: Any, features: Tensor) -> Source:
    """What a fusion of evidence reads of a member, to a share of the smaller probability."""
    if isinstance(member, EvidentialSource):
        own, missing = _seen(member, features)
        inner = _source(plain(member.estimator_), own)
        either = [flag for flag in (inner.silent, missing) if flag is not None]
        return Source(inner.probabilities, reduce(or_, either) if either else None)
    if len(member.classes_) > 2 or isinstance(member, EvidentialEnsemble):
        betp = classified(member, features).betp
        return Source(betp if len(member.classes_) > 2 else joined([1.0 - betp, betp]), None)
    pairs = _pairs(member)
    sides: list[Tensor] = []
    flags: list[Tensor | None] = []
    for pair in pairs:
        if isinstance(pair, CalibratedBinary):
            scores = scores_of(pair.estimator, pair.calibrator, features)
            sides.append(sides_of(pair.calibrator, scores))
            flags.append(silence_of(pair.calibrator, scores))
        else:
            betp = _part(pair, features).betp
            sides.append(joined([1.0 - betp, betp]))
            flags.append(None)
    probabilities = _mean(sides)
    known = [flag for flag in flags if flag is not None]
    silent = _mean(known).equals(1.0) if len(known) == len(flags) else None
    return Source(probabilities, silent)


def _of_source(source: EvidentialSource, features: Tensor) -> Told:
    """Beliefs of a classifier on some columns, vacuous where these are missing."""
    own, missing = _seen(source, features)
    told = classified(plain(source.estimator_), own)
    if missing is None:
        return told
    vacuous = (0.0, 1.0, 1 / len(source.classes_))
    return Told(*(where(missing, other, part) for part, other in zip(told, vacuous, strict=True)))


def _seen(source: EvidentialSource, features: Tensor) -> tuple[Tensor, Tensor | None]:
    """Columns (n, p) that a source sees, and where (n, 1) it is silent, if it may be."""
    if source.merged_ is not None:
        raise ValueError(
            "a member merges classes, EvidentialSource(coarsening=), and an export takes members "
            "that tell all of them apart"
        )
    own = features if source.columns_ is None else features.columns(_places(source))
    if source._silence is None:
        return own, None
    missing = own.is_nan().numbers()
    found = missing.max(axis=1) if source._silence == "any" else missing.prod(axis=1)
    return own, found.truths()


def _places(source: EvidentialSource) -> list[int]:
    """Numbers of the columns that a source sees."""
    names = getattr(source, "feature_names_in_", np.empty(0)).tolist()
    wanted = source.columns_
    listed = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(listed, list | tuple) and listed and isinstance(listed[0], str):
        return [names.index(name) for name in listed]
    numbers = np.arange(source.n_features_in_)[np.newaxis]
    places: list[int] = np.ravel(of_columns(numbers, wanted)).tolist()
    return places


def _mean(parts: list[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total * (1 / len(parts)) if len(parts) > 1 else total


def _pairs(classifier: EvidentialClassifier) -> list[Any]:
    if classifier.probability != "pignistic":
        raise ValueError(
            f"probability is {classifier.probability!r}, and an export gives the pignistic one"
        )
    if classifier.calibrator == "latent":
        raise ValueError(
            "calibrator is 'latent', and an export takes calibrated scores; calibrate the "
            "classifier"
        )
    return classifier.calibrated_classifiers_


def _part(pair: Any, features: Tensor) -> Told:
    """Beliefs of a calibrated classifier."""
    if isinstance(pair, CalibratedBinary):
        return binary_told(pair.calibrator, scores_of(pair.estimator, pair.calibrator, features))
    if isinstance(pair, CalibratedMulticlass):
        return multiclass_told(
            pair.calibrator, scores_of(pair.estimator, pair.calibrator, features)
        )
    return _coupled(pair, features)


def _coupled(pair: CalibratedColumns, features: Tensor) -> Told:
    """Columns of the scores of one classifier, normalized; or the probability of two classes."""
    decoder, (first, *others) = pair.decoder, pair.members
    k = len(decoder.classes)
    if others or (k > 2 and decoder.coupling != "normalize"):
        raise ValueError(
            f"the classifier has {k} classes, the coupling {decoder.coupling!r} and a code of "
            f"{decoder.code.shape[1]} columns, and an export takes code='one_vs_rest' with the "
            "coupling None or 'normalize'"
        )
    if k == 2:
        betp = _part(first, features).betp
        return Told(betp, betp, betp)
    scores = scores_of(first.estimator, first.calibrator, features)
    columns = [
        binary_told(one, scores.columns([place])).betp
        for place, one in enumerate(first.calibrators)
    ]
    p = normalized_columns(joined(columns), k)
    return Told(p, p, p)
