"""Results as a page that stands on its own, and the tables and pictures it is made of."""

from evical.report._build import build
from evical.report._demo import demo_page
from evical.report._findings import findings
from evical.report._page import Page, Picture, Row, Section, Table
from evical.report._pictures import demo_pictures
from evical.report._study_page import study_files
from evical.report._tables import differences_table, results_table, to_csv

__all__ = [
    "Page",
    "Picture",
    "Row",
    "Section",
    "Table",
    "build",
    "demo_page",
    "demo_pictures",
    "differences_table",
    "findings",
    "results_table",
    "study_files",
    "to_csv",
]
