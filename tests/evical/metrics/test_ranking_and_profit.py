"""Areas under ROC curves and profits of decisions."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from evical import metrics
from tests.evical.metrics.samples import arrays, binary, classes
from tests.naive import metrics as naive


@settings(max_examples=25)
@given(binary(min_size=2))
def test_roc_auc(samples):
    y, p, w = arrays(samples)
    assume(0 < y.sum() < len(y))
    expected = float(naive.pairs_in_order(samples))
    assert metrics.roc_auc(y, p, sample_weight=w) == pytest.approx(expected)


def test_hand_till_is_scikit_learns():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 200)
    y = np.array([rng.choice(4, p=row) for row in p])
    expected = roc_auc_score(y, p, multi_class="ovo")
    assert metrics.roc_auc(y, p) == pytest.approx(expected)


@settings(max_examples=25)
@given(classes())
def test_hand_till_with_weights(samples):
    y, p, w = arrays(samples)
    assume(len(set(y)) == 3)
    areas = [
        naive.pairs_in_order([(int(c == k), ps[k], v) for c, ps, v in samples if c in (k, j)])
        for k in range(3)
        for j in range(3)
        if k != j
    ]
    found = metrics.roc_auc(y, p, sample_weight=w)
    assert found == pytest.approx(float(sum(areas) / 6))


def test_one_class_has_no_area():
    with pytest.raises(ValueError, match=r"one class only \(all positive\)"):
        metrics.roc_auc([1, 1], [0.2, 0.4])
    with pytest.raises(ValueError, match=r"one class only \(all negative\)"):
        metrics.roc_auc([0, 1], [0.2, 0.4], sample_weight=[1, 0])
    with pytest.raises(ValueError, match="class 2 has no sample"):
        metrics.roc_auc([0, 1], [[0.2, 0.3, 0.5]] * 2, labels=[0, 1, 2])
    with pytest.raises(ValueError, match="pos_label is 2, but there are 3 classes"):
        metrics.roc_auc([0, 1], [[0.2, 0.3, 0.5]] * 2, pos_label=2)


def test_labels_of_two_classes_name_the_columns():
    y, p = ["no", "yes", "no", "yes"], [0.2, 0.4, 0.7, 0.9]
    assert metrics.roc_auc(y, p, labels=["no", "yes"]) == metrics.roc_auc(y, p, pos_label="yes")
    reverse = metrics.roc_auc(y, np.transpose([p, np.subtract(1, p)]), labels=["yes", "no"])
    assert reverse == metrics.roc_auc(y, p, pos_label="yes") == 0.75


profits = st.lists(st.integers(-4, 4), min_size=6, max_size=6)


@settings(max_examples=25)
@given(classes(), st.data())
def test_profit_by_definition(samples, data):
    y, p, w = arrays(samples)
    tables = [np.reshape(data.draw(profits), (2, 3)).tolist() for _ in samples]
    expected = float(naive.best_profit(samples, tables))
    options = {"labels": [0, 1, 2], "sample_weight": w}
    assert metrics.decision_profit(y, p, tables, **options) == pytest.approx(expected)
    costs = -np.array(tables)
    assert metrics.decision_cost(y, p, costs, **options) == pytest.approx(-expected)
    same = [tables[0]] * len(samples)
    found = metrics.decision_profit(y, p, tables[0], **options)
    assert found == pytest.approx(float(naive.best_profit(samples, same)))


def test_correctness_is_a_profit():
    rng = np.random.default_rng(1)
    p, y = rng.dirichlet(np.ones(3), 50), rng.integers(3, size=50)
    found = metrics.decision_profit(y, p, np.eye(3))
    assert found == pytest.approx(metrics.correctness_rate(y, p))


def test_solicitation_is_a_profit():
    rng = np.random.default_rng(2)
    n = 200
    p, gain = rng.random(n), rng.gamma(2, size=n)
    y = (rng.random(n) < p).astype(int)
    # Not asking comes first, and brings nothing.
    tables = np.zeros((n, 2, 2))
    tables[:, 1, 0], tables[:, 1, 1] = -0.7, gain - 0.7
    expected = n * metrics.decision_profit(y, p, tables)
    assert metrics.solicitation_profit(y, p, gain, 0.7) == pytest.approx(expected)
    # What is guessed decides, what is true counts.
    nobody = metrics.solicitation_profit(y, p, gain, 0.7, predicted_gain=0.5)
    assert nobody == 0
    everybody = metrics.solicitation_profit(y, p, gain, 0.7, predicted_gain=1e9)
    assert everybody == pytest.approx((y * gain).sum() - 0.7 * n)


def test_calibrated_probabilities_bring_most():
    rng = np.random.default_rng(3)
    p = rng.random(20_000)
    y = (rng.random(20_000) < p).astype(int)
    costs = [[0, 5], [1, 0]]
    honest = metrics.decision_cost(y, p, costs)
    assert honest < metrics.decision_cost(y, p**2, costs)
    assert honest < metrics.decision_cost(y, np.sqrt(p), costs)


def test_bad_profits():
    y, p = [0, 1], [0.2, 0.8]
    with pytest.raises(ValueError, match=r"profit has shape \(2, 3\), expected \(n_acts, 2\)"):
        metrics.decision_profit(y, p, np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"profit\[0, 1\] is nan"):
        metrics.decision_profit(y, p, [[0, np.nan], [0, 0]])
    with pytest.raises(ValueError, match="lengths differ: y_true has 2 rows, profit has 3"):
        metrics.decision_profit(y, p, np.zeros((3, 2, 2)))
    with pytest.raises(ValueError, match=r"gain has shape \(3,\), expected a number or \(2,\)"):
        metrics.solicitation_profit(y, p, [1.0, 2.0, 3.0], 1.0)
