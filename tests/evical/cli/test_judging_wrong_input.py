"""Wrong invocations of the judging commands: exit code 2, one line, and nothing written."""

import json

import pytest

from evical.cli import main
from tests.support.each import each

ROWS = "".join(f"{i / 20},{i % 2},{i / 50},{i / 50 + 0.1},{i / 50}\n" for i in range(40))
HEAD = "s,t,bel_1,pl_1,p\n"
TABLES = {
    "good.csv": HEAD + ROWS,
    "plain.csv": "s,t\n1,0\n2,1\n",
    "empty.csv": "",
    "upper.csv": HEAD,
    "one.csv": HEAD.replace("1", "yes") + "1,yes,0,1,0.5\n2,yes,0,1,0.5\n",
    "three.csv": HEAD.replace("1", "c") + "1,a,0,1,0.5\n2,b,0,1,0.5\n3,c,0,1,0.5\n",
    "high.csv": HEAD + "1,0,0,1,0.5\n2,1,0,1,1.2\n",
    "nan.csv": HEAD + "1,0,0,1,0.5\nnan,1,0,1,nan\n",
    "text.csv": HEAD + "1,0,0,1,0.5\nx,1,0,1,0.5\n",
    "gap.csv": HEAD + "1,0,0,1,0.5\n2,,0,1,0.5\n",
    "crossed.csv": HEAD + "1,0,0,1,0.5\n2,1,0.6,0.4,0.5\n",
    "few.csv": HEAD + "1,0,0,1,0.5\n2,1,0,1,0.5\n3,1,0,1,0.5\n",
    "foreign.json": '{"format": "other"}',
    "cut.json": '{"format": "evical.model", "vers',
    "page.html": "mine",
}
WRONG = [
    ("evaluate", "missing argument"),
    ("evaluate none.csv --target t", "cannot open 'none.csv': no such file or directory"),
    ("evaluate good.csv", "--target is missing"),
    ("evaluate good.csv --target z", "good.csv has no column 'z'"),
    ("evaluate good.csv --target t --probability q --positive 1", "good.csv has no column 'q'"),
    ("evaluate good.csv --target t --bel bel_1", "--bel and --pl come together"),
    ("evaluate good.csv --target t --bel p --pl p", "--bel and --pl are both 'p'"),
    (
        "evaluate good.csv --target t --probability p --positive 1 --bel p --pl pl_1",
        "a column is named twice",
    ),
    ("evaluate good.csv --target p --probability p --positive 1", "column 'p' is given twice"),
    ("evaluate plain.csv --target t", "plain.csv has no columns of beliefs, such as"),
    ("evaluate empty.csv --target t", "empty.csv is empty"),
    ("evaluate upper.csv --target t", "upper.csv has a header but no data rows"),
    ("evaluate one.csv --target t", "column 't' has one class only (all 'yes')"),
    ("evaluate three.csv --target t", "line 4, column 't': 'c' is a third class"),
    (
        "evaluate high.csv --target t --probability p --positive 1",
        "line 3, column 'p': found '1.2'",
    ),
    ("evaluate nan.csv --target t --probability p --positive 1", "line 3, column 'p'"),
    ("evaluate gap.csv --target t", "line 3, column 't'"),
    ("evaluate crossed.csv --target t", "line 3: bel_1 is 0.6, above pl_1, 0.4"),
    (
        "evaluate good.csv --target t --positive yes",
        "--positive is 'yes', but good.csv is about class '1'",
    ),
    ("evaluate good.csv --target t --confidence 1", "confidence is 1.0"),
    ("evaluate good.csv --target t --bins 0", "'--bins'"),
    ("evaluate good.csv --target t -o page.html", "'page.html' exists"),
    ("evaluate good.csv --target t -o page.txt", "the name of a page ends in .html"),
    ("evaluate good.csv --target t -o -", "a page is written to a file"),
    ("evaluate good.csv --target t -o no/page.html", "there is no folder 'no'"),
    ("evaluate model.json", "is a model; also name the table"),
    ("evaluate none.json good.csv", "cannot open 'none.json'"),
    ("evaluate foreign.json good.csv", "foreign.json is not a model file of evical"),
    ("evaluate cut.json good.csv", "cut.json is not a model file, or truncated"),
    ("evaluate changed.json good.csv", "does not match its checksum"),
    ("evaluate model.json three.csv", "line 2, column 't': 'a' is none of the classes"),
    ("evaluate model.json good.csv --probability p", "a model makes its own"),
    (
        "evaluate model.json good.csv --positive 0",
        "--positive is '0', but the positive class of the model is '1'",
    ),
    ("evaluate model.json good.csv --score bel_2", "did you mean 'bel_1'"),
    ("compare good.csv --target t", "missing option '--score'"),
    ("compare none.csv --score s --target t", "cannot open 'none.csv'"),
    ("compare good.csv --score x --target t", "good.csv has no column 'x'"),
    ("compare text.csv --score s --target t", "line 3, column 's': 'x' is not a number"),
    ("compare nan.csv --score s --target t", "line 3, column 's'"),
    ("compare one.csv --score s --target t", "one class only"),
    ("compare few.csv --score s --target t", "the rarer class has 1 sample, fewer than 10"),
    ("compare good.csv --score s --target t --folds 30", "take at most 20 folds"),
    ("compare good.csv --score s --target t --folds 1", "'--folds'"),
    ("compare good.csv --score s --target t --methods logstic", "did you mean 'logistic'"),
    ("compare good.csv --score s --target t --methods kde,kde", "'kde' is named twice"),
    ("compare good.csv --score s --target t --methods kde,", "empty name"),
    ("compare good.csv --score s --target t --methods kde:model=x", "method 'kde': "),
    ("compare good.csv --score s --target t --methods beta,binning:n_bins=1_0", "n_bins is '1_0'"),
    ("compare good.csv --score s --target t --methods beta,logistic:nope", "model is 'nope'"),
    ("compare good.csv --score s --target t --seed 4294967296", "'--seed'"),
    ("evaluate good.csv --target t --seed 4294967296", "'--seed'"),
    (
        "evaluate good.csv --target t --bins 999999999999",
        "n_bins is 999999999999, expected at most",
    ),
    ("report good.csv --target t --methods all -o new.html", "no such option '--methods'"),
    ("report good.csv --target t --rule pcr6 -o new.html", "--rule has no effect on predicti"),
    ("report good.csv good.csv --target t --seed 1 -o new.html", "--seed has no effect on an e"),
    (
        "report model.json good.csv good.csv --target t -o new.html",
        "needs a table to be evaluated on: MODEL.json D",
    ),
    (
        "report good.csv model.json --target t -o new.html",
        "needs a table to be evaluated on: MODEL.json DATA",
    ),
    ("compare good.csv --score s --target t --criterion auc", "'--criterion'"),
    ("compare good.csv --score s --target t -o page.html", "'page.html' exists"),
    ("check good.csv --target t --test spiegelhaltr", "did you mean 'spiegelhalter'"),
    (
        "check good.csv --target t --probability p --test interval --positive 1",
        "but there are none",
    ),
    ("check good.csv --target t --level 0", "level is 0.0"),
    ("check good.csv --target t --max-ece 2", "bound of the error is 2.0"),
    ("check good.csv --target t --test none", "leaves nothing to check"),
    ("check good.csv --target t --test none --test kuiper", "--test none excludes other tests"),
    ("check one.csv --target t", "one class only"),
    ("report good.csv --target t", "missing option '--output'"),
    ("report good.csv -o new.html", "--target is missing"),
    ("report good.csv few.csv --target t -o new.html", "few.csv has no such row, it is shorter"),
    ("report good.csv few.csv --target t --key s -o new.html", "few.csv has no row '0.0'"),
    ("report good.csv good.csv --target t --rule dempstr -o new.html", "'dempster'"),
    (
        "report good.csv few.csv --target t --probability p -o new.html",
        "--probability has no effect on an ensemble",
    ),
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, capfd):
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["fit", "good.csv", "--score", "s", "--target", "t", "-o", "model.json"]) == 0
    data = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    data["columns"]["score"] = "x"
    (tmp_path / "changed.json").write_text(json.dumps(data), encoding="utf-8")
    capfd.readouterr()
    return tmp_path


@each(("command", "message"), WRONG)
def test_one_line_and_exit_code_2(command, message, folder, capfd):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert main(command.split()) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("evical: ")
    assert err.count("\n") == 1
    assert message in err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
