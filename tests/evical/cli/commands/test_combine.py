"""`evical combine`: rows aligned, rules as in Python, conflict named."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from dstheory import Frame, MassFunction, combine
from evical._names import rules
from evical.cli import main
from evical.errors import WrongWayWarning
from evical.fusion import Consensus
from evical.scores.names import belief_names
from tests.support.each import each
from tests.support.tables import read_csv

FRAME = Frame(["no", "yes"])
# Rules that have no result where a source is subnormal, dogmatic or not separable.
DEMANDING = {"bold", "lefevre", "lns", "tnorm_disjunctive"}
NEEDED = {
    "inagaki": "k=0.5",
    "tnorm_conjunctive": "parameter=0.5",
}


def beliefs(rng, n):
    bel, pl = np.sort(rng.random((2, n)), axis=0)
    return bel, pl


def batch(bel, pl):
    return MassFunction(FRAME, [1, 2, 3], np.stack([1 - pl, bel, pl - bel], axis=1))


def write(path, bel, pl, **columns):
    pd.DataFrame({**columns, "bel_yes": bel, "pl_yes": pl}).to_csv(path, index=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    for name in ("a.csv", "b.csv", "c.csv"):
        write(tmp_path / name, *beliefs(rng, 50), id=[f"{i:02d}" for i in range(50)])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sources(*names):
    tables = [read_csv(name) for name in names]
    return [batch(t["bel_yes"].to_numpy(), t["pl_yes"].to_numpy()) for t in tables]


def run(words):
    assert main(words.split()) == 0
    return read_csv("out.csv", dtype={"id": str})


@each("rule", sorted(set(rules()) - DEMANDING))
def test_rules_are_those_of_python(folder, rule):
    option = NEEDED.get(rule)
    table = run(
        f"combine a.csv b.csv c.csv --rule {rule.replace('_', '-')} -o out.csv --force"
        + (f" --option {option}" if option else "")
    )
    options = {} if option is None else {option.split("=")[0]: float(option.split("=")[1])}
    given = sources("a.csv", "b.csv", "c.csv")
    m = getattr(combine, rule)(*given, **options).normalize()
    np.testing.assert_allclose(table["bel_yes"], m.bel("yes"), atol=1e-12)
    np.testing.assert_allclose(table["pl_yes"], m.pl("yes"), atol=1e-12)
    np.testing.assert_allclose(table["p_yes"], (table["bel_yes"] + table["pl_yes"]) / 2, atol=1e-12)
    np.testing.assert_allclose(table["conflict"], combine.conjunctive(*given).mass([]), atol=1e-12)


def test_the_classes_add_a_decision_and_columns_can_be_kept(folder, capfd):
    table = run("combine --rule dempster a.csv b.csv --classes no yes --keep id -o out.csv --json")
    assert table.columns.tolist() == ["id", *belief_names(["no", "yes"]), "decision", "conflict"]
    assert (table["decision"] == np.where(table["p_yes"] > 0.5, "yes", "no")).all()
    assert table["id"].tolist() == [f"{i:02d}" for i in range(50)]
    summary = json.loads(capfd.readouterr().out)
    assert summary["rows"] == 50
    assert summary["highest_conflict"] == table["conflict"].max()


def test_keys_align_rows_in_any_order(folder):
    plain = run("combine --rule dempster a.csv b.csv c.csv -o out.csv")
    shuffled = read_csv("b.csv", dtype={"id": str}).sample(frac=1, random_state=0)
    shuffled.to_csv("b.csv", index=False)
    keyed = run("combine --rule dempster a.csv b.csv c.csv --key id -o out.csv --force")
    assert keyed["id"].tolist() == [f"{i:02d}" for i in range(50)]
    pd.testing.assert_frame_equal(keyed.drop(columns="id"), plain)


def test_chunks_of_different_sizes_are_aligned(folder):
    rng = np.random.default_rng(1)
    n = 60_000
    a, b = beliefs(rng, n), beliefs(rng, n)
    write("a.csv", *a, id=[f"{i:06d}" for i in range(n)])
    write("b.csv", *b, wide="x" * 40, id=[f"{i:06d}" for i in range(n)])
    m = batch(*a) @ batch(*b)
    for words in ("", "--key id"):
        table = run(f"combine --rule dempster a.csv b.csv {words} -o out.csv --force")
        np.testing.assert_allclose(table["bel_yes"], m.bel("yes"), atol=1e-12)
        np.testing.assert_allclose(table["pl_yes"], m.pl("yes"), atol=1e-12)


def test_the_default_weighs_tables_by_how_far_they_agree(folder, capfd):
    """As in Python, with a line after the work, and only if nobody asked for a rule."""
    default = run("combine a.csv b.csv c.csv -o out.csv")
    err = capfd.readouterr().err
    given = sources("a.csv", "b.csv", "c.csv")
    with warnings.catch_warnings(action="ignore", category=WrongWayWarning):
        m = Consensus().fit(given)(*given)
    np.testing.assert_allclose(default["bel_yes"], m.bel("yes"), atol=1e-9)
    np.testing.assert_allclose(default["pl_yes"], m.pl("yes"), atol=1e-9)
    assert err.startswith("evical: tables are weighed by how far they agree (a.csv 0.")
    assert "--fit COLUMN" in err
    assert "--rule dempster" in err
    run("combine a.csv b.csv --rule dempster -o out.csv --force")
    assert capfd.readouterr().err == ""
    assert main(["combine", "a.csv", "missing.csv", "-o", "x.csv"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert main(["combine", "a.csv", "-", "-o", "x.csv"]) == 2
    assert "read once only" in capfd.readouterr().err


def test_a_table_that_contradicts_the_others_is_named(folder, capfd):
    rng = np.random.default_rng(0)
    p = rng.random(50)
    for name, own in {"a.csv": p, "b.csv": p, "c.csv": 1 - p}.items():
        bel = np.clip(own + rng.normal(0, 0.15, 50), 0, 1)
        write(name, bel, bel)
    run("combine a.csv b.csv c.csv -o out.csv")
    assert "c.csv contradicts the other sources: its correlation with them is -0." in (
        capfd.readouterr().err
    )


def test_total_conflict_is_named_or_vacuous(folder, capfd):
    write("a.csv", [0.5, 1, 0, 1], [0.5, 1, 0, 1])
    write("b.csv", [0.5, 1, 1, 0], [0.5, 1, 1, 0])
    assert main(["combine", "a.csv", "b.csv", "--rule", "dempster", "-o", "out.csv"]) == 2
    err = capfd.readouterr().err
    assert err.startswith("evical: a.csv, line 4 and b.csv, line 4: total conflict (kappa = 1)")
    assert err.endswith("or --total-conflict vacuous\n")
    table = run("combine --rule dempster a.csv b.csv --total-conflict vacuous -o out.csv")
    assert table["bel_yes"].tolist() == [0.5, 1, 0, 0]
    assert table["pl_yes"].tolist() == [0.5, 1, 1, 1]
    assert table["conflict"].tolist() == [0.5, 0, 1, 1]
    # A rule that has a result of its own is left to it.
    table = run("combine a.csv b.csv --rule pcr6 --total-conflict vacuous -o out.csv --force")
    assert table["bel_yes"].tolist() == [0.5, 1, 0.5, 0.5]


def test_what_predict_wrote_can_be_combined(folder):
    rng = np.random.default_rng(2)
    margin = rng.normal(size=100)
    pd.DataFrame({"m": margin, "y": rng.random(100) < 0.5}).to_csv("t.csv", index=False)
    run("combine --rule dempster a.csv b.csv -o out.csv")
    for method in ("logistic", "binning"):
        assert (
            main(f"fit t.csv --score m --target y --method {method} -o {method}.json".split()) == 0
        )
        assert main(f"predict {method}.json t.csv -o {method}.parquet".split()) == 0
    table = run("combine --rule dempster logistic.parquet binning.parquet -o out.csv --force")
    assert len(table) == 100
    assert (table["bel_True"] <= table["p_True"]).all()
