"""Tables of any kind are counted as arrays are, and refused in the same words."""

import numpy as np
import pandas as pd
import pytest

from evical.calibrators import IsotonicCalibrator, LogisticCalibrator
from evical.errors import WeightError
from evical.multiclass import SoftmaxCalibrator
from evical.scores import ScoreCounts, fit_table
from tests.support.each import each
from tests.support.tables import KINDS

RNG = np.random.default_rng(0)
SCORES = RNG.integers(-20, 20, 200) / 8
LABELS = np.where(RNG.random(200) < 0.5, "sick", "healthy")
WEIGHTS = RNG.integers(0, 4, 200)
FRAME = pd.DataFrame({"score": SCORES, "state": LABELS, "weight": WEIGHTS}, index=range(200, 0, -1))

every_kind = each("kind", KINDS)


def equal(one, two):
    for name in ("scores", "negative", "positive"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@every_kind
@each("weight", [None, "weight"])
def test_counts_are_those_of_arrays(kind, weight):
    weights = None if weight is None else WEIGHTS
    expected = ScoreCounts.from_samples(SCORES, (LABELS == "sick").astype(int), weights)
    equal(ScoreCounts.from_table(KINDS[kind](FRAME), "score", "state", weight), expected)


@every_kind
def test_the_positive_class_can_be_the_lesser(kind):
    expected = ScoreCounts.from_samples(SCORES, (LABELS == "healthy").astype(int))
    table = KINDS[kind](FRAME)
    equal(ScoreCounts.from_table(table, "score", "state", positive="healthy"), expected)


@every_kind
@each("dtype", [bool, np.int8, float])
def test_zeros_and_ones_need_no_second_class(kind, dtype):
    frame = FRAME[LABELS == "sick"].assign(state=np.ones(1, dtype=dtype)[0])
    counts = ScoreCounts.from_table(KINDS[kind](frame), "score", "state")
    assert (counts.n_negative, counts.n_positive) == (0, (LABELS == "sick").sum())


@every_kind
def test_any_numbers_are_scores(kind):
    frame = FRAME.assign(score=(SCORES * 8).astype(np.int16))
    expected = ScoreCounts.from_samples(SCORES * 8, (LABELS == "sick").astype(int))
    equal(ScoreCounts.from_table(KINDS[kind](frame), "score", "state"), expected)


def bad(**changes):
    frame = FRAME.copy()
    for name, value in changes.items():
        column = frame[name].astype(float if name != "state" else object)
        column.iloc[3:6] = value
        frame[name] = column
    return frame


REFUSED = {
    "missing score": (bad(score=np.nan), "column 'score' is missing, nan or infinite in 3 rows"),
    "infinite score": (bad(score=-np.inf), "column 'score' is missing, nan or infinite in 3 rows"),
    "missing class": (bad(state=None), "column 'state', the class, is missing in 3 rows; leave"),
    "missing weight": (bad(weight=np.nan), "column 'weight' is missing in 3 rows"),
    "infinite weight": (bad(weight=np.inf), r"column 'weight' is nan or infinite, in some in \d+"),
    "negative weight": (bad(weight=-2.5), "column 'weight' holds the weight -2.5, expected"),
    "three classes": (bad(state="dead"), "column 'state' holds 3 classes, 'dead', 'healthy', 's"),
    "one class": (FRAME.assign(state="x"), "column 'state' holds the one class 'x'; set positive="),
    "no rows": (FRAME[:0], "the table has no rows; give at least one sample of each class"),
    "no such column": (FRAME.rename(columns={"score": "scores"}), "did you mean 'scores'"),
}


# Dask, which is slow to start, merges what pandas has counted.
@each(
    ("kind", "what"),
    [(kind, what) for kind in KINDS if kind != "Dask" for what in REFUSED]
    + [("Dask", "missing weight"), ("Dask", "infinite weight"), ("Dask", "negative weight")],
)
def test_what_cannot_be_counted_is_refused(kind, what):
    frame, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        ScoreCounts.from_table(KINDS[kind](frame), "score", "state", "weight")


@every_kind
def test_columns_without_numbers_are_refused(kind):
    with pytest.raises(TypeError, match="column 'state' has the type String, expected numbers"):
        ScoreCounts.from_table(KINDS[kind](FRAME), "state", "state")


@every_kind
def test_sums_of_weights_are_limited(kind):
    with pytest.raises(WeightError, match="2\\^53"):
        ScoreCounts.from_table(KINDS[kind](bad(weight=1e300)), "score", "state", "weight")


def test_other_objects_and_classes_are_refused():
    with pytest.raises(
        TypeError, match=r"table is \[\(0.5, 1\)\], expected a data frame of pandas"
    ):
        ScoreCounts.from_table([(0.5, 1)], "score", "state")
    with pytest.raises(TypeError, match="score is 0, expected the name of a column"):
        ScoreCounts.from_table(FRAME, 0, "state")
    with pytest.raises(ValueError, match="positive is 'ill', but column 'state' holds 'healthy'"):
        ScoreCounts.from_table(FRAME, "score", "state", positive="ill")
    only = FRAME[LABELS == "sick"]
    assert ScoreCounts.from_table(only, "score", "state", positive="ill").n_positive == 0


def test_zeros_and_ones_may_be_counted_in_parts():
    frame = FRAME.assign(state=(LABELS == "sick").astype(int))
    parts = [
        ScoreCounts.from_table(part, "score", "state")
        for part in (frame[:70], frame[70:90], frame[90:])
    ]
    equal(parts[2] + parts[0] + parts[1], ScoreCounts.from_table(frame, "score", "state"))


@every_kind
def test_fits_are_those_of_arrays(kind):
    expected = LogisticCalibrator().fit(SCORES, LABELS)
    fitted = fit_table(LogisticCalibrator(), KINDS[kind](FRAME), "score", "state")
    assert fitted.classes_.tolist() == ["healthy", "sick"]
    np.testing.assert_array_equal(
        fitted.predict_interval(SCORES), expected.predict_interval(SCORES)
    )


def test_a_fit_needs_both_classes_and_a_calibrator_of_one_score():
    with pytest.raises(ValueError, match="column 'weight' holds the one class 1; a calibrator nee"):
        fit_table(IsotonicCalibrator(), FRAME.assign(weight=1), "score", "weight", positive=1)
    with pytest.raises(TypeError, match=r"calibrator is .*, expected a calibrator of one score"):
        fit_table(SoftmaxCalibrator(), FRAME, "score", "state")
