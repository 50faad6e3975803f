"""Tables of one set of predictions: measures, tests, bins, widths, reject.

Every share has a Clopper-Pearson interval, every measure its bootstrap interval where it has one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.conformal.control import Promise, answered_promise
from evical.evaluation import Evaluation
from evical.metrics import binomial_test, coverage_test
from evical.metrics.coverage import BeliefCoverage
from evical.metrics.goodness import share_limits
from evical.metrics.report import Measure
from evical.report._numbers import count, fixed, metric_name, named, p_cell, percent
from evical.report.page import Row, Table
from evical.significance import holm_adjusted

PROBABILITY_TESTS = ("spiegelhalter_test", "kolmogorov_smirnov_test", "kuiper_test")
BELIEF_TESTS = ("coverage_test", "interval_calibration_test")
# Smallest beliefs for which the report shows what would be decided.
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
# Errors of the answers that may be wanted.
_BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.2)
LEVEL = 0.05
_N_BINS = 10
_N_GROUPS = 8


def has_beliefs(evaluation: Evaluation) -> bool:
    """Whether there are belief functions that are more than probabilities."""
    bel, pl = beliefs(evaluation)
    return bool((pl - bel > 1e-9).any())


def beliefs(evaluation: Evaluation) -> tuple[Floats, Floats]:
    """Belief and plausibility of the positive class, or its probability twice."""
    if evaluation.bel is None or evaluation.pl is None:
        return evaluation.probability, evaluation.probability
    return evaluation.bel, evaluation.pl


def measures_tables(evaluation: Evaluation) -> tuple[Table, ...]:
    """Every measure that is not a test: those with limits, the most used ones, then the others."""
    limits_of = {one.name: (one.low, one.high) for one in evaluation.intervals}
    shown = [one for one in evaluation.report if not one.name.endswith("_test")]
    if not has_beliefs(evaluation):
        imprecise = {"mean_imprecision", "evidential_log_likelihood", "belief_coverage"}
        shown = [one for one in shown if one.name not in imprecise]
    number = f"{count(len(evaluation.y))} samples"
    limits = f"with {evaluation.confidence:.0%} confidence limits ({evaluation.how})"
    parts = {
        f"Measures of {number}, {limits}.": [one for one in shown if one.name in limits_of],
        f"Further measures of {number}.": [one for one in shown if one.name not in limits_of],
    }
    return tuple(
        Table(
            text,
            ("Measure",),
            ("Value", "From", "To") if measures[0].name in limits_of else ("Value",),
            tuple(_measure_row(one, limits_of.get(one.name, ())) for one in measures),
            tuple((metric_name(one.name), one.definition) for one in measures),
        )
        for text, measures in parts.items()
        if measures
    )


def _measure_row(measure: Measure, limits: tuple[float, ...]) -> Row:
    values = (measure.value, *limits)
    cells = tuple(fixed(value, 4) for value in values)
    return Row((metric_name(measure.name),), cells, values=values)


def adjusted_tests(evaluation: Evaluation, names: tuple[str, ...]) -> list[tuple[Measure, float]]:
    """Tests of a family with p-values adjusted by Holm's procedure."""
    known = {one.name: one for one in evaluation.report}
    tests = [known[name] for name in names if name in known]
    if not tests:
        return []
    adjusted = holm_adjusted([one.value for one in tests])
    return [(one, float(p)) for one, p in zip(tests, adjusted, strict=True)]


def tests_table(evaluation: Evaluation) -> Table:
    """Tests of calibration of probabilities and, of beliefs, of their intervals."""
    families: list[tuple[str, tuple[str, ...]]] = [("probabilities", PROBABILITY_TESTS)]
    if has_beliefs(evaluation):
        families.append(("belief intervals", BELIEF_TESTS))
    rows, notes = [], []
    for family, names in families:
        for test, adjusted in adjusted_tests(evaluation, names):
            values = (test.value, adjusted)
            cells = tuple(map(p_cell, values))
            rows.append(Row((family, metric_name(test.name)), cells, values=values))
            notes.append((metric_name(test.name), test.definition.removeprefix("p-value: ")))
    return Table(
        "Tests of calibration: a small p-value is evidence against it. Adjusted for the number "
        "of tests of a family by Holm's procedure.",
        ("Tested", "Test"),
        ("p-value", "Adjusted"),
        tuple(rows),
        tuple(notes),
    )


