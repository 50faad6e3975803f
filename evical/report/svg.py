"""Pictures in a page: the SVG of matplotlib, made safe, small and fit for dark pages.

Only elements that draw are kept, without scripts and references to elsewhere; ids are made
unique in the page; black and white become the colors of the page. Texts stay texts, so that
they can be searched and read aloud, and so that any writing system shows.
"""

import io
import re
import warnings
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from dstheory.notebook import short

if TYPE_CHECKING:  # a page without pictures needs no matplotlib
    from matplotlib.figure import Figure

_KEPT = frozenset(
    {"svg", "g", "defs", "path", "use", "rect", "circle", "ellipse", "line", "polyline"}
    | {"polygon", "clipPath", "text", "tspan", "image", "pattern"}
)
# Colors of the pictures that follow the page, by name of its style sheet.
_PAGE_COLORS = {
    "#000000": "currentColor",
    "#ffffff": "var(--paper)",
    "#595959": "var(--soft)",
    "#cccccc": "var(--line)",
}
_COLOR = re.compile("|".join(_PAGE_COLORS), re.IGNORECASE)
# The page has one font for all pictures; matplotlib writes nine with each text.
_FONT_FAMILY = re.compile(r"font-family:[^;]*;?\s*")
# Of the parts that are pixels: two for each of the page.
_DPI = 192
# A hundredth of a point cannot be seen.
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?!\w)")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
# Control characters and halves of surrogate pairs are not characters of HTML or XML.
_NO_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def label(text: str, longest: int = 32) -> str:
    """Write a name as text of a figure, without formulas and on one short line.

    >>> print(label("<$50K"), label("a" * 40, longest=6))
    <\\$50K aaa…aa
    """
    return shorten(text, longest).replace("$", r"\$")


def shorten(text: str, longest: int = 32) -> str:
    """A name on one line, cut where it is too long.

    >>> shorten("a\\nb"), shorten("abcdef", 4)
    ('a b', 'ab…f')
    """
    return short(printable(text), longest)


def printable(text: str) -> str:
    """The text, with a mark in place of each invalid character.

    >>> printable("a\\x00b")
    'a�b'
    """
    return _NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)


def svg_of(figure: "Figure") -> str:
    """A matplotlib figure as SVG, the same bytes for the same figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure

    Returns
    -------
    str
    """
    # Inside, because a page without pictures needs no matplotlib.
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    file = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "evical"}), warnings.catch_warnings():
        # The page's fonts draw the texts, not matplotlib's, which has no emoji and no Arabic.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from|Matplotlib currently does")
        # `savefig` would draw all of it once before, only to lay it out.
        figure.set_dpi(_DPI)
        canvas = FigureCanvasSVG(figure)
        canvas.print_svg(file, metadata=nothing)  # type: ignore[no-untyped-call]  # of matplotlib
    return file.getvalue()


def embed(svg: str, prefix: str, title: str, description: str) -> str:
    r"""An SVG picture as an element of an HTML page.

    Parameters
    ----------
    svg : str
        A document.
    prefix : str
        Of all ids, unique in the page.
    title, description : str
        Its name and what it shows, for those who do not see it.

    Returns
    -------
    str

    Examples
    --------
    >>> svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>x</script><g onclick="x"/></svg>'
    >>> print(embed(svg, "p", "a < b", "c").replace("><", ">\n<"))
    <svg role="img" aria-labelledby="p-title" aria-describedby="p-desc">
    <title id="p-title">a &lt; b</title>
    <desc id="p-desc">c</desc>
    <g>
    </g>
    </svg>
    """
    root = ET.fromstring(svg)
    used = set(_references(root))
    clean = _clean(root, prefix, used)
    if clean is None or clean.tag != "svg":
        raise ValueError("the picture is not an SVG document")
    size = clean.attrib.pop("width", ""), clean.attrib.pop("height", "")
    names = {
        "role": "img",
        "aria-labelledby": f"{prefix}-title",
        "aria-describedby": f"{prefix}-desc",
    }
    clean.attrib = {**names, **clean.attrib}
    if size[0].endswith("pt"):
        clean.set("width", f"{float(size[0][:-2]) * 4 / 3:.0f}")  # CSS pixels
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(tag, {"id": f"{prefix}-{tag}"})
        element.text = printable(text)
        clean.insert(place, element)
    return ET.tostring(clean, encoding="unicode", short_empty_elements=False)


def _references(root: ET.Element) -> list[str]:
    """Ids that something refers to."""
    found = []
    for element in root.iter():
        for name, value in element.attrib.items():
            found += _REFERENCE.findall(value)
            if _local(name) == "href" and value.startswith("#"):
                found.append(value[1:])
    return found


def _local(name: str) -> str:
    """A name without its namespace: HTML knows by the element <svg> what is meant."""
    return name.rpartition("}")[2]


def _clean(element: ET.Element, prefix: str, used: set[str]) -> ET.Element | None:
    """A copy with all that is drawn, and nothing else."""
    tag = _local(element.tag)
    if tag not in _KEPT:
        return None
    copy = ET.Element(tag)
    for name, value in element.attrib.items():
        kept = _attribute(_local(name), value, prefix, used)
        if kept:
            copy.set(_local(name), kept)
    if tag in {"text", "tspan"}:
        copy.text = element.text
        copy.tail = element.tail if tag == "tspan" and (element.tail or "").strip() else None
    for child in element:
        part = _clean(child, prefix, used)
        if part is not None and (len(part) or part.tag != "defs"):
            copy.append(part)
    return copy


def _attribute(name: str, value: str, prefix: str, used: set[str]) -> str:
    """The value of an attribute on the page; empty for one that is left out."""
    if name.startswith("on") or name == "version":
        return ""
    if name == "id":
        return f"{prefix}-{value}" if value in used else ""
    if name == "href":
        if value.startswith("#"):
            return f"#{prefix}-{value[1:]}"
        return "".join(value.split()) if value.startswith("data:image/png;base64,") else ""
    if "url(" in _REFERENCE.sub("", value):
        return ""
    value = _REFERENCE.sub(rf"url(#{prefix}-\1)", value)
    if name == "style":
        value = _COLOR.sub(lambda found: _PAGE_COLORS[found[0].lower()], value)
        return _FONT_FAMILY.sub("", value).replace(": ", ":").replace("; ", ";").rstrip("; ")
    return shorten_numbers(" ".join(value.split()))


def shorten_numbers(text: str) -> str:
    """The text with its long numbers cut to what can be seen of them.

    >>> shorten_numbers("M 1.23456 -0.001 L 2.5 100.0004")
    'M 1.23 0 L 2.5 100'
    """
    return _LONG_NUMBER.sub(_short, text)


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):z.2f}".rstrip("0").rstrip(".")
