"""Tables of the study: means over data sets, and paired differences with their standard errors."""

from collections.abc import Sequence

import numpy as np

from dstheory.kernels.rounding import ROUNDING
from evical._typing import Floats
from examples.studies._markdown import markdown_table, plain
from examples.studies._reproduce import Outcome
from examples.studies.learners.measures import DOUBTS, MEASURES, OUTLIERS
from examples.studies.learners.methods import ALONE, CHANGES, ENSEMBLES, REFERENCE

__all__ = ["summary"]

Means = dict[str, Floats]

_SCORES = (("error", 100, 2), ("brier", 1, 4), ("log_loss", 1, 3))
_LEGEND = (
    "Means over data sets. In brackets the difference from "
    f"“{REFERENCE}” with its standard error over data sets; a data set counts once, by its mean "
    "over splits. Error in percent; the Brier score is the sum over classes, halved for two."
)
_PAIRS = (
    "The first minus the second, with the standard error over data sets; in brackets the number of "
    "data sets on which the second is better."
)
_SETS = (
    "Utility u65 and u80 of `predict_set`, in percent, and classes in a set. Of p: the same of the "
    "sets with the greatest expected utility under the probabilities alone."
)
_INTERVALS = (
    "Covered: percent of test samples in bins (five of equal frequency, for each class against the "
    "rest) whose share of the class lies in the mean [Bel, Pl]; chance alone moves shares of small "
    "bins. Broken: percent of classes and splits in which the shares contradict [Bel, Pl] by more "
    "than chance (`coverage_test`, level 5 %). Width: mean of Pl − Bel."
)
_OUTLIERS = (
    "Area under the ROC curve in percent, by which outliers are told from test samples: 50 is "
    "chance, and less than 50 is surer of outliers. Read from the probability (1 − max p), the "
    "belief (1 − max Bel), the width of the likeliest class, and the mass of the frame."
)
_KINDS = {
    "unseen": "A class that was left out of training",
    "shuffled": "Test samples whose features are shuffled, each on its own",
    "far": "Noise of three standard deviations in every feature",
}
_TITLES = {"p": "p", "bel": "Bel", "width": "Pl − Bel", "frame": "m(frame)"}


def summary(outcome: Outcome) -> str:
    """Tables of probabilities, changes by calibration, sets, intervals, outliers and ensembles.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Markdown.
    """
    data, means = _means(outcome)
    alone = {name: found for name, found in means.items() if name in ALONE}
    together = {name: found for name, found in means.items() if name in ENSEMBLES}
    blocks = [
        f"## Probabilities, {_sets(len(data))}",
        _LEGEND,
        _scores(alone, means.get(REFERENCE)),
        "## What calibration changes",
        _PAIRS,
        _changes(means, CHANGES),
        "## Sets",
        _SETS,
        _table(alone, [("u65", 100, 1), ("u80", 100, 1), ("size", 1, 2), *_OF_P]),
        "## Intervals",
        _INTERVALS,
        _table(alone, [("covered", 100, 0), ("broken", 100, 0), ("width", 1, 3)]),
        "## Outliers",
        _OUTLIERS,
    ]
    for kind in OUTLIERS:
        columns = [(f"{kind}_{doubt}", 100, 1) for doubt in DOUBTS]
        known = {name: found for name, found in means.items() if name not in ENSEMBLES}
        body = _table(known, columns, list(_TITLES.values()))
        blocks += [f"**{_KINDS[kind]}**, {_sets(_count(known, kind))}", body]
    if together:
        pairs = [(name, name.replace("as they are", "calibrated again")) for name in together]
        blocks += [
            "## Members of ensembles",
            _scores(together, means.get(REFERENCE)),
            _changes(means, [pair for pair in pairs if pair[0] != pair[1]]),
        ]
    return "\n\n".join(blocks)


_OF_P = (("u65_of_p", 100, 1), ("u80_of_p", 100, 1))


def _means(outcome: Outcome) -> tuple[list[str], Means]:
    """Data sets, and for each method its means over splits (data sets, measures)."""
    data = list(dict.fromkeys(row[0] for row in outcome.rows))
    names = dict.fromkeys(row[1] for row in outcome.rows)
    return data, {
        name: np.array([outcome.rows[one, name].mean(axis=0) for one in data]) for name in names
    }


def _column(found: Floats, measure: str) -> Floats:
    return found[:, MEASURES.index(measure)]


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _error(values: Floats) -> float:
    """Standard error over data sets; NaN of a single one."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1) / len(known) ** 0.5) if len(known) > 1 else float("nan")


def _number(value: float, digits: int) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def _scores(means: Means, reference: Floats | None) -> str:
    body = []
    for name, found in means.items():
        cells = []
        for measure, scale, digits in _SCORES:
            values = scale * _column(found, measure)
            text = _number(_mean(values), digits)
            if reference is not None and found is not reference:
                text += f" ({_difference(values - scale * _column(reference, measure), digits)})"
            cells.append(text)
        body.append([plain(name), *cells])
    return markdown_table(["method", "error", "Brier", "log loss"], body, 1)


def _difference(gaps: Floats, digits: int) -> str:
    sign = "+" if _mean(gaps) > 0 else ""
    return f"{sign}{_number(_mean(gaps), digits)} ± {_number(_error(gaps), digits)}"


def _changes(means: Means, pairs: Sequence[tuple[str, str]]) -> str:
    body = []
    for first, second in pairs:
        if first not in means or second not in means:
            continue
        cells = []
        for measure, scale, digits in _SCORES:
            gaps = scale * (_column(means[first], measure) - _column(means[second], measure))
            cells.append(f"{_difference(gaps, digits)} ({int((gaps > ROUNDING * scale).sum())})")
        body.append([plain(first), plain(second), *cells])
    return markdown_table(["first", "second", "error", "Brier", "log loss"], body, 2)


def _table(
    means: Means, columns: Sequence[tuple[str, float, int]], titles: Sequence[str] = ()
) -> str:
    body = [
        [
            plain(name),
            *(_number(scale * _mean(_column(found, one)), d) for one, scale, d in columns),
        ]
        for name, found in means.items()
    ]
    heads = titles or [one.replace("_of_p", " of p") for one, _, _ in columns]
    return markdown_table(["method", *heads], body, 1)


def _sets(number: int) -> str:
    return "1 data set" if number == 1 else f"{number} data sets"


def _count(means: Means, kind: str) -> int:
    """Data sets that have such outliers."""
    found = next(iter(means.values()))
    return int((~np.isnan(_column(found, f"{kind}_{DOUBTS[0]}"))).sum())
