"""`evical combine --engine duckdb`: Dempster's rule in SQL, joined by key."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from evical.cli import main
from tests.naive import rules
from tests.support.each import each
from tests.support.tables import read_csv

DUCKDB = "--engine duckdb --memory-limit 200MB"
RULE = "--rule dempster"
N = 400


def beliefs(rng, n):
    bel, pl = np.sort(rng.random((2, n)), axis=0)
    return pd.DataFrame({"bel_yes": bel, "pl_yes": pl})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three tables, each in another order; keys are texts in two, and numbers in the third."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for i, name in enumerate(("a.csv", "b.parquet", "c.tsv.gz")):
        table = (
            beliefs(rng, N)
            .assign(id=np.arange(1000, 1000 + N), note="x")
            .sample(frac=1, random_state=i)
        )
        if name == "b.parquet":
            table.to_parquet(name)
        else:
            table.to_csv(name, index=False, sep="\t" if "tsv" in name else ",")
    return tmp_path


def read(name):
    if name.endswith("parquet"):
        return pd.read_parquet(name).sort_values("id", ignore_index=True)
    table = read_csv(name, dtype={"id": str, "note": str}, keep_default_na=False)
    return table.sort_values("id", ignore_index=True)


def both(words, out="csv"):
    """The tables that chunks and engine write, in the order of the keys."""
    assert main(f"combine {words} {RULE} --key id -o chunks.{out} --force".split()) == 0
    assert main(f"combine {words} {RULE} --key id -o engine.{out} --force {DUCKDB}".split()) == 0
    return read(f"chunks.{out}"), read(f"engine.{out}")


@each("out", ["csv", "parquet"])
@each(
    "words",
    ["a.csv b.parquet", "b.parquet b.parquet", "c.tsv.gz b.parquet a.csv --classes no yes"],
)
def test_chunks_and_engine_give_the_same_numbers(folder, words, out):
    chunks, engine = both(f"{words} --keep note", out)
    assert list(chunks) == list(engine)
    pd.testing.assert_frame_equal(chunks, engine, rtol=0, atol=1e-12)
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_it_is_the_definition_exactly(tmp_path, monkeypatch):
    """Dempster's rule on frozensets and fractions, down to almost total conflict."""
    monkeypatch.chdir(tmp_path)
    tiny = Fraction(1, 2**40)
    cells = [(b, p) for b in (Fraction(0), tiny, Fraction(1, 4)) for p in (b, b + tiny, 1 - tiny)]
    cells += [(1 - tiny, Fraction(1)), (Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))]
    pairs = [(x, y) for x in cells for y in cells]
    yes, no = frozenset("y"), frozenset("n")

    def masses(b, p):
        return {yes: b, no: 1 - p, yes | no: p - b}

    for name, side in (("a.parquet", 0), ("b.parquet", 1)):
        bel, pl = zip(*(pair[side] for pair in pairs), strict=True)
        table = pd.DataFrame({"bel_yes": map(float, bel), "pl_yes": map(float, pl)})
        table.assign(id=range(len(pairs))).to_parquet(name)
    words = "combine a.parquet b.parquet --rule dempster --key id -o out.parquet"
    words += " --total-conflict vacuous"
    assert main([*words.split(), *DUCKDB.split()]) == 0
    found = pd.read_parquet("out.parquet")
    found = found.set_index(found["id"].astype(int)).sort_index()
    for (one, two), row in zip(pairs, found.itertuples(), strict=True):
        together = rules.conjunctive(masses(*one), masses(*two))
        conflict = together.get(frozenset(), Fraction(0))
        assert row.conflict == pytest.approx(float(conflict), rel=1e-12)
        if conflict == 1:
            assert (row.bel_yes, row.pl_yes) == (0, 1)
            continue
        bel = together.get(yes, 0) / (1 - conflict)
        pl = (together.get(yes, 0) + together.get(yes | no, 0)) / (1 - conflict)
        assert row.bel_yes == pytest.approx(float(bel), rel=1e-12)
        assert row.pl_yes == pytest.approx(float(pl), rel=1e-12)


def test_agreement_below_all_floats_is_left_to_python(tmp_path, monkeypatch, capsys):
    """In the first row only the second class is not excluded; in the other row both are."""
    monkeypatch.chdir(tmp_path)
    likely = {"bel_yes": [1, 1], "pl_yes": [1, 1], "bel_no": [0, 0], "pl_no": [1e-200, 0]}
    certain = {"bel_yes": [0, 0], "pl_yes": [0, 0], "bel_no": [1, 1], "pl_no": [1, 1]}
    for name, numbers in (("a.csv", likely), ("b.csv", likely), ("c.csv", certain)):
        pd.DataFrame({"id": [7, 8], **numbers}).to_csv(name, index=False)
    words = "combine --rule dempster a.csv b.csv c.csv --key id --total-conflict vacuous -o out.csv"
    assert main(words.split()) == 0
    found = read_csv("out.csv")
    assert found["bel_no"].tolist() == [1, 0]
    assert found["pl_yes"].tolist() == [0, 1]
    assert main([*words.split(), "--force", *DUCKDB.split()]) == 2
    assert "the rows of '7' agree by less than 1e-290, which SQL does" in capsys.readouterr().err


