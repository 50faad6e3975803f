"""An evaluation has the values of the metrics, and intervals that do what they promise."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from dstheory import Frame, MassFunction
from evical import EvidentialClassifier, metrics
from evical.calibrators import IsotonicCalibrator, LogisticCalibrator
from evical.evaluation import Evaluation
from evical.evaluation._evaluation import _measure, prepare, resample_count
from tests.support.each import each


def sample(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(3)
    return p, (rng.random(n) < p**1.3).astype(int)


def beliefs(p):
    return p * 0.85, p * 0.85 + 0.15


def test_values_are_those_of_the_metrics():
    p, y = sample()
    bel, pl = beliefs(p)
    made = Evaluation.from_predictions(y, p, bel=bel, pl=pl, n_resamples=20)
    bounds = np.stack([bel, pl], axis=1)
    expected = {
        "brier_score": metrics.brier_score(y, p),
        "log_loss": metrics.log_loss(y, p),
        "roc_auc": metrics.roc_auc(y, p),
        "debiased_calibration_error": metrics.debiased_calibration_error(y, p),
    }
    assert made.report["belief_coverage"] == metrics.coverage_test(y, bounds).share
    for name, value in expected.items():
        assert made[name].value == made.report[name] == pytest.approx(value, abs=1e-12)
    assert made["mean_imprecision"].value == pytest.approx(0.15)
    for one in made.intervals:
        assert one.low - 1e-15 <= one.value <= one.high + 1e-15  # means are rounded
        assert one.definition


@pytest.mark.parametrize("weighted", [False, True])
def test_measures_of_the_bootstrap_are_the_metrics(weighted):
    """A resample is a sample: with all counts 1 every fast formula gives the metric itself."""
    p, y = sample(seed=3)
    bel, pl = beliefs(p)
    weight = np.random.default_rng(1).random(len(y)) + 0.1 if weighted else None
    made = Evaluation.from_predictions(y, p, bel=bel, pl=pl, sample_weight=weight, n_resamples=1)
    used = np.ones(len(y)) if weight is None else weight
    fast = _measure(prepare(y.astype(float), p, bel, pl, used, 10), np.ones(len(y)))
    squared = metrics.debiased_calibration_error(y, p, squared=True, sample_weight=weight)
    assert fast.pop("debiased_calibration_error") == pytest.approx(squared, abs=1e-12)
    for name, value in fast.items():
        assert value == pytest.approx(made[name].value, abs=1e-12)


def test_resample_equals_repeated_rows():
    """Definition: counts are repetitions, in every measure that does not depend on bins."""
    p, y = sample(60)
    rows = np.random.default_rng(5).integers(60, size=60)
    ready = prepare(y.astype(float), p, p, p, np.ones(60), 10)
    fast = _measure(ready, np.bincount(rows, minlength=60).astype(float))
    assert fast["brier_score"] == pytest.approx(metrics.brier_score(y[rows], p[rows]))
    assert fast["log_loss"] == pytest.approx(metrics.log_loss(y[rows], p[rows]))
    assert fast["roc_auc"] == pytest.approx(metrics.roc_auc(y[rows], p[rows]))


def test_intervals_depend_on_the_seed_only():
    p, y = sample()
    first, again, other = (
        Evaluation.from_predictions(y, p, random_state=seed, n_resamples=50) for seed in (1, 1, 2)
    )
    assert first.intervals == again.intervals
    assert first.intervals != other.intervals


def test_intervals_grow_with_confidence_and_shrink_with_samples():
    p, y = sample(2000)
    wide = Evaluation.from_predictions(y, p, confidence=0.99)
    narrow = Evaluation.from_predictions(y, p, confidence=0.8)
    few = Evaluation.from_predictions(y[:200], p[:200], confidence=0.8)
    for name in ("brier_score", "log_loss", "roc_auc"):
        widths = [one[name].high - one[name].low for one in (narrow, wide)]
        assert widths[0] < widths[1]
        assert widths[0] < few[name].high - few[name].low


def test_interval_of_the_brier_score_has_its_level():
    """Law: of 60 samples about 95 % of intervals hold the expected score, 1/6 for p = U(0, 1)."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(60):
        p = rng.random(150)
        y = (rng.random(150) < p).astype(int)
        one = Evaluation.from_predictions(y, p, n_resamples=99)["brier_score"]
        hits += one.low <= 1 / 6 <= one.high
    assert 50 <= hits <= 59  # within four standard deviations of 95, and not always


def test_a_wrong_certainty_costs_infinitely_much():
    p, y = sample(100)
    p[y == 1] = np.where(np.arange((y == 1).sum()) == 0, 0.0, p[y == 1])
    one = Evaluation.from_predictions(y, p, n_resamples=99)["log_loss"]
    assert one.value == one.high == np.inf
    assert np.isfinite(one.low)  # a third of resamples are without that sample


def test_estimators_and_their_predictions_agree():
    p, y = sample()
    scores = np.log((p + 0.01) / (1.01 - p))
    calibrator = LogisticCalibrator().fit(scores, y)
    made = Evaluation.from_estimator(calibrator, scores, y, n_resamples=5)
    bel, pl = calibrator.predict_interval(scores).T
    direct = Evaluation.from_predictions(y, bel=bel, pl=pl, n_resamples=5)
    assert made.name == "LogisticCalibrator"
    for fitted, X in (
        (calibrator, scores),
        (LogisticRegression().fit(scores[:, None], y), scores[:, None]),
    ):
        with pytest.raises(ValueError, match=r"y\[0\] is 'ill' .* expected one of \[0, 1\]"):
            Evaluation.from_estimator(fitted, X, ["ill", *["well"] * (len(y) - 1)])
    assert made.report["brier_score"] == pytest.approx(direct.report["brier_score"])
    assert made.report["belief_coverage"] == direct.report["belief_coverage"]
    np.testing.assert_array_equal(made.scores, scores)
    plain = LogisticRegression().fit(np.stack([scores, scores**2], axis=1), y)
    judged = Evaluation.from_estimator(
        plain, np.stack([scores, scores**2], axis=1), y, n_resamples=5
    )
    assert judged.bel is None
    assert judged.scores is None
    assert "belief_coverage" not in judged.report.to_dict()


