"""Wrong calls of fit, predict and combine: exit code 2, one line that says what to do, no file."""

import json
import shlex

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evical.cli import main
from evical.cli._model import checksum
from tests.support.each import each

TABLES = {
    "good.csv": "id,s,y,w\n" + "".join(f"{i},{i % 7},{'ab'[i % 3 > 0]},1\n" for i in range(40)),
    "one.csv": "s,y\n1,a\n2,a\n",
    "three.csv": "s,y\n1,a\n2,b\n3,c\n",
    "text.csv": "s,y\n1,a\nhigh,b\n",
    "nan.csv": "s,y\n1,a\nNaN,b\n",
    "inf.csv": "s,y\n1,a\n1e999,b\n",
    "comma.csv": 's,y\n1,a\n"0,5",b\n',
    "semicolon.csv": "s;y\n1;a\n",
    "ragged.csv": "s,y\n1,a\n2,b,3\n",
    "quote.csv": 's,y\n1,a\n"2,b\n',
    "twice.csv": "s,s,y\n1,2,a\n",
    "empty.csv": "",
    "head.csv": "s,y\n",
    "missing.csv": "s,y\n1,a\n2,\n",
    "weight.csv": "s,y,w\n1,a,1\n2,b,-1\n",
    "weightless.csv": "s,y,w\n1,a,1\n2,b,0\n",
    "outside.csv": "s,y\n0.5,a\n1.5,b\n",
    "taken.csv": "s,pl_a\n1,2\n",
    "null.csv": "s,y\n1,a\x00\n2,b\n",
    "minus.csv": "s,y\n1,a\n\u22120.5,b\n",
    "a.csv": "id,bel_yes,pl_yes\n1,0.2,0.4\n2,1,1\n",
    "b.csv": "id,bel_yes,pl_yes\n1,0.2,0.4\n2,0,0\n",
    "short.csv": "id,bel_yes,pl_yes\n1,0.2,0.4\n",
    "crossed.csv": "id,bel_yes,pl_yes\n1,0.2,0.4\n2,0.6,0.5\n",
    "percent.csv": "id,bel_yes,pl_yes\n1,20,40\n2,0,0\n",
    "doubled.csv": "id,bel_yes,pl_yes\n1,0.2,0.4\n1,0.2,0.4\n",
    "nameless.csv": "id,bel_yes,pl_yes\n1,0.2,0.4\n,0.2,0.4\n",
}
FIT = "--score s --target y -o new.json"
WRONG = [
    ("fit", "missing argument 'SCORES'"),
    ("fit good.csv --target y -o new.json", "missing option '--score'"),
    ("fit good.csv --score s --score id --target y -o new.json", "no class for column 's'"),
    ("fit good.csv --score s --target s -o new.json", "column 's' is given twice"),
    (f"fit good.csv {FIT} --weight s", "column 's' is given twice"),
    (f"fit none.csv {FIT}", "cannot open 'none.csv': no such file or directory"),
    (f"fit . {FIT}", "cannot open '.': is a directory"),
    (f"fit none.parquet {FIT}", "cannot open 'none.parquet': no such file or directory"),
    (f"fit binary.csv {FIT}", "binary.csv is not text in UTF-8"),
    (f"fit binary.parquet {FIT}", "binary.parquet is not a Parquet file, or is damaged"),
    (f"fit empty.csv {FIT}", "empty.csv is empty"),
    (f"fit head.csv {FIT}", "head.csv has a header but no data rows"),
    (f"fit semicolon.csv {FIT} --delimiter ,", "semicolon.csv has no column 's'; columns: s;y"),
    (f"fit ragged.csv {FIT}", "ragged.csv, line 3: 3 values in the row, 2 names in the header"),
    (f"fit quote.csv {FIT}", "quote.csv, line 3 is not a row of CSV: unexpected end of data"),
    (f"fit twice.csv {FIT}", "twice.csv has two columns 's'"),
    (
        "fit good.csv --score S --target y -o new.json",
        "good.csv has no column 'S'; did you mean 's'? columns: id, s",
    ),
    (f"fit text.csv {FIT}", "text.csv, line 3, column 's': 'high' is not a number"),
    (f"fit nan.csv {FIT}", "nan.csv, line 3, column 's': the value is missing ('NaN')"),
    (f"fit inf.csv {FIT}", "inf.csv, line 3, column 's': found '1e999', but a score is"),
    (f"fit comma.csv {FIT}", "line 3, column 's': '0,5' is not a number"),
    (f"fit missing.csv {FIT}", "line 3, column 'y': the value is missing (''), but a class"),
    (f"fit one.csv {FIT}", "column 'y' has one class only (all 'a'); a calibrator needs both"),
    (f"fit three.csv {FIT}", "three.csv, line 4, column 'y': 'c' is a third class, besides 'a'"),
    (f"fit good.csv {FIT} --positive c", "column 'y' has no class 'c'; classes: a, b"),
    (f"fit weight.csv {FIT} --weight w", "line 3, column 'w': found '-1', but a weight is"),
    (f"fit weightless.csv {FIT} --weight w", "all rows of class 'b' have weight zero"),
    (f"fit null.parquet {FIT}", "null.parquet, row 2, column 's': the value is missing ('null')"),
    (f"fit bool.parquet {FIT}", "bool.parquet, column 's' holds bool, but a score is"),
    (f"fit good.csv {FIT} --method plat", "there is no method 'plat'; methods: abb, adaptive"),
    (
        f"fit good.csv {FIT} --method Platt",
        "'Platt'; its name here is logistic:bayes",
    ),
    (
        "predict model.json good.csv --costs 4",
        "'--costs' requires 2 arguments; write --costs ALARM",
    ),
    ("predict model.json good.csv --costs 4 -o x", "'--costs'"),
    (f"fit good.csv {FIT} --method logstic", "did you mean 'logistic'?"),
    (f"fit good.csv {FIT} --model bayes", "model is 'bayes', expected one of"),
    (f"fit good.csv {FIT} --method elite --model bayesian", "'elite' has no evidential models"),
    (f"fit good.csv {FIT} --option confidence", "'confidence' is not of the form key=value"),
    (f"fit good.csv {FIT} --option confidnce=0.9", "did you mean 'confidence'?"),
    (f"fit good.csv {FIT} --option confidence=high", "confidence is 'high', expected a number"),
    (f"fit good.csv {FIT} --option confidence=2", "confidence is 2.0"),
    (f"fit good.csv {FIT} --model bayesian --option model=bayesian", "option model is given twice"),
    (f"fit good.csv {FIT} --method binning --option n_bins=x", "n_bins"),
    (f"fit outside.csv {FIT} --option transform=logit", "line 3, column 's': found '1.5'"),
    (f"fit good.csv {FIT} --max-scores 10", "'--max-scores'"),
    ("fit good.csv --score s --target y -o old.json", "'old.json' exists; choose another name"),
    ("fit good.csv --score s --target y -o good.csv --force", "'good.csv' is input and output"),
    ("fit good.csv --score s --target y -o folder", "cannot write 'folder': it is a folder"),
    ("fit good.csv --score s --target y -o no/new.json", "there is no folder 'no'"),
    ("fit good.csv --score s --target y -o good.csv/x", "there is no folder 'good.csv'"),
    ("fit good.csv --score s --target y -o lost.json", "there is no folder '"),
    ("fit good.csv --score s --target y -o loop.json", "it is a link to itself"),
    ("fit loop.json --score s --target y -o new.json", "too many levels of symbolic links"),
    (f"fit '' {FIT}", "the name of a table is empty"),
    (f"fit null.csv {FIT}", "null.csv, line 2, column 'y': 'a\\x00' holds a null character"),
    (f"fit minus.csv {FIT}", "minus.csv, line 3, column 's': '\u22120.5' is not a number"),
    (f"fit list.parquet {FIT}", "list.parquet, column 'y' holds list<element: int64>, but a"),
    (f"fit bytes.parquet {FIT}", "bytes.parquet, column 'y' holds binary, but a class is needed"),
    (
        f"fit good.csv {FIT} --method binning --option n_bins=999999999999",
        "n_bins is 999999999999, exp",
    ),
    ("fit good.csv --score s --target y -o -", "a model is written to a file"),
    ("predict none.json good.csv", "cannot open 'none.json': no such file or directory"),
    ("predict good.csv good.csv", "good.csv is not a model file, or truncated: it is not JSON"),
    ("predict foreign.json good.csv", "foreign.json is not a model file of evical"),
    ("predict future.json good.csv", "future.json has version 99 of the format"),
    ("predict true.json good.csv", "true.json is damaged: its version is True"),
    (
        "predict same.json good.csv",
        "same.json is damaged: saved calibrator is damaged: classes are ['a', 'a']",
    ),
    ("predict untold.json good.csv", "untold.json is damaged: its training lacks the entries"),
    ("predict half.json good.csv", "half.json is not a model file, or truncated"),
    ("predict changed.json good.csv", "changed.json is damaged or changed by hand"),
    ("predict old.json a.csv", "a.csv has no column 's', the score of the model; columns: id"),
    ("predict old.json good.csv --score S", "good.csv has no column 'S'"),
    ("predict old.json text.csv", "text.csv, line 3, column 's': 'high' is not a number"),
    ("predict old.json taken.csv", "has a column 'pl_a' already; write new names with --pre"),
    ("predict old.json good.csv --threshold 2", "--threshold is 2, expected a probability"),
    ("predict old.json good.csv --threshold 0.5 --costs 1 2", "--threshold and --costs"),
    ("predict old.json good.csv --costs 0 1", "--costs are 0 and 1, expected two above 0"),
    ("predict old.json good.csv --reject -1", "--reject is -1, expected a cost of 0 or more"),
    ("predict old.json good.csv --criterion maximim", "did you mean 'maximin'?"),
    ("predict old.json good.csv --json", "--json prints to standard output"),
    ("predict old.json good.csv -o out.xlsx", "cannot write 'out.xlsx': name it .csv"),
    ("predict old.json good.csv -o out.pq.gz", "cannot write 'out.pq.gz': name it .csv"),
    ("predict old.json good.csv -o a.csv", "'a.csv' exists; choose another name, or overwrite"),
    ("predict old.json good.csv -o good.csv --force", "'good.csv' is input and output at once"),
    ("predict old.json good.csv -o no/out.csv", "there is no folder 'no'"),
    ("combine a.csv", "there is only one table"),
    ("combine - -", "only one table can be standard input (-)"),
    ("combine a.csv good.csv", "good.csv has no columns of beliefs"),
    (
        "combine a.csv b.csv --rule dempster",
        "a.csv, line 3 and b.csv, line 3: total conflict (kappa = 1)",
    ),
    ("combine a.csv short.csv", "a.csv, line 3: short.csv has no such row, it is shorter"),
    (
        "combine short.csv a.csv -o new.csv",
        "a.csv, line 3: short.csv has no such row, it is shorter",
    ),
    ("combine a.csv short.csv --key id", "a.csv, line 3, column 'id': short.csv has no row '2'"),
    (
        "combine short.csv a.csv --key id -o new.csv",
        "a.csv, line 3, column 'id': short.csv has no row '2'",
    ),
    ("combine a.csv doubled.csv --key id", "doubled.csv, line 3, column 'id': '1' occurs alr"),
    ("combine doubled.csv a.csv --key id", "doubled.csv, line 3, column 'id': '1' occurs a se"),
    ("combine nameless.csv a.csv --key id", "nameless.csv, line 3, column 'id': the value is mi"),
    ("combine a.csv crossed.csv", "crossed.csv, line 3: bel_yes is 0.6, above pl_yes, 0.5"),
    (
        "combine a.csv percent.csv",
        "percent.csv, line 2, column 'bel_yes': found '20', but a probab",
    ),
    ("combine a.csv b.csv --rule demster", "did you mean 'dempster'?"),
    ("combine a.csv b.csv --rule inagaki", "rule 'inagaki' needs a value: --option k=..."),
    ("combine a.csv b.csv --rule lefevre", "rule 'lefevre' needs a value: --option share=..."),
    ("combine a.csv b.csv --rule cautious", "a.csv, line 3 and b.csv, line 3: source 1 is dogm"),
    ("combine a.csv b.csv --rule pcr6 --option k=1", "rule 'pcr6' has no option 'k'; it has none"),
    ("combine a.csv b.csv --bel pl_yes --pl pl_yes", "--bel and --pl are both 'pl_yes'"),
    ("combine a.csv b.csv --bel pl_yes", "--bel and --pl come together; name both"),
    ("combine a.csv b.csv --keep pl_yes", "--keep 'pl_yes' is the name of a new column"),
    ("combine a.csv b.csv --key bel_yes", "--key 'bel_yes' is the belief or plausibility"),
    ("combine a.csv b.csv --classes no no", "--classes are both 'no'"),
    ("combine a.csv b.csv --total-conflict ignore", "'ignore' is not one of"),
    ("combine a.csv b.csv --total-conflict vacous", "'vacuous'; did you mean 'vacuous'?"),
    ("combine a.csv b.csv -o b.csv --force", "'b.csv' is input and output at once"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrong")
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("binary.csv", "binary.parquet"):
        (folder / name).write_bytes(b"\x89PNG\xff\xfe")
    pq.write_table(pa.table({"s": [1.0, None], "y": ["a", "b"]}), folder / "null.parquet")
    pq.write_table(pa.table({"s": [True, False], "y": ["a", "b"]}), folder / "bool.parquet")
    pq.write_table(pa.table({"s": [1.0, 2.0], "y": [[1], [2]]}), folder / "list.parquet")
    pq.write_table(pa.table({"s": [1.0, 2.0], "y": [b"a", b"b"]}), folder / "bytes.parquet")
    (folder / "loop.json").symlink_to("loop.json")
    (folder / "lost.json").symlink_to("nowhere/model.json")
    (folder / "folder").mkdir()
    words = ["fit", str(folder / "good.csv"), "--score", "s", "--target", "y"]
    assert main([*words, "-o", str(folder / "old.json")]) == 0
    text = (folder / "old.json").read_text()
    (folder / "half.json").write_text(text[:-50])
    (folder / "foreign.json").write_text('{"name": "package"}')
    model = json.loads(text)
    (folder / "future.json").write_text(json.dumps({**model, "version": 99}))
    for name, change in (
        ("true.json", {"version": True}),
        ("same.json", {"calibrator": {**model["calibrator"], "classes": ["a", "a"]}}),
        ("untold.json", {"training": {"rows": 1}}),
    ):
        edited = {key: value for key, value in model.items() if key != "checksum"} | change
        signed = {**edited, "checksum": checksum(edited)}  # as one who knows how would do
        (folder / name).write_text(json.dumps(signed))
    model["calibrator"]["classes"] = ["b", "a"]
    (folder / "changed.json").write_text(json.dumps(model))
    return folder


@each(("command", "message"), WRONG)
def test_one_line_and_exit_code_2(command, message, files, monkeypatch, capfd):
    monkeypatch.chdir(files)
    before = {path: path.stat().st_mtime_ns for path in files.rglob("*") if path.is_file()}
    assert main(shlex.split(command)) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("evical: ")
    assert err.count("\n") == 1
    assert message in err
    assert {path: path.stat().st_mtime_ns for path in files.rglob("*") if path.is_file()} == before
