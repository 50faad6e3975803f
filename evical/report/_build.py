"""`build`: results of any kind as one HTML file."""

from evical.report._html import render
from evical.report._page import Page

__all__ = ["build"]


def build(results: Page) -> str:
    """Results as one self-contained HTML document.

    Parameters
    ----------
    results : Page

    Returns
    -------
    str

    Examples
    --------
    >>> html = build(Page("Results of <script>", ("All is well.",), ()))
    >>> "<h1>Results of &lt;script&gt;</h1>" in html
    True
    """
    return render(results)
