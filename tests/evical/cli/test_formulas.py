"""Texts that a spreadsheet takes for formulas: raw by default, escaped on demand."""

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evical.cli import main
from tests.support.each import each

LABEL = "=1+1"
FORMULAS = [LABEL, "+A1", "-2+3", "@SUM(A1)", "\tx", "\r=1", "- 5", "-", "=", "--1", "-1-1"]
PLAIN = ["yes", "", " =1", "a=b", "-5", "+5", "-5.", "-.5", "-5e-3", "+1,5", "-1E6", "'=1", "5"]
TEXTS = FORMULAS + PLAIN


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables whose names, texts and classes are formulas, and a model."""
    folder = tmp_path_factory.mktemp("formulas")
    scores = [i / 10 - 1 for i in range(len(TEXTS))]
    rows = [
        [s, LABEL if i % 3 else "no", text]
        for i, (s, text) in enumerate(zip(scores, TEXTS, strict=True))
    ]
    for name, delimiter in (("train.csv", ","), ("train.tsv", "\t")):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file, delimiter=delimiter).writerows([["s", "y", "@note"], *rows])
    columns = dict(zip(("s", "y", "@note"), map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table({**columns, "n": [-1] * len(rows)}), folder / "train.parquet")
    words = ["--score", "s", "--target", "y", "--positive", LABEL, "--method", "logistic"]
    assert main(["fit", str(folder / "train.csv"), *words, "-o", str(folder / "model.json")]) == 0
    return folder


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


def read(name):
    with Path(name).open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if name.endswith("tsv") else ","))


def escaped(text):
    return f"'{text}" if text in FORMULAS else text


@each("source", ["train.csv", "train.tsv", "train.parquet"])
@each("target", ["out.csv", "out.tsv"])
def test_predictions(capfd, source, target):
    words = ["predict", "model.json", source, "-o", target, "--force"]
    assert main(words) == 0
    raw = read(target)
    assert [row["@note"] for row in raw] == TEXTS
    assert {row["y"] for row in raw} == {LABEL, "no"}
    assert main([*words, "--escape-formulas"]) == 0
    safe = read(target)
    numbers = [name for name in raw[0] if name not in ("y", "@note", "decision")]
    assert [[row[name] for name in numbers] for row in safe] == [
        [row[name] for name in numbers] for row in raw
    ]
    assert [row["'@note"] for row in safe] == list(map(escaped, TEXTS))
    for name in ("y", "decision"):
        assert [row[name] for row in safe] == [escaped(row[name]) for row in raw]
    assert float(raw[0]["s"]) == -1


def test_combinations_and_standard_output(capfd):
    assert main(["predict", "model.json", "train.csv", "-o", "one.csv", "--force"]) == 0
    capfd.readouterr()
    words = ["combine", "one.csv", "one.csv", "--keep", "@note", "--classes", "no", LABEL]
    assert main([*words, "--escape-formulas"]) == 0
    lines = capfd.readouterr().out.split("\n")
    assert lines[0].startswith("'@note,")
    assert lines[1].startswith(f"'{LABEL},")
    assert {line.split(",")[-2] for line in lines[1:3]} <= {f"'{LABEL}", "no"}


REFUSED = [
    ("predict model.json train.csv -o out.parquet", "is for CSV and TSV"),
    ("predict model.json train.parquet -o new.csv --engine duckdb", "not for --engine duckdb"),
    ("combine one.csv one.csv -o out.pq", "is for CSV and TSV"),
    ("combine one.csv one.csv --fit y -o out.json", "says nothing about learning"),
]


@each("words, message", REFUSED)
def test_where_there_is_nothing_to_escape_it_is_refused(capfd, words, message):
    assert main([*words.split(), "--escape-formulas"]) == 2
    assert message in capfd.readouterr().err
