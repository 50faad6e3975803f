"""Data sets by name: the right rows, encoded alike in both files, or an error that says why not."""

import functools
import gzip
import json
import re

import numpy as np
import pytest

from evical.datasets import Dataset, load
from evical.datasets._known import known_sets
from evical.datasets.loaders import load_breast_cancer, load_split
from tests.support.data_folder import DATA, needs_data
from tests.support.each import each

# Each file of the folder is read once.
there = functools.cache(functools.partial(load, data=DATA))
split = functools.cache(functools.partial(load_split, data=DATA))
SMALL = sorted(name for name in known_sets() if "a9a" not in name)


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("EVICAL_DATA", raising=False)


def rows_of(name: str) -> str:
    """A file of the right size and classes for a known set of numbers."""
    known = known_sets()[name]
    header = ",".join(f"f{i}" for i in range(known.n_features))
    rows = [
        ",".join(["1"] * known.n_features + [c]) for c, n in known.classes.items() for _ in [0] * n
    ]
    return "\n".join([f"{header},target", *rows, ""])


def without_first_column(text: str) -> str:
    return "\n".join(line.partition(",")[2] for line in text.splitlines())


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
def test_bundled_sets_need_no_folder(name):
    data = load(name)
    assert data.name == name
    assert dict(zip(data.class_names, data.class_counts, strict=True)) == known_sets()[name].classes


def test_the_bundled_breast_cancer_is_the_one_of_its_own_loader():
    np.testing.assert_array_equal(load("breast_cancer").X, load_breast_cancer().X)


def test_a_file_of_the_folder_comes_before_the_bundled_copy(tmp_path):
    (tmp_path / "wine.csv").write_text(rows_of("wine"))
    assert np.all(load("wine", tmp_path).X == 1)
    assert load("digits", tmp_path).X.shape == (1797, 64)


def test_the_environment_names_the_folder_unless_data_does(tmp_path, monkeypatch):
    (tmp_path / "heart.csv.gz").write_bytes(gzip.compress(rows_of("heart").encode()))
    monkeypatch.setenv("EVICAL_DATA", str(tmp_path))
    assert load("heart").class_counts == (150, 120)
    with pytest.raises(FileNotFoundError, match=r"data is '.*nowhere', which is not a folder"):
        load("heart", tmp_path / "nowhere")


def test_an_unknown_file_of_the_folder_is_loaded_as_it_is(tmp_path):
    (tmp_path / "mine.csv").write_text("a,target\n1,x\n2,y\n")
    assert load("mine", tmp_path).class_names == ("x", "y")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text + text.splitlines()[1] + "\n", r"0: 151, 1: 120, but .* 0: 150, 1: 120"),
        (lambda text: text.replace("1,1,0\n", "1,1,2\n", 1), r"0: 149, 1: 120, 2: 1"),
        (without_first_column, "12 features, but"),
        (lambda text: text.replace("\n1,", "\n,", 1), "line 2, column 'f0': the value is missing"),
        (lambda text: text.replace("target", "class"), "heart.csv has no column 'target'"),
    ],
)
def test_wrong_rows_under_a_right_name_are_refused(change, message, tmp_path):
    (tmp_path / "heart.csv").write_text(change(rows_of("heart")))
    with pytest.raises(ValueError, match=message):
        load("heart", tmp_path)


def test_what_is_nowhere_is_named(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="no data set 'pendigit'; did you mean 'pendigits'"):
        load("pendigit")
    with pytest.raises(ValueError, match="no data set 'qqq'; give the name of a file"):
        load("qqq")
    with pytest.raises(FileNotFoundError, match="by the environment variable EVICAL_DATA"):
        load("adult")
    with pytest.raises(FileNotFoundError, match=r"has no heart\.csv or heart\.csv\.gz"):
        load("heart", tmp_path)
    with pytest.raises(ValueError, match="'heart' has no known split"):
        load_split("heart", tmp_path)
    monkeypatch.setenv("EVICAL_DATA", str(tmp_path / "x"))
    with pytest.raises(
        FileNotFoundError, match=r"variable EVICAL_DATA names '.*x', which is not a fol"
    ):
        load("heart")


@needs_data
@each("name", SMALL)
def test_every_known_file_is_as_known(name):
    data = there(name)
    assert isinstance(data, Dataset)
    assert len(data) == sum(known_sets()[name].classes.values())


@needs_data
@pytest.mark.parametrize("name", ["adult", "soybean"])
def test_codes_become_the_same_columns_in_both_files(name):
    train, test = split(name)
    assert train.feature_names == test.feature_names
    assert train.class_names == test.class_names
    for column in train.encoded:
        block = [i for i, f in enumerate(train.feature_names) if f.startswith(f"{column}=")]
        for data in (train, test):
            np.testing.assert_array_equal(data.X[:, block].sum(axis=1), 1)
    both = there(name)
    assert len(both) == len(train) + len(test)
    np.testing.assert_array_equal(both.X[: len(train)], train.X)


@needs_data
def test_missing_codes_are_a_category_of_their_own():
    train, test = split("adult")
    column = train.feature_names.index("workclass=missing")
    assert train.X[:, column].sum() + test.X[:, column].sum() == 2799
    assert train.X.shape[1] == 107


def test_a_code_that_the_column_does_not_have_is_refused(tmp_path):
    header = ",".join(f"A{i}" for i in range(1, 15))
    (tmp_path / "australian.csv").write_text(
        f"{header},target\n" + "1," * 14 + "0\n" + "4," * 14 + "1\n"
    )
    with pytest.raises(ValueError, match=r"line 3, column 'A4': '4' is not a code .* \(1, 2, 3\)"):
        load("australian", tmp_path)


def described_in(name: str) -> str:
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"the folder has no {name}")
    return path.read_text(encoding="utf-8")


@needs_data
def test_what_is_known_is_what_the_description_of_the_folder_says():
    text = described_in("README.md")
    rows = re.findall(
        r"^\| (\w+)\.(?:csv|svm)(?:\.gz)? \| (\d+) \| (\d+) \| \{(.*?)\} \|", text, re.M
    )
    described = {
        name: (int(n), int(p), {k: int(v) for k, v in re.findall(r"(\w+): (\d+)", counts)})
        for name, n, p, counts in rows
    }
    # These have missing numbers, which no study fills in.
    missing = {"breast_cancer_wisconsin_full", "diabetes_na"}
    own = {"breast_cancer", "digits"}  # of scikit-learn only
    assert set(described) - missing == set(known_sets()) - own
    for name in set(described) - missing:
        known = known_sets()[name]
        expected = (sum(known.classes.values()), known.n_features, known.classes)
        assert described[name] == expected, name


@needs_data
def test_codes_are_those_of_the_codebook():
    book = json.loads(described_in("codebook.json"))["adult"]
    for column, codes in known_sets()["adult_train"].nominal.items():
        assert codes == tuple(sorted(book[column].values())), column
    assert set(book) - set(known_sets()["adult_train"].nominal) == {"sex", "target"}


@needs_data
@pytest.mark.parametrize("name", ["adult", "australian", "soybean"])
def test_every_column_that_is_not_encoded_is_a_number_or_has_two_codes(name):
    numbers = {
        "adult": {"age", "fnlwgt", "education_num", "capital_gain", "capital_loss"}
        | {"hours_per_week"},
        "australian": {"A2", "A3", "A7", "A10", "A13", "A14"},
        "soybean": set(),
    }[name]
    data = there(name)
    for column, values in zip(data.feature_names, data.X.T, strict=True):
        if column not in numbers:
            assert np.unique(values).tolist() == [0.0, 1.0], column
