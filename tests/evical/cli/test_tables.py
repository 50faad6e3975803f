"""Tables as commands read them: every value checked and placed, everything else untouched."""

import gzip
from codecs import BOM_UTF8
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evical.cli import main
from evical.cli._model import load_model
from evical.cli._tables import CHUNK_SIZE, open_table, table_chunks

# What surrounds the columns asked for must come out as it went in.
TEXT = 'id,s,"a, b"\n007,0.5,"two\nlines"\n1.10,1e3,"say ""ab"""\n\n12345678901234567890,-2,\n'


def write(folder, text, name="t.csv"):
    path = folder / name
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def write_parquet(folder, columns):
    path = folder / "t.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def read_chunks(path, columns, size=CHUNK_SIZE):
    with open_table(path) as table:
        yield from table_chunks(table, columns, size)


def read_table(path, columns):
    parts = [chunk.columns for chunk in read_chunks(path, columns)]
    return {name: np.concatenate([part[name] for part in parts]) for name in columns}


@pytest.mark.parametrize("size", [1, 20, 10**6])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize("form", ["plain", "bom", "crlf", "no last newline"])
def test_rows_come_with_their_text_and_their_line(tmp_path, size, name, form):
    text = {"bom": f"\ufeff{TEXT}", "no last newline": TEXT[:-1]}.get(form, TEXT)
    end = "\r\n" if form == "crlf" else "\n"
    chunks = list(read_chunks(write(tmp_path, text.replace("\n", end), name), {"s": "score"}, size))
    rows = [row for chunk in chunks for row in chunk.block.texts]
    assert rows == [
        f'007,0.5,"two{end}lines"',
        '1.10,1e3,"say ""ab"""',
        "12345678901234567890,-2,",
    ]
    assert [line for chunk in chunks for line in chunk.block.lines] == [2, 4, 6]
    np.testing.assert_array_equal(
        np.concatenate([chunk.columns["s"] for chunk in chunks]), [0.5, 1e3, -2]
    )
    assert len(chunks) == (3 if size == 1 else 1) or size == 20


def test_header_and_end_of_lines_are_kept(tmp_path):
    with open_table(write(tmp_path, TEXT.replace("\n", "\r\n"))) as table:
        assert table.header == ["id", "s", "a, b"]
        assert table.header_text == 'id,s,"a, b"'
        assert table.newline == "\r\n"


def test_kinds(tmp_path):
    path = write(tmp_path, "p,y,t,w\n1, no ,  x,0\n0.25,True,007,2\n1e-3,1.0,,3\n")
    table = read_table(path, {"p": "probability", "y": "label", "t": "text", "w": "weight"})
    np.testing.assert_array_equal(table["p"], [1, 0.25, 0.001])
    np.testing.assert_array_equal(table["w"], [0, 2, 3])
    assert table["y"].tolist() == ["no", "True", "1.0"]
    assert table["t"].tolist() == ["  x", "007", ""]


def test_tabs(tmp_path):
    path = write(tmp_path, "a\ts\nx,y\t3\n", "t.tsv")
    assert read_table(path, {"a": "text", "s": "score"})["a"].tolist() == ["x,y"]


WRONG_VALUES = [
    ("x", "score", "'x' is not a number, but a score is a finite number"),
    ("", "score", "the value is missing ('')"),
    ("NA", "score", "the value is missing ('NA')"),
    ("nan", "score", "the value is missing ('nan')"),
    ("inf", "score", "found 'inf', but a score is a finite number"),
    ("-1e999", "score", "found '-1e999', but a score is a finite number"),
    ("True", "score", "'True' is not a number"),
    ("1_000", "score", "'1_000' is not a number"),
    ("\u0661", "score", "'\u0661' is not a number"),
    ('"0,5"', "score", "'0,5' is not a number, but a score is a finite number; write a decimal"),
    ("0.5.5", "score", "'0.5.5' is not a number"),
    ("1.0000001", "probability", "found '1.0000001', but a probability or belief is a number from"),
    ("-0.1", "probability", "found '-0.1'"),
    ("-1", "weight", "found '-1', but a weight is a finite number, 0 or more"),
    ("?", "label", "the value is missing ('?'), but a class is needed"),
]


