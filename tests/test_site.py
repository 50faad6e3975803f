"""The site: its own parts that need no Sphinx, the commands that build it, and its lists."""

import importlib.util
import json
import re
import sys

import pytest

import evical
from tests.support.public_objects import PACKAGES, ROOT, public_objects

DOCS = ROOT / "docs"


def load(name):
    """A module of docs/site, by its path: a package named docs may be installed."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "site" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def public_api():
    return load("public_api")


def test_every_public_name_has_a_page(public_api):
    pages = public_api.pages()
    values = {id(public.value) for public in public_api.public_objects()}
    assert {id(public.value) for public in public_objects()} <= values
    for public in public_api.public_objects():
        page = pages[public_api.page_names()[public.path]]
        assert f":: {public.path}\n" in page
    for name in (*PACKAGES, "index", "dstheory.combine", "evical.calibrators"):
        assert name in pages
    lower = [name.lower() for name in pages]
    assert len(set(lower)) == len(lower), "some file systems do not tell upper from lower case"


def test_everyday_names_are_known_by_their_package(public_api):
    paths = {public.path for public in public_api.public_objects()}
    assert {"dstheory.MassFunction", "evical.EvidentialEnsemble"} <= paths
    assert "dstheory.combine.dempster" in paths
    dempster = next(p for p in public_api.public_objects() if p.path == "dstheory.combine.dempster")
    assert "dstheory.dempster" in public_api.aliases(dempster)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("An array (*batch, F) of |A|.", r"An array (\*batch, F) of \|A|."),
        ("A ``(*batch, F)``, *really*, m1 | m2", "A ``(*batch, F)``, *really*, m1 | m2"),
    ],
)
def test_shapes_in_docstrings_are_no_markup(public_api, line, expected):
    assert public_api.escaped(line) == expected


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_check_of_links_finds_what_is_wrong(tmp_path):
    faults = load("check_links").faults
    write(tmp_path, "a.html", '<p id="top"></p><a href="b/c.html#x">c</a><a href="#top">t</a>')
    write(tmp_path, "b/c.html", '<a id="x" href="../a.html">a</a><a href="https://x.org">x</a>')
    write(tmp_path, "b/s.css", "p { background: url(data:x) }")
    assert list(faults(tmp_path)) == []
    write(tmp_path, "d.html", '<a href="none.html">n</a><a href="a.html#no">a</a>')
    write(tmp_path, "e.html", '<img srcset="//x.org/i.png 2x" src="a.html">')
    write(tmp_path, "f.html", '<script src="https://x.org/s.js"></script>')
    write(tmp_path, "g.html", "<p style=\"background: url('http://x.org/i')\"></p>")
    write(tmp_path, "h.html", '<style>@import "https://x.org/h.css";</style>')
    write(tmp_path, "b/t.css", "@font-face { src: url(https://x.org/f.woff) }")
    names = [fault.partition(":")[0].replace("\\", "/") for fault in faults(tmp_path)]
    assert sorted(names) == ["b/t.css", "d.html", "d.html", *(f"{c}.html" for c in "efgh")]


def test_the_checks_build_the_site_as_contributing_says():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"<!-- site command -->\n```\w*\n(.+)\n```", text)
    assert command.startswith(".venv/bin/python -m sphinx ")
    assert {"-W", "--keep-going", "-n"} <= set(command.split())
    assert "site_command" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_what_the_build_makes_is_ignored():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"build/", "docs/api/", "docs/gallery/"} <= set(ignored)


def test_the_switch_of_versions_names_this_one():
    versions = json.loads((DOCS / "_static" / "switcher.json").read_text(encoding="utf-8"))
    assert evical.__version__ in {entry["version"] for entry in versions}
    assert sum(entry.get("preferred", False) for entry in versions) == 1
    cited = (DOCS / "project" / "cite.md").read_text(encoding="utf-8")
    assert f"version = {{{evical.__version__}}}" in cited


def test_tests_need_no_sphinx():
    assert "sphinx" not in sys.modules
