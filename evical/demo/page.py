"""The page of the demo: sentences that are computed from the numbers, and tables.

A difference is called clear beyond two standard errors of its paired mean; otherwise the sentence
says that it is not. The winner is named, whether it is the paper's proposal or not.
"""

import csv
import io
import math
from collections import Counter

from evical._versions import all_versions
from evical.datasets import Dataset
from evical.demo.contest import (
    BIN_EDGES,
    LEARNED,
    METRICS,
    RECOMMENDED,
    STACKED,
    Contest,
    Method,
    Metric,
    sizes_of,
)
from evical.evaluation.estimate import Estimate
from evical.report import Page, Picture, Row, Section, Table

__all__ = ["demo_page", "differences_table", "findings", "protocol", "results_table", "table_csv"]

_LIKELIHOOD = Method("logistic", "likelihood")
_BAYESIAN = Method("logistic", "bayesian")
_LOSSES = METRICS[:3]  # lower is better; the other metrics describe, and do not rank
_NAMES = {
    "largest": "the largest classifier alone",
    "size_mixture": "the weighted mean of the probabilities",
    "dempster": 'Dempster\'s rule on beliefs, rule="dempster"',
}


def demo_page(contest: Contest, pictures: list[Picture], command: str) -> Page:
    """The page of a demo run.

    Parameters
    ----------
    contest : Contest
    pictures : list of Picture
    command : str
        That makes this page again.

    Returns
    -------
    Page
    """
    made_by = f"Seed {contest.seed}; {all_versions()}. The same command gives the same numbers:"
    source = (
        "The protocol is scenario (c) of Xu, Davoine, Zha & Denœux (2016), Evidential calibration "
        "of binary SVM classifiers, International Journal of Approximate Reasoning 72, 55-70, "
        "section 5.2, on other data and on a smaller scale."
    )
    return Page(
        title=f"Ten classifiers of very unequal size, combined: {contest.dataset.name}",
        lead=(*_headline(contest), _summary(contest), *findings(contest)),
        sections=(
            Section("Results", tables=(results_table(contest), differences_table(contest))),
            Section("Pictures", pictures=tuple(pictures)),
            Section("Protocol", (source,), items=protocol(contest.dataset, contest.repeats)),
            Section("Made by", (made_by,), code=command),
        ),
    )


def _headline(contest: Contest) -> list[str]:
    """What is gained, for a reader who knows none of the words."""
    wrong = {
        method: f"{100 * contest.estimate(method, 'error_rate').mean:.1f}"
        for method in contest.values
    }
    if not {RECOMMENDED, _BAYESIAN} <= set(wrong):
        return []
    others = {
        "largest": "the model with the most data alone",
        "size_mixture": "their average",
    }
    simple = [
        f"{others[method.fusion]} is wrong on {rate}"
        for method, rate in wrong.items()
        if method.fusion in others
    ]
    also = f"; {', '.join(simple)}" if simple else ""
    return [
        "Ten models, most trained on very little data, classify each new case. Combined as this "
        f"package recommends, they are wrong on {wrong[RECOMMENDED]} of 100 new cases{also}, and "
        "combining their raw probabilities as independent evidence is wrong on "
        f"{wrong[_BAYESIAN]}."
    ]


def _summary(contest: Contest) -> str:
    splits = f"{contest.repeats} random split{'s' if contest.repeats > 1 else ''}"
    return (
        f"Ten classifiers were trained on very unequal shares of {contest.dataset.name}, and each "
        "was calibrated into beliefs about the class. The beliefs were combined in "
        f"{len(contest.values)} ways, on {splits}."
    )


