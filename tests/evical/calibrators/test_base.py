"""The contract: what a new method gets from its base class, and what it must bring."""

import re

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning, NotFittedError

from evical.calibrators import BaseCalibrator, BinningCalibrator, LogisticCalibrator
from evical.errors import WeightError
from evical.scores import ScoreCounts


class ShareCalibrator(BaseCalibrator):
    """The share of positives, whatever the score: the least that a method can be."""

    _state = ("share_",)

    def _fit_counts(self, counts):
        assert isinstance(counts, ScoreCounts)
        self.share_ = np.array(counts.n_positive / (counts.n_positive + counts.n_negative))

    def _predict_positive(self, scores):
        return np.full(len(scores), self.share_)


class FailingCalibrator(ShareCalibrator):
    """Refuses to learn from more than two samples."""

    def _fit_counts(self, counts):
        if counts.total.sum() > 2:
            raise ValueError("too many")
        super()._fit_counts(counts)


def test_the_base_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        BaseCalibrator()


def test_a_probability_is_a_bayesian_mass_function():
    calibrator = ShareCalibrator().fit([1, 2, 3, 4], [0, 1, 1, 1])
    m = calibrator.predict_mass([7.0, 8.0])
    assert m.is_bayesian.all()
    assert m.masses.tolist() == [[0.25, 0.75, 0]] * 2
    assert calibrator.predict_interval([7.0]).tolist() == [[0.75, 0.75]]
    assert calibrator.predict_proba([7.0]).tolist() == [[0.25, 0.75]]


def test_a_method_without_prediction_says_so():
    class Nothing(BaseCalibrator):
        _state = ()

        def _fit_counts(self, counts):
            pass

    with pytest.raises(TypeError, match="Nothing is evidential; see _predict_mass"):
        Nothing().fit([0, 1], [0, 1]).predict_mass([0])


def test_equal_support_predicts_the_negative_class():
    calibrator = ShareCalibrator().fit([1, 2], ["no", "yes"])
    assert calibrator.predict([1.5]).tolist() == ["no"]


def test_both_classes_may_come_late():
    calibrator = ShareCalibrator()
    calibrator.partial_fit([1, 2], ["b", "b"], classes=["b", "a"])
    assert calibrator.classes_.tolist() == ["a", "b"]
    with pytest.raises(NotFittedError, match="has no sample of class"):
        calibrator.predict([1])
    calibrator.partial_fit([3], ["a"])
    assert calibrator.predict_proba([1])[0, 1] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("y", "classes", "message"),
    [
        ([0, 2], None, r"y\[1\] is .*2.*, expected one of the classes \[0, 1\]"),
        ([0, 1], [0, 2], r"classes are \[0, 2\], but earlier samples had \[0, 1\]"),
        ([0, 1], [0, 1, 2], r"classes are \[0, 1, 2\], but earlier samples had \[0, 1\]"),
    ],
)
def test_classes_do_not_change(y, classes, message):
    calibrator = ShareCalibrator().fit([1, 2], [0, 1])
    with pytest.raises(ValueError, match=message):
        calibrator.partial_fit([3, 4], y, classes=classes)
    assert calibrator.predict_proba([1])[0, 1] == 0.5
    calibrator.partial_fit([3], [1], classes=[1, 0])


@pytest.mark.parametrize("classes", [[0], [0, 1, 2], [0, 0]])
def test_the_first_chunk_needs_two_classes(classes):
    with pytest.raises(ValueError, match="class"):
        ShareCalibrator().partial_fit([1, 2], [0, 0], classes=classes)
    with pytest.raises(ValueError, match="one class only"):
        ShareCalibrator().partial_fit([1, 2], [0, 0])
    with pytest.raises(TypeError, match="positional"):  # classes for weights, as in scikit-learn
        ShareCalibrator().partial_fit([1, 2], [0, 1], [0, 1])


def test_a_refused_first_chunk_leaves_no_trace():
    calibrator = ShareCalibrator()
    with pytest.raises(ValueError, match=r"y\[1\]"):
        calibrator.partial_fit([1, 2], [0, 2], classes=[0, 1])
    assert not hasattr(calibrator, "classes_")
    calibrator.partial_fit([1, 2], ["a", "b"])
    assert calibrator.classes_.tolist() == ["a", "b"]


