"""Displays as pictures: what they look like is what was looked at."""

import numpy as np

from dstheory import MassFunction
from dstheory.inference import GRFN, LikelihoodContour, RandomInterval, binomial_contour
from dstheory.network import ValuationNetwork
from dstheory.plot import (
    BoundsDisplay,
    JoinTreeDisplay,
    LevelSetDisplay,
    NetworkDisplay,
    ParameterContourDisplay,
)
from dstheory.product import ProductFrame, Variable
from tests.support.images import assert_same_image, in_fixed_style, picture

# Boxes are as high as lines of text, which differs between versions of matplotlib (3.1 at most);
# an edge left out gives more than 6.
BOXES = 4.0
LINE = (-np.inf, np.inf)


def network():
    """A chain of three variables, with an observation."""
    a, b, c = (Variable(name, ["t", "f"]) for name in ("a", "b", "$c$"))
    links = {
        f"rule {left.name}": MassFunction(ProductFrame([left, right]), [0b1101, 15], [0.5, 0.5])
        for left, right in ((a, b), (b, c))
    }
    return ValuationNetwork([a, b, c], links).observe({"a": "t"})


def test_picture_of_a_parameter():
    with picture("parameter_levels") as figure:
        contour = binomial_contour(3, 10)
        ParameterContourDisplay.from_contour(contour, levels=[0.5, 0.1], ax=figure.subplots())


def test_picture_of_areas():
    with picture("parameter_areas", width=4.2, height=4.2) as figure:
        contour = binomial_contour(3, 10)
        ParameterContourDisplay.from_contour(
            contour, areas=True, levels=(), ax=figure.subplots(), name="p"
        )


def test_picture_of_level_sets():
    contour = LikelihoodContour(lambda a, b: -(a**2) / 2 - (b - a) ** 2, [LINE, LINE])
    with picture("level_sets", height=4.8) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2))
        LevelSetDisplay.from_contour(contour, ax=below, marginal_ax=above)


def test_picture_of_bounds_of_a_fuzzy_number():
    with picture("bounds_grfn") as figure:
        BoundsDisplay.from_belief(GRFN(5, 4, 1), quantiles=[0.1, 0.5], ax=figure.subplots())


def test_picture_of_bounds_of_a_parameter():
    with picture("bounds_interval") as figure:
        source = RandomInterval(binomial_contour(3, 10))
        BoundsDisplay.from_belief(source, name="p", ax=figure.subplots())


def test_picture_of_a_network():
    with picture("network") as figure:
        NetworkDisplay.from_network(network(), ax=figure.subplots())


def test_picture_of_a_join_tree():
    with picture("join_tree", tolerance=BOXES) as figure:
        JoinTreeDisplay.from_network(network(), ax=figure.subplots())


def test_picture_of_a_join_tree_in_a_figure_of_its_own_size():
    import matplotlib.pyplot as plt

    with in_fixed_style():
        display = JoinTreeDisplay.from_network(network())
        assert_same_image(display.ax_.figure, "join_tree_sized", BOXES)
        plt.close(display.ax_.figure)
