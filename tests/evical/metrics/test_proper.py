"""Proper scores and Gebel's measures: by definition and against scikit-learn."""

from inspect import signature

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given

from dstheory import Frame, MassFunction
from evical import metrics
from tests.evical.metrics.kinds import mean_root_squared_error
from tests.evical.metrics.samples import arrays, binary, classes
from tests.naive import metrics as naive


def two(samples):
    return [(y, [1 - p, p], w) for y, p, w in samples]


@given(binary())
def test_brier_of_two_classes(samples):
    y, p, w = arrays(samples)
    expected = float(naive.brier(two(samples), half=True))
    assert metrics.brier_score(y, p, sample_weight=w) == pytest.approx(expected, abs=1e-15)
    both = np.stack([1 - p, p], axis=1)
    twice = metrics.brier_score(y, both, sample_weight=w, scale_by_half=False)
    assert twice == pytest.approx(2 * expected, abs=1e-15)
    rmse = metrics.root_mean_squared_error(y, p, sample_weight=w)
    assert rmse == pytest.approx(np.sqrt(expected), abs=1e-15)


@given(classes())
def test_brier_of_many_classes(samples):
    y, p, w = arrays(samples)
    found = metrics.brier_score(y, p, labels=[0, 1, 2], sample_weight=w)
    assert found == pytest.approx(float(naive.brier(samples, half=False)))
    halved = metrics.brier_score(y, p, labels=[0, 1, 2], sample_weight=w, scale_by_half=True)
    assert halved == pytest.approx(float(naive.brier(samples, half=True)))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scikit_learn(n_classes):
    known = signature(sklearn.metrics.brier_score_loss).parameters
    if n_classes > 2 and "scale_by_half" not in known:
        pytest.skip("brier_score_loss takes more than two classes from scikit-learn 1.7 on")
    rng = np.random.default_rng(n_classes)
    p = rng.dirichlet(np.ones(n_classes), 300)
    y, w = rng.integers(n_classes, size=300), rng.random(300)
    column = p[:, 1] if n_classes == 2 else p
    for ours, theirs in (
        (metrics.brier_score, sklearn.metrics.brier_score_loss),
        (metrics.log_loss, sklearn.metrics.log_loss),
    ):
        options = {"sample_weight": w}
        assert ours(y, column, **options) == pytest.approx(theirs(y, column, **options))
    found = metrics.correctness_rate(y, p, sample_weight=w)
    expected = sklearn.metrics.accuracy_score(y, p.argmax(axis=1), sample_weight=w)
    assert found == pytest.approx(expected)


def test_scale_of_the_brier_score():
    y, p = [0, 1, 1], [0.25, 0.5, 0.75]
    assert metrics.brier_score(y, p, scale_by_half=False) == 2 * metrics.brier_score(y, p)
    with pytest.raises(ValueError, match="scale_by_half is 'no'"):
        metrics.brier_score(y, p, scale_by_half="no")


def test_log_loss_of_certainties():
    assert metrics.log_loss([0, 1], [0.0, 1.0]) == 0.0
    assert metrics.log_loss([0, 1], [0.5, 0.0]) == np.inf
    eps = np.finfo(np.float64).eps
    found = metrics.log_loss([0, 1], [0.5, 0.0], eps=eps)
    assert found == pytest.approx(sklearn.metrics.log_loss([0, 1], [0.5, 0.0]))
    # What has no weight does not count.
    assert metrics.log_loss([1, 1], [1.0, 0.0], sample_weight=[1, 0]) == 0.0
    with pytest.raises(ValueError, match=r"eps is -1, expected"):
        metrics.log_loss([0, 1], [0.5, 0.5], eps=-1)


@given(classes())
def test_ranked_probability_score(samples):
    y, p, w = arrays(samples)
    expected = float(naive.ranked_probability(samples))
    score = metrics.ranked_probability_score
    assert score(y, p, labels=[0, 1, 2], sample_weight=w) == pytest.approx(expected, abs=1e-12)
    # The order is that of the labels, not of their names; reversed, distances stay.
    names = np.array(["low", "medium", "high"])
    found = score(names[y], p, labels=names, sample_weight=w)
    assert found == pytest.approx(expected, abs=1e-12)
    turned = score(2 - y, p[:, ::-1], labels=[0, 1, 2], sample_weight=w)
    assert turned == pytest.approx(expected, abs=1e-12)
    two_columns = p[:, :2] / np.maximum(p[:, :2].sum(axis=1, keepdims=True), 1e-300)
    kept = (y < 2) & (two_columns.sum(axis=1) > 0.5) & (w > 0)
    if kept.any():
        two_classes = y[kept], two_columns[kept]
        brier = metrics.brier_score(*two_classes, labels=[0, 1], sample_weight=w[kept])
        assert score(*two_classes, labels=[0, 1], sample_weight=w[kept]) == pytest.approx(brier)


def test_spherical_score_is_proper():
    """The expected score of a forecast is best at the truth."""
    rng = np.random.default_rng(0)
    truth = np.array([0.2, 0.3, 0.5])
    labels = [0, 1, 2]

    def expected(p):
        rows = np.tile(p, (3, 1))
        return metrics.spherical_score(labels, rows, sample_weight=truth)

    assert expected(truth) == pytest.approx(np.sqrt((truth**2).sum()))
    assert all(expected(rng.dirichlet(np.ones(3))) < expected(truth) for _ in range(50))


@given(classes())
def test_gebel_by_definition(samples):
    y, p, w = arrays(samples)
    options = {"labels": [0, 1, 2], "sample_weight": w}
    wcr = float(naive.well_calibration(samples))
    assert metrics.correctness_rate(y, p, **options) == pytest.approx(
        float(naive.correctness(samples))
    )
    assert metrics.well_calibration_ratio(y, p, **options) == pytest.approx(wcr)
    roots = [
        (float(sum((q - (k == c)) ** 2 for k, q in enumerate(ps)) / 3) ** 0.5, weight)
        for c, ps, weight in samples
    ]
    rmse = naive.mean(roots)
    assert mean_root_squared_error(y, p, **options) == pytest.approx(rmse)
    found = metrics.calibration_measure(y, p, **options)
    assert found == pytest.approx(max((1 - rmse) * wcr, 0) ** 0.5, abs=1e-7)


@given(binary())
def test_gebel_of_two_classes(samples):
    y, p, w = arrays(samples)
    found = metrics.well_calibration_ratio(y, p, sample_weight=w)
    assert found == pytest.approx(float(naive.well_calibration(two(samples))))
    error = np.average(np.abs(y - p), weights=w)
    assert mean_root_squared_error(y, p, sample_weight=w) == pytest.approx(error)
    top = np.average(2 * np.maximum(p, 1 - p) - 1, weights=w)
    assert metrics.ability_to_separate(p, sample_weight=w) == pytest.approx(top, abs=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_ability_to_separate_of_extremes(n_classes):
    even, sure = np.full((4, n_classes), 1 / n_classes), np.eye(n_classes)
    assert metrics.ability_to_separate(even) == pytest.approx(0)
    assert metrics.ability_to_separate(sure) == 1
    printed = metrics.ability_to_separate(even, scale="printed")
    assert printed == pytest.approx(1 - np.sqrt(n_classes / (n_classes - 1)))
    with pytest.raises(ValueError, match="scale is 'half', expected one of 'unit', 'printed'"):
        metrics.ability_to_separate(even, scale="half")
    with pytest.raises(ValueError, match="there is only one class; nothing can be separated"):
        metrics.ability_to_separate(MassFunction(Frame(["a"]), [1], np.ones((2, 1))))