@pytest.mark.parametrize(("value", "kind", "message"), WRONG_VALUES)
def test_the_first_wrong_value_is_named(tmp_path, value, kind, message):
    text = 'n,v\n"a\nb",1\n2,1\n' + f"x,{value}\ny,worse\nz,\n"
    with pytest.raises(ValueError, match="line") as caught:
        read_table(write(tmp_path, text), {"v": kind})
    assert str(caught.value).startswith("t.csv, line 5, column 'v': ")
    assert message in str(caught.value)


@pytest.mark.parametrize("first", ["inf", "x"])
def test_the_first_of_two_different_faults_is_named(tmp_path, first):
    text = f"v\n1\n{first}\n{'x' if first == 'inf' else 'inf'}\n"
    with pytest.raises(ValueError, match=f"line 3, column 'v': .*'{first}'"):
        read_table(write(tmp_path, text), {"v": "score"})


WRONG_FILES = [
    ("", "t.csv is empty"),
    ("\n\n", "t.csv is empty"),
    ("s\n", "t.csv has a header but no data rows"),
    ("s,,t\n1,2,3\n", "column 2 has no name"),
    ("s,a,s\n1,2,3\n", "t.csv has two columns 's'"),
    ("s,t\n1,2\n\n3\n", "t.csv, line 4: 1 values in the row, 2 names in the header"),
    ("s,t\n0,5,1\n", "t.csv, line 2: 3 values in the row, 2 names in the header"),
    ('s,t\n1,2\n3,"x\n4,5\n', "t.csv, line 3 is not a row of CSV: unexpected end of data"),
    ('s,t\n1,2\n3,"x"y\n', "t.csv, line 3 is not a row of CSV: ',' expected after '\"'"),
    ('s,t\n1,"' + "x" * 200_000 + '"\n', "t.csv, line 2 is not a row of CSV: field larger"),
    (b"s,t\n1,\xff\n", "t.csv is not text in UTF-8"),
    (
        gzip.compress(b"s\n" + b"1\n" * 9, mtime=0)[:-4],
        "t.csv is not in gzip format, or is damaged",
    ),
    (b"PAR1....PAR1", "t.csv holds Parquet; give a file whose name ends in .parquet"),
    (b"PK\x03\x04s,t\n1,a\n", "t.csv holds a workbook of Excel or an archive; save it as CSV"),
    (b"ARROW1\x00\x00", "t.csv holds Arrow (Feather); save it as CSV or Parquet"),
    ("Score,t\n1,2\n", "t.csv has no column 's'; columns: Score, t"),
    ("ss,t\n1,2\n", "t.csv has no column 's'; did you mean 'ss'? columns: ss, t"),
]


@pytest.mark.parametrize(("text", "message"), WRONG_FILES)
def test_what_is_no_table_is_refused(tmp_path, text, message):
    with pytest.raises(ValueError, match=r"t\.csv") as caught:
        read_table(write(tmp_path, text), {"s": "score"})
    assert message in str(caught.value)


def test_parquet(tmp_path):
    columns = {
        "f": pa.array([0.5, 1.0], pa.float32()),
        "i": [2, 2**60],
        "s": ["0.25", "3"],
        "d": pa.array(["no", "yes"]).dictionary_encode(),
        "b": [True, False],
    }
    kinds = {"f": "score", "i": "score", "s": "score", "d": "label", "b": "label"}
    table = read_table(write_parquet(tmp_path, columns), kinds)
    np.testing.assert_array_equal(table["f"], [0.5, 1])
    np.testing.assert_array_equal(table["i"], [2, 2**60])
    np.testing.assert_array_equal(table["s"], [0.25, 3])
    assert table["d"].tolist() == ["no", "yes"]
    assert table["b"].tolist() == ["True", "False"]
    many = write_parquet(tmp_path, {"s": np.linspace(0, 1, 1000)})
    sizes = [len(chunk.columns["s"]) for chunk in read_chunks(many, {"s": "score"}, CHUNK_SIZE)]
    assert sizes == [1000]


def test_a_table_has_a_name():
    with pytest.raises(ValueError, match="the name of a table is empty"), open_table(""):
        pass


