"""`evical fit` and `evical predict`: what they write is what Python computes."""

import csv
import gzip
import json

import numpy as np
import pandas as pd
import pytest

from dstheory.decide import interval_dominance, maximin
from evical.calibrators import (
    AutoCalibrator,
    BaseCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
)
from evical.calibrators.by_name import by_name, make_calibrator
from evical.cli import main
from evical.scores.names import belief_names
from tests.support.each import each
from tests.support.tables import read_csv

N = 300


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=N)
    return scores, rng.random(N) < 1 / (1 + np.exp(-2 * scores))


@pytest.fixture
def folder(tmp_path, monkeypatch, samples):
    """Training and new scores, beside columns that must come through as they are."""
    scores, y = samples
    lines = [
        f'{i:03d},{s!r},{"yes" if b else "no"},"a ""b"", 1.10"\n'
        for i, (s, b) in enumerate(zip(scores.tolist(), y, strict=True))
    ]
    (tmp_path / "train.csv").write_text("id,margin,kind,note\n" + "".join(lines))
    (tmp_path / "new.csv").write_text(
        'id,margin,"x, y"\r\n007,0.5, 1.10\r\n1e5,-2,"two\nlines"\r\n', newline=""
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words):
    assert main(words.split()) == 0


FIT = "fit train.csv --score margin --target kind -o model.json"


def table(path="out.csv"):
    return read_csv(path, dtype={"id": str})


def test_the_model_is_that_of_python(folder, samples, capfd):
    run(f"{FIT} --method logistic --model likelihood")
    out, err = capfd.readouterr()
    assert "300" in out
    assert "LogisticCalibrator()" in out
    assert err == ""
    data = json.loads((folder / "model.json").read_text())
    restored = BaseCalibrator.from_dict(data["calibrator"])
    scores, y = samples
    python = LogisticCalibrator().fit(scores, np.where(y, "yes", "no"))
    np.testing.assert_array_equal(
        restored.predict_interval(scores), python.predict_interval(scores)
    )
    loss = -np.log(python.predict_proba(scores)[np.arange(N), y.astype(int)]).mean()
    np.testing.assert_allclose(data["training"]["log_loss"], loss, rtol=1e-12)


def test_predictions_are_those_of_python_and_the_rest_is_untouched(folder, samples):
    run(FIT)
    run("predict model.json new.csv -o out.csv")
    lines = (folder / "out.csv").read_bytes().decode().split("\r\n")
    assert lines[0] == 'id,margin,"x, y",bel_no,pl_no,p_no,bel_yes,pl_yes,p_yes,decision'
    assert lines[1].startswith("007,0.5, 1.10,0.")
    assert lines[2].startswith('1e5,-2,"two\nlines",0.')
    assert lines[3:] == [""]
    scores, y = samples
    python = AutoCalibrator().fit(scores, np.where(y, "yes", "no"))
    new = np.array([0.5, -2])
    np.testing.assert_array_equal(table()[["bel_yes", "pl_yes"]], python.predict_interval(new))
    np.testing.assert_allclose(table()["p_yes"], python.predict_proba(new)[:, 1], rtol=1e-12)
    assert table()["decision"].tolist() == python.predict(new).tolist() == ["yes", "no"]


def test_positive_turns_the_classes_around(folder):
    run(f"{FIT} --method logistic")
    run("predict model.json new.csv -o out.csv")
    run("fit train.csv --score margin --target kind --positive no --method logistic -o turned.json")
    run("predict turned.json new.csv -o turned.csv")
    np.testing.assert_allclose(table("turned.csv")["bel_no"], 1 - table()["pl_yes"], atol=1e-6)
    assert table("turned.csv")["decision"].tolist() == ["yes", "no"]


