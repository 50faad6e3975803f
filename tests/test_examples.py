"""The stories of the gallery: their form, what they conclude, and what is shared with the tests."""

import ast
import re
import runpy
import subprocess
import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.support.each import each
from tests.support.public_objects import ROOT
from tests.support.strict_python import strict_python

FOLDER = ROOT / "examples"
TRACKS = sorted(path.parent for path in FOLDER.glob("*/GALLERY_HEADER.rst"))
EXAMPLES = sorted(path for track in TRACKS for path in track.rglob("*.py"))
every_example = each("path", EXAMPLES, ids=lambda path: path.stem)
STORIES = [path for path in EXAMPLES if path.stem.startswith("plot_")]
# Of about a second and more, 25 s in all; the site runs them, as it runs all. The others take 4 s.
LONG = {
    "plot_alarm_network",
    "plot_combining_classifiers",
    "plot_copied_members",
    "plot_decisions_with_reject",
    "plot_evidential_regression",
    "plot_jury",
    "plot_many_classes",
    "plot_sensitivity",
    "plot_silent_sensor",
    "plot_tensor_digits",
}


def test_there_are_examples():
    assert len(EXAMPLES) >= 25
    assert len({path.name for path in EXAMPLES}) == len(EXAMPLES)


def test_the_gallery_has_stories_and_headings_only():
    names = {path.name for path in FOLDER.iterdir()} - {track.name for track in TRACKS}
    assert names - {"__pycache__"} == {"GALLERY_HEADER.rst", "__init__.py", "studies"}
    found = {path for track in TRACKS for path in track.rglob("*") if path.is_file()}
    found = {path for path in found if path.suffix != ".pyc"}
    assert found - set(EXAMPLES) == {track / "GALLERY_HEADER.rst" for track in TRACKS}


@every_example
def test_a_story_shows_a_picture(path):
    """The gallery takes pictures where they are shown."""
    assert "plt.show()" in path.read_text(encoding="utf-8")


@each("path", STORIES, ids=lambda path: path.stem)
def test_a_story_asserts_what_it_concludes(path):
    """In one style: at most 8 inches wide, and in no default colors."""
    text = path.read_text(encoding="utf-8")
    assert re.search(r"^ *(assert|np\.testing\.assert_\w+)\b", text, re.MULTILINE)
    assert all(float(width) <= 8 for width in re.findall(r"figsize=\(([\d.]+)", text))
    assert not re.search(r"tab:|[\"']C\d[\"']", text)


def test_a_story_concludes_what_its_picture_shows(monkeypatch):
    """Its assertions hold, and each figure has a title on the left."""
    untitled = []

    def show():
        for figure in map(plt.figure, plt.get_fignums()):
            if not (figure.get_suptitle() or any(ax.get_title("left") for ax in figure.axes)):
                untitled.append(path.stem)
        plt.close("all")

    monkeypatch.setattr(plt, "show", show)
    assert {path.stem for path in STORIES} > LONG
    for path in STORIES:
        if path.stem not in LONG:
            runpy.run_path(str(path))
    assert not untitled


@every_example
def test_a_story_begins_with_its_title_and_its_point(path):
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    title, line, empty, *_ = doc.splitlines()
    assert line == "=" * len(title)
    assert empty == ""
    assert re.search(r"[.?]", doc.partition("\n\n")[2])


@pytest.mark.parametrize(("module", "code"), [("evical.plot._band", 1), ("matplotlib.text", 0)])
def test_a_warning_is_an_error_unless_packages_speak_of_one_another(module, code):
    """In the tests' own interpreters, and in the stories of the gallery."""
    script = f"warnings.warn_explicit('old', DeprecationWarning, 'file', 1, {module!r})"
    site = f"import sys; sys.path.insert(0, {str(ROOT / 'docs' / 'site')!r})\n"
    site += "import warnings, stories; stories.warnings_are_errors({}, '')\n"
    for command in (strict_python(script), [sys.executable, "-c", site + script]):
        assert subprocess.run(command, capture_output=True, check=False).returncode == code


@pytest.fixture(scope="module")
def adapter():
    path = FOLDER / "one_classifier" / "use_in_calarena.py"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FigureCanvasAgg", UserWarning)
        found = runpy.run_path(str(path))["CalArenaCalibrator"]
    plt.close("all")
    return found


@pytest.mark.filterwarnings("ignore:scores look reversed")  # of a few samples
@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_adapter_takes_and_gives_tables_of_probabilities(adapter, k):
    rng = np.random.default_rng(k)
    p = rng.dirichlet(np.full(k, 0.5), 300)
    y = (rng.random((300, 1)) > (0.3 / k + 0.7 * p).cumsum(axis=1)).sum(axis=1)
    before = p.copy()
    found = adapter().fit(p[:200], y[:200]).predict_proba(p)
    np.testing.assert_array_equal(p, before)
    assert found.shape == (300, k)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    loss = [-np.log(np.maximum(q[range(300), y], 1e-12)).mean() for q in (p, found)]
    assert loss[1] < loss[0]
    if k == 2:
        column = adapter().fit(p[:200, 1], y[:200]).predict_proba(p[:, 1])
        np.testing.assert_allclose(column, found, atol=1e-12)


def test_the_adapter_leaves_a_class_without_a_sample_as_it_is(adapter):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 200)
    y = np.array([0, 1, 3])[rng.integers(3, size=200)]
    found = adapter().fit(p, y).predict_proba(p)
    np.testing.assert_array_equal(found[:, 2], p[:, 2])
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(adapter().fit(p, np.zeros(200, int)).predict_proba(p), p)
