"""The page of a study: Markdown that shows what the repeats say, the same bytes each time."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from examples.studies import reproduce, study_files
from examples.studies._curves_page import _figure, _panels
from tests.support.toy_study import Toy, toy_study


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    return reproduce(toy_study(), tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def page(full) -> str:
    return study_files(full, "python -m examples.studies toy")["toy.md"]


def tables(page: str) -> list[list[list[str]]]:
    """Cells of each table, head first; every row must have as many as its head."""
    found = []
    for block in page.split("\n\n"):
        if block.startswith("|"):
            rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in block.splitlines()]
            assert len({len(row) for row in rows}) == 1
            assert all(re.fullmatch(r" -+:? ", cell) for cell in rows[1])
            found.append([[cell.strip() for cell in row] for row in [rows[0], *rows[2:]]])
    return found


def svg_texts(svg: str) -> list[str | None]:
    return [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("text")]


def test_files_are_the_same_bytes_again(full):
    files = study_files(full, "x")
    assert list(files) == ["toy-figure1.svg", "toy.csv", "toy.md"]
    assert files == study_files(full, "x")


def test_every_link_of_the_page_leads_to_a_file(full, page):
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert set(links) == {"toy-figure1.svg", "toy.csv"}
    assert set(links) <= set(study_files(full, "x"))


def test_the_page_tells_how_it_was_made(page):
    assert "\n    python -m examples.studies toy\n" in page
    assert "numpy " in page
    assert "4 repeats of 2 conditions. All numbers" in page
    assert "Numbers are drawn." in page


def test_the_comment_is_under_the_full_study_only(page, tmp_path):
    assert "All of it is as it must be." in page
    short = study_files(reproduce(toy_study(), tmp_path, repeats=1), "x")["toy.md"]
    assert "All of it" not in short
    assert "1 repeat of 2 conditions; the full study has 4 repeats of 2 conditions" in short


def test_printed_numbers_stand_beside_ours(page):
    first, second = tables(page)[:2]
    assert first[0] == ["method", "1", "2"]
    a, b, c = first[1:]
    assert re.fullmatch(r"\d+\.\d ± \d\.\d \(50\.0\) [✓▲▼]", a[1])
    assert b[1].endswith("(500.0) ▼")
    assert c[1:] == ["– (1.0)", "–"]
    assert "(" not in second[1][1]
    assert re.search(r"Of 2 published numbers, ours is within for \d, higher for", page)


def test_findings_are_checked(page):
    checked, further = tables(page)[2:4]
    assert checked[1][0] == "b errs more"
    assert checked[1][2] == "one: 0.10 ± 0.00 ✓<br>two: 0.10 ± 0.00 ✓"
    assert checked[2][0] == r"b\_errs less"
    assert checked[2][2].endswith("✗")
    assert "2 hold, 0 are not clear, 1 do not hold." in page
    assert further[1][1] == "1 − 2"


def test_mcnemar_tests_are_shown_as_shares_of_rounds(page):
    assert tables(page)[4] == [["data", "b"], ["one", "100% / 0%"], ["two", "100% / 0%"]]


def test_the_picture_has_a_panel_for_each_data_set_and_a_line_for_each_method(full):
    svg = study_files(full, "x")["toy-figure1.svg"]
    texts = svg_texts(svg)
    assert {"one", "two", "a", "b", "size", "error"} <= set(texts)
    assert "<dc:date>" not in svg
    assert len(svg) < 40_000


def test_parts_that_were_not_run_leave_no_empty_headings(tmp_path):
    class Mute(Toy):
        def run_repeat(self, data, number, seed):
            return [(("zero", "1", "z"), (1.0, 0.0, 0.0))]

    outcome = reproduce(toy_study(Mute("zero")), tmp_path, repeats=1)
    page = study_files(outcome, "x")["toy.md"]
    assert "Findings" not in page
    assert "Further" not in page


def test_the_page_tells_what_it_takes_for_the_chance_of_printed_numbers(full):
    (exact,) = full.study.published
    told = replace(exact, repeats=3)
    for tables_, text in (
        ((told,), "few splits.\n"),
        ((exact,), "few splits, where their number is known.\n"),
        ((exact, told), "few splits, where their number is known.\n"),
    ):
        study = replace(full.study, published=tables_)
        made = study_files(replace(full, study=study), "x")["toy.md"]
        assert text in made


def test_the_legend_has_all_lines_and_fits_over_a_single_panel(tmp_path):
    class Many(Toy):
        def run_repeat(self, data, number, seed):
            # The first panel lacks the last line.
            names = [f"rather long name {i}" for i in range(5)]
            return [
                ((panel, size, name), (float(i), 0.0, 0.0))
                for panel, shown in (("first", names[:4]), ("second", names))
                for size in "12"
                for i, name in enumerate(shown)
            ]

    outcome = reproduce(toy_study(Many("one")), tmp_path, repeats=1)
    assert svg_texts(study_files(outcome, "x")["toy-figure1.svg"]).count("rather long name 4") == 1
    alone = replace(outcome, rows={k: v for k, v in outcome.rows.items() if k[0] == "second"})
    (curve,) = outcome.study.curves
    panels = _panels(alone, curve)
    figure = _figure(panels, curve)
    figure.draw_without_rendering()
    box, (legend,) = figure.bbox, figure.legends
    assert box.x0 <= legend.get_window_extent().x0 < legend.get_window_extent().x1 <= box.x1


@pytest.mark.parametrize(("last", "scale"), [(99.0, "linear"), (1000.0, "log")])
def test_a_wide_range_of_numbers_is_on_a_logarithmic_axis(last, scale):
    lines = {name: [(1.0, 0.5, 0.1), (last, 0.25, 0.1)] for name in ("a", "b", "c")}
    (ax,) = _figure({"one": lines}, toy_study().curves[0]).axes
    assert ax.get_xscale() == scale
    first, middle, third = (line.get_xdata() for line in ax.lines[1::2])
    assert middle == pytest.approx([1, last])  # the others lie to either side of it
    assert (first < middle).all()
    assert (middle < third).all()
    assert first == pytest.approx([1, last], rel=0.1, abs=1)
