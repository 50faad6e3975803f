"""A page taken apart: are all elements closed, what is in which order, what does it refer to?"""

from html.parser import HTMLParser
from itertools import pairwise

VOID = frozenset({"meta", "img", "br", "hr", "link", "input"})


class Outline(HTMLParser):
    """Elements of a page; feeding fails where one is closed that is not open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"<{tag}> says something twice"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        raise AssertionError(f"<{tag}/> is not an element of HTML")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in {"script", "style"}:
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all elements of a name."""
        return [attrs for name, attrs in self.tags if name == tag]

    def count(self, tag: str) -> int:
        return len(self.all(tag))

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def check_page(html: str) -> Outline:
    """What every page must be: whole, alone, named and in order."""
    page = Outline(html)
    assert page.tags[0] == ("html", {"lang": "en"})
    for tag in ("h1", "main", "script"):
        assert page.count(tag) == 1, tag
    assert page.count("title") == 1 + page.count("svg")
    levels = [int(tag[1]) for tag, _ in page.tags if tag in {"h1", "h2", "h3", "h4"}]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(set(ids)) == len(ids)
    for tag, attrs in page.tags:
        _check_element(tag, attrs, set(ids))
    assert page.count("caption") == page.count("table")
    return page


def _check_element(tag: str, attrs: dict, ids: set[str]) -> None:
    assert tag not in {"iframe", "object", "embed", "base", "form", "foreignobject"}
    assert not any(name.startswith("on") for name in attrs)
    if tag == "a":
        assert attrs["href"].startswith(("#", "https://doi.org/"))
    for name in ("src", "href", "xlink:href", "data", "action", "srcset"):
        if tag != "a" and name in attrs:
            assert attrs[name].startswith(("data:", "#")), attrs
    for value in attrs.values():
        if value and "url(" in value:
            assert "url(#" in value
    for name in ("aria-labelledby", "aria-describedby"):
        assert set((attrs.get(name) or "").split()) <= ids
    if tag in {"img", "svg"}:
        assert attrs.get("alt") or (attrs["role"] == "img" and attrs["aria-labelledby"])
    if tag == "th":
        assert attrs["scope"] in {"row", "col"}
