"""Tables of the study: how often the recommendation of `compare` is within noise of the best."""

import numpy as np

from examples.studies._markdown import markdown_table, plain
from examples.studies._reproduce import Outcome
from examples.studies.calarena_small.advice import FORMER, RECOMMENDED, TRUTH

__all__ = ["advice_text"]

_GOAL = 0.95
_LEGEND = (
    "`compare` sees the calibration samples alone, with its default methods and criterion. The "
    "methods are then fitted to all of these and judged on the test samples. Near: share of "
    "experiments in which the log loss of the method taken is above that of the best of them, "
    "picked afterwards by the test samples, by at most one standard error of the paired "
    "difference, or 2 %. The last line has labels drawn from the probabilities of AutoCalibrator, "
    "which are then the truth, and fall behind by luck alone."
)


def advice_text(outcome: Outcome) -> list[str]:
    """Blocks of Markdown on the rules by which one of several methods is taken.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    list of str
        Empty if no comparison was made.
    """
    rows = {row: values for row, values in outcome.rows.items() if row[0] == "advice"}
    if not rows:
        return []
    rules = dict.fromkeys(row[-1] for row in rows)
    near = {rule: _values(outcome, rule, "near") for rule in rules}
    loss = {rule: _values(outcome, rule, "log_loss") for rule in rules}
    least = np.min([one for rule, one in loss.items() if rule.startswith("always")], axis=0)
    body = [
        [
            plain(rule),
            _percent(found),
            "–" if rule == TRUTH else f"{_excess(loss[rule], least):.4f}",
        ]
        for rule, found in sorted(near.items(), key=lambda item: -item[1].mean())
    ]
    reached = "reached" if near[RECOMMENDED].mean() >= _GOAL else "not reached"
    return [
        "## What compare recommends",
        _LEGEND,
        f"The goal was that the recommendation is near the best in {_GOAL:.0%} of experiments. It "
        f"is {reached}: {near[RECOMMENDED].mean():.1%} of {near[RECOMMENDED].size}, and "
        f"{near[FORMER].mean():.1%} by the former rule. The truth itself would be near in "
        f"{near[TRUTH].mean():.1%}.",
        markdown_table(["what is taken", "near, %", "mean excess log loss"], body, 1),
    ]


def _values(outcome: Outcome, rule: str, measure: str) -> np.ndarray:
    """A measure in each experiment with two classes, flat."""
    found = [
        outcome.values(row, measure)
        for row in outcome.rows
        if row[0] == "advice" and row[-1] == rule
    ]
    return np.concatenate(found)


def _excess(loss: np.ndarray, least: np.ndarray) -> float:
    return float(np.mean(loss - least))


def _percent(near: np.ndarray) -> str:
    return f"{100 * near.mean():.1f} ± {100 * near.std(ddof=1) / np.sqrt(near.size):.1f}"
