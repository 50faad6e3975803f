"""Frames as openml.org gives them, and what is said without a network."""

from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from evical.datasets import load
from evical.datasets._known import known_sets
from evical.datasets.loaders import from_frame
from tests.support.each import each

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


# Below, scikit-learn's function is replaced, because it is the network: what it does without one,
# and what it gives with one, are its own; what is tested is what this package makes of either.


@pytest.fixture
def answer(monkeypatch):
    monkeypatch.delenv("EVICAL_DATA", raising=False)
    return lambda function: monkeypatch.setattr(sklearn.datasets, "fetch_openml", function)


def sonar(n_features: int, n_rocks: int) -> Bunch:
    """As scikit-learn gives it: a frame of floats, and a series of categories."""
    labels = ["Rock"] * n_rocks + ["Mine"] * 111
    X = pd.DataFrame({f"attribute_{i}": np.linspace(0, 1, len(labels)) for i in range(n_features)})
    return Bunch(data=X, target=pd.Series(labels, dtype="category", name="Class"))


@pytest.mark.parametrize("error", [URLError("no route to host"), TimeoutError("no route")])
def test_without_a_network_the_folder_is_named(answer, error):
    def unreachable(*args, **kwargs):
        raise error

    answer(unreachable)
    with pytest.raises(OSError, match=r"'sonar' cannot be fetched .*no route.* EVICAL_DATA"):
        load("sonar")


def test_what_is_fetched_is_renamed_and_checked(answer):
    asked = []

    def served(name, **kwargs):
        asked.append((name, kwargs))
        return sonar(60, 97)

    answer(served)
    data = load("sonar")
    assert asked == [("sonar", {"version": 1, "as_frame": True})]
    assert (data.class_names, data.class_counts) == (("0", "1"), (97, 111))
    for wrong, message in (
        (sonar(59, 97), "sonar of openml.org has 59 features, but that data set has 60"),
        (sonar(60, 96), "sonar has the classes 0: 96, 1: 111, but that data set has 0: 97"),
    ):
        answer(lambda *args, bunch=wrong, **kwargs: bunch)
        with pytest.raises(ValueError, match=message):
            load("sonar")


@each("name", [name for name, known in known_sets().items() if known.openml])
def test_labels_there_are_as_many_as_classes_here(name):
    known = known_sets()[name]
    assert list(known.openml.labels.values()) == list(known.classes)
