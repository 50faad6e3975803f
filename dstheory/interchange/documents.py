"""Shared parts of the JSON of mass functions and networks: head, labels, sets, variables.

A document names its format and version, so that errors can tell foreign, newer and damaged ones
apart.
"""

import json
import math
from collections.abc import Hashable, Iterable
from typing import Any, TypeGuard

from numpy.typing import NDArray

from dstheory.checks.arguments import check_instance
from dstheory.errors import DSTheoryError
from dstheory.kernels import bits
from dstheory.product import Variable


def load(text: str | bytes, name: str, version: int) -> dict[str, Any]:
    """The object in a text, if it has this format and a version up to the given one."""
    check_instance("text", text, (str, bytes), "JSON as str or bytes")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, or nested too deeply
        raise DSTheoryError(f"the text is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise DSTheoryError(f"the text is a JSON {type(document).__name__}, not an object")
    if document.get("format") != name:
        raise DSTheoryError(f"format is {document.get('format')!r}, not {name!r}")
    found = document.get("version")
    if not is_count(found) or found < 1:
        raise DSTheoryError(f"version is {found!r}, not a number from 1 on")
    if found > version:
        raise DSTheoryError(
            f"version {found} is later than {version}, the last that this reader knows; "
            "install a later release"
        )
    return document


def check_fields(one: object, fields: set[str]) -> None:
    """Raise unless a value is an object with exactly these fields."""
    if not isinstance(one, dict) or set(one) != fields:
        odd = sorted(fields ^ set(one)) if isinstance(one, dict) else one
        raise DSTheoryError(f"the object is damaged: missing or unknown fields {odd}")


def check_lists(document: dict[str, Any], *fields: str) -> None:
    """Raise unless these fields are lists."""
    for field in fields:
        if not isinstance(document[field], list):
            raise DSTheoryError(f"the object is damaged: {field} is not a list")


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value is a non-negative integer and not a Boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def encode(label: Hashable) -> Any:
    """A label or a key as JSON.

    >>> encode(("ant", 1))
    {'tuple': ['ant', 1]}
    """
    if isinstance(label, tuple):
        return {"tuple": [encode(part) for part in label]}
    if label is None or isinstance(label, str | int):
        return label
    if isinstance(label, float) and math.isfinite(label):
        return label
    raise TypeError(f"{label!r} has no JSON form; use strings, numbers or tuples of them")


def decode(label: Hashable) -> Any:
    """The label written by `encode`.

    >>> decode({"tuple": ["ant", 1]})
    ('ant', 1)
    """
    if isinstance(label, dict) and set(label) == {"tuple"} and isinstance(label["tuple"], list):
        return tuple(decode(part) for part in label["tuple"])
    if isinstance(label, dict | list):
        raise DSTheoryError(f"the object is damaged: {label!r:.60} is not a label")
    return label


def positions(focal: NDArray[Any], size: int) -> list[list[int]]:
    """Positions of the labels of each set."""
    return [row.nonzero()[0].tolist() for row in bits.members(focal, size).T]


def mask_of(places: Any, size: int) -> int:
    """Mask of a set from positions of its labels."""
    valid = isinstance(places, list) and all(is_count(i) and i < size for i in places)
    if not valid or len(set(places)) < len(places):
        raise DSTheoryError(
            f"the object is damaged: focal set {places!r:.60} is not a list of distinct positions "
            f"below {size}"
        )
    return sum(1 << i for i in places)


def written_variables(variables: Iterable[Variable]) -> list[dict[str, Any]]:
    """Names and values of variables."""
    return [{"name": v.name, "values": [encode(value) for value in v.values]} for v in variables]


def read_variables(written: list[Any]) -> list[Variable]:
    """Variables written by `written_variables`."""
    found = []
    for one in written:
        check_fields(one, {"name", "values"})
        check_lists(one, "values")
        if not isinstance(one["name"], str):
            raise DSTheoryError(f"the object is damaged: name {one['name']!r:.60} is not a string")
        found.append(Variable(one["name"], [decode(value) for value in one["values"]]))
    return found
