"""A comparison is plain cross-validation, and its recommendation follows from its numbers."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from evical import metrics
from evical.calibrators import (
    AutoCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
)
from evical.evaluation import compare, compare_data_sets
from evical.evaluation.methods import (
    complexity,
    complexity_text,
    is_automatic,
    make_calibrator,
    method_names,
    name_methods,
)
from evical.evaluation.recommendation import TIMES_LOGISTIC, differences
from evical.evaluation.validation import MEASURES
from evical.multiclass import OneVsRestCalibrator, SoftmaxCalibrator
from evical.report import build
from evical.significance import corrected_t, holm_adjusted
from tests.evical.report.outline import check_page
from tests.support.each import each

QUICK = ["logistic", "isotonic", "binning"]
FAST = ["logistic:bayesian", *QUICK[1:]]  # where no interval is looked at


def sample(n=300, seed=0, gap=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=n)
    return rng.normal(gap * (2 * y - 1)), y


def test_predictions_are_those_of_cross_validation():
    """Definition: scikit-learn's folds and its out-of-fold predictions."""
    scores, y = sample()
    found = compare(scores, y, QUICK, cv=5, random_state=7)
    folds = StratifiedKFold(5, shuffle=True, random_state=7)
    for number, (_, test) in enumerate(folds.split(scores, y)):
        assert (found.fold[test] == number).all()
    kinds = {"logistic": LogisticCalibrator(), "isotonic": IsotonicCalibrator()}
    for name, calibrator in kinds.items():
        row = found.methods.index(name)
        proba = cross_val_predict(
            calibrator, scores[:, np.newaxis], y, cv=folds, method="predict_proba"
        )
        np.testing.assert_allclose(found.probability[row], proba[:, 1], atol=1e-12)
        np.testing.assert_allclose(
            found.probability[row], (found.bel[row] + found.pl[row]) / 2, atol=1e-12
        )


@each("classes", [2, 3])
def test_weights_are_repeated_rows_of_a_fold(classes):
    """In fits, measures, tests and the choice; only counts of rows differ."""
    rng = np.random.default_rng(3)
    y, w = np.arange(90) % classes, rng.integers(0, 3, 90)
    scores = rng.normal(np.eye(classes)[y]) if classes > 2 else rng.normal(1.5 * y).round(1)
    fold, methods = np.arange(90) // classes % 3, ["binning", "logistic:bayesian"]
    found = compare(scores, y, methods, cv=PredefinedSplit(fold), sample_weight=w)
    scores, y, fold = (np.repeat(one, w, axis=0) for one in (scores, y, fold))
    repeated = compare(scores, y, methods, cv=PredefinedSplit(fold))
    np.testing.assert_allclose(found.values, repeated.values, atol=1e-7)
    one, other = found.differences[0], repeated.differences[0]
    assert one.method == other.method
    assert (one.difference, one.pvalue) == pytest.approx((other.difference, other.pvalue), rel=1e-4)
    if classes == 2:
        made, same = (each.evaluation("binning") for each in (found, repeated))
        assert made.report["brier_score"] == pytest.approx(same.report["brier_score"])


def test_methods_without_weights_fail_by_name():
    scores, y = sample(60)
    methods = {"neighbors": KNeighborsClassifier(3), "logistic": LogisticCalibrator()}
    found = compare(scores, y, methods, cv=3, sample_weight=np.ones(60))
    assert found.failures == {"neighbors": "its fit takes no sample_weight"}
    with pytest.raises(ValueError, match="have 1 of 2 classes"):
        compare(scores, y, FAST, cv=3, sample_weight=y)
    weighted = {name: (scores, y, np.ones(60)) for name in "ab"}
    both = compare_data_sets(weighted, FAST, cv=2)
    assert both.comparisons["a"].weight.sum() == 60
    with pytest.raises(ValueError, match="sample_weight is of one data set"):
        compare_data_sets(weighted, FAST, cv=2, sample_weight=np.ones(60))


