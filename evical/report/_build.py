"""`build`: results of any kind as one HTML file."""

from dstheory.optional import require
from evical.evaluation import (
    Comparison,
    ConformalEvaluation,
    DataSetComparison,
    EnsembleEvaluation,
    Evaluation,
)
from evical.report._html import render
from evical.report.page import Page

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
    # Imported here, because a Page alone needs no matplotlib.
    if isinstance(results, Evaluation):
        from evical.report._evaluation_page import evaluation_page

        return render(evaluation_page(results, command))
    if isinstance(results, Comparison):
        from evical.report._comparison_page import comparison_page

        return render(comparison_page(results, command))
    if isinstance(results, DataSetComparison):
        from evical.report._data_sets_page import data_sets_page

        return render(data_sets_page(results, command))
    if isinstance(results, EnsembleEvaluation):
        from evical.report._ensemble_page import ensemble_page

        return render(ensemble_page(results, command))
    if isinstance(results, ConformalEvaluation):
        from evical.report._conformal_page import conformal_page

        return render(conformal_page(results, command))
    raise TypeError(
        f"results are a {type(results).__name__}, expected a Page, an Evaluation, a Comparison, "
        "a DataSetComparison, an EnsembleEvaluation or a ConformalEvaluation"
    )
