"""What users give to a network, in the form that is worked with."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dstheory.network._elimination import check_heuristic
from dstheory.network._errors import DisconnectedError, NetworkError
from dstheory.network._join_tree import Scope
from dstheory.network._kinds import Kind
from dstheory.product import Variable

__all__ = ["as_order", "as_variables", "check_query"]


def as_variables(variables: Any) -> tuple[Variable, ...]:
    """Variables from a sequence of them, or from a mapping of names to values."""
    if isinstance(variables, Mapping):
        variables = [Variable(name, values) for name, values in variables.items()]
    if isinstance(variables, str | Variable) or not isinstance(variables, Iterable):
        raise TypeError(f"variables are a sequence of Variable or a mapping, not {variables!r}")
    listed = tuple(variables)
    if not listed:
        raise NetworkError("a network needs at least one variable")
    seen = set()
    for variable in listed:
        if not isinstance(variable, Variable):
            raise TypeError(f"a variable is a Variable, not {variable!r}")
        if variable.name in seen:
            raise NetworkError(f"variable {variable.name!r} occurs twice")
        seen.add(variable.name)
    return listed


def as_order(order: str | Sequence[str], kind: Kind[Any]) -> str | tuple[int, ...]:
    """The name of a heuristic, or positions of all variables."""
    if isinstance(order, str):
        return check_heuristic(order)
    places = tuple(kind.place(name) for name in order)
    if sorted(places) != list(range(len(kind.variables))):
        missing = [v.name for place, v in enumerate(kind.variables) if place not in places]
        raise NetworkError(
            f"an order names each variable once; missing are {missing}, given are {list(order)}"
        )
    return places


def check_query(
    query: str | list[str], kind: Kind[Any], components: list[set[int]], disconnected: bool
) -> Scope:
    """Positions of the variables of a query, if it makes sense."""
    scope = kind.scope_of(query)
    if len(set(scope)) < len(scope) or not scope:
        raise NetworkError(f"a query names one or more different variables, not {query!r}")
    parts = [part & set(scope) for part in components if part & set(scope)]
    if len(parts) > 1 and not disconnected:
        sets = [f"{{{', '.join(map(repr, kind.named(tuple(sorted(p)))))}}}" for p in parts]
        raise DisconnectedError(
            f"no valuation links {' and '.join(sets)}, so that their joint marginal says no more "
            "than each by itself; ask for each, or pass disconnected=True"
        )
    return scope
