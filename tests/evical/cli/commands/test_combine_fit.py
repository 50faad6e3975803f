"""`evical combine --fit`: learned rules are those of Python, saved, and applied to new rows."""

import json

import numpy as np
import pandas as pd
import pytest

from evical._names import FUSIONS
from evical.cli import main
from evical.cli._decisions import masses
from evical.cli._rules import load_fusion
from evical.fusion import as_rule
from tests.support.each import each
from tests.support.tables import read_csv

N = 120


@pytest.fixture(scope="module")
def tables():
    """Beliefs of three sources of falling skill, with the true class."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(N) < 0.4, "yes", "no")
    made = {}
    for name, skill in (("a", 2.0), ("b", 0.7), ("c", 0.0)):
        p = 1 / (1 + np.exp(-np.where(y == "yes", skill, -skill) - rng.normal(size=N)))
        width = rng.uniform(0.05, 0.2, N)
        made[name] = pd.DataFrame(
            {"id": range(N), "bel_yes": p * (1 - width), "pl_yes": p * (1 - width) + width, "k": y}
        )
    return made


@pytest.fixture
def folder(tmp_path, monkeypatch, tables):
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    tables["b"].sample(frac=1, random_state=0).to_csv(tmp_path / "mixed.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words, code=0):
    assert main(words.split()) == code


def python(tables, rule):
    sources = [
        masses(table["bel_yes"].to_numpy(), table["pl_yes"].to_numpy(), ("no", "yes"))
        for table in tables.values()
    ]
    return as_rule(rule).fit(sources, tables["a"]["k"].to_numpy()), sources


@pytest.mark.parametrize("rule", FUSIONS)
def test_learned_rules_are_those_of_python(folder, tables, rule, capfd):
    run(f"combine a.csv b.csv c.csv --fit k --rule {rule} -o f.json --json")
    told = json.loads(capfd.readouterr().out)
    fusion, sources = python(tables, rule)
    for name, values in fusion.by_source().items():
        found = told["learned"][name.rstrip("_")]
        np.testing.assert_allclose(list(found.values()), values, atol=1e-9)
        assert list(found) == ["a.csv", "b.csv", "c.csv"]
    assert (told["rows"], told["classes"]) == (N, ["no", "yes"])
    run("combine a.csv b.csv c.csv --rule f.json -o out.csv")
    expected, found = fusion(*sources).normalize(), read_csv("out.csv")
    np.testing.assert_allclose(found["bel_yes"], expected.bel("yes"), atol=1e-9)
    np.testing.assert_allclose(found["pl_yes"], expected.pl("yes"), atol=1e-9)


def test_rows_are_matched_by_key(folder):
    run("combine a.csv b.csv --fit k --rule stacked -o f.json")
    run("combine a.csv mixed.csv --key id --fit k --rule stacked -o g.json")
    first, second = (load_fusion(name)[0].weights_ for name in ("f.json", "g.json"))
    np.testing.assert_array_equal(first, second)


def test_names_say_which_class_is_believed_in(folder):
    """Beliefs about one class are those about the other: the same weights, and decisions."""
    for name in ("a", "b"):
        table = read_csv(f"{name}.csv")
        other = {"bel_no": 1 - table.pop("pl_yes"), "pl_no": 1 - table.pop("bel_yes")}
        table.assign(**other).to_csv(f"n{name}.csv", index=False)
    run("combine a.csv b.csv --fit k -o f.json")
    run("combine na.csv b.csv --fit k --classes no yes -o g.json")
    run("combine na.csv nb.csv --fit k -o h.json")
    first, *others = (load_fusion(f"{name}.json")[0].weights_ for name in "fgh")
    for weights in others:
        np.testing.assert_allclose(first, weights, atol=1e-5)
    run("combine a.csv b.csv --rule f.json -o out.csv")
    found = read_csv("out.csv")
    assert set(found["decision"]) == {"no", "yes"}
    for i, words in enumerate(("na.csv b.csv --rule f.json", "a.csv nb.csv --rule f.json")):
        run(f"combine {words} -o out{i}.csv")
        mixed = read_csv(f"out{i}.csv")
        pd.testing.assert_frame_equal(found, mixed, rtol=0, atol=1e-9)
    run("combine a.csv nb.csv --rule h.json -o turned.csv")
    assert (read_csv("turned.csv")["decision"] == found["decision"]).all()


def test_rows_without_a_number_say_nothing(folder, capfd):
    gaps = read_csv("a.csv")
    gaps.loc[:9, ["bel_yes", "pl_yes"]] = np.nan
    gaps.to_csv("gaps.csv", index=False)
    run("combine gaps.csv b.csv --fit k --rule stacked -o g.json --missing vacuous")
    assert "10 of 240 rows have no number" in capfd.readouterr().err
    gaps.fillna({"bel_yes": 0, "pl_yes": 1}).to_csv("filled.csv", index=False)
    run("combine filled.csv b.csv --fit k --rule stacked -o f.json")
    first, second = (load_fusion(name)[0].weights_ for name in ("f.json", "g.json"))
    np.testing.assert_array_equal(first, second)


WRONG = [
    ("combine a.csv b.csv --fit k --rule stacked -o out.csv", "name it with --output FUSION.json"),
    ("combine a.csv b.csv --fit k --rule dempster -o x.json", "rule 'dempster' learns nothing"),
    ("combine a.csv b.csv --fit k --rule stackd -o x.json", "did you mean 'stacked'"),
    ("combine a.csv b.csv --fit z --rule stacked -o x.json", "a.csv has no column 'z'"),
    ("combine a.csv b.csv --fit id --rule stacked -o x.json", "column 'id' has 120 classes"),
    ("combine a.csv - --fit k --rule stacked -o x.json", "not from standard input"),
    ("combine a.csv b.csv --fit k --keep id -o x.json", "--keep says nothing about learning"),
    ("combine a.csv b.csv --fit k --option atol=1 -o x.json", "--option says nothing"),
    (
        "combine a.csv b.csv --fit k --rule stacked --classes 0 1 -o x.json",
        "about class 'yes', but --classes",
    ),
    ("combine a.csv b.csv --fit k --rule stacked -o f.json", "'f.json' exists"),
    ("combine a.csv --fit k --rule stacked -o x.json", "there is only one table"),
    ("combine a.csv b.csv c.csv --rule f.json", "'f.json' was learned for 2 tables"),
    (
        "combine b.csv a.csv --rule f.json",
        "learned for a.csv, b.csv, in this order, but the tables",
    ),
    ("combine a.csv b.csv --rule f.json --option atol=1", "--option is for rules by name"),
    ("combine a.csv b.csv --rule f.json --classes 0 1", "the fusion was learned for 'no' and"),
    ("combine a.csv b.csv --rule none.json", "cannot open 'none.json'"),
    ("combine a.csv b.csv --rule model.json", "its format is 'evical.model', not"),
    ("predict f.json a.csv", "its format is 'evical.fusion_model', not 'evical.model'"),
    ("combine a.csv b.csv --rule damaged.json", "does not match its checksum"),
]


@pytest.fixture
def fitted(folder, capfd):
    """A fusion, a damaged one, and the model of a calibrator."""
    run("combine a.csv b.csv --fit k --rule stacked -o f.json")
    run("fit a.csv --score bel_yes --target k -o model.json")
    text = (folder / "f.json").read_text()
    (folder / "damaged.json").write_text(text.replace('"rows": 120', '"rows": 121'))
    capfd.readouterr()
    return folder


@each(("words", "message"), WRONG)
def test_wrong_calls_are_one_line(fitted, capfd, words, message):
    run(words, 2)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
    assert not (fitted / "x.json").exists()
