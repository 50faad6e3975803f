"""Rows that belong together: by position only if shared columns agree, by key in any order.

Metamorphic: tables whose rows stand in another order are refused by position, or give the same
combination by `--key`.
"""

import io
import json
import re
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

from dstheory import dempster
from dstheory.transform import betp
from evical.calibrators import LogisticCalibrator
from evical.cli import main
from evical.scores.names import belief_names
from tests.joints.seeds import every_seed
from tests.support.each import each, pairs
from tests.support.tables import read_csv

N = 300
CLASSES = ["no", "yes"]
# Of the right combination, and of rows that do not belong together.
RIGHT, WRONG = 268 / N, 206 / N


@cache
def samples():
    """Classes, scores of three sources, and the order in which a table is shuffled."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(N) < 0.5, "yes", "no")
    scores = [np.where(y == "yes", 1, -1) + rng.normal(size=N) * 1.2 for _ in range(3)]
    return y, scores, rng.permutation(N)


@cache
def right():
    y, scores, _ = samples()
    masses = [LogisticCalibrator().fit(s, y).predict_mass(s) for s in scores]
    return y, masses, dempster(*masses[:2])


def run(words):
    assert main(words.split()) == 0, words


def refused(words, capfd):
    assert main(words.split()) == 2, words
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table of each source: `a0.csv` in order, `b1.csv` shuffled; with other columns each."""
    path = tmp_path_factory.mktemp("key")
    y, masses, _ = right()
    _, scores, order = samples()
    for i, m in enumerate(masses):
        p = betp(m)
        columns = {"id": [f"{k:03d}" for k in range(N)], "y": y, "score": scores[i]}
        for k, label in enumerate(CLASSES):
            numbers = (m.bel(label), m.pl(label), p[:, k])
            columns |= dict(zip(belief_names([label]), numbers, strict=True))
        table = pd.DataFrame(columns)
        table.to_csv(path / f"a{i}.csv", index=False)
        for name, shuffled in (("a", table), ("b", table.iloc[order])):
            shuffled.to_parquet(path / f"{name}{i}.parquet", index=False)
            if name == "b":
                shuffled.to_csv(path / f"b{i}.csv", index=False)
    return path


@pytest.fixture
def folder(made, monkeypatch):
    monkeypatch.chdir(made)
    return made


def check(found):
    """The combination of the first two sources, in the order of the first table."""
    y, _, m = right()
    np.testing.assert_allclose(found["bel_yes"], m.bel("yes"), atol=1e-9)
    np.testing.assert_allclose(found["pl_yes"], m.pl("yes"), atol=1e-9)
    assert (found["decision"] == y).mean() == RIGHT


def test_the_right_accuracy_and_that_of_shuffled_rows():
    y, (one, two, _), m = right()
    order = samples()[2]
    wrong = dempster(one, two[order])
    assert [(np.where(betp(c)[:, 1] > 0.5, "yes", "no") == y).mean() for c in (m, wrong)] == [
        RIGHT,
        WRONG,
    ]


@each("other", ["b1.csv", "b1.parquet"])
@each("output", ["out.csv", "out.parquet", "-"])
def test_shuffled_rows_are_refused_by_position(folder, other, output, capfd):
    """The first column that both have is the key; whatever is written, nothing is left of it."""
    err = refused(f"combine a0.csv {other} -o {output}", capfd)
    assert "column 'id' is '000' and" in err
    assert "match rows by --key" in err
    assert not (folder / output).exists()


@each(
    ("other", "out", "engine"),
    pairs(
        ["b1.csv", "b1.parquet", "a1.csv", "a1.parquet"],
        ["out.csv", "out.parquet", "-"],
        ["", " --engine duckdb"],
    ),
)
def test_by_key_the_order_changes_nothing(folder, other, out, engine, monkeypatch):
    if engine and out == "-":
        return
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="utf-8"))
    run(f"combine --rule dempster a0.csv {other} --key id -o {out} --force{engine}")
    sys.stdout.flush()
    if out == "-":
        found = read_csv(io.BytesIO(written.getvalue()))
    else:
        found = pd.read_parquet(out) if out.endswith("parquet") else read_csv(out)
    found["id"] = found["id"].astype(int)
    if not engine:
        assert found["id"].tolist() == list(range(N))
    check(found.sort_values("id", ignore_index=True))


@each("left", ["y", "score", "id"])
def test_any_shared_column_shows_another_order(folder, left, capfd):
    """The class, or a score that came along: the same numbers, in another order."""
    columns = [left, *belief_names(CLASSES)]
    read_csv("a0.csv", dtype=str)[columns].to_csv("x.csv", index=False)
    other = read_csv("b1.csv", dtype=str)[columns]
    if left == "score":  # that of the first source
        other["score"] = read_csv("a0.csv", dtype=str)["score"].to_numpy()[samples()[2]]
    other.to_csv("z.csv", index=False)
    err = refused("combine x.csv z.csv -o out_left.csv", capfd)
    assert f"column {left!r}" in err
    assert "--key" in err
    assert not (folder / "out_left.csv").exists()


