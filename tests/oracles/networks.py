"""Oracles on networks of variables, by brute force on the joint frame and by local computation.

By brute force every potential is refined to the frame of all configurations, all are combined
there, and the result is coarsened to one variable: slow and obvious, with the public functions
for one frame. A valuation network gives the same without the joint frame.
"""

from collections.abc import Callable
from functools import reduce
from itertools import product
from operator import and_
from typing import Any

from dstheory import Frame, MassFunction, revise
from dstheory.network import ValuationNetwork
from dstheory.product import ProductFrame, Variable, combine, marginalize

Number = Callable[[str], Any]
Variables = dict[str, list[str]]


def potential(given: dict[str, Any], variables: Variables, number: Number) -> MassFunction:
    """A mass function on the configurations of its own variables."""
    frame = Frame(product(*(variables[name] for name in given["vars"])))
    masks = [
        frame.full if focal["tuples"] is None else frame.mask([tuple(t) for t in focal["tuples"]])
        for focal in given["focal"]
    ]
    return MassFunction(frame, masks, [number(str(focal["mass"])) for focal in given["focal"]])


def extensions(names: list[str], variables: Variables, joint: Frame) -> dict[Any, list[Any]]:
    """Configurations of some variables, each with the joint ones that agree with it."""
    places = [list(variables).index(name) for name in names]
    cells: dict[Any, list[Any]] = {}
    for configuration in joint:
        cells.setdefault(tuple(configuration[i] for i in places), []).append(configuration)
    return cells


def marginals(
    potentials: list[dict[str, Any]], variables: Variables, number: Number, query: list[str]
) -> dict[str, MassFunction]:
    """The combined belief about each variable of the query."""
    joint = Frame(product(*variables.values()))
    extended = [
        revise.refine(
            potential(given, variables, number),
            joint,
            extensions(given["vars"], variables, joint),
        )
        for given in potentials
    ]
    together = reduce(and_, extended).normalize()
    results = {}
    for name in query:
        cells = extensions([name], variables, joint)
        events = {label: configurations for (label,), configurations in cells.items()}
        results[name] = revise.coarsen(together, Frame(variables[name]), events)
    return results


def valuations(
    potentials: list[dict[str, Any]], variables: Variables, number: Number
) -> list[MassFunction]:
    """The same potentials on products."""
    known = {name: Variable(name, values) for name, values in variables.items()}
    on_products = []
    for given in potentials:
        m = potential(given, variables, number)
        frame = ProductFrame([known[name] for name in given["vars"]])
        assert frame.labels == m.frame.labels
        on_products.append(MassFunction(frame, m.focal, m.masses))
    return on_products


def by_products(
    potentials: list[dict[str, Any]], variables: Variables, number: Number, query: list[str]
) -> dict[str, MassFunction]:
    """The same by extension to the product of all variables, and marginals of that."""
    together = combine(*valuations(potentials, variables, number))
    return {name: marginalize(together, name) for name in query}


def by_messages(
    potentials: list[dict[str, Any]], variables: Variables, number: Number, query: list[str]
) -> dict[str, MassFunction]:
    """The same by messages on a join tree."""
    net = ValuationNetwork(variables, valuations(potentials, variables, number))
    return {name: net.marginal(name) for name in query}


def by_fusion(
    potentials: list[dict[str, Any]], variables: Variables, number: Number, query: list[str]
) -> dict[str, MassFunction]:
    """The same by eliminating all other variables, one query at a time."""
    net = ValuationNetwork(variables, valuations(potentials, variables, number))
    return {name: net.fuse(name) for name in query}


def refer(oracle: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Any]:
    """The oracle itself, with the potentials of another one that its text points to."""
    text = oracle.get("potentials")
    if not isinstance(text, str):
        return oracle
    name, _, rest = text.partition(" without the potentials on ")
    left_out = [[variable] for variable in rest.split(" and ")]
    (potentials,) = (other["potentials"] for other in others if other["id"] == name)
    return {**oracle, "potentials": [p for p in potentials if p["vars"] not in left_out]}


def solve(oracle: dict[str, Any], number: Number, route: Any = marginals) -> Any:
    """Marginals that an oracle asks for: a mass function, or one by one for each variable."""
    potentials = oracle["potentials"]
    each = oracle["query"] == "each variable"
    query = list(oracle["variables"]) if each else oracle["query"]
    found = route(potentials, oracle["variables"], number, query)
    if not each:
        (single,) = found.values()
        return single
    return {
        f"{name} {','.join(sorted(event))}": mass
        for name, m in found.items()
        for event, mass in m.prune().to_dict().items()
    }