def reliability_table(evaluation: Evaluation) -> Table:
    """What was predicted in bins of equal frequency, and what happened."""
    bins = binomial_test(
        evaluation.y, evaluation.probability, n_bins=_N_BINS, sample_weight=evaluation.weight
    )
    low, high = share_limits(bins.observed * bins.size, bins.size, evaluation.confidence)
    rows = [
        _share_row(i, size, (predicted,), share, limits, adjusted)
        for i, (size, predicted, share, adjusted, *limits) in enumerate(
            zip(bins.size, bins.predicted, bins.observed, bins.adjusted, low, high, strict=True), 1
        )
    ]
    return Table(
        f"Predicted and observed in {len(rows)} bins of equal frequency; limits of the observed "
        f"share are Clopper & Pearson's at {evaluation.confidence:.0%}. p is that of the bin, "
        "adjusted for their number by Sidak's formula.",
        ("Bin",),
        ("Samples", "Predicted", "Observed", "From", "To", "p"),
        tuple(rows),
    )


def _share_row(
    number: int,
    size: float,
    predicted: tuple[float, ...],
    share: float,
    limits: Iterable[float],
    pvalue: float,
) -> Row:
    values = (float(size), *map(float, (*predicted, share, *limits)), float(pvalue))
    cells = (count(size), *(fixed(v) for v in values[1:-1]), p_cell(pvalue))
    return Row((str(number),), cells, values=values)


def covered_bins(evaluation: Evaluation) -> BeliefCoverage:
    """Bins of equal frequency with their mean belief intervals and observed shares."""
    bounds = np.stack(beliefs(evaluation), axis=1)
    return coverage_test(evaluation.y, bounds, n_bins=_N_BINS, sample_weight=evaluation.weight)


def coverage_table(evaluation: Evaluation) -> Table:
    """Mean belief intervals of bins, and whether the observed share lies within."""
    found = covered_bins(evaluation)
    rows = []
    columns = (found.size, found.bel, found.pl, found.observed, found.covered, found.adjusted)
    for i, (size, bel, pl, share, inside, adjusted) in enumerate(zip(*columns, strict=True), 1):
        row = _share_row(i, size, (bel, pl), share, (), adjusted)
        rows.append(
            Row(
                row.head,
                (*row.cells[:-1], _within(inside, adjusted), row.cells[-1]),
                values=(*row.values[:-1], None, row.values[-1]),
            )
        )
    return Table(
        "Mean belief and plausibility in bins of equal frequency of the probability, and the "
        "observed share of the positive class. p is that of the hypothesis that the probability "
        "of the bin lies within the interval, adjusted for the number of bins.",
        ("Bin",),
        ("Samples", "Belief", "Plausibility", "Observed", "Within", "p"),
        tuple(rows),
        (("but for chance", "outside, by no more than chance explains: p is at least 0.05"),),
    )


def _within(inside: bool, pvalue: float) -> str:
    if inside:
        return "yes"
    return "no" if pvalue < LEVEL else "but for chance"


def groups_along(evaluation: Evaluation) -> list[NDArray[np.intp]]:
    """Rows of groups of about equal size along the scores, or the probabilities."""
    values = evaluation.probability if evaluation.scores is None else evaluation.scores
    edges = np.unique(np.quantile(values, np.linspace(0, 1, _N_GROUPS + 1)[1:-1]))
    # Equal values stay together.
    number = np.searchsorted(edges, values, side="left")
    return [np.flatnonzero(number == i) for i in np.unique(number)]


def width_table(evaluation: Evaluation) -> Table:
    """How wide the belief intervals are along the scores."""
    bel, pl = beliefs(evaluation)
    values = evaluation.probability if evaluation.scores is None else evaluation.scores
    what = "probability" if evaluation.scores is None else "score"
    widths = pl - bel
    rows = []
    for i, members in enumerate(groups_along(evaluation), 1):
        inside, width = values[members], widths[members]
        numbers = (inside.min(), inside.max(), len(members), width.mean(), width.max())
        least, most, size, mean, top = map(float, numbers)
        cells = (f"{least:.4g}", f"{most:.4g}", count(size), fixed(mean), fixed(top))
        rows.append(Row((str(i),), cells, values=(least, most, size, mean, top)))
    return Table(
        f"Width of the belief intervals, Pl - Bel, in groups of about equal size along the {what}.",
        ("Group",),
        (f"From {what}", f"To {what}", "Samples", "Mean width", "Greatest width"),
        tuple(rows),
    )


