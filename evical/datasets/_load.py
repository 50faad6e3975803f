"""Data sets by name: from a local folder, from scikit-learn, or from OpenML.

A folder has one CSV file for each data set, with the class in the last column, `target`; or a
sparse one in the svmlight format. Nominal codes are one-hot encoded, as listed in `KNOWN`, so the
training and the test file of a data set get the same columns. Known sizes are checked.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_instance, did_you_mean
from evical.datasets._bundled import load_breast_cancer
from evical.datasets._dataset import Dataset
from evical.datasets._known import KNOWN, Known
from evical.datasets._openml import fetch_openml
from evical.datasets._svmlight import load_svmlight
from evical.datasets.csv import (
    MISSING,
    feature_columns,
    load_csv,
    read_table,
    refuse_missing,
    sorted_labels,
)

__all__ = ["load", "load_split"]

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
    if f"{name}_train" in KNOWN:
        return _joined(name, load_split(name, data))
    known = KNOWN.get(name)
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
    if f"{name}_train" not in KNOWN:
        split = [known.removesuffix("_train") for known in KNOWN if known.endswith("_train")]
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
    names = {*KNOWN, *(known.removesuffix("_train") for known in KNOWN)}
    return did_you_mean(name, sorted(names)) or "; give the name of a file in the folder"


def _joined(name: str, pair: tuple[Dataset, Dataset]) -> Dataset:
    train, test = pair
    return Dataset(
        name=name,
        X=np.concatenate([train.X, test.X]),
        y=np.concatenate([train.y, test.y]),
        feature_names=train.feature_names,
        class_names=train.class_names,
        encoded=train.encoded,
    )


def _bundled(name: str, bundled: str) -> Dataset:
    if bundled == "breast_cancer":
        return load_breast_cancer()
    from sklearn import datasets  # inside, as in _bundled.py

    bunch = getattr(datasets, f"load_{bundled}")()
    labels = list(KNOWN[name].classes)
    features = tuple(map(str, bunch.feature_names))
    return Dataset(name, bunch.data, bunch.target, features, tuple(labels))


def _read(path: Path, known: Known) -> Dataset:
    """The file as numbers; of nominal columns, one for each code."""
    lines, values = read_table(path, _TARGET)
    blocks: list[NDArray[np.float64]] = []
    names: list[str] = []
    for name, column in values.items():
        if name not in known.incomplete:
            refuse_missing(path, name, column, lines)
        if name == _TARGET:
            continue
        if name in known.nominal:
            block, new = _one_hot(path, name, column, lines, known)
        else:
            block, new = feature_columns(path, name, column, lines)
        blocks.append(block)
        names += new
    if len(values) - 1 != known.n_features:
        raise ValueError(
            f"{path.name} has {len(values) - 1} features, but that data set has "
            f"{known.n_features}; is it another version?"
        )
    labels = sorted_labels(values[_TARGET])
    return Dataset(
        name=path.name.removesuffix(".gz").removesuffix(".csv"),
        X=np.concatenate(blocks, axis=1),
        y=np.array([labels.index(label) for label in values[_TARGET]]),
        feature_names=tuple(names),
        class_names=tuple(labels),
        encoded=tuple(name for name in values if name in known.nominal),
    )


def _one_hot(
    path: Path, name: str, column: list[str], lines: list[int], known: Known
) -> tuple[NDArray[np.float64], list[str]]:
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
