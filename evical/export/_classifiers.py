"""Classifiers and ensembles as ONNX: one graph from features to beliefs.

skl2onnx converts the classifiers. What their calibrators read is appended, a decision function,
probabilities or log-odds of these, then the tables and formulas of the calibrators, and the formula
of the rule that combines them.
"""

from functools import reduce
from itertools import product
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dstheory.optional import require
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.estimators.calibrated import CalibratedColumns, CalibratedScores, score_scale
from evical.estimators.given import OfSource, Uncalibrated
from evical.estimators.partial import of_columns
from evical.estimators.predictor import plain
from evical.export._graph import DOUBLE, FLOAT, INT64, Graph, label_type
from evical.export._inputs import columns_of
from evical.export._multiclass import (
    binary_beliefs,
    multiclass_beliefs,
    normalized_columns,
    sides_of,
    silence_of,
)
from evical.export._stacked import Source, consensus, stacked
from evical.export._tensor import (
    BeliefTensors,
    Tensor,
    exp,
    joined,
    log,
    maximum,
    mean_beliefs,
    minimum,
    unless,
    where,
)
from evical.fused import EvidentialFusion, GivenScores
from evical.multiclass import BaseMulticlassCalibrator
from evical.scores.checks import label_list
from evical.source import EvidentialSource

Member = EvidentialClassifier | EvidentialEnsemble | EvidentialSource | Uncalibrated

_MEANS = "means ('mixing', 'size_mixture', 'likelihood_mixture')"
CLOSED = (
    f"'stacked', 'consensus' and {_MEANS}; of two classes also 'dempster', 'discounted', "
    "'contextually_discounted', 'disjunctive', 'yager', 'valid_mean' and 'valid_minimum'"
)


def _dempster(bel: Tensor, pl: Tensor, kept: Floats, total_conflict: str) -> BeliefTensors:
    """Plausibilities multiply, and what is left open.

    By logarithms up to the greater product, so that what is nearly impossible stays possible.
    """
    shares = np.atleast_2d(kept.T)  # of each class, or of both
    if (shares != 1).any():  # else what is far below 1 would be lost in the differences
        bel, pl = bel * shares[:1], 1.0 - (1.0 - pl) * shares[-1:]
    # Rounding may leave numbers a little below 0, which have no logarithm.
    logs = [log(maximum(part, 0.0)).sum(axis=1) for part in (pl, 1.0 - bel, pl - bel)]
    top = maximum(logs[0], logs[1])
    excluded = top.equals(-np.inf)
    yes, no, open_ = (exp(part - top) for part in logs)
    total = yes + no - open_
    lower, upper = (yes - open_) / total, yes / total
    return unless(excluded, (lower, upper, (lower + upper) * 0.5), 2, total_conflict)


