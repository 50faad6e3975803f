"""Which calibrator to use, and why: a choice with its reasons in sentences.

`AutoCalibrator`, if it took part, is chosen unless its mean loss is more than two standard errors
above the least: it weighs many methods by the same samples, and has less of the luck that makes one
of them the best. Else the method of the least mean loss is chosen, or if there are too few samples
for it, the best within two standard errors for which there are enough. The study `calarena_small`
measures that beside the rule of one standard error, which takes the simplest method near the best,
and is too simple too often. The standard error is Nadeau and Bengio's, because training samples of
folds overlap. Holm's procedure tells which differences are significant.

Is the sample large enough? Rules of thumb with their source, and measurements of our own.

The rules forbid nothing: each gives a sentence about what is known for samples this small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dstheory.checks.arguments import number_of
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.evaluation.methods import (
    TOGETHER,
    UNCALIBRATED,
    complexity,
    complexity_text,
    is_automatic,
    of_a_class,
)
from evical.evaluation.validation import MEASURES, rarest
from evical.scores import ScoreCounts
from evical.scores.direction import direction
from evical.significance import corrected_t, holm_adjusted
from evical.significance.numbers import without_rounding

# Squared error E(q - p)^2 of training samples of 200, by that of LogisticCalibrator, where the true
# map is monotone: means of the kinds "monotone" and "overconfident" in docs/calibrator_quality.csv.
# At 1000 samples the order reverses if the true map is not logistic.
TIMES_LOGISTIC = {
    "ABBCalibrator": 2.0,
    "AdaptiveCalibrator": 1.7,
    "BBQCalibrator": 2.4,
    "BinningCalibrator": 2.7,
    "DPMCalibrator": 2.0,
    "ENIRCalibrator": 1.7,
    "IsotonicCalibrator": 2.0,
    "PiecewiseLogisticCalibrator": 1.5,
    "SBBCalibrator": 3.1,
}
FEW = 1000  # where isotonic regression catches up: Niculescu-Mizil & Caruana 2005, figure 8
SMALLEST_MEASURED = 200
PER_PARAMETER = 10  # Peduzzi et al. 1996
TO_JUDGE = 100  # Collins, Ogundimu & Altman 2016

_DENSITIES = ("KDECalibrator", "DPMCalibrator", "GaussianCalibrator", "AsymmetricLaplaceCalibrator")
# docs/reproductions/automatic_calibration.md has 50
_FOR_ANY_SIZE = ("AutoCalibrator", "AutoMulticlassCalibrator")
_DISTINCT = 20  # below, a density mostly describes the gaps between a few distinct values


def general_warnings(y: NDArray[np.int64]) -> list[str]:
    """Warnings that hold for any method.

    Parameters
    ----------
    y : (n,) array of 0 and 1

    Returns
    -------
    list of str

    Examples
    --------
    >>> general_warnings(np.repeat([0, 1], 200))
    []
    >>> print(general_warnings(np.repeat([0, 1], [200, 30]))[0])
    the rarer class has 30 samples: measures of calibration need at least 100 of it, better 200 \
