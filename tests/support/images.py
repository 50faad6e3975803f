"""Pictures compared with those that were looked at: `baseline/NAME.png`.

    with picture("band") as figure:
        BeliefBandDisplay(...).plot(figure.subplots())

Every FreeType draws letters a little differently, and moves what stands beside them. So a pixel is
wrong only by how far it lies outside the colors that the other picture has around that place.
After a change that is meant, make the pictures anew and look at them:
`python -m tests.support.images`, which takes the arguments of pytest (such as a file).
"""

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import matplotlib.style
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.text import Text
from PIL import Image
from scipy.ndimage import maximum_filter, minimum_filter

BASELINE = Path(__file__).parent / "baseline"
RENEW = "RENEW_BASELINE_IMAGES"

DPI = 72
# Fixed, not by a layout that makes room for text; wide below, where displays put legends.
MARGINS = {"left": 0.14, "right": 0.97, "bottom": 0.3, "top": 0.9, "hspace": 0.3, "wspace": 0.3}
MAX_BYTES = 15_000

# Pixels by which text of another FreeType moves lines (at 72 dpi, a point is a pixel).
REACH = 2

# Text is drawn pale, with the box around it: its letters and the heights of its lines are what
# versions differ in, and other tests read what it says.
TEXT_ALPHA = 0.3

# Root mean square over all pixels and channels, of 255. Measured in test_images.py: other
# hinting and text larger by 2 % give less than 1, so does matplotlib 3.9 (FreeType 2.6.1) for 3.11
# (2.14.3); points of another form give 3.7, a dotted line left out 4.7, one in another color 10.
# What is finer than the reach, as the gaps of dashes, is not seen: other tests read linestyles.
TOLERANCE = 2.0


def in_fixed_style():
    """Matplotlib's default style, whatever that of the user is; for a with statement."""
    return matplotlib.style.context("default")


@contextmanager
def picture(name, width=4.8, height=3.6, tolerance=TOLERANCE):
    """An empty figure in matplotlib's default style; what was drawn is compared in the end."""
    with in_fixed_style():
        figure = Figure(figsize=(width, height))
        figure.subplots_adjust(**MARGINS)
        # An engine that moves nothing: displays leave the layout to it, and what they would move by
        # the extent of texts does not differ between versions.
        figure.set_layout_engine(PlaceHolderLayoutEngine(True, True))
        yield figure
        assert_same_image(figure, name, tolerance)


def assert_same_image(figure, name, tolerance=TOLERANCE):
    """Fail unless the figure looks as `baseline/NAME.png` does; or make that file anew."""
    new = pixels(figure)
    path = BASELINE / f"{name}.png"
    if os.environ.get(RENEW):
        save(new, path)
        assert path.stat().st_size <= MAX_BYTES, f"{path.name} is large; draw less, or smaller"
        return
    assert path.is_file(), f"no picture {path.name}; make it by python -m tests.support.images"
    with Image.open(path) as image:
        error = difference(np.asarray(image.convert("RGB")), new)
    if error > tolerance:
        kept = Path(tempfile.mkdtemp(prefix="image-")) / path.name
        save(new, kept)
        pytest.fail(f"{path.name} differs by {error:.1f}, allowed {tolerance}; now it is {kept}")


def pixels(figure):
    """The figure as (height, width, 3) array of bytes, without a window system."""
    figure.set_dpi(DPI)
    for text in figure.findobj(Text):
        text.set_alpha(TEXT_ALPHA)
        if text.get_bbox_patch() is not None:
            text.get_bbox_patch().set_alpha(TEXT_ALPHA)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())[..., :3]


def difference(old, new):
    """Root mean square of how far each pixel lies outside the colors around it in the other."""
    if old.shape != new.shape:
        return np.inf
    excess = np.maximum(_outside(old, new), _outside(new, old))
    return float(np.sqrt(np.mean(excess**2)))


def _outside(image, other):
    size = (2 * REACH + 1, 2 * REACH + 1, 1)
    least, most = minimum_filter(other, size), maximum_filter(other, size)
    values = image.astype(float)
    return np.maximum(np.maximum(least - values, values - most), 0)


def save(image, path):
    """As a small file: half of the bytes are shades that no eye tells apart."""
    colors = Image.fromarray(image).quantize(128, dither=Image.Dither.NONE)
    colors.save(path, optimize=True)


if __name__ == "__main__":
    os.environ[RENEW] = "1"
    sys.exit(pytest.main([*(sys.argv[1:] or ["tests"]), "-k", "picture", "-q"]))
