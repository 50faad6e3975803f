"""Tables of the study: `AutoCalibrator` beside the best method of each cell, which nobody knows.

A cell is a map and a size of samples.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from examples.studies._markdown import markdown_table, plain
from examples.studies._reproduce import Outcome
from examples.studies.automatic.maps import CHOSEN, HELD_BACK

__all__ = ["cell_ratios", "ratios_text"]

AUTO = "Auto"
MEASURES = {"log_loss": "log loss", "brier": "Brier"}
GROUPS = {
    "Maps on which constants were chosen": CHOSEN,
    "Maps that were held back": HELD_BACK,
}
_NEAR = 1.15
_N_FIXED = 3
Cell = tuple[str, str]
Ratios = Mapping[Cell, Mapping[str, float]]


def _excesses(outcome: Outcome, measure: str) -> dict[Cell, dict[str, float]]:
    """Map and n to the mean excess of each method."""
    found: dict[Cell, dict[str, float]] = defaultdict(dict)
    for map_name, n, method in outcome.rows:
        values = outcome.values((map_name, n, method), measure)
        found[map_name, n][method] = float(np.nanmean(values))
    return found


def _best(excesses: Mapping[str, float]) -> str:
    """The method of the least excess, but for `AutoCalibrator`."""
    return min((name for name in excesses if name != AUTO), key=lambda name: excesses[name])


def cell_ratios(outcome: Outcome, measure: str) -> dict[Cell, dict[str, float]]:
    """Excess of each method, divided by that of the best fixed method of the cell.

    Parameters
    ----------
    outcome : Outcome
    measure : str

    Returns
    -------
    dict
        Map and n to a ratio for each method.
    """
    return {
        cell: {name: value / found[_best(found)] for name, value in found.items()}
        for cell, found in _excesses(outcome, measure).items()
    }


def _mean(values: Iterable[float]) -> float:
    return float(np.exp(np.mean(np.log(list(values)))))


def _fixed(ratios: Ratios) -> list[str]:
    """The best methods that are there on all maps, by the mean over all of their cells."""
    maps = {name for name, _ in ratios}
    where: dict[str, list[Cell]] = defaultdict(list)
    for cell, found in ratios.items():
        for name in found:
            where[name].append(cell)
    means = {
        name: _mean(ratios[cell][name] for cell in cells)
        for name, cells in where.items()
        if name != AUTO and {cell[0] for cell in cells} == maps
    }
    return sorted(means, key=lambda name: means[name])[:_N_FIXED]


def _summary(ratios: Ratios, group: Iterable[str]) -> str:
    cells = [cell for cell in ratios if cell[0] in group]
    sizes = list(dict.fromkeys(n for _, n in cells))
    body = []
    for name in (AUTO, *_fixed(ratios)):
        mine = {cell: ratios[cell][name] for cell in cells if name in ratios[cell]}
        of_sizes = [[ratio for cell, ratio in mine.items() if cell[1] == n] for n in sizes]
        body.append(
            [
                plain(name),
                *(f"{_mean(one):.2f}" if one else "–" for one in of_sizes),
                f"{_mean(mine.values()):.2f}",
                f"{100 * np.mean([ratio <= _NEAR for ratio in mine.values()]):.0f}",
            ]
        )
    head = ["method", *(f"n = {n}" for n in sizes), "all", f"within {_NEAR}, %"]
    return markdown_table(head, body, 1)


def _finding(ratios: Ratios, title: str) -> str:
    mine = {cell: found[AUTO] for cell, found in ratios.items()}
    near, first = (sum(r <= limit for r in mine.values()) for limit in (_NEAR, 1.0))
    reached = "is reached" if near == len(mine) else "is not reached"
    worst = max(mine, key=lambda cell: mine[cell])
    fixed = _fixed(ratios)[0]
    both = [(found[AUTO], found[fixed]) for found in ratios.values() if fixed in found]
    ours, its = (_mean(one) for one in zip(*both, strict=True))
    return (
        f"**{title[0].upper()}{title[1:]}.** "
        f"At most {_NEAR} times the best in every cell {reached}: `AutoCalibrator` is that near in "
        f"{near} of {len(mine)} cells, in {first} of them as good as the best or better. Its "
        f"geometric mean is {_mean(mine.values()):.2f}. In the {len(both)} cells in which the best "
        f"fixed method ({plain(fixed)}) takes part it is {ours:.2f}, that of the fixed method "
        f"{its:.2f}. The largest ratio of `AutoCalibrator` is {mine[worst]:.1f} "
        f"({worst[0]}, n = {worst[1]})."
    )


def _cells(outcome: Outcome, n: str) -> str:
    body: dict[str, list[str]] = defaultdict(list)
    for measure in MEASURES:
        for (map_name, size), found in _excesses(outcome, measure).items():
            if size == n:
                best = _best(found)
                mine, least = found[AUTO], found[best]
                numbers = [f"{1000 * mine:.3g}", f"{1000 * least:.3g}", f"{mine / least:.2f}"]
                body[map_name] += [*numbers, plain(best)]
    columns = [f"{name}: {one}" for name in MEASURES.values() for one in ("Auto", "best", "ratio")]
    head = ["map", *columns[:3], "best method", *columns[3:], "best method"]
    return markdown_table(head, ([name, *cells] for name, cells in body.items()), 1)


def ratios_text(outcome: Outcome) -> str:
    """The study's own tables.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Markdown.
    """
    blocks = [
        "## Excess divided by that of the best method of each cell",
        "Geometric means over maps, and the share of cells within 1.15. Below `AutoCalibrator` "
        "are the three methods that are best if one method is taken everywhere, which is only "
        "known afterwards. Those that sit out large samples are judged by the others.",
    ]
    for measure, title in MEASURES.items():
        ratios = cell_ratios(outcome, measure)
        blocks.append(_finding(ratios, title))
        for name, group in GROUPS.items():
            if any(cell[0] in group for cell in ratios):
                blocks += [f"**{name}, {title}**", _summary(ratios, group)]
    blocks += ["## Every cell", "1000 times the excess over the truth."]
    for n in dict.fromkeys(labels[1] for labels in outcome.rows):
        blocks += [f"**n = {n}**", _cells(outcome, n)]
    return "\n\n".join(blocks)
