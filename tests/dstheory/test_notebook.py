"""Tables for notebooks: short, well-formed, and nothing but text in their cells."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np

from dstheory import Frame
from dstheory.exact import ImpreciseMass
from dstheory.network import Table, ValuationNetwork
from dstheory.notebook import ShownFields, brief, html_table
from dstheory.product import ProductFrame, Variable
from tests.support.each import each

HOSTILE = "<script>alert('x')</script>&\"<b>"


def cells(html):
    """Rows of texts; the document must be well-formed."""
    table = ET.fromstring(f"<div>{html}</div>").find("table")
    rows = [["".join(cell.itertext()) for cell in row] for row in table.findall("tr")]
    assert len({len(row) for row in rows}) == 1
    return rows


@each(
    ("value", "text"),
    [
        (None, "–"),
        (1 / 3, "0.333333"),
        (np.float64(2.5), "2.5"),
        (7, "7"),
        (True, "True"),
        (np.array(0.25), "0.25"),
        (np.arange(6), "0, 1, 2, 3, 4, 5"),
        (np.arange(7), "7 numbers from 0 to 6"),
        (np.zeros((2, 3)), "2 × 3 numbers from 0 to 0"),
        (np.zeros((0, 3)), "0 × 3 values"),
        (np.array([["a"]]), "1 × 1 values"),
        (np.array(["a", "b"]), "a, b"),
        ((), "none"),
        ({}, "none"),
        ({"a": [0.5, 1]}, "a: 0.5, 1"),
        (range(8), "0, 1, 2, 3, 4, 5, ... 8 in all"),
        (len, "len"),
        ("one\ntwo", "one"),
        ("x" * 101, "x" * 99 + "…"),
    ],
)
def test_values_are_told_in_brief(value, text):
    assert brief(value) == text


def test_long_tables_are_cut_and_count_their_rows():
    html = html_table("many", [["", "n"], *([str(i), "x"] for i in range(25))], ["note"])
    assert len(cells(html)) == 21
    notes = [note.text for note in ET.fromstring(f"<div>{html}</div>").findall("div")]
    assert notes == ["... 25 rows in all", "note"]


@dataclass(frozen=True)
class Told(ShownFields):
    """With a text of its own."""

    a_name: str

    def __str__(self):
        return f"told: {self.a_name}"


def test_fields_come_after_the_text():
    html = Told(HOSTILE)._repr_html_()
    assert html.startswith("<pre>told: &lt;script&gt;")
    assert cells(html) == [["", ""], ["a name", HOSTILE]]


def network(name):
    variables = [Variable(name, ["y", "n"]), Variable("other", [name, "n"])]
    table = Table([name], [0.25, 0.75])
    return ValuationNetwork(variables, {name: table}, kind="probability")


FRAME = Frame([HOSTILE, "b"])
SHOWN = [
    (lambda: FRAME, [["label", "mask"], [HOSTILE, "1"], ["b", "2"]]),
    (lambda: Variable(HOSTILE, ["y", "n"]), [["name", "values"], [HOSTILE, "y, n"]]),
    (
        lambda: ProductFrame([Variable(HOSTILE, ["y", "n"]), Variable("b", [HOSTILE, "n"])]),
        [["variable", "values"], [HOSTILE, "y, n"], ["b", f"{HOSTILE}, n"]],
    ),
    (
        lambda: ImpreciseMass(FRAME, {HOSTILE: (0.25, 0.5), FRAME: (0.5, 0.75)}),
        [
            ["set", "at least", "at most"],
            ["{" + HOSTILE + "}", "0.25", "0.5"],
            ["{" + HOSTILE + ", b}", "0.5", "0.75"],
        ],
    ),
    (
        lambda: Table([HOSTILE, "b"], [[0.25, 0.75], [0.5, 0.5]]),
        [[HOSTILE, "b 0", "b 1"], ["0", "0.25", "0.75"], ["1", "0.5", "0.5"]],
    ),
    (
        lambda: network(HOSTILE),
        [
            ["key", "variables", "valuation"],
            [HOSTILE, HOSTILE, f"Table on {HOSTILE}, shape (2,)"],
        ],
    ),
]


@each(("made", "rows"), SHOWN)
def test_values_as_tables(made, rows):
    assert cells(made()._repr_html_()) == rows


def test_large_values_are_cut():
    assert len(cells(Frame(range(100_000))._repr_html_())) == 21
    assert "... 100000 labels in all" in Frame(range(100_000))._repr_html_()
    table = Table(["a", "b"], np.ones((30, 30)))._repr_html_()
    assert [len(cells(table)), len(cells(table)[0])] == [13, 13]
    assert "... 900 numbers in all" in table


def test_a_text_is_cut_only_where_it_is_too_long():
    assert brief("x" * 100) == "x" * 100
    assert brief("x" * 101) == "x" * 99 + "…"