def test_measures_are_those_of_the_metrics_on_each_fold():
    scores, y = sample()
    found = compare(scores, y, QUICK, cv=4, repeats=2)
    assert found.values.shape == (3, 8, len(MEASURES))
    assert found.seconds.shape == (3, 8)
    for row in range(3):
        for number in range(4):
            test = found.fold == number
            p = found.probability[row, test]
            values = dict(zip(MEASURES, found.values[row, number], strict=True))
            assert values.pop("mean_imprecision") == pytest.approx(
                (found.pl - found.bel)[row, test].mean()
            )
            assert values.pop("log_loss") == metrics.log_loss(y[test], p, eps=1e-6)
            for name, value in values.items():
                assert value == getattr(metrics, name)(y[test], p)


def test_repetitions_are_comparisons_with_the_next_seeds():
    scores, y = sample()
    both = compare(scores, y, FAST, cv=3, repeats=2, random_state=4)
    for i in range(2):
        alone = compare(scores, y, FAST, cv=3, random_state=4 + i)
        np.testing.assert_array_equal(both.values[:, 3 * i : 3 * i + 3], alone.values)


def test_differences_are_nadeau_and_bengios():
    """Definition: t of J - 1 degrees of freedom with variance (1/J + n2/n1) s^2, then Holm's."""
    scores, y = sample(seed=2)
    found = compare(scores, y, FAST, cv=5, repeats=2)
    losses = dict(zip(found.methods, found.values[:, :, 0], strict=True))
    best = min(losses, key=lambda name: losses[name].mean())
    assert found.recommendation.best == best
    pvalues = []
    for one in found.differences:
        gaps = losses[one.method] - losses[best]
        error = np.sqrt((1 / 10 + 1 / 4) * gaps.var(ddof=1))
        assert one.standard_error == pytest.approx(error)
        assert one.statistic == pytest.approx(gaps.mean() / error)
        assert one.pvalue == pytest.approx(2 * stats.t.sf(abs(gaps.mean() / error), 9))
        naive = stats.ttest_rel(losses[one.method], losses[best]).pvalue
        assert one.pvalue > naive
        assert one.pvalue == corrected_t(losses[one.method], losses[best], 0.25).pvalue
        pvalues.append(one.pvalue)
    np.testing.assert_array_equal(
        [one.adjusted for one in found.differences], holm_adjusted(pvalues)
    )


def test_order_of_methods_does_not_matter():
    scores, y = sample()
    forward, backward = (compare(scores, y, order, cv=3) for order in (QUICK, QUICK[::-1]))
    assert forward.recommendation == backward.recommendation
    assert forward.ranking() == backward.ranking()
    assert forward.differences == backward.differences


@pytest.mark.parametrize("shift", [-5.0, 64.0])
def test_shifted_scores_have_the_same_recommendation(shift):
    """Law: isotonic regression, Venn-Abers prediction and ranks see the order only."""
    scores, y = sample()
    methods = ["isotonic:bayesian", "venn_abers", "binning:strategy=quantile:transform=rank"]
    first, moved = (compare(s, y, methods, cv=3) for s in (scores, scores + shift))
    assert first.recommendation == moved.recommendation
    np.testing.assert_allclose(first.values, moved.values, atol=1e-12)
    logistic = [compare(s, y, ["logistic"], cv=3) for s in (scores, scores + shift)]
    np.testing.assert_allclose(logistic[0].values, logistic[1].values, atol=1e-6)


def test_the_least_loss_is_taken_where_no_method_chooses_itself():
    scores, y = sample(2000)
    found = compare(scores, y, ["logistic", "spline", "isotonic", "bbq"], cv=5)
    advice = found.recommendation
    assert advice.method == advice.best == found.ranking()[0]
    assert advice.reasons[0].startswith(f"{advice.best} has the lowest mean Brier score")
    gap = found.differences[0]
    assert f"the next, {gap.method}, is {gap.difference:.2g} worse" in advice.reasons[1]


def test_what_cannot_be_told_apart_is_said():
    scores, y = sample(120)
    found = compare(scores, y, {"a": LogisticCalibrator(), "b": LogisticCalibrator()}, cv=4)
    (one,) = found.differences
    assert (one.difference, one.statistic, one.pvalue) == (0, 0, 1)
    assert found.recommendation.equivalents == ("b",)
    assert any("does not differ significantly from" in s for s in found.recommendation.reasons)


