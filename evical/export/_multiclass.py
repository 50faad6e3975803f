"""Calibrators of many classes as graphs, where their predictions are closed formulas.

These are softmax calibration, structured scaling, shallow nets, one calibrator for each class, and
the default, `AutoMulticlassCalibrator`. Level sets of a likelihood have no closed formula.

Columns of one class against the rest are divided by their sum, or combined by Dempster's rule: a
sum of products over the classes, see `evical.beliefs.products`, of which the product over all
classes but one is that of a row of a table with 1 on its diagonal. Log-odds with a standard error
are beliefs as in `evical.beliefs.bounded`: of the model "likelihood" Bel and Pl are as far below as
above the probability, so that single classes need no sets.
"""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from evical._typing import Floats
from evical.beliefs.bounded import RADII, SHARES, quantile_over_mean
from evical.calibrators import AutoCalibrator, BaseCalibrator
from evical.export._compile import compiled, compiled_sides, compiled_silence
from evical.export._graph import DEGREE
from evical.export._inputs import check_binary
from evical.export._table import PieceTable, polyline
from evical.export._tensor import (
    BeliefTensors,
    Tensor,
    joined,
    log,
    maximum,
    minimum,
    sigmoid,
    softmax,
    unless,
    where,
)
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    OneVsRestCalibrator,
    ShallowNetCalibrator,
    SoftmaxCalibrator,
    StructuredMatrixCalibrator,
    StructuredVectorCalibrator,
)


def normalized_columns(positive: Tensor, n_classes: int) -> Tensor:
    """Probabilities (n, K) over their sum; even ones where all are 0."""
    total = positive.sum(axis=1)
    none = total.equals(0.0)
    return where(none, 1.0 / n_classes, positive / where(none, 1.0, total))


