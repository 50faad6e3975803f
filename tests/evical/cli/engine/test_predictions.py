"""`evical predict --engine duckdb`: the beliefs and decisions of the reader of chunks."""

import json
import shutil

import duckdb
import numpy as np
import pandas as pd
import pytest

from evical.calibrators import AutoCalibrator
from evical.calibrators.by_name import make_calibrator
from evical.cli import main
from evical.cli._decisions import Choices, new_decision
from evical.cli._model import Model, Training, load_model, model_text
from evical.scores.names import belief_names
from tests.support.each import each
from tests.support.tables import read_csv

DUCKDB = "--engine duckdb --memory-limit 200MB"
N = 3000


@pytest.fixture(scope="module")
def models():
    """Files of models: one of steps, one of curves, one whose Bel and Pl are ends."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=500)
    labels = np.where(rng.random(500) < 1 / (1 + np.exp(-2 * scores)), "it's", "can't")
    training = Training("s.csv", 500, 0, {"can't": 250.0, "it's": 250.0}, 0.5, 500)
    texts = {}
    for name in ("isotonic", "logistic"):
        fitted = make_calibrator(name, ()).fit(scores, labels)
        texts[f"{name}.json"] = model_text(Model({"it's": "score"}, "kind", fitted, training))
    fitted = AutoCalibrator(model="confidence").fit(scores, labels)
    texts["ends.json"] = model_text(Model({"it's": "score"}, "kind", fitted, training))
    return texts


@pytest.fixture(scope="module")
def tables(tmp_path_factory, models):
    """A folder with the models, and the same rows as three tables."""
    folder = tmp_path_factory.mktemp("tables")
    for name, text in models.items():
        (folder / name).write_text(text)
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"id": [f"{i:05d}" for i in range(N)], "score": rng.normal(size=N) * 2})
    table["note, too"] = np.where(np.arange(N) % 2, ' 1.10 "', "")
    for name, options in (("new.csv", {}), ("new.tsv.gz", {"sep": "\t"})):
        table.to_csv(folder / name, index=False, **options)
    table.to_parquet(folder / "new.parquet", row_group_size=700)
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch, tables):
    shutil.copytree(tables, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(name):
    if name.endswith("parquet"):
        return pd.read_parquet(name)
    sep = "\t" if ".tsv" in name else ","
    return read_csv(name, dtype={"id": str}, keep_default_na=False, sep=sep)


def both(words, out="csv"):
    """The tables that chunks and engine write."""
    assert main(f"predict {words} -o chunks.{out}".split()) == 0
    assert main(f"predict {words} -o engine.{out} {DUCKDB}".split()) == 0
    return read(f"chunks.{out}"), read(f"engine.{out}")


@pytest.mark.parametrize("out", ["csv", "tsv.gz", "parquet"])
@pytest.mark.parametrize("file", ["new.csv", "new.tsv.gz", "new.parquet"])
def test_steps_are_exact(folder, file, out):
    chunks, engine = both(f"isotonic.json {file}", out)
    pd.testing.assert_frame_equal(chunks, engine, check_exact=True)
    assert list(engine)[-7:] == [*belief_names(["can't", "it's"]), "decision"]
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_curves_are_within_their_error(folder):
    chunks, engine = both("logistic.json new.parquet --prefix svm_ --threshold 0.7", "parquet")
    names = belief_names(["can't", "it's"], "svm_")
    np.testing.assert_allclose(engine[names], chunks[names], rtol=0, atol=1e-7)
    assert (engine["svm_bel_it's"] <= engine["svm_pl_it's"]).all()
    near = (chunks["svm_p_it's"] - 0.7).abs() < 1e-7
    assert (chunks["svm_decision"] == engine["svm_decision"])[~near].all()


@each("name", ["isotonic", "logistic", "ends"])
def test_confidence_intervals_are_those_of_python(folder, name):
    (folder / "gaps.csv").write_text("score\n0.5\nNA\n-1\n")
    for table in ("new.csv", "gaps.csv"):
        chunks, engine = both(f"{name}.json {table} --level 0.9 --missing vacuous --force")
        names = belief_names(["can't", "it's"], intervals=True)
        assert list(chunks)[-11:] == [*names, "decision"]
        np.testing.assert_allclose(engine[names], chunks[names], rtol=0, atol=1e-7)
        same = chunks["decision"].fillna("") == engine["decision"].fillna("")
        assert same.mean() > 0.999
        likelier = np.where(chunks["p_it's"] > 0.5, "it's", "can't")
        known = chunks["pl_it's"] - chunks["bel_it's"] < 1
        assert (chunks["decision"].fillna("") == np.where(known, likelier, "")).all()
    assert chunks[["lower_it's", "p_it's", "upper_it's"]].loc[1].tolist() == [0, 0.5, 1]
    fitted = load_model(folder / f"{name}.json").calibrator
    known = chunks.loc[[0, 2], ["lower_it's", "upper_it's"]]
    np.testing.assert_allclose(known, fitted.predict_interval([0.5, -1.0], level=0.9), atol=1e-9)
    np.testing.assert_allclose(
        chunks.loc[[0, 2], "p_it's"], fitted.predict_proba([0.5, -1.0])[:, 1], atol=1e-9
    )


@each(
    "words, reason",
    [
        ("predict isotonic.json new.csv --level 95", "--level is 95.0, expected a level inside"),
        ("export isotonic.json --to sql --level 0", "--level is 0.0, expected a level inside"),
    ],
)
def test_wrong_levels(folder, words, reason, capsys):
    assert main(words.split()) == 2
    assert reason in capsys.readouterr().err


def test_an_export_has_the_interval(folder, capsys):
    assert (
        main(["export", "isotonic.json", "--to", "sql", "--level", "0.9", "--class-columns"]) == 0
    )
    with duckdb.connect() as base:
        found = base.execute(f"SELECT {capsys.readouterr().out} FROM 'new.csv'").df()
    chunks, _ = both("isotonic.json new.csv --level 0.9")
    names = belief_names(["can't", "it's"], intervals=True)
    np.testing.assert_allclose(found[names], chunks[names], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "options",
    ["--costs 4 1 --reject 0.3", "--threshold 0.2", "--threshold 1", "--reject 0.1", "--reject 0"],
)
def test_decisions(folder, options):
    chunks, engine = both(f"isotonic.json new.csv {options}")
    assert chunks["decision"].tolist() == engine["decision"].tolist()


def test_missing_scores_are_vacuous_and_own_names_are_free(folder, capsys):
    (folder / "gaps.csv").write_text("evical_bel,score\n1,0.5\n2,\n3,NA\n\n4,-1\n")
    chunks, engine = both("isotonic.json gaps.csv --missing vacuous")
    pd.testing.assert_frame_equal(chunks, engine, check_exact=True)
    assert engine["pl_it's"].tolist()[1:3] == [1, 1]
    assert capsys.readouterr().err.count("2 of 4 rows have no number") == 2


def test_a_blank_line_is_no_row(folder):
    (folder / "one.csv").write_text('score\n0.5\n\n""\nNA\n\n1.5\n')
    chunks, engine = both("isotonic.json one.csv --missing vacuous")
    pd.testing.assert_frame_equal(chunks, engine, check_exact=True)
    assert len(engine) == 4


def test_columns_are_replaced_if_asked_for(folder):
    (folder / "old.csv").write_text("bel_it's,score,pl_can't\nx,0.5,y\nx,1.5,y\n")
    chunks, engine = both("isotonic.json old.csv --force-columns")
    pd.testing.assert_frame_equal(chunks, engine, check_exact=True)


def test_the_summary_is_the_same(folder, capsys):
    found = []
    for engine in ("", DUCKDB):
        words = f"predict isotonic.json new.csv -o out.csv --force --json --reject 0.2 {engine}"
        assert main(words.split()) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


@each("value", ["high", "inf", "1_0", "+-1", "", "1,5"])
def test_wrong_values_are_named_as_by_chunks(folder, value, capsys):
    (folder / "bad.csv").write_text(f"id,score\n1,0.5\n2,{value}\n")
    found = []
    for engine in ("", DUCKDB):
        assert main(f"predict isotonic.json bad.csv -o out.csv {engine}".split()) == 2
        found.append(capsys.readouterr().err)
    assert found[0] == found[1]
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("isotonic.json new.csv -o out.csv --criterion maximin", "decides by expected utility"),
        ("isotonic.json new.csv", "writes files; name one with --output"),
        ("isotonic.json - -o out.csv", "name one instead of standard input"),
        ("isotonic.json case.csv -o out.csv", "differ in case only"),
        ("many.json new.csv -o out.csv", "one score of two classes; leave it out"),
    ],
)
def test_wrong_calls(folder, words, reason, capsys, monkeypatch):
    (folder / "case.csv").write_text("Bel_can't,score\n1,0.5\n")
    table = "".join(f"0.{i},0.{9 - i},{i % 2}\n" for i in range(1, 9))
    (folder / "many.csv").write_text(f"score_0,score_1,kind\n{table}")
    if "many" in words:
        fit = "fit many.csv --score score_0 --score score_1 --target kind -o many.json"
        assert main([*fit.split(), "--method", "softmax"]) == 0
        words = words.replace("new.csv", "many.csv")
    if " - " in words:
        with open("new.csv") as file:
            monkeypatch.setattr("sys.stdin", file)
            assert main(["predict", *words.split(), *DUCKDB.split()]) == 2
    else:
        assert main(["predict", *words.split(), *DUCKDB.split()]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["1MB"])
def test_too_little_memory_is_one_line(folder, limit, capsys):
    words = f"predict isotonic.json new.csv -o out.csv --engine duckdb --memory-limit {limit}"
    assert main(words.split()) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "--memory-limit: 1MB is too little" in err
    assert not [path for path in folder.iterdir() if "out.csv" in path.name]


def test_decisions_of_equal_utility_go_to_the_first_act():
    """With tests/naive: the definition of expected utility over three focal sets."""
    import duckdb

    from evical.cli.engine.predictions import decision_sql

    decision = new_decision(("no", "yes"), Choices(reject=0.5))
    grid = [(b / 8, p / 8) for b in range(9) for p in range(b, 9)]
    with duckdb.connect() as base:
        for bel, pl in grid:
            betp = (bel + pl) / 2
            values = [1 - betp, betp, 0.5]
            expected = decision.acts[values.index(max(values))]
            sides = f"{bel}::DOUBLE", f"{pl}::DOUBLE"
            query = f"SELECT {decision_sql(decision, *sides, 'FALSE')}"
            assert base.execute(query).fetchone() == (expected,)
