"""Risk and coverage: how often answers are wrong if only some samples are answered.

A classifier that may ask somebody answers the samples it doubts least. The more it answers, the
more often it is wrong; the curve of this risk over the share answered, and the area below it, say
how well its doubts are ordered. Geifman & El-Yaniv (2017), Selective classification for deep neural
networks, NeurIPS 30.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, rel_entr

from dstheory import MassFunction
from dstheory.checks.arguments import (
    as_array,
    check_choice,
    check_flag,
    check_label_order,
    check_level,
    check_rows,
)
from dstheory.notebook import ShownFields
from evical._typing import Floats, Indices, Labels, Weights
from evical.metrics.beliefs import class_intervals
from evical.metrics.goodness import share_limits
from evical.metrics.inputs import Predicted, assigned_classes, class_sample, numbers
from evical.scores.checks import check_column_order, check_same_length, refuse

Doubt = Literal["probability", "width", "plausibility"]
DOUBTS = ("probability", "width", "plausibility")
# Halvings of [0, 1], to the last bit of a limit.
_HALVINGS = 52
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class RiskCoverageCurve(ShownFields):
    """Risk of the answered samples, for each share of them that a limit of doubt can give.

    Parameters
    ----------
    doubt : (b,) array
        Largest doubt that is answered, ascending.
    coverage, n_answered : (b,) arrays
        Share and number (effective number, with weights) of the samples that are answered.
    risk : (b,) array
        Their mean loss.
    lower, upper : (b,) arrays
        Confidence limits of the expected loss, for each limit of doubt on its own.
    aurc, excess : float
        As `evical.metrics.aurc` gives them.
    """

    doubt: Floats
    coverage: Floats
    n_answered: Floats
    risk: Floats
    lower: Floats
    upper: Floats
    aurc: float
    excess: float

    def __str__(self) -> str:
        """A line for each tenth of the samples."""
        wanted = np.arange(1, _SHOWN + 1) / _SHOWN
        rows = np.unique(np.minimum(np.searchsorted(self.coverage, wanted), len(self.risk) - 1))
        lines = [
            f"{self.coverage[i]:8.3f}  {self.doubt[i]:10.4g}  {self.risk[i]:6.4f}  "
            f"[{self.lower[i]:.4f}, {self.upper[i]:.4f}]"
            for i in rows
        ]
        return "\n".join(["answered  doubt up to    risk  interval", *lines])


def risk_coverage_curve(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    loss: ArrayLike | None = None,
    by: Doubt | ArrayLike = "probability",
    confidence: float = 0.95,
    labels: Labels = None,
    sample_weight: Weights = None,
) -> RiskCoverageCurve:
    r"""Mean loss of the answered samples against the share answered, with confidence limits.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
        The answer is the class of largest (pignistic) probability.
    loss : (n,) or (K, K) array, optional
        In [0, 1]: of each answer, or of each answered class (row) under each true class. Default:
        1 for a wrong answer.
    by : {"probability", "width", "plausibility"} or (n,) array
        What is doubted: 1 - probability of the answer, Pl - Bel of the answer, or the plausibility
        of the second most plausible class, the last two of a mass function; or numbers, larger for
        what is answered later.
    confidence : float
        Level of the limits, in (0, 1).
    labels : sequence of K labels, optional
        As in `brier_score`.
    sample_weight : (n,) array, optional
        For shares and means. Limits are those of the effective number of samples, the squared sum
        of weights divided by the sum of squared weights.

    Returns
    -------
    RiskCoverageCurve
        One point for each distinct doubt. Printing it shows a table.

    Raises
    ------
    TypeError, ValueError
        As `brier_score`; or if a loss is outside [0, 1], doubts by width or plausibility have no
        beliefs, or an option is unknown.

    See Also
    --------
    evical.plot.RiskCoverageDisplay : the same as a picture.
    evical.conformal.RiskControl : a limit of doubt with a guarantee.

    Notes
    -----
    :math:`R(t) = \sum_i w_i \ell_i [d_i \le t] / \sum_i w_i [d_i \le t]`. Samples of equal doubt
    are answered together, because no limit of doubt separates them. Without ties and weights the
    points are those of torch-uncertainty and, from right to left, of the error-rejection curve of
    evtools, which both break ties by the order of the rows.

    Limits are Clopper & Pearson's if all losses are 0 or 1, otherwise Hoeffding's for bounded
    losses, in the form with the relative entropy. They hold for a limit of doubt that was chosen
    beforehand, not for one that was read off the curve.

    References
    ----------
    Geifman & El-Yaniv (2017), Selective classification for deep neural networks, NeurIPS 30.
    Hoeffding (1963), J. American Statistical Association 58, 13-30, eq. 2.1.

    Examples
    --------
    The most certain answer is right; one of the next two, which are tied, is wrong:

    >>> curve = risk_coverage_curve([0, 1, 1, 0], [0.1, 0.7, 0.3, 0.6])
    >>> curve.coverage, curve.risk.round(3), curve.doubt
    (array([0.25, 0.75, 1.  ]), array([0.   , 0.333, 0.5  ]), array([0.1, 0.3, 0.4]))
    """
    check_level("confidence", confidence)
    losses, doubt, weight = _judged(y_true, y_prob, loss, by, labels, sample_weight)
    return curve_of(losses, doubt, confidence, weight)


def aurc(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    loss: ArrayLike | None = None,
    by: Doubt | ArrayLike = "probability",
    excess: bool = False,
    labels: Labels = None,
    sample_weight: Weights = None,
) -> float:
    r"""Area under the risk-coverage curve, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    loss : (n,) or (K, K) array, optional
    by : {"probability", "width", "plausibility"} or (n,) array
        All as in `risk_coverage_curve`.
    excess : bool
        Subtract the area of the best order of the same answers, by ascending loss: what is lost by
        doubting the wrong samples.
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        A sample of weight 2 counts as two; the unit of the weights does not matter.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    TypeError, ValueError
        As `risk_coverage_curve`.

    Notes
    -----
    The integral of the mean loss of the least doubted share c over c from 0 to 1, where a sample
    can be answered in part. It is :math:`\sum_i \ell_i (g(C_i) - g(C_{i-1}))` with the share
    :math:`C_i` of the samples up to the i-th and :math:`g(c) = c - c \ln c`, an estimate of the
    mean of :math:`-\ell \ln C` over the population (Zhou et al. 2025). Samples of equal doubt are
    averaged over all their orders, exactly and at once. So neither the order of the rows matters
    nor whether each of them is there twice.

    Without ties and weights, the trapezoidal mean of the points of `risk_coverage_curve`, as in
    torch-uncertainty 0.13, the mean of their risks (Geifman & El-Yaniv) and the AUERC of evtools
    0.27, which starts with a risk of 0 at a share of 0, differ from it by :math:`O(1/n)`.

    References
    ----------
    Geifman, Uziel & El-Yaniv (2019), Bias-reduced uncertainty estimation for deep neural
    classifiers, ICLR (excess). Zhou, Van Landeghem, Popordanoska & Blaschko (2025), A novel
    characterization of the population area under the risk coverage curve (AURC) and rates of finite
    sample estimators, ICML.

    Examples
    --------
    Only the last answer is wrong, which at best is answered last, as it is:

    >>> y, p = [0, 1, 1, 0], [0.1, 0.8, 0.7, 0.6]
    >>> round(aurc(y, p), 4), float(np.round(1 / 4 + 3 / 4 * np.log(3 / 4), 4))
    (0.0342, 0.0342)
    >>> aurc(y, p, excess=True), round(aurc(y, p, sample_weight=[1, 2, 1, 0]), 4)
    (0.0, 0.0)
    """
    check_flag("excess", excess)
    losses, doubt, weight = _judged(y_true, y_prob, loss, by, labels, sample_weight)
    area = _area(_steps(losses, doubt, weight)[1])
    return max(area - _best(losses, weight), 0.0) if excess else area


def curve_of(
    losses: Floats, doubt: Floats, confidence: float, weight: Floats | None
) -> RiskCoverageCurve:
    """The curve of losses (n,) in [0, 1], doubts (n,), and weights (n,) or None."""
    doubts, sums = _steps(losses, doubt, weight)
    lost, counted, squares = sums.cumsum(axis=1)
    risk, n = np.minimum(lost / counted, 1.0), counted**2 / squares
    lower, upper = risk_limits(risk, n, confidence, whole=bool(np.isin(losses, (0, 1)).all()))
    area = _area(sums)
    excess = max(area - _best(losses, weight), 0.0)
    return RiskCoverageCurve(doubts, counted / counted[-1], n, risk, lower, upper, area, excess)


def _judged(
    y_true: ArrayLike,
    y_prob: Predicted,
    loss: ArrayLike | None,
    by: Doubt | ArrayLike,
    labels: Labels,
    sample_weight: Weights,
) -> tuple[Floats, Floats, Floats | None]:
    """Loss and doubt (n,) of each sample, and weights (n,) or None."""
    check_rows(y_true=y_true, y_prob=y_prob, loss=loss, by=by)
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    answer = assigned_classes(sample.p)
    losses = losses_of(loss, sample.codes, answer, sample.labels)
    if isinstance(by, str):
        check_choice("by", by, DOUBTS, "numbers (n,), or ")
        if by != "probability" and not isinstance(y_prob, MassFunction):
            raise TypeError(
                f"by={by!r} needs mass functions, but y_prob holds probabilities, which have no "
                "width; take 'probability'"
            )
        bounds = class_intervals(y_prob) if isinstance(y_prob, MassFunction) else None
        return losses, doubts(sample.p, answer, bounds, by), sample.weight
    given = numbers(by, "by")
    if given.ndim != 1:
        raise ValueError(f"by has shape {given.shape}, expected one doubt for each sample, (n,)")
    check_same_length(y_true=sample.codes, by=given)
    return losses, given, sample.weight


def doubts(p: Floats, answer: Indices, bounds: Floats | None, by: str) -> Floats:
    """Doubt (n,) about the answered class, from probabilities (n, K) and [Bel, Pl] (n, K, 2)."""
    rows = np.arange(len(p))
    if by == "probability" or bounds is None:
        return 1 - p[rows, answer]
    if by == "width":
        bel, pl = bounds[rows, answer].T
        return np.asarray(pl - bel)
    return np.partition(bounds[..., 1], -2, axis=1)[:, -2]


def losses_of(
    loss: ArrayLike | None, truth: Indices, answer: Indices, classes: NDArray[Any]
) -> Floats:
    """Loss (n,) in [0, 1] of each answer, from (n,) or (K, K) losses; None is an error."""
    n_classes = len(classes)
    if loss is None:
        return np.asarray(truth != answer, dtype=np.float64)
    given = numbers(loss, "loss")
    if given.shape not in (truth.shape, (n_classes, n_classes)):
        raise ValueError(
            f"loss has shape {given.shape}, expected ({len(truth)},), of each sample, or "
            f"({n_classes}, {n_classes}), of each answered class under each true class"
        )
    most = "a loss in [0, 1]; divide losses by the largest that is possible"
    refuse(as_array(loss, "loss"), (given < 0) | (given > 1), "loss", most)
    if given.ndim == 2:
        check_loss_order(loss, classes)
    return given if given.ndim == 1 else given[answer, truth]


def check_loss_order(loss: object, classes: NDArray[Any]) -> None:
    """Refuse a data frame whose columns or first K rows are the classes in another order."""
    check_column_order(loss, classes, "loss")
    if hasattr(loss, "iloc"):  # of pandas
        check_label_order(loss.iloc[: len(classes)], classes.tolist(), "loss", "index")


def _steps(losses: Floats, doubt: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """Distinct doubts (b,), and (3, b) sums over the samples of each that count.

    The sums are those of weighted losses, weights and squared weights; the largest weight is 1.
    """
    w = np.ones_like(losses) if weight is None else weight / weight.max()
    used = w > 0
    doubts, group = np.unique(doubt[used], return_inverse=True)
    terms = (losses[used] * w[used], w[used], w[used] ** 2)
    return doubts, np.array([np.bincount(group, one) for one in terms])


def _best(losses: Floats, weight: Floats | None) -> float:
    """Area if the least losses are doubted least."""
    return _area(_steps(losses, losses, weight)[1])


def _area(sums: Floats) -> float:
    """Area of `aurc`, from the sums of `_steps`."""
    shares = np.cumsum(sums[1])
    shares /= shares[-1]
    steps = np.diff(shares + entr(shares), prepend=0.0)
    return min(float((sums[0] / sums[1]) @ steps), 1.0)


def risk_limits(
    risk: Floats, n: Floats, confidence: float, *, whole: bool
) -> tuple[Floats, Floats]:
    """Two-sided limits of an expected loss from the mean of n losses in [0, 1], 0 or 1 if `whole`.

    >>> low, high = risk_limits(np.array([0.0]), np.array([59.0]), 0.9, whole=True)
    >>> low, high.round(4)
    (array([0.]), array([0.0495]))
    """
    if whole:
        return share_limits(np.round(risk * n, 9), n, confidence)  # no error is 0
    tail = (1 - confidence) / 2
    return 1 - _upper(1 - risk, n, tail), _upper(risk, n, tail)


def _upper(risk: Floats, n: Floats, tail: float) -> Floats:
    """Largest mean that Hoeffding's bound exp(-n KL(risk, mean)) does not reject at `tail`."""
    low, high = risk.copy(), np.ones_like(risk)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        kept = n * relative_entropy(risk, middle) <= -np.log(tail)
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    return high


def relative_entropy(a: Floats | float, b: Floats | float) -> Floats:
    """Relative entropy of probabilities a and b of two outcomes, infinite where b excludes a."""
    with np.errstate(over="ignore"):
        found = rel_entr(a, b) + rel_entr(1 - np.asarray(a), 1 - np.asarray(b))
    return np.asarray(found)
