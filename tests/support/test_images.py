"""The comparison of pictures: it sees what is wrong, and not the letters of another FreeType."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from tests.support import images
from tests.support.each import each


def drawn(change=None, **settings):
    """A figure of a line, a dotted one, a band, points and text; then something is changed."""
    with mpl.style.context("default"), mpl.rc_context(settings):
        figure = Figure(figsize=(4.8, 3.6), layout="constrained")
        ax = figure.subplots()
        x = np.linspace(0, 1, 50)
        artists = {
            "line": ax.plot(x, x**2, color="#0072B2", label="a line")[0],
            "dots": ax.plot([0, 1], [0, 1], ":", color="#595959", label="dotted")[0],
            "band": ax.fill_between(x, x**3, x**0.5, color="#0072B2", alpha=0.2, lw=0),
            "points": ax.plot([0.1, 0.5, 0.9], [0.8, 0.7, 0.2], "o", color="#D55E00")[0],
            "title": ax.set_title("What is drawn"),
        }
        ax.set_xlabel("Score of the classifier")
        ax.set_ylabel("Degree of belief")
        ax.legend(loc="lower right")
        if change is not None:
            change(artists)
        return images.pixels(figure)


REFERENCE = drawn()

CHANGES = {
    "no line": lambda a: a["line"].remove(),
    "no dotted line": lambda a: a["dots"].remove(),
    "no band": lambda a: a["band"].remove(),
    "no points": lambda a: a["points"].remove(),
    "no title": lambda a: a["title"].set_text(""),
    "line of another color": lambda a: a["line"].set_color("#D55E00"),
    "line of another style": lambda a: a["line"].set_linestyle((0, (6, 6))),
    "band of another color": lambda a: a["band"].set_color("#E69F00"),
    "points of another form": lambda a: a["points"].set_marker("s") or a["points"].set_ms(10),
    "line somewhere else": lambda a: a["line"].set_ydata(a["line"].get_ydata() + 0.03),
}


@each("change", CHANGES.values(), ids=CHANGES)
def test_what_is_wrong_is_seen(change):
    assert images.difference(REFERENCE, drawn(change)) > images.TOLERANCE


@pytest.mark.parametrize(
    "settings",
    [{}, {"text.hinting": "none"}, {"text.hinting": "default"}]
    + [{"font.size": size} for size in (9.8, 10.2)],
    ids=str,
)
def test_other_letters_are_no_difference(settings):
    assert images.difference(REFERENCE, drawn(**settings)) < images.TOLERANCE / 2


def test_other_sizes_differ():
    assert images.difference(REFERENCE, REFERENCE[:-1]) == np.inf


def test_a_picture_is_compared_with_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "BASELINE", tmp_path)
    monkeypatch.delenv(images.RENEW, raising=False)

    def draw(slope):
        with images.picture("line") as figure:
            figure.subplots().plot([0, slope])

    with pytest.raises(AssertionError, match=r"no picture line.png; make it by"):
        draw(1)
    monkeypatch.setenv(images.RENEW, "1")
    draw(1)
    monkeypatch.delenv(images.RENEW)
    draw(1)
    monkeypatch.setattr(images.tempfile, "mkdtemp", lambda prefix: tmp_path / "..")
    with pytest.raises(pytest.fail.Exception, match=r"line.png differs by .*, allowed"):
        draw(-1)


TESTS = images.BASELINE.parents[1]


def test_every_baseline_is_small_and_used():
    names = {path.stem: path for path in images.BASELINE.glob("*.png")}
    assert names
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")]
    unused = [name for name in names if not any(f'"{name}"' in text for text in texts)]
    assert unused == []
    for name, path in names.items():
        assert path.stat().st_size <= images.MAX_BYTES, name
        with Image.open(path) as image:
            assert max(image.size) <= 720, name