@every_seed
@each("suffix", ["csv", "parquet"])
def test_two_rows_that_change_places_are_noticed(tmp_path, monkeypatch, suffix, seed, capfd):
    """Whatever tells rows apart: numbers, texts, dates, truth values, decimals, or some of them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    columns = {
        "whole": rng.integers(0, 5, n),
        "text": rng.choice(["a", "b", "c d", "1"], n),
        "date": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 9, n), "D"),
        "truth": rng.random(n) < 0.5,
        "decimals": rng.normal(size=n).round(int(rng.integers(1, 17))),
        "gaps": np.where(rng.random(n) < 0.5, np.nan, rng.integers(0, 3, n)),
    }
    bel, pl = np.sort(rng.random((2, n)), axis=0)
    for name, values in columns.items():
        table = pd.DataFrame({name: values, "bel_a": bel, "pl_a": pl})
        one, two = rng.choice(n, 2, replace=False)
        order = np.arange(n)
        order[[one, two]] = two, one
        both = table[name].iloc[[one, two]]
        same = both.iloc[0] == both.iloc[1] or both.isna().all()
        for file, rows in (("x", np.arange(n)), ("z", order)):
            written = table.iloc[rows]
            if suffix == "csv":
                written.to_csv(f"{file}.csv", index=False)
            else:
                written.to_parquet(f"{file}.parquet", index=False)
        run(f"combine --rule dempster x.{suffix} x.{suffix} -o same.csv --force")
        code = main(f"combine x.{suffix} z.{suffix} -o out.csv --force".split())
        err = capfd.readouterr().err
        assert (code, f"column {name!r} is" in err) == ((0, False) if same else (2, True)), err


def test_columns_that_each_table_has_of_its_own(folder, capfd):
    """Scores with decimals differ; of whole numbers nobody knows, and another name helps."""
    run("combine --rule dempster a0.csv a1.csv -o out.csv --force")
    check(read_csv("out.csv"))
    capfd.readouterr()
    for name in ("a0", "a1"):
        table = read_csv(f"{name}.csv", dtype={"id": str})
        table.assign(score=(table["score"] * 10).round().astype(int)).to_csv(
            f"w{name}.csv", index=False
        )
    assert "or leave out a column that each table has" in refused("combine wa0.csv wa1.csv", capfd)
    run("combine --rule dempster wa0.csv wa1.csv --key id -o out.csv --force")
    check(read_csv("out.csv"))


def test_the_same_values_in_other_spellings(folder):
    """Numbers are compared as numbers, spaces do not count, and there are many ways to lack one."""
    table = read_csv("a1.csv", dtype=str)
    table["id"] = [f" {i}.0" for i in range(N)]
    table["note"] = ["", "NA", " null "] * (N // 3)
    table.to_csv("x.csv", index=False)
    read_csv("a0.csv", dtype=str).assign(note="NaN").to_csv("z.csv", index=False)
    run("combine --rule dempster z.csv x.csv -o out.csv --force")
    check(read_csv("out.csv"))


def test_tables_two_and_three_are_compared_too(folder, capfd):
    read_csv("a0.csv")[belief_names(CLASSES)].to_csv("x.csv", index=False)
    assert "a1.csv, line 2 and b2.csv, line 2" in refused("combine x.csv a1.csv b2.csv", capfd)
    run("combine --rule dempster x.csv a1.csv a2.csv -o out.csv --force")


def test_rows_far_down(folder, capfd):
    """In the last chunk only, in which a column of decimals has whole numbers."""
    n = 70_000
    table = pd.DataFrame({"id": range(n), "score": np.full(n, 0.5), "bel_yes": 0.25, "pl_yes": 0.5})
    table.loc[n - 1, "score"] = 0
    table.to_csv("x.csv", index=False)
    other = table.assign(score=0.75)
    other.loc[n - 1, "score"] = 1
    other.to_csv("z.csv", index=False)
    run("combine --rule dempster x.csv z.csv -o out.csv --force")
    capfd.readouterr()
    other.loc[[n - 2, n - 1], "id"] = [n - 1, n - 2]
    other.to_csv("z.csv", index=False)
    assert f"column 'id' is '{n - 2}' and '{n - 1}'" in refused(
        "combine x.csv z.csv -o far.csv", capfd
    )
    swapped = table.drop(columns="id")
    swapped.loc[[0, n - 1], "score"] = [0, 0.5]
    swapped.to_csv("z.csv", index=False)
    assert "the same values there, in another order" in refused(
        "combine x.csv z.csv -o far.csv", capfd
    )
    assert not (folder / "far.csv").exists()


@each("command", ["combine", "report"])
def test_true_classes_that_differ_are_refused_by_key_too(folder, command, capfd):
    table = read_csv("b1.csv", dtype={"id": str})
    table["y"] = table["y"].replace({"yes": "no", "no": "yes"})
    table.to_csv("x.csv", index=False)
    words = "--fit y -o x.json" if command == "combine" else "--target y -o x.html"
    err = refused(f"{command} a0.csv x.csv --key id {words}", capfd)
    assert "column 'y' is" in err
    assert "correct one" in err


def test_weights_and_pages_by_key(folder, capfd):
    weights, losses = [], []
    for words in ("a0.csv a1.csv", "a0.csv b1.csv --key id", "b0.csv a1.csv --key id"):
        run(f"combine {words} --fit y -o f.json --force --json")
        weights.append(list(json.loads(capfd.readouterr().out)["learned"]["weights"].values()))
        run(f"report {words} --target y -o page.html --force")
        capfd.readouterr()
        text = (folder / "page.html").read_text(encoding="utf-8")
        losses.append(re.search(r"combined (0\.\d+)", text)[1])
    assert len(set(losses)) == 1
    np.testing.assert_allclose(weights[1:], [weights[0]] * 2, rtol=1e-3)
    for words in (
        "combine a0.csv b1.csv --fit y -o x.json",
        "report a0.csv b1.csv --target y -o x.html",
    ):
        assert "match rows by --key" in refused(words, capfd)
