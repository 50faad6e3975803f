"""Tables of the study: relative log loss of each way, overall and in each scenario."""

from collections.abc import Iterable

import numpy as np

from evical._typing import Floats
from examples.studies._markdown import markdown_table, plain
from examples.studies._reproduce import Outcome
from examples.studies.label_free.scenarios import SCENARIOS
from examples.studies.label_free.ways import (
    CHOSEN_ON,
    DEFAULT,
    MEAN,
    MIXTURE,
    NO_LABELS,
    STACKED,
    WAYS,
)

__all__ = ["summary"]

_CLEARLY, _LEAST = 0.02, 0.01
_LEGEND = (
    "Log loss relative to the plain mean of the sources: geometric mean over data sets, scenarios, "
    "raw and calibrated members, 50 and 500 rows, with its standard error over data sets; cells "
    "that are better and worse than the mean by 2 %; 95th percentile and worst cell. Error: "
    "difference from that of the mean, in points. No probability counts as less than 0.0001, no "
    "log loss as less than 0.01."
)

_LABELED = (
    "Log loss relative to that without labels, on data sets that did not choose the method: "
    "geometric mean over scenarios (different classifiers, copies, votes), raw and calibrated "
    "members and data sets, with its standard error over data sets. Of the 500 rows so many have "
    "labels; `Stacked` learns from these alone. Cells in which a class has fewer than two labels "
    "are left out."
)


def summary(outcome: Outcome) -> str:
    """Tables of classifiers and of voters.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Markdown.
    """
    cells: dict[tuple[str, ...], dict[str, Floats]] = {}
    voters: dict[str, dict[str, Floats]] = {}
    labeled: dict[tuple[str, ...], dict[str, Floats]] = {}
    for (kind, *labels, way), values in outcome.rows.items():
        if kind == "classifiers":
            cells.setdefault(tuple(labels), {})[way] = values.mean(axis=0)
        elif kind == "labels":
            labeled.setdefault(tuple(labels), {})[way] = values.mean(axis=0)
        else:
            voters.setdefault(labels[0], {})[way] = values.mean(axis=0)
    blocks = ["## Ways", _LEGEND]
    for title, chosen in (("did not choose", False), ("chose", True)):
        part = {key: one for key, one in cells.items() if (key[-1] in CHOSEN_ON) is chosen}
        if part:
            blocks += [f"### Data sets that {title} the method", _overall(part)]
    kept = {key: one for key, one in cells.items() if key[-1] not in CHOSEN_ON}
    if kept:
        blocks += ["### Each scenario, on data sets that did not choose the method", _each(kept)]
        blocks.append(_refuted(kept))
    if labeled:
        blocks += ["## Labels of some rows", _LABELED, _with_labels(labeled)]
    if voters:
        blocks += ["## Voters who err independently", *(_voters(k, v) for k, v in voters.items())]
    return "\n\n".join(blocks)


Cells = dict[tuple[str, ...], dict[str, Floats]]


def _ratios(cells: Cells, way: str, beside: str = MEAN) -> tuple[Floats, Floats, list[str]]:
    """Logarithms of relative log losses, differences of errors, and data sets of the cells."""
    one = np.array([cell[way] for cell in cells.values()])
    mean = np.array([cell[beside] for cell in cells.values()])
    logs = np.log(np.maximum(one[:, 0], _LEAST) / np.maximum(mean[:, 0], _LEAST))
    return logs, 100 * (one[:, 1] - mean[:, 1]), [key[-1] for key in cells]


def _over_data(values: Floats, data: list[str]) -> tuple[float, float]:
    names = sorted(set(data))
    means = np.array([values[np.array(data) == name].mean() for name in names])
    error = means.std(ddof=1) / np.sqrt(len(names)) if len(names) > 1 else np.nan
    return float(means.mean()), float(error)


def _overall(cells: Cells) -> str:
    body = []
    for way in WAYS:
        logs, errors, data = _ratios(cells, way)
        (mean, error), (gap, gap_error) = _over_data(logs, data), _over_data(errors, data)
        body.append(
            [
                plain(way),
                f"{np.exp(mean):.3f} ± {np.exp(mean) * error:.3f}",
                f"{100 * np.mean(logs < np.log1p(-_CLEARLY)):.0f} / "
                f"{100 * np.mean(logs > np.log1p(_CLEARLY)):.0f} %",
                f"{np.exp(np.quantile(logs, 0.95)):.2f}, {np.exp(logs.max()):.2f}",
                f"{gap:+.2f} ± {gap_error:.2f}".replace("-", "−"),
            ]
        )
    heads = ("way", "log loss", "better / worse", "95th pct., worst", "error")
    return markdown_table(heads, body, 1)


def _each(cells: Cells) -> str:
    shown = (DEFAULT, "half mean, half agreement pool", "log pool", "Dempster's rule")
    body = []
    for scenario in SCENARIOS:
        part = {key: one for key, one in cells.items() if key[0] == scenario}
        if part:
            body.append([scenario, *_entries(part, shown)])
    heads = ("scenario", *(plain(way) for way in shown), "error of Consensus")
    return markdown_table(heads, body, 1)


def _entries(part: Cells, shown: Iterable[str]) -> list[str]:
    found = []
    for way in shown:
        logs, _, data = _ratios(part, way)
        mean, error = _over_data(logs, data)
        found.append(f"{np.exp(mean):.3f} ± {np.exp(mean) * error:.3f}")
    _, errors, data = _ratios(part, DEFAULT)
    gap, gap_error = _over_data(errors, data)
    return [*found, f"{gap:+.2f} ± {gap_error:.2f}".replace("-", "−")]


def _with_labels(cells: Cells) -> str:
    """Log loss with labels relative to that without, by the number of labels."""
    known = {key: one for key, one in cells.items() if not np.isnan(one[NO_LABELS][0])}
    body = []
    for m in sorted({key[2] for key in known}, key=int):
        part = {key: one for key, one in known.items() if key[2] == m}
        row = [m, str(len(part))]
        for way in (MIXTURE, STACKED):
            logs, _, data = _ratios(part, way, NO_LABELS)
            mean, error = _over_data(logs, data)
            row.append(f"{np.exp(mean):.3f} ± {np.exp(mean) * error:.3f}")
        body.append(row)
    return markdown_table(("labels", "cells", plain(MIXTURE), plain(STACKED)), body, 2)


def _refuted(cells: Cells) -> str:
    values = np.array([cell[DEFAULT][-1] for cell in cells.values()])
    tested = values[~np.isnan(values)]
    if not len(tested):
        return ""
    return (
        f'A test of coverage at 5 % refutes intervals of `Consensus(model="confidence")` in '
        f"{100 * tested.mean():.1f} % of {len(tested)} cells of two classes."
    )


def _voters(key: str, found: dict[str, Floats]) -> str:
    size, k = key.split("-")
    items, number = size.split("x")
    body = [
        [
            plain(way),
            f"{100 * (1 - values[1]):.1f} %",
            f"{values[0]:.3f}",
            f"{100 * values[2]:.1f} %",
            "–" if np.isnan(values[3]) else f"{100 * values[3]:.1f} %",
        ]
        for way, values in found.items()
    ]
    heads = ("way", "right", "log loss", "confidence", "P(class given votes) in [Bel, Pl]")
    return f"### {items} items, {number} voters, {k} classes\n\n{markdown_table(heads, body, 1)}"