def test_weights_count_rows(folder):
    rows = (folder / "train.csv").read_text().splitlines()
    (folder / "weighted.csv").write_text(
        "w,margin,kind\n"
        + "".join(f"{i % 3},{','.join(r.split(',')[1:3])}\n" for i, r in enumerate(rows[1:]))
    )
    (folder / "repeated.csv").write_text(
        "margin,kind\n"
        + "".join((",".join(r.split(",")[1:3]) + "\n") * (i % 3) for i, r in enumerate(rows[1:]))
    )
    run("fit weighted.csv --score margin --target kind --weight w -o a.json")
    run("fit repeated.csv --score margin --target kind -o b.json")
    a, b = (json.loads((folder / name).read_text()) for name in ("a.json", "b.json"))
    assert a["training"]["positive"] == b["training"]["positive"]
    assert a["calibrator"] == b["calibrator"]


@each("method", sorted(by_name()))
def test_every_method_goes_all_the_way(folder, samples, method):
    transform = "sigmoid" if method != "beta" else "auto"
    run(f"{FIT} --force --method {method} --option transform={transform}")
    run("predict model.json new.csv -o out.csv --force")
    scores, y = samples
    python = make_calibrator(method).set_params(transform=transform).fit(scores, y)
    np.testing.assert_allclose(
        table()[["bel_yes", "pl_yes"]], python.predict_interval([0.5, -2.0]), atol=1e-12
    )


def test_options_reach_the_calibrator(folder, samples):
    run(
        f"{FIT} --method isotonic --model confidence --option confidence=0.8 --option centered=true"
    )
    run("predict model.json new.csv -o out.csv")
    scores, y = samples
    python = IsotonicCalibrator(model="confidence", confidence=0.8, centered=True).fit(scores, y)
    np.testing.assert_array_equal(
        table()[["bel_yes", "pl_yes"]], python.predict_interval([0.5, -2.0])
    )


def test_many_rows_go_through_in_pieces(folder, capfd):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=60_000).round(6)
    y = rng.random(60_000) < 1 / (1 + np.exp(-scores))
    frame = pd.DataFrame({"margin": scores, "kind": y.astype(int), "text": "0123456789"})
    frame.to_csv("large.csv", index=False)
    words = "fit large.csv --score margin --target kind --method logistic --json -o"
    run(f"{words} whole.json")
    run(f"{words} merged.json --max-scores 5000")
    run("predict whole.json large.csv -o whole.csv")
    run("predict merged.json large.csv -o merged.csv")
    whole, merged = table("whole.csv"), table("merged.csv")
    python = LogisticCalibrator().fit(scores, y)
    np.testing.assert_allclose(
        whole[["bel_1", "pl_1"]], python.predict_interval(scores), atol=1e-12
    )
    np.testing.assert_allclose(merged["p_1"], whole["p_1"], atol=1e-4)
    assert (whole["text"] == 123456789).all()
    first, second = (json.loads((folder / f).read_text()) for f in ("whole.json", "merged.json"))
    assert first["training"]["compressed"] is False
    assert second["training"]["compressed"] is True
    assert second["training"]["distinct_scores"] <= 10_000
    assert second["training"]["positive"] == first["training"]["positive"] == y.sum()


@pytest.fixture
def predicted(folder):
    run(FIT)
    run("predict model.json new.csv -o out.csv")


@each("source", ["csv", "tsv", "csv.gz", "parquet"])
@each("target", ["csv", "tsv", "csv.gz", "parquet"])
def test_formats(predicted, source, target):
    frame = read_csv("new.csv", dtype=str)
    if source == "parquet":
        frame.assign(margin=frame["margin"].astype(float)).to_parquet("new.parquet")
    elif source != "csv":
        frame.to_csv(f"new.{source}", sep="\t" if source == "tsv" else ",", index=False)
    run(f"predict model.json new.{source} -o other.{target} --force")
    if target == "parquet":
        found = pd.read_parquet("other.parquet")
    else:
        packed = gzip.open if target.endswith("gz") else open
        with packed(f"other.{target}", "rt", newline="") as file:
            rows = list(csv.reader(file, delimiter="\t" if target == "tsv" else ","))
        found = pd.DataFrame(rows[1:], columns=rows[0])
    assert found["id"].tolist() == ["007", "1e5"]
    assert found["x, y"].tolist() == [" 1.10", "two\nlines"]
    assert found["margin"].astype(float).tolist() == [0.5, -2]
    for name in belief_names(["no", "yes"]):
        np.testing.assert_array_equal(found[name].astype(float), table()[name])
    assert found["decision"].tolist() == ["yes", "no"]


