"""The documentation: its examples run, its links lead somewhere, and its lists are complete."""

import doctest
import functools
import pkgutil
import re
import warnings

import pytest

import dstheory
import evical
from dstheory import Frame, MassFunction, TotalConflictError, combine
from examples.studies import STUDIES
from tests.protocols.calibrators_table import CALIBRATORS
from tests.protocols.rules_table import IN_THE_GUIDE, RULES
from tests.support.each import each
from tests.support.public_objects import ROOT

DOCS = ROOT / "docs"
GUIDE = sorted((DOCS / "guide").glob("*.md"))
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
every_page = each("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))

FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"^<!-- needs: (\w+) -->$", re.MULTILINE)
MADE_BY_THE_SITE = ("/api/", "/gallery/")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def text(path):
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples(path):
    """All snippets of a page, one after the other in one namespace."""
    with warnings.catch_warnings():
        for needed in NEEDS.findall(text(path)):
            warnings.simplefilter("ignore")  # those of another package
            pytest.importorskip(needed)
        result = doctest.testfile(
            str(path),
            module_relative=False,
            optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE,
            encoding="utf-8",
        )
    assert result.failed == 0


@every_page
def test_every_python_snippet_is_run(path):
    """A snippet shows a prompt, and ends with an empty line, where doctest stops reading."""
    assert len(re.findall(r"^```", text(path), re.MULTILINE)) % 2 == 0, "a snippet has no end"
    for snippet in FENCE.findall(text(path)):
        assert snippet.lstrip().startswith(">>>"), snippet
        assert snippet.endswith("\n\n"), f"no empty line at the end of:\n{snippet}"


@every_page
def test_links_lead_somewhere(path):
    targets = [target for target in LINK.findall(text(path)) if "://" not in target]
    targets = [target for target in targets if not target.startswith(MADE_BY_THE_SITE)]
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_guide_names_every_page():
    """In tables for the repository, and in trees of contents for the site."""
    page = text(DOCS / "guide" / "index.md") + text(DOCS / "theory.md")
    named = {(DOCS / "guide" / target).resolve() for target in LINK.findall(page)}
    for tree in re.findall(r"```{toctree}\n(.*?)```", page, re.DOTALL):
        listed = re.findall(r"^(?:guide/)?(\w+)$", tree, re.MULTILINE)
        assert set(listed) <= {path.stem for path in GUIDE}
        named |= {DOCS / "guide" / f"{name}.md" for name in listed}
    assert set(GUIDE) - {DOCS / "guide" / "index.md"} - named == set()
    assert len(GUIDE) >= 12


def named_object(name):
    """What a dotted name of the glossary stands for; short names are those of both packages."""
    first, *rest = name.split(".")
    if first in ("dstheory", "evical"):
        return pkgutil.resolve_name(name)
    package = dstheory if first in dstheory.__all__ else evical
    return functools.reduce(getattr, rest, getattr(package, first))


def test_names_in_the_glossary_exist():
    rows = [line for line in text(DOCS / "guide" / "glossary.md").splitlines() if line[:1] == "|"]
    names = [
        name for row in rows for name in re.findall(r"`([\w.]+)`", re.split(r"(?<!\\)\|", row)[4])
    ]
    assert len(names) > 40
    for name in names:
        assert named_object(name) is not None, name


def test_every_rule_is_in_the_tables():
    """Where the conflict goes, and what it costs: a line for each rule in both tables."""
    page = text(DOCS / "guide" / "combining.md")
    rules = {rule.name for rule in RULES}
    for heading in ("## Where does the conflict go?", "## What does it cost?"):
        table = page.split(heading)[1].split("\n## ")[0]
        first_cells = " ".join(line.split("|")[1] for line in table.splitlines() if line[:1] == "|")
        assert rules - set(re.findall(r"`(\w+)`", first_cells)) == set()


