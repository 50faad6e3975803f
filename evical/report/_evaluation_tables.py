"""Tables of one set of predictions: measures, tests, bins, widths, reject.

Every share has a Clopper-Pearson interval, every measure its bootstrap interval where it has one.
"""

from collections.abc import Iterable, Mapping, Sequence
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
from evical.report._numbers import count, fixed, fixed4, metric_name, named, p_cell, percent
from evical.report.page import Cell, Table, notes
from evical.significance import holm_adjusted

PROBABILITY_TESTS = ("spiegelhalter_test", "kolmogorov_smirnov_test", "kuiper_test")
BELIEF_TESTS = ("coverage_test", "interval_calibration_test")
# Smallest beliefs for which the report shows what would be decided.
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
# Errors of the answers that may be wanted.
_BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.2)
LEVEL = 0.05
_N_BINS = 10


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
    main = [one for one in shown if one.name in limits_of]
    further = [one for one in shown if one.name not in limits_of]
    return (
        measures_table(f"Measures of {number}, {limits}.", main, limits_of),
        measures_table(f"Further measures of {number}.", further, {}),
    )


def measures_table(
    text: str, measures: Sequence[Measure], limits_of: Mapping[str, tuple[float, float]]
) -> Table:
    """Values of measures, with limits if there are any, and their definitions."""
    cells = [(one.value, *limits_of.get(one.name, ())) for one in measures]
    names = [metric_name(one.name) for one in measures]
    columns = ("Value", "From", "To") if limits_of else ("Value",)
    formats = dict.fromkeys(columns, fixed4)
    notes = zip(names, (one.definition for one in measures), strict=True)
    return Table.of(text, "Measure", formats, zip(names, cells, strict=True), tuple(notes))


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
            rows.append(((family, metric_name(test.name)), (test.value, adjusted)))
            notes.append((metric_name(test.name), test.definition.removeprefix("p-value: ")))
    return Table.of(
        "Tests of calibration: a small p-value is evidence against it. Adjusted for the number "
        "of tests of a family by Holm's procedure.",
        ("Tested", "Test"),
        dict.fromkeys(("p-value", "Adjusted"), p_cell),
        rows,
        tuple(notes),
    )


def reliability_table(evaluation: Evaluation) -> Table:
    """What was predicted in bins of equal frequency, and what happened."""
    bins = binomial_test(
        evaluation.y, evaluation.probability, n_bins=_N_BINS, sample_weight=evaluation.weight
    )
    low, high = share_limits(bins.observed * bins.size, bins.size, evaluation.confidence)
    columns = (bins.size, bins.predicted, bins.observed, low, high, bins.adjusted)
    return Table.of(
        f"Predicted and observed in {len(bins.size)} bins of equal frequency; limits of the "
        f"observed share are Clopper & Pearson's at {evaluation.confidence:.0%}. p is that of the "
        "bin, adjusted for their number by Sidak's formula.",
        "Bin",
        {
            "Samples": count,
            **dict.fromkeys(("Predicted", "Observed", "From", "To"), fixed),
            "p": p_cell,
        },
        _numbered(zip(*columns, strict=True)),
    )


def _numbered(rows: Iterable[Iterable[Cell]]) -> list[tuple[str, Iterable[Cell]]]:
    return [(str(number), row) for number, row in enumerate(rows, 1)]


def covered_bins(evaluation: Evaluation) -> BeliefCoverage:
    """Bins of equal frequency with their mean belief intervals and observed shares."""
    bounds = np.stack(beliefs(evaluation), axis=1)
    return coverage_test(evaluation.y, bounds, n_bins=_N_BINS, sample_weight=evaluation.weight)


def coverage_table(evaluation: Evaluation) -> Table:
    """Mean belief intervals of bins, and whether the observed share lies within."""
    found = covered_bins(evaluation)
    within = map(_within, found.covered, found.adjusted)
    columns = (found.size, found.bel, found.pl, found.observed, within, found.adjusted)
    return Table.of(
        "Mean belief and plausibility in bins of equal frequency of the probability, and the "
        "observed share of the positive class. p is that of the hypothesis that the probability "
        "of the bin lies within the interval, adjusted for the number of bins.",
        "Bin",
        {
            "Samples": count,
            **dict.fromkeys(("Belief", "Plausibility", "Observed"), fixed),
            "Within": str,
            "p": p_cell,
        },
        _numbered(zip(*columns, strict=True)),
        (("but for chance", "outside, by no more than chance explains: p is at least 0.05"),),
    )


