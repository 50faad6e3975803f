"""Automatic calibration of many classes: its two steps, what it learns, and what it leaves open."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime, minimize_scalar
from scipy.special import expit, softmax

from evical import EvidentialFusion
from evical.calibrators import AutoCalibrator
from evical.errors import WrongWayWarning
from evical.metrics import log_loss
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    OneVsRestCalibrator,
    SoftmaxCalibrator,
    StructuredMatrixCalibrator,
    StructuredVectorCalibrator,
)

K = 3


def drawn(n, seed=0, power=2.0, k=K):
    """Probabilities that are too sure, classes, and the true probabilities."""
    rng = np.random.default_rng(seed)
    truth = softmax(1.6 * rng.normal(size=(n, k)), axis=1)
    y = (rng.random((n, 1)) > truth.cumsum(axis=1)).sum(axis=1).clip(max=k - 1)
    y[:k] = np.arange(k)
    return softmax(power * np.log(truth), axis=1), y, truth


def test_it_is_the_mean_of_curves_with_a_matrix_and_of_a_learned_matrix():
    """Definition: all steps by their own classes, written out."""
    p, y, _ = drawn(300)
    at = drawn(20, seed=1)[0]

    def first(rows):
        columns = [AutoCalibrator().fit(p[:, k], y == k) for k in range(K)]
        q = np.stack([c.predict_proba(rows[:, k])[:, 1] for k, c in enumerate(columns)], axis=1)
        return q / q.sum(axis=1, keepdims=True)

    curved = StructuredMatrixCalibrator().fit(first(p), y).predict_proba(first(at))
    alone = StructuredMatrixCalibrator(learned=True).fit(p, y).predict_proba(at)
    for model in ("bayesian", "likelihood"):
        found = AutoMulticlassCalibrator(model=model).fit(p, y)
        assert 0 < found.curves_weight_ < 1
        wanted = curved**found.curves_weight_ * alone ** (1 - found.curves_weight_)
        wanted /= wanted.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found.predict_proba(at), wanted, atol=1e-9)


def test_the_weight_is_the_most_probable_one_less_two_for_each_curve():
    """By another optimizer of the definition."""
    p, y, _ = drawn(200)
    calibrator = AutoMulticlassCalibrator().fit(p, y)
    curved, alone = (np.log(part) for part in calibrator._parts(p))

    def loss(w):
        q = softmax(w * curved + (1 - w) * alone, axis=1)[np.arange(len(y)), y]
        return -np.log(q).sum() + 2 * K * w + 40 * (w - 0.5) ** 2

    found = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
    assert calibrator.curves_weight_ == pytest.approx(found.x, abs=1e-5)


def test_many_samples_of_bent_scores_are_left_to_the_curves():
    """And few, or scores that are right up to a temperature, are shared."""
    weights = {}
    for bend, n in ((0.8, 3000), (0.8, 60), (0.0, 3000)):
        p, y, _ = drawn(n, power=1.0)
        z = np.log(p)
        shown = softmax(z + bend * np.sin(2 * z), axis=1)
        weights[bend, n] = AutoMulticlassCalibrator(model="bayesian").fit(shown, y).curves_weight_
    assert weights[0.8, 3000] > 0.8
    assert 0.2 < weights[0.8, 60] < 0.8
    assert weights[0.0, 3000] < 0.6


def test_errors_are_those_of_columns_and_of_the_matrix():
    """Delta method: derivatives of log-odds by coefficients, from differences."""
    p, y, _ = drawn(200)
    at = drawn(4, seed=1)[0]
    calibrator = AutoMulticlassCalibrator().fit(p, y)
    scaling = calibrator.scaling_
    steps, fit = scaling._steps, scaling._fit
    q = (
        OneVsRestCalibrator(AutoCalibrator(model="bayesian"), coupling="normalize")
        .fit(p, y)
        .predict_proba(at)
    )
    start = np.append(np.column_stack([fit.weights, fit.intercepts]).ravel(), np.log(fit.inverse))

    def log_odds(values, row, k):
        table = values[:-1].reshape(K, K + 1)
        tempered = softmax(np.exp(values[-1]) * np.log(q[row]))
        x = np.log((1 - fit.share) * tempered + fit.share / K)
        z = table[:, :-1] @ x + table[:, -1]
        return z[k] - np.log(np.exp(np.delete(z, k)).sum())

    found = calibrator._errors(at, calibrator.predict_proba(at))
    for row in range(len(at)):
        for k in range(K):
            slope = approx_fprime(start, log_odds, 1e-6, row, k)
            one = calibrator.calibrators_[k]
            own = np.interp(at[row, k], one.knots_, one.standard_error_)
            assert found[row, k] ** 2 == pytest.approx(own**2 + ((slope @ steps) ** 2).sum(), 1e-3)


@pytest.mark.parametrize("n", [60, 1000])
def test_intervals_hold_the_true_probabilities(n):
    """Of 95 %; and twenty times the samples leave a third of the width at most."""
    held, widths = [], []
    for seed in range(4):
        p, y, _ = drawn(n, seed)
        at, _, truth = drawn(300, seed=100 + seed)
        interval = AutoMulticlassCalibrator(model="confidence").fit(p, y).predict_interval(at)
        # The mass of the level is in the interval, the rest on the frame.
        lower, upper = interval[..., 0] / 0.95, 1 - (1 - interval[..., 1]) / 0.95
        held.append(((lower <= truth) & (truth <= upper)).mean())
        widths.append((upper - lower).mean())
    assert np.mean(held) > 0.93
    assert np.mean(widths) < (0.7 if n == 60 else 0.2)


def test_its_error_vanishes_with_samples_unlike_that_of_combined_columns():
    p, y, _ = drawn(4000)
    at, _, truth = drawn(500, seed=1)
    errors = [
        ((one.fit(p, y).predict_proba(at) - truth) ** 2).sum(axis=1).mean()
        for one in (AutoMulticlassCalibrator(), OneVsRestCalibrator())
    ]
    assert errors[0] < 1e-3 < 1e-2 < errors[1]


def test_it_loses_less_than_either_step_alone():
    """Margins bent in each class, with one class told by another: nobody's own form."""
    p, y, _ = drawn(1500, power=1.0)
    new, y_new, _ = drawn(4000, seed=1, power=1.0)
    mix = 0.75 * np.eye(K) + 0.25 * np.roll(np.eye(K), 1, axis=1)

    def bent(rows):
        z = np.log(rows) @ mix
        return softmax(z + 0.8 * np.sin(2 * z), axis=1)

    losses = [
        log_loss(y_new, one.fit(bent(p), y).predict_proba(bent(new)))
        for one in (
            AutoMulticlassCalibrator(),
            OneVsRestCalibrator(AutoCalibrator(), coupling="normalize"),
            StructuredMatrixCalibrator(),
        )
    ]
    assert losses[0] < min(losses[1:])