def test_clear_differences_are_said():
    scores, y = sample(2000)
    found = compare(scores, y, ["logistic", "normalizing"], cv=5)
    assert found.recommendation.method == "logistic"
    assert any("significantly worse" in text for text in found.recommendation.reasons)


def test_uncalibrated_probabilities_take_part():
    rng = np.random.default_rng(0)
    p = rng.random(1500)
    y = (rng.random(1500) < p).astype(int)
    found = compare(p, y, cv=3)
    assert found.methods[0] == "uncalibrated"
    assert "calibration brings no significant gain" in found.recommendation.reasons[-1]
    np.testing.assert_array_equal(found.probability[0], p)
    lazy = compare(p**3, y, ["uncalibrated", "isotonic:bayesian"], cv=3)
    assert lazy.recommendation.method == "isotonic:bayesian"
    assert "lowers" in lazy.recommendation.reasons[-1]
    assert "uncalibrated" not in compare(p[:60] - 1, y[:60], cv=2).methods
    left = compare(p, y, ["uncalibrated", "kde", "binning"], cv=3)
    assert left.recommendation.best == left.recommendation.method == "uncalibrated"
    assert "no method improves the uncalibrated" in left.recommendation.reasons[-1]


def test_all_methods_can_be_tried():
    scores, y = sample(80)
    found = compare(scores, y, "all", cv=2)
    assert set(found.methods) | set(found.failures) == set(method_names()) - {"uncalibrated"}
    assert not found.failures


def test_estimators_of_others_take_part():
    scores, y = sample()
    found = compare(scores, y, [LogisticRegression(C=2), "logistic"], cv=3)
    assert found.methods == ("LogisticRegression(C=2)", "logistic")
    np.testing.assert_array_equal(found.bel[0], found.pl[0])


def test_methods_that_fail_are_left_out_and_named():
    scores, y = sample()
    found = compare(scores, y, ["logistic", "temperature:transform=logit"], cv=3)
    assert found.methods == ("logistic",)
    assert "a number in [0, 1]" in found.failures["temperature:transform=logit"]
    assert found.recommendation.reasons[1].startswith("it is the only method")
    assert "failed" in str(found)
    with pytest.raises(ValueError, match="no method could be fitted; temperature"):
        compare(scores, y, ["temperature:transform=logit"], cv=3)


def test_jobs_and_progress_change_nothing():
    scores, y = sample(100)
    calls = []
    found = compare(scores, y, QUICK, cv=2, n_jobs=1, on_fit=lambda: calls.append(1))
    assert len(calls) == 6
    np.testing.assert_array_equal(found.values, compare(scores, y, QUICK, cv=2).values)


def test_labels_may_be_words():
    scores, y = sample(100)
    words = compare(scores, np.where(y, "yes", "no"), QUICK, cv=2)
    plain = compare(scores, y, QUICK, cv=2)
    assert words.class_names == ("no", "yes")
    np.testing.assert_array_equal(words.values, plain.values)
    judged = words.evaluation("logistic", n_resamples=5)
    assert (judged.name, judged.class_names) == ("logistic", ("no", "yes"))
    np.testing.assert_array_equal(judged.y, y)
    with pytest.raises(ValueError, match="method is 'platt', expected one of 'logistic'"):
        words.evaluation("platt")


def test_scores_that_tell_nothing_are_not_called_wrong():
    y = np.tile([0, 1], 60)
    scores = np.arange(120.0) - 2 * (y == 1)  # an area of a little less than 1/2
    warnings = compare(scores, y, ["logistic"], cv=3).recommendation.warnings
    assert not [text for text in warnings if "ROC" in text]


