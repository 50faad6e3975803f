"""Random Bayesian networks, as Naeini (2016) draws them in section 6.2.4."""

import numpy as np

from dstheory.checks.arguments import check_count, check_rng
from evical.causal.networks import DiscreteNetwork

__all__ = ["random_network"]


def random_network(n_nodes: int, n_edges: int, rng: np.random.Generator) -> DiscreteNetwork:
    """A random network as in Naeini's experiments.

    Parameters
    ----------
    n_nodes, n_edges : int
        Pairs of nodes in a random order are drawn without replacement.
    rng : numpy.random.Generator

    Returns
    -------
    DiscreteNetwork
        Each variable has two or three states with equal chances, and each row of its table is
        uniform over all distributions.

    References
    ----------
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, section 6.2.4.

    Examples
    --------
    >>> network = random_network(10, 12, np.random.default_rng(0))
    >>> len(network.names), sum(map(len, network.parents))
    (10, 12)
    """
    check_count("n_nodes", n_nodes, 2)
    check_count("n_edges", n_edges, 0, n_nodes * (n_nodes - 1) // 2)
    check_rng(rng)
    order = rng.permutation(n_nodes)
    parents: list[list[int]] = [[] for _ in range(n_nodes)]
    for number in rng.choice(n_nodes * (n_nodes - 1) // 2, n_edges, replace=False).tolist():
        late = int((1 + np.sqrt(1 + 8 * number)) // 2)  # pairs (early, late) in order of late
        late -= late * (late - 1) // 2 > number
        parents[order[late]].append(int(order[number - late * (late - 1) // 2]))
    sizes = rng.integers(2, 4, n_nodes)
    tables = [
        rng.dirichlet(np.ones(sizes[y]), int(np.prod(sizes[tails], initial=1)))
        for y, tails in enumerate(parents)
    ]
    return DiscreteNetwork(
        tuple(f"X{v}" for v in range(n_nodes)),
        tuple(tuple(map(str, range(size))) for size in sizes.tolist()),
        tuple(map(tuple, parents)),
        tuple(tables),
    )
