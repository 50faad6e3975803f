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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
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
    adjusted = holm_adjusted([test.pvalue for test in tests]).tolist()
    found = []
    for i, test, level in zip(order[1:], tests, adjusted, strict=True):
        pair, gaps = (methods[i], methods[best]), losses[i] - losses[best]
        error = float(np.sqrt((1 / len(gaps) + share) * gaps.var(ddof=1)))
        numbers = (test.difference, error, test.statistic, test.pvalue, level)
        found.append(Difference(*pair, *numbers))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Choice:
    """A choice by the rule of this module, with reasons.

    Parameters
    ----------
    estimators : dict of k str to estimator
    values : (k, J, n_measures) array
    found : tuple of k - 1 Difference
    criterion : str
    scores : (n,) or (n, K) array
    y : (n,) array of 0 and 1, or of 0 to K - 1
    weight : (n,) array, optional
    """

    estimators: dict[str, Any]
    values: Floats
    found: tuple[Difference, ...]
    criterion: str
    scores: Floats
    y: NDArray[np.int64]
    weight: Floats | None = None

    def recommendation(self) -> Recommendation:
        """The method to take, with the reasons and what to beware of."""
        equivalents = tuple(one.method for one in self.seen)
        reasons, warnings = tuple(self.reasons()), tuple(self.warnings())
        return Recommendation(self.chosen, self.best, equivalents, reasons, warnings)

    @property
    def best(self) -> str:
        """The method of least mean loss."""
        return self.found[0].other if self.found else next(iter(self.estimators))

    @property
    def seen(self) -> list[Difference]:
        """Methods that do not differ significantly from the best one."""
        return [one for one in self.found if one.adjusted > ALPHA]

    @cached_property
    def chosen(self) -> str:
        """Out of all within two standard errors of the best, by ascending loss."""
        near = [one.method for one in self.found if one.difference <= 2 * one.standard_error]
        near = [self.best, *near]
        automatic = [name for name in near if is_automatic(self.estimators[name])]
        enough = [name for name in near if not self._cautions(name)]
        return [*automatic, *enough, self.best][0]

    def means(self, measure: str) -> dict[str, float]:
        """Mean of a measure over the folds, by method."""
        means = self.values[:, :, MEASURES.index(measure)].mean(axis=1)
        return dict(zip(self.estimators, means.tolist(), strict=True))

    def reasons(self) -> Iterator[str]:
        """Why this method, what differs significantly, and what calibration gains."""
        loss, n_folds = CRITERIA[self.criterion], self.values.shape[1]
        mean = self.means(self.criterion)[self.best]
        yield f"{self.best} has the lowest mean {loss}, {mean:.4f} over {n_folds} folds"
        yield self._why()
        yield from self._differences(n_folds)
        yield from self._gain(loss)

    def warnings(self) -> Iterator[str]:
        """What to beware of, of these samples and of methods."""
        yield from general_warnings(self.y)
        yield from self._cautions(self.chosen)
        yield from self._few_samples()
        yield from self._reversed_scores()
        yield from self._confident_errors()

    def _cautions(self, name: str) -> list[str]:
        return method_warnings(name, self.estimators[name], self.scores, self.y)

    def _why(self) -> str:
        chosen, best, taken = self.chosen, self.best, self.estimators[self.chosen]
        level = complexity_text(complexity(taken))
        level += " for each class" if of_a_class(taken) is not taken else ""
        if not self.found:
            return f"it is the only method that was tried, and {level}"
        if chosen == best:
            other = self.found[0]
            return (
                f"it {level}; the next, {other.method}, is {other.difference:.2g} worse, with a "
                f"standard error of {other.standard_error:.2g}"
            )
        one = next(one for one in self.found if one.method == chosen)
        why = (
            f"{chosen} averages many methods, so selection bias affects it less than the best one"
            if is_automatic(taken)
            else f"{chosen} ({level}) needs fewer samples than {best}"
        )
        return (
            f"{why}; its {CRITERIA[self.criterion]} is {one.difference:.2g} higher than that of "
            f"{best}, less than two standard errors of the difference ({one.standard_error:.2g} "
            "each)"
        )

    def _differences(self, n_folds: int) -> Iterator[str]:
        """Which differences are significant, and how small a one could have been seen."""
        if seen := self.seen:
            # Half of all true differences of this size come out significant.
            error = max(one.standard_error for one in seen)
            least = float(stats.t.isf(ALPHA / 2, n_folds - 1)) * error
            yield (
                f"{self.best} does not differ significantly from {_names(seen)} at the level of "
                f"{ALPHA:.0%} (smallest p = {min(one.adjusted for one in seen):.2g}, corrected t "
                f"test, Holm); a true difference of {least:.2g} would be detected only half the "
                "time"
            )
        if clear := [one for one in self.found if one.adjusted <= ALPHA]:
            largest = max(one.adjusted for one in clear)
            yield f"{_names(clear)}: significantly worse (largest p = {largest:.2g})"

    def _gain(self, loss: str) -> Iterator[str]:
        """What calibration gains against scores that are probabilities already."""
        means = self.means(self.criterion)
        if UNCALIBRATED not in means:
            return
        change = f"from {means[UNCALIBRATED]:.4f} to {means[self.chosen]:.4f}"
        if self.chosen == UNCALIBRATED:
            yield "no method improves the uncalibrated probabilities significantly"
        elif UNCALIBRATED in [self.best, *(one.method for one in self.seen)]:
            yield f"calibration brings no significant gain: the {loss} changes {change}"
        else:
            yield f"calibration lowers the {loss} of the uncalibrated scores {change}"

    def _few_samples(self) -> Iterator[str]:
        """One sentence on all methods that were tried on too few samples for them."""
        names = sorted(
            name for name in self.estimators if name != self.chosen and self._cautions(name)
        )
        if names:
            yield (
                f"{len(self.y)} samples with {len(np.unique(self.scores))} distinct scores are few "
                f"for {', '.join(names)}: more samples may change their ranking"
            )

    def _reversed_scores(self) -> Iterator[str]:
        if self.scores.ndim == 2:
            return
        found = direction(ScoreCounts.from_samples(self.scores, self.y, self.weight))
        if found.z < -_Z:
            yield (
                f"the area under the ROC curve of the scores is {found.area:.2f}: negative samples "
                "have the higher scores; are these scores of the other class?"
            )

    def _confident_errors(self) -> Iterator[str]:
        """The Brier score forgives what the log loss does not."""
        losses, chosen = self.means("log_loss"), self.chosen
        least = min(losses, key=lambda name: (losses[name], name))
        if self.criterion != "log_loss" and losses[chosen] > _MUCH * losses[least]:
            yield (
                f"the log loss of {chosen} is {losses[chosen]:.3f}, that of {least} "
                f"{losses[least]:.3f}: {chosen} makes some confident errors"
            )


def _names(found: Iterable[Difference]) -> str:
    return ", ".join(one.method for one in found)


def _ranking(methods: Sequence[str], means: Floats) -> list[int]:
    """Positions by mean loss, ties within rounding by name."""
    rounded = without_rounding(means, np.abs(means).max()).tolist()
    return sorted(range(len(methods)), key=lambda i: (rounded[i], methods[i]))
