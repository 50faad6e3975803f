"""Results as one self-contained HTML page."""

from evical.report._explorer import build_explorer
from evical.report._html import build
from evical.report.page import Page, Picture, Row, Section, Table

__all__ = [
    "Page",
    "Picture",
    "Row",
    "Section",
    "Table",
    "build",
    "build_explorer",
]


def __dir__() -> list[str]:
    return __all__
