"""Belief intervals of samples: every one where it should be, decisions that are open counted."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

from dstheory import Frame, MassFunction
from dstheory.transform import betp
from evical.calibrators import LogisticCalibrator
from evical.multiclass import OneVsRestCalibrator
from evical.plot import BeliefIntervalDisplay
from tests.support.each import each

RNG = np.random.default_rng(4)
SCORES = RNG.normal(0, 1.5, 500)
Y = (RNG.random(500) < 1 / (1 + np.exp(-SCORES))).astype(int)
CALIBRATOR = LogisticCalibrator().fit(SCORES[:40], Y[:40])
THREE = MassFunction(Frame(["a", "b", "$c"]), [1, 2, 3, 4, 7], RNG.dirichlet(np.ones(5), size=12))


@pytest.fixture
def ax():
    return Figure().subplots()


def segments(display, k=0):
    """Ranks, lower and upper ends of the intervals of a class."""
    parts = display.intervals_[k].get_segments()
    return np.array([(part[0, 0], part[0, 1], part[1, 1]) for part in parts]).T


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_intervals_in_the_order_of_pignistic_probability(ax):
    display = BeliefIntervalDisplay.from_estimator(CALIBRATOR, SCORES[:50], Y[:50], ax=ax)
    bel, pl = CALIBRATOR.predict_interval(SCORES[:50]).T
    order = np.argsort(SCORES[:50])  # the calibrator is monotone
    ranks, low, high = segments(display)
    np.testing.assert_array_equal(ranks, np.arange(1, 51))
    np.testing.assert_allclose(low, bel[order])
    np.testing.assert_allclose(high, pl[order])
    for side, line in enumerate(display.points_[0]):
        mask = Y[:50][order] == side
        np.testing.assert_array_equal(line.get_xdata(), ranks[mask])
        np.testing.assert_allclose(line.get_ydata(), ((bel + pl) / 2)[order][mask])
    assert display.points_[0][0].get_marker() != display.points_[0][1].get_marker()
    assert display.shares_ == [None]


def test_open_decisions_are_counted(ax):
    beliefs = [[0.1, 0.5], [0.5, 0.9], [0.2, 0.8], [0.6, 0.7]]
    BeliefIntervalDisplay.from_predictions(None, beliefs, ax=ax)
    # At 0.5 itself a belief does not decide, nor does a plausibility leave room.
    assert legend(ax) == ["pignistic probability", "threshold 0.5: 2 open"]
    display = BeliefIntervalDisplay.from_predictions(None, beliefs, threshold=None, ax=ax)
    assert display.threshold_ == []


def test_the_view_is_on_open_decisions_and_on_all_where_none_is_open(ax):
    middle = np.linspace(0.02, 0.98, 49)
    beliefs = np.stack([middle - 0.01, middle + 0.01], axis=1)
    BeliefIntervalDisplay.from_predictions(None, beliefs, ax=ax)  # only the 25th is open
    inside = [rank for rank in range(1, 50) if ax.get_xlim()[0] < rank < ax.get_xlim()[1]]
    assert inside == list(range(20, 31))
    for threshold in (None, 1):
        BeliefIntervalDisplay.from_predictions(None, beliefs, threshold=threshold, ax=ax)
        assert ax.get_xlim() == pytest.approx((0.01, 49.99))


def test_more_than_two_hundred_samples_are_a_band(ax):
    display = BeliefIntervalDisplay.from_estimator(CALIBRATOR, SCORES[:201], Y[:201], ax=ax)
    bel, pl = CALIBRATOR.predict_interval(SCORES[:201]).T
    x, y = display.intervals_[0].get_paths()[0].vertices.T
    area = abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2
    assert area == pytest.approx(np.trapezoid(np.sort(pl) - np.sort(bel)))
    assert len(display.points_[0]) == 1
    places, shares = display.shares_[0].get_data()
    assert len(places) == 20
    by_score = Y[:201][np.argsort(SCORES[:201])]
    assert shares[0] == pytest.approx(by_score[:10].mean())
    assert shares[-1] == pytest.approx(by_score[-11:].mean())


def test_very_many_samples_are_drawn_by_means_of_neighbors(ax):
    bel = np.linspace(0, 0.8, 12_000)
    rows = np.stack([bel, bel + 0.2], axis=1)
    display = BeliefIntervalDisplay.from_predictions(None, rows, ax=ax)
    line = display.points_[0][0]
    assert len(line.get_xdata()) == 600
    np.testing.assert_allclose(line.get_ydata()[0], bel[:20].mean() + 0.1)
    assert line.get_xdata()[0] == 10.5


def test_many_classes_have_a_panel_each():
    axes = Figure().subplots(1, 3)
    y = np.array(["a", "b", "$c"])[RNG.integers(0, 3, 12)]
    display = BeliefIntervalDisplay.from_predictions(y, THREE, ax=axes)
    pignistic = np.asarray(betp(THREE))
    for k, label in enumerate(THREE.frame.labels):
        order = np.argsort(pignistic[:, k])
        _, low, high = segments(display, k)
        np.testing.assert_allclose(low, THREE.bel(label)[order])
        np.testing.assert_allclose(high, THREE.pl(label)[order])
        others, own = display.points_[k]
        drawn = np.sort(np.append(others.get_ydata(), own.get_ydata()))
        np.testing.assert_allclose(drawn, pignistic[order, k])
        assert len(own.get_xdata()) == np.sum(y == label)
    assert axes[2].get_ylabel() == r"Belief in \$c"
    axes[0].figure.draw_without_rendering()


def test_one_of_many_classes(ax):
    display = BeliefIntervalDisplay.from_predictions(None, THREE, pos_label="b", ax=ax)
    assert display.ax_ is ax
    np.testing.assert_allclose(np.sort(segments(display)[1]), np.sort(THREE.bel("b")))


def test_an_estimator_is_its_predictions(ax):
    one = BeliefIntervalDisplay.from_estimator(CALIBRATOR, SCORES[:20], Y[:20], ax=ax)
    two = BeliefIntervalDisplay.from_predictions(
        Y[:20], CALIBRATOR.predict_mass(SCORES[:20]), ax=ax
    )
    three = BeliefIntervalDisplay.from_predictions(
        Y[:20], CALIBRATOR.predict_interval(SCORES[:20]), ax=ax
    )
    for display in (two, three):
        np.testing.assert_allclose(segments(display), segments(one))
        np.testing.assert_array_equal(display.hits, one.hits)
    assert one.name == "LogisticCalibrator"
    assert ax.get_ylabel() == "Degree of belief in class 1"


def test_one_of_too_many_classes_to_list(ax):
    y = np.arange(200) % 20
    scores = np.eye(20)[y] + RNG.normal(0, 0.4, (200, 20))
    calibrator = OneVsRestCalibrator("logistic").fit(scores, y)
    display = BeliefIntervalDisplay.from_estimator(calibrator, scores, y, pos_label=7, ax=ax)
    bounds = calibrator.predict_interval(scores)[:, 7]
    np.testing.assert_allclose(np.sort(segments(display)[1]), np.sort(bounds[:, 0]), atol=1e-12)
    np.testing.assert_array_equal(np.sort(display.betp[:, 0]), np.sort(betp_of(calibrator, scores)))


def betp_of(calibrator, scores):
    return calibrator.predict_proba(scores)[:, 7]


def test_without_axes_there_are_new_ones():
    import matplotlib.pyplot as plt

    display = BeliefIntervalDisplay.from_predictions(None, THREE)
    assert len(display.axes_) == 3
    assert plt.figure(display.ax_.figure.number) is display.ax_.figure
    plt.close(display.ax_.figure)


@each(
    ("y", "beliefs", "options", "message"),
    [
        ([1], [[0.6, 0.4]], {}, r"y_belief\[0, 0\] is \[0.6, 0.4\], expected 0 <= Bel <= Pl"),
        ([1], [[0.6, 1.4]], {}, "expected 0 <= Bel <= Pl <= 1"),
        ([1], [[0.6, np.nan]], {}, "nan"),
        ([1, 0], [[0.2, 0.4]], {}, "lengths differ: y_true has 2 rows, y_belief has 1"),
        ([2], [[0.2, 0.4]], {}, r"y_true\[0\] is 2, expected 0 or 1"),
        ([1], [0.2, 0.4], {}, "expected"),
        (None, np.zeros((0, 2)), {}, "there is no sample"),
        (None, [[[0.1, 0.2], [0.8, 0.9]]], {}, "intervals of 2 classes, expected rows"),
        (None, [[0.2, 0.4]], {"threshold": 1.5}, "threshold is 1.5, expected a probability"),
        (None, [[0.2, 0.4]], {"class_names": ["a", "b"]}, r"class_names are .*, expected 1"),
        (["d"] * 12, THREE, {}, r"y_true\[0\] is 'd'"),
        (None, THREE, {"pos_label": "d"}, "pos_label is 'd', expected one of"),
        (None, THREE, {}, "there are 1 axes for 3 classes"),
    ],
)
def test_bad_beliefs_are_refused(ax, y, beliefs, options, message):
    with pytest.raises(ValueError, match=message):
        BeliefIntervalDisplay.from_predictions(y, beliefs, ax=ax, **options)


def test_a_classifier_without_beliefs_is_refused(ax):
    classifier = LogisticRegression().fit(SCORES[:, np.newaxis], Y)
    with pytest.raises(TypeError, match="LogisticRegression has no predict_mass"):
        BeliefIntervalDisplay.from_estimator(classifier, SCORES[:, np.newaxis], Y, ax=ax)


def test_panels_of_many_classes_are_in_rows():
    beliefs = MassFunction(Frame(range(7)), [1, 2, 4, 8, 16, 32, 64], np.eye(7))
    display = BeliefIntervalDisplay.from_predictions(None, beliefs)
    figure = display.ax_.figure
    figure.draw_without_rendering()
    assert len(figure.axes) == len(display.axes_) == 7
    widths = [ax.get_window_extent().width / figure.dpi for ax in display.axes_]
    assert min(widths) > 1.3  # inches
    assert tuple(figure.get_size_inches()) <= (8, 10)
    assert all(tick == round(tick) for tick in display.ax_.get_xticks())


def test_a_threshold_is_a_number(ax):
    with pytest.raises(TypeError, match="threshold is 'half', expected a probability, or None"):
        BeliefIntervalDisplay.from_predictions(None, [[0.2, 0.4]], threshold="half", ax=ax)
