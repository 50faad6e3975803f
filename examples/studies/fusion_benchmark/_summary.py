"""Tables of the study: rank, losses and regret of each way, over data sets."""

import numpy as np
from scipy.stats import rankdata

from evical._typing import Floats
from examples.studies._markdown import markdown_table, plain
from examples.studies._ranks import rank_tests
from examples.studies._reproduce import Outcome
from examples.studies.fusion_benchmark.ways import DEFAULT

__all__ = ["summary"]


_TITLES = {
    ("different", "two"): "Eight different classifiers, two classes",
    ("different", "more"): "Eight different classifiers, more classes",
    ("unequal", "two"): "Up to ten support vector machines on unequal shares, two classes",
}
_HEADS = ("way", "rank", "Brier rank", "log loss", "Brier", "error %", "cal. error", "regret %")
_LEGEND = (
    "In the order of rank. Rank and Brier rank: mean over data sets of the rank of the mean log "
    "loss and Brier score, 1 for the least. Regret: geometric mean over data sets of the log loss "
    "relative to that of the best way, less 1; a log loss counts as 0.001 at least. Cal. error: "
    "debiased calibration error. All others are means over data sets, with their standard errors."
)


def summary(outcome: Outcome) -> str:
    """A table for each kind of members, with what it says of the default.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Markdown.
    """
    blocks = ["## Ways", _LEGEND]
    for kind, title in _TITLES.items():
        rows = {row[2:]: values for row, values in outcome.rows.items() if row[:2] == kind}
        if rows:
            blocks += [f"### {title}", *_part(outcome, rows)]
    return "\n\n".join(blocks)


def _part(outcome: Outcome, rows: dict[tuple[str, ...], Floats]) -> list[str]:
    data = list(dict.fromkeys(row[0] for row in rows))
    names = list(dict.fromkeys(row[1] for row in rows))
    values = {
        measure: np.array([[rows[d, way][:, at].mean() for way in names] for d in data])
        for at, measure in enumerate(outcome.study.measures)
    }
    return [_finding(values, names), *rank_tests(values["log_loss"], names), _grid(values, names)]


def _finding(values: dict[str, Floats], names: list[str]) -> str:
    at, n = names.index(DEFAULT), len(values["log_loss"])
    places = {
        measure: int(np.argsort(np.argsort(_ranks(values[measure]).mean(axis=0)))[at]) + 1
        for measure in ("log_loss", "brier", "error")
    }
    clearly = float((values["clearly_worse"][:, at] > 0.5).mean())
    refuted = values["refuted"][:, at]
    gap = 100 * (values["error"].mean(axis=0)[at] - values["error"].mean(axis=0).min())
    text = (
        f"{n} data sets. {DEFAULT} has place {places['log_loss']} of {len(names)} by mean rank in "
        f"log loss, {places['brier']} in Brier score and {places['error']} in error; its error is "
        f"{gap:.2f} points above that of the best. In {clearly:.0%} of data sets its log loss is "
        "more than one standard error above that of the best other way, picked afterwards, in more "
        "than half of the repeats."
    )
    if np.isnan(refuted).all():
        return text
    return (
        f'{text} A test of coverage at 5% refutes its intervals (`model="confidence"`) in '
        f"{np.nanmean(refuted):.0%} of test sets."
    )


def _ranks(values: Floats) -> Floats:
    return np.asarray(rankdata(values, axis=1))


def _grid(values: dict[str, Floats], names: list[str]) -> str:
    ranks = _ranks(values["log_loss"]).mean(axis=0)
    briers = _ranks(values["brier"]).mean(axis=0)
    logs = np.log(np.maximum(values["log_loss"], 1e-3))
    regret = 100 * np.expm1((logs - logs.min(axis=1, keepdims=True)).mean(axis=0))
    columns = (("log_loss", 1, 4), ("brier", 1, 4), ("error", 100, 2), ("calibration_error", 1, 4))
    body = [
        [
            plain(names[j]),
            f"{ranks[j]:.2f}",
            f"{briers[j]:.2f}",
            *(_mean(values[name][:, j] * scale, digits) for name, scale, digits in columns),
            f"{regret[j]:.1f}",
        ]
        for j in np.argsort(ranks, kind="stable")
    ]
    return markdown_table(_HEADS, body, 1)


def _mean(values: Floats, digits: int) -> str:
    if np.isnan(values).all():
        return "–"
    text = f"{values.mean():.{digits}f}".replace("-", "−")
    if len(values) < 2:
        return text
    return f"{text} ± {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}"
