"""Records are those of the standard library, in blocks of any size, with their own text."""

import csv
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evical._delimited import Dialect, Records
from evical.cli._sinks import _number_texts
from tests.support.each import each

# What splits cells and lines, what only seems to, and a plain letter.
CELLS = st.text('a ",;\r\n\t\x0b\x1c\x85\u2028', max_size=4)
PLAIN = st.text("a ;\t\x0b\x1c\x85\u2028", max_size=4)
SIZES = st.integers(0, 30)


def read(text, size):
    blocks = list(Records(io.StringIO(text, newline=""), ",").blocks(size))
    rows = [row for block in blocks for row in block.cells()]
    texts = [text for block in blocks for text in block.texts]
    lines = [line for block in blocks for line in block.lines]
    return rows, texts, lines


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=3), max_size=5)
    | st.lists(st.lists(PLAIN, min_size=2, max_size=3), max_size=5),
    st.sampled_from(["\n", "\r\n"]),
    SIZES,
)
def test_what_was_written_is_read(rows, end, size):
    file = io.StringIO(newline="")
    # A writer that ends lines with "\n" leaves a "\r" bare in some versions of Python.
    bare = any("\r" in cell for row in rows for cell in row)
    quoting = csv.QUOTE_ALL if bare else csv.QUOTE_MINIMAL
    csv.writer(file, lineterminator=end, quoting=quoting).writerows(rows)
    found, texts, lines = read(file.getvalue(), size)
    assert found == list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    assert "".join(text + end for text in texts) == file.getvalue()
    # Each record begins on its line.
    starts = io.StringIO(file.getvalue(), newline="").readlines()
    for text, line in zip(texts, lines, strict=True):
        assert text.startswith(starts[line - 1].rstrip("\r\n"))


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5), SIZES)
def test_one_column_of_a_block_is_that_of_its_cells(rows, size):
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    for block in Records(io.StringIO(file.getvalue(), newline=""), ",").blocks(size):
        assert block.ragged(2) is None
        for i in (0, 1):
            assert block.column(i) == [cells[i] for cells in block.cells()]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_numbers_are_written_so_that_the_same_come_back(numbers):
    assert list(map(float, _number_texts(np.array(numbers)))) == numbers


@each(
    ("text", "usual", "delimiter", "decimal"),
    [
        ("a,b\n1,2\n", ",", ",", "."),
        ("a;b\n1;2\n", ",", ";", "."),
        ("a;b\n1,5;2\n", ",", ";", ","),
        ("a;b\n1,5;2.5\n", ",", ";", "."),  # two ways: the reader refuses one
        ("a\tb\n1,5\t2\n", ",", "\t", ","),
        ("a,b\n1,2\n", "\t", ",", "."),  # by name a TSV
        ('"a;x",b\n"1;2",2\n', ",", ",", "."),
        ('"a,x";b\n"1,2";2\n', ",", ";", ","),
        ("a;b\n1,234;2\n", ",", ";", "."),  # one thousand, or one?
        ("a;b\n0,234;2\n", ",", ";", ","),
        ("a;b\nx, y;2\nz, w;3\n", ",", ";", "."),
        ("set\n0|1\n1\n", ",", ",", "."),
        ("a,b\n1,2\n3\n", ",", ",", "."),  # ragged
        ("a;b\n1;2\n3", ",", ";", "."),
        ("score\n1\n", ",", ",", "."),
        ("", ",", ",", "."),
    ],
)
def test_the_first_lines_show_the_dialect(text, usual, delimiter, decimal):
    assert Dialect().found(text, usual) == Dialect(delimiter, decimal)
    assert Dialect(";").found(text, usual).delimiter == ";"
    assert Dialect(decimal=".").found(text, usual) == Dialect(delimiter, ".")