def test_measured_ratios_are_those_of_the_study():
    """The warnings quote docs/calibrator_quality.csv; when that is made anew, they follow."""
    path = Path(__file__).parents[3] / "docs" / "calibrator_quality.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["n"] == "200" and row["kind"] in ("monotone", "overconfident")
        ]
    error = {}
    for row in rows:
        error[row["method"]] = error.get(row["method"], 0.0) + float(row["squared_error"])
    for kind, times in TIMES_LOGISTIC.items():
        ratio = error[kind.removesuffix("Calibrator")] / error["Logistic"]
        assert times == pytest.approx(ratio, abs=0.05)
    missing = {
        name
        for name in method_names()
        if complexity(make_calibrator(name)) >= 100
        and error[type(make_calibrator(name)).__name__.removesuffix("Calibrator")]
        > 1.5 * error["Logistic"]
        and type(make_calibrator(name)).__name__ not in TIMES_LOGISTIC
    }
    assert not missing


def test_scores_that_rank_the_wrong_way_are_warned_of():
    scores, y = sample()
    found = compare(-scores, y, ["isotonic"], cv=3)
    assert not any(
        "other class" in text
        for text in compare(scores, y, ["isotonic"], cv=3).recommendation.warnings
    )
    assert any("scores of the other class" in text for text in found.recommendation.warnings)


def test_data_sets_have_ranks():
    samples = {str(seed): sample(200, seed) for seed in range(4)}
    seen = []
    found = compare_data_sets(samples, FAST, cv=3, on_data_set=seen.append)
    assert [one.name for one in seen] == list(samples)
    for row, name in enumerate(samples):
        alone = compare(*samples[name], FAST, cv=3)
        np.testing.assert_array_equal(
            found.results.values[row], [alone.mean(method, "brier_score") for method in FAST]
        )
    assert found.friedman.n_data_sets == 4
    assert "Nemenyi" in str(found)
    with pytest.raises(ValueError, match="at least two data sets"):
        compare_data_sets({"one": samples["0"]})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("logstic", "did you mean 'logistic'"),
        ("xyz", "methods: uncalibrated, abb"),
        ("logistic:modl=bayesian", "did you mean 'model'"),
        ("logistic:", "model"),
        ("dpm:likelihood", "no evidential models"),
    ],
)
def test_unknown_methods_are_refused(name, message):
    scores, y = sample(50)
    with pytest.raises(ValueError, match=message):
        compare(scores, y, [name], cv=2)


@each(
    ("scores", "y", "options", "message"),
    [
        ([1.0, 2.0], [1, 1], {}, "one class only"),
        ([1.0, 2.0, 3.0], [0, 1, 2], {}, "3 classes"),
        ([1.0, np.nan], [0, 1], {}, r"scores\[1\] is nan"),
        ([1.0, 2.0, 3.0], [0, 1], {}, "scores"),
        ([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], {"cv": 10}, "take at most 2 folds"),
        ([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 0], {"cv": 10}, "more samples are needed"),
        ([1.0, 2.0], [0, 1], {"cv": 1}, "cv is 1"),
        ([1.0, 2.0], [0, 1], {"repeats": 0}, "repeats"),
        (
            [1.0, 2.0],
            [0, 1],
            {"criterion": "auc"},
            "criterion is 'auc', expected one of 'brier_score', 'log_loss'",
        ),
        ([1.0, 2.0], [0, 1], {"methods": []}, "no method"),
        ([1.0, 2.0], [0, 1], {"methods": ["kde", "kde"]}, "named twice"),
    ],
)
def test_wrong_inputs_are_refused(scores, y, options, message):
    with pytest.raises(ValueError, match=message):
        compare(scores, y, **options)


def test_what_is_no_method_is_refused():
    scores, y = sample(50)
    for wrong in (LogisticCalibrator, 3):
        with pytest.raises(TypeError, match="is not a method"):
            compare(scores, y, [wrong])


def test_folds_must_test_each_sample_once():
    from sklearn.model_selection import ShuffleSplit

    scores, y = sample(50)
    with pytest.raises(ValueError, match="expected once"):
        compare(scores, y, QUICK, cv=ShuffleSplit(3, random_state=0))


def test_repetitions_need_other_folds():
    scores, y = sample(50)
    with pytest.raises(ValueError, match="give cv as a number"):
        compare(scores, y, QUICK, cv=StratifiedKFold(3), repeats=2)


def test_methods_that_need_more_samples_are_named():
    scores, y = sample(250)
    warnings = compare(scores, y, ["logistic", "isotonic", "sbb"], cv=3).recommendation.warnings
    assert any("250 distinct scores are few for isotonic, sbb" in text for text in warnings)


