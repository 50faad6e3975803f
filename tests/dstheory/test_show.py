"""Texts and HTML of mass functions: short, readable, escaped."""

from fractions import Fraction
from html.parser import HTMLParser

import numpy as np
import pytest

from dstheory import Frame, MassFunction


class Tags(HTMLParser):
    """All tags and texts of a document."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_single():
    frame = Frame(["ant", "bee"])
    m = MassFunction(frame, [0, 1, 3], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    assert repr(m) == (
        "MassFunction on {ant, bee}\n  {}          1/2\n  {ant}       1/3\n  {ant, bee}  1/6"
    )


def test_floats_are_short():
    assert repr(MassFunction(Frame([0, 1]), [1, 3], [1 / 3, 2 / 3])).endswith("{0, 1}  0.666667")


def test_batch():
    m = MassFunction(Frame([0, 1]), [1, 2], [[1, 0]] * 7)
    assert repr(m) == (
        "MassFunction on {0, 1}, batch (7,)\n"
        "  {0}  1  1  1  1  1\n"
        "  {1}  0  0  0  0  0\n"
        "  ... 7 rows in all"
    )


def test_many_sets_and_labels():
    frame = Frame(range(100))
    m = MassFunction(frame, [1 << i for i in range(40)], np.full(40, 1 / 40))
    lines = repr(m).splitlines()
    assert lines[0] == "MassFunction on 100 labels"
    assert lines[-1] == "  ... 40 focal sets in all"
    assert len(lines) == 22


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (30, 2)])
def test_every_shape_can_be_shown(shape):
    m = MassFunction(Frame([0, 1]), [1, 2], np.full((*shape, 2), 0.5))
    assert repr(m).startswith("MassFunction on {0, 1}")
    tags = Tags(m._repr_html_()).tags
    shown = min(5, int(np.prod(shape)))
    assert tags.count("tr") == (1 + shown if shape else 3)
    assert tags.count("td") == 2 * min(5, int(np.prod(shape)))


def test_html_escapes_labels():
    hostile = "<script>alert('x')</script>&\"<b>"
    frame = Frame([hostile, "b"])
    html = MassFunction(frame, [1, 3], [0.5, 0.5])._repr_html_()
    parsed = Tags(html)
    assert not {"script", "b"} & set(parsed.tags)
    assert "{" + hostile + "}" in "".join(parsed.texts)


def test_html_has_the_notes():
    m = MassFunction(Frame(range(30)), [1 << i for i in range(30)], np.eye(30))
    texts = Tags(m._repr_html_()).texts
    assert "... 30 focal sets in all" in texts
    assert "... 30 rows in all" in texts