def test_missing_beliefs_are_vacuous(folder, capsys):
    (folder / "a.csv").write_text("id,bel_yes,pl_yes\n1,0.5,0.75\n2,,0.5\n3,0.5,NA\n")
    (folder / "b.csv").write_text("id,bel_yes,pl_yes\n3,0.5,0.75\n1,,\n2,0.25,0.5\n")
    chunks, engine = both("a.csv b.csv --missing vacuous")
    pd.testing.assert_frame_equal(chunks, engine, rtol=0, atol=1e-15, check_dtype=False)
    assert capsys.readouterr().err.count("3 of 6 rows have no number") == 2


def test_the_summary_is_the_same(folder, capsys):
    found = []
    for engine in ("", DUCKDB):
        words = "combine a.csv b.parquet --key id --rule dempster -o out.csv --force --json"
        assert main(f"{words} {engine}".split()) == 0
        found.append(json.loads(capsys.readouterr().out))
    one, two = (data.pop("highest_conflict") for data in found)
    assert one == pytest.approx(two, abs=1e-12)
    assert found[0] == found[1]


GOOD = "id,bel_yes,pl_yes\n1,0.5,0.75\n2,0.25,0.5\n"


@each(
    ("one", "two"),
    [
        (GOOD, GOOD + "3,0,1\n"),
        (GOOD + "3,0,1\n", GOOD),
        (GOOD + "3,0,1\n", GOOD + "4,0,1\n"),
        (GOOD, GOOD + "2,0,1\n"),
        (GOOD + "2,0,1\n", GOOD),
        (GOOD + "2,0,1\n", GOOD + "3,0,1\n"),
        (GOOD + "2,0,1\n", GOOD + "2,0,1\n"),
        (GOOD + ",0,1\n", GOOD),
        (GOOD + "3,0.5,0.25\n", GOOD + "3,0,1\n"),
        (GOOD + "3,0,1.5\n", GOOD + "3,0,1\n"),
        (GOOD + "3,0,1\n", GOOD + "3,x,1\n"),
        (GOOD + "3,,1\n", GOOD + "3,0,1\n"),
        (GOOD + "3,1,1\n", "id,bel_yes,pl_yes\n3,0,0\n2,0,1\n1,0,1\n"),
        (GOOD, "id,bel_yes\n1,0\n"),
        (GOOD, "id,bel_yes,pl_yes\n"),
        (GOOD, GOOD + "3\n"),
    ],
)
def test_wrong_rows_are_named_as_by_chunks(folder, one, two, capsys):
    (folder / "one.csv").write_text(one)
    (folder / "two.csv").write_text(two)
    found = []
    words = "combine one.csv two.csv --key id --rule dempster -o out.csv"
    for engine in ("", DUCKDB):
        assert main(f"{words} {engine}".split()) == 2
        found.append(capsys.readouterr().err)
    assert found[0] == found[1]
    assert found[0].count("\n") == 1
    assert not [path for path in folder.iterdir() if "out.csv" in path.name]


def test_keys_that_repeat_in_the_same_way_do_not_multiply(folder, capsys):
    """Both tables have the same keys as often; the join would have a million rows."""
    text = "id,bel_yes,pl_yes\n" + "7,0,1\n" * 1000 + "8,0,1\n"
    for name in ("one.csv", "two.csv"):
        (folder / name).write_text(text)
    assert main(f"combine one.csv two.csv --key id {RULE} -o out.csv {DUCKDB}".split()) == 2
    assert "'7' occurs already in two.csv, line 2; a key names one row" in capsys.readouterr().err


@each(
    ("words", "reason"),
    [
        ("a.csv b.parquet --key id --rule pcr6 -o out.csv", "combines by Dempster's rule"),
        ("a.csv b.parquet --key id -o out.csv", "for independent sources; leave --engine out"),
        ("a.csv b.parquet --rule dempster -o out.csv", "joins by --key"),
        ("a.csv b.parquet --rule dempster --key id", "writes files; name one with --output"),
        ("a.csv b.parquet --key id --fit note -o out.json", "combines by Dempster's rule"),
    ],
)
def test_wrong_calls(folder, words, reason, capsys):
    assert main(["combine", *words.split(), *DUCKDB.split()]) == 2
    assert reason in capsys.readouterr().err
