"""JSON: a whole network, with a version, digit for digit.

Focal sets are lists of positions of configurations, the last variable running fastest; tables are
flat lists in the same order. Fractions are written as "p/q". What is read is checked like any
other input.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from dstheory.errors import DSTheoryError
from dstheory.interchange._numbers import as_written, from_written
from dstheory.kernels import bits
from dstheory.mass import MassFunction
from dstheory.network._network import ValuationNetwork
from dstheory.network._tables import Table
from dstheory.product import ProductFrame, Variable

__all__ = ["from_json", "to_json"]

_FORMAT = "dstheory.ValuationNetwork"
_VERSION = 1
_FIELDS = {"format", "version", "kind", "tnorm", "order", "variables", "valuations"}
_MASSES = {"key", "variables", "numbers", "focal", "masses"}
_NUMBERS = {"key", "variables", "numbers", "values"}


def to_json(network: ValuationNetwork) -> str:
    """A network as JSON.

    Parameters
    ----------
    network : ValuationNetwork
        Values of variables and keys are strings, numbers, booleans, None, or tuples of these.

    Returns
    -------
    str
        Limits are not written.

    Raises
    ------
    TypeError
        If a value, key or number has no JSON form (symbols have none).

    Examples
    --------
    >>> net = ValuationNetwork({"rain": ["yes", "no"]}).observe({"rain": "yes"})
    >>> from_json(to_json(net)).valuations == net.valuations
    True
    """
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": network.kind,
        "tnorm": network.tnorm,
        "order": network.order,
        "variables": [
            {"name": variable.name, "values": [_encoded(value) for value in variable.values]}
            for variable in network.variables
        ],
        "valuations": [
            {"key": _encoded(key), **_valuation(one)} for key, one in network.valuations.items()
        ],
    }
    return json.dumps(document, allow_nan=False)


def from_json(text: str | bytes, **options: Any) -> ValuationNetwork:
    """The network that `to_json` has written.

    Parameters
    ----------
    text : str or bytes
    **options
        Limits, as those of `ValuationNetwork`.

    Returns
    -------
    ValuationNetwork
        With equal variables and valuations, to the last digit.

    Raises
    ------
    DSTheoryError
        If the text is not JSON, of another format, of a later version, or damaged.

    Examples
    --------
    >>> from_json('{"format": "table"}')
    Traceback (most recent call last):
    dstheory.errors.DSTheoryError: format is 'table', not 'dstheory.ValuationNetwork'
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, or nested too deeply
        raise DSTheoryError(f"the text is not JSON: {error}") from error
    _check_document(document)
    try:
        variables = {
            one["name"]: Variable(one["name"], [_decoded(value) for value in one["values"]])
            for one in document["variables"]
        }
        read = [_read(one, document["kind"], variables) for one in document["valuations"]]
        keys = [_decoded(one["key"]) for one in document["valuations"]]
        if len(set(keys)) < len(keys):
            raise DSTheoryError("the object is damaged: a key occurs twice")
        given = {"tnorm": document["tnorm"]} if document["tnorm"] else {}
        given |= {"kind": document["kind"], "order": document["order"], **options}
        valuations = dict(zip(keys, read, strict=True))
        return ValuationNetwork(variables.values(), valuations, **given)
    except DSTheoryError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DSTheoryError(f"the object is damaged: {error!r}") from error


def _check_document(document: Any) -> None:
    if not isinstance(document, dict):
        raise DSTheoryError(f"the text is a JSON {type(document).__name__}, not an object")
    if document.get("format") != _FORMAT:
        raise DSTheoryError(f"format is {document.get('format')!r}, not {_FORMAT!r}")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise DSTheoryError(f"version is {version!r}, not a number from 1 on")
    if version > _VERSION:
        raise DSTheoryError(
            f"version {version} is later than {_VERSION}, which this reader knows; "
            "install a later release"
        )
    _check_fields(document, _FIELDS)
    for field in ("variables", "valuations"):
        if not isinstance(document[field], list):
            raise DSTheoryError(f"the object is damaged: {field} is no list")


def _check_fields(one: Any, fields: set[str]) -> None:
    if not isinstance(one, dict) or set(one) != fields:
        odd = sorted(fields ^ set(one)) if isinstance(one, dict) else one
        raise DSTheoryError(f"the object is damaged: missing or unknown fields {odd}")


def _valuation(one: MassFunction | Table) -> dict[str, Any]:
    if isinstance(one, Table):
        numbers, values = as_written(one.values)
        return {"variables": list(one.names), "numbers": numbers, "values": values}
    numbers, masses = as_written(one.masses)
    assert isinstance(one.frame, ProductFrame)  # as the network has read it
    focal = bits.members(one.focal, len(one.frame)).T
    return {
        "variables": list(one.frame.names),
        "numbers": numbers,
        "focal": [row.nonzero()[0].tolist() for row in focal],
        "masses": masses,
    }


def _read(one: Any, kind: str, variables: Mapping[str, Variable]) -> MassFunction | Table:
    _check_fields(one, _MASSES if kind == "belief" else _NUMBERS)
    frame = ProductFrame([variables[name] for name in one["variables"]])
    values = from_written(one["masses" if kind == "belief" else "values"], one["numbers"])
    if kind != "belief":
        if len(values) != math.prod(frame.shape):
            raise DSTheoryError(f"there are {len(values)} numbers for a shape of {frame.shape}")
        return Table(frame.names, values.reshape(frame.shape))
    focal = [_mask(positions, len(frame)) for positions in one["focal"]]
    return MassFunction(frame, focal, values)


def _mask(positions: Any, size: int) -> int:
    valid = isinstance(positions, list) and all(type(i) is int and 0 <= i < size for i in positions)
    if not valid or len(set(positions)) < len(positions):
        raise DSTheoryError(
            f"the object is damaged: focal set {positions!r:.60} is no list of distinct positions "
            f"below {size}"
        )
    return sum(1 << i for i in positions)


def _encoded(label: Any) -> Any:
    if isinstance(label, tuple):
        return {"tuple": [_encoded(part) for part in label]}
    if label is None or isinstance(label, str | int):
        return label
    if isinstance(label, float) and math.isfinite(label):
        return label
    raise TypeError(f"{label!r} has no JSON form; use strings, numbers or tuples of them")


def _decoded(label: Any) -> Any:
    if isinstance(label, dict) and set(label) == {"tuple"} and isinstance(label["tuple"], list):
        return tuple(_decoded(part) for part in label["tuple"])
    if isinstance(label, dict | list):
        raise DSTheoryError(f"the object is damaged: {label!r} is no label")
    return label
