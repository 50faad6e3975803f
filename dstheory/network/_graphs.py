"""Networks as networkx graphs: variables and valuations, and the join tree.

Nodes are pairs, ("variable", name) and ("valuation", key), because a key may equal the name of a
variable. The object itself is an attribute of the node.
"""

from typing import Any

import networkx as nx

from dstheory.checks.arguments import check_instance
from dstheory.network._errors import NetworkError
from dstheory.network._network import ValuationNetwork
from dstheory.product import Variable


def to_graph(network: ValuationNetwork) -> nx.Graph:
    """The bipartite graph of variables and valuations.

    Parameters
    ----------
    network : ValuationNetwork

    Returns
    -------
    networkx.Graph
        Nodes ("variable", name) with the attribute `variable`, and ("valuation", key) with the
        attribute `valuation`; an edge if a valuation is on a variable. The graph has the
        attributes `kind` and `tnorm`.

    Examples
    --------
    >>> net = ValuationNetwork({"rain": ["yes", "no"]}).observe({"rain": "yes"})
    >>> list(to_graph(net).edges)
    [(('variable', 'rain'), ('valuation', ('observed', 'rain')))]
    """
    check_instance("network", network, ValuationNetwork, "a ValuationNetwork")
    graph = nx.Graph(kind=network.kind, tnorm=network.tnorm)
    for variable in network.variables:
        graph.add_node(("variable", variable.name), variable=variable)
    for key, valuation in network.valuations.items():
        graph.add_node(("valuation", key), valuation=valuation)
        for name in network.scope(key):
            graph.add_edge(("variable", name), ("valuation", key))
    return graph


def from_graph(graph: nx.Graph, **options: Any) -> ValuationNetwork:
    """The network described by a graph such as `to_graph` returns.

    Parameters
    ----------
    graph : networkx.Graph
        Nodes with an attribute `variable` (a Variable) or `valuation`. The key of a valuation is
        the second part of its node if that is a pair ("valuation", key), else the node.
    **options
        Options of `ValuationNetwork`; kind and tnorm come from the graph if it has them.

    Returns
    -------
    ValuationNetwork

    Raises
    ------
    NetworkError
        If a node is neither, or the edges of a valuation do not lead to its variables.
    TypeError
        If it is not a graph, or an attribute has the wrong type.

    Examples
    --------
    >>> net = ValuationNetwork({"rain": ["yes", "no"]}).observe({"rain": "yes"})
    >>> from_graph(to_graph(net)).marginal("rain").bel("yes")
    1.0
    """
    check_instance("graph", graph, nx.Graph, "a networkx graph")
    variables: dict[Any, Variable] = {}
    valuations: dict[Any, tuple[Any, Any]] = {}
    for node, data in graph.nodes(data=True):
        if isinstance(data.get("variable"), Variable):
            variables[node] = data["variable"]
        elif "valuation" in data:
            valuations[_key(node)] = (node, data["valuation"])
        else:
            raise NetworkError(f"node {node!r} has no attribute variable or valuation")
    given = {name: graph.graph[name] for name in ("kind", "tnorm") if graph.graph.get(name)}
    network = ValuationNetwork(
        variables.values(), {key: one for key, (_, one) in valuations.items()}, **given | options
    )
    for key, (node, _) in valuations.items():
        linked = {variables[other].name for other in graph[node] if other in variables}
        if linked != set(network.scope(key)):
            raise NetworkError(
                f"valuation {key!r} is on {sorted(network.scope(key))}, but its edges lead to "
                f"{sorted(linked)}"
            )
    return network


def join_tree(network: ValuationNetwork) -> nx.DiGraph:
    """The binary join tree, directed to its root.

    Parameters
    ----------
    network : ValuationNetwork

    Returns
    -------
    networkx.DiGraph
        Nodes are numbers with the attributes `names` (variables) and `keys` (valuations of a
        leaf); edges have the attribute `names`, the variables of the message.

    Examples
    --------
    >>> net = ValuationNetwork({"rain": ["yes", "no"]}).observe({"rain": "yes"})
    >>> join_tree(net).nodes(data=True)
    NodeDataView({0: {'names': ('rain',), 'keys': [('observed', 'rain')]}})
    """
    check_instance("network", network, ValuationNetwork, "a ValuationNetwork")
    tree = network._version.tree
    names = [tuple(network.names[v] for v in scope) for scope in tree.scopes]
    handed = [tuple(network.names[v] for v in scope) for scope in tree.separators]
    graph = nx.DiGraph()
    for node in reversed(tree.bottom_up()):
        graph.add_node(node, names=names[node], keys=[])
    for node, parent in tree.edges():
        graph.add_edge(node, parent, names=handed[node])
    for key, entry in network._version.entries.items():
        graph.nodes[tree.leaves[entry.scope]]["keys"].append(key)
    return graph


def _key(node: Any) -> Any:
    is_pair = isinstance(node, tuple) and len(node) == 2 and node[0] == "valuation"
    return node[1] if is_pair else node
