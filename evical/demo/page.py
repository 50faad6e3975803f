"""The page of the demo: sentences that are computed from the numbers, and tables.

A difference is called clear beyond two standard errors of its paired mean; otherwise the sentence
says that it is not. The winner is named, whether it is the paper's proposal or not.
"""

import csv
import io
import math
from collections import Counter
from pathlib import Path

from evical._versions import all_versions
from evical.datasets import Dataset
from evical.demo.contest import (
    BAYESIAN,
    BIN_EDGES,
    IN_WORDS,
    LARGEST,
    LIKELIHOOD,
    METHODS,
    METRICS,
    RECOMMENDED,
    STACKED,
    WEIGHTED_MEAN,
    Contest,
    Method,
    Metric,
    shown_class,
    sizes_of,
)
from evical.evaluation.estimate import Estimate
from evical.report import Page, Picture, Section, Table

_CALIBRATORS = ("binning", "isotonic", "logistic")
_LOSSES = METRICS[:3]  # lower is better; the other metrics describe, and do not rank
_SIMPLER = {
    LARGEST: "the largest classifier alone",
    WEIGHTED_MEAN: "the weighted mean of the probabilities",
    LIKELIHOOD: 'Dempster\'s rule on beliefs, rule="dempster"',
}
_MEMBERS = "EvidentialEnsemble([SVC(), SVC(gamma=0.01)]"
_CODES = {
    RECOMMENDED: f"{_MEMBERS})",
    LARGEST: "EvidentialClassifier(SVC())",
    WEIGHTED_MEAN: f'{_MEMBERS}, rule="size_mixture")',
    LIKELIHOOD: f'{_MEMBERS}, rule="dempster")',
}
_HEADINGS = {
    STACKED: ("logistic, stacked", "likelihood"),
    RECOMMENDED: ("EvidentialEnsemble", "default"),
    LARGEST: ("reference", "largest alone"),
    WEIGHTED_MEAN: ("reference", "weighted mean"),
}
_SOURCE = (
    "The protocol is scenario (c) of Xu, Davoine, Zha & Denœux (2016), Evidential calibration of "
    "binary SVM classifiers, International Journal of Approximate Reasoning 72, 55-70, section "
    "5.2, on other data and on a smaller scale."
)


def demo_page(contest: Contest, pictures: list[Picture], command: str) -> Page:
    """The page of a demo run.

    Parameters
    ----------
    contest : Contest
        With all methods.
    pictures : list of Picture
    command : str
        That makes this page again.

    Returns
    -------
    Page
    """
    wrong = {method: f"{100 * contest.mean(method, 'error_rate'):.1f}" for method in METHODS}
    n, n_splits = len(sizes_of(contest.dataset)), contest.repeats
    splits = f"{n_splits} random splits" if n_splits > 1 else "one random split"
    advice, taken = _advice(contest)
    against = contest.difference(STACKED, LARGEST, "error_rate")
    headline = (
        f"{IN_WORDS[n].capitalize()} models, most trained on very little data, classify each new "
        f"case. Combined by learned weights of their beliefs, they are wrong on {wrong[STACKED]} "
        f"of 100 new cases; the model with the most data alone is wrong on {wrong[LARGEST]}, the "
        f"mean of all probabilities, weighted by size, on {wrong[WEIGHTED_MEAN]}, and Dempster's "
        f"rule, which takes the same probabilities for independent evidence, on "
        f"{wrong[BAYESIAN]}. These four calibrate on the same half of the samples, in {splits}. "
        "EvidentialEnsemble with default settings trains and calibrates on both halves, and is "
        f"wrong on {wrong[RECOMMENDED]}."
    )
    made_by = f"Seed {contest.seed}; {all_versions()}. The same command gives the same numbers:"
    imports = f"from evical import {_CODES[taken].partition('(')[0]}\nfrom sklearn.svm import SVC\n"
    return Page(
        title=f"{contest.dataset.name}: {IN_WORDS[n]} classifiers combined are wrong on "
        f"{wrong[STACKED]} of 100 cases, the largest alone on {wrong[LARGEST]}"
        + ("" if against.is_clear() else ", no clear difference"),
        lead=(headline, advice),
        sections=(
            Section(
                "What to take",
                code=f"{imports}model = {_CODES[taken]}.fit(X, y)\nmodel.predict_mass(X_new)",
                pictures=tuple(pictures[:1]),
            ),
            Section(
                f"All {len(METHODS)} ways",
                items=tuple(findings(contest)),
                tables=(_results(contest),),
                folded=True,
            ),
            Section("Pictures", pictures=tuple(pictures[1:])),
            Section("Protocol", (_SOURCE,), items=protocol(contest.dataset, n_splits)),
            Section("Made by", (made_by,), code=command),
        ),
    )


def _results(contest: Contest) -> Table:
    """Every method with every metric."""
    rows = [
        (
            _HEADINGS.get(method, (method.calibrator, method.model_name)),
            [_written(contest.estimate(method, one.key), one) for one in METRICS],
        )
        for method in sorted(METHODS, key=lambda one: contest.mean(one, "brier"))
    ]
    reference = "baselines without Dempster's rule (logistic calibration, Bayesian model)"
    return Table.of(
        f"Means over {contest.repeats} repeat{'s' if contest.repeats > 1 else ''} of "
        "random splits, by Brier score; ± is their standard error. The lowest error rate, Brier "
        "score and log loss are underlined.",
        ("Calibrator", "Model"),
        {metric.name: str for metric in METRICS},
        rows,
        (*((one.name, one.meaning) for one in METRICS), ("reference", reference)),
        {metric.name: min for metric in _LOSSES},
    )


