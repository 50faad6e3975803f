"""Results in a notebook: a line as text, a table as HTML, and no arrays."""

import html
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialEnsemble
from evical.calibrators import IsotonicCalibrator
from evical.evaluation import EnsembleEvaluation, Evaluation, compare

X, Y = load_iris(return_X_y=True)
RANDOM = np.random.default_rng(0)
LABELS = np.array(["<no>", "yes"])[RANDOM.integers(0, 2, size=200)]
SCORES = RANDOM.normal(size=200) + (LABELS == "yes")


def ensemble_evaluation():
    """Of two members."""
    members = [("one", GaussianNB()), ("two", GaussianNB(var_smoothing=0.1))]
    fitted = EvidentialEnsemble(members, calibrator=IsotonicCalibrator(model="laplace")).fit(X, Y)
    return EnsembleEvaluation.from_estimator(fitted, X, Y)


RESULTS = [
    (lambda: compare(SCORES, LABELS, ["logistic", "binning"], cv=3), ["logistic", "binning"]),
    (
        lambda: Evaluation.from_predictions(LABELS, 1 / (1 + np.exp(-SCORES)), n_resamples=9),
        ["brier_score", "log_loss"],
    ),
    (ensemble_evaluation, ["one", "two", "combined", "mean of probabilities"]),
]


@pytest.mark.parametrize(("made", "rows"), RESULTS)
def test_a_line_and_a_table(made, rows):
    result = made()
    text = repr(result)
    assert text.startswith(type(result).__name__ + "(")
    assert "\n" not in text
    assert len(text) < 200
    table = ET.fromstring(f"<div>{result._repr_html_()}</div>").find("table")
    names = [row.find("th").text for row in table.findall("tr")]
    assert names[0] is None
    assert set(rows) <= set(names)
    widths = {len(row) for row in table.findall("tr")}
    assert len(widths) == 1
    assert len(result._repr_html_()) < 3000


def test_the_box_of_an_ensemble_shows_its_members():
    members = [("first & last", GaussianNB()), ("two", IsotonicBox())]
    box = EvidentialEnsemble(members)._repr_html_()
    assert box.count("GaussianNB") >= 1
    assert "IsotonicBox" in box
    assert html.escape("two") in box
    assert "GaussianNB" in EvidentialEnsemble([GaussianNB()])._repr_html_()
    assert "EvidentialEnsemble" in EvidentialEnsemble([])._repr_html_()


class IsotonicBox(GaussianNB):
    """A classifier with a name of its own."""