def test_a_failing_method_keeps_what_was_learned():
    calibrator = FailingCalibrator().fit([1, 2], [0, 1])
    for again in (calibrator.fit, calibrator.partial_fit):
        with pytest.raises(ValueError, match="too many"):
            again([1, 2, 3], [0, 1, 1])
        assert len(calibrator.counts_) == 2
        assert calibrator.predict_proba([1])[0, 1] == 0.5


def test_a_column_of_labels_is_accepted_with_a_warning():
    with pytest.warns(DataConversionWarning, match="1d array was expected"):
        calibrator = ShareCalibrator().fit([1, 2], [[0], [1]])
    assert calibrator.classes_.tolist() == [0, 1]


def test_labels_of_mixed_kinds_and_continuous_targets():
    with pytest.raises(ValueError, match="continuous"):
        ShareCalibrator().fit([1, 2], [0.5, 1.5])
    with pytest.raises((TypeError, ValueError)):
        ShareCalibrator().fit([1, 2], np.array([1, "a"], dtype=object))


@pytest.mark.parametrize("factor", [1e-15, 2.0**51])
def test_weights_at_the_limits_of_counting(factor):
    weights = np.array([1.0, 1.0, 2.0]) * factor
    calibrator = BinningCalibrator(n_bins=1, model="bayesian")
    calibrator.fit([1, 1, 1], [0, 0, 1], sample_weight=weights)
    assert calibrator.predict_proba([1])[0, 1] == pytest.approx(0.5)


@pytest.mark.parametrize("weight", [1e-300, 9e-16, 1e16, 1e300])
def test_weights_that_cannot_count_samples(weight):
    with pytest.raises(WeightError, match=r"sample_weight\[1\] is .*divide all weights"):
        ShareCalibrator().fit([1, 2, 3], [0, 1, 1], [1.0, weight, 1.0])
    counts = ScoreCounts(np.array([1.0, 2.0]), np.ones(2), np.array([0.0, weight]))
    with pytest.raises(WeightError, match=r"positive\[1\] is "):
        ShareCalibrator().fit_counts(counts, [0, 1])


def test_totals_that_cannot_count_samples():
    half = ShareCalibrator().fit([1, 2], [0, 1], [1.0, 2.0**52])
    with pytest.raises(WeightError, match="sample_weight sum to"):
        ShareCalibrator().fit([1, 2, 3], [0, 1, 1], 2.0**52 * np.ones(3))
    with pytest.raises(WeightError, match="weights of the merged counts sum to"):
        half.partial_fit([2, 3], [1, 0], sample_weight=[2.0**52, 2.0**52])
    assert half.predict_proba([2])[0, 1] > 0.5  # as it was


def test_tags_say_one_column_and_two_classes():
    tags = ShareCalibrator().__sklearn_tags__()
    assert tags.input_tags.one_d_array
    assert not tags.input_tags.two_d_array
    assert not tags.classifier_tags.multi_class


def test_counts_of_samples_are_as_good_as_samples():
    scores, y = np.array([3.0, 1.0, 2.0, 1.0, 4.0]), np.array(["a", "a", "b", "b", "b"])
    counts = ScoreCounts.from_samples(scores, y == "b")
    whole = LogisticCalibrator().fit(scores, y)
    counted = LogisticCalibrator().fit_counts(counts, ["a", "b"])
    np.testing.assert_array_equal(counted.predict_interval(scores), whole.predict_interval(scores))
    turned = LogisticCalibrator().fit_counts(
        ScoreCounts(counts.scores, counts.positive, counts.negative), ["b", "a"]
    )
    assert turned.classes_.tolist() == ["b", "a"]
    np.testing.assert_allclose(turned.predict_proba(scores), whole.predict_proba(scores)[:, ::-1])
    more = turned.partial_fit([5.0], ["a"], classes=["a", "b"])
    assert more.counts_.n_positive == 3


@pytest.mark.parametrize(
    ("counts", "classes", "message"),
    [
        ([1.0, 2.0], "ab", "counts is [1.0, 2.0], expected ScoreCounts"),
        (ScoreCounts.from_samples([1.0, 2.0], [0, 1]), "aa", "two different ones"),
        (ScoreCounts.from_samples([1.0, 2.0], [0, 1]), "abc", "two different ones"),
        (ScoreCounts.from_samples([1.0, 2.0], [1, 1]), "ab", "one class only (all 'b')"),
        (ScoreCounts.from_samples([1.0, 2.0], [0, 1]), "ab", "scores"),
    ],
)
def test_wrong_counts_are_refused(counts, classes, message):
    calibrator = LogisticCalibrator(transform="logit")
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        calibrator.fit_counts(counts, list(classes))
