"""Names of classes and methods are shown as they are, whatever matplotlib reads in them."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from dstheory import Frame, MassFunction
from dstheory.plot import MassDisplay
from dstheory.plot.style import literal
from evical.plot import BeliefBandDisplay, ReliabilityDisplay, SimplexDisplay

NAME = "_$other$"


def simplex(ax):
    SimplexDisplay.from_predictions(["a", NAME, "b"], np.eye(3), labels=["a", NAME, "b"], ax=ax)


def masses(ax):
    m = MassFunction.from_dict(Frame(["a", "b"]), {"a": 1.0})
    MassDisplay.from_mass({NAME: m, "a": m}, ax=ax)


def reliability(ax):
    ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.7], name=NAME, density=None, ax=ax)


def band(ax):
    BeliefBandDisplay.from_predictions([0, 1], [[0, 0.5], [0.5, 1]], name=NAME, ax=ax)


@pytest.mark.parametrize("draw", [simplex, masses, reliability, band])
def test_legends_show_every_name(draw):
    """Matplotlib leaves out labels that begin with an underscore, and reads formulas."""
    figure = Figure()
    draw(figure.subplots())
    legends = [ax.get_legend() for ax in figure.axes if ax.get_legend()]
    shown = [text.get_text() for legend in legends for text in legend.get_texts()]
    assert sum(r"_\$other\$" in text for text in shown) == 1, shown
    figure.canvas.draw()


@pytest.mark.parametrize("name", ["other", "an_other", "", "$"])
def test_other_names_stay_as_they_are(name):
    assert literal(name).replace(r"\$", "$") == name
