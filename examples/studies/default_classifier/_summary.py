"""Tables of the study `default_classifier`: its methods, and where the default falls behind."""

import numpy as np

from evical._typing import Floats
from examples.studies._markdown import markdown_table, plain
from examples.studies._reproduce import Outcome
from examples.studies.default_classifier.methods import DEFAULT, FORMER, METHODS, RAW, REFERENCES

__all__ = ["summary"]


_HEADS = ("error %", "Brier", "log loss", "ratio", "near %", "no worse %")
_DIGITS = (1, 4, 3, 3, 0, 0)
_LOSSES = (DEFAULT, "best reference", RAW, FORMER)
_LEGEND = (
    "In the order of log loss. Means over cells, which count the same. Ratio: geometric mean of "
    "the log loss relative to that of the best reference of the cell, picked afterwards by the "
    "same test samples; without cells whose best log loss is 0. Near: share of cells in which the "
    "log loss is above the best by at most one standard error of the paired difference, or 2 %. "
    "No worse: share of cells in which it is above that of the uncalibrated classifier by at most "
    "one such error."
)
_LIMIT = 0.95
_GOAL = (
    f"The goal was that {DEFAULT} is near the best in {_LIMIT:.0%} of cells. The bar is high: a "
    "reference that is always the best one is no method, because nobody knows it beforehand."
)


def summary(outcome: Outcome) -> str:
    """Means over cells for each number of classes, and the cells in which the default is behind.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Markdown.
    """
    blocks = ["## Methods", _LEGEND, _GOAL]
    for classes in dict.fromkeys(row[0] for row in outcome.rows):
        means = {name: _means(outcome, classes, name) for name in METHODS}
        lines = sorted(means.items(), key=lambda item: item[1][2])
        body = [[plain(name), *_cells(found)] for name, found in lines]
        blocks += [f"**{classes} classes**", _finding(means)]
        blocks.append(markdown_table(["method", *_HEADS], body, 1))
    body = _behind(outcome)
    n_cells = len(outcome.rows) // len(METHODS)
    blocks += [
        f"## Where {DEFAULT} is not near the best",
        f"In {len(body)} of {n_cells} cells, in one split at least.",
        markdown_table(["data", "classifier", "splits", *_LOSSES], body, 2),
    ]
    return "\n\n".join(blocks)


def _finding(means: dict[str, Floats]) -> str:
    """What the default reaches, beside the fixed reference with the least log loss."""
    ours, fixed = means[DEFAULT], min(REFERENCES, key=lambda name: float(means[name][2]))
    nearest = max(REFERENCES, key=lambda name: float(means[name][4]))
    return (
        f"{DEFAULT} is near the best in {ours[4]:.0%} of cells, so the goal is "
        f"{'reached' if ours[4] >= _LIMIT else 'not reached'}; the reference that is near most "
        f"often ({nearest}) is so in {means[nearest][4]:.0%}. The mean log loss is {ours[2]:.3f}. "
        f"Of one reference for all cells it is {means[fixed][2]:.3f} at best ({fixed}), and of the "
        f"former default {means[FORMER][2]:.3f}."
    )


def _means(outcome: Outcome, classes: str, method: str) -> Floats:
    rows = [v for row, v in outcome.rows.items() if row[0] == classes and row[-1] == method]
    values = np.concatenate(rows)
    known = [column[~np.isnan(column)] for column in values.T]
    return np.array([column.mean() if len(column) else np.nan for column in known])


def _cells(means: Floats) -> list[str]:
    error, brier, loss, log_ratio, within, no_worse = means
    shown = (100 * error, brier, loss, np.exp(log_ratio), 100 * within, 100 * no_worse)
    return [_number(one, digits) for one, digits in zip(shown, _DIGITS, strict=True)]


def _number(value: float, digits: int) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def _behind(outcome: Outcome) -> list[list[str]]:
    body = []
    for *cell, method in outcome.rows:
        near = outcome.values((*cell, method), "within")
        if method == DEFAULT and not near.all():
            loss = {one: outcome.values((*cell, one), "log_loss").mean() for one in METHODS}
            shown = (loss[DEFAULT], min(loss[one] for one in REFERENCES), loss[RAW], loss[FORMER])
            splits = f"{np.sum(near == 0)} of {len(near)}"
            numbers = (_number(one, 4) for one in shown)
            body.append([*map(plain, cell[1:]), splits, *numbers])
    return body
