"""Classifiers and ensembles write what they believe into tables of any kind."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from evical import EvidentialClassifier, EvidentialEnsemble
from evical.calibrators import BinningCalibrator
from evical.conformal import ConformalClassifier
from evical.export import predict_table
from evical.multiclass import SoftmaxCalibrator
from evical.scores.names import belief_names
from tests.support.tables import IN_PYTHON, KINDS, as_pandas

RNG = np.random.default_rng(2)
LABELS = RNG.integers(3, size=90)
X = pd.DataFrame(RNG.normal(size=(90, 2)) + LABELS[:, np.newaxis], columns=["age", "dose"])
FRAME = X[["dose", "age"]].assign(row=range(90), name="Ann")
TWO = EvidentialClassifier(GaussianNB(), calibrator=BinningCalibrator(n_bins=3), cv=2).fit(
    X, LABELS > 0
)
MORE = EvidentialEnsemble([GaussianNB(), NearestCentroid()], cv=2).fit(X, LABELS)


@pytest.mark.parametrize("kind", IN_PYTHON)
def test_two_classes(kind):
    table = KINDS[kind](FRAME)
    made = predict_table(TWO, table)
    assert type(made) is type(table)
    frame = as_pandas(made).sort_values("row")
    assert list(frame)[4:] == belief_names(TWO.classes_)
    np.testing.assert_allclose(frame[["bel_True", "pl_True"]], TWO.predict_interval(X), atol=1e-12)
    np.testing.assert_allclose(frame["p_True"], TWO.predict_proba(X)[:, 1], atol=1e-12)


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
def test_more_classes(kind):
    frame = as_pandas(predict_table(MORE, KINDS[kind](FRAME), prefix="ours_"))
    names = [f"ours_{what}_{label}" for label in range(3) for what in ("bel", "pl", "p")]
    assert list(frame)[4:] == names
    expected = MORE.predict_interval(X)
    for label in range(3):
        found = frame[[f"ours_bel_{label}", f"ours_pl_{label}"]]
        np.testing.assert_allclose(found, expected[:, label], atol=1e-12)
    betp = frame[[f"ours_p_{label}" for label in range(3)]]
    np.testing.assert_allclose(betp, MORE.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "Dask"])
def test_who_has_seen_an_array_is_told_the_columns(kind):
    fitted = EvidentialClassifier(GaussianNB(), calibrator=BinningCalibrator(n_bins=3), cv=2)
    fitted.fit(X.to_numpy(), LABELS > 0)
    frame = as_pandas(predict_table(fitted, KINDS[kind](FRAME), ["age", "dose"]))
    np.testing.assert_allclose(frame["p_True"], TWO.predict_proba(X)[:, 1], atol=1e-12)
    alone = as_pandas(predict_table(fitted, KINDS[kind](X)))
    np.testing.assert_allclose(alone["p_True"], TWO.predict_proba(X)[:, 1], atol=1e-12)


@pytest.mark.parametrize("kind", ["lazy polars", "Dask"])
def test_random_numbers_belong_to_whole_tables(kind):
    smoothed = ConformalClassifier(FrozenEstimator(TWO), smoothed=True).fit(X, LABELS > 0)
    with pytest.raises(ValueError, match="but this one comes in parts; take it into memory"):
        predict_table(smoothed, KINDS[kind](FRAME))
    assert len(predict_table(smoothed, FRAME)) == 90


def test_probabilities_are_those_that_are_predicted():
    """Not the pignistic ones, if another kind was chosen."""
    other = clone(TWO).set_params(probability="plausibility").fit(X, LABELS > 0)
    p = predict_table(other, FRAME)["p_True"]
    np.testing.assert_allclose(p, other.predict_proba(X)[:, 1], atol=1e-12)
    assert np.abs(p - TWO.predict_proba(X)[:, 1]).max() > 1e-3


def test_columns_of_scores_are_not_mixed_up():
    scores = pd.DataFrame(MORE.predict_proba(X), columns=["u", "v", "w"])
    fitted = SoftmaxCalibrator().fit(scores, LABELS)
    predict_table(fitted, scores, ["u", "v", "w"])
    with pytest.raises(ValueError, match="but in fit they were"):
        predict_table(fitted, scores, ["v", "u", "w"])
    with pytest.raises(ValueError, match="but the labels are"):
        predict_table(fitted, scores.set_axis(["s1", "s0", "s2"], axis=1), ["s1", "s0", "s2"])


def test_what_does_not_fit_is_named():
    with pytest.raises(TypeError, match="table is a lazy one of duckdb, which cannot call Python"):
        predict_table(TWO, KINDS["DuckDB"](FRAME))
    with pytest.raises(ValueError, match=r"feature is 'age', but the table has .* 'dose', 'row'"):
        predict_table(TWO, FRAME.drop(columns="age"))