def test_decisions(folder, samples):
    run(FIT)
    frame = pd.DataFrame({"margin": np.linspace(-2, 2, 41)})
    frame.to_csv("grid.csv", index=False)
    scores, y = samples
    python = AutoCalibrator().fit(scores, np.where(y, "yes", "no"))
    m = python.predict_mass(frame["margin"].to_numpy())

    def decisions(words):
        run(f"predict model.json grid.csv --force -o out.csv {words}")
        return table()["decision"]

    betp = python.predict_proba(frame["margin"].to_numpy())[:, 1]
    assert (decisions("--threshold 0.8") == np.where(betp > 0.8, "yes", "no")).all()
    assert (decisions("--costs 4 1") == np.where(betp > 0.8, "yes", "no")).all()
    sure = np.maximum(betp, 1 - betp) >= 0.9
    expected = np.where(sure, np.where(betp > 0.5, "yes", "no"), "reject")
    assert (decisions("--reject 0.1") == expected).all()
    kept = interval_dominance(m)
    sets = np.where(kept.all(axis=1), "no|yes", np.where(kept[:, 1], "yes", "no"))
    assert set(sets) == {"no|yes", "yes", "no"}
    assert (decisions("--criterion interval-dominance") == sets).all()
    worst = maximin(m, [[1, 0], [0, 1], [0.7, 0.7]], acts=["no", "yes", "reject"])
    assert (decisions("--criterion maximin --reject 0.3") == worst).all()


def test_columns_that_are_there_already(folder):
    run(FIT)
    run("predict model.json new.csv -o out.csv")
    run("predict model.json out.csv --prefix b_ -o twice.csv")
    twice = table("twice.csv")
    assert twice.columns[-7:].tolist() == [*belief_names(["no", "yes"], "b_"), "b_decision"]
    run("predict model.json out.csv --force-columns --reject 0.01 -o again.csv")
    again = table("again.csv")
    assert again.columns.tolist() == table().columns.tolist()
    assert again["id"].tolist() == ["007", "1e5"]
    np.testing.assert_array_equal(again["bel_no"], table()["bel_no"])
    assert again["decision"].tolist() == ["reject", "reject"]


def test_another_column_of_scores_and_json(folder, capfd):
    run(f"{FIT} --json")
    summary = json.loads(capfd.readouterr().out)
    assert summary["classes"] == ["no", "yes"]
    assert summary["training"]["rows"] == N
    (folder / "new.csv").write_text("other\n0.5\n")
    run("predict model.json new.csv --score other -o out.csv --json")
    assert json.loads(capfd.readouterr().out) == {
        "output": "out.csv",
        "rows": 1,
        "missing": 0,
        "decisions": {"yes": 1},
        "undecided": 0,
    }
    run("predict model.json new.csv --score other --prefix a,b")
    assert capfd.readouterr().out.startswith('other,"a,bbel_no","a,bpl_no",')


def test_force_replaces_a_file(folder):
    run(FIT)
    before = (folder / "model.json").read_text()
    run(f"{FIT} --force --method binning")
    assert (folder / "model.json").read_text() != before
    assert sorted(path.name for path in folder.iterdir()) == ["model.json", "new.csv", "train.csv"]


def test_scores_that_point_the_wrong_way_are_one_line(folder, capfd):
    run(f"{FIT} --positive no")
    assert "higher values indicate class 'yes', not class 'no'" in capfd.readouterr().err