(Collins, Ogundimu & Altman 2016)
    """
    rarer = int(np.bincount(y, minlength=2).min())
    if rarer >= TO_JUDGE:
        return []
    return [
        f"the {rarest(y)} class has {number_of(rarer, 'sample')}: measures of calibration need at "
        f"least {TO_JUDGE} of it, better 200 (Collins, Ogundimu & Altman 2016)"
    ]


def method_warnings(
    name: str, method: Any, scores: NDArray[np.float64], y: NDArray[np.int64]
) -> list[str]:
    """Warnings about a method on these samples.

    Parameters
    ----------
    name : str
    method : estimator
    scores : (n,) array
    y : (n,) array of 0 and 1

    Returns
    -------
    list of str
    """
    kind, n = type(of_a_class(method)).__name__, len(y)
    distinct, rarer = len(np.unique(scores)), int(np.bincount(y, minlength=2).min())
    found = [_few_for_a_curve(name, kind, complexity(method), n)]
    parameters = complexity(method)
    if 0 < parameters < 100 and rarer < PER_PARAMETER * parameters:
        found.append(
            f"{name} fits {parameters} parameters, but the {rarest(y)} class has "
            f"{number_of(rarer, 'sample')}, fewer than {PER_PARAMETER} for each (Peduzzi et al. "
            "1996)"
        )
    if kind in _DENSITIES and distinct < _DISTINCT:
        found.append(
            f"{name} fits densities, but there are {distinct} distinct scores; isotonic or "
            "binning needs no density"
        )
    elif distinct <= parameters < 100:
        found.append(f"{name} fits {parameters} parameters to {distinct} distinct scores")
    return [text for text in found if text]


def _few_for_a_curve(name: str, kind: str, level: int, n: int) -> str:
    if n >= FEW:
        return ""
    if kind in TIMES_LOGISTIC:
        source = "; Niculescu-Mizil & Caruana 2005" if kind == "IsotonicCalibrator" else ""
        return (
            f"{name} is very flexible, and {n} samples are fewer than {FEW}: with "
            f"{SMALLEST_MEASURED} its squared error was {TIMES_LOGISTIC[kind]:.1f} times that of "
            f"logistic (docs/calibrator_quality.md{source})"
        )
    if level >= 100 and level != TOGETHER and n < SMALLEST_MEASURED and kind not in _FOR_ANY_SIZE:
        return (
            f"{name} is flexible, and {n} samples are fewer than the {SMALLEST_MEASURED} it was "
            "tested with (docs/calibrator_quality.md)"
        )
    return ""


ALPHA = 0.05
_Z = float(stats.norm.isf(ALPHA / 2))
_MUCH = 1.1  # a log loss this many times the least comes from a few samples, not from all
# What `compare` goes by, in words.
CRITERIA = {"brier_score": "Brier score", "log_loss": "log loss"}


@dataclass(frozen=True)
class Difference(ShownFields):
    """A method against the best one, over folds.

    Parameters
    ----------
    method, other : str
        `other` is the method with the least mean loss.
    difference : float
        Mean loss of `method` less that of `other`.
    standard_error : float
        Its standard error, corrected for training samples that folds share.
    statistic, pvalue : float
        Corrected resampled t test (Nadeau & Bengio 2003), two-sided.
    adjusted : float
        The p-value by Holm's procedure for all methods against the best.
    """

    method: str
    other: str
    difference: float
    standard_error: float
    statistic: float
    pvalue: float
    adjusted: float


@dataclass(frozen=True)
class Recommendation(ShownFields):
    """A recommended method, with reasons and warnings.

    Parameters
    ----------
    method : str
        What is advised.
    best : str
        The method with the least mean loss.
    equivalents : tuple of str
        Methods that do not differ significantly from the best.
    reasons, warnings : tuple of str
        Sentences with numbers.
    """

    method: str
    best: str
    equivalents: tuple[str, ...]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"take {self.method}", *self.reasons]
        return "\n  ".join([*lines, *(f"beware: {text}" for text in self.warnings)])


def differences(methods: Sequence[str], losses: Floats, share: float) -> tuple[Difference, ...]:
    """Each other method against the best, by ascending mean loss.

    Parameters
    ----------
    methods : sequence of k str
    losses : (k, J) array
        Of J folds.
    share : float
        Test samples per training sample of a fold.

    Returns
    -------
    tuple of k - 1 Difference

    Examples
    --------
    >>> found = differences(["a", "b"], np.array([[0.2, 0.1], [0.3, 0.4]]), share=1.0)
    >>> round(found[0].difference, 2), round(found[0].standard_error, 3)
    (0.2, 0.173)
    """
    order = _ranking(methods, losses.mean(axis=1))
    best = order[0]
    tests = [corrected_t(losses[i], losses[best], share) for i in order[1:]]
    adjusted = holm_adjusted([test.pvalue for test in tests]) if tests else np.empty(0)
    found = []
    for i, test, level in zip(order[1:], tests, adjusted, strict=True):
        gaps = losses[i] - losses[best]
        error = float(np.sqrt((1 / len(gaps) + share) * gaps.var(ddof=1)))
        found.append(
            Difference(
                methods[i],
                methods[best],
                test.difference,
                error,
                test.statistic,
                test.pvalue,
                float(level),
            )
        )
    return tuple(found)


def recommend(
    estimators: dict[str, Any],
    values: Floats,
    found: tuple[Difference, ...],
    criterion: str,
    scores: Floats,
    y: NDArray[np.int64],
) -> Recommendation:
    """The method to take by the rule of this module, with reasons.

    Parameters
    ----------
    estimators : dict of k str to estimator
    values : (k, J, n_measures) array
    found : tuple of k - 1 Difference
    criterion : str
    scores : (n,) or (n, K) array
    y : (n,) array of 0 and 1, or of 0 to K - 1

    Returns
    -------
    Recommendation
    """
    names = list(estimators)
    means = dict(zip(names, values[:, :, MEASURES.index(criterion)].mean(axis=1), strict=True))
    best = found[0].other if found else names[0]
    seen = [one for one in found if one.adjusted > ALPHA]
    short = {name for name in names if method_warnings(name, estimators[name], scores, y)}
    chosen = _chosen(best, _within_two(best, found), estimators, short)
    reasons = [
        _best_text(best, means[best], criterion, values.shape[1]),
        *_choice_texts(chosen, best, estimators, found, criterion),
        *_seen_texts(best, seen, found, criterion, values.shape[1]),
        *_gain_texts(chosen, means, criterion, seen, best),
    ]
    warnings = [
        *general_warnings(y),
        *method_warnings(chosen, estimators[chosen], scores, y),
        *_others_warning(chosen, estimators, scores, y),
        *_ranking_warnings(scores, y),
        *_certainty_warnings(chosen, names, values, criterion),
    ]
    equivalents = tuple(one.method for one in seen)
    return Recommendation(chosen, best, equivalents, tuple(reasons), tuple(warnings))


def _within_two(best: str, found: tuple[Difference, ...]) -> list[str]:
    """The best method and all within two standard errors of it, by ascending loss."""
    return [best, *(one.method for one in found if one.difference <= 2 * one.standard_error)]


def _chosen(best: str, near: list[str], estimators: dict[str, Any], short: set[str]) -> str:
    """Out of the methods near the best, by ascending loss; for those in `short` samples lack."""
    automatic = [name for name in near if is_automatic(estimators[name])]
    enough = [name for name in near if name not in short]
    return [*automatic, *enough, best][0]


def _ranking(methods: Sequence[str], means: Floats) -> list[int]:
    """Positions by mean loss, ties within rounding by name."""
    rounded = without_rounding(means, np.abs(means).max()).tolist()
    return sorted(range(len(methods)), key=lambda i: (rounded[i], methods[i]))


def _best_text(best: str, mean: float, criterion: str, n_folds: int) -> str:
    return f"{best} has the lowest mean {CRITERIA[criterion]}, {mean:.4f} over {n_folds} folds"


def _choice_texts(
    chosen: str,
    best: str,
    estimators: dict[str, Any],
    found: tuple[Difference, ...],
    criterion: str,
) -> list[str]:
    taken = estimators[chosen]
    level = complexity_text(complexity(taken))
    level += " for each class" if of_a_class(taken) is not taken else ""
    if not found:
        return [f"it is the only method that was tried, and {level}"]
    if chosen == best:
        other = found[0]
        gap = f"{other.difference:.2g}"
        return [
            f"it {level}; the next, {other.method}, is {gap} worse, with a standard error of "
            f"{other.standard_error:.2g}"
        ]
    one = next(one for one in found if one.method == chosen)
    why = (
        f"{chosen} averages many methods, so selection bias affects it less than the best one"
        if is_automatic(estimators[chosen])
        else f"{chosen} ({level}) needs fewer samples than {best}"
    )
    return [
        f"{why}; its {CRITERIA[criterion]} is {one.difference:.2g} higher than that of {best}, "
        f"less than two standard errors of the difference ({one.standard_error:.2g} each)"
    ]


def _seen_texts(
    best: str,
    seen: list[Difference],
    found: tuple[Difference, ...],
    criterion: str,
    n_folds: int,
) -> list[str]:
    """Which differences are more than chance, and how small a one could have been seen."""
    texts = []
    clear = [one for one in found if one.adjusted <= ALPHA]
    if seen:
        names = ", ".join(one.method for one in seen)
        # Half of all true differences of this size come out significant.
        least = float(stats.t.isf(ALPHA / 2, n_folds - 1)) * max(one.standard_error for one in seen)
        texts.append(
            f"{best} does not differ significantly from {names} at the level of {ALPHA:.0%} "
            f"(smallest p = {min(one.adjusted for one in seen):.2g}, corrected t test, Holm); a "
            f"true difference of {least:.2g} would be detected only half the time"
        )
    if clear:
        names = ", ".join(one.method for one in clear)
        texts.append(
            f"{names}: significantly worse (largest p = {max(one.adjusted for one in clear):.2g})"
        )
    return texts


def _gain_texts(
    chosen: str, means: dict[str, float], criterion: str, seen: list[Difference], best: str
) -> list[str]:
    """What calibration gains against scores that are probabilities already."""
    if UNCALIBRATED not in means:
        return []
    if chosen == UNCALIBRATED:
        return ["no method improves the uncalibrated probabilities significantly"]
    change = f"from {means[UNCALIBRATED]:.4f} to {means[chosen]:.4f}"
    if UNCALIBRATED in [best, *(one.method for one in seen)]:
        return [
            f"calibration brings no significant gain: the {CRITERIA[criterion]} changes {change}"
        ]
    return [f"calibration lowers the {CRITERIA[criterion]} of the uncalibrated scores {change}"]


def _others_warning(
    chosen: str, estimators: dict[str, Any], scores: Floats, y: NDArray[np.int64]
) -> list[str]:
    """One sentence on all methods that were tried on too few samples for them."""
    names = sorted(
        name
        for name, method in estimators.items()
        if name != chosen and method_warnings(name, method, scores, y)
    )
    if not names:
        return []
    return [
        f"{len(y)} samples with {len(np.unique(scores))} distinct scores are few for "
        f"{', '.join(names)}: more samples may change their ranking"
    ]


def _ranking_warnings(scores: Floats, y: NDArray[np.int64]) -> list[str]:
    if scores.ndim == 2:
        return []
    found = direction(ScoreCounts.from_samples(scores, y))
    if found.z >= -_Z:
        return []
    return [
        f"the area under the ROC curve of the scores is {found.area:.2f}: negative samples have "
        "the higher scores; are these scores of the other class?"
    ]


def _certainty_warnings(chosen: str, names: list[str], values: Floats, criterion: str) -> list[str]:
    """The Brier score forgives what the log loss does not."""
    if criterion == "log_loss":
        return []
    means = values[:, :, MEASURES.index("log_loss")].mean(axis=1)
    losses = dict(zip(names, means.tolist(), strict=True))
    least = min(losses, key=lambda name: (losses[name], name))
    if losses[chosen] <= _MUCH * losses[least]:
        return []
    return [
        f"the log loss of {chosen} is {losses[chosen]:.3f}, that of {least} {losses[least]:.3f}: "
        f"{chosen} makes some confident errors"
    ]