def _written(estimate: Estimate, metric: Metric) -> tuple[str, float]:
    """An estimate in the units of its metric, with its standard error if it has one; the mean.

    >>> _written(Estimate(0.1234, 0.0056), METRICS[0])
    ('12.3 ± 0.6', 0.1234)
    """
    text = f"{estimate.mean * metric.factor:z.{metric.digits}f}"
    if not math.isnan(estimate.standard_error):  # as of one repeat
        text += f" ± {estimate.standard_error * metric.factor:.{metric.digits}f}"
    return text, estimate.mean


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
    for method in METHODS:
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
        With all methods.

    Returns
    -------
    list of str
    """
    error = {method: contest.mean(method, "error_rate") for method in METHODS}
    brier = {method: contest.mean(method, "brier") for method in METHODS}

    def verdict(one: Method, other: Method, lower: str = "better", higher: str = "worse") -> str:
        return _verdict(contest.difference(one, other, "error_rate"), lower, higher)

    way = "beliefs are better here", "beliefs are worse here"
    texts = [
        "With logistic calibration and Dempster's rule, the likelihood model errs on "
        f"{error[LIKELIHOOD]:.1%} of the test samples and the Bayesian model, probabilities "
        f"without imprecision, on {error[BAYESIAN]:.1%}: {verdict(LIKELIHOOD, BAYESIAN, *way)}."
    ]
    openings = {
        STACKED: "The recommended fusion, stacking, learns from held-out beliefs how far to trust "
        "each classifier. On the same beliefs",
        RECOMMENDED: "With default settings, EvidentialEnsemble also trains and calibrates on the "
        "same samples, by scores out of fold, and chooses the calibrator itself:",
    }
    for method, opening in openings.items():
        texts.append(
            f"{opening} it errs on {error[method]:.1%} and Dempster's rule on "
            f"{error[LIKELIHOOD]:.1%} ({verdict(method, LIKELIHOOD)}), with Brier scores of "
            f"{brier[method]:.3f} and {brier[LIKELIHOOD]:.3f}."
        )
    parts = [
        f"{_SIMPLER[method]} errs on {error[method]:.1%} ({verdict(method, LIKELIHOOD)})"
        for method in (LARGEST, WEIGHTED_MEAN)
    ]
    texts.append(f"Compared with the likelihood model, {' and '.join(parts)}.")
    return [*texts, *_conflict(contest)]


def _verdict(difference: Estimate, lower: str, higher: str) -> str:
    points = f"{100 * difference.mean:+z.1f}"
    if math.isnan(difference.standard_error):
        return f"{points} points in a single repeat, which says nothing about chance"
    size = f"{points} ± {100 * difference.standard_error:.1f} points"
    if not difference.is_clear():
        return f"{size}, no clear difference"
    return f"{size}, {lower if difference.mean < 0 else higher}"


def _conflict(contest: Contest) -> list[str]:
    """Total conflict by calibrator, Bayesian against likelihood."""
    bayesian, likelihood = (
        {name: contest.mean(Method(name, model), "total_conflict") for name in _CALIBRATORS}
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


def _advice(contest: Contest) -> tuple[str, Method]:
    """The default, unless a simpler method has a clearly lower Brier score; and which it is."""
    gains = {method: contest.difference(method, RECOMMENDED, "brier") for method in _SIMPLER}
    better = [method for method, gain in gains.items() if gain.is_clear() and gain.mean < 0]
    if not better:
        text = "Take EvidentialEnsemble with default settings: no simpler way has a clearly lower "
        return f"{text}Brier score.", RECOMMENDED
    best = min(better, key=lambda method: contest.mean(method, "brier"))
    score, ours = (contest.mean(one, "brier") for one in (best, RECOMMENDED))
    return (
        f"On these data take {_SIMPLER[best]}: its Brier score is {score:.3f}, and that of "
        f"EvidentialEnsemble with default settings {ours:.3f}."
    ), best


def protocol(dataset: Dataset, repeats: int) -> tuple[str, ...]:
    """What is done, in paragraphs.

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
    counts = Counter(sizes).items()
    text = Path(__file__).with_name("protocol.md").read_text(encoding="utf-8")
    text = text.format(
        repeats=repeats,
        n_train=sum(sizes),
        n_test=len(dataset) - sum(sizes),
        n_classifiers=IN_WORDS[len(sizes)],
        least=2 * len(sizes),
        sizes=", ".join(f"{times} times {n}" if times > 1 else str(n) for n, times in counts),
        first_edge=BIN_EDGES[0],
        last_edge=BIN_EDGES[-1],
    )
    return (_data(dataset), *(" ".join(part.split()) for part in text.split("\n\n")))


def _data(dataset: Dataset) -> str:
    pairs = zip(dataset.class_names, dataset.class_counts, strict=True)
    counts = ", ".join(f"{name}: {count}" for name, count in pairs)
    n, p = dataset.X.shape
    shown = dataset.class_names[shown_class(dataset)]
    what = "The positive class is" if len(dataset.class_names) == 2 else "The pictures show class"
    text = f"Data: {dataset.name}, {n} samples with {p} features; classes {counts}. {what} {shown}."
    if dataset.encoded:
        text += f" Columns of text are one-hot encoded: {', '.join(dataset.encoded)}."
    marked = [name.removesuffix("=missing") for name in dataset.feature_names]
    gaps = [name for name in marked if name in dataset.feature_names and marked.count(name) == 2]
    if gaps:
        text += " Missing values are filled by medians, and marked in a feature of their own: "
        text += f"{', '.join(dict.fromkeys(gaps))}."
    return text
