"""After the build: every link inside of the site leads somewhere, and no page asks another host.

Links to follow may lead anywhere. Scripts, styles, fonts and images must come from the site itself.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

REMOTE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
CSS_URL = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""")


class Page(HTMLParser):
    """What a page loads, where it links to, and the places that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.inside_style = False
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Sort the addresses of one element."""
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        self.inside_style = tag == "style"
        if tag in ("a", "area"):
            self.links += [given["href"]] if "href" in given else []
            return
        self.loaded += [given[name] for name in ("src", "href", "data", "poster") if name in given]
        self.loaded += [part.split()[0] for part in given.get("srcset", "").split(",") if part]
        self.loaded += CSS_URL.findall(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        """Styles in the page."""
        if self.inside_style:
            self.loaded += CSS_URL.findall(data)


def faults(folder: Path) -> Iterator[str]:
    """What is wrong in a built site, a line each."""
    files = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in files}
    places = {path: page.places for path, page in pages.items()}
    for path, page in sorted(pages.items()):
        name = path.relative_to(folder)
        for address in page.loaded:
            if REMOTE.match(address):
                yield f"{name}: loads {address} from another host"
        for address in {*page.links, *page.loaded}:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not file.exists():
                yield f"{name}: {address} leads nowhere"
                continue
            place = unquote(parts.fragment)
            if place and place not in places.get(file, {place}):
                yield f"{name}: {address} is no place on that page"
    for path in sorted(folder.rglob("*.css")):
        for address in CSS_URL.findall(path.read_text(encoding="utf-8")):
            if REMOTE.match(address):
                yield f"{path.relative_to(folder)}: loads {address} from another host"


def check(app: Any, exception: Exception | None) -> None:
    """Warn of each fault; ``-W`` makes the build fail."""
    from sphinx.util import logging

    if exception is None and app.builder.format == "html":
        for fault in faults(Path(app.outdir)):
            logging.getLogger(__name__).warning(fault)


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("build-finished", check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
