"""Critical-difference diagrams of a ranking: one for each measure and each group."""

from typing import TYPE_CHECKING, Any

from evical.report.svg import shorten_numbers, svg_of
from examples.studies._over_data import Ranking
from examples.studies._over_data_page import LEVEL, contenders, groups_of, values_of
from examples.studies._reproduce import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ranking_svg"]

# Inches of a diagram with its margins; at the sides there must be room for the longest name.
_WIDTH, _HEIGHT = 4.3, 1.85
_LEFT, _BOTTOM, _TOP = 1.05, 0.4, 0.4
_MOST_COLUMNS = 3


def ranking_svg(outcome: Outcome, ranking: Ranking) -> str:
    """The picture, the same bytes for the same repeats.

    Parameters
    ----------
    outcome : Outcome
    ranking : Ranking

    Returns
    -------
    str
        Empty if the ranking has none, or there are no rows for it.
    """
    groups = [
        group
        for group in groups_of(outcome, ranking)
        if not ranking.published or group in ranking.published
    ]
    if not groups or not ranking.drawn:
        return ""
    from matplotlib import rc_context  # inside, because tables need no pictures
    from matplotlib.figure import Figure

    cells = [[(group, measure) for group in groups] for measure in ranking.drawn]
    if len(groups) > _MOST_COLUMNS:
        cells = [list(row) for row in zip(*cells, strict=True)]
    width, height = _WIDTH * len(cells[0]), _HEIGHT * len(cells)
    with rc_context({"font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"]}):
        figure = Figure(figsize=(width, height))
        for i, row in enumerate(cells):
            for j, (group, measure) in enumerate(row):
                left = (j * _WIDTH + _LEFT) / width
                bottom = (height - (i + 1) * _HEIGHT + _BOTTOM) / height
                size = (_WIDTH - 2 * _LEFT) / width, (_HEIGHT - _BOTTOM - _TOP) / height
                _draw(figure.add_axes((left, bottom, *size)), outcome, ranking, group, measure)
        return shorten_numbers(svg_of(figure))


def _draw(
    ax: "Axes", outcome: Outcome, ranking: Ranking, group: tuple[str, ...], measure: str
) -> None:
    """One diagram: what does not differ from the control is joined to it by a bar."""
    from evical.plot import CriticalDifferenceDisplay

    values = values_of(outcome, ranking, group, measure, ranking.taking_part(measure))
    found, _ = contenders(values, ranking, measure)
    found.sort(key=lambda one: one.rank)
    alike = [one.name for one in found if not one.mark]
    ranks: Any = [one.rank for one in found]
    display = CriticalDifferenceDisplay(
        [one.name for one in found],
        ranks,
        [alike] if len(alike) > 1 else [],
        control=ranking.control,
        alpha=LEVEL,
    ).plot(ax)
    display.ax_.set_xlabel(f"{', '.join(group)}: {ranking.measures[measure][0]}", fontsize="small")
