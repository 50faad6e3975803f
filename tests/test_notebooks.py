"""Every public class of values shows itself in a notebook, as scikit-learn's estimators do."""

import inspect
import xml.etree.ElementTree as ET

import numpy as np
from sklearn.base import BaseEstimator

from dstheory.argumentation import ArgumentationSystem
from dstheory.inference import GRFN, RandomInterval, binomial_contour
from evical import LogisticCalibrator, ScoreCounts
from evical.calibrators import BaseCalibrator
from evical.causal import alarm_network
from evical.conformal import ExchangeabilityTest
from evical.datasets.loaders import load_breast_cancer
from evical.evaluation import Evaluation, check_calibration
from evical.metrics import brier_decomposition, calibration_report
from evical.significance import Results, friedman
from tests.support.each import each
from tests.support.public_objects import public_objects

# These are shown by their text, which is one line; a display is shown by its figure.
AS_TEXT = {
    "DSmModel", "Expectations", "LikelihoodContour", "Page", "Picture", "Row", "Section",
    "Table",
}  # fmt: skip
HOSTILE = "<script>x</script>"


def test_each_class_has_html_or_a_picture_or_a_line_of_text():
    values = [one.value for one in public_objects()]
    kinds = {one for one in values if inspect.isclass(one) and not issubclass(one, Exception)}
    bare = {
        kind.__name__
        for kind in kinds
        if not issubclass(kind, BaseEstimator) and not hasattr(kind, "_repr_html_")
    }
    without = {name for name in bare if not name.endswith("Display")}
    assert without <= AS_TEXT, "derive them from dstheory.notebook.ShownFields"
    assert without == AS_TEXT


RANDOM = np.random.default_rng(0)
SCORES = RANDOM.normal(size=100)
POSITIVE = RANDOM.random(100) < 1 / (1 + np.exp(-2 * SCORES))
LABELS = np.where(POSITIVE, HOSTILE, "<b>")  # the first is greater


def check():
    probability = 1 / (1 + np.exp(-2 * SCORES))
    return check_calibration(Evaluation.from_predictions(LABELS, probability, n_resamples=9))


@each(
    "made",
    [
        lambda: ScoreCounts.from_samples(SCORES, POSITIVE),
        load_breast_cancer,
        alarm_network,
        check,
        lambda: brier_decomposition(POSITIVE, np.full(100, 0.5)),
        lambda: calibration_report(POSITIVE, np.full(100, 0.5)),
        lambda: GRFN(0.25, 1.0, 2.0),
        lambda: ExchangeabilityTest().update([0.5, 0.25]),
        lambda: ArgumentationSystem(["a -> b"], {"a": 0.25}),
        lambda: RandomInterval(binomial_contour(3, 10)),
        lambda: friedman(Results(RANDOM.random((5, 3)), [HOSTILE, "b", "c"])),
    ],
)
def test_results_are_short_and_well_formed(made):
    html = made()._repr_html_()
    assert ET.fromstring(f"<div>{html}</div>").find("table") is not None
    assert "<script" not in html
    assert len(html) < 8000


def test_a_fitted_calibrator_shows_beliefs_above_its_parameters():
    calibrator = LogisticCalibrator()
    assert "Belief in class" not in calibrator._repr_html_()
    calibrator.fit(SCORES, LABELS)
    html = calibrator._repr_html_()
    assert calibrator._repr_mimebundle_()["text/html"].startswith("<table>")
    table = ET.fromstring(html.partition("</table>")[0] + "</table>")
    assert table.find("caption").text.startswith(f"Belief in class {HOSTILE} at scores")
    head, *rows = [["".join(cell.itertext()) for cell in row] for row in table.findall("tr")]
    assert head == ["score", "Bel", "BetP", "Pl"]
    ordered = np.unique(SCORES)[[0, 25, 50, 74, 99]]
    bounds = calibrator.predict_interval(ordered)
    for row, score, (bel, pl) in zip(rows, ordered, bounds, strict=True):
        assert row[0] == f"{score:.6g}"
        assert [row[1], row[3]] == [f"{bel:.4f}", f"{pl:.4f}"]
    assert "LogisticCalibrator" in html.partition("</table>")[2]
    loaded = BaseCalibrator.from_dict(calibrator.to_dict())
    assert "Belief in class" not in loaded._repr_html_()
