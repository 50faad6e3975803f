"""Tables of the study: rank, win rate, harm and improvement of each method, as CalArena has them.

An experiment is a data set with a classifier in one repeat. Experiments on one data set share
samples, so standard errors and tests count data sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from scipy.stats import rankdata

from evical._typing import Floats
from examples.studies._markdown import markdown_table, plain
from examples.studies._ranks import rank_tests
from examples.studies._reproduce import Outcome
from examples.studies.calarena_small._advice_page import advice_text
from examples.studies.calarena_small.data import missing_packages
from examples.studies.calarena_small.methods import DEFAULT, PEERS, RAW

__all__ = ["Table", "summary", "table_of"]


_MOST_HARM = 0.15
_TITLES = {"two": "Two classes", "more": "More than two classes"}
_HEADS = (
    "method",
    "rank",
    "of data sets",
    "win rate, %",
    "harm, %",
    "clear, %",
    "Brier harm, %",
    "improvement, %",
    "log loss",
    "Brier",
)
_LEGEND = (
    "In the order of rank. Rank: mean over experiments of the rank in log loss, 1 for the least. "
    "Of data sets: mean rank of the mean log loss of each data set, which the tests use. Win rate: "
    "share of the other methods whose log loss is greater, mean over experiments. Harm: share of "
    "experiments in which the log loss is greater than that of the uncalibrated probabilities; "
    "clear: greater by more than one standard error of the paired difference over test samples. "
    "Improvement: mean over experiments of 1 − log loss / log loss of the uncalibrated. Errors are "
    "standard errors over data sets."
)


@dataclass(frozen=True, eq=False)
class Table:
    """Experiments with one number of classes.

    Parameters
    ----------
    methods : tuple of k str
    data : tuple of n str
        Data set of each experiment.
    log_loss, brier, gap_error : (n, k) arrays
    """

    methods: tuple[str, ...]
    data: tuple[str, ...]
    log_loss: Floats
    brier: Floats
    gap_error: Floats

    @property
    def ranks(self) -> Floats:
        """Ranks (n, k) in log loss; ties share their mean rank."""
        return np.asarray(rankdata(self.log_loss, axis=1))

    @property
    def wins(self) -> Floats:
        """Share (n, k) of the other methods that have a greater log loss."""
        greater = self.log_loss[:, np.newaxis, :] > self.log_loss[:, :, np.newaxis]
        return np.asarray(greater.sum(axis=2) / (len(self.methods) - 1))

    def gaps(self, losses: Floats) -> Floats:
        """Differences (n, k) from the uncalibrated probabilities."""
        at = self.methods.index(RAW)
        return losses - losses[:, at : at + 1]

    @property
    def improvement(self) -> Floats:
        """Relative to the uncalibrated probabilities, (n, k)."""
        at = self.methods.index(RAW)
        return 1.0 - self.log_loss / self.log_loss[:, at : at + 1]

    def of_data(self, values: Floats) -> Floats:
        """Means (data sets, k)."""
        names = np.array(self.data)
        return np.stack([values[names == name].mean(axis=0) for name in dict.fromkeys(self.data)])


def table_of(outcome: Outcome, classes: str) -> Table:
    """The experiments with two classes, or with more.

    Parameters
    ----------
    outcome : Outcome
    classes : {"two", "more"}

    Returns
    -------
    Table
    """
    rows = {row[1:]: values for row, values in outcome.rows.items() if row[0] == classes}
    names = tuple(dict.fromkeys(row[-1] for row in rows))
    cells = list(dict.fromkeys(row[:-1] for row in rows))
    values = np.array([[rows[*cell, name] for name in names] for cell in cells])
    flat = values.transpose(0, 2, 1, 3).reshape(-1, len(names), values.shape[-1])
    data = tuple(cell[0] for cell in cells for _ in range(outcome.repeats))
    measures = outcome.study.measures
    log_loss, brier, gap_error = (
        flat[:, :, measures.index(name)] for name in ("log_loss", "brier", "gap_error")
    )
    return Table(names, data, log_loss, brier, gap_error)


def summary(outcome: Outcome) -> str:
    """A table for each number of classes, with what it says of the default.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Markdown.
    """
    blocks = [_missing(), _peers(), "## Methods", _LEGEND]
    for classes, title in _TITLES.items():
        if any(row[0] == classes for row in outcome.rows):
            found = table_of(outcome, classes)
            blocks += [
                f"### {title}",
                _finding(found),
                *rank_tests(found.of_data(found.log_loss), found.methods),
                _grid(found),
            ]
            blocks += [f"**{title}, {DEFAULT} by classifier**", _by_classifier(outcome, classes)]
    return "\n\n".join(block for block in [*blocks, *advice_text(outcome)] if block)


def _missing() -> str:
    lost = missing_packages()
    if not lost:
        return ""
    return f"Not installed here, so their data sets are left out: {', '.join(lost)}."


def _peers() -> str:
    """The other packages with their versions."""
    found = [name for name in PEERS if find_spec(name.replace("-", "_")) is not None]
    listed = ", ".join(f"{name} {version(name)}" for name in found)
    return f"Other packages beside scikit-learn: {listed or 'none'}."


def _finding(table: Table) -> str:
    ranks, at = table.ranks.mean(axis=0), table.methods.index(DEFAULT)
    order = np.argsort(ranks, kind="stable")
    harm = float(np.mean(table.gaps(table.log_loss)[:, at] > 0))
    place = int(np.flatnonzero(order == at)[0]) + 1
    rank_goal = "reached" if place == 1 else "not reached"
    harm_goal = "reached" if harm <= _MOST_HARM else "not reached"
    other = order[0] if place > 1 else order[1]
    return (
        f"{len(table.data)} experiments on {len(set(table.data))} data sets. Goals: the best mean "
        f"rank in log loss is {rank_goal} by {DEFAULT} (place {place} of {len(order)}, rank "
        f"{ranks[at]:.2f}; {plain(table.methods[other])} has {ranks[other]:.2f}); harm in at most "
        f"{_MOST_HARM:.0%} of experiments is {harm_goal} ({harm:.1%})."
    )


def _grid(table: Table) -> str:
    gaps = table.gaps(table.log_loss)
    columns: Sequence[tuple[Floats, float, int]] = (
        (table.wins, 100, 1),
        (np.asarray(gaps > 0, dtype=np.float64), 100, 1),
        (np.asarray(gaps > table.gap_error, dtype=np.float64), 100, 1),
        (np.asarray(table.gaps(table.brier) > 0, dtype=np.float64), 100, 1),
        (table.improvement, 100, 1),
    )
    ranks = table.ranks.mean(axis=0)
    of_data = rankdata(table.of_data(table.log_loss), axis=1).mean(axis=0)
    body = [
        [
            plain(table.methods[j]),
            f"{ranks[j]:.2f}",
            f"{of_data[j]:.2f}",
            *(_with_error(table, one[:, j] * scale, digits) for one, scale, digits in columns),
            f"{table.log_loss[:, j].mean():.4f}",
            f"{table.brier[:, j].mean():.4f}",
        ]
        for j in np.argsort(ranks, kind="stable")
    ]
    return markdown_table(_HEADS, body, 1)


def _with_error(table: Table, values: Floats, digits: int) -> str:
    """Mean over experiments, and its standard error over data sets, where there are two."""
    means = table.of_data(values)
    text = f"{values.mean():.{digits}f}".replace("-", "−")
    if len(means) < 2:
        return text
    return f"{text} ± {means.std(ddof=1) / np.sqrt(len(means)):.{digits}f}"


def _by_classifier(outcome: Outcome, classes: str) -> str:
    """Rank and harm of the default for each classifier, beside the method of the least rank."""
    body = []
    names = dict.fromkeys(row[2] for row in outcome.rows if row[0] == classes)
    for classifier in names:
        rows = {row: v for row, v in outcome.rows.items() if row[2] == classifier}
        part = Outcome(outcome.study, outcome.conditions, outcome.repeats, outcome.seed, rows)
        table = table_of(part, classes)
        ranks, at = table.ranks.mean(axis=0), table.methods.index(DEFAULT)
        least = min((j for j in range(len(ranks)) if j != at), key=lambda j: ranks[j])
        harm = 100 * np.mean(table.gaps(table.log_loss)[:, at] > 0)
        best = f"{plain(table.methods[least])}, {ranks[least]:.2f}"
        body.append([plain(classifier), f"{ranks[at]:.2f}", best, f"{harm:.1f}"])
    return markdown_table(["classifier", "rank", "best other", "harm, %"], body, 1)
