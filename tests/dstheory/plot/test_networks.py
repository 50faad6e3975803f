"""Pictures of networks by the artists they leave."""

from itertools import combinations, pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from dstheory import MassFunction
from dstheory.network import ValuationNetwork, join_tree
from dstheory.plot import JoinTreeDisplay, NetworkDisplay
from dstheory.product import ProductFrame, Variable, equal


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def network():
    a, b, c = (Variable(name, ["t", "f"]) for name in ("a", "$b$", "c"))
    frame = ProductFrame([a, b])
    implies = MassFunction(frame, [0b1101, 15], [0.5, 0.5])
    return ValuationNetwork([a, b, c], {"rule": implies}).observe({"a": "t"})


def test_a_network_shows_all_that_speaks_of_what(ax, network):
    display = NetworkDisplay.from_network(network, ax=ax)
    assert set(display.variables_) == set(network.names)
    assert set(display.valuations_) == {"rule", ("observed", "a")}
    assert set(display.links) == {("a", "rule"), ("$b$", "rule"), ("a", ("observed", "a"))}
    assert len(display.links_) == 3
    for (name, key), line in zip(display.links, display.links_, strict=True):
        ends = [tuple(end) for end in line.get_xydata()]
        assert ends == [display.variables[name], display.valuations[key]]
    assert display.variables_["$b$"].get_text() == r"\$b\$"


def test_nothing_covers_anything(ax, network):
    display = NetworkDisplay.from_network(network, ax=ax)
    places = [*display.variables.values(), *display.valuations.values()]
    assert len(set(places)) == len(places)


def test_large_networks_are_unfolded(ax):
    """On a ring of forty, neighbors are nearer than all others, in each run alike."""
    ring = [Variable(f"x{i:02}", [0, 1]) for i in range(40)]
    masses = [
        MassFunction(ProductFrame([ring[i - 1], ring[i]]), [9, 15], [0.5, 0.5]) for i in range(40)
    ]
    places = NetworkDisplay.from_network(ValuationNetwork(ring, masses), ax=ax).variables
    points = np.array([places[variable.name] for variable in ring])
    distances = np.linalg.norm(points[:, np.newaxis] - points, axis=2) + 99 * np.eye(40)
    assert all((i - distances[i].argmin()) % 40 in (1, 39) for i in range(40))
    again = NetworkDisplay.from_network(ValuationNetwork(ring, masses), ax=ax).variables
    assert again == places


def test_a_join_tree_shows_its_nodes(ax, network):
    display = JoinTreeDisplay.from_network(network, ax=ax)
    tree = join_tree(network)
    assert set(display.nodes_) == set(tree)
    assert len(display.edges_) == tree.number_of_edges()
    for child, parent in display.edges:
        assert display.places[child][1] == display.places[parent][1] - 1
    shown = {text.get_text() for text in display.nodes_.values()}
    assert {"a\n[observed]", "a\n\\$b\\$\n[rule]", "c", "∅"} <= shown


def test_large_trees_have_no_names(ax):
    network = ValuationNetwork({f"x{i}": [0, 1] for i in range(60)})
    display = JoinTreeDisplay.from_network(network, ax=ax)
    assert {text.get_text() for text in display.nodes_.values()} == {""}


def test_no_two_boxes_of_a_join_tree_overlap():
    names = [f"variable {i}" for i in range(6)]
    variables = [Variable(name, [0, 1]) for name in names]
    network = ValuationNetwork(variables)
    for one, two in pairwise(variables):
        network = network.add(equal([one, two], 0.5), key=f"{one.name} is {two.name}")
    display = JoinTreeDisplay.from_network(network)
    figure = display.ax_.figure
    figure.draw_without_rendering()
    plt.close(figure)
    boxes = [text.get_bbox_patch().get_window_extent() for text in display.nodes_.values()]
    assert len(boxes) > 10
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    assert all(figure.bbox.contains(*box.min) and figure.bbox.contains(*box.max) for box in boxes)


@pytest.mark.parametrize("display", [NetworkDisplay, JoinTreeDisplay])
def test_kinds_of_arguments(display, network):
    with pytest.raises(TypeError, match="network is 3, expected a ValuationNetwork"):
        display.from_network(3)
    with_new_axes = display.from_network(network)
    assert with_new_axes.ax_.axison is False
    plt.close("all")
