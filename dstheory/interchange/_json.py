"""JSON: one mass function or a batch, with a version, digit for digit.

Floats are written in their shortest exact form, fractions as "p/q". What is read is checked
like any other input; a file is data, never code.
"""

import json
import math
from typing import Any, TypeGuard

from dstheory._masses import check_mass
from dstheory.errors import DSTheoryError
from dstheory.frame import Frame
from dstheory.interchange._numbers import as_written, from_written
from dstheory.mass import MassFunction

__all__ = ["from_json", "to_json"]

_FORMAT = "dstheory.MassFunction"
_VERSION = 1
_FIELDS = {"format", "version", "frame", "batch_shape", "focal", "numbers", "masses"}


def to_json(m: MassFunction) -> str:
    """A mass function, or a batch, as JSON.

    Parameters
    ----------
    m : MassFunction
        Labels are strings, numbers, booleans, None, or tuples of these.

    Returns
    -------
    str
        An object with the fields `format`, `version`, `frame` (labels), `focal` (positions of
        the labels of each set), `batch_shape`, `numbers` ("float" or "fraction"), and
        `masses` in the order of (*batch, F).

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
        "frame": [_encoded(label) for label in m.frame],
        "batch_shape": list(m.batch_shape),
        "focal": [_positions(mask) for mask in m.focal],
        "numbers": numbers,
        "masses": masses,
    }
    return json.dumps(document, allow_nan=False)


def from_json(text: str | bytes) -> MassFunction:
    """The mass function that `to_json` has written.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    MassFunction
        Equal to the one written, to the last digit.

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
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, or nested too deeply
        raise DSTheoryError(f"the text is not JSON: {error}") from error
    _check_document(document)
    frame = Frame([_decoded(label) for label in document["frame"]])
    focal = [_mask(positions, len(frame)) for positions in document["focal"]]
    masses = from_written(document["masses"], document["numbers"])
    shape = (*document["batch_shape"], len(focal))
    if math.prod(shape) != len(masses):
        raise DSTheoryError(f"there are {len(masses)} masses, but the shape is {shape}")
    return MassFunction(frame, focal, masses.reshape(shape))


def _check_document(document: Any) -> None:
    """Refuse what is not the format, in terms that tell foreign, future and damaged apart."""
    if not isinstance(document, dict):
        raise DSTheoryError(f"the text is a JSON {type(document).__name__}, not an object")
    if document.get("format") != _FORMAT:
        raise DSTheoryError(f"format is {document.get('format')!r}, not {_FORMAT!r}")
    version = document.get("version")
    if not _is_count(version) or version < 1:
        raise DSTheoryError(f"version is {version!r}, not a number from 1 on")
    if version > _VERSION:
        raise DSTheoryError(
            f"version {version} is later than {_VERSION}, which this reader knows; "
            "install a later release"
        )
    odd = sorted(_FIELDS ^ set(document))
    if odd:
        raise DSTheoryError(f"the object is damaged: missing or unknown fields {odd}")
    for field in ("frame", "batch_shape", "focal", "masses"):
        if not isinstance(document[field], list):
            raise DSTheoryError(f"the object is damaged: {field} is no list")
    if not all(_is_count(length) for length in document["batch_shape"]):
        raise DSTheoryError(f"the object is damaged: batch_shape is {document['batch_shape']}")


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _encoded(label: Any) -> Any:
    if isinstance(label, tuple):
        return {"tuple": [_encoded(part) for part in label]}
    if label is None or isinstance(label, str | int):
        return label
    if isinstance(label, float) and math.isfinite(label):
        return label
    raise TypeError(f"label {label!r} has no JSON form; use strings, numbers or tuples of them")


def _decoded(label: Any) -> Any:
    if isinstance(label, dict) and set(label) == {"tuple"} and isinstance(label["tuple"], list):
        return tuple(_decoded(part) for part in label["tuple"])
    if isinstance(label, dict | list):
        raise DSTheoryError(f"the object is damaged: {label!r} is no label")
    return label


def _positions(mask: Any) -> list[int]:
    return [i for i in range(int(mask).bit_length()) if int(mask) >> i & 1]


def _mask(positions: Any, size: int) -> int:
    valid = isinstance(positions, list) and all(_is_count(i) and i < size for i in positions)
    if not valid or len(set(positions)) < len(positions):
        raise DSTheoryError(
            f"the object is damaged: focal set {positions!r} is no list of distinct positions "
            f"below {size}"
        )
    return sum(1 << i for i in positions)
