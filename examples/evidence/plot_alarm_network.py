"""
Which edges of the alarm network can be believed?
=================================================

The alarm network describes a patient under anesthesia: 37 variables, and 46 direct causes between
them (Beinlich et al. 1989). Suppose that we have records of 500 patients, but not the network.
Greedy equivalence search finds a network in records. It does not say which of its edges to believe.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from dstheory.plot.style import COLORS
from evical.causal import (
    EDGE_TYPES,
    BootstrappedEdges,
    CalibratedEdges,
    FastGES,
    alarm_network,
    edge_types,
)

network = alarm_network()
X = network.sample(500, np.random.default_rng(0))
edges = BootstrappedEdges(FastGES(), n_bootstraps=100, random_state=0).fit(X)
pairs = np.array(edges.all_pairs())
shares = edges.proportions(pairs)
found = shares[:, 0] < 1
print(f"{found.sum()} of {len(pairs)} pairs are joined in some bootstrap of a hundred")

# %%
# Shares of bootstraps look like probabilities, but they are not. Resampled rows repeat each other,
# so they look more dependent than they are. And where the records cannot tell a direction, a single
# bootstrap often does.
#
# Suppose that experiments have shown for 40 pairs what is between them. Pairs were chosen by their
# shares, as many of each size, because hardly any pair of all has an edge.

names = np.array(network.names)
truth = edge_types(network.cpdag(), names[pairs])
rng = np.random.default_rng(1)
bins = np.digitize(shares[:, 0], [0.05, 0.5, 0.95])
labeled = np.concatenate([rng.permutation(np.flatnonzero(bins == b))[:10] for b in range(4)])
calibrated = CalibratedEdges(edges).fit(pairs[labeled], truth[labeled])

# %%
# A belief about a pair is a mass function on the four types. What 40 labels leave open stays open.

rest = np.setdiff1d(np.flatnonzero(found), labeled)
order = rest[np.argsort(shares[rest, 0])]
for row in order[[0, len(order) // 4, len(order) // 2]]:
    a, b = names[pairs[row]]
    counts = dict(zip(EDGE_TYPES, edges.counts(pairs[[row]])[0].tolist(), strict=True))
    print(f"A = {a}, B = {b}, in truth {truth[row]}; bootstraps: {counts}")
    print(calibrated.predict_mass(pairs[[row]])[0].prune(0.005))

# %%
# The decision. To act on an edge that is there gains 1, to act on one that is not costs 1, and to
# leave a pair alone costs nothing. Act if even the lower expected utility is positive; if only
# the upper one is, ask for one more experiment.

act_on = np.array([[-1, 1, 1, 1], [0, 0, 0, 0]])
sets = calibrated.predict_set(pairs[rest], utilities=act_on, criterion="interval_dominance")
act, ask = sets[:, 0] & ~sets[:, 1], sets.all(axis=1)
is_edge = truth[rest] != "none"
for text, chosen in (
    ("more than half of the bootstraps", shares[rest, 0] < 0.5),
    ("act", act),
    ("ask", ask),
    ("leave alone", ~sets[:, 0]),
):
    print(f"{text}: {chosen.sum()} pairs, {is_edge[chosen].sum()} of them with an edge")

# %%
# Of the 17 pairs to act on, 15 have an edge. The 7 pairs to ask about are those where an experiment
# is worth most: 4 have one. All three groups are intervals of the share; where these end is what 40
# labels and the costs say, and a share alone does not. Who acts on every edge of more than half of
# the bootstraps asks about none, and acts on 2 of these 7 pairs.
#
# Below, nodes are placed by the true edges, gray; some of these are among the labeled pairs.

assert (act.sum(), is_edge[act].sum(), ask.sum(), is_edge[ask].sum()) == (17, 15, 7, 4)
no_edge = shares[rest, 0]
assert no_edge[act].max() < no_edge[ask].min()
assert no_edge[ask].max() < no_edge[~sets[:, 0]].min()
assert (no_edge[ask] < 0.5).sum() == 2
graph = nx.Graph()
graph.add_nodes_from(range(37))
drawn = {"act": ("blue", act), "ask": ("orange", ask)}
skeleton = nx.relabel_nodes(network.dag().to_undirected(), dict(zip(names, range(37), strict=True)))
layout = nx.kamada_kawai_layout(skeleton)
figure, axis = plt.subplots(figsize=(8, 5), layout="constrained")
nx.draw_networkx_edges(skeleton, layout, edge_color="0.8", ax=axis)
nx.draw_networkx_nodes(graph, layout, node_color=COLORS["gray"], node_size=25, ax=axis)
for place, (text, (color, chosen)) in enumerate(drawn.items()):
    for there, style in ((True, "solid"), (False, "dotted")):
        lines = pairs[rest[chosen & (is_edge == there)]].tolist()
        nx.draw_networkx_edges(
            graph, layout, lines, edge_color=COLORS[color], style=style, width=3.5, ax=axis
        )
    counts = f"{text}: {chosen.sum()} pairs, {is_edge[chosen].sum()} with an edge"
    axis.text(0, 0.96 - 0.07 * place, counts, color=COLORS[color], transform=axis.transAxes)
axis.text(0, 0.82, "dotted: no edge in truth", transform=axis.transAxes)
axis.set_title("Fifteen of the seventeen edges to act on are real", loc="left")
axis.axis("off")
plt.show()
