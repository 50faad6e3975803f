"""Results and pages as HTML: one file, accessible, printable, with light and dark styles.

Every text is escaped by the template engine, so a class named ``<script>`` stays a name. The
content security policy forbids the browser to load anything and to run any other script.
"""

import base64
import hashlib
import math
import re
from typing import Any

from dstheory.optional import require
from evical.evaluation import (
    Comparison,
    ConformalEvaluation,
    EnsembleEvaluation,
    Evaluation,
)
from evical.evaluation.comparison import DataSetComparison
from evical.report.page import Page, Row, Table, read_template
from evical.report.svg import embed, printable

_NUMBER = re.compile(r"[<>≈]?\s*([-+−]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+−]?inf)")


Reportable = (
    Page | Evaluation | Comparison | DataSetComparison | EnsembleEvaluation | ConformalEvaluation
)


def build(results: Reportable, *, command: str = "") -> str:
    """Results as one self-contained HTML document.

    Parameters
    ----------
    results : Page, Evaluation, Comparison, DataSetComparison, EnsembleEvaluation or \
ConformalEvaluation
    command : str
        The command or call that reproduces this page, shown at its end.

    Returns
    -------
    str
        HTML with styles, pictures and one small script inside; it loads nothing. The same
        results give the same text.

    Raises
    ------
    TypeError
        If the results are of another kind.

    Examples
    --------
    >>> html = build(Page("Results of <script>", ("All is well.",), ()))
    >>> "<h1>Results of &lt;script&gt;</h1>" in html
    True
    """
    if isinstance(results, Page):
        return render(results)
    require("matplotlib", "a report")
    # Inside, because a Page alone needs no matplotlib.
    from evical.report._comparison_page import comparison_page
    from evical.report._conformal_page import conformal_page
    from evical.report._data_sets_page import data_sets_page
    from evical.report._ensemble_page import ensemble_page
    from evical.report._evaluation_page import evaluation_page

    pages: dict[type, Any] = {
        Evaluation: evaluation_page,
        Comparison: comparison_page,
        DataSetComparison: data_sets_page,
        EnsembleEvaluation: ensemble_page,
        ConformalEvaluation: conformal_page,
    }
    for kind, page in pages.items():
        if isinstance(results, kind):
            return render(page(results, command))
    raise TypeError(
        f"results are a {type(results).__name__}, expected a Page, an Evaluation, a Comparison, "
        "a DataSetComparison, an EnsembleEvaluation or a ConformalEvaluation"
    )


def render(page: Page) -> str:
    """The page as one self-contained HTML document.

    Parameters
    ----------
    page : Page

    Returns
    -------
    str
    """
    require("jinja2", "a page")
    # Inside, because tables and pictures can be had without the template engine.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("evical.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: (
            printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
        ),
    )
    environment.filters.update(
        numeric_columns=_numeric_columns,
        cells_with_values=_cells_with_values,
        marked=lambda best, numeric: Markup(_mark(best, numeric)),
        inline=lambda picture, prefix: Markup(
            embed(picture.svg, prefix, picture.name, picture.alt)
        ),
        data_url=lambda picture: (
            "data:image/png;base64," + base64.b64encode(picture.png).decode("ascii")
        ),
    )
    # Between the tags stands a line end, which belongs to the script.
    script = read_template("page.js")
    return environment.get_template("page.html").render(
        page=page,
        style=Markup(read_template("page.css")),
        script=Markup(script),
        policy=content_policy("\n" + script),
    )


def content_policy(script: str) -> str:
    """Content security policy that allows the styles, data and one script of the page."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def _mark(best: bool, numeric: bool) -> str:
    """Classes of a cell."""
    names = [name for name, holds in (("best", best), ("words", not numeric)) if holds]
    return f' class="{" ".join(names)}"' if names else ""


def _numeric_columns(table: Table) -> list[bool]:
    """Whether each column is numeric: such columns are aligned right and sorted by value."""
    return [
        bool(filled) and all(_value(row, i) is not None for row in filled)
        for i in range(len(table.columns))
        for filled in [[row for row in table.rows if row.cells[i].strip(" –—")]]
    ]


def _cells_with_values(row: Row, numeric: list[bool]) -> list[tuple[str, str | None]]:
    values = [_value(row, i) if is_number else None for i, is_number in enumerate(numeric)]
    return [
        (cell, None if value is None else _write(value))
        for cell, value in zip(row.cells, values, strict=True)
    ]


def _value(row: Row, position: int) -> float | None:
    """The number in a cell, or None."""
    if row.values:
        return row.values[position]
    found = _NUMBER.match(row.cells[position].strip())
    return None if found is None else float(found[1].replace("−", "-").replace(",", ""))


def _write(value: float) -> str | None:
    """A number as JavaScript reads it."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))