def test_texts_of_complexity():
    assert complexity_text(complexity(make_calibrator("elite"))) == "averages many curves"
    assert complexity(LogisticRegression()) == 100  # unknown: as a curve


def test_differences_of_equal_means_go_by_name():
    found = differences(["b", "a"], np.array([[0.1, 0.3], [0.3, 0.1]]), 1.0)
    assert found[0].other == "a"


def test_inputs_are_not_mutated():
    scores, y = sample(60)
    copies = scores.copy(), y.copy()
    found = compare(scores, y, QUICK, cv=2)
    np.testing.assert_array_equal(scores, copies[0])
    np.testing.assert_array_equal(y, copies[1])
    assert replace(found, name="other").name == "other"


def test_three_classes_are_compared_as_two():
    """Definition: scikit-learn's folds, our calibrators, and metrics of each test fold."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    p = rng.dirichlet([1, 1, 1], 240) + 0.5 * np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    labels = np.array(["ant", "bee", "cat"])[y]
    found = compare(p, labels, ["uncalibrated", "softmax", "isotonic"], cv=4)
    one = OneVsRestCalibrator(IsotonicCalibrator(), total_conflict="vacuous")
    made = {"softmax": SoftmaxCalibrator(), "isotonic": one}
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    for number, (train, test) in enumerate(folds.split(p, y)):
        for name, calibrator in made.items():
            row = found.methods.index(name)
            predicted = calibrator.fit(p[train], labels[train]).predict_proba(p[test])
            np.testing.assert_allclose(found.probability[row, test], predicted, atol=1e-12)
            onehot = np.eye(3)[y[test]]
            brier = ((predicted - onehot) ** 2).sum(axis=1).mean()
            loss = -np.log(np.maximum((predicted * onehot).sum(axis=1), 1e-6)).mean()
            np.testing.assert_allclose(found.values[row, number, :2], [brier, loss])
    np.testing.assert_allclose(found.probability[found.methods.index("uncalibrated")], p)
    assert found.class_names == ("ant", "bee", "cat")
    assert is_automatic(name_methods({"mine": AutoCalibrator()}, p)["mine"])
    mine = compare(p, labels, [IsotonicCalibrator()], cv=4)
    np.testing.assert_array_equal(
        mine.probability[0], found.probability[found.methods.index("isotonic")]
    )
    assert "fits a curve that follows the data for each class" in mine.recommendation.reasons[1]
    best, *others = (found.values[found.methods.index(name), :, 0] for name in found.ranking())
    for one, losses in zip(found.differences, others, strict=True):
        assert one.difference == pytest.approx((losses - best).mean())
    assert set(name_methods(None, p)) >= {"uncalibrated", "auto", "softmax", "isotonic"}
    assert "uncalibrated" not in name_methods("all", 2 * p)
    refused = compare(2 * p, labels, ["uncalibrated", "isotonic"], cv=2).failures
    assert "], are not probabilities with sum 1" in refused["uncalibrated"]
    rounded = np.tile([0.34, 0.34, 0.33], (240, 1))  # to two places, as in a file
    assert "uncalibrated" in name_methods(None, rounded)
    predicted = compare(rounded, labels, ["uncalibrated"], cv=2).probability
    np.testing.assert_allclose(predicted[0], rounded / 1.01)
    page = build(found)
    check_page(page)
    assert "240 samples of 3 classes, by 4-fold" in page
    for scores, options, message in (
        (p[:, [0, 1, 2, 2]], {}, "scores have 4 columns, but y has 3 classes"),
        (np.where(p == p[2, 1], np.nan, p), {}, r"scores\[:, 1\]\[2\] is nan"),
        (p, {"pos_label": "ant"}, "pos_label is of two classes, but there are 3"),
        (p, {"cv": 200}, "the rarest class has"),
    ):
        with pytest.raises(ValueError, match=message):
            compare(scores, labels, ["softmax"], **options)
    with pytest.raises(ValueError, match="an Evaluation is of two classes, but there are 3"):
        found.evaluation("softmax")
