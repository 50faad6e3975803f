"""Links of the site: from names in the text to the API, from files of the repository to pages.

The same Markdown is read in the repository, where its links lead to files, and on the site.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from docutils import nodes
from public_api import aliases, escaped, public_objects
from sphinx.addnodes import pending_xref

EXAMPLE = re.compile(r"\]\((?:\.\./)+examples/([\w/]+)\.py\)")
ROOT_FILES = re.compile(r"\]\((?:\.\./)*(README|CONTRIBUTING|CHANGELOG|RELEASING)\.md(#[\w-]*)?\)")
HOMES = {
    "README": "/index.md",
    "CONTRIBUTING": "/project/contributing.md",
    "CHANGELOG": "/project/changelog.md",
    "RELEASING": "/project/releasing.md",
}
NAME = re.compile(r"[\w.]+")


def short_names() -> dict[str, str]:
    """Names to paths: full ones, and short ones that are unique and no plain words."""
    counts = Counter(public.name for public in public_objects())
    found = {}
    for public in public_objects():
        for path in {public.path, *aliases(public)}:
            found[path] = public.path
            parts = path.split(".")
            found[".".join(parts[-2:])] = public.path
        if counts[public.name] == 1 and re.search(r"[A-Z_]", public.name):
            found[public.name] = public.path
    return found


PATHS = short_names()


def target(text: str) -> str | None:
    """The public object that a piece of code names, as in ``betp(m)`` or ``Frame.mask``."""
    match = NAME.match(text)
    if match is None or text[match.end() : match.end() + 1] not in ("", "("):
        return None
    return PATHS.get(match[0])


def reference(text: str, path: str, docname: str) -> pending_xref:
    """A link to the page of a public object, in code."""
    node = pending_xref(
        "", refdomain="py", reftype="obj", reftarget=path, refdoc=docname, refexplicit=True
    )
    node += nodes.literal(text, text, classes=["xref", "py", "py-obj"])
    return node


def public_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, *rest: Any
) -> tuple[list[nodes.Node], list[Any]]:
    """Single backticks in docstrings: code, and a link where it names something public."""
    plain = text.replace("\x00", "\\")
    path = target(plain)
    if path is None:
        return [nodes.literal(rawtext, plain)], []
    return [reference(plain, path, inliner.document.settings.env.docname)], []


def link_code(app: Any, doctree: nodes.document) -> None:
    """Code in Markdown that names something public becomes a link."""
    docname = app.env.docname
    if Path(app.env.doc2path(docname)).suffix != ".md":
        return
    for node in list(doctree.findall(nodes.literal)):
        text = node.astext()
        path = target(text)
        ancestor, linked = node.parent, False
        while ancestor is not None and not linked:
            linked = isinstance(ancestor, nodes.reference | nodes.title | pending_xref)
            ancestor = ancestor.parent
        if path is not None and not linked:
            node.replace_self(reference(text, path, docname))


def plain_shapes(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Shapes and sizes in docstrings mean what they say; examples stay as they are."""
    end = lines.index("Examples") if "Examples" in lines else len(lines)
    lines[:end] = [escaped(line) for line in lines[:end]]


def by_short_name(app: Any, env: Any, node: pending_xref, inner: nodes.Node) -> nodes.Node | None:
    """A name in "See Also" may be one of another module."""
    path = PATHS.get(node.get("reftarget", "")) if node.get("refdomain") == "py" else None
    if path is None:
        return None
    domain = env.get_domain("py")
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", path, node, inner)


def to_pages(app: Any, docname: str, source: list[str]) -> None:
    """Links to files outside of ``docs/`` lead to the pages made of them."""
    text = EXAMPLE.sub(r"](/gallery/\1.rst)", source[0])
    source[0] = ROOT_FILES.sub(lambda match: f"]({HOMES[match[1]]}{match[2] or ''})", text)


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.add_role("public", public_role)
    app.connect("source-read", to_pages)
    app.connect("autodoc-process-docstring", plain_shapes, priority=400)
    app.connect("missing-reference", by_short_name)
    app.connect("doctree-read", link_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
