"""`evical fit --engine duckdb`: the model of the reader of chunks, and its messages."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from evical.calibrators import BaseCalibrator
from evical.cli import main
from tests.support.each import each
from tests.support.tables import read_csv

FIT = "--score score --target kind --method isotonic --model bayesian -o"
DUCKDB = "--engine duckdb --memory-limit 200MB --threads 2"
FILES = ("train.csv", "train.tsv.gz", "train.parquet")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    score = rng.normal(size=9000)
    score[:100] = 0.5
    table = pd.DataFrame(
        {
            "score": score,
            "kind": np.where(rng.random(9000) < 1 / (1 + np.exp(-2 * score)), "yes", " no"),
            "whole": rng.integers(0, 3, 9000),
            "weight": rng.random(9000),
        }
    )
    table.to_csv(folder / "train.csv", index=False)
    table.to_csv(folder / "train.tsv.gz", index=False, sep="\t")
    table.to_parquet(folder / "train.parquet")
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch, tables):
    for name in FILES:
        shutil.copy(tables / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def calibrator(path):
    return BaseCalibrator.from_dict(json.loads(path.read_text())["calibrator"])


@each("file", FILES)
@each("options", ["", "--weight whole", "--max-scores 1000", "--positive no"])
def test_chunks_and_engine_write_the_same_file(folder, file, options):
    """Also where scores are rounded: cells nest, so that it does not matter who rounds first."""
    assert main(f"fit {file} {FIT} chunks.json --force {options}".split()) == 0
    assert main(f"fit {file} {FIT} engine.json --force {options} {DUCKDB}".split()) == 0
    assert (folder / "chunks.json").read_bytes() == (folder / "engine.json").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*FILES, "chunks.json", "engine.json"]
    )


def test_weights_are_added_up_to_the_last_digit(folder):
    for name, engine in (("chunks.json", ""), ("engine.json", DUCKDB)):
        assert main(f"fit train.csv {FIT} {name} --weight weight {engine}".split()) == 0
    one, two = (calibrator(folder / name) for name in ("chunks.json", "engine.json"))
    scores = read_csv("train.csv")["score"]
    np.testing.assert_allclose(
        one.predict_interval(scores), two.predict_interval(scores), rtol=0, atol=1e-12
    )


def test_scores_that_few_bits_tell_apart_are_not_rounded(tmp_path, monkeypatch):
    """So many groups are estimated that bits are dropped, but far fewer are left."""
    monkeypatch.chdir(tmp_path)
    score = 1 + np.arange(5000) * 2.0**-40
    pd.DataFrame({"score": score, "kind": np.arange(5000) % 2}).to_parquet("train.parquet")
    for name, engine in (("chunks.json", ""), ("engine.json", DUCKDB)):
        words = f"fit train.parquet {FIT} {name} --max-scores 1000 {engine}"
        assert main(words.split()) == 0
    assert (tmp_path / "chunks.json").read_bytes() == (tmp_path / "engine.json").read_bytes()


def test_rows_without_a_score_or_a_class_are_left_out(folder, capsys):
    text = "score,kind\nNA,yes\n 0.5,no\n,no\n1.5,yes\n0.5,yes\n0.1,\n0.2, NA \n,\n"
    (folder / "gaps.csv").write_text(text)
    for name, engine in (("chunks.json", ""), ("engine.json", DUCKDB)):
        assert main(f"fit gaps.csv {FIT} {name} --missing drop {engine}".split()) == 0
    assert (folder / "chunks.json").read_bytes() == (folder / "engine.json").read_bytes()
    assert capsys.readouterr().err.count("5 of 8 rows have no number, or no class") == 2


@each(
    "text",
    [
        "score,kind\n0.5,yes\nhigh,no\n",
        "score,kind\n0.5,yes\n1_000,no\n",
        "score,kind\n0.5,yes\ninf,no\n",
        "score,kind\n0.5,yes\n,no\n",
        "score,kind\n0.5,yes\n0.5\n",
        'score,kind\n0.5,yes\n0.5,"no\n',
        "score,kind\n0.5,yes\n0.5,no\n0.6,perhaps\n",
        "score,kind\n0.5,yes\n0.5,\n",
        "score,kind\n0.5,yes\n0.5,yes\n",
        "score,kind\n0.5,1\n0.5,n/a\n",
        "score,kind\n",
        "score;kind\n0.5;yes\n",
        "scroe,kind\n0.5,yes\n",
        "score,kind\n" + "".join(f"0.5,{i}\n" for i in range(200)),
    ],
)
def test_wrong_values_are_named_as_by_chunks(folder, text, capsys):
    (folder / "bad.csv").write_text(text)
    found = []
    for engine in ("", DUCKDB):
        assert main(f"fit bad.csv {FIT} model.json {engine}".split()) == 2
        found.append(capsys.readouterr().err)
    assert found[0] == found[1]
    assert found[0].count("\n") == 1 + (";" in text)  # the delimiter is told
    assert not [path for path in folder.iterdir() if "model" in path.name]


@each("weight", ["-1", "1e-20", "inf", "", "x"])
def test_wrong_weights(folder, weight, capsys):
    (folder / "bad.csv").write_text(f"score,kind,weight\n0.5,yes,1\n0.6,no,{weight}\n0.7,no,1\n")
    found = []
    for engine in ("", DUCKDB):
        words = f"fit bad.csv {FIT} model.json --weight weight {engine}"
        assert main(words.split()) == 2
        found.append(capsys.readouterr().err)
    assert found[0] == found[1]


def test_columns_of_other_types(folder, capsys):
    table = pd.DataFrame({"score": [True, False], "kind": ["yes", "no"]})
    table.to_parquet("bad.parquet")
    assert main(f"fit bad.parquet {FIT} model.json {DUCKDB}".split()) == 2
    assert "column 'score' holds bool, but a score is a finite number" in capsys.readouterr().err


@each(
    ("words", "reason"),
    [
        (f"train.csv {FIT} m.json --threads 2", "--threads is for --engine duckdb"),
        (f"train.csv {FIT} m.json --memory-limit 1GB", "--memory-limit is for --engine duckdb"),
        (f"train.csv {FIT} m.json --engine duckdb --memory-limit much", "such as 2GB or 500MB"),
        (f"- {FIT} m.json {DUCKDB}", "name one instead of standard input"),
        (f"train.csv {FIT} m.json --engine spark", "not one of"),
        (f"cases.csv {FIT} m.json {DUCKDB}", "columns 'a' and 'A' differ in case only"),
        (
            f"train.csv --conformal --score score --target kind -o m.json {DUCKDB}",
            "one score of two",
        ),
    ],
)
def test_wrong_calls(folder, words, reason, capsys):
    (folder / "cases.csv").write_text("a,A,score,kind\n1,2,0.5,yes\n1,2,0.4,no\n")
    assert main(["fit", *words.split()]) == 2
    assert reason in capsys.readouterr().err


def test_odd_names_of_files_and_columns(folder):
    """A star is a pattern to DuckDB, and a quote ends a name."""
    frame = pd.read_parquet("train.parquet")
    frame["other"] = "x"
    frame = frame.rename(columns={"score": 'my "score"', "other": "score"})
    for name in ("a*[1]'?.csv", "a*[1]'?.parquet"):
        getattr(frame, "to_csv" if name.endswith("csv") else "to_parquet")(name, index=False)
        (folder / "a2[1]'x.csv").write_text("nothing")
        for model, engine in (("chunks.json", ""), ("engine.json", DUCKDB)):
            words = f"--target kind --method isotonic -o {model} --force {engine}".split()
            assert main(["fit", name, "--score", 'my "score"', *words]) == 0
        assert (folder / "chunks.json").read_bytes() == (folder / "engine.json").read_bytes()


def test_duckdb_is_named_if_it_is_missing(folder, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    assert main(f"fit train.csv {FIT} model.json {DUCKDB}".split()) == 2
    assert "--engine duckdb needs duckdb; install it with: pip install duckdb" in (
        capsys.readouterr().err
    )
