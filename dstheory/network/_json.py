"""JSON: a whole network, with a format version, without loss of digits.

Focal sets are lists of positions of configurations, with the last variable varying fastest; tables
are flat lists in the same order. Fractions are written as "p/q". Input is validated like any other.
"""

import json
import math
from collections.abc import Hashable, Mapping
from dataclasses import fields
from typing import Any

from dstheory.checks.arguments import check_instance
from dstheory.errors import DSTheoryError
from dstheory.interchange.documents import (
    check_fields,
    check_lists,
    decode,
    encode,
    load,
    mask_of,
    positions,
    read_variables,
    written_variables,
)
from dstheory.interchange.numbers import as_written, from_written
from dstheory.mass import MassFunction
from dstheory.network._limits import Limits
from dstheory.network._network import ValuationNetwork
from dstheory.network._tables import Table
from dstheory.product import ProductFrame, Variable

_FORMAT = "dstheory.ValuationNetwork"
_VERSION = 1
_FIELDS = {"format", "version", "kind", "tnorm", "order", "variables", "valuations"}
_MASSES = {"key", "variables", "numbers", "focal", "masses"}
_OPTIONS = {field.name for field in fields(Limits)}
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
    check_instance("network", network, ValuationNetwork, "a ValuationNetwork")
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": network.kind,
        "tnorm": network.tnorm,
        "order": network.order,
        "variables": written_variables(network.variables),
        "valuations": [
            {"key": encode(key), **_valuation(one)} for key, one in network.valuations.items()
        ],
    }
    return json.dumps(document, allow_nan=False)


def from_json(text: str | bytes, **options: Any) -> ValuationNetwork:
    """Read a network written by `to_json`.

    Parameters
    ----------
    text : str or bytes
    **options
        Limits, as for `ValuationNetwork`.

    Returns
    -------
    ValuationNetwork
        With equal variables and valuations, to the last digit.

    Raises
    ------
    DSTheoryError
        If the text is not JSON, of another format, of a later version, or damaged.
    TypeError, ValueError
        If an option is unknown or wrong, as for `ValuationNetwork`.

    Examples
    --------
    >>> from_json('{"format": "table"}')
    Traceback (most recent call last):
    dstheory.errors.DSTheoryError: format is 'table', not 'dstheory.ValuationNetwork'
    """
    document = load(text, _FORMAT, _VERSION)
    check_fields(document, _FIELDS)
    check_lists(document, "variables", "valuations")
    unknown = sorted(set(options) - _OPTIONS)
    if unknown:
        raise TypeError(f"{unknown[0]!r} is not a limit; limits are {', '.join(sorted(_OPTIONS))}")
    Limits(**options)  # an error about limits, not about a damaged object
    try:
        variables = read_variables(document["variables"])
        valuations = _valuations(document["valuations"], document["kind"], variables)
        given = {"tnorm": document["tnorm"]} if document["tnorm"] else {}
        given |= {"kind": document["kind"], "order": document["order"], **options}
        return ValuationNetwork(variables, valuations, **given)
    except DSTheoryError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DSTheoryError(f"the object is damaged: {error!r}") from error


def _valuations(
    written: list[Any], kind: str, variables: list[Variable]
) -> dict[Hashable, MassFunction | Table]:
    by_name = {variable.name: variable for variable in variables}
    found: dict[Hashable, MassFunction | Table] = {}
    for one in written:
        read, key = _read(one, kind, by_name), decode(one["key"])
        if key in found:
            raise DSTheoryError(f"the object is damaged: key {key!r} occurs twice")
        found[key] = read
    return found


def _valuation(one: MassFunction | Table) -> dict[str, Any]:
    if isinstance(one, Table):
        numbers, values = as_written(one.values)
        return {"variables": list(one.names), "numbers": numbers, "values": values}
    numbers, masses = as_written(one.masses)
    assert isinstance(one.frame, ProductFrame)  # as the network has read it
    return {
        "variables": list(one.frame.names),
        "numbers": numbers,
        "focal": positions(one.focal, len(one.frame)),
        "masses": masses,
    }


def _read(
    one: dict[str, Any], kind: str, variables: Mapping[str, Variable]
) -> MassFunction | Table:
    check_fields(one, _MASSES if kind == "belief" else _NUMBERS)
    frame = ProductFrame([variables[name] for name in one["variables"]])
    values = from_written(one["masses" if kind == "belief" else "values"], one["numbers"])
    if kind != "belief":
        if len(values) != math.prod(frame.shape):
            raise DSTheoryError(f"there are {len(values)} numbers for a shape of {frame.shape}")
        return Table(frame.names, values.reshape(frame.shape))
    focal = [mask_of(places, len(frame)) for places in one["focal"]]
    return MassFunction(frame, focal, values)
