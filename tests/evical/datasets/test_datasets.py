"""CSV files become arrays, or an error that names column and line."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer as sklearn_breast_cancer

from evical.datasets import Dataset
from evical.datasets.csv import load_csv
from evical.datasets.loaders import load_breast_cancer
from tests.support.each import each

GOOD = "age,color,kind\n1.5, red ,yes\n\n2,blue,no\n-3e1,red,yes\n"


@pytest.fixture
def write(tmp_path: Path):
    def write(content: str | bytes, name: str = "pets.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_numbers_stay_and_text_is_one_hot_encoded(write):
    data = load_csv(write(GOOD), "kind")
    assert data.name == "pets"
    assert data.feature_names == ("age", "color=blue", "color=red")
    assert data.encoded == ("color",)
    assert data.class_names == ("no", "yes")
    np.testing.assert_array_equal(data.X, [[1.5, 0, 1], [2, 1, 0], [-30, 0, 1]])
    np.testing.assert_array_equal(data.y, [1, 0, 1])
    assert data.class_counts == (1, 2)


def test_gzip_and_byte_order_mark_are_unpacked(write):
    path = write(gzip.compress(b"\xef\xbb\xbf" + GOOD.encode()), "pets.csv.gz")
    data = load_csv(path, "kind")
    assert data.name == "pets"
    assert data.feature_names[0] == "age"


def test_the_target_may_stand_anywhere_and_quoted_commas_are_text(write):
    data = load_csv(write('kind,a,b\nx,"1","p, q"\ny,2,r\n'), "kind")
    assert data.feature_names == ("a", "b=p, q", "b=r")


def test_underscores_make_a_text(write):
    """Python reads 1_2 as the number 12."""
    assert load_csv(write("a,t\n1_1,0\n1_2,1\n"), "t").feature_names == ("a=1_1", "a=1_2")


@pytest.mark.parametrize("spoiled", [b"a,t\n1,0\n", b"cut", b"bits"], ids=str)
def test_a_damaged_archive_is_refused_by_its_name(write, spoiled):
    rows = "".join(f"{i * i},{i % 2}\n" for i in range(999))
    whole = gzip.compress(f"a,t\n{rows}".encode())
    damages = {b"cut": whole[:200], b"bits": whole[:50] + bytes(20) + whole[70:]}
    with pytest.raises(ValueError, match=r"pets.csv.gz is not in gzip format, or is damaged"):
        load_csv(write(damages.get(spoiled, spoiled), "pets.csv.gz"), "t")


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [(["10", "9"], ("9", "10")), (["b", "a"], ("a", "b")), (["10", "9", "x"], ("10", "9", "x"))],
)
def test_classes_ascend_as_numbers_if_all_are(write, labels, ordered):
    rows = "".join(f"1,{label}\n" for label in labels)
    assert load_csv(write(f"a,t\n{rows}"), "t").class_names == ordered


@each(
    ("content", "message"),
    [
        ("", "pets.csv is empty; a header row"),
        ("a,t\n", "pets.csv has a header but no data rows"),
        ("a,t\n1,0\n2\n", "line 3: 1 values in the row, 2 names in the header"),
        ("a,t\n1,0\n\n2,1,3\n", "line 4: 3 values in the row, 2 names"),
        ("a,t\n1,0\n,1\n", r"line 3, column 'a': the value is missing \(''\)"),
        ("a,t\n1,0\n?,1\n", r"line 3, column 'a': the value is missing \('\?'\)"),
        ("a,t\nNaN,0\n1,1\n", r"line 2, column 'a': the value is missing \('NaN'\)"),
        ("a,t\n1,\n2,1\n", "line 2, column 't': the value is missing"),
        ("a,t\n1,0\nx,1\n", "line 3, column 'a': 'x' is not a number, but other rows"),
        ("a,t\nx,0\n1,1\n", "line 2, column 'a': 'x' is not a number"),
        ("a,t\n1,0\n-inf,1\n", "line 3, column 'a': '-inf' is not finite"),
        ("a,a,t\n1,2,0\n", "pets.csv has two columns 'a'; rename"),
        ("t\n0\n1\n", "no column besides 't'"),
        ("a,label\n1,0\n", "no column 't'; its columns are 'a', 'label'"),
        ("a,target\n1,0\n", "no column 't'"),
        ("a;t\n1,5;0\n2.000;1\n", "column 'a': '1,5' is not a number"),
        ("a;t\n1,5;0\n" * 1 + "2,5;1\n" * 3000 + "3.000;1\n", "3003, column 'a': found '3.000'"),
        ('a,t\n"1,5",0\n"-2,25",1\n', "column 'a': values such as '1,5' look like numbers with"),
        (",a,t\n0,1,0\n1,2,1\n", r"column 1 has no name; name it, or drop it if it holds row"),
        (b"\xff\x00a", "not text in UTF-8"),
        ("a,t\n" + "".join(f"name{i},0\n" for i in range(101)), "101 different texts"),
    ],
)
def test_what_is_no_table_is_refused_with_its_place(write, content, message):
    with pytest.raises(ValueError, match=message):
        load_csv(write(content), "t")


def test_other_delimiters_and_decimal_commas_are_read(write):
    plain = load_csv(write("a,color,t\n1.5,red,0\n-2.25,blue,1\n3e-2,red,1\n"), "t")
    text = "a;color;t\n1,5;red;0\n-2,25;blue;1\n3e-2;red;1\n"
    for content in (
        text,
        text.replace(";", "\t"),
        text.replace(";", "|"),
        text.encode("utf-8-sig"),
        text.encode("utf-16"),
        text.replace("\n", "\r\n"),
    ):
        found = load_csv(write(content), "t")
        np.testing.assert_array_equal(found.X, plain.X)
        assert (found.feature_names, found.class_names) == (plain.feature_names, plain.class_names)


def test_a_misspelled_target_is_guessed(write):
    with pytest.raises(ValueError, match="did you mean 'target'"):
        load_csv(write("a,target\n1,0\n"), "traget")


def test_a_missing_file_is_a_system_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_csv(tmp_path / "none.csv", "t")


def test_the_bundled_set_is_scikit_learns():
    data, source = load_breast_cancer(), sklearn_breast_cancer()
    np.testing.assert_array_equal(data.X, source.data)
    np.testing.assert_array_equal(data.y, source.target)
    assert data.class_names == tuple(source.target_names)


def test_a_data_set_does_not_change_and_does_not_freeze_the_callers_arrays():
    X, y = np.eye(2), np.array([0, 1])
    data = Dataset("toy", X, y, ("a", "b"), ("no", "yes"))
    X[0, 0] = 5
    assert data.X[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 5


def test_a_data_set_checks_its_shape():
    with pytest.raises(ValueError, match=r"shape \(2, 2\), but labels and names call for \(2, 1\)"):
        Dataset("toy", np.eye(2), np.array([0, 1]), ("a",), ("no", "yes"))


@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], ValueError, "'a' is nan in row 1, but every feature must be"),
        ([[np.inf], [1.0]], [0, 1], ValueError, "'a' is inf in row 0"),
        (
            [[1.0], [2.0]],
            [0, 2],
            ValueError,
            r"y\[1\] is 2, expected the position of one of 2 class",
        ),
        ([[1.0], [2.0]], [-1, 1], ValueError, r"y\[0\] is -1"),
        ([[1.0], [2.0]], [0.5, 1], TypeError, "y is of float64, expected positions"),
    ],
)
def test_a_data_set_checks_its_values(X, y, error, message):
    with pytest.raises(error, match=message):
        Dataset("toy", np.array(X), np.array(y), ("a",), ("no", "yes"))


def test_missing_features_can_be_encoded(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b,c,t\n1,red,1,u\nNA,?,2,v\n4,blue,3,u\n7,red,4,v\n")
    data = load_csv(path, "t", missing="encode")
    names = ("a", "a=missing", "b=blue", "b=missing", "b=red", "c")
    assert data.feature_names == names
    assert data.encoded == ("b",)
    np.testing.assert_array_equal(data.X[:, 0], [1, 4, 4, 7])  # the median of 1, 4 and 7
    np.testing.assert_array_equal(data.X[:, 1], [0, 1, 0, 0])
    np.testing.assert_array_equal(data.X[:, 3], [0, 1, 0, 0])
    for text, message in (
        ("a,t\n1,\n2,1\n", "column 't': the value is missing"),
        ("a,t\nNA,0\n?,1\n", "column 'a': all values are missing"),
        ("a,t\nNA,0\n1,1\nx,1\n", "line 4, column 'a': 'x' is not a number"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            load_csv(path, "t", missing="encode")
