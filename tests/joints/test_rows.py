"""Series and tables of the same rows, in another order: refused wherever two are read together."""

import pandas as pd
import polars as pl
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from dstheory import Frame, MassFunction
from dstheory.argumentation import ArgumentationSystem
from dstheory.construct import evidential_labels, natural_extension, nested
from dstheory.inference import (
    GRFN,
    Opinion,
    SampledInterval,
    binomial,
    linear_contour,
    logistic_contour,
    multinomial,
    poisson_contour,
    predict,
)
from dstheory.revise import contextual_discount, generalized_bayes
from evical import EvidentialClassifier, EvidentialFusion, LogisticCalibrator, ScoreCounts
from evical.conformal import ConformalClassifier, ConformalScores
from evical.evaluation import CalibrationMonitor, ConformalEvaluation, Evaluation, compare
from evical.fusion import sources_from_long
from evical.learners import (
    EvidentialKNeighborsClassifier,
    EvidentialRBFClassifier,
    EvidentialRegressor,
)
from evical.metrics import aurc, brier_score, coverage_test, log_loss, set_coverage
from evical.multiclass import SoftmaxCalibrator
from tests.support.each import each

FRAME = Frame(["Barbera", "Barolo", "Grignolino"])
BELIEF = MassFunction.from_dict(FRAME, {"Barbera": 0.6, ("Barolo", "Grignolino"): 0.4})

PLACES = ["x", "y", "z"]
ROWS = pd.Series([1, 2, 3], index=PLACES)
LINE = pd.DataFrame({"one": 1, "slope": [0, 1, 3]}, index=PLACES)
PAIR = Frame(["x", "y"])
HALVES = pd.DataFrame(0.5, index=PLACES, columns=["x", "y"])


def _halves(rows):
    return HALVES.set_axis(rows.index)