def results_table(contest: Contest) -> Table:
    """Every method with every metric.

    Parameters
    ----------
    contest : Contest

    Returns
    -------
    Table
    """
    found = {
        method: [contest.estimate(method, metric.key) for metric in METRICS]
        for method in contest.values
    }
    best = [min(row[i].mean for row in found.values()) for i in range(len(_LOSSES))]
    rows = [
        Row(
            _heading(method),
            tuple(map(_written, row, METRICS)),
            frozenset(i for i, least in enumerate(best) if row[i].mean == least),
        )
        for method, row in found.items()
    ]
    repeats = f"{contest.repeats} repeat{'s' if contest.repeats > 1 else ''}"
    notes = [(metric.name, metric.meaning) for metric in METRICS]
    baselines = _baselines(contest)
    if baselines:
        kinds = dict.fromkeys(
            f"{m.calibrator} calibration, {m.model_name} model" for m in baselines
        )
        notes.append(("reference", f"baselines without Dempster's rule ({'; '.join(kinds)})"))
    return Table(
        caption=f"Means over {repeats} of random splits; ± is their standard error. The lowest "
        "error rate, Brier score and log loss are underlined.",
        head=("Calibrator", "Model"),
        columns=tuple(metric.name for metric in METRICS),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _heading(method: Method) -> tuple[str, str]:
    special = {
        "stacked": (f"{method.calibrator}, stacked", method.model_name),
        "default": ("EvidentialEnsemble", "default"),
        "largest": ("reference", "largest alone"),
        "size_mixture": ("reference", "weighted mean"),
    }
    return special.get(method.fusion, (method.calibrator, method.model_name))


def _baselines(contest: Contest) -> list[Method]:
    """Methods that neither use Dempster's rule nor learn how to combine."""
    return [one for one in contest.values if one not in LEARNED and one.fusion != "dempster"]


def _written(estimate: Estimate, metric: Metric, sign: str = "") -> str:
    """An estimate in the units of its metric, with its standard error if it has one.

    >>> _written(Estimate(0.1234, 0.0056), METRICS[0], sign="+")
    '+12.3 ± 0.6'
    """
    text = f"{estimate.mean * metric.factor:{sign}z.{metric.digits}f}"
    if math.isnan(estimate.standard_error):  # of one repeat
        return text
    return f"{text} ± {estimate.standard_error * metric.factor:.{metric.digits}f}"


def differences_table(contest: Contest) -> Table:
    """Likelihood minus Bayesian model, paired within repeats, for each calibrator.

    Parameters
    ----------
    contest : Contest

    Returns
    -------
    Table
    """
    rows = []
    for name in _compared(contest):
        one, other = Method(name, "likelihood"), Method(name, "bayesian")
        cells = [_written(contest.estimate(one, m.key, less=other), m, "+") for m in _LOSSES]
        rows.append(Row((name,), tuple(cells)))
    return Table(
        caption="Likelihood minus Bayesian model, both combined by Dempster's rule: mean "
        "difference within repeats, with its standard error. Negative: likelihood is better.",
        head=("Calibrator",),
        columns=tuple(metric.name for metric in _LOSSES),
        rows=tuple(rows),
    )


def _compared(contest: Contest) -> list[str]:
    """Calibrators that occur with both models under Dempster's rule."""
    return [
        name
        for name in dict.fromkeys(method.calibrator for method in contest.values)
        if {Method(name, "likelihood"), Method(name, "bayesian")} <= set(contest.values)
    ]


def table_csv(contest: Contest) -> str:
    """Mean and standard error of every metric of every method, as CSV.

    Parameters
    ----------
    contest : Contest

    Returns
    -------
    str
        Six digits, of which the last may depend on the machine; an empty value is NaN.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    names = [name for metric in METRICS for name in (metric.key, f"{metric.key}_se")]
    writer.writerow(["calibrator", "model", "fusion", "repeats", *names])
    for method in contest.values:
        found = [contest.estimate(method, metric.key) for metric in METRICS]
        numbers = [number for one in found for number in (one.mean, one.standard_error)]
        texts = ["" if math.isnan(number) else f"{number:.6g}" for number in numbers]
        writer.writerow([method.calibrator, method.model, method.fusion, contest.repeats, *texts])
    return file.getvalue()


def findings(contest: Contest) -> list[str]:
    """What the numbers say, in a few sentences.

    Parameters
    ----------
    contest : Contest

    Returns
    -------
    list of str
        One for each question that the methods can answer.
    """
    texts = []
    if {_LIKELIHOOD, _BAYESIAN} <= set(contest.values):
        texts += [_evidential(contest), *_learned(contest), *_simpler(contest)]
    return [*texts, *_conflict(contest), *_advice(contest)]


def _evidential(contest: Contest) -> str:
    """Likelihood against Bayesian, logistic calibration."""
    one, other = (contest.estimate(m, "error_rate").mean for m in (_LIKELIHOOD, _BAYESIAN))
    difference = contest.estimate(_LIKELIHOOD, "error_rate", less=_BAYESIAN)
    verdict = _verdict(difference, "the evidential way helps here", "the evidential way harms here")
    return (
        f"With logistic calibration and Dempster's rule, the likelihood model errs on {one:.1%} of "
        "the test samples and the Bayesian model, which is plain probabilities, on "
        f"{other:.1%}: {verdict}."
    )


def _learned(contest: Contest) -> list[str]:
    """The stacked fusion against Dempster's rule, of the same beliefs; and the default."""
    openings = {
        STACKED: "The recommended fusion, stacking, learns from held-out beliefs how far to trust "
        "each classifier. On the same beliefs",
        RECOMMENDED: "With default settings, EvidentialEnsemble also trains and calibrates on the "
        "same samples, by scores out of fold, and chooses the calibrator itself:",
    }
    return [
        f"{openings[one]} {_against_dempster(contest, one)}."
        for one in LEARNED
        if one in contest.values
    ]


def _against_dempster(contest: Contest, method: Method) -> str:
    """How a method does beside Dempster's rule on beliefs, in error rate and Brier score."""
    errors, briers = (
        [contest.estimate(one, key).mean for one in (method, _LIKELIHOOD)]
        for key in ("error_rate", "brier")
    )
    verdict = _verdict(contest.estimate(method, "error_rate", less=_LIKELIHOOD), "better", "worse")
    return (
        f"it errs on {errors[0]:.1%} and Dempster's rule on {errors[1]:.1%} ({verdict}), with "
        f"Brier scores of {briers[0]:.3f} and {briers[1]:.3f}"
    )


def _simpler(contest: Contest) -> list[str]:
    """Baselines without Dempster's rule against the likelihood model."""
    parts = []
    for method in _baselines(contest):
        verdict = _verdict(
            contest.estimate(method, "error_rate", less=_LIKELIHOOD), "better", "worse"
        )
        rate = contest.estimate(method, "error_rate").mean
        parts.append(f"{_NAMES[method.fusion]} errs on {rate:.1%} ({verdict})")
    if not parts:
        return []
    text = " and ".join(parts)
    return [f"Measured against the likelihood model, {text}. A combination has to earn its keep."]


def _conflict(contest: Contest) -> list[str]:
    """Total conflict by calibrator, Bayesian against likelihood."""
    bayesian, likelihood = (
        {n: contest.estimate(Method(n, model), "total_conflict").mean for n in _compared(contest)}
        for model in ("bayesian", "likelihood")
    )
    worst = {name: share for name, share in bayesian.items() if share > 0}
    if not worst:
        return []
    shares = " and ".join(
        f"on {share:.1%} with {name} calibration" for name, share in worst.items()
    )
    kept = max(likelihood[name] for name in worst)
    return [
        "In the Bayesian model, probabilities of 0 and 1 exclude each other on part of the test "
        f"samples, {shares}: there Dempster's rule has no result. With the likelihood model, that "
        + ("never happened." if kept == 0 else f"happened on at most {kept:.1%}.")
    ]


def _advice(contest: Contest) -> list[str]:
    """The default, unless a simpler method has a clearly lower Brier score."""
    if RECOMMENDED not in contest.values:
        return []
    better = [
        method
        for method in (*_baselines(contest), _LIKELIHOOD)
        if (gain := contest.estimate(method, "brier", less=RECOMMENDED)).is_clear()
        and gain.mean < 0
    ]
    if not better:
        return [
            "Take EvidentialEnsemble([...]) with default settings: no other way here has a clearly "
            "lower Brier score."
        ]
    best = min(better, key=lambda method: contest.estimate(method, "brier").mean)
    score, ours = (contest.estimate(one, "brier").mean for one in (best, RECOMMENDED))
    return [
        f"On these data take {_NAMES[best.fusion]}: its Brier score is {score:.3f}, and that of "
        f"the default of EvidentialEnsemble {ours:.3f}."
    ]


def _verdict(difference: Estimate, lower: str, higher: str) -> str:
    points = f"{100 * difference.mean:+z.1f}"
    if math.isnan(difference.standard_error):
        return f"{points} points in a single repeat, which says nothing about chance"
    size = f"{points} ± {100 * difference.standard_error:.1f} points"
    if not difference.is_clear():
        return f"{size}, no clear difference"
    return f"{size}, {lower if difference.mean < 0 else higher}"


def protocol(dataset: Dataset, repeats: int) -> tuple[str, ...]:
    """What is done, in sentences.

    Parameters
    ----------
    dataset : Dataset
    repeats : int

    Returns
    -------
    tuple of str
        The first is about the data.
    """
    sizes = sizes_of(dataset)
    listed = ", ".join(
        f"{times} times {size}" if times > 1 else str(size)
        for size, times in Counter(sizes).items()
    )
    return (
        _data(dataset),
        f"In each of {repeats} repeats, {sum(sizes)} samples are drawn at random for training, in "
        f"the class proportions of the data but at least {2 * len(sizes)} of each class. The other "
        f"{len(dataset) - sum(sizes)} are the test set.",
        f"The training samples are shared out at random among {len(sizes)} classifiers: {listed}. "
        "One half of each share trains the classifier; the other half, with the odd sample, "
        "calibrates it. No sample is used twice. Each half first gets one sample of each class, "
        "because it needs both; the rest are dealt out blindly.",
        "The classifiers are support vector machines with a radial basis function kernel and "
        "scikit-learn's default parameters. Features are standardized by all training samples of "
        "the repeat. All rows of the table use the same shares, and all but the default the same "
        "trained classifiers.",
        "Each classifier is calibrated on its own, and believes something about each test sample. "
        f"Bins are one wide, with edges from {BIN_EDGES[0]:g} to {BIN_EDGES[-1]:g}; an empty bin "
        "is vacuous, or 1/2 in the Bayesian model. The confidence models have level 95 %. "
        "Dempster's rule combines the beliefs.",
        "The stacked fusion combines the same beliefs by weights of evidence. It learns the "
        "weights from the classifiers' beliefs about the calibrating halves: those of other "
        "shares, and their own in folds, by calibrators refitted without the fold.",
        "The default is EvidentialEnsemble with default settings: each classifier is trained on "
        "all samples of its share, and calibrated by AutoCalibrator on their scores out of fold; "
        "the fusion is stacked.",
        "For comparison: the classifier with the largest share alone, and the mean of all "
        "probabilities, weighted by the sizes of the calibrating halves.",
        "A repeat depends on the seed and its number only. Standard errors are those of the mean "
        "over random splits of this data set; they say nothing about other data.",
    )


def _data(dataset: Dataset) -> str:
    pairs = zip(dataset.class_names, dataset.class_counts, strict=True)
    counts = ", ".join(f"{name}: {count}" for name, count in pairs)
    n, p = dataset.X.shape
    text = (
        f"Data: {dataset.name}, {n} samples with {p} features; classes {counts}. "
        f"The positive class is {dataset.class_names[1]}."
    )
    if dataset.encoded:
        text += f" Columns of text are one-hot encoded: {', '.join(dataset.encoded)}."
    marked = [name.removesuffix("=missing") for name in dataset.feature_names]
    gaps = [name for name in marked if name in dataset.feature_names and marked.count(name) == 2]
    if gaps:
        text += (
            " Missing values are filled by medians, and marked in a feature of their own: "
            f"{', '.join(dict.fromkeys(gaps))}."
        )
    return text
