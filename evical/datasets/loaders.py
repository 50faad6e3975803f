"""Data sets by name: from a local folder, from scikit-learn, or from OpenML.

A folder has one CSV file for each data set, with the class in the last column, `target`; or a
sparse one in the svmlight format. Nominal codes are one-hot encoded, as listed in `known.toml`, so
the training and the test file of a data set get the same columns. Known sizes are checked.

Data sets from openml.org, as scikit-learn fetches and keeps them.

Sparse data sets in the svmlight format: a label and the features that are not zero in a line.

Counts of words have tens of thousands of columns, of which a document has a few hundred.

Data sets that come with scikit-learn, so that no file and no network is needed.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np

from dstheory.checks.arguments import check_instance, did_you_mean
from dstheory.optional import require
from evical.datasets._dataset import Dataset
from evical.datasets._known import Known, OpenML, known_sets
from evical.datasets.csv import (
    MISSING,
    Columns,
    dataset_of,
    feature_columns,
    load_csv,
    read_table,
    refuse_missing,
)


def load_breast_cancer() -> Dataset:
    """Wisconsin diagnostic breast cancer: 569 tumors, 30 features of their cell nuclei.

    Returns
    -------
    Dataset
        Classes ``malignant`` and ``benign``, as scikit-learn orders them.

    References
    ----------
    Street, Wolberg & Mangasarian (1993), Nuclear feature extraction for breast tumor
    diagnosis, SPIE 1905, 861-870; bundled with scikit-learn.

    Examples
    --------
    >>> load_breast_cancer()
    Dataset(Wisconsin breast cancer: 569 samples, 30 features, classes malignant 212, benign 357)
    """
    # Inside, because nothing else here needs scikit-learn's data loaders.
    from sklearn import datasets

    bunch = datasets.load_breast_cancer()
    return Dataset(
        name="Wisconsin breast cancer",
        X=bunch.data,
        y=bunch.target,
        feature_names=tuple(map(str, bunch.feature_names)),
        class_names=tuple(map(str, bunch.target_names)),
    )


def load_svmlight(path: Path, n_features: int | None = None) -> Dataset:
    """Read a data set with features counted from 1; ``.gz`` is unpacked.

    Parameters
    ----------
    path : Path
    n_features : int, optional
        By default the greatest that occurs.

    Returns
    -------
    Dataset
        With a sparse `X`, and features named by their numbers.

    Raises
    ------
    ValueError
        If the file is damaged, or has a feature beyond the last.
    """
    from sklearn.datasets import load_svmlight_file  # inside, as above

    try:
        X, labels = load_svmlight_file(str(path), n_features=n_features, zero_based=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(
            f"{path.name} is not in the svmlight format, has a feature beyond the last, or is "
            f"damaged ({error})"
        ) from error
    classes, y = np.unique(labels, return_inverse=True)
    return Dataset(
        name=path.name.removesuffix(".gz").removesuffix(".svm"),
        X=X,
        y=y,
        feature_names=tuple(str(number + 1) for number in range(X.shape[1])),
        class_names=tuple(f"{label:g}" for label in classes),
    )


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


VARIABLE = "EVICAL_DATA"
_TARGET = "target"
_SPARSE = (".svm", ".svm.gz")
_ENDINGS = (".csv", ".csv.gz", *_SPARSE)


def load(name: str, data: str | Path | None = None) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        Such as ``australian``, ``pendigits_train``, or ``pendigits`` for the training samples
        followed by the test samples.
    data : str or Path, optional
        Folder of CSV files with a header and the class in a last column ``target``, as ``name.csv``
        or ``name.csv.gz``, or of sparse ones in the svmlight format, as ``name.svm`` or
        ``name.svm.gz``; by default that of the environment variable ``EVICAL_DATA``. Without a
        folder, or if it lacks the data set, scikit-learn's own copy is used (iris, wine, digits,
        breast_cancer), or else OpenML's.

    Returns
    -------
    Dataset
        Classes ascend. Nominal codes of australian, adult and soybean are one-hot encoded,
        and there a missing value is a category of its own; any other missing value is refused.

    Raises
    ------
    OSError
        If there is no such folder, file or network.
    ValueError
        If the name is unknown, or the data have another size or other class counts than they
        should, or as `load_csv`.

    Notes
    -----
    scikit-learn's iris differs from the file of the UCI repository in two rows.

    Examples
    --------
    >>> digits = load("digits")
    >>> digits.X.shape, digits.class_counts[:3]
    ((1797, 64), (178, 182, 177))
    """
    check_instance("name", name, str, "a text such as 'australian'")
    folder = _folder(data)
    if f"{name}_train" in known_sets():
        return _joined(name, load_split(name, data))
    known = known_sets().get(name)
    path = None if folder is None else _file(folder, name)
    if path is not None:
        return _from_file(path, known)
    if known is None:
        raise ValueError(f"there is no data set {name!r}{_hint(name)}")
    if known.bundled is not None:
        return _checked(_bundled(name, known.bundled), known)
    if folder is not None:
        raise FileNotFoundError(
            f"the folder {str(folder)!r} has no {name}.csv or {name}.csv.gz, nor a sparse "
            f"{name}.svm or {name}.svm.gz"
        )
    if known.openml is not None:
        return _checked(fetch_openml(name, known.openml, known.n_features), known)
    raise FileNotFoundError(
        f"the data set {name!r} is read from a folder; name it by data, or by the environment "
        f"variable {VARIABLE}"
    )