def test_two_classes_are_those_of_the_binary_calibrator():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=200)
    y = np.where(rng.random(200) < expit(2 * scores), "yes", "no")
    for model in ("likelihood", "confidence", "bayesian"):
        many = AutoMulticlassCalibrator(model=model).fit(scores, y)
        two = AutoCalibrator(model=model).fit(scores, y)
        assert many.scaling_ is None
        np.testing.assert_allclose(
            many.predict_proba(scores), two.predict_proba(scores), atol=1e-12
        )
        np.testing.assert_allclose(
            many.predict_interval(scores)[:, 1], two.predict_interval(scores), atol=2e-3
        )


@pytest.mark.parametrize(
    ("k", "kind"), [(40, StructuredMatrixCalibrator), (150, StructuredVectorCalibrator)]
)
def test_many_classes_have_no_curves_and_no_list_of_sets(k, kind):
    p, y, _ = drawn(600, k=k)
    calibrator = AutoMulticlassCalibrator().fit(p, y)
    assert (calibrator.calibrators_, calibrator.scaling_) == ([], None)
    assert isinstance(calibrator.learned_, kind)
    proba, interval = calibrator.predict_proba(p[:50]), calibrator.predict_interval(p[:50])
    np.testing.assert_array_equal(proba, calibrator.learned_.predict_proba(p[:50]))
    assert (interval[..., 0] <= proba + 1e-12).all()
    assert (proba <= interval[..., 1] + 1e-12).all()
    again = BaseMulticlassCalibrator.from_dict(calibrator.to_dict())
    np.testing.assert_array_equal(again.predict_proba(p[:50]), proba)
    np.testing.assert_array_equal(again.predict_interval(p[:50]), interval)


def test_what_was_saved_without_learned_scaling_is_curves_with_a_matrix():
    p, y, _ = drawn(200)
    calibrator = AutoMulticlassCalibrator(model="bayesian").fit(p, y)
    saved = calibrator.to_dict()
    del saved["state"]["learned"]
    again = BaseMulticlassCalibrator.from_dict(saved)
    shares = calibrator._shares(p)
    np.testing.assert_array_equal(again.predict_proba(p), calibrator.scaling_.predict_proba(shares))


def test_margins_of_any_unit_are_read_as_margins():
    p, y, _ = drawn(300)
    margins = np.log(p)
    wanted = AutoMulticlassCalibrator().fit(margins, y).predict_proba(margins)
    found = AutoMulticlassCalibrator().fit(1e-3 * margins, y)
    assert found.learned_.transform is None
    np.testing.assert_allclose(found.predict_proba(1e-3 * margins), wanted, atol=1e-6)


def test_a_few_noisy_samples_of_many_classes_lose_no_more_than_a_temperature():
    k = 100
    p, y, _ = drawn(500, k=k)
    new, y_new, _ = drawn(3000, seed=1, k=k)
    temperature, ours = (
        log_loss(y_new, one.fit(p, y).predict_proba(new))
        for one in (
            SoftmaxCalibrator(parameters="temperature", transform="log"),
            AutoMulticlassCalibrator(model="bayesian"),
        )
    )
    assert ours < 1.005 * temperature