Y = pd.Series([0, 1, 1], index=PLACES)
TRAINED = FrozenEstimator(GaussianNB().fit(LINE, Y))
PAIRS = {
    "trials": lambda rows: binomial(ROWS, rows + 3),
    "exposure": lambda rows: poisson_contour(ROWS, rows),
    "response": lambda rows: linear_contour(LINE, rows**2, (0, 1)),
    "labels": lambda rows: logistic_contour(LINE, rows / 4, (0, 1)),
    "prediction": lambda rows: predict(LINE, rows**2, LINE),
    "ends": lambda rows: SampledInterval(ROWS, rows + 3),
    "weights": lambda rows: SampledInterval(ROWS, ROWS.to_numpy(), rows / 6),
    "fuzzy numbers": lambda rows: GRFN(ROWS, 1, rows),
    "rates": lambda rows: contextual_discount(
        BELIEF, rates={"Barbera": ROWS / 9, "Barolo": rows / 9}
    ),
    "arguments": lambda rows: ArgumentationSystem(
        ["a & b -> c"], {"a": ROWS / 9, "b": rows / 9}
    ).support("c"),
    "the last two": lambda rows: SampledInterval(ROWS.to_numpy(), ROWS + 3, rows / 6),
    "opinions": lambda rows: Opinion.from_beliefs(["x", "y"], HALVES / 2, rows * 0 + 0.5),
    "opinions of counts": lambda rows: Opinion.from_evidence(HALVES, base_rate=_halves(rows)),
    "intervals": lambda rows: natural_extension(HALVES, _halves(rows)),
    "soft labels": lambda rows: evidential_labels(PAIR, HALVES, rate=rows / 9),
    "likelihoods": lambda rows: generalized_bayes(PAIR, {"x": ROWS / 9, "y": rows / 9}),
    "chains": lambda rows: nested(PAIR, HALVES.assign(x=0, y=1), _halves(rows)),
    "probabilities": lambda rows: brier_score(Y, rows / 4),
    "sample weights": lambda rows: log_loss(Y, [0.5, 0.5, 0.9], sample_weight=rows),
    "bounds": lambda rows: coverage_test(Y, pd.DataFrame({"bel": rows / 9, "pl": rows / 3})),
    "sets": lambda rows: set_coverage(Y, pd.DataFrame({0: rows > 1, 1: rows > 2})),
    "doubts": lambda rows: aurc(Y, [0.5, 0.5, 0.9], by=rows),
    "evaluated": lambda rows: Evaluation.from_predictions(Y, rows / 4, n_resamples=2),
    "watched": lambda rows: CalibrationMonitor().update(Y / 4, rows // 2),
    "scores": lambda rows: LogisticCalibrator().partial_fit(ROWS, rows // 2),
    "counted": lambda rows: ScoreCounts.from_samples(ROWS, Y, rows),
    "tables": lambda rows: SoftmaxCalibrator().fit(LINE, Y, sample_weight=rows),
    "samples": lambda rows: ConformalClassifier(TRAINED).fit(LINE, rows // 2),
    "groups": lambda rows: ConformalClassifier(TRAINED).fit(LINE, [0, 1, 1], groups=rows),
    "sources": lambda rows: EvidentialFusion().fit({"a": Y, "b": rows // 2, "c": [0, 1, 1]}),
    "more sources": lambda rows: (
        EvidentialFusion(classes=[0, 1])
        .fit({"a": [0, 1], "b": [0, 1]})
        .predict({"a": Y, "b": rows // 2})
    ),
    "weighted sources": lambda rows: EvidentialFusion().fit([Y, Y], sample_weight=rows),
    "votes": lambda rows: sources_from_long(ROWS, ["a"] * 3, rows),
    "conformal scores": lambda rows: ConformalScores.from_samples(Y / 2, rows // 2),
    "p-values": lambda rows: ConformalEvaluation.from_p_values(Y, _halves(rows)),
    "masses": lambda rows: MassFunction.from_dict(FRAME, {"Barolo": ROWS / 9, FRAME: 1 - rows / 9}),
}


@each("pair", PAIRS)
def test_rows_of_two_series_are_the_same(pair):
    """Sums by group come in the order of groups, value_counts in that of counts."""
    call = PAIRS[pair]
    call(ROWS)
    call(pd.Series(ROWS.to_numpy(), index=["X", "Y", "Z"]))  # other names say nothing
    with pytest.raises(ValueError, match=r"the index of .* is \['z', 'y', 'x'\], but the"):
        call(ROWS[::-1])


def test_samples_labels_and_weights_have_the_same_rows():
    fits = [
        EvidentialClassifier(FrozenEstimator(LogisticRegression().fit(LINE, Y))).fit,
        EvidentialKNeighborsClassifier(n_neighbors=1, optimize=False).fit,
        EvidentialRBFClassifier(n_prototypes=2, max_iter=1).fit,
        EvidentialRegressor(rho=1, slope_penalty=0, max_iter=1).fit,
    ]
    for fit in fits:
        with pytest.raises(ValueError, match=r"the index of y is .* but the index of X"):
            fit(LINE, Y[::-1])
    for fit in fits[0], *fits[2:]:
        with pytest.raises(ValueError, match="the index of sample_weight is"):
            fit(LINE, Y, ROWS[::-1])
    with pytest.raises(ValueError, match="the index of groups is"):
        EvidentialClassifier(cv=3).fit(LINE, Y, groups=ROWS[::-1])
    fusion = EvidentialFusion(rule="dempster").fit({"one": HALVES, "two": HALVES}, Y)
    for call in (
        lambda: fusion.predict({"one": HALVES, "two": HALVES[::-1]}),
        lambda: EvidentialFusion(rule="dempster").fit({"one": HALVES}, Y[::-1]),
        lambda: ConformalScores.from_samples(HALVES, Y[::-1]),
    ):
        with pytest.raises(ValueError, match=r"the index of .* is \['z', 'y', 'x'\], but the"):
            call()


def test_samples_and_labels_of_an_evaluation_have_the_same_rows():
    """Predictions carry no names."""
    frozen = FrozenEstimator(LogisticRegression().fit(LINE, Y))
    classifier = EvidentialClassifier(frozen).fit(LINE, Y)
    with pytest.raises(ValueError, match=r"the index of y is .* but the index of X"):
        Evaluation.from_estimator(classifier, LINE, Y[::-1])


def test_columns_of_two_frames_are_the_same():
    low = pd.DataFrame({"length": [1.0, 2.0], "width": [3.0, 4.0]})
    assert SampledInterval(low, low + 1).shape == (2,)
    for call in (SampledInterval, binomial):
        for table in (low, pl.from_pandas(low)):
            with pytest.raises(ValueError, match=r"the columns of .* are \['width', 'length'\]"):
                call(table, table[["width", "length"]] + 1)


def test_compared_scores_and_labels_have_the_same_rows():
    with pytest.raises(
        ValueError, match=r"the index of y is \['z', 'y', 'x'\], but the index of scores"
    ):
        compare(ROWS, Y[::-1])


def test_names_of_other_types_are_no_order():
    """Pandas does not compare names with levels, or intervals, with texts."""
    for index in (pd.MultiIndex.from_product([["a"], PLACES]), pd.interval_range(0, 3)):
        other = ROWS.set_axis(index)
        for one, two in (
            (ROWS, other + 3),
            (other, ROWS + 3),
            (other.reset_index(drop=True), other),
        ):
            assert binomial(one, two).batch_shape == (3,)


def test_rows_that_only_count_are_places():
    """Predictions have no index, and the sample may be shuffled."""
    for rows in (ROWS, ROWS.set_axis([2, 0, 1])):
        assert SampledInterval(rows, pd.Series([4, 5, 6])).high.tolist() == [4, 5, 6]


def test_names_that_are_not_the_labels_say_nothing():
    """Parts that they have in common by chance are no prefix of labels; flags are no numbers."""
    two = Frame(["a1", "a2"])
    for index in (["b2", "b1"], [2, 1]):
        assert MassFunction(two, [1, 2], pd.Series([0.2, 0.8], index=index)).bel("a1") == 0.2
    assert multinomial(pl.DataFrame([[2], [1]]), [1, 0], model="bayesian").bel(1)[0] == 2 / 3
    rain = pd.Series([False, False, True]).value_counts()
    assert multinomial(rain, model="bayesian").bel(False) == 2 / 3
    for counts, frame in ((rain, [True, False]), (rain.rename({False: 0, True: 1}), [1, 0])):
        with pytest.raises(ValueError, match="the index of counts is"):
            multinomial(counts, frame)
    missing = pd.Series([1, None, 1], dtype="Int64").value_counts(dropna=False)
    with pytest.raises(ValueError, match="give a frame, or an array"):
        multinomial(missing)
