"""Checks and conversions of the arguments of networks."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from dstheory.checks.arguments import as_collection, as_sequence, check_flag, check_instance, shown
from dstheory.mass import MassFunction
from dstheory.network._elimination import check_heuristic
from dstheory.network._errors import DisconnectedError, NetworkError
from dstheory.network._join_tree import Scope
from dstheory.network._kinds import Kind
from dstheory.network._tables import Table
from dstheory.product import Variable

__all__ = [
    "as_order",
    "as_query",
    "as_valuations",
    "as_variables",
    "check_query",
    "evidence",
    "evidence_keys",
]


def as_variables(variables: Any) -> tuple[Variable, ...]:
    """Variables from a sequence of them, or from a mapping of names to values."""
    if isinstance(variables, Mapping):
        variables = [Variable(name, values) for name, values in variables.items()]
    expected = "a sequence of Variable, or a mapping of names to values"
    if isinstance(variables, Variable):
        raise TypeError(f"variables is {shown(variables)}, expected {expected}")
    listed = tuple(as_collection(variables, "variables", expected))
    if not listed:
        raise NetworkError("a network needs at least one variable")
    seen = set()
    for variable in listed:
        check_instance("a variable", variable, Variable, "a Variable")
        if variable.name in seen:
            raise NetworkError(f"variable {variable.name!r} occurs twice")
        seen.add(variable.name)
    return listed


def as_valuations(valuations: Any) -> Mapping[Hashable, Any]:
    """Valuations by key; those without keys are numbered."""
    if isinstance(valuations, Mapping):
        return valuations
    expected = "a sequence of valuations, or a mapping to them"
    if isinstance(valuations, MassFunction | Table):
        raise TypeError(f"valuations is {shown(valuations)}, expected {expected}")
    return dict(enumerate(as_collection(valuations, "valuations", expected)))


def evidence(values: Any, kind: Kind[Any], taken: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
    """Observations as valuations by their keys."""
    check_instance("values", values, Mapping, "a mapping of names to values")
    found: dict[Hashable, Any] = {}
    for name, event in values.items():
        variable = kind.variables[kind.place(name)]
        key = ("observed", variable.name)
        if key in taken or key in found:
            raise NetworkError(
                f"{variable.name!r} has been observed already; forget({variable.name!r}) first"
            )
        found[key] = kind.indicator(variable, event)
    return found


def evidence_keys(
    names: Iterable[Any], kind: Kind[Any], taken: Mapping[Hashable, Any]
) -> list[Hashable]:
    """Keys of the observations of some variables, or of all if no names are given."""
    listed = [kind.variables[kind.place(name)].name for name in names]
    for name in listed:
        if ("observed", name) not in taken:
            raise NetworkError(
                f"nothing was observed about {name!r}, so there is nothing to forget"
            )
    return [key for name in listed or kind.places if (key := ("observed", name)) in taken]


def as_query(names: Any, kind: Kind[Any]) -> str | list[str]:
    """The name of a single variable, or a list of names."""
    if isinstance(names, str | Variable):
        return kind.variables[kind.place(names)].name
    listed = as_sequence(names, "names", "a name or a sequence of names")
    return [kind.variables[kind.place(name)].name for name in listed]


def as_order(order: str | Sequence[str], kind: Kind[Any]) -> str | tuple[int, ...]:
    """The name of a heuristic, or positions of all variables."""
    if isinstance(order, str):
        return check_heuristic(order)
    expected = "a heuristic, or the names of all variables in order"
    order = as_sequence(order, "order", expected)
    places = tuple(kind.place(name) for name in order)
    if sorted(places) != list(range(len(kind.variables))):
        missing = [v.name for place, v in enumerate(kind.variables) if place not in places]
        raise NetworkError(
            f"an order names each variable once; missing are {missing}; given are {order}"
        )
    return places


def check_query(
    query: str | list[str], kind: Kind[Any], components: list[set[int]], disconnected: bool
) -> Scope:
    """Positions of the variables of a query, if it is valid."""
    scope = kind.scope_of(query)
    if len(set(scope)) < len(scope) or not scope:
        raise NetworkError(f"a query names one or more different variables, not {query!r}")
    check_flag("disconnected", disconnected)
    parts = [part & set(scope) for part in components if part & set(scope)]
    if len(parts) > 1 and not disconnected:
        sets = [f"{{{', '.join(map(repr, kind.named(tuple(sorted(p)))))}}}" for p in parts]
        raise DisconnectedError(
            f"no valuation links {' and '.join(sets)}, so their joint marginal adds nothing to "
            "their separate ones; query these, or pass disconnected=True"
        )
    return scope