def combined_columns(
    own: Tensor, neither: Tensor, either: Tensor, n_classes: int, total_conflict: str
) -> BeliefTensors:
    """Dempster's rule of masses (n, K) of each class, of its complement, and of all classes.

    In total conflict beliefs are NaN, or vacuous if `total_conflict` says so.
    """
    against = neither + either
    alone = own * _all_but_one(against, n_classes)
    total = (alone + either * _last_open(neither, against, n_classes)).sum(axis=1)
    lower = alone + either * _all_but_one(neither, n_classes)
    upper = alone + either * _all_but_one(against, n_classes)
    nodes, weights = np.polynomial.legendre.leggauss((n_classes + 1) // 2)
    shares = alone
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        inside = _all_but_one(neither + either * float(node), n_classes)
        shares = shares + either * inside * float(weight)
    dead = total.equals(0.0)
    found = [minimum(part / total, 1.0) for part in (lower, upper, shares)]
    return unless(dead, found, n_classes, total_conflict)


def _all_but_one(factors: Tensor, k: int) -> Tensor:
    """Products (n, K) of all factors (n, K) but each one."""
    kept = where(_flags(factors, np.eye(k, dtype=bool)), 1.0, factors.reshape(-1, 1, k))
    return kept.prod(axis=2).reshape(-1, k)


def _last_open(before: Tensor, after: Tensor, k: int) -> Tensor:
    """Products (n, K) of factors of classes before each one, and of others of classes after it."""
    first = where(
        _flags(before, np.tri(k, k, -1, dtype=bool)),
        before.reshape(-1, 1, k),
        after.reshape(-1, 1, k),
    )
    own = where(_flags(before, np.eye(k, dtype=bool)), 1.0, first)
    return own.prod(axis=2).reshape(-1, k)


def _flags(like: Tensor, table: NDArray[np.bool_]) -> Tensor:
    return Tensor(like.graph, like.graph.constant(table[np.newaxis]))


_TINY = float(np.finfo(np.float64).tiny)
_LITTLE = 1e-9  # of the other classes, to which less is raised in errors, as in Python


def binary_beliefs(calibrator: BaseCalibrator, scores: Tensor) -> BeliefTensors:
    """Beliefs (n, 1) about the positive class at scores (n, 1)."""
    check_binary(calibrator)
    table = compiled(calibrator, DEGREE, lines=True, level=scores.graph.level)
    if table.is_probability:
        p = Tensor(scores.graph, scores.graph.values(table, scores.name, [0]))
        return BeliefTensors(p, p, p)
    found = Tensor(scores.graph, scores.graph.beliefs(table, scores.name))
    columns = [found.columns([place]) for place in range(len(table.coefficients))]
    if (table.coefficients[:3] == table.coefficients[0]).all():  # Bel and Pl are one probability
        columns[1] = columns[2] = columns[0]
    return BeliefTensors(*columns)


def sides_of(calibrator: BaseCalibrator, scores: Tensor) -> Tensor:
    """Probabilities (n, 2) of both classes at scores (n, 1), to a share of the smaller one."""
    check_binary(calibrator)
    table = compiled_sides(calibrator, DEGREE)
    found = values_of(table, scores)
    is_odds = len(table.coefficients) == 1
    return sigmoid(found @ np.array([[-1.0, 1.0]])) if is_odds else found


def silence_of(calibrator: BaseCalibrator, scores: Tensor) -> Tensor | None:
    """1 (n, 1) where a calibrator says nothing, 0 elsewhere; None if it always says something."""
    table = compiled_silence(calibrator)
    return None if table is None else values_of(table, scores)


def values_of(table: PieceTable, scores: Tensor) -> Tensor:
    """All columns (n, c) of a table at scores (n, 1)."""
    rows = list(range(len(table.coefficients)))
    return Tensor(scores.graph, scores.graph.values(table, scores.name, rows))


def multiclass_beliefs(calibrator: BaseMulticlassCalibrator, scores: Tensor) -> BeliefTensors:
    """Beliefs at scores (n, C), NaN where one of them is no score that it takes.

    They are (n, 1), of the positive one of two classes, or (n, K). Raises ValueError for methods
    without a closed formula; TypeError or ConvergenceError for calibrators of one class that cannot
    be exported.
    """
    read, known = _read(calibrator, scores)
    beliefs = _method_beliefs(calibrator, read)
    own = [part + known for part in beliefs.parts]
    if beliefs.bel is beliefs.betp:
        own[1] = own[2] = own[0]
    return BeliefTensors(*own)


def _read(calibrator: BaseMulticlassCalibrator, scores: Tensor) -> tuple[Tensor, Tensor]:
    """Scores as the method reads them, and 0 (n, 1), or NaN where one of them is none."""
    known = (scores * 0.0).sum(axis=1)
    automatic = isinstance(calibrator, AutoMulticlassCalibrator)
    transform = (calibrator.learned_ if automatic and calibrator.learned_ else calibrator).transform
    unit = calibrator._takes_probabilities or transform == "log"
    if unit:
        outside = scores.greater(1.0) | (-scores).greater(0.0)
        strange = outside.numbers().max(axis=1).truths()
        known = where(strange, np.nan, known)
    two, given = len(calibrator.classes_) == 2, calibrator.n_features_in_
    if automatic or isinstance(calibrator, OneVsRestCalibrator):
        return (scores.columns([1]) if two and given == 2 else scores), known
    if two and given == 1:
        both = [1.0 - scores, scores] if unit else [scores * -0.5, scores * 0.5]
        scores = joined(both)
    if calibrator.transform == "log":
        scores = log(maximum(scores, calibrator._least))
    return scores, known


def _method_beliefs(calibrator: BaseMulticlassCalibrator, scores: Tensor) -> BeliefTensors:
    if isinstance(calibrator, AutoMulticlassCalibrator):
        return _automatic(calibrator, scores)
    if isinstance(calibrator, OneVsRestCalibrator):
        return _one_vs_rest(calibrator, scores)
    p = _probabilities(calibrator, scores)
    if len(calibrator.classes_) == 2:
        p = p.columns([1])
    return BeliefTensors(p, p, p)


def _probabilities(calibrator: BaseMulticlassCalibrator, scores: Tensor) -> Tensor:
    """Probabilities (n, K) of methods that give nothing else."""
    if isinstance(calibrator, SoftmaxCalibrator):
        return softmax(scores @ calibrator.weights_.T + calibrator.intercepts_[np.newaxis])
    if isinstance(calibrator, ShallowNetCalibrator):
        return _nets(calibrator, scores)
    structured = isinstance(calibrator, StructuredMatrixCalibrator | StructuredVectorCalibrator)
    if structured and calibrator.model == "bayesian":
        return softmax(_Scaled(calibrator, scores).logits)
    model = f"(model={calibrator.model!r})" if hasattr(calibrator, "model") else ""
    raise ValueError(
        f"{type(calibrator).__name__}{model} has no closed formula; an export takes "
        "AutoMulticlassCalibrator, OneVsRestCalibrator, SoftmaxCalibrator, ShallowNetCalibrator, "
        "and structured scaling of the model 'bayesian'"
    )


def _nets(calibrator: ShallowNetCalibrator, scores: Tensor) -> Tensor:
    """Mean probabilities (n, K) of nets."""
    standard = (scores - calibrator.center_[np.newaxis]) / calibrator.scale_[np.newaxis]
    layers = zip(
        calibrator.hidden_weights_,
        calibrator.hidden_biases_[:, np.newaxis],
        calibrator.output_weights_,
        calibrator.output_biases_[:, np.newaxis],
        strict=True,
    )
    parts = [
        softmax((standard @ first + bias).node("Tanh") @ last + out)
        for first, bias, last, out in layers
    ]
    return reduce(add, parts) * (1.0 / len(parts))


def _one_vs_rest(calibrator: OneVsRestCalibrator, scores: Tensor) -> BeliefTensors:
    """One calibrator for each class, or a single one of two."""
    columns = calibrator.calibrators_
    k = len(columns)
    if k == 1:
        return binary_beliefs(columns[0], scores)
    if calibrator.combines_:
        found = combined_columns(*_masses(columns, scores), k, calibrator.total_conflict)
    else:
        p = normalized_columns(_positive(columns, scores), k)
        found = BeliefTensors(p, p, p)
    if scores.graph.level is None:
        return found
    each = [binary_beliefs(one, scores.columns([place])) for place, one in enumerate(columns)]
    lower, upper = (joined(list(part)) for part in zip(*(one[3:] for one in each), strict=True))
    return found._replace(lower=minimum(lower, found.betp), upper=maximum(upper, found.betp))


def _masses(columns: list[Any], scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Masses (n, K) of each class, of its complement, and of all classes."""
    parts = []
    for place, one in enumerate(columns):
        own = scores.columns([place])
        beliefs = binary_beliefs(one, own)
        if beliefs.bel is beliefs.betp:  # of probabilities the smaller one is known as well
            sides = sides_of(one, own)
            parts.append((sides.columns([1]), sides.columns([0]), beliefs.bel * 0.0))
        else:
            parts.append((beliefs.bel, 1.0 - beliefs.pl, beliefs.pl - beliefs.bel))
    own, neither, either = (joined(part) for part in zip(*parts, strict=True))
    return own, neither, either


def _positive(columns: list[Any], scores: Tensor) -> Tensor:
    """Probabilities (n, K) that the calibrator of each class gives it."""
    return joined(
        [sides_of(one, scores.columns([place])).columns([1]) for place, one in enumerate(columns)]
    )


class _Scaled:
    """Structured scaling of scores (n, K), as read: what `Structured` of Python computes."""

    def __init__(
        self,
        calibrator: StructuredMatrixCalibrator | StructuredVectorCalibrator,
        scores: Tensor,
    ) -> None:
        self.calibrator, fit = calibrator, calibrator._fit
        k = len(fit.intercepts)
        greatest = float(np.finfo(np.float64).max)
        below = maximum((scores - scores.max(axis=1)) / fit.unit, -greatest)
        self.z = maximum(below * fit.inverse, -greatest)
        self.p = softmax(self.z)
        self.mixed = self.p * (1.0 - fit.share) + fit.share / k
        self.tempered = log(self.mixed)
        self.logits: Tensor = self.tempered @ fit.weights.T + fit.intercepts[np.newaxis]

    def independent_variances(self, p: Tensor) -> Tensor:
        """Those of learned penalties, as if the coefficients of classes were independent."""
        variances, k = self.calibrator._variances, len(self.calibrator._center)
        apart = self.tempered - self.calibrator._center[np.newaxis]
        slopes = variances[:, :-1]
        slopes = np.diag(slopes[:, 0]) if slopes.shape[1] == 1 else slopes
        own = (apart * apart) @ slopes.T + variances[np.newaxis, :, -1]
        others = (p * p * own) @ (1.0 - np.eye(k))
        rest = maximum(1.0 - p, _LITTLE)
        total: Tensor = own + others / (rest * rest)
        return total

    def variances(self, p: Tensor) -> Tensor:
        """Variances (n, K) of the log-odds of each class, by the delta method."""
        fit, steps = self.calibrator._fit, self.calibrator._steps
        k = len(fit.intercepts)
        pulled = self.p * self.z  # 0 where an exponential is, since z is finite
        gain = pulled - self.p * pulled.sum(axis=1)
        by_temperature = (gain * (1.0 - fit.share) / self.mixed) @ fit.weights.T
        basis = steps[:-1].reshape(k, k + 1, -1)
        ahead = self.tempered @ basis[:, :k].transpose(1, 0, 2).reshape(k, -1)
        slopes = ahead.reshape(-1, k, len(steps)) + basis[np.newaxis, :, k]
        slopes = slopes + by_temperature.reshape(-1, k, 1) * steps[np.newaxis, -1:]
        mean = p.reshape(-1, 1, k) @ slopes
        apart = slopes - mean
        lengths: Tensor = (apart * apart).sum(axis=2).reshape(-1, k)
        rest = maximum(1.0 - p, _LITTLE)
        return lengths / (rest * rest)


def _automatic(calibrator: AutoMulticlassCalibrator, scores: Tensor) -> BeliefTensors:
    """Curves and then all classes together, and learned scaling: their mean, with its errors."""
    k, scaling, learned = len(calibrator.classes_), calibrator.scaling_, calibrator.learned_
    if k == 2:
        return binary_beliefs(calibrator.calibrators_[0], scores)
    if learned is not None:
        logs = learned.transform == "log"
        alone = _Scaled(learned, log(maximum(scores, learned._least)) if logs else scores)
        p = softmax(alone.logits)
    if scaling is not None:
        curves = calibrator.calibrators_
        shown = normalized_columns(_positive(curves, scores), k)
        scaled = _Scaled(scaling, log(maximum(shown, scaling._least)))
        curved = softmax(scaled.logits)
        if learned is None:
            p = curved
        else:
            share = calibrator.curves_weight_
            ahead, other = log(maximum(curved, _TINY)), log(maximum(p, _TINY))
            p = softmax(other + (ahead - other) * share)
    if calibrator.model == "bayesian" and scores.graph.level is None:
        return BeliefTensors(p, p, p)
    if scaling is None:
        variance = alone.independent_variances(p)
    else:
        errors = [
            values_of(_errors(one), scores.columns([place])) for place, one in enumerate(curves)
        ]
        own = joined(errors)
        variance = own * own
        if scaling.model == "quadratic":
            variance = variance + scaled.variances(curved)
    odds = log(maximum(p, _TINY)) - log(maximum(1.0 - p, _TINY))
    return normal_beliefs(p, odds, variance.node("Sqrt"), calibrator, k, posterior=True)


def _errors(calibrator: AutoCalibrator) -> PieceTable:
    """Standard errors of the log-odds, lines between knots."""

    def at(scores: Floats) -> Floats:
        return calibrator._at(scores, calibrator.standard_error_[np.newaxis])

    greatest = float(np.finfo(np.float64).max)
    return polyline(np.concatenate([[-greatest], calibrator.knots_]), greatest, at)


def normal_beliefs(
    probability: Tensor,
    log_odds: Tensor,
    error: Tensor,
    fitted: Any,
    n_classes: int,
    *,
    posterior: bool = False,
) -> BeliefTensors:
    """Beliefs of the model of `fitted`, which has a `confidence` too, as `Bounded.normal` has them.

    Tensors are (n, 1), of the positive one of two classes, or (n, K). Raises ValueError for the
    model "confidence" of more than two classes, whose pignistic probabilities need sets.
    """
    level = probability.graph.level
    ends = () if level is None else _interval(probability, log_odds, error, level, posterior)
    if fitted.model == "bayesian":
        return BeliefTensors(probability, probability, probability, *ends)
    if fitted.model == "confidence":
        if n_classes > 2:
            raise ValueError(
                f"{type(fitted).__name__} has the model 'confidence', whose beliefs about "
                f"{n_classes} classes have no closed form; an export takes 'likelihood' or "
                "'bayesian'"
            )
        share = fitted.confidence
        lower, upper = _interval(probability, log_odds, error, share, posterior)
        # The interval has that mass, and two classes the rest.
        return BeliefTensors(lower * share, upper * share + (1.0 - share), probability, *ends)
    half = _half_widths(probability, log_odds, error, n_classes)
    if n_classes > 2:
        half = _balanced(half, probability, n_classes)
    return BeliefTensors(probability - half, probability + half, probability, *ends)


def _interval(
    probability: Tensor, log_odds: Tensor, error: Tensor, level: float, posterior: bool
) -> tuple[Tensor, Tensor]:
    """The central interval of that level, which contains the probability."""
    reach = error * float(ndtri((1.0 + level) / 2))
    lower, upper = sigmoid(log_odds - reach), sigmoid(log_odds + reach)
    if posterior:
        most = quantile_over_mean(level)
        lower = maximum(lower, 1.0 - (1.0 - probability) * most)
        upper = minimum(upper, probability * most)
    return minimum(lower, probability), maximum(upper, probability)


def _half_widths(probability: Tensor, log_odds: Tensor, error: Tensor, n_classes: int) -> Tensor:
    """Half of Pl - Bel, cut so that the interval stays in [0, 1]."""
    k = 1 if n_classes == 2 else n_classes
    # Products with matrices are much faster than sums of tensors of different shapes.
    each = np.eye(k)
    reach = error @ np.kron(each, RADII[np.newaxis])
    center = log_odds @ np.kron(each, np.ones((1, len(RADII))))
    halves = np.kron(each, SHARES[:, np.newaxis] / 2)
    width = (sigmoid(center + reach) - sigmoid(center - reach)) @ halves
    return minimum(minimum(width, probability), 1.0 - probability)


def _balanced(half: Tensor, probability: Tensor, k: int) -> Tensor:
    """Half widths of which none is greater than the others together."""
    greatest = half.max(axis=1)
    lack = maximum(greatest * 2.0 - half.sum(axis=1), 0.0)
    room = probability - half
    place = half.node("ArgMax", axis=1, keepdims=1)  # the first of equal ones
    others = room * (1.0 - place.equals(np.arange(k)[np.newaxis]).numbers())
    share = minimum(lack / maximum(others.sum(axis=1), 1e-300), 1.0)
    return half + others * share