def test_columns_of_many_classes_are_warned_of_without_curves():
    y = np.arange(1200) % 30
    scores = np.random.default_rng(0).normal(size=(1200, 30)) + 3 * np.eye(30)[y]
    for used in (slice(None), y != 4):
        with warnings.catch_warnings(action="error"):
            AutoMulticlassCalibrator().fit(scores[used], y[used], classes=range(30))
        turned = scores * np.where(np.arange(30) == 7, -1, 1)
        with pytest.warns(WrongWayWarning, match="not class 7") as told:
            calibrator = AutoMulticlassCalibrator().fit(turned[used], y[used], classes=range(30))
        assert len(told) == 1
        again = BaseMulticlassCalibrator.from_dict(calibrator.to_dict())
        assert again._wrong_ways() == []


def test_a_column_that_points_the_wrong_way_is_warned_of_by_its_class():
    p, y, _ = drawn(400)
    p[:, 2] = 1 - p[:, 2]
    with pytest.warns(WrongWayWarning, match="'c'"):
        calibrator = AutoMulticlassCalibrator().fit(p, np.array(["a", "b", "c"])[y])
    assert calibrator.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda state: state | {"scaling": None}, "do not belong together"),
        (
            lambda state: (
                state
                | {
                    "each": OneVsRestCalibrator(
                        AutoCalibrator(model="bayesian"), coupling="normalize"
                    )
                    .fit(*drawn(60, k=4)[:2])
                    .to_dict()
                }
            ),
            "each is not of 3 classes",
        ),
    ],
)
def test_parts_of_other_sizes_are_refused(spoil, message):
    data = AutoMulticlassCalibrator().fit(*drawn(100)[:2]).to_dict()
    with pytest.raises(ValueError, match=message):
        AutoMulticlassCalibrator.from_dict(data | {"state": spoil(data["state"])})


@pytest.mark.parametrize("k", [5, 40])
@pytest.mark.parametrize("kind", [AutoMulticlassCalibrator, StructuredVectorCalibrator])
def test_a_class_without_samples_keeps_its_column(kind, k):
    """It is calibrated as the others are on average, and its interval is wider than theirs."""
    p, y, _ = drawn(1500, k=k)
    absent, names = 2, np.array([f"c{i:02d}" for i in range(k)])
    rows = y != absent
    calibrator = kind().fit(p[rows], names[y[rows]], classes=names)
    assert calibrator.classes_.tolist() == names.tolist()
    new, _, truth = drawn(2000, seed=1, k=k)
    found = calibrator.predict_proba(new)
    assert found.shape == new.shape
    assert found[:, absent].max() > 0.05
    # Nobody could know more than that it is rarer here: order and scale are those of the scores.
    assert np.corrcoef(found[:, absent], truth[:, absent])[0, 1] > 0.7
    again = BaseMulticlassCalibrator.from_dict(calibrator.to_dict())
    np.testing.assert_array_equal(again.predict_proba(new), found)
    if kind is AutoMulticlassCalibrator:
        interval = calibrator.predict_interval(new)
        likely = found > 0.02
        width = (interval[..., 1] - interval[..., 0]) / (found * (1 - found))
        widths = [np.median(width[likely[:, i], i]) for i in range(k)]
        assert widths[absent] > np.median(widths)


def test_classes_that_are_not_named_or_not_learned_are_refused():
    p, y, _ = drawn(100)
    with pytest.raises(ValueError, match="y holds 2, which is none of the classes"):
        AutoMulticlassCalibrator().fit(p, y, classes=[0, 1])
    rows = y != 2
    with pytest.raises(ValueError, match="class 2 has no sample, which SoftmaxCalibrator needs"):
        SoftmaxCalibrator().fit(p[rows], y[rows], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="name all classes by classes="):
        AutoMulticlassCalibrator().fit(p[rows], y[rows])


def test_classes_in_another_order_than_columns_without_names_are_read():
    p, y, _ = drawn(100)
    names, votes, turned = np.array(["a", "b", "c"])[y], [*"abc"] * 33 + ["a"], [*"cba"]
    fusion = EvidentialFusion("dempster", classes=turned)
    fusion.fit([pd.DataFrame(p, columns=[*"abc"]), votes])
    for table in (p, pd.DataFrame(p, columns=[*"xyz"])):
        with pytest.raises(ValueError, match=r"classes are .* columns of source .* are read as"):
            fusion.fit([table])
        with pytest.raises(ValueError, match=r"classes are .* columns of scores are read as"):
            SoftmaxCalibrator().fit(table, names, classes=turned)


def test_a_class_without_a_name_is_refused():
    p, y, _ = drawn(100)
    with pytest.raises(ValueError, match=r"classes\[1\] is None, expected a label for every"):
        AutoMulticlassCalibrator().fit(p, y, classes=[0, None, 2])