def _yager(bel: Tensor, pl: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Conflict is ignorance."""
    yes, no, open_ = pl.prod(axis=1), (1.0 - bel).prod(axis=1), (pl - bel).prod(axis=1)
    return yes - open_, 1.0 - (no - open_)


def _disjunctive(bel: Tensor, pl: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """One of the sources is right, and nobody knows which."""
    return bel.prod(axis=1), 1.0 - (1.0 - pl).prod(axis=1)


def _valid_mean(bel: Tensor, pl: Tensor, count: int) -> tuple[Tensor, Tensor]:
    return _merged(*(values.mean(axis=1) * 2.0 for values in (pl, 1.0 - bel)))


def _valid_minimum(bel: Tensor, pl: Tensor, count: int) -> tuple[Tensor, Tensor]:
    return _merged(*(values.min(axis=1) * float(count) for values in (pl, 1.0 - bel)))


def _merged(yes: Tensor, no: Tensor) -> tuple[Tensor, Tensor]:
    """Plausibilities as merged p-values of both classes, the greater one raised to 1."""
    yes, no = minimum(yes, 1.0), minimum(no, 1.0)
    return 1.0 - where(yes.greater(no), no, 1.0), where(no.greater(yes), yes, 1.0)


# From the kind of a formula to its tensors.
_LEARNED = {"stacked": stacked, "consensus": consensus}  # of probabilities and silence
_OF_BOUNDS = {  # of Bel and Pl (n, S) of the positive one of two classes, and of S
    "disjunctive": _disjunctive,
    "yager": _yager,
    "valid_mean": _valid_mean,
    "valid_minimum": _valid_minimum,
}


def scores_of(
    estimator: BaseEstimator,
    calibrator: BaseCalibrator | BaseMulticlassCalibrator,
    features: Tensor,
) -> Tensor:
    """Scores (n, 1) of two classes, or (n, K), from features (n, p), as the calibrator reads them.

    Raises ValueError for a classifier that skl2onnx does not convert.
    """
    while isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    if isinstance(estimator, GivenScores):
        return features
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


def _order(estimator: BaseEstimator, k: int) -> list[int]:
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


def _converted(features: Tensor, estimator: BaseEstimator, raw: bool) -> Tensor:
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


def _first(estimator: BaseEstimator, raw: bool, opsets: dict[str, int]) -> tuple[Any, int, str]:
    """The first conversion that works, with the type of its features; or None, and why."""
    # Without ZipMap outputs are plain tables, and some have none to leave out.
    for kind, options in product((DOUBLE, FLOAT), ({"zipmap": False}, {})):
        try:
            asked = {**options, **({"raw_scores": True} if raw else {})}
            return _model(estimator, asked, kind, opsets), kind, ""
        except _refusals() as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return None, FLOAT, reason


def _last(estimator: BaseEstimator) -> Any:
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


def _model(
    estimator: BaseEstimator, options: dict[str, bool], kind: int, opsets: dict[str, int]
) -> Any:
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
        raise TypeError("its scores are not a table")
    return model


def classifier_model(
    classifier: EvidentialClassifier | EvidentialEnsemble | EvidentialFusion,
    kind: int = DOUBLE,
    opset: int = 15,
    *,
    class_columns: bool = False,
    level: float | None = None,
) -> Any:
    """The graph of a fitted classifier, ensemble or fusion, from features or sources of a type.

    Raises ValueError or TypeError for what cannot be exported.
    """
    check_is_fitted(classifier)
    graph, k = Graph(opset, level), len(classifier.classes_)
    if isinstance(classifier, EvidentialFusion):
        beliefs, inputs = _of_sources(classifier, graph, kind)
    else:
        require("skl2onnx", "an export of a classifier to ONNX")
        beliefs = classified(classifier, Tensor(graph, graph.doubles("X", kind)))
        inputs = {"X": (kind, [None, classifier.n_features_in_])}
    graph.add("Identity", [beliefs.probabilities(k).name], "probabilities")
    outputs = {
        "label": (label_type(classifier.classes_), [None]),
        "probabilities": (DOUBLE, [None, k]),
        **beliefs.outputs(classifier.classes_, class_columns),
    }
    graph.label(beliefs.betp.name, classifier.classes_, "label")
    note = f"{type(classifier).__name__}: {columns_of(classifier.classes_)}"
    return graph.model(inputs, outputs, note)


def _of_sources(
    fusion: EvidentialFusion, graph: Graph, kind: int
) -> tuple[BeliefTensors, dict[str, tuple[int, list[int | None]]]]:
    """Beliefs from sources as the fusion was fitted to them, and type and shape of each source."""
    rule, k, members = fusion.fusion_, len(fusion.classes_), fusion._members
    formula = rule.formula(k, len(members))
    if formula is None or formula.kind not in _LEARNED:
        raise ValueError(
            f"the fusion of {len(members)} sources has the rule {rule.name}, and an export of "
            "EvidentialFusion takes 'stacked' and 'consensus' of two sources or more, which read "
            "probabilities alone"
        )
    inputs, sources = dict[str, tuple[int, list[int | None]]](), []
    for member in members:
        name = member.name
        if name in ("label", "probabilities", "beliefs"):
            raise ValueError(f"a source is named {name!r}, like an output; rename it")
        if isinstance(member, OfSource):
            inputs[name] = kind, [None]
            scores = Tensor(graph, graph.doubles(name, kind)).reshape(-1, 1)
            sources.append(_source(member.member, scores))
        elif member.votes:
            inputs[name] = label_type(fusion.classes_), [None]
            sources.append(_of_votes(Tensor(graph, name), fusion.classes_))
        else:
            inputs[name] = kind, [None, k]
            p = Tensor(graph, graph.doubles(name, kind))
            sources.append(Source(p, p.is_nan().numbers().prod(axis=1).truths()))
    return _LEARNED[formula.kind](rule, sources), inputs


def _of_votes(votes: Tensor, classes: NDArray[Any]) -> Source:
    """Certain beliefs in votes (n,); what is none of the classes is no vote."""
    numbers = np.arange(len(classes))
    whole = label_type(classes) == INT64
    keys = classes.astype(np.int64) if whole else list(map(str, label_list(classes)))
    texts = {"keys_int64s" if whole else "keys_strings": keys}
    of = votes.node(
        "LabelEncoder", domain="ai.onnx.ml", values_int64s=numbers, default_int64=-1, **texts
    )
    places = Tensor(votes.graph, votes.graph.cast(of.name, DOUBLE)).reshape(-1, 1)
    chosen = places.equals(numbers[np.newaxis].astype(np.float64)).numbers()
    return Source(chosen, places.equals(-1.0))


def classified(classifier: Member, features: Tensor) -> BeliefTensors:
    """Beliefs of a fitted classifier or ensemble from features (n, p)."""
    if isinstance(classifier, EvidentialEnsemble):
        return _fused(classifier, features)
    if isinstance(classifier, EvidentialSource):
        return _of_source(classifier, features)
    if isinstance(classifier, Uncalibrated):
        p = _probabilities(classifier, features)
        p = p.columns([1]) if len(classifier.classes_) == 2 else p
        return BeliefTensors(p, p, p)
    parts = [_part(pair, features) for pair in _pairs(classifier)]
    return mean_beliefs(parts, [1 / len(parts)] * len(parts))


def _fused(ensemble: EvidentialEnsemble, features: Tensor) -> BeliefTensors:
    members = [plain(member) for member in ensemble.estimators_]
    for member in members:
        if not isinstance(member, Member):
            raise TypeError(
                f"a member is a {type(member).__name__}, and an export takes EvidentialClassifier, "
                "EvidentialEnsemble and EvidentialSource"
            )
    rule, k = ensemble.fusion_, len(ensemble.classes_)
    formula = rule.formula(k, len(members))
    if formula is None:
        raise ValueError(
            f"rule is {rule.name} of {k} classes, and an export takes {CLOSED}; fit the ensemble "
            "with one of these, or export its members one by one"
        )
    if formula.kind in _LEARNED:
        return _LEARNED[formula.kind](rule, [_source(member, features) for member in members])
    beliefs = [classified(member, features) for member in members]
    if formula.kind == "mean":
        return mean_beliefs(beliefs, formula.parameters.tolist())
    bel, pl = joined([one.bel for one in beliefs]), joined([one.pl for one in beliefs])
    if formula.kind == "dempster":
        return _dempster(bel, pl, formula.parameters, ensemble.total_conflict)
    bel, pl = _OF_BOUNDS[formula.kind](bel, pl, len(beliefs))
    return BeliefTensors(bel, pl, (bel + pl) * 0.5)


def _source(member: Member, features: Tensor) -> Source:
    """What a fusion of evidence reads of a member, to a share of the smaller probability."""
    if isinstance(member, EvidentialSource):
        own, missing = _seen(member, features)
        inner = _source(plain(member.estimator_), own)
        either = [flag for flag in (inner.silent, missing) if flag is not None]
        return Source(inner.probabilities, reduce(or_, either) if either else None)
    if isinstance(member, Uncalibrated):
        return Source(_probabilities(member, features), None)
    if len(member.classes_) > 2 or isinstance(member, EvidentialEnsemble):
        return Source(classified(member, features).probabilities(len(member.classes_)), None)
    pairs = _pairs(member)
    sides: list[Tensor] = []
    flags: list[Tensor | None] = []
    for pair in pairs:
        if _is_binary(pair):
            scores = scores_of(pair.estimator, pair.calibrator, features)
            sides.append(sides_of(pair.calibrator, scores))
            flags.append(silence_of(pair.calibrator, scores))
        else:
            sides.append(_part(pair, features).probabilities(2))
            flags.append(None)
    probabilities = _averaged(sides)
    known = [flag for flag in flags if flag is not None]
    silent = _averaged(known).equals(1.0) if len(known) == len(flags) else None
    return Source(probabilities, silent)


def _probabilities(member: Uncalibrated, features: Tensor) -> Tensor:
    """Probabilities (n, K) as the classifier gives them, in the order of the sorted classes."""
    estimator = plain(member.estimator)
    return _converted(features, estimator, raw=False).columns(
        np.argsort(estimator.classes_, kind="stable").tolist()
    )


def _of_source(source: EvidentialSource, features: Tensor) -> BeliefTensors:
    """Beliefs of a classifier on some columns, vacuous where these are missing."""
    own, missing = _seen(source, features)
    beliefs = classified(plain(source.estimator_), own)
    return beliefs if missing is None else unless(missing, beliefs.parts, len(source.classes_))


def _seen(source: EvidentialSource, features: Tensor) -> tuple[Tensor, Tensor | None]:
    """Columns (n, p) that a source sees, and where (n, 1) it is silent, if it may be."""
    if source.merged_ is not None:
        raise ValueError(
            "a member merges classes, EvidentialSource(coarsening=), and an export needs members "
            "that separate all of them"
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


def _averaged(parts: list[Tensor]) -> Tensor:
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


def _part(pair: CalibratedScores | CalibratedColumns, features: Tensor) -> BeliefTensors:
    """Beliefs of a calibrated classifier."""
    if isinstance(pair, CalibratedColumns):
        return _coupled(pair, features)
    scores = scores_of(pair.estimator, pair.calibrator, features)
    return (binary_beliefs if _is_binary(pair) else multiclass_beliefs)(pair.calibrator, scores)


def _is_binary(pair: CalibratedScores | CalibratedColumns) -> bool:
    """Whether a calibrator takes a single score."""
    return not isinstance(pair, CalibratedColumns) and not pair.is_table


def _coupled(pair: CalibratedColumns, features: Tensor) -> BeliefTensors:
    """Columns of the scores of one classifier, normalized; or the probability of two classes."""
    decoder, (first, *others) = pair.decoder, pair.members
    k = len(decoder.classes)
    if others or (k > 2 and decoder.coupling != "normalize"):
        raise ValueError(
            f"the classifier has {k} classes, the coupling {decoder.coupling!r} and a code of "
            f"{decoder.matrix.shape[1]} columns, and an export takes code='one_vs_rest' with the "
            "coupling None or 'normalize'"
        )
    if k == 2:
        betp = _part(first, features).betp
        return BeliefTensors(betp, betp, betp)
    scores = scores_of(first.estimator, first.calibrator, features)
    columns = [
        binary_beliefs(one, scores.columns([place])).betp
        for place, one in enumerate(first.calibrators)
    ]
    p = normalized_columns(joined(columns), k)
    return BeliefTensors(p, p, p)
