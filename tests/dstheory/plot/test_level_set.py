"""Level sets refuse wrong axes before anything is drawn; the pictures are in test_pictures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from dstheory.plot import LevelSetDisplay


def test_a_refused_call_opens_no_figure():
    x = np.array([0.0, 1.0, 0.0])
    display = LevelSetDisplay({0.5: (x, x)}, (0.0, 0.0), marginal=(x, x))
    before = plt.get_fignums()
    with pytest.raises(TypeError, match="marginal_ax is 3, expected matplotlib Axes"):
        display.plot(marginal_ax=3)
    assert plt.get_fignums() == before
