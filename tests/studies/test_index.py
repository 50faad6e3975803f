"""The index of reproductions: no table or figure of the five papers is left out silently."""

import re

import pytest

from examples.studies import STUDIES
from tests.support.public_objects import ROOT

FOLDER = ROOT / "docs" / "reproductions"
PAGE = (FOLDER / "index.md").read_text(encoding="utf-8")


def numbers(chapter, last):
    return {f"{chapter}.{i}" for i in range(1, last + 1)}


# Every numbered table and figure of the papers, as their lists of them and captions have them.
PAPERS = {
    "Xu et al. (2016)": {"Table": set("12"), "Figure": set(map(str, range(1, 13)))},
    "Naeini (2016)": {
        "Table": set(map(str, range(1, 35))),
        "Figure": set(map(str, range(1, 22))),
    },
    "Zadrozny (2001)": {"Table": set("123"), "Figure": set("1")},
    "Zadrozny & Elkan (2002)": {"Table": set("12345"), "Figure": set("12345")},
    "Gebel (2009)": {
        "Table": numbers(1, 4) | numbers(3, 1) | numbers(5, 5) | numbers(6, 13) | numbers("A", 4),
        "Figure": numbers(2, 3) | numbers(3, 4) | numbers(4, 8) | numbers(5, 5) | numbers("A", 2),
    },
}


def rows():
    """Paper, first cell and last cell of each row."""
    text = PAGE.split("## Every table and figure\n")[1].split("\n## ")[0]
    for section in text.split("\n### ")[1:]:
        paper, *lines = section.splitlines()
        for line in lines:
            if re.match(r"\| (Table|Figure)", line):
                cells = [cell.strip() for cell in line.strip("|").split(" | ")]
                yield paper, cells[0], cells[-1]


def named(cell):
    """Tables and figures of a cell such as ``Tables 8 to 10, Figure 3``."""
    kind = ""
    for part in re.sub(r"(Table|Figure)s? ", r"\1:", cell).split(", "):
        kind, number = part.split(":") if ":" in part else (kind, part)
        first, _, last = number.partition(" to ")
        head, _, low = first.rpartition(".")
        high = int((last or first).rpartition(".")[2])
        for i in range(int(low), high + 1):
            yield kind, f"{head}.{i}" if head else str(i)


def test_no_table_or_figure_is_missing_and_none_is_twice():
    found = [(paper, *one) for paper, cell, _ in rows() for one in named(cell)]
    assert len(set(found)) == len(found)
    assert set(found) == {
        (paper, kind, number)
        for paper, kinds in PAPERS.items()
        for kind, names in kinds.items()
        for number in names
    }


# Row to the headings of its page that it sums up.
SUMS = {
    "Table 2": ("xu2016-ten", "Table 2,"),
    "Table 3, 7": ("naeini2016-simulated", "Tables 3 and 7"),
    "Table 5 of Naeini": ("naeini2016-simulated", r"Table 5 \("),
    "Naeini (2016) Table 5": ("naeini2016-table5", "Table 5"),
    "Tables 14, 15": ("naeini2016-simulated", "Tables 14 and 15"),
    "Table 26": ("naeini2016-simulated", "Table 26"),
    "Tables 17 to 19": ("naeini2016-real", r".*\(tables 17 to 19\)"),
    "Tables 23 to 25": ("naeini2016-real", r".*\(tables 23 to 25\)"),
    "Tables 28 to 30": ("naeini2016-classes", ".*on all data sets .table"),
    "Table 33": ("naeini2016-causal", "Table 33"),
    "Naeini (2016) Table 33": ("naeini2016-causal-penalty", "Table 33"),
    "Table 33 of Naeini (2016)": ("naeini2016-causal-edges", "Table 33"),
    "Zadrozny (2001) Table 2": ("zadrozny2001", "Table 2"),
    "Zadrozny (2001) Table 3": ("zadrozny2001", "Table 3"),
    "Zadrozny & Elkan (2002) Table 2": ("zadrozny2002", "Table 2"),
    "Zadrozny & Elkan (2002) Table 3": ("zadrozny2002", "Table 3"),
    "Zadrozny & Elkan (2002) Table 4": ("zadrozny2002", "Table 4"),
    "Zadrozny & Elkan (2002) Table 5": ("zadrozny2002-newsgroups", "Table 5"),
}


def agreeing(study, heading):
    """How many of how many printed numbers of some sections agree, as their page says."""
    page = (FOLDER / f"{study}.md").read_text(encoding="utf-8")
    parts = [part for part in page.split("\n### ")[1:] if re.match(heading, part)]
    found = [
        re.search(r"^Of (\d+) p\w+ (?:number|rank)s, (?:ours is within for )?(\d+)", part, re.M)
        for part in parts
    ]
    assert found
    return tuple(sum(int(one[i]) for one in found if one) for i in (2, 1))


def test_sums_are_those_of_the_pages():
    cells = {}
    for paper, cell, text in rows():
        cells.setdefault(cell, text)
        cells[f"{paper} {cell}"] = text
    for row, (study, heading) in SUMS.items():
        text = cells[re.sub(r"(Table \d+) of Naeini.*", r"Naeini (2016) \1", row)]
        (said,) = re.findall(rf"(\d+) of (\d+)\]\({study}\.md\)", text)
        assert tuple(map(int, said)) == agreeing(study, heading), row


NEAR = 0.02


@pytest.mark.parametrize("study", ["gebel2009", "gebel2009-others", "gebel2009-multiclass"])
def test_what_is_near_of_a_single_cross_validation(study):
    """Printed and found numbers of training scores that differ by 0.02 at most."""
    lines = (FOLDER / f"{study}.csv").read_text(encoding="utf-8").splitlines()
    head, *found = (line.split(",") for line in lines)
    labels = STUDIES[study].labels
    ours = {tuple(one[: len(labels)]): one for one in found}
    near = {}
    for table in STUDIES[study].published:
        key = re.match(r"Tables? [\w.]+( and [\w.]+)?", table.title)[0].replace(" and", ",")
        at = head.index(table.measure)
        for names, value in table.values.items():
            where = dict(zip((*table.rows, *table.columns), names, strict=True)) | table.where
            if where["source"] == "training" and "direct" not in where.values():
                row = ours[tuple(where[label] for label in labels)]
                hits, total = near.get(key, (0, 0))
                near[key] = hits + (abs(float(row[at]) - value) <= NEAR), total + 1
    said = {cell: text for paper, cell, text in rows() if paper.startswith("Gebel")}
    for key, (hits, total) in near.items():
        assert f"[{hits} of {total}]({study}.md)" in said[key], (key, hits, total)
