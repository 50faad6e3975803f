"""Sparse files become sparse data sets, or an error that names the file."""

import gzip
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from evical.datasets import Dataset, load
from examples.studies._store import data_fingerprint

TEXT = "2 1:1.5 3:2\n10 2:4\n2 \n"


def test_a_sparse_file_of_the_folder(tmp_path):
    (tmp_path / "words.svm.gz").write_bytes(gzip.compress(TEXT.encode()))
    data = load("words", tmp_path)
    np.testing.assert_array_equal(data.X.toarray(), [[1.5, 0, 2], [0, 4, 0], [0, 0, 0]])
    assert data.class_names == ("2", "10")
    assert data.class_counts == (2, 1)
    assert data.feature_names == ("1", "2", "3")
    assert repr(data) == "Dataset(words: 3 samples, 3 features, classes 2 2, 10 1)"


@pytest.mark.parametrize("text", ["0 1:x\n", "0 44067:1\n1 1:1\n"])
def test_a_damaged_file_is_refused_by_its_name(tmp_path, text):
    (tmp_path / "newsgroups20_bow.svm").write_text(text)
    with pytest.raises(ValueError, match=r"newsgroups20_bow\.svm is not in the svmlight format"):
        load("newsgroups20_bow", tmp_path)


def test_another_version_of_a_known_set_is_refused(tmp_path):
    (tmp_path / "newsgroups20_bow.svm").write_text("0 1:1\n1 2:1\n")
    with pytest.raises(ValueError, match="has the classes 0: 1, 1: 1, but"):
        load("newsgroups20_bow", tmp_path)
    (tmp_path / "newsgroups20_bow.svm").unlink()
    with pytest.raises(FileNotFoundError, match=r"nor a sparse newsgroups20_bow\.svm or"):
        load("newsgroups20_bow", tmp_path)


def test_a_sparse_data_set_is_a_copy_that_nobody_changes():
    X = sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    data = Dataset("toy", X, np.array([0, 1]), ("a", "b"), ("no", "yes"))
    np.testing.assert_array_equal(data.X.toarray(), [[0, 3], [3, 0]])
    with pytest.raises(ValueError, match="read-only"):
        data.X.data[0] = 9
    X.data[0] = 9
    assert data.X[0, 1] == 3


def test_a_sparse_feature_must_be_finite_and_of_the_shape_that_the_names_have():
    X = sparse.csr_array(np.array([[0.0, 1.0], [0.0, np.inf]]))
    with pytest.raises(ValueError, match="'b' is inf in row 1"):
        Dataset("toy", X, np.array([0, 1]), ("a", "b"), ("no", "yes"))
    with pytest.raises(ValueError, match=r"X has shape \(2, 2\)"):
        Dataset("toy", X, np.array([0, 1]), ("a",), ("no", "yes"))


def test_the_fingerprint_sees_values_and_places():
    X = np.array([[0.0, 1.0], [2.0, 0.0]])
    data = Dataset("toy", sparse.csr_array(X), np.array([0, 1]), ("a", "b"), ("no", "yes"))
    others = [
        replace(data, X=sparse.csr_array(np.array(Z))) for Z in ([[0, 1], [3, 0]], X[:, ::-1])
    ]
    prints = {data_fingerprint(one) for one in (data, *others)}
    assert len(prints) == 3
    assert data_fingerprint(replace(data, name="other")) == data_fingerprint(data)
