"""`evical explore`: what it writes, and what it refuses."""

import json

import numpy as np
import pandas as pd
import pytest

from evical.cli import main
from evical.cli._model import load_model
from tests.support.tables import read_csv


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model and a table that it has not seen."""
    path = tmp_path_factory.mktemp("explore")
    rng = np.random.default_rng(0)
    for name in ("old", "new"):
        score = rng.normal(size=200).round(2)
        income = np.where(rng.random(200) < 1 / (1 + np.exp(-2 * score)), "high", "low")
        pd.DataFrame({"score": score, "income": income}).to_csv(path / f"{name}.csv", index=False)
    table = ["--score", "score", "--target", "income", "--positive", "high"]
    fit = ["fit", str(path / "old.csv"), *table, "--method", "logistic"]
    assert main([*fit, "-o", str(path / "model.json")]) == 0
    return path


def data_of(page):
    html = page.read_text(encoding="utf-8")
    return json.loads(html.partition('id="fitted">')[2].partition("</script>")[0])


def test_the_page_shows_what_is_named(folder, tmp_path, capfd):
    page = tmp_path / "explore.html"
    model, table = str(folder / "model.json"), str(folder / "new.csv")
    for arguments in ([], [model], [model, table], [model, table, "--target", "income"]):
        assert main(["explore", *arguments, "-o", str(page), "--force"]) == 0
        assert capfd.readouterr().out == f"page: {page}\n"
        data = data_of(page)
        assert (data is None) == (arguments == [])
        assert bool(data and data["held"]) == (len(arguments) > 1)
    assert data["classes"] == ["low", "high"]
    rows = read_csv(table)
    assert sum(data["held"]["positive"]) == (rows["income"] == "high").sum()
    bounds = load_model(model).calibrator.predict_interval(data["held"]["score"])
    np.testing.assert_array_equal(data["held"]["bel"], bounds[:, 0])
    assert f"evical explore {model} {table} --target income" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "page.txt"], "the name of a page ends in .html"),
        (["--target", "income", "-o", "a.html"], "--target and --score name columns of DATA"),
        (["MODEL", "TABLE", "--score", "x", "-o", "a.html"], "has no column 'x'"),
        (["TABLE", "-o", "a.html"], "new.csv is not a model file"),
        (["MODEL", "no.csv", "-o", "a.html"], "no.csv"),
        ([], "missing option '--output' / '-o'"),
    ],
)
def test_wrong_calls(folder, tmp_path, monkeypatch, capfd, arguments, message):
    monkeypatch.chdir(tmp_path)
    names = {"MODEL": str(folder / "model.json"), "TABLE": str(folder / "new.csv")}
    assert main(["explore", *(names.get(one, one) for one in arguments)]) == 2
    error = capfd.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