def _within(inside: bool, pvalue: float) -> str:
    if inside:
        return "yes"
    return "no" if pvalue < LEVEL else "but for chance"


def along(evaluation: Evaluation) -> tuple[Floats, str]:
    """The scores, or the probabilities, along which samples are shown, and what they are."""
    if evaluation.scores is None:
        return evaluation.probability, "probability"
    return evaluation.scores, "score"


def equal_groups(values: Floats, n_groups: int = 8) -> list[NDArray[np.intp]]:
    """Rows of groups of about equal size along ascending values."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, n_groups + 1)[1:-1]))
    # Equal values stay together.
    number = np.searchsorted(edges, values, side="left")
    return [np.flatnonzero(number == i) for i in np.unique(number)]


def width_table(evaluation: Evaluation) -> Table:
    """How wide the belief intervals are along the scores."""
    bel, pl = beliefs(evaluation)
    values, what = along(evaluation)
    widths = pl - bel
    rows = []
    for members in equal_groups(values):
        inside, width = values[members], widths[members]
        rows.append((inside.min(), inside.max(), len(members), width.mean(), width.max()))
    return Table.of(
        f"Width of the belief intervals, Pl - Bel, in groups of about equal size along the {what}.",
        "Group",
        {
            **dict.fromkeys((f"From {what}", f"To {what}"), "{:.4g}".format),
            "Samples": count,
            **dict.fromkeys(("Mean width", "Greatest width"), fixed),
        },
        _numbered(rows),
    )


def reject_table(evaluation: Evaluation) -> Table:
    """How many samples are decided at a threshold of belief, and how many of them wrongly."""
    bel, pl = beliefs(evaluation)
    support = np.stack([1 - pl, bel])
    rows = ((f"{t:g}", _rejected(evaluation, support, t)) for t in _THRESHOLDS)
    negative, positive = map(named, evaluation.class_names)
    return Table.of(
        "A sample is decided for the class of greater belief if that belief is at least the "
        "threshold, and sent to reject otherwise. Error rates are of decided samples, with "
        f"Clopper & Pearson's {evaluation.confidence:.0%} limits; counts are without weights.",
        "Threshold",
        {
            "Decided": count,
            **dict.fromkeys(("Of all", "By probability"), percent),
            **dict.fromkeys(("False alarms", "Misses", "Errors"), count),
            **dict.fromkeys(("Error rate", "From", "To"), percent),
        },
        rows,
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
    weight : (n,) array, optional
    """

    wrong: Floats
    doubt: Floats
    level: float
    promise: Promise | None = None
    weight: Floats | None = None

    @classmethod
    def of(cls, evaluation: Evaluation) -> "Answers":
        """Those of two classes."""
        p = evaluation.probability
        wrong = ((p > 0.5) != (evaluation.y == 1)).astype(np.float64)
        doubt, level = np.minimum(p, 1 - p), evaluation.confidence
        return cls(wrong, doubt, level, evaluation.answers, evaluation.weight)


def answers_table(answers: Answers) -> Table:
    """How many samples could be answered so that the error of the answers keeps a bound."""
    level = answers.level
    found = [answered_promise(answers.wrong, answers.doubt, one, level) for one in _BOUNDS]
    return Table.of(
        "How many samples could be answered by the likeliest class, and the others asked about, so "
        f"that new samples like these keep the bound of the error of the answers with {level:.0%} "
        "confidence, for each bound alone (exact tests of limits of doubt; without weights).",
        "Error at most",
        {
            "Answered": count,
            "Of all": percent,
            "Above probability": fixed,
            "Wrong": count,
            "Error rate": percent,
            "Samples needed": count,
        },
        ((percent(one.bound), _answered(one)) for one in found),
        notes("columns: answers"),
    )


def _answered(one: Promise) -> tuple[Cell, ...]:
    """Cells of a bound; a dash where there is no number."""
    none: Cell = ("–", None)
    if not one.kept:
        needed: Cell = ("no number", np.inf) if one.n_needed is None else one.n_needed
        return 0, 0.0, none, none, none, needed
    share, wrong = one.n_answered / one.n_samples, round(one.risk * one.n_answered)
    least = none if one.limit == np.inf else 1 - one.limit
    return one.n_answered, share, least, wrong, one.risk, ("these do", 0.0)


def _rejected(evaluation: Evaluation, support: Floats, threshold: float) -> tuple[Cell, ...]:
    """Cells of a threshold."""
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
    limits = share_limits(wrong, size, evaluation.confidence) if size else (np.nan, np.nan)
    return size, size / n, sure.mean(), false_alarms, misses, wrong, rate, *limits
