"""Missing numbers: refused, left out and counted, or taken as the belief that says nothing."""

import json

import numpy as np
import pandas as pd
import pytest

from dstheory import dempster
from evical import metrics
from evical.cli import main
from evical.cli._decisions import masses
from tests.support.each import each
from tests.support.tables import read_csv

N = 120
LACKING = [3, 40, 41, 119]
MARKS = ["", "NA", "nan", " ? "]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Scores with and without gaps, as CSV and Parquet, and the complete rows alone."""
    rng = np.random.default_rng(0)
    s = rng.normal(size=N)
    frame = pd.DataFrame({"s": s, "y": np.where(rng.random(N) < 1 / (1 + np.exp(-s)), "u", "d")})
    complete = frame.drop(index=LACKING)
    complete.to_csv(tmp_path / "complete.csv", index=False)
    gaps = frame.astype({"s": object})
    gaps.loc[LACKING, "s"] = MARKS
    gaps.to_csv(tmp_path / "gaps.csv", index=False)
    frame.loc[LACKING, "s"] = np.nan
    frame.to_parquet(tmp_path / "gaps.parquet", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words):
    assert main(words.split()) == 0


def refused(words, capfd):
    assert main(words.split()) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


FIT = "--score s --target y --json"


@pytest.mark.parametrize("table", ["gaps.csv", "gaps.parquet"])
def test_fit_leaves_them_out_and_counts_them(folder, table, capfd):
    run(f"fit complete.csv {FIT} -o a.json")
    expected = json.loads(capfd.readouterr().out)
    run(f"fit {table} {FIT} -o b.json --missing drop")
    out, err = capfd.readouterr()
    found = json.loads(out)
    assert err == f"evical: {table}: 4 of 120 rows have no number, or no class; they are left out\n"
    assert expected["training"].pop("missing") == 0
    assert found["training"].pop("missing") == 4
    for data in (expected, found):
        del data["training"]["source"], data["output"]
    assert found == expected
    a, b = (json.loads((folder / name).read_text())["calibrator"] for name in ("a.json", "b.json"))
    assert a == b


@pytest.mark.parametrize("table", ["gaps.csv", "gaps.parquet"])
def test_predict_says_nothing_about_them(folder, table, capfd):
    run(f"fit complete.csv {FIT} -o m.json")
    run("predict m.json complete.csv -o expected.csv")
    capfd.readouterr()
    run(f"predict m.json {table} -o out.csv --missing vacuous --json")
    out, err = capfd.readouterr()
    assert json.loads(out)["missing"] == 4
    assert "4 of 120 rows have no number; they are taken as bel 0 and pl 1" in err
    found, expected = read_csv("out.csv"), read_csv("expected.csv")
    empty = found.iloc[LACKING]
    assert empty["bel_u"].eq(0).all()
    assert empty["pl_u"].eq(1).all()
    assert empty["p_u"].eq(0.5).all()
    rest = found.drop(index=LACKING).reset_index(drop=True)
    columns = ["bel_u", "pl_u", "p_u", "decision"]
    pd.testing.assert_frame_equal(rest[columns], expected[columns])


def test_a_source_without_a_number_is_neutral(folder):
    pd.DataFrame({"id": [2, 1], "bel_u": ["0.1", "NA"], "pl_u": ["0.6", "1"]}).to_csv(
        "a.csv", index=False
    )
    pd.DataFrame({"id": [1, 2], "bel_u": [0.3, 0.2], "pl_u": [0.4, 0.9]}).to_csv(
        "b.csv", index=False
    )
    run("combine --rule dempster a.csv b.csv --key id -o out.csv --missing vacuous")
    found = read_csv("out.csv").set_index("id")
    assert found.loc[1, ["bel_u", "pl_u"]].tolist() == pytest.approx([0.3, 0.4])
    first, second = (masses(np.array([a]), np.array([b]), ("0", "1"))
                     for a, b in ((0.1, 0.6), (0.2, 0.9)))  # fmt: skip
    assert found.loc[2, "bel_u"] == pytest.approx(dempster(first, second).bel("1")[0])


@pytest.mark.parametrize("how", ["drop", "vacuous"])
def test_evaluate_judges_what_is_left_or_nothing_said(folder, how, capfd):
    run(f"fit complete.csv {FIT} -o m.json")
    run("predict m.json gaps.csv -o out.csv --missing vacuous")
    table = read_csv("out.csv", na_filter=False)
    capfd.readouterr()
    run(f"evaluate m.json gaps.csv --json --missing {how}")
    out, err = capfd.readouterr()
    assert "4 of 120 rows" in err
    kept = table.drop(index=LACKING) if how == "drop" else table
    y, bounds = (kept["y"] == "u").to_numpy().astype(int), kept[["bel_u", "pl_u"]].to_numpy()
    found = json.loads(out)["measures"]
    assert found["brier_score"]["value"] == pytest.approx(metrics.brier_score(y, kept["p_u"]))
    assert found["mean_imprecision"]["value"] == pytest.approx(metrics.mean_imprecision(bounds))
    # The same of a table of beliefs with gaps.
    table.loc[LACKING, ["bel_u", "pl_u"]] = np.nan
    table[["y", "bel_u", "pl_u"]].to_csv("beliefs.csv", index=False)
    run(f"evaluate beliefs.csv --target y --json --missing {how}")
    again = json.loads(capfd.readouterr().out)["measures"]
    for name in ("mean_imprecision", "brier_score"):
        assert again[name]["value"] == pytest.approx(found[name]["value"])
    run(f"check beliefs.csv --target y --missing {how}")


def test_compare_leaves_them_out(folder, capfd):
    words = "--score s --target y --methods logistic,isotonic --folds 3"
    run(f"compare complete.csv {words} --json")
    expected = json.loads(capfd.readouterr().out)["methods"]
    run(f"compare gaps.csv {words} --json --missing drop")
    found = json.loads(capfd.readouterr().out)["methods"]
    for name, row in expected.items():
        assert found[name]["brier_score"] == row["brier_score"]
    run(f"compare gaps.csv {words} --missing drop -o page.html")
    assert "--missing drop" in (folder / "page.html").read_text()


@pytest.fixture
def unlabeled(folder):
    """Rows without a class, in place of rows without a number; `left.csv` has the others."""
    frame = read_csv("complete.csv").assign(bel_u=0.25, pl_u=0.75)
    frame["score_d"] = -frame["s"]
    frame.drop(index=LACKING[:2]).to_csv("left.csv", index=False)
    frame.loc[LACKING[:2], "y"] = ["", " NA"]
    frame.to_csv("unlabeled.csv", index=False)
    frame["y"] = frame["y"].replace({"": None})
    frame.to_parquet("unlabeled.parquet", index=False)
    run("fit complete.csv --score s --target y --method logistic -o m.json")
    run("fit left.csv --score s=u --score score_d=d --target y --method softmax -o many.json")
    return folder


TWICE = "--score s=u --score score_d=d --target y"


@each(
    ("words", "table"),
    [
        ("fit TABLE --score s --target y --json -o OUT.json", "unlabeled.parquet"),
        ("fit TABLE --score s --target y --json -o OUT.json --engine duckdb", "unlabeled.csv"),
        ("fit TABLE --score s --target y --json -o OUT.json --engine duckdb", "unlabeled.parquet"),
        (f"fit TABLE {TWICE} --method softmax --json -o OUT.json", "unlabeled.parquet"),
        (
            f"fit TABLE {TWICE} --conformal --nonconformity margin --json -o OUT.json",
            "unlabeled.csv",
        ),
        (
            "compare TABLE --score s --target y --methods logistic,beta --folds 2 --json",
            "unlabeled.csv",
        ),
        ("evaluate TABLE --target y --json", "unlabeled.parquet"),
        ("evaluate m.json TABLE --json", "unlabeled.csv"),
        ("evaluate many.json TABLE --json", "unlabeled.csv"),
        ("check TABLE --target y --json", "unlabeled.csv"),
        ("report TABLE --target y -o OUT.html", "unlabeled.csv"),
        ("explore m.json TABLE -o OUT.html", "unlabeled.csv"),
        ("card m.json TABLE -o OUT.md", "unlabeled.csv"),
        ("card many.json TABLE -o OUT.md", "unlabeled.csv"),
    ],
)
def test_rows_without_a_class_are_dropped_too(unlabeled, words, table, capfd):
    """The numbers are those of the other rows alone."""
    found = []
    for name in ("left.csv", table):
        made = words.replace("TABLE", name).replace("OUT", name)
        main(f"{made} --missing drop{' --force' * ('OUT' in words)}".split())
        out, err = capfd.readouterr()
        lost = "2 of 116 rows have no number, or no class; they are left out"
        assert err == (f"evical: {name}: {lost}\n" if name == table else "")
        found.append(out.replace(name, "TABLE"))
    if "--json" in words:
        one, two = map(json.loads, found)
        for data in (one, two):
            data.get("training", {}).pop("missing", None)
            for method in data.get("methods", {}).values():
                method.pop("seconds")
        assert one == two
    assert "class" in refused(words.replace("TABLE", table).replace("OUT", "new"), capfd)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("fit gaps.csv --score s --target y -o m.json", "drop the row, or see --missing"),
        ("fit gaps.csv --score s --target y -o m.json --missing vacuous", "'vacuous' is not"),
        (
            "fit none.csv --score s --target y -o m.json --missing drop",
            "none of 2 rows has a score and a class",
        ),
        ("compare none.csv --score s --target y --missing drop", "each of 2 rows lacks a number"),
    ],
)
def test_wrong_calls(folder, words, message, capfd):
    (folder / "none.csv").write_text("s,y\nNA,u\n,d\n")
    assert message in refused(words, capfd)
    assert not list(folder.glob("*.json"))
    assert not list(folder.glob("*.html"))
