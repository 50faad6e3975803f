"""The page of a study in Markdown: what was done, the paper's numbers beside ours, what follows.

A page is made from the repeats of a study and from nothing else, so that it can be made again.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from evical._versions import all_versions
from evical.evaluation.estimate import Estimate
from examples.studies._contests_page import contests_text, overviews_text
from examples.studies._curves_page import curve_svg
from examples.studies._markdown import markdown_table, plain
from examples.studies._over_data_page import over_data_text
from examples.studies._ranks_picture import ranking_svg
from examples.studies._reproduce import Outcome
from examples.studies._study import Finding, McNemar, PublishedTable
from examples.studies._tables import (
    Cell,
    Difference,
    find_differences,
    mcnemar_shares,
    published_cells,
    summary_csv,
)

__all__ = ["study_files", "study_page"]

_MARKS = {
    "": "",
    "within": " ✓",
    "higher": " ▲",
    "lower": " ▼",
    "confirmed": " ✓",
    "not clear": " ?",
    "opposite": " ✗",
    "different": " ✗",
}


def study_files(outcome: Outcome, command: str) -> dict[str, str]:
    """All files that show a study.

    Parameters
    ----------
    outcome : Outcome
    command : str
        That makes these files.

    Returns
    -------
    dict
        Name of a file to its text: pictures, table, and last the page that names them.
    """
    name = outcome.study.name
    drawn = {curve.name: curve_svg(outcome, curve) for curve in outcome.study.curves}
    drawn |= {one.name: ranking_svg(outcome, one) for one in outcome.study.rankings}
    pictures = {key: svg for key, svg in drawn.items() if svg}
    files = {f"{name}-{key}.svg": svg for key, svg in pictures.items()}
    files[f"{name}.csv"] = summary_csv(outcome)
    files[f"{name}.md"] = study_page(outcome, command, tuple(pictures))
    return files


def study_page(outcome: Outcome, command: str, pictures: Sequence[str] = ()) -> str:
    """The page in Markdown.

    Parameters
    ----------
    outcome : Outcome
    command : str
        That makes it.
    pictures : sequence of str
        Names of the curves and rankings that have a picture.

    Returns
    -------
    str
    """
    study = outcome.study
    comment = study.comment if outcome.is_commented else ""
    blocks = [
        f"# {study.title}",
        f"{study.source}.",
        *_provenance(outcome, command),
        *([f"## What follows\n\n{comment.strip()}"] if comment else []),
        "## What is done",
        *study.protocol,
        *([study.extra(outcome)] if study.extra else []),
        *over_data_text(outcome, pictures),
        *_published(outcome),
        *_curves(outcome, pictures),
        *overviews_text(outcome),
        *contests_text(outcome),
        *_comparisons(outcome),
        *_mcnemar(outcome),
    ]
    return "\n\n".join(blocks) + "\n"


def _provenance(outcome: Outcome, command: str) -> list[str]:
    study = outcome.study
    conditions = _times(len(outcome.conditions), "condition")
    extent = f"{_times(outcome.repeats, 'repeat')} of {conditions}"
    if not outcome.is_full:
        extent += (
            f"; the full study has {_times(study.repeats, 'repeat')} of "
            f"{_times(len(study.conditions), 'condition')} and seed 0"
        )
        extent += "" if outcome.is_commented else ", so take this as a trial"
    return [
        f"Made by this command, with {all_versions()}:",
        f"    {command}",
        f"{extent}. All numbers with their standard errors are in [{study.name}.csv]"
        f"({study.name}.csv). Standard errors are those of the mean over repeats: they show how "
        "far other random repeats on the same data may differ, and say nothing about other data.",
    ]


def _times(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _published(outcome: Outcome) -> list[str]:
    """Each table of the paper with ours beside it."""
    tables = [(table, published_cells(outcome, table)) for table in outcome.study.published]
    shown = [(table, cells) for table, cells in tables if any(c.ours for c in cells.values())]
    if not shown:
        return []
    blocks = ["## Beside the paper", _legend([table for table, _ in shown], outcome.repeats)]
    for table, cells in shown:
        verdicts = Counter(cell.verdict for cell in cells.values() if cell.verdict)
        blocks += [f"### {table.title}", *_grids(table, cells)]
        if verdicts:
            blocks.append(
                f"Of {sum(verdicts.values())} published numbers, ours is within for "
                f"{verdicts['within']}, higher for {verdicts['higher']} and lower for "
                f"{verdicts['lower']}."
            )
    return blocks


def _legend(tables: Sequence[PublishedTable], repeats: int) -> str:
    if repeats == 1:
        return "Ours, then the paper's number in parentheses."
    told = all(table.repeats for table in tables)
    return (
        "Ours ± standard error, then the paper's number in parentheses. ✓: ours is within two "
        "standard errors of it; ▲ ours is higher; ▼ ours is lower. This allows for the chance of "
        "the paper's own few splits" + ("." if told else ", where their number is known.")
    )


def _grids(table: PublishedTable, cells: dict[tuple[str, ...], Cell]) -> list[str]:
    """One grid, or with several labels of columns one for each value of the first."""
    n_rows = len(table.rows)
    if len(table.columns) < 2:
        return [_grid(table.rows, cells, n_rows, table.digits)]
    blocks = []
    for outer in dict.fromkeys(key[n_rows] for key in cells):
        inner = {
            (*key[:n_rows], *key[n_rows + 1 :]): cell
            for key, cell in cells.items()
            if key[n_rows] == outer
        }
        blocks += [f"**{plain(outer)}**", _grid(table.rows, inner, n_rows, table.digits)]
    return blocks


def _grid(
    heads: Sequence[str], cells: dict[tuple[str, ...], Cell], n_rows: int, digits: int
) -> str:
    rows = dict.fromkeys(key[:n_rows] for key in cells)
    columns = dict.fromkeys(key[n_rows:] for key in cells)
    head = [*map(plain, heads), *(", ".join(map(plain, column)) or "ours" for column in columns)]
    body = [
        [*map(plain, row), *(_show(cells.get((*row, *column)), digits) for column in columns)]
        for row in rows
    ]
    return markdown_table(head, body, len(heads))


def _show(cell: Cell | None, digits: int) -> str:
    if cell is None:
        return "–"
    ours = "–" if cell.ours is None else _number(cell.ours, digits)
    theirs = "" if cell.published is None else f" ({cell.published:.{digits}f})"
    return f"{ours}{theirs}{_MARKS[cell.verdict]}"


def _curves(outcome: Outcome, pictures: Sequence[str]) -> list[str]:
    curves = [curve for curve in outcome.study.curves if curve.name in pictures]
    if not curves:
        return []
    blocks = ["## Pictures", "Vertical segments are two standard errors to either side."]
    for curve in curves:
        file = f"{outcome.study.name}-{curve.name}.svg"
        blocks += [f"### {curve.title}", f"![{curve.title}]({file})"]
    return blocks


def _comparisons(outcome: Outcome) -> list[str]:
    """Findings of the paper in words, and differences of which it says nothing."""
    all_of = [(one, find_differences(outcome, one)) for one in outcome.study.comparisons]
    claims = [pair for pair in all_of if pair[1] and pair[0].expected]
    others = [pair for pair in all_of if pair[1] and not pair[0].expected]
    blocks = []
    if claims:
        counts = Counter(one.verdict for _, found in claims for one in found)
        blocks += [
            "## Findings of the paper, checked",
            "Differences within repeats ± standard error. ✓: the finding holds, by more than two "
            "standard errors; ✗: its opposite does; ?: neither is clear. Where the paper finds no "
            "difference, ✓ says that ours is within the limits named here, ✗ that it is beyond "
            "them, again by more than two standard errors.",
            _differences(claims),
        ]
        if counts.total() > counts[""]:
            blocks.append(
                f"{counts['confirmed']} hold, {counts['not clear']} are not clear, "
                f"{counts['opposite'] + counts['different']} do not hold."
            )
    if others:
        blocks += [
            "## Further differences",
            "Within repeats ± standard error.",
            _differences(others),
        ]
    return blocks


def _differences(pairs: Iterable[tuple[Finding, list[Difference]]]) -> str:
    body = []
    for comparison, found in pairs:
        asked = f"{plain(comparison.first)} − {plain(comparison.second)}"
        if comparison.expected == "equal" and comparison.margin:
            asked += f", at most {comparison.margin:g} to either side"
        lines = [_difference(one, comparison.digits) for one in found]
        body.append([plain(comparison.text), asked, "<br>".join(lines)])
    return markdown_table(["finding", "difference", "ours"], body, 3)


def _difference(one: Difference, digits: int) -> str:
    where = ", ".join(map(plain, one.by))
    return f"{where}{': ' if where else ''}{_number(one.estimate, digits)}{_MARKS[one.verdict]}"


def _mcnemar(outcome: Outcome) -> list[str]:
    blocks = []
    for tests in outcome.study.mcnemar:
        if shown := _shares(outcome, tests):
            blocks += [
                f"## McNemar's test on single splits, against {plain(tests.reference)}",
                "Share of repeats in which the test samples of that repeat alone call the row "
                f"significantly worse / better than {plain(tests.reference)}, at "
                f"{tests.level:.0%}. A paper with one split draws one of these repeats.",
                shown,
            ]
    return blocks


def _shares(outcome: Outcome, tests: McNemar) -> str:
    shares = mcnemar_shares(outcome, tests)
    columns = dict.fromkeys(one.value for one in shares)
    found = {(one.by, one.value): f"{one.worse:.0%} / {one.better:.0%}" for one in shares}
    body = [
        [*map(plain, by), *(found.get((by, value), "–") for value in columns)]
        for by in dict.fromkeys(one.by for one in shares)
    ]
    return markdown_table([*tests.by, *map(plain, columns)], body, len(tests.by)) if body else ""


def _number(estimate: Estimate, digits: int) -> str:
    """Mean ± standard error, with two digits of the latter but not many more than printed.

    >>> _number(Estimate(-15.6231, 0.3124), 2), _number(Estimate(0.25, float("nan")), 1)
    ('−15.62 ± 0.31', '0.2')
    """
    if math.isnan(estimate.mean):
        return "–"
    if math.isnan(estimate.standard_error):
        return _sign(estimate.mean, digits)
    places = digits
    # An error that would be shown as zero tells nothing of digits.
    if estimate.standard_error > 0.5 * 10 ** -(digits + 1):
        places = min(max(1 - math.floor(math.log10(estimate.standard_error)), 0), digits + 1)
    return f"{_sign(estimate.mean, places)} ± {estimate.standard_error:.{places}f}"


def _sign(number: float, places: int) -> str:
    # Adding zero turns -0.0 into 0.0.
    return f"{round(number, places) + 0.0:.{places}f}".replace("-", "−")
