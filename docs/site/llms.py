"""`llms.txt`: the index of the site for language models, a line a page."""

from pathlib import Path
from typing import Any

from docutils import nodes

PARTS = {
    "start": "Start",
    "guide": "Guide",
    "gallery": "Gallery",
    "networks": "Networks of the literature",
    "migrating": "Migrating",
    "reproductions": "Measured",
    "project": "Project",
    "api": "API",
}


def first_sentence(doctree: nodes.document) -> str:
    """What the first paragraph begins with."""
    for node in doctree.findall(nodes.paragraph):
        text = " ".join(node.astext().split())
        if text:
            return text.partition(". ")[0].rstrip(".:") + "."
    return ""


def index(app: Any) -> str:
    """The whole file."""
    env = app.env
    sections: dict[str, list[str]] = {"": [], **{name: [] for name in PARTS}}
    for docname in sorted(env.found_docs):
        title = env.titles[docname].astext()
        folder = docname.partition("/")[0] if "/" in docname else ""
        line = f"- [{title}]({docname}.html): {first_sentence(env.get_doctree(docname))}"
        sections[folder if folder in PARTS else ""].append(line)
    summary = next(env.get_doctree("index").findall(nodes.paragraph)).astext()
    lines = [f"# {app.config.html_title}", "", f"> {' '.join(summary.split())}", ""]
    for folder, entries in sections.items():
        if entries:
            lines += [f"## {PARTS.get(folder, 'Pages')}", "", *entries, ""]
    return "\n".join(lines)


def write(app: Any, exception: Exception | None) -> None:
    """After the build."""
    if exception is None and app.builder.format == "html":
        Path(app.outdir, "llms.txt").write_text(index(app), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
