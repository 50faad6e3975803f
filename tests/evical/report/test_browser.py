"""Pages opened in a headless Chromium: silent, alone, sortable by mouse and keyboard, readable."""

import pytest

from evical.report import Page, Row, Section, Table, build
from tests.evical.report.browser import find_chromium
from tests.evical.report.results import KINDS, ensemble, page_of
from tests.support.each import each

CHROMIUM = find_chromium()
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

SCRIPT = "<script>alert(1)</script>"
BODY = "document.querySelector('tbody')"
CELLS = f"Array.from({BODY}.rows, row => row.cells[{{0}}].textContent.trim())"
GROUPS = f"Array.from({BODY}.querySelectorAll('.first'), row => row.cells[1].textContent)"
CLICK = "document.querySelectorAll('thead th')[{0}].querySelector('button').click()"
SORTED = "Array.from(document.querySelectorAll('thead th'), th => th.getAttribute('aria-sort'))"


def table_page():
    rows = [
        ("x", "b", "10 ± 1", "−3", "Beta"),
        ("x", "a10", "9 ± 2", "–", "alpha"),
        ("y", "a9", "10 ± 0", "1e-3", "gamma"),
        ("y", "c", "inf", "2", ""),
        ("y", "d", "-1,000", "–", "ämter"),
    ]
    table = Table(
        "caption",
        ("Group", "Name"),
        ("Number", "Gaps", "Word"),
        tuple(Row(row[:2], row[2:]) for row in rows),
    )
    single = Table("alone", ("Name",), ("Number",), (Row(("a",), ("1",)),))
    return build(Page("Sorting", ("Lead.",), (Section("Tables", tables=(table, single)),)))


def outside(tab):
    """Kinds of addresses asked for, but for data that are part of the page."""
    kinds = [url.partition(":")[0] for url in tab.requests()]
    return [kind for kind in kinds if kind != "data"]


@each("kind", KINDS)
def test_every_page_is_silent_and_asks_for_nothing(open_page, kind):
    tab = open_page(page_of(kind))
    assert tab.complaints() == []
    assert outside(tab) == ["file"]
    buttons = tab.run("document.querySelectorAll('th button').length")
    assert buttons == tab.run("document.querySelectorAll('thead th').length")
    # Clicks on everything change nothing about that.
    tab.run("document.querySelectorAll('button').forEach(button => button.click())")
    assert tab.complaints() == []
    assert outside(tab) == ["file"]


@pytest.mark.parametrize(
    ("column", "rising"),
    [
        (1, ["a9", "a10", "b", "c", "d"]),
        (2, ["-1,000", "9 ± 2", "10 ± 1", "10 ± 0", "inf"]),
        (3, ["−3", "1e-3", "2", "–", "–"]),
        (4, ["alpha", "ämter", "Beta", "gamma", ""]),
    ],
    ids=["names", "numbers", "gaps", "words"],
)
def test_tables_sort_up_down_and_back(open_page, column, rising):
    tab = open_page(table_page())
    before = tab.run(CELLS.format(column))
    tab.run(CLICK.format(column))
    assert tab.run(CELLS.format(column)) == rising
    assert tab.run(SORTED)[column] == "ascending"
    tab.run(CLICK.format(column))
    gaps = [cell for cell in rising if cell in {"", "–"}]
    falling = [cell for cell in reversed(rising) if cell not in gaps] + gaps
    # Equal ones keep their order.
    if column == 2:
        falling[1:3] = ["10 ± 1", "10 ± 0"]
    assert tab.run(CELLS.format(column)) == falling
    assert tab.run(SORTED)[column] == "descending"
    tab.run(CLICK.format(column))
    assert tab.run(CELLS.format(column)) == before
    assert not any(tab.run(SORTED))


def test_sorting_by_another_column_starts_anew_and_groups_follow(open_page):
    tab = open_page(table_page())
    assert tab.run(GROUPS) == ["b", "a9"]
    tab.run(CLICK.format(1))
    # a9 of y, then a10 and b of x, then c and d of y.
    assert tab.run(GROUPS) == ["a9", "a10", "c"]
    tab.run(CLICK.format(2))
    assert tab.run(SORTED)[:5] == [None, None, "ascending", None, None]


