"""Rows in which a number or a class is missing: refused, left out, or taken as vacuous beliefs.

A missing score says nothing. That is the vacuous belief, Bel = 0 and Pl = 1, which changes nothing
under Dempster's rule.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from evical.cli._kinds import Kind, or_none

__all__ = ["complete_rows", "kinds_to_count", "label_kind", "optional_kinds", "tell_missing"]

_MEANING = {
    "drop": "have no number, or no class; they are left out",
    "vacuous": "have no number; they are taken as bel 0 and pl 1",
}


def optional_kinds(columns: Mapping[str, Kind], missing: str) -> dict[str, Kind]:
    """Kinds of columns, with missing numbers allowed unless they are refused."""
    return {name: kind if missing == "refuse" else or_none(kind) for name, kind in columns.items()}


def label_kind(missing: str) -> Kind:
    """Kind of the column of classes: rows without one are left out if that is asked for."""
    return or_none("label") if missing == "drop" else "label"


def kinds_to_count(columns: Mapping[str, Kind], missing: str) -> dict[str, Kind]:
    """Kinds of columns of scores, of the class, and maybe of weights, which are never missing."""
    score, target, *weight = columns
    return {
        **optional_kinds({score: columns[score]}, missing),
        target: label_kind(missing),
        **{name: columns[name] for name in weight},
    }


def complete_rows(columns: Iterable[NDArray[Any]]) -> NDArray[np.bool_]:
    """Rows (n,) in which no number is missing."""
    return np.asarray(np.logical_and.reduce([~np.isnan(values) for values in columns]))


def tell_missing(name: str, count: int, rows: int, missing: str) -> None:
    """Say on standard error how many such rows there were, if any."""
    if count:
        typer.echo(f"evical: {name}: {count} of {rows} rows {_MEANING[missing]}", err=True)