def test_every_calibrator_is_in_the_tables():
    page = text(DOCS / "guide" / "calibrators.md")
    named = set(re.findall(r"^\| `(\w+Calibrator)` \|", page, re.MULTILINE))
    assert {entry.name for entry in CALIBRATORS} <= named


def test_every_study_is_in_the_tables():
    page = text(DOCS / "reproductions" / "index.md")
    assert set(STUDIES) == set(re.findall(r"`python -m examples.studies ([\w-]+)`", page))


def test_commands_of_the_claims_exist():
    page = text(DOCS / "claims.md")
    commands = [re.sub(r"\]\(.*", "", command) for command in re.findall(r"`([^`]+)`", page)]
    assert set(re.findall(r"python -m examples.studies ([\w-]+)", page)) - {"NAME"} <= set(STUDIES)
    modules = [c.split()[2] for c in commands if c.startswith("python -m ")]
    paths = [path for c in commands if c.startswith("pytest ") for path in c.split()[1:]]
    assert len(modules) > 5
    assert len(paths) > 5
    for module in modules:
        place = ROOT / module.replace(".", "/")
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), module
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_paper_cites_what_its_bibliography_has():
    paper, listed = text(ROOT / "paper" / "paper.md"), text(ROOT / "paper" / "paper.bib")
    cited = re.findall(r"@([a-z]+\d{4})", paper)
    assert set(cited) == set(re.findall(r"^@\w+\{(\w+),$", listed, re.MULTILINE))
    assert 750 <= len(paper.split()) <= 1750  # what the journal asks for
    for heading in (
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "References",
    ):
        assert f"\n# {heading}\n" in paper


def test_masses_in_the_table_of_rules():
    """The numbers beside each rule are what it gives for the two sources named there."""
    frame = Frame(["a", "b", "c"])
    m1 = MassFunction.from_dict(frame, {"a": 0.9, frame: 0.1})
    m2 = MassFunction.from_dict(frame, {"b": 0.8, frame: 0.2})
    page = text(DOCS / "guide" / "combining.md").split("## Where does the conflict go?")[1]
    page = page.split("\n## ")[0]
    lines = re.findall(
        r"^\| `(\w+)` \|[^|]*\|([^|]+)\|([^|]+)\|([^|]+)\|([^|]+)\|", page, re.MULTILINE
    )
    numbers = {name: cells for name, *cells in lines if cells[0].strip()}
    assert len(numbers) > 20
    for name, cells in numbers.items():
        m = getattr(combine, name)(m1, m2, **IN_THE_GUIDE.get(name, {}))
        masses = [m.mass("a"), m.mass("b"), m.mass(frame), m.mass(())]
        assert [float(cell) for cell in cells] == pytest.approx(masses, abs=5.1e-4), name


def focal_sets(cell):
    """What a cell such as "{a, b} 0.81, {c} 0.19" says."""
    found = re.findall(r"\{([\w, ]*)\} ([\d.]+)", cell)
    return {tuple(event.split(", ")) if event else (): float(mass) for event, mass in found}


def test_table_of_certain_sources():
    frame = Frame(["a", "b", "c"])
    pairs = [
        [MassFunction.from_dict(frame, {event: 0.9, "c": 0.1}) for event in "ab"],
        [MassFunction.from_dict(frame, {event: 1}) for event in "ab"],
    ]
    page = text(DOCS / "certain_sources.md").split("## Other rules")[1]
    lines = re.findall(r"^\| (`.+`) \|([^|]+)\|([^|]+)\|$", page, re.MULTILINE)
    assert len(lines) > 10
    for names, *cells in lines:
        for name in re.findall(r"\w+", names):
            for sources, cell in zip(pairs, cells, strict=True):
                if cell.strip() == "error":
                    with pytest.raises(TotalConflictError):
                        getattr(combine, name)(*sources)
                else:
                    m = getattr(combine, name)(*sources).prune(1e-9)
                    assert m.to_dict() == pytest.approx(focal_sets(cell), abs=5.1e-4), name
