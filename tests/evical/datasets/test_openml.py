"""Frames as openml.org gives them, and what is said without a network."""

from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from evical.datasets import load
from evical.datasets._openml import from_frame

FRAME = pd.DataFrame(
    {
        "size": [1.5, 2.0, 3.0],
        "color": pd.Categorical(["red", "blue", "red"], categories=["red", "blue", "green"]),
        "wet": pd.Categorical(["no", "yes", "no"]),
    }
)
KIND = pd.Series(["cat", "dog", "cat"], dtype="category")


def test_categories_are_encoded_and_classes_renamed():
    data = from_frame("pets", FRAME, KIND, {"dog": "0", "cat": "1"})
    assert data.feature_names == ("size", "wet", "color=red", "color=blue", "color=green")
    assert data.encoded == ("color",)
    expected = [[1.5, 0, 1, 0, 0], [2, 1, 0, 1, 0], [3, 0, 1, 0, 0]]
    np.testing.assert_array_equal(data.X, expected)
    assert data.class_names == ("0", "1")
    np.testing.assert_array_equal(data.y, [1, 0, 1])


def test_what_a_frame_may_not_hold():
    with pytest.raises(ValueError, match="pets: column 'size' has missing values"):
        from_frame("pets", FRAME.replace(2.0, np.nan), KIND, {"dog": "0", "cat": "1"})
    with pytest.raises(ValueError, match="class 'dog' in row 1 is none of cat"):
        from_frame("pets", FRAME, KIND, {"cat": "1"})


def test_without_a_network_the_folder_is_named(monkeypatch):
    # The network is what is replaced, so that the test is the same with one and without.
    def unreachable(*args, **kwargs):
        raise URLError("no route to host")

    monkeypatch.delenv("EVICAL_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    with pytest.raises(OSError, match=r"'sonar' cannot be fetched .*no route.* EVICAL_DATA"):
        load("sonar")