WRONG_PARQUET = [
    ([0.5, None], "t.parquet, row 2, column 's': the value is missing ('null')"),
    ([0.5, np.nan], "t.parquet, row 2, column 's': found nan, but a score is a finite number"),
    (["1", "x"], "t.parquet, row 2, column 's': 'x' is not a number"),
    ([True, False], "t.parquet, column 's' holds bool, but a score is a finite number"),
    ([[1.0], [2.0]], "t.parquet, column 's' holds list"),
    ([], "t.parquet has a header but no data rows"),
]


@pytest.mark.parametrize(("values", "message"), WRONG_PARQUET)
def test_wrong_values_in_parquet_are_named(tmp_path, values, message):
    with pytest.raises(ValueError, match=r"t\.parquet") as caught:
        read_table(write_parquet(tmp_path, {"s": values}), {"s": "score"})
    assert str(caught.value).startswith(message)


def test_damaged_parquet(tmp_path):
    path = write_parquet(tmp_path, {"s": [1.0]})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"t\.parquet is not a Parquet file, or is damaged"):
        read_table(path, {"s": "score"})
    with pytest.raises(FileNotFoundError, match="none"):
        read_table(tmp_path / "none.parquet", {"s": "score"})


def test_tables_of_other_programs_give_the_same(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    score = rng.normal(size=60).round(3)
    sick = np.where(rng.random(60) < 1 / (1 + np.exp(-3 * score)), "yes", "no")
    table = pd.DataFrame({"id": np.arange(60), "score": score, "sick": sick})
    table.to_csv("plain.csv", index=False)
    table.to_csv("tabs.txt", index=False, sep="\t")
    table.to_csv("wide.txt", index=False, sep="\t", encoding="utf-16")
    table.to_csv("semicolons.csv", index=False, sep=";", decimal=",", encoding="utf-8-sig")
    fit = "--score score --target sick --method logistic --force -o"
    assert main(f"fit plain.csv {fit} model.json".split()) == 0
    assert main(["predict", "model.json", "plain.csv", "-o", "expected.csv"]) == 0
    assert "delimiter" not in capfd.readouterr().err
    model, expected = load_model("model.json"), pd.read_csv("expected.csv")
    for name, has, read in (
        ("semicolons.csv", "semicolons between values and decimal commas", (";", ",")),
        ("tabs.txt", "tabs between values", ("\t", ".")),
        ("wide.txt", "tabs between values", ("\t", ".")),
    ):
        assert main(f"fit {name} {fit} other.json".split()) == 0
        told = f"evical: {name} has {has}; if not, give --delimiter or --decimal\n"
        assert capfd.readouterr().err == told
        assert load_model("other.json").calibrator.to_dict() == model.calibrator.to_dict()
        assert main(f"predict model.json {name} -o out.txt --force".split()) == 0
        marks = Path("out.txt").read_bytes().count(BOM_UTF8), Path(name).read_bytes()[0] > 127
        assert marks in ((1, True), (0, False))
        found = pd.read_csv("out.txt", sep=read[0], decimal=read[1])
        pd.testing.assert_frame_equal(found, expected)
        capfd.readouterr()
        # Tables that commands have written are read as they were; told once, though read twice.
        words = "combine out.txt expected.csv --key id -o both.csv --force"
        assert main(words.split()) == 0
        assert capfd.readouterr().err.count("out.txt has") == 1
        assert pd.read_csv("both.csv", sep=read[0], decimal=read[1])["p_yes"].between(0, 1).all()
    options = "--delimiter ; --decimal ,"
    assert main(f"evaluate model.json semicolons.csv {options}".split()) == 0
    assert capfd.readouterr().err == ""
    assert main(["evaluate", "model.json", "semicolons.csv", "--decimal", "."]) == 2
    assert "give --decimal ," in capfd.readouterr().err
    assert main(["evaluate", "model.json", "plain.csv", "--delimiter", "ab"]) == 2
    assert "expected one character, or tab" in capfd.readouterr().err
    words = "predict model.json semicolons.csv --engine duckdb -o d.csv"
    assert main(words.split()) == 2
    assert "has decimal commas" in capfd.readouterr().err
