"""The page as HTML: every text a text, all in its place, nothing from elsewhere."""

import base64
import hashlib
import re

import pytest
from matplotlib.figure import Figure

from evical.report import Page, Picture, Row, Section, Table, build
from evical.report.svg import embed, label, svg_of
from tests.evical.report.outline import check_page
from tests.support.each import each

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</svg></title><b>x",
    "$x$ and $\\frac{",
    "]]>-->&amp;",
    "a\x00b\x1b[31m\ud800",
    "🎉 名前 مرحبا",
    "n" * 300,
)
PNG = b"\x89PNG" + bytes(12) + (1000).to_bytes(4, "big")


def drawing(text: str) -> Figure:
    """A picture with a text in every place that has one."""
    figure = Figure(figsize=(4, 3), layout="constrained")
    ax = figure.subplots()
    ax.plot([0, 1], [0, 1], "o-", label=label(text))
    ax.scatter([0.5], [0.5], rasterized=True)
    ax.set_xlabel(label(text))
    ax.set_title(label(text))
    ax.set_yticks([0, 1], [label(text), "b"])
    ax.legend()
    return figure


def hostile_page(text: str) -> Page:
    table = Table(
        text, (text,), (text, text), (Row((text,), (text, "1")), Row((text,), (text, "2")))
    )
    noted = Table(text, (text,), (text,), (Row((text,), (text,)),), ((text, text),))
    pictures = (
        Picture(text, text, text, svg=svg_of(drawing(text))),
        Picture(text, text, text, png=PNG),
    )
    section = Section(text, (text,), (text,), text, (table, noted), pictures, (text,))
    return Page(text, (text,), (section,) * 4)


@each("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_stay_texts(text):
    html = build(hostile_page(text))
    page = check_page(html)
    assert {tag for tag, _ in page.tags}.isdisjoint({"b"})
    assert page.count("img") == 4
    html.encode()  # halves of surrogate pairs cannot be written
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", html)
    if text.isprintable():
        # Headings, paragraphs, lists, cells, captions, names of pictures.
        assert page.text.count(text) > 60


def test_a_formula_is_no_formula_in_a_picture():
    page = check_page(build(hostile_page("$x$")))
    assert page.text.count("$x$") > 60 + 4 * 4
    assert page.count("tspan") == 0


def test_a_page_with_the_same_picture_twice_has_unique_ids():
    picture = Picture("name", "what it shows", "caption", svg=svg_of(drawing("a")))
    page = check_page(build(Page("t", (), (Section("s", pictures=(picture, picture)),))))
    assert [svg["aria-labelledby"] for svg in page.all("svg")] == [
        "picture-1-1-title",
        "picture-1-2-title",
    ]
    used = [use["href"][1:] for use in page.all("use")]
    assert used
    assert set(used) <= {attrs.get("id") for _, attrs in page.tags}


def test_pictures_are_the_same_each_time_and_follow_the_page():
    svg = svg_of(drawing("a"))
    assert svg == svg_of(drawing("a"))
    shown = embed(svg, "p", "title", "description")
    assert "currentColor" in shown
    assert "#000000" not in shown
    assert "#ffffff" not in shown
    assert "<style" not in shown  # it would hold for the whole page
    assert len(shown) < 0.8 * len(svg)


def test_pictures_from_elsewhere_only_draw():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'width="72pt" onload="x()"><style>* {color: red}</style><script>x()</script>'
        '<a href="http://e.org"><path d="M 0 0"/></a><foreignObject><p>x</p></foreignObject>'
        '<image xlink:href="http://e.org/x.png"/><image xlink:href="data:image/svg+xml,x"/>'
        '<rect style="fill: url(http://e.org)" x="1.23456" y="-0.00001"/></svg>'
    )
    assert embed(svg, "p", "t", "d") == (
        '<svg role="img" aria-labelledby="p-title" aria-describedby="p-desc" width="96">'
        '<title id="p-title">t</title>'
        '<desc id="p-desc">d</desc><image></image><image></image><rect x="1.23" y="0"></rect>'
        "</svg>"
    )
    with pytest.raises(ValueError, match="not an SVG"):
        embed("<html></html>", "p", "t", "d")


def test_a_picture_needs_a_picture():
    with pytest.raises(ValueError, match="'name' has neither svg nor png"):
        Picture("name", "alt", "caption")


def test_the_policy_names_the_script_and_forbids_all_else():
    html = build(Page("t", (), ()))
    script = re.search(r"<script>(.*)</script>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = (
        attrs["content"]
        for attrs in check_page(html).all("meta")
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_cells_carry_their_numbers():
    rows = (
        Row(("a",), ("12.3 ± 0.6", "word", "< 0.001", "−1,234.5", "x"), values=()),
        Row(("b",), ("-10", "3", "–", "inf", "")),
    )
    table = Table("c", ("h",), ("n", "w", "p", "big", "none"), rows)
    page = check_page(build(Page("t", (), (Section("s", tables=(table,)),))))
    values = [cell.get("data-value") for cell in page.all("td")]
    assert values == ["12.3", None, "0.001", "-1234.5", None, "-10.0", None, None, "Infinity", None]
    given = Table("c", ("h",), ("n",), (Row(("a",), ("low",), values=(0.25,)),))
    page = check_page(build(Page("t", (), (Section("s", tables=(given,)),))))
    assert [cell["data-value"] for cell in page.all("td")] == ["0.25"]
