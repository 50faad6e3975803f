"""The capital of a test martingale, drawn: its numbers, its limit, and several on shared axes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from evical.conformal import ExchangeabilityTest
from evical.plot import MartingaleDisplay


@pytest.fixture
def ax():
    return Figure(figsize=(5, 4)).subplots()


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_line_is_the_capital_from_one(ax):
    test = ExchangeabilityTest().update([0.5, 0.01, 0.01, 0.9])
    display = MartingaleDisplay.from_test(test, ax=ax)
    assert display.line_.get_xdata().tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(
        10.0 ** display.line_.get_ydata(), [1, *np.exp(test.log_values)], rtol=1e-12
    )
    assert display.limit_.get_ydata()[0] == pytest.approx(2)
    assert display.first_ is None
    assert labels(ax) == ["capital", "rejected at 1 %"]


def test_the_first_rejection(ax):
    display = MartingaleDisplay(np.log([1, 19, 20, 3, 40]), level=0.05).plot(ax)
    assert display.first_ == 3
    assert display.limit_.get_ydata()[0] == pytest.approx(np.log10(20))
    ax.figure.draw_without_rendering()
    ticks = [text.get_text() for text in ax.get_yticklabels()]
    assert {"1", "10"} <= set(ticks)


def test_shared_axes_name_the_limit_once(ax):
    for name in ("a", "$b$"):
        MartingaleDisplay([0.1, 0.2], name=name).plot(ax)
    MartingaleDisplay([0.1, 0.2], name="c", level=0.05).plot(ax)
    assert labels(ax) == ["a", "rejected at 1 %", r"\$b\$", "c", "rejected at 5 %"]
    colors = {line.get_color() for line in ax.lines if line.get_gid() == "martingale"}
    assert len(colors) == 3


def test_nothing_yet(ax):
    display = MartingaleDisplay.from_test(ExchangeabilityTest(), ax=ax)
    assert display.line_.get_ydata().tolist() == [0]


def test_bad_input():
    with pytest.raises(TypeError, match="expected an ExchangeabilityTest"):
        MartingaleDisplay.from_test(ExchangeabilityTest)
    with pytest.raises(ValueError, match="expected finite numbers"):
        MartingaleDisplay([0.1, np.inf])
    with pytest.raises(ValueError, match="level is 2"):
        MartingaleDisplay([0.1], level=2)
