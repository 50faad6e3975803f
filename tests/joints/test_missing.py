"""Missing: what is NaN, NaT, None, NA or null is a class or a number to no entrance."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialSource
from evical.calibrators import LogisticCalibrator
from evical.learners import EvidentialRegressor
from evical.metrics import brier_score
from tests.support.each import each
from tests.support.entrances import CODES, N, P, X, labeled, numbered, refused

ROW = 5
TEXTS = ["a", "b"] * (N // 2)
DAYS = np.array(["2026-01-01", "2026-01-02"] * (N // 2), dtype="datetime64[D]")


def without(missing):
    """Texts of which one is missing."""
    return [missing if row == ROW else text for row, text in enumerate(TEXTS)]


def days():
    gone = DAYS.copy()
    gone[ROW] = np.datetime64("NaT", "D")
    return gone


LABELS = {
    "NaN among texts": (without(float("nan")), "b"),
    "NumPy's text of NaN": (np.array(without(np.nan)), "b"),
    "None": (without(None), "b"),
    "pandas.NA": (without(pd.NA), "b"),
    "NaT among texts": (without(pd.NaT), "b"),
    "NaT": (days(), DAYS[1]),
    "objects": (np.array(without(np.nan), dtype=object), "b"),
    "pandas": (pd.Series(without(None)), "b"),
    "pandas category": (pd.Series(without(None), dtype="category"), "b"),
    "pandas integer": (pd.Series(CODES, dtype="Int64").mask(np.arange(N) == ROW), 1),
    "polars": (pl.Series(without(None)), "b"),
    "polars integer": (pl.Series([None if i == ROW else c for i, c in enumerate(CODES)]), 1),
    "NaN": (np.where(np.arange(N) == ROW, np.nan, CODES), 1),
}
NUMBERS = {
    "NaN": np.where(np.arange(N) == ROW, np.nan, P),
    "None": [None if row == ROW else p for row, p in enumerate(P)],
    "pandas.NA": [pd.NA if row == ROW else p for row, p in enumerate(P)],
    "pandas": pd.Series(P, dtype="Float64").mask(np.arange(N) == ROW),
    "polars": pl.Series([None if row == ROW else p for row, p in enumerate(P)]),
    "text": ["nan" if row == ROW else p for row, p in enumerate(P)],
    "NaT": days(),
}


@each("kind", LABELS)
def test_a_missing_label_is_refused_by_its_row(kind):
    y, positive = LABELS[kind]
    for name, call in labeled().items():
        refused(partial(call, y), positive, name, match=rf"\[{ROW}\]")


@each("kind", NUMBERS)
def test_a_missing_number_is_refused(kind):
    for name, call in numbered().items():
        refused(call, NUMBERS[kind], name)


def test_texts_that_read_nan_are_labels():
    """Only NumPy's own text of NaN, 32 characters wide, is known for one."""
    y = ["nan", "b"] * (N // 2)
    for labels in (y, np.array(y), pd.Series(y)):
        assert LogisticCalibrator().fit(P, labels).classes_.tolist() == ["b", "nan"]


def test_dates_are_neither_features_nor_responses():
    for call in (
        lambda: EvidentialRegressor().fit(X, days()),
        lambda: EvidentialRegressor().fit(np.stack([DAYS, days()], axis=1), P),
        lambda: EvidentialRegressor().fit(pd.DataFrame({"day": days()}), P),
        lambda: EvidentialRegressor().fit(pl.from_pandas(pd.DataFrame({"day": days()})), P),
    ):
        with pytest.raises(TypeError, match="expected numbers"):
            call()


def test_a_source_is_silent_where_anything_is_missing():
    plain = X.astype(object)
    gone = X.astype(object)
    gone[ROW, 0] = pd.NA
    frame = pl.DataFrame({"a": [None if i == ROW else x for i, x in enumerate(X[:, 0])]})
    for full, holes in ((plain, gone), (pl.DataFrame({"a": X[:, 0]}), frame)):
        source = EvidentialSource(GaussianNB(), silent_if_missing="any").fit(full, CODES)
        assert np.flatnonzero(source.predict_mass(holes).is_vacuous).tolist() == [ROW]


def test_missing_values_of_metrics_are_named():
    with pytest.raises(ValueError, match=r"y\[5\] is None, expected a label"):
        brier_score(without(None), P)
