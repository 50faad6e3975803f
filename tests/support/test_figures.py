"""No test finds figures that another one left open."""

import matplotlib.pyplot as plt
import pytest


@pytest.mark.parametrize("turn", ["first", "second"])
def test_figures_are_closed(turn):
    assert plt.get_fignums() == [], turn
    plt.figure()
