"""The report: every line is what the function of its name gives, with a definition."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from evical import metrics
from tests.evical.metrics import kinds
from tests.evical.metrics.samples import calibrated

PARTS = {"miscalibration", "discrimination", "uncertainty"}


def expected(name, y, p, **options):
    found = getattr(metrics, name, getattr(kinds, name, None))(y, p, **options)
    return getattr(found, "pvalue", found)


def test_two_classes():
    y, p = calibrated(200, np.random.default_rng(0))
    names = np.array(["no", "yes"])[y]
    report = metrics.calibration_report(names, p, pos_label="yes")
    assert len(report) == len(report.to_dict()) == len(report.to_frame()) > 15
    for measure in report:
        assert measure.definition
        if measure.name not in PARTS:
            assert measure.value == expected(measure.name, y, p), measure.name
    corp = metrics.corp_decomposition(y, p)
    assert report["miscalibration"] == corp.miscalibration
    lines = str(report).splitlines()
    assert lines[0] == "200 samples"
    assert len(lines) == len(report) + 1
    with pytest.raises(KeyError, match="no measure 'ece'; choose from brier_score"):
        report["ece"]


def test_many_classes():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), 100)
    y = np.array([rng.choice(list("abc"), p=row) for row in p])
    report = metrics.calibration_report(y, p)
    for measure in report:
        assert measure.value == expected(measure.name, y, p), measure.name
    assert {"micro_calibration_error", "hand_till_auc"} <= set(report.to_dict())


def test_beliefs():
    rng = np.random.default_rng(2)
    y, p = calibrated(100, rng)
    m = MassFunction(Frame([0, 1]), [1, 2, 3], np.stack([1 - p, p, np.ones(100)], 1) / 2)
    w = rng.random(100)
    report = metrics.calibration_report(y, m, sample_weight=w)
    for name in ("mean_imprecision",):
        assert report[name] == pytest.approx(0.5)
    for name in ("coverage_test", "interval_calibration_test", "evidential_log_likelihood"):
        assert report[name] == pytest.approx(expected(name, y, m, sample_weight=w)), name
    assert report["brier_score"] == metrics.brier_score(y, m, sample_weight=w)
    frame = Frame(list("abc"))
    three = MassFunction(frame, [1, 2, 4, 7], rng.dirichlet(np.ones(4), 50))
    labels = rng.choice(list("abc"), 50)
    report = metrics.calibration_report(labels, three)
    assert report["mean_imprecision"] == metrics.mean_imprecision(three)
    assert report["brier_score"] == pytest.approx(metrics.brier_score(labels, three))


def test_labels_of_two_columns():
    """The second label is the positive one, whichever is the greater."""
    y, p = calibrated(50, np.random.default_rng(3))
    both = np.stack([p, 1 - p], axis=1)
    assert (
        metrics.calibration_report(y, both, labels=[1, 0]).to_dict()
        == metrics.calibration_report(1 - y, 1 - p).to_dict()
    )
    names = np.array(["no", "yes"])[y]
    report = metrics.calibration_report(names, p, labels=["no", "yes"])
    assert report.to_dict() == metrics.calibration_report(y, p).to_dict()


@pytest.mark.parametrize(
    ("n_classes", "options", "message"),
    [
        (2, {"labels": [0, 1], "pos_label": 0}, r"pos_label is 0, expected the last of labels"),
        (2, {"labels": [0, 2]}, r"y_true\[1\] is 1, expected one of \[0, 2\]"),
        (3, {"labels": [0, 1, 2], "pos_label": 1}, "pos_label is 1, but there are 3 classes"),
    ],
)
def test_labels_that_contradict(n_classes, options, message):
    with pytest.raises(ValueError, match=message):
        metrics.calibration_report([0, 1], np.full((2, n_classes), 1 / n_classes), **options)


def test_labels_beside_a_frame():
    y, masses = [0, 1], np.array([[0.7, 0.4], [0.3, 0.6]])
    m = MassFunction.from_store(Frame([0, 1]), np.array([1, 2]), masses)
    report = metrics.calibration_report(y, m, labels=[0, 1], pos_label=0)
    assert report.to_dict() == metrics.calibration_report(y, m, pos_label=0).to_dict()
    with pytest.raises(ValueError, match="the frame of y_prob has"):
        metrics.calibration_report(y, m, labels=[1, 0])


def test_one_class_has_no_area():
    report = metrics.calibration_report([1, 1], [0.5, 0.75])
    assert "roc_auc" not in report.to_dict()
