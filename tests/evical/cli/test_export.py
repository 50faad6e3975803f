"""`evical export` and `evical card`: what they write, and what they refuse."""

import json
import sqlite3
from contextlib import closing
from importlib.util import find_spec

import numpy as np
import onnx
import pandas as pd
import pytest

from evical.calibrators import (
    BinningCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    VennAbersCalibrator,
)
from evical.cli import main
from evical.cli._cards import promise_text
from evical.cli._model import load_model
from evical.export import to_onnx


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, the samples that it has learned from, and others."""
    path = tmp_path_factory.mktemp("export")
    rng = np.random.default_rng(0)
    for name, steep in (("old", 2), ("new", 2), ("other", -2)):
        score = rng.normal(size=300).round(2)
        income = np.where(rng.random(300) < 1 / (1 + np.exp(-steep * score)), "high|`", "low")
        table = pd.DataFrame({"the score": score, "income": income})
        table.to_csv(path / f"{name}.csv", index=False)
    common = ["--target", "income", "--positive", "high|`"]
    fit = ["fit", str(path / "old.csv"), "--score", "the score", *common, "--method", "logistic"]
    assert main([*fit, "-o", str(path / "model.json")]) == 0
    return path


def test_sql_on_standard_output_runs(folder, capfd):
    path = folder / "model.json"
    assert main(["export", str(path), "--to", "sql", "--dialect", "sqlite"]) == 0
    query = capfd.readouterr().out
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (`the score` REAL)")
        base.execute("INSERT INTO t VALUES (0.5)")
        found = base.execute(f"SELECT {query} FROM t").fetchone()
    assert found[:2] == pytest.approx(
        load_model(path).calibrator.predict_interval([0.5])[0], abs=1e-7
    )


def test_names_are_those_that_predict_writes(folder, tmp_path):
    model, out = str(folder / "model.json"), tmp_path / "out.csv"
    assert main(["predict", model, str(folder / "new.csv"), "-o", str(out)]) == 0
    wanted = pd.read_csv(out).columns[2:-1].tolist()
    assert wanted[3:] == ["bel_high|`", "pl_high|`", "p_high|`"]
    for to, name in (("sql", "m.sql"), ("js", "m.mjs"), ("onnx", "m.onnx")):
        words = ["export", model, "--to", to, "--class-columns", "-o", str(tmp_path / name)]
        assert main([*words, *(["--dialect", "sqlite"] if to == "sql" else [])]) == 0
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (`the score` REAL)")
        found = base.execute(f"SELECT {(tmp_path / 'm.sql').read_text(encoding='utf-8')} FROM t")
        assert [column[0] for column in found.description] == wanted
    assert [one.name for one in onnx.load(tmp_path / "m.onnx").graph.output] == wanted
    assert json.dumps(wanted) in (tmp_path / "m.mjs").read_text(encoding="utf-8")


@pytest.mark.parametrize(("to", "name"), [("sql", "m.sql"), ("js", "m.mjs"), ("onnx", "m.onnx")])
def test_files_are_written_and_not_overwritten(folder, tmp_path, capfd, to, name):
    file = tmp_path / name
    arguments = ["export", str(folder / "model.json"), "--to", to, "-o", str(file)]
    assert main(arguments) == 0
    content = file.read_bytes()
    if to == "onnx":
        onnx.checker.check_model(onnx.load(file))
    else:
        assert b"LogisticCalibrator of evical" in content.partition(b"\n")[0]
    assert main(arguments) == 2
    assert "exists; choose another name, or overwrite it with --force" in capfd.readouterr().err
    assert main([*arguments, "--force"]) == 0
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "onnx"], "a graph is written to a file; name it with --output"),
        (["--to", "js", "--column", "a"], "--dialect and --column are for --to sql"),
        (["--to", "js", "--dialect", "spark"], "--dialect and --column are for --to sql"),
        (["--to", "sql", "--max-bytes", "100"], "and max_bytes is 100; permit more"),
        (["--to", "sql", "--column", ""], "column is '', expected the name of a column"),
        (["--to", "c"], "'c' is not one of 'sql', 'onnx', 'js'"),
        (["--to", "sql", "-o", "no/where.sql"], "there is no folder 'no'"),
    ],
)
def test_wrong_calls_of_export(folder, tmp_path, monkeypatch, capfd, options, message):
    monkeypatch.chdir(tmp_path)
    assert main(["export", str(folder / "model.json"), *options]) == 2
    error = capfd.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_onnx_is_named_if_it_is_missing(folder, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(
        "dstheory.optional.find_spec", lambda name: None if name == "onnx" else find_spec(name)
    )
    file = tmp_path / "m.onnx"
    assert main(["export", str(folder / "model.json"), "--to", "onnx", "-o", str(file)]) == 2
    assert "an export to ONNX needs onnx; install it with: pip install onnx" in (
        capfd.readouterr().err
    )
    assert not file.exists()


def fit_more(folder, name, options):
    """A model of three classes, or a conformal one of two."""
    model = str(folder / name)
    if options[0] == "--conformal":
        arguments = [str(folder / "old.csv"), "--score", "the score", "--target", "income"]
        arguments += ["--positive", "high|`"]
    else:
        rng = np.random.default_rng(0)
        for table in ("three", "three more"):
            p = rng.dirichlet([1, 1, 1], 200)
            kind = np.array(["a", "b", "c"])[(rng.random((200, 1)) > p.cumsum(axis=1)).sum(axis=1)]
            made = pd.DataFrame({"pa": p[:, 0], "pb": p[:, 1], "pc": p[:, 2], "kind": kind})
            made.to_csv(folder / f"{table}.csv", index=False)
        scores = [part for c in "abc" for part in ("--score", f"p{c}={c}")]
        arguments = [str(folder / "three.csv"), *scores, "--target", "kind"]
    assert main(["fit", *arguments, *options, "-o", model, "--force"]) == 0
    return model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--conformal", "--nonconformity", "margin"], "the model is conformal: plausibilities"),
        (["--method", "auto"], "a score for each of 3 classes; of more than two"),
    ],
)
def test_what_no_export_takes(folder, capfd, options, message):
    model = fit_more(folder, "more.json", options)
    capfd.readouterr()
    assert main(["export", model, "--to", "sql"]) == 2
    assert message in capfd.readouterr().err


def test_onnx_takes_several_classes(folder):
    model, graph = fit_more(folder, "softmax.json", ["--method", "softmax"]), folder / "m.onnx"
    assert main(["export", model, "--to", "onnx", "-o", str(graph)]) == 0
    expected = to_onnx(load_model(model).calibrator).SerializeToString()
    assert graph.read_bytes() == expected


@pytest.mark.parametrize(
    ("method", "promise"),
    [
        ("auto", "Of each class: [Bel, Pl] covers the probability at about 79 %"),
        ("softmax", "Bel and Pl are one probability"),
        ("multinomial_logistic", "Of each class: [Bel, Pl] is the mean over level sets"),
        ("isotonic", "Of each class against the rest: [Bel, Pl] covers"),
    ],
)
def test_cards_of_many_classes(folder, capfd, method, promise):
    model = fit_more(folder, "more.json", ["--method", method])
    capfd.readouterr()
    assert main(["card", model, str(folder / "three more.csv")]) == 0
    text = capfd.readouterr().out
    for part in (
        "# Calibration of `kind`",
        "| Input | scores: `pa` for `a`, `pb` for `b`, `pc` for `c` |",
        "| Output | belief, plausibility and probability of each class of `kind` |",
        "| Rows | 200 with all scores, 0 without |",
        "| Log loss of these samples | 0.",
        promise,
        "On 200 samples of",
        "class 'c'`, at the level 0.0167: ",
    ):
        assert part in text


@pytest.mark.parametrize("more", [[], ["--by-class"]], ids=["all", "by class"])
def test_cards_of_conformal_models(folder, tmp_path, capfd, more):
    model = fit_more(folder, "more.json", ["--conformal", "--nonconformity", "margin", *more])
    capfd.readouterr()
    assert main(["card", model, str(folder / "new.csv")]) == 0
    text = capfd.readouterr().out
    for part in (
        "| Output | belief and plausibility of each class of `income` |",
        "| Calibrated on | `old.csv` |",
        "with a probability of at most alpha",
        "On 300 samples of `new.csv`: passed.",
        "| 0.1 | ",
        "The data are compatible with the guarantee: at alpha = 0.1",
    ):
        assert part in text
    assert ("in each class" in text) == bool(more)
    assert "Log loss" not in text
    assert main(["card", model, str(folder / "other.csv")]) == 0
    assert "On 300 samples of `other.csv`: failed." in capfd.readouterr().out
    empty = tmp_path / "empty.csv"
    empty.write_text("the score,income\n,low\n", encoding="utf-8")
    assert main(["card", model, str(empty), "--missing", "vacuous"]) == 2
    assert "empty.csv has no row with all scores" in capfd.readouterr().err


def test_the_card_says_what_the_model_is(folder, capfd):
    assert main(["card", str(folder / "model.json")]) == 0
    text = capfd.readouterr().out
    for part in (
        "library_name: evical",
        "- LogisticCalibrator",
        "| Method | `LogisticCalibrator()` |",
        "| Rows | 300 with a score, 0 without |",
        "`income` = `high\\|'`",
        "[Bel, Pl] covers the probability at about 79 % of the scores",
        "None: no held-out samples",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("data", "parts"),
    [("new", ["passed", "covers the frequency"]), ("other", ["failed", "fails to cover"])],
)
def test_the_card_says_how_the_model_did(folder, tmp_path, capfd, data, parts):
    file, table = tmp_path / "card.md", str(folder / f"{data}.csv")
    arguments = ["card", str(folder / "model.json"), table, "-o", str(file)]
    assert main(arguments) == 0
    text = file.read_text(encoding="utf-8")
    assert "On 300 samples" in text
    for part in parts:
        assert part in text
    assert main(arguments) == 2
    assert "exists" in capfd.readouterr().err


def test_the_card_says_if_the_samples_are_those_of_the_fit(folder, tmp_path, capfd):
    old = (folder / "old.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    turned = tmp_path / "turned.csv"
    turned.write_text("".join([old[0], *old[:0:-1]]), encoding="utf-8")
    more = fit_more(folder, "more.json", ["--method", "isotonic"])
    capfd.readouterr()
    model, seen = str(folder / "model.json"), ", which it was fitted to"
    for one, table, expected in (
        (model, turned, True),
        (model, folder / "new.csv", False),
        (more, folder / "three.csv", True),
        (more, folder / "three more.csv", False),
    ):
        assert main(["card", one, str(table)]) == 0
        assert (seen in capfd.readouterr().out) == expected
    assert main(["check", model, str(turned)]) == 0
    assert seen in capfd.readouterr().out


def test_each_model_has_a_promise():
    assert "about 79 %" in promise_text(LogisticCalibrator())
    assert "probability of 0.9 or more, for many" in promise_text(
        LogisticCalibrator(model="confidence", confidence=0.9)
    )
    assert "at all scores at once" in promise_text(IsotonicCalibrator(model="band"))
    assert "one sample more" in promise_text(BinningCalibrator(model="dempster"))
    assert "one of Bel and Pl is calibrated" in promise_text(VennAbersCalibrator())