def load_split(name: str, data: str | Path | None = None) -> tuple[Dataset, Dataset]:
    """Load a data set that comes in a training and a test file.

    Parameters
    ----------
    name : str
        Such as ``pendigits``, for ``pendigits_train`` and ``pendigits_test``.
    data : str or Path, optional
        As `load`.

    Returns
    -------
    train, test : Dataset
        With the same features and classes.

    Raises
    ------
    OSError
        As `load`.
    ValueError
        If the set has no such split, or as `load`.

    Examples
    --------
    >>> load_split("iris")
    Traceback (most recent call last):
    ValueError: 'iris' has no known split in training and test samples
    """
    check_instance("name", name, str, "a text such as 'pendigits'")
    if f"{name}_train" not in known_sets():
        split = [known.removesuffix("_train") for known in known_sets() if known.endswith("_train")]
        meant = did_you_mean(name, split)
        raise ValueError(f"{name!r} has no known split in training and test samples{meant}")
    return load(f"{name}_train", data), load(f"{name}_test", data)


def _folder(data: str | Path | None) -> Path | None:
    """The folder of data, if one is named; it must exist."""
    given = os.environ.get(VARIABLE) or None if data is None else data
    if given is None:
        return None
    check_instance("data", given, (str, os.PathLike), "a folder")
    folder = Path(given)
    if not folder.is_dir():
        origin = f"the environment variable {VARIABLE} names" if data is None else "data is"
        raise FileNotFoundError(f"{origin} {str(folder)!r}, which is not a folder")
    return folder


def _file(folder: Path, name: str) -> Path | None:
    paths = (folder / f"{name}{ending}" for ending in _ENDINGS)
    return next((path for path in paths if path.is_file()), None)


def _from_file(path: Path, known: Known | None) -> Dataset:
    if path.name.endswith(_SPARSE):
        found = load_svmlight(path, None if known is None else known.n_features)
    elif known is None:
        found = load_csv(path, _TARGET)
    else:
        found = _read(path, known)
    return found if known is None else _checked(found, known)


def _hint(name: str) -> str:
    names = {*known_sets(), *(known.removesuffix("_train") for known in known_sets())}
    return did_you_mean(name, sorted(names)) or "; give the name of a file in the folder"


def _joined(name: str, pair: tuple[Dataset, Dataset]) -> Dataset:
    train, test = pair
    X, y = np.concatenate([train.X, test.X]), np.concatenate([train.y, test.y])
    return replace(train, name=name, X=X, y=y)


def _bundled(name: str, bundled: str) -> Dataset:
    if bundled == "breast_cancer":
        return load_breast_cancer()
    from sklearn import datasets  # inside, as in `load_breast_cancer`

    bunch = getattr(datasets, f"load_{bundled}")()
    labels = list(known_sets()[name].classes)
    features = tuple(map(str, bunch.feature_names))
    return Dataset(name, bunch.data, bunch.target, features, tuple(labels))


def _read(path: Path, known: Known) -> Dataset:
    """The file as numbers; of nominal columns, one for each code."""
    lines, values = read_table(path, _TARGET)
    columns: dict[str, Columns] = {}
    for name, column in values.items():
        if name not in known.incomplete:
            refuse_missing(path, name, column, lines)
        if name in known.nominal:
            columns[name] = _one_hot(path, name, column, lines, known)
        elif name != _TARGET:
            columns[name] = feature_columns(path, name, column, lines)
    if len(values) - 1 != known.n_features:
        raise ValueError(
            f"{path.name} has {len(values) - 1} features, but that data set has "
            f"{known.n_features}; is it another version?"
        )
    return dataset_of(path, columns, values[_TARGET])


def _one_hot(path: Path, name: str, column: list[str], lines: list[int], known: Known) -> Columns:
    """A column of 0 and 1 for each known code, whether it occurs here or not."""
    codes = [str(code) for code in known.nominal[name]]
    if name in known.incomplete:
        codes.append("missing")
        column = ["missing" if text.lower() in MISSING else text for text in column]
    position = {code: i for i, code in enumerate(codes)}
    for text, line in zip(column, lines, strict=True):
        if text not in position:
            raise ValueError(
                f"{path.name}, line {line}, column {name!r}: {text!r} is not a code of this column "
                f"({', '.join(codes)})"
            )
    block = np.eye(len(codes))[[position[text] for text in column]]
    return block, [f"{name}={code}" for code in codes]


def _checked(dataset: Dataset, known: Known) -> Dataset:
    """The data set, if its classes have the samples they should."""
    found = dict(zip(dataset.class_names, dataset.class_counts, strict=True))
    if found != dict(known.classes):
        raise ValueError(
            f"{dataset.name} has the classes {_counts(found)}, but that data set has "
            f"{_counts(known.classes)}; is it another version?"
        )
    return dataset


def _counts(classes: Mapping[str, int]) -> str:
    return ", ".join(f"{label}: {count}" for label, count in classes.items())
