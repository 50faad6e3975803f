"""Several classes in tables: raw probabilities, costs, rows without a class, and one reader."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evical import metrics
from evical.beliefs import as_beliefs
from evical.cli._judged import Selection, judge
from evical.cli.commands._report import _ensemble
from evical.fusion import Consensus, Rule
from evical.scores.names import belief_names
from tests.evical.cli.test_many_classes import (
    CLASSES,
    SCORES,
    columns,
    data,
    masses_of,
    run,
    write_animals,
)
from tests.support.tables import read_csv


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_animals(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_scores_that_are_nearly_probabilities(folder, capfd):
    run(f"fit a.csv {SCORES} -o m.json")
    assert not capfd.readouterr().err
    scores = [f"score_{name}" for name in CLASSES]
    table = read_csv("a.csv")
    table[scores] *= 0.97
    table.to_csv("b.csv", index=False)
    for words in (
        f"fit b.csv {SCORES} --method softmax -o n.json",
        "predict m.json b.csv -o o.csv",
    ):
        run(words)
        assert "scores look like probabilities, but add up to 0.97" in capfd.readouterr().err
    table.loc[3, "score_dog"] = 1.7
    table.to_csv("b.csv", index=False)
    run("predict m.json b.csv -o out.csv", 2)
    assert (
        "b.csv, line 5, column 'score_dog': found '1.7', but a probability"
        in capfd.readouterr().err
    )


def test_a_table_of_costs_decides_among_any_acts(folder, capfd):
    run(f"fit a.csv {SCORES} --method softmax -o m.json")
    (folder / "costs.csv").write_text("act,dog,cat,wild_cat\nstroke,0,0,5\nflee,2,2,0\nask,1,1,1\n")
    run("predict m.json a.csv --cost-table costs.csv -o out.csv")
    table = read_csv("out.csv")
    costs = np.array([[0, 0, 5], [2, 2, 0], [1, 1, 1]])
    best = (columns(table, "p") @ costs.T).argmin(axis=1)  # cat, dog, wild_cat
    assert table["act"].tolist() == np.array(["stroke", "flee", "ask"])[best].tolist()
    assert len(set(best.tolist())) == 3
    (folder / "wrong.csv").write_text("act,dogs,cat,wild_cat\nstroke,0,0,5\n")
    capfd.readouterr()
    run("predict m.json a.csv --cost-table wrong.csv -o no.csv", 2)
    assert "wrong.csv: 'dogs' is no class of the model; did you mean 'dog'?" in (
        capfd.readouterr().err
    )


def test_raw_probabilities_are_judged(folder, capfd):
    p, y = data()
    given = " ".join(f"--probability score_{name}" for name in CLASSES)
    run(f"evaluate a.csv --target kind {given} --json")
    found = json.loads(capfd.readouterr().out)
    expected = metrics.calibration_report(y, p, labels=CLASSES)
    for name, one in found["measures"].items():
        assert one["value"] == pytest.approx(expected[name], rel=1e-9)
    read_csv("a.csv").round(4).to_csv("four.csv", index=False)
    named = " ".join(f"--probability score_{name}={name}" for name in CLASSES)
    run(f"check four.csv --target kind {named} --level 1e-9")
    assert "class 'wild_cat': passed" in capfd.readouterr().out
    read_csv("a.csv").assign(score_dog=0.9).to_csv("wrong.csv", index=False)
    run(f"evaluate wrong.csv --target kind {given}", 2)
    assert "wrong.csv, line 2: score_cat and the other 2 probabilities add up to" in (
        capfd.readouterr().err
    )
    run("evaluate a.csv --target kind --probability score_cat", 2)
    assert "and --probability in evaluate" in capfd.readouterr().err


def written(names, n):
    """Tables of two sources about the same rows, with the class in the first one only."""
    rng, tables = np.random.default_rng(0), []
    y = rng.integers(len(names), size=n)
    for name in ("one", "two"):
        p = rng.dirichlet(np.full(len(names), 0.3), size=n)
        p += 2 * np.eye(len(names))[y] * rng.random((n, 1))
        p /= p.sum(axis=1, keepdims=True)
        half = 0.2 * np.minimum(p, 1 - p)
        made = np.stack([p - half, p + half, p], axis=2).reshape(n, -1)
        tables.append(pd.DataFrame(made, columns=belief_names(names)).assign(id=np.arange(n)))
        tables[0]["kind"] = np.array(names)[y]
        tables[-1].to_csv(f"{name}.csv", index=False)
    return tables


def test_the_page_of_twenty_classes_has_the_numbers_of_evaluate_and_combine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written([f"t{k:02d}" for k in range(20)], 40)
    run("combine one.csv two.csv --keep kind -o both.csv")
    selection = Selection(predictions="one.csv", target="kind")
    page, _ = _ensemble(selection, ["one.csv", "two.csv"], None, None)
    for way, name in ((0, "one.csv"), (2, "both.csv")):
        alone = judge(replace(selection, predictions=name)).report()
        for measure in ("log_loss", "brier_score"):
            mean = page.losses()[measure][way].mean()
            assert mean == pytest.approx(alone[measure], rel=1e-12)
        assert page.imprecision[way].mean() == pytest.approx(alone["mean_imprecision"], rel=1e-12)
    np.testing.assert_allclose(page.conflict, read_csv("both.csv")["conflict"], rtol=1e-12)


def test_rows_without_a_class_are_left_out_or_count_by_agreement(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    one, two = written(CLASSES, 60)
    y = one["kind"].to_numpy().astype(object)
    y[::3] = None
    one.assign(kind=y).to_csv("some.csv", index=False)
    labeled = np.arange(60) % 3 > 0
    one[labeled].to_csv("left.csv", index=False)
    two[labeled].to_csv("left2.csv", index=False)
    run("combine some.csv two.csv --key id --fit kind -o f.json", 2)
    hint = "a class is needed; fill it in or drop the row, or give --missing drop"
    assert hint in capfd.readouterr().err
    run("combine some.csv two.csv --missing drop -o out.csv", 2)
    assert "--missing drop is for --fit" in capfd.readouterr().err
    run("combine left.csv left2.csv --fit kind -o expected.json")
    expected = json.loads(Path("expected.json").read_text())["fusion"]
    for missing in ("drop", "vacuous"):
        run(f"combine some.csv two.csv --key id --fit kind --missing {missing} -o f.json --force")
        assert "20 of 60 rows have no " in capfd.readouterr().err
        assert json.loads(Path("f.json").read_text())["fusion"] == expected
    run("combine some.csv two.csv --fit kind --rule consensus -o c.json")
    assert "20 of 60 rows have no class; they count by how far" in capfd.readouterr().err
    learned = Consensus().fit([as_beliefs(masses_of(m), np.array(CLASSES)) for m in (one, two)], y)
    saved = Rule.from_dict(json.loads(Path("c.json").read_text())["fusion"])
    np.testing.assert_allclose(saved.weights_, learned.weights_, atol=1e-6)
    selection = Selection(predictions="some.csv", target="kind", missing="drop")
    page, _ = _ensemble(selection, ["some.csv", "two.csv"], "id", "mixing")
    assert len(page.y) == 40