def reject_table(evaluation: Evaluation) -> Table:
    """How many samples are decided at a threshold of belief, and how many of them wrongly."""
    bel, pl = beliefs(evaluation)
    support = np.stack([1 - pl, bel])
    rows = [_reject_row(evaluation, support, threshold) for threshold in _THRESHOLDS]
    negative, positive = map(named, evaluation.class_names)
    return Table(
        "A sample is decided for the class of greater belief if that belief is at least the "
        "threshold, and sent to reject otherwise. Error rates are of decided samples, with "
        f"Clopper & Pearson's {evaluation.confidence:.0%} limits; counts are without weights.",
        ("Threshold",),
        (
            "Decided",
            "Of all",
            "By probability",
            "False alarms",
            "Misses",
            "Errors",
            "Error rate",
            "From",
            "To",
        ),
        tuple(rows),
        (
            ("False alarms", f"decided for {positive}, in truth {negative}"),
            ("Misses", f"decided for {negative}, in truth {positive}"),
            (
                "By probability",
                "share that would be decided if the probability were taken for the belief",
            ),
        ),
    )


@dataclass(frozen=True)
class Answers:
    """The likeliest class as the answer to each sample, and what was promised for answers.

    Parameters
    ----------
    wrong : (n,) array
        Whether it is wrong, as 0 and 1.
    doubt : (n,) array
        One less its probability.
    level : float
        Confidence of limits.
    promise : Promise, optional
    """

    wrong: Floats
    doubt: Floats
    level: float
    promise: Promise | None = None

    @classmethod
    def of(cls, evaluation: Evaluation) -> "Answers":
        """Those of two classes."""
        p = evaluation.probability
        wrong = ((p > 0.5) != (evaluation.y == 1)).astype(np.float64)
        return cls(wrong, np.minimum(p, 1 - p), evaluation.confidence, evaluation.answers)


def answers_table(answers: Answers) -> Table:
    """How many samples could be answered so that the error of the answers keeps a bound."""
    level = answers.level
    found = [answered_promise(answers.wrong, answers.doubt, one, level) for one in _BOUNDS]
    return Table(
        "How many samples could be answered by the likeliest class, and the others asked about, so "
        f"that new samples like these keep the bound of the error of the answers with {level:.0%} "
        "confidence, for each bound alone (exact tests of limits of doubt; without weights).",
        ("Error at most",),
        ("Answered", "Of all", "Above probability", "Wrong", "Error rate", "Samples needed"),
        tuple(map(_answers_row, found)),
        (
            ("Above probability", "of the likeliest class, from which on it is answered"),
            ("Samples needed", "about how many like these would do where these are too few"),
        ),
    )


def _answers_row(one: Promise) -> Row:
    head, least = (percent(one.bound),), 1 - one.limit
    if not one.kept:
        needed = "no number" if one.n_needed is None else count(one.n_needed)
        nothing = (0.0, 0.0, None, None, None, float(one.n_needed or np.inf))
        return Row(head, ("0", percent(0), "–", "–", "–", needed), values=nothing)
    wrong, share = round(one.risk * one.n_answered), one.n_answered / one.n_samples
    every = one.limit == np.inf
    cells = (
        count(one.n_answered),
        percent(share),
        "–" if every else fixed(least),
        count(wrong),
        percent(one.risk),
        "these do",
    )
    values = (float(one.n_answered), share, None if every else least, float(wrong), one.risk, 0.0)
    return Row(head, cells, values=values)


def _reject_row(evaluation: Evaluation, support: Floats, threshold: float) -> Row:
    n = len(evaluation.y)
    decided = (support.max(axis=0) >= threshold) & (support[0] != support[1])
    p = evaluation.probability
    sure = (np.maximum(p, 1 - p) >= threshold) & (p != 0.5)
    size = int(decided.sum())
    alarm = support[1] > support[0]
    false_alarms = int((decided & alarm & (evaluation.y == 0)).sum())
    misses = int((decided & ~alarm & (evaluation.y == 1)).sum())
    wrong = false_alarms + misses
    rate = wrong / size if size else np.nan
    limits = share_limits(wrong, size, evaluation.confidence)
    low, high = (float(v) if size else np.nan for v in limits)
    shares = (size / n, float(sure.mean()))
    values = (size, *shares, false_alarms, misses, wrong, rate, low, high)
    cells = (
        count(size),
        *map(percent, shares),
        count(false_alarms),
        count(misses),
        count(wrong),
        percent(rate),
        percent(low),
        percent(high),
    )
    return Row((f"{threshold:g}",), cells, values=tuple(map(float, values)))
