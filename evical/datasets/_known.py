"""What is known about the data sets of the papers: sizes, classes, nominal codes.

A file with the right name and the wrong rows would silently give a wrong table, so size and class
counts are checked on loading. Columns of nominal codes are listed, because their files do not
distinguish them from numbers. The table is `known.toml`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class OpenML:
    """The entry of a data set on openml.org.

    Parameters
    ----------
    name : str
    version : int
    labels : mapping
        Its class labels to ours.
    """

    name: str
    version: int
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Known:
    """A data set as it must be.

    Parameters
    ----------
    n_features : int
        Before encoding.
    classes : mapping
        Label to number of samples.
    nominal : mapping
        Column to its codes, which have no order and are one-hot encoded.
    incomplete : frozenset of str
        Nominal columns in which missing is a category of its own.
    bundled : str, optional
        Name of scikit-learn's own copy.
    openml : OpenML, optional
    """

    n_features: int
    classes: Mapping[str, int]
    nominal: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    incomplete: frozenset[str] = frozenset()
    bundled: str | None = None
    openml: OpenML | None = None


def _codes(found: int | list[int]) -> tuple[int, ...]:
    """Codes as they are listed, or as many from 0."""
    return tuple(range(found) if isinstance(found, int) else found)


def _known(data: dict[str, Any], nominal: Mapping[str, Mapping[str, Any]]) -> Known:
    classes, incomplete = data["classes"], data.get("incomplete", ())
    if isinstance(classes, list):
        classes = {str(label): count for label, count in enumerate(classes)}
    columns = nominal[data["nominal"]] if "nominal" in data else {}
    return Known(
        n_features=data["n_features"],
        classes=classes,
        nominal={name: _codes(codes) for name, codes in columns.items()},
        incomplete=frozenset(columns if incomplete is True else incomplete),
        bundled=data.get("bundled"),
        openml=OpenML(**data["openml"]) if "openml" in data else None,
    )


@cache
def known_sets() -> dict[str, Known]:
    """Name of a file, without its ending, to what it must hold; read when it is asked for."""
    text = files("evical.datasets").joinpath("known.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    nominal = tables.pop("nominal")
    return {name: _known(data, nominal) for name, data in tables.items()}