def test_tables_sort_from_the_keyboard(open_page):
    tab = open_page(table_page())
    focus = "document.activeElement.className + document.activeElement.textContent.trim()"
    stops = []
    for _ in range(4):
        tab.press("Tab")
        stops.append(tab.run(focus))
    assert stops[0] == "skipSkip to the content"
    assert stops[1].startswith("wide")
    assert stops[2:] == ["Group", "Name"]
    tab.press("Enter")
    assert tab.run(SORTED)[1] == "ascending"
    tab.press(" ")
    assert tab.run(SORTED)[1] == "descending"
    assert tab.run(focus) == "Name"  # which keeps the focus


def test_the_skip_link_leads_to_the_content(open_page):
    tab = open_page(table_page())
    tab.press("Tab")
    tab.press("Enter")
    assert tab.run("document.activeElement.id") == "main"


def test_a_table_of_one_row_has_no_buttons(open_page):
    tab = open_page(table_page())
    assert tab.run("document.querySelectorAll('table')[1].querySelectorAll('button').length") == 0


def test_a_screen_reader_hears_names(open_page):
    tab = open_page(page_of("evaluation"))
    pictures = tab.names("image")
    assert pictures[0] == "Reliability diagram"
    assert len(pictures) == tab.run("document.querySelectorAll('svg').length")
    assert all(tab.names("table"))
    assert all(tab.names("columnheader"))
    assert all(tab.names("region"))
    assert "Skip to the content" in tab.names("link")


def test_hostile_names_show_as_text_and_do_nothing(open_page):
    html = build(ensemble(names=("a", SCRIPT, "$x$"), members=(SCRIPT, "</svg><b>", "مرحبا")))
    tab = open_page(html)
    assert tab.complaints() == []
    shown = tab.run("document.body.innerText")
    assert SCRIPT in shown
    drawn = tab.run(
        "Array.from(document.querySelectorAll('svg text'), text => text.textContent).join('|')"
    )
    for text in (SCRIPT, "</svg><b>", "مرحبا"):
        assert text in drawn
    assert tab.run("document.scripts.length") == 1


def test_a_foreign_script_does_not_run(open_page):
    html = build(Page("t", ("Lead.",), ()))
    tab = open_page(html.replace("<main", "<script>document.title = 'bad'</script><main"))
    assert tab.run("document.title") == "t"
    assert any("Content Security Policy" in text for text in tab.complaints())


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_have_contrast(open_page, dark):
    tab = open_page(page_of("ensemble"), dark=dark)
    # Level AA of the accessibility guidelines.
    assert tab.run(CONTRAST) > 4.5


def test_a_narrow_screen_does_not_scroll_sideways(open_page):
    tab = open_page(build(ensemble(members=("n" * 200, "b", "c"))), width=360, height=640)
    assert tab.run("document.documentElement.scrollWidth") == 360
    edges = "[...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect().right)"
    assert tab.run(f"Math.max(...{edges})") <= 360  # no picture is cut


def test_print_has_light_colors_and_no_controls(open_page):
    tab = open_page(table_page(), dark=True)
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.run("getComputedStyle(document.querySelector('.skip')).display") == "none"


def test_pictures_in_print_leave_room_for_a_heading_and_the_lead(open_page):
    """Taller ones moved to a second page, with their heading, and left the first nearly blank."""
    tab = open_page(page_of("evaluation"))
    tallest = (
        "Math.max(...Array.from(document.querySelectorAll('figure svg'), s => s.clientHeight))"
    )
    assert tab.run(tallest) > 480
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.run(tallest) < 480  # of the 1,020 CSS pixels of a page


# The least contrast of a text with what lies behind it; relative luminance as in WCAG 2.2.
CONTRAST = """(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => channels(color).slice(0, 3)
    .map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const solid = color => { const c = channels(color); return c.length < 4 || c[3] === 1; };
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      if (solid(color)) return color;
    }
    return "rgb(255, 255, 255)";
  };
  let least = 21;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || ["SCRIPT", "title", "desc"].includes(
      element.tagName)) continue;
    const style = getComputedStyle(element);
    const color = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
    const pair = [light(color), light(behind(element))].sort((a, b) => b - a);
    least = Math.min(least, (pair[0] + 0.05) / (pair[1] + 0.05));
  }
  return least;
})()"""
