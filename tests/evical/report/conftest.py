"""A browser for the tests of pages, opened once for all of a file."""

import pytest

from tests.evical.report.browser import Browser, find_chromium


@pytest.fixture(scope="module")
def browser():
    with Browser(find_chromium()) as opened:
        yield opened


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens a document as a page; closed at the end."""
    tabs = []

    def opened(html, **options):
        path = tmp_path / f"page{len(tabs)}.html"
        path.write_text(html, encoding="utf-8")
        tab = browser.open(path, **options)
        tabs.append(tab)
        return tab

    yield opened
    for tab in tabs:
        tab.close()
