"""Valuation networks: many variables, local computation, all marginals."""

from dstheory.network._errors import NetworkConflictError, NetworkError
from dstheory.network._graphs import from_graph, join_tree, to_graph
from dstheory.network._json import from_json, to_json
from dstheory.network._network import ValuationNetwork
from dstheory.network._tables import Table

__all__ = [
    "NetworkConflictError",
    "NetworkError",
    "Table",
    "ValuationNetwork",
    "from_graph",
    "from_json",
    "join_tree",
    "to_graph",
    "to_json",
]


def __dir__() -> list[str]:
    return __all__
