"""Make the pictures of mass functions for the guide: `python -m docs.make_mass_pictures`."""

from pathlib import Path

import matplotlib.style
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC

from dstheory import Frame, MassFunction
from dstheory.plot import HasseDisplay, MassDisplay
from evical import EvidentialClassifier
from evical.plot import SimplexDisplay

IMAGES = Path(__file__).parent / "images"
FRAME = Frame(["ant", "bee", "cat"])
WITNESS = MassFunction.from_dict(FRAME, {"ant": 0.3, ("ant", "bee"): 0.25, FRAME: 0.45})
CAMERA = MassFunction.from_dict(FRAME, {"ant": 0.1, "cat": 0.5, ("ant", "cat"): 0.4})


def masses():
    """Bars of two sources, and the lattice of one."""
    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    sources = {"witness": WITNESS, "camera": CAMERA}
    MassDisplay.from_mass(sources, show=["bel", "pl"], ax=left)
    HasseDisplay.from_mass(WITNESS, ax=right)
    return figure


def simplex():
    """Irises in a triangle, and a belief about four classes."""
    figure = Figure(figsize=(9.6, 4.2))
    X, y = load_iris(return_X_y=True, as_frame=True)
    y = y.map(dict(enumerate(["setosa", "versicolor", "virginica"])))
    train, test = slice(0, None, 2), slice(1, None, 2)
    model = EvidentialClassifier(LinearSVC()).fit(X[train], y[train])
    left = figure.add_axes((0, 0, 0.5, 0.93))
    SimplexDisplay.from_estimator(model, X[test], y[test], max_regions=6, ax=left)
    frame = Frame(["ant", "bee", "cat", "dog"])
    m = MassFunction.from_dict(frame, {"ant": 0.1, "cat": 0.3, ("bee", "dog"): 0.2, frame: 0.4})
    right = figure.add_axes((0.53, 0, 0.45, 1), projection="3d")
    SimplexDisplay.from_mass({"camera": m, "camera twice": m @ m}, ax=right)
    return figure


def main():
    """Write all of them."""
    with matplotlib.style.context("default"):
        for draw in (masses, simplex):
            path = IMAGES / f"{draw.__name__}.png"
            draw().savefig(path, dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
