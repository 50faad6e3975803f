"""Risk and coverage: how often answers are wrong if only some samples are answered.

A classifier that may ask somebody answers the samples it doubts least. The more it answers, the
more often it is wrong; the curve of this risk over the share answered, and the area below it, say
how well its doubts are ordered. Geifman & El-Yaniv (2017), Selective classification for deep neural
networks, NeurIPS 30.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr

from dstheory import MassFunction
from dstheory.checks.arguments import (
    as_array,
    check_choice,
    check_flag,
    check_label_order,
    check_level,
)
from dstheory.notebook import ShownFields
from evical._typing import Floats, Indices, Labels
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
        Share and number of the samples that are answered.
    risk : (b,) array
        Their mean loss.
    lower, upper : (b,) arrays
        Confidence limits of the expected loss, for each limit of doubt on its own.
    aurc, excess : float
        As `evical.metrics.aurc` gives them.
    """

    doubt: Floats
    coverage: Floats
    n_answered: Indices
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
    :math:`R(t) = \sum_i \ell_i [d_i \le t] / \sum_i [d_i \le t]`. Samples of equal doubt are
    answered together, because no limit of doubt separates them. Without ties the points are those
    of torch-uncertainty and, from right to left, of the error-rejection curve of evtools, which
    both break ties by the order of the rows.

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
    losses, doubt = _judged(y_true, y_prob, loss, by, labels)
    return curve_of(losses, doubt, confidence)


def aurc(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    loss: ArrayLike | None = None,
    by: Doubt | ArrayLike = "probability",
    excess: bool = False,
    labels: Labels = None,
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
    With the mean loss :math:`r_k` of the k least doubted samples it is
    :math:`(\sum_k r_k - (r_1 + r_n) / 2) / (n - 1)`, the trapezoidal mean over the shares 1/n to 1
    as in torch-uncertainty 0.13. Samples of equal doubt are averaged over all their orders, exactly
    and at once: each gets the mean loss of its ties. So the order of the rows does not matter,
    which it does in torch-uncertainty.

    The mean :math:`\sum_k r_k / n` of Geifman & El-Yaniv differs by
    :math:`O(1/n)`, and so does the AUERC of evtools 0.27, :math:`(\sum_k r_k - r_n / 2) / n`, which
    starts with a risk of 0 at a share of 0 and so is below 1 even if all answers are wrong.

    References
    ----------
    Geifman, Uziel & El-Yaniv (2019), Bias-reduced uncertainty estimation for deep neural
    classifiers, ICLR (excess).

    Examples
    --------
    The risks are 0, 1/4, 1/3, 1/2 if the tie is broken at random, and 0, 0, 1/3, 1/2 at best:

    >>> y, p = [0, 1, 1, 0], [0.1, 0.7, 0.3, 0.6]
    >>> round(aurc(y, p), 4), round(aurc(y, p, excess=True), 4)
    (0.2778, 0.0833)
    """
    check_flag("excess", excess)
    losses, doubt = _judged(y_true, y_prob, loss, by, labels)
    area = _area(_running(losses, doubt)[0])
    return area - _area(_best(losses)) if excess else area


def curve_of(losses: Floats, doubt: Floats, confidence: float) -> RiskCoverageCurve:
    """The curve of losses (n,) in [0, 1] and doubts (n,)."""
    risks, doubts, ends = _running(losses, doubt)
    risk, n = risks[ends], ends + 1
    lower, upper = risk_limits(risk, n, confidence, whole=bool(np.isin(losses, (0, 1)).all()))
    area = _area(risks)
    return RiskCoverageCurve(
        doubts, n / len(losses), n, risk, lower, upper, area, area - _area(_best(losses))
    )


def _judged(
    y_true: ArrayLike,
    y_prob: Predicted,
    loss: ArrayLike | None,
    by: Doubt | ArrayLike,
    labels: Labels,
) -> tuple[Floats, Floats]:
    """Loss and doubt (n,) of each sample."""
    sample = class_sample(y_true, y_prob, labels, None)
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
        return losses, doubts(sample.p, answer, bounds, by)
    given = numbers(by, "by")
    if given.ndim != 1:
        raise ValueError(f"by has shape {given.shape}, expected one doubt for each sample, (n,)")
    check_same_length(y_true=sample.codes, by=given)
    return losses, given


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


def _running(losses: Floats, doubt: Floats) -> tuple[Floats, Floats, Indices]:
    """Mean loss of the k least doubted (n,), distinct doubts (b,), and the last place of each.

    Of equal doubts each place gets their mean loss: the mean over all orders.
    """
    order = np.argsort(doubt, kind="stable")
    values = doubt[order]
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    sizes = np.diff(ends, prepend=-1)
    sums = np.add.reduceat(losses[order], ends - sizes + 1)
    return _means(np.repeat(sums / sizes, sizes)), values[ends], ends


def _best(losses: Floats) -> Floats:
    return _means(np.sort(losses))


def _means(losses: Floats) -> Floats:
    return np.asarray(np.cumsum(losses) / np.arange(1, len(losses) + 1))


def _area(risks: Floats) -> float:
    """Trapezoidal mean over the shares; of one sample, its loss."""
    if len(risks) == 1:
        return float(risks[0])
    return float((risks.sum() - (risks[0] + risks[-1]) / 2) / (len(risks) - 1))


def risk_limits(
    risk: Floats, n: Indices, confidence: float, *, whole: bool
) -> tuple[Floats, Floats]:
    """Two-sided limits of an expected loss from the mean of n losses in [0, 1], 0 or 1 if `whole`.

    >>> low, high = risk_limits(np.array([0.0]), np.array([59]), 0.9, whole=True)
    >>> low, high.round(4)
    (array([0.]), array([0.0495]))
    """
    if whole:
        return share_limits(np.round(risk * n), n, confidence)
    tail = (1 - confidence) / 2
    return 1 - _upper(1 - risk, n, tail), _upper(risk, n, tail)


def _upper(risk: Floats, n: Indices, tail: float) -> Floats:
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
