"""Links of the site: from names in the text to the API, from files of the repository to pages.

The same Markdown is read in the repository, where its links lead to files, and on the site.
"""

import inspect
import re
from collections import Counter
from pathlib import Path
from typing import Any

from docutils import nodes
from public_api import aliases, escaped, kind, public_objects
from sphinx.addnodes import pending_xref

EXAMPLE = re.compile(r"\]\((?:\.\./)+examples/([\w/]+)\.py\)")
ROOT_FILES = re.compile(r"\]\((?:\.\./)*(README|CONTRIBUTING|CHANGELOG|RELEASING)\.md(#[\w-]*)?\)")
HOMES = {
    "README": "/index.md",
    "CONTRIBUTING": "/project/contributing.md",
    "CHANGELOG": "/project/changelog.md",
    "RELEASING": "/project/releasing.md",
}
# Modules whose names are no everyday words, nor words for something else.
WORDS = {f"dstheory.{name}" for name in ("combine", "decide", "measure", "revise")}
NAME = re.compile(r"[\w.]+")


def parameters() -> set[str]:
    """What parameters of public functions and classes are called."""
    values = [public.value for public in public_objects() if kind(public) in ("function", "class")]
    return {name for value in values for name in inspect.signature(value).parameters}


def short_names() -> dict[str, str]:
    """Names to paths: full ones, and short ones that are unique and mean nothing else."""
    counts = Counter(public.name for public in public_objects())
    ambiguous = parameters() | {name for name in counts if counts[name] > 1 or len(name) < 3}
    found = {public.module: public.module for public in public_objects()}
    for public in public_objects():
        for path in {public.path, *aliases(public)}:
            found[path] = public.path
            parts = path.split(".")
            found[".".join(parts[-2:])] = public.path
        plain = re.fullmatch("[a-z]+", public.name)
        if public.name not in ambiguous and (not plain or public.module in WORDS):
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
    for node in doctree.findall(nodes.literal_block):  # whose last line is empty for doctest
        node.rawsource = node.astext().rstrip()
        node.children[:] = [nodes.Text(node.rawsource)]
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
