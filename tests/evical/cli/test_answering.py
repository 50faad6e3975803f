"""`fit --answer-error`: what is promised and asked is what Python computes."""

import json

import numpy as np
import pandas as pd
import pytest

from evical.calibrators import LogisticCalibrator
from evical.cli import main
from evical.cli._judged import Selection, judge
from evical.cli._model import checksum, load_model
from evical.conformal.control import answered_promise
from evical.multiclass import SoftmaxCalibrator
from tests.support.each import each

N = 600
FIT = "fit one.csv --score s --target y --method logistic"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    s = rng.normal(0, 3, N)
    y = np.where(rng.random(N) < 1 / (1 + np.exp(-2 * s)), "well", "ill")
    pd.DataFrame({"s": s, "y": y, "w": 1}).to_csv(tmp_path / "one.csv", index=False)
    z = rng.normal(size=(N, 3))
    kinds = rng.integers(0, 3, N)
    z[np.arange(N), kinds] += 5
    table = pd.DataFrame(z, columns=["z_a", "z_b", "z_c"])
    table.assign(kind=np.array(["a", "b", "c"])[kinds]).to_csv(tmp_path / "many.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words, code=0):
    assert main(words.split()) == code


def split():
    order = np.random.default_rng(0).permutation(N)
    return order[180:], order[:180]


@each("positive", [None, "ill"])
def test_one_score(folder, capfd, positive):
    more = "" if positive is None else f" --positive {positive}"
    run(f"{FIT} --answer-error 0.05 --confidence 0.9 -o m.json --force{more}")
    assert "error of the answers at most 0.05 with a" in capfd.readouterr().out
    one = pd.read_csv("one.csv")
    s, y = one["s"].to_numpy(), one["y"].to_numpy(dtype=str)
    train, held = split()
    # The greater class is the second in Python too.
    calibrator = LogisticCalibrator().fit(s[train], y[train])
    p = calibrator.predict_proba(s)
    wrong = np.array(["ill", "well"])[p.argmax(axis=1)] != y
    wanted = answered_promise(wrong[held].astype(float), 1 - p[held].max(axis=1), 0.05, 0.9)
    found = load_model("m.json")
    assert found.answers.limit == pytest.approx(wanted.limit, abs=1e-6)
    assert found.answers.n_answered == wanted.n_answered > 60
    assert found.answers.risk == pytest.approx(wanted.risk)
    assert found.training.rows == len(train)
    run("predict m.json one.csv -o out.csv --force")
    out = pd.read_csv("out.csv")
    doubt = 1 - out[["p_ill", "p_well"]].max(axis=1)
    asked = out["decision"] == "ask"
    np.testing.assert_array_equal(asked, doubt >= found.answers.limit)
    assert asked[held].sum() == len(held) - wanted.n_answered
    likeliest = np.where(out["p_ill"] > out["p_well"], "ill", "well")
    assert (out["decision"] == likeliest)[~asked].all()
    run("evaluate out.csv --target y --json")
    run("card m.json")
    printed = capfd.readouterr().out
    assert "| Answers | error of the answers at most 0.05" in printed


def test_exports_say_that_they_do_not_ask(folder, capfd):
    for bound in (0.05, 0.001):
        run(f"{FIT} --answer-error {bound} -o m.json --force")
        limit = load_model("m.json").answers.limit
        where = f"at most {1 - limit:.6g}" if limit > -np.inf else "anything"
        capfd.readouterr()
        run("export m.json --to sql -o m.sql --force")
        assert f"the model asks where the larger probability is {where}" in capfd.readouterr().err


def test_many_scores(folder, capfd):
    words = "fit many.csv --score z_a --score z_b --score z_c --target kind --method softmax"
    run(f"{words} --answer-error 0.1 -o m.json --json")
    told = json.loads(capfd.readouterr().out)["answers"]
    many = pd.read_csv("many.csv")
    z, kind = many[["z_a", "z_b", "z_c"]].to_numpy(), many["kind"].to_numpy(dtype=str)
    train, held = split()
    p = SoftmaxCalibrator().fit(z[train], kind[train]).predict_proba(z[held])
    wrong = (np.array(["a", "b", "c"])[p.argmax(axis=1)] != kind[held]).astype(float)
    wanted = answered_promise(wrong, 1 - p.max(axis=1), 0.1, 0.95)
    assert told["answered"] == wanted.n_answered > 100
    assert told["wrong"] == wrong[1 - p.max(axis=1) < wanted.limit].sum()
    judged = judge(Selection(predictions="m.json", data="many.csv"))
    assert judged.answers == load_model("m.json").answers
    many.loc[5, "z_b"] = np.nan
    many.to_csv("gaps.csv", index=False)
    run("predict m.json gaps.csv -o out.csv --missing vacuous")
    out = pd.read_csv("out.csv")
    assert out["decision"][5] == "ask"
    assert set(out["decision"]) == {"a", "b", "c", "ask"} or wanted.limit == np.inf


def test_too_few_rows_ask_about_all(folder, capfd):
    pd.read_csv("one.csv")[:100].to_csv("few.csv", index=False)
    run(f"{FIT.replace('one', 'few')} --answer-error 0.01 -o m.json")
    assert "warning: error of the answers at most 0.01 with a confidence of 0.95 cannot be " in (
        err := capfd.readouterr().err
    )
    assert "by 30 held-out samples; about " in err
    assert load_model("m.json").answers.limit == -np.inf
    run("predict m.json one.csv -o out.csv")
    assert set(pd.read_csv("out.csv")["decision"]) == {"ask"}


@each(
    ("words", "message"),
    [
        ("--answer-error 0", "--answer-error is 0.0, expected a level inside (0, 1)"),
        ("--answer-error 0.1 --confidence 1", "--confidence is 1.0, expected a level"),
        ("--answer-error nan", "--answer-error is nan"),
        ("--confidence 0.9", "--confidence is for --answer-error"),
        ("--answer-error 0.1 --weight w", "--answer-error counts rows, so it takes no --weight"),
        ("--answer-error 0.1 --engine duckdb", "leave it out here"),
        ("--answer-error 0.1 --positive x", "has no class 'x'"),
    ],
)
def test_wrong_options(folder, capfd, words, message):
    run(f"{FIT} {words} -o x.json", code=2)
    assert message in capfd.readouterr().err


def test_what_does_not_go_together(folder, capfd):
    run("fit one.csv --score w --target y --conformal --answer-error 0.1 -o x.json", code=2)
    assert "are two guarantees; give one" in capfd.readouterr().err
    run(f"{FIT} --answer-error 0.1 -o m.json")
    for words in ("--reject 0.1", "--criterion maximin", "--threshold 0.3"):
        run(f"predict m.json one.csv -o out.csv {words}", code=2)
        assert "the model answers or asks as fit --answer-error" in capfd.readouterr().err
    run("predict m.json one.csv -o out.csv --engine duckdb", code=2)
    assert "does not know the answer 'ask'" in capfd.readouterr().err
    one = pd.read_csv("one.csv").replace("ill", "ask")
    one.to_csv("ask.csv", index=False)
    run(f"{FIT.replace('one', 'ask')} --answer-error 0.1 -o x.json", code=2)
    assert "a class is called 'ask'" in capfd.readouterr().err
    one[:4].to_csv("four.csv", index=False)
    run(f"{FIT.replace('one', 'four')} --answer-error 0.1 -o x.json", code=2)


@each(
    ("name", "value"),
    [
        ("error", 2),
        ("confidence", None),
        ("doubt_below", "some"),
        ("doubt_below", None),
        ("wrong", -1),
        ("answered", 1000),
        ("held_out", 1.5),
        ("held_out_needed", "many"),
    ],
)
def test_damage_is_refused_though_the_checksum_is_right(folder, name, value):
    run(f"{FIT} --answer-error 0.1 -o m.json --force")
    data = json.loads((folder / "m.json").read_text("utf-8"))
    data["answers"][name] = value
    data["checksum"] = checksum({key: one for key, one in data.items() if key != "checksum"})
    (folder / "m.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ValueError, match=r"m.json is damaged: .*; fit the model again"):
        load_model("m.json")