def test_beliefs_without_width_are_probabilities():
    p, y = sample()
    scores = np.log((p + 0.01) / (1.01 - p))
    bayesian = IsotonicCalibrator(model="bayesian").fit(scores, y)
    assert Evaluation.from_estimator(bayesian, scores, y, n_resamples=5).pl is None


def test_labels_may_be_words():
    p, y = sample()
    words = np.where(y == 1, "spam", "ham")
    made = Evaluation.from_predictions(words, p, n_resamples=5)
    assert made.class_names == ("ham", "spam")
    np.testing.assert_array_equal(made.y, y)
    mass = MassFunction.from_store(
        Frame(("spam", "ham")), np.array([1, 2, 3]), np.stack([p * 0.9, 0.9 - p * 0.9, 0 * p + 0.1])
    )
    turned = Evaluation.from_predictions(words, mass=mass, n_resamples=5)
    assert turned.class_names == ("spam", "ham")
    np.testing.assert_allclose(turned.pl, 1 - p * 0.9)
    np.testing.assert_array_equal(turned.y, 1 - y)


def test_columns_of_probabilities_are_in_sorted_order():
    p, y = sample()
    words = np.where(y == 1, "spam", "ham")
    both = np.stack([1 - p, p], axis=1)
    for pos_label, expected in (("spam", p), ("ham", 1 - p)):
        made = Evaluation.from_predictions(words, both, pos_label=pos_label, n_resamples=1)
        np.testing.assert_array_equal(made.probability, expected)
        np.testing.assert_array_equal(made.y, words == pos_label)
    alone = Evaluation.from_predictions(words, 1 - p, pos_label="ham", n_resamples=1)
    assert alone.report["brier_score"] == pytest.approx(made.report["brier_score"])


def test_resamples_are_fewer_for_many_samples():
    assert resample_count(10) == 999
    assert resample_count(1_000_000) == 199


def test_nothing_is_mutated():
    p, y = sample(50)
    copies = p.copy(), y.copy()
    Evaluation.from_predictions(y, p, n_resamples=5)
    np.testing.assert_array_equal(p, copies[0])
    np.testing.assert_array_equal(y, copies[1])


@each(
    ("arguments", "options", "message"),
    [
        (([1, 1], [0.5, 0.5]), {}, "y has one class only"),
        (([0, 1, 2], [0.1, 0.2, 0.3]), {}, "y has 3 classes"),
        (([0, 1], None), {}, "nothing to evaluate"),
        (([0, 1], None), {"bel": [0, 0]}, "belong together"),
        (([0, 1], [0.1, 1.2]), {}, "1.2"),
        (([0, 1], [0.1, np.nan]), {}, "nan"),
        (([0, 1], None), {"bel": [0.5, 0.2], "pl": [0.4, 0.3]}, r"\[0.5, 0.4\]"),
        (([0, 1], [0.1, 0.2, 0.3]), {}, "3"),
        (([0, 1], [0.1, 0.2]), {"scores": [1.0]}, "scores"),
        (([0, 1], [0.1, 0.2]), {"confidence": 1.0}, "confidence is 1.0"),
        (([0, 1], [0.1, 0.2]), {"n_resamples": 0}, "n_resamples"),
        (([0, 1], [0.1, 0.2]), {"n_bins": 0}, "n_bins"),
        (([0, 1], [0.1, 0.2]), {"pos_label": 2}, "pos_label is 2"),
    ],
)
def test_wrong_inputs_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        Evaluation.from_predictions(*arguments, **options)


def test_unknown_measures_are_refused():
    p, y = sample(20)
    with pytest.raises(KeyError, match="brier_score, log_loss"):
        Evaluation.from_predictions(y, p, n_resamples=5)["brier"]


def test_an_estimator_is_judged_by_what_it_predicts():
    """Not by the middle of an interval, nor by the pignistic transform of another probability."""
    rng = np.random.default_rng(0)
    y = np.repeat(["b", "z"], 30)
    scores = rng.normal((y == "z").astype(float))
    X = scores[:, np.newaxis]
    other = {"calibrator": "logistic", "probability": "plausibility", "cv": 2}
    for made in (
        LogisticCalibrator(model="confidence").fit(X, y),
        EvidentialClassifier(GaussianNB(), **other).fit(X, y),
    ):
        expected = metrics.brier_score(y, made.predict_proba(X))
        assert abs(expected - metrics.brier_score(y, made.predict_mass(X))) > 1e-5
        for positive in (None, "b", "z"):
            judged = Evaluation.from_estimator(made, X, y, pos_label=positive, n_resamples=1)
            assert judged.report["brier_score"] == pytest.approx(expected, abs=1e-12)
            assert judged.class_names == (("z", "b") if positive == "b" else ("b", "z"))


def test_probabilities_of_the_other_class_are_refused():
    p = np.array([0.1, 0.3, 0.8, 0.9])
    Evaluation.from_predictions([0, 0, 1, 1], p, bel=p - 0.1, pl=p + 0.1, n_resamples=1)
    with pytest.raises(ValueError, match=r"outside \[bel, pl\] in 4 of 4 rows, and 1 - probabil"):
        Evaluation.from_predictions([0, 0, 1, 1], 1 - p, bel=p - 0.1, pl=p + 0.1)
