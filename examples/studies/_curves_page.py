"""Curves of a study: a measure against a number, with standard errors, as a small SVG."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from evical.report.svg import shorten_numbers, svg_of
from examples.studies._reproduce import Outcome
from examples.studies._study import Curve
from examples.studies._tables import CLEAR, estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["curve_svg"]

_COLORS = ("blue", "orange", "green", "vermilion", "sky", "gray")
_MARKERS = "os^Dv*"
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (2, 1)), (0, (6, 1.5, 1.5, 1.5)), (0, (1, 1)))
_COLUMNS = 3
# Letters that fit side by side over a panel; a line in the legend takes as many as six.
_WIDTH = 46
# Panels: points of (x, mean, standard error) of each line.
_Points = list[tuple[float, float, float]]


def curve_svg(outcome: Outcome, curve: Curve) -> str:
    """The picture, the same bytes for the same repeats.

    Parameters
    ----------
    outcome : Outcome
    curve : Curve

    Returns
    -------
    str
        Empty if no rows match.
    """
    panels = _panels(outcome, curve)
    if not panels:
        return ""
    from matplotlib import rc_context  # inside, because tables need no pictures

    # One font, which otherwise matplotlib writes with eight others at each text.
    with rc_context({"font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"]}):
        return shorten_numbers(svg_of(_figure(panels, curve)))


def _figure(panels: dict[str, dict[str, _Points]], curve: Curve) -> "Figure":
    from matplotlib.figure import Figure

    n_columns = min(len(panels), _COLUMNS)
    n_rows = math.ceil(len(panels) / n_columns)
    lines = list(dict.fromkeys(line for panel in panels.values() for line in panel))
    n_names = min(len(lines), max(1, _WIDTH * n_columns // (max(map(len, lines)) + 6)))
    height = 2.6 * n_rows + 0.25 * (1 + math.ceil(len(lines) / n_names))
    figure = Figure(figsize=(3.2 * n_columns, height), layout="constrained")
    grid = figure.subplots(n_rows, n_columns, squeeze=False)
    for ax, (name, panel) in zip(grid.flat, panels.items(), strict=False):
        _draw(ax, panel, lines)
        ax.set_title(_words(name), fontsize="medium")
    for ax in grid.flat[len(panels) :]:
        ax.set_visible(False)
    figure.supxlabel(curve.x_name or _words(curve.x), fontsize="medium")
    figure.supylabel(curve.y_name or _words(curve.measure), fontsize="medium")
    pairs = [ax.get_legend_handles_labels() for ax in grid.flat]
    named = {name: line for shown, names in pairs for line, name in zip(shown, names, strict=True)}
    figure.legend(
        [named[_words(line)] for line in lines],
        [_words(line) for line in lines],
        loc="outside upper center",
        ncols=n_names,
        frameon=False,
    )
    return figure


def _panels(outcome: Outcome, curve: Curve) -> dict[str, dict[str, _Points]]:
    study = outcome.study
    measure = study.measures.index(curve.measure)
    panels: dict[str, dict[str, _Points]] = {}
    for labels, values in outcome.rows.items():
        row = dict(zip(study.labels, labels, strict=True))
        if any(row[name] != value for name, value in curve.where.items()):
            continue
        one = estimate(curve.scale * values[:, measure])
        if math.isnan(one.mean):  # such as an empty bin
            continue
        lines = panels.setdefault(row[curve.panel], {})
        lines.setdefault(row[curve.line], []).append(
            (float(row[curve.x]), one.mean, one.standard_error)
        )
    return panels


def _draw(ax: "Axes", panel: dict[str, _Points], lines: list[str]) -> None:
    """Lines of a panel; a little aside of each other, so that segments do not overlap."""
    from dstheory.plot.style import COLORS

    positions = [x for points in panel.values() for x, _, _ in points]
    low, high = min(positions), max(positions)
    # Numbers over two powers of ten are mostly sizes, each a multiple of the one before.
    wide = low > 0 and high >= 100 * low
    if wide:
        ax.set_xscale("log")
    step = (np.log(high / low) if wide else high - low) / 150
    for name, points in panel.items():
        i = lines.index(name)
        x, mean, error = np.array(sorted(points)).T
        aside = step * (i - (len(lines) - 1) / 2)
        x = x * np.exp(aside) if wide else x + aside
        color = COLORS[_COLORS[i % len(_COLORS)]]
        # All segments as one path with gaps, which is shorter than a path each; after a single
        # repeat, which says nothing of chance, there are gaps only.
        ends = np.stack([mean - CLEAR * error, mean + CLEAR * error, np.full_like(mean, np.nan)])
        ax.plot(np.repeat(x, 3), ends.T.ravel(), color=color, linewidth=0.7)
        ax.plot(
            x,
            mean,
            color=color,
            marker=_MARKERS[i % len(_MARKERS)],
            linestyle=_DASHES[i % len(_DASHES)],
            markersize=3.5,
            linewidth=1.2,
            label=_words(name),
        )
    ax.spines[["top", "right"]].set_visible(False)


def _words(name: str) -> str:
    return name.replace("_", " ").replace("$", r"\$")
