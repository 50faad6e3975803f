"""Random networks: every graph of the size is as likely as each other."""

import networkx as nx
import numpy as np

from examples.studies.naeini2016_causal.networks import random_network


def test_random_networks_are_drawn_evenly():
    """Each pair is as likely as each other one, and as often forward as backward."""
    rng = np.random.default_rng(6)
    found = np.zeros((5, 5))
    for _ in range(600):
        network = random_network(5, 4, rng)
        assert nx.is_directed_acyclic_graph(network.dag())
        for y, tails in enumerate(network.parents):
            found[list(tails), y] += 1
    assert found.sum() == 600 * 4
    off = ~np.eye(5, dtype=bool)
    # 2400 arcs on 20 places: 120 each, with a standard deviation of about 10.
    assert np.abs(found[off] - 120).max() < 45
    full = random_network(5, 10, rng)
    assert full.dag().number_of_edges() == 10
