"""Data sets from openml.org, as scikit-learn fetches and keeps them."""

from collections.abc import Mapping
from typing import Any
from urllib.error import URLError

import numpy as np

from dstheory.optional import require
from evical.datasets._dataset import Dataset
from evical.datasets._known import OpenML

__all__ = ["fetch_openml", "from_frame"]


def fetch_openml(name: str, source: OpenML, n_features: int) -> Dataset:
    """A data set by its name and version there.

    Parameters
    ----------
    name : str
        Ours.
    source : OpenML
    n_features : int
        That it must have, before encoding.

    Returns
    -------
    Dataset

    Raises
    ------
    OSError
        If there is no network, or the server does not answer.
    ValueError
        If it has another number of features, or as `from_frame`.
    """
    require("pandas", "a data set of openml.org")
    # Inside, because nothing else needs it.
    from sklearn import datasets

    try:
        bunch = datasets.fetch_openml(source.name, version=source.version, as_frame=True)
    except (URLError, TimeoutError, ConnectionError) as error:
        raise OSError(
            f"the data set {name!r} cannot be fetched from openml.org ({error}); name a folder "
            "that has it by data, or by the environment variable EVICAL_DATA"
        ) from error
    if bunch.data.shape[1] != n_features:
        raise ValueError(
            f"{name} of openml.org has {bunch.data.shape[1]} features, but that data set has "
            f"{n_features}; is it another version?"
        )
    return from_frame(name, bunch.data, bunch.target, source.labels)


def from_frame(name: str, features: Any, target: Any, labels: Mapping[str, str]) -> Dataset:
    """A data set from a pandas frame and a series of class labels.

    Parameters
    ----------
    name : str
    features : pandas.DataFrame
        Of numbers and categories. Categories are one-hot encoded, one column for two of them.
    target : pandas.Series
    labels : mapping
        Class labels there to those of the data set, in order.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If a value is missing, or a class label is not in `labels`.
    """
    require("pandas", "a data set of openml.org")
    import pandas as pd  # inside: only frames need it

    incomplete = features.columns[features.isna().any()]
    if len(incomplete):
        raise ValueError(f"{name}: column {incomplete[0]!r} has missing values")
    nominal = [c for c in features if isinstance(features[c].dtype, pd.CategoricalDtype)]
    binary = [c for c in nominal if len(features[c].cat.categories) == 2]
    coded = features.assign(**{c: features[c].cat.codes for c in binary})
    encoded = [c for c in nominal if c not in binary]
    table = pd.get_dummies(coded, columns=encoded, prefix_sep="=", dtype=float)
    found = [str(label) for label in target]
    for row, label in enumerate(found):
        if label not in labels:
            raise ValueError(f"{name}: class {label!r} in row {row} is none of {', '.join(labels)}")
    class_names = tuple(labels.values())
    return Dataset(
        name=name,
        X=table.to_numpy(dtype=np.float64),
        y=np.array([class_names.index(labels[label]) for label in found]),
        feature_names=tuple(map(str, table.columns)),
        class_names=class_names,
        encoded=tuple(map(str, encoded)),
    )
