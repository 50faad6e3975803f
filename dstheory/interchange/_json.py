"""JSON: one mass function or a batch, with a format version, to the last digit.

Floats are written in their shortest exact form, fractions as "p/q". Input is validated like any
other; a file is data, never code.
"""

import json
import math
from typing import Any

from dstheory._masses import check_mass
from dstheory.errors import DSTheoryError
from dstheory.frame import Frame
from dstheory.interchange.documents import (
    check_fields,
    check_lists,
    decode,
    encode,
    is_count,
    load,
    mask_of,
    positions,
    read_variables,
    written_variables,
)
from dstheory.interchange.numbers import as_written, from_written
from dstheory.mass import MassFunction
from dstheory.product import ProductFrame

_FORMAT = "dstheory.MassFunction"
_VERSION = 1
_FIELDS = {"format", "version", "batch_shape", "focal", "numbers", "masses"}


def to_json(m: MassFunction) -> str:
    """A mass function, or a batch, as JSON.

    Parameters
    ----------
    m : MassFunction
        Labels, or values of the variables of a product, are strings, numbers, booleans, None, or
        tuples of these.

    Returns
    -------
    str
        An object with the fields `format`, `version`, `frame` (labels; of a product instead
        `variables`, names and values), `focal` (positions of the labels of each set; of a product
        of its configurations, the last variable moving fastest), `batch_shape`, `numbers`
        ("float" or "fraction"), and `masses` in the order of (*batch, F).

    Raises
    ------
    TypeError
        If a label or mass has no JSON form (symbolic masses have none).

    Examples
    --------
    >>> from fractions import Fraction
    >>> frame = Frame(["ant", "bee"])
    >>> text = to_json(MassFunction(frame, [1, 3], [Fraction(1, 3), Fraction(2, 3)]))
    >>> from_json(text).bel("ant")
    Fraction(1, 3)
    """
    numbers, masses = as_written(check_mass(m).masses)
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        **_written_frame(m.frame),
        "batch_shape": list(m.batch_shape),
        "focal": positions(m.focal, len(m.frame)),
        "numbers": numbers,
        "masses": masses,
    }
    return json.dumps(document, allow_nan=False)


def from_json(text: str | bytes) -> MassFunction:
    """Read a mass function written by `to_json`.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    MassFunction
        Equal to the one written, to the last digit, and on the same product frame if there was one.

    Raises
    ------
    DSTheoryError
        If the text is not JSON, of another format, of a later version, or damaged.

    Examples
    --------
    >>> from_json('{"format": "table"}')
    Traceback (most recent call last):
    dstheory.errors.DSTheoryError: format is 'table', not 'dstheory.MassFunction'
    """
    document = load(text, _FORMAT, _VERSION)
    _check_document(document)
    frame = _read_frame(document)
    focal = [mask_of(places, len(frame)) for places in document["focal"]]
    masses = from_written(document["masses"], document["numbers"])
    shape = (*document["batch_shape"], len(focal))
    if math.prod(shape) != len(masses):
        raise DSTheoryError(f"there are {len(masses)} masses, but the shape is {shape}")
    return MassFunction(frame, focal, masses.reshape(shape))


def _check_document(document: dict[str, Any]) -> None:
    check_fields(document, _FIELDS | ({"variables"} if "variables" in document else {"frame"}))
    check_lists(document, "batch_shape", "focal", "masses")
    check_lists(document, "variables" if "variables" in document else "frame")
    if not all(is_count(length) for length in document["batch_shape"]):
        raise DSTheoryError(f"the object is damaged: batch_shape is {document['batch_shape']}")


def _written_frame(frame: Frame) -> dict[str, Any]:
    if isinstance(frame, ProductFrame):
        return {"variables": written_variables(frame.variables)}
    return {"frame": [encode(label) for label in frame]}


def _read_frame(document: dict[str, Any]) -> Frame:
    if "variables" in document:
        return ProductFrame(read_variables(document["variables"]))
    return Frame([decode(label) for label in document["frame"]])
