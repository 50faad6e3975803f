"""What every calibrator of the table predicts, accepts and refuses."""

import json
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from dstheory import Frame, MassFunction
from evical import calibrators
from evical.calibrators import BaseCalibrator
from evical.errors import WrongWayWarning
from tests.protocols.calibrators_table import (
    CALIBRATORS,
    NOT_CALIBRATORS,
    PROBES,
    every,
    fitted,
    masses,
    once_a_class,
    samples,
)
from tests.support.each import each

NAN, INF = float("nan"), float("inf")


def test_the_table_is_complete():
    assert {entry.name for entry in CALIBRATORS} | NOT_CALIBRATORS == set(calibrators.__all__)


# ---- what is predicted


@every
def test_predictions_belong_together(entry):
    calibrator = fitted(entry)
    m = calibrator.predict_mass(PROBES)
    assert isinstance(m, MassFunction)
    assert m.batch_shape == (25,)
    assert m.frame == Frame(calibrator.classes_)
    assert MassFunction(m.frame, m.focal, m.masses) == m  # a valid one
    assert m.is_normalized.all()
    assert (m.masses >= 0).all()
    interval = calibrator.predict_interval(PROBES)
    np.testing.assert_allclose(interval, np.stack([m.bel(1), m.pl(1)], axis=1), atol=1e-15)
    assert (interval[:, 0] <= interval[:, 1]).all()
    proba = calibrator.predict_proba(PROBES)
    if getattr(calibrator, "model", None) in ("confidence", "band"):  # the estimate in an interval
        assert ((interval[:, 0] <= proba[:, 1]) & (proba[:, 1] <= interval[:, 1])).all()
    else:
        np.testing.assert_allclose(proba[:, 1], interval.mean(axis=1), atol=1e-15)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=5e-16)
    np.testing.assert_array_equal(calibrator.predict(PROBES), proba[:, 1] > 0.5)


@every
def test_bayesian_models_leave_nothing_open_and_the_others_something(entry):
    widths = np.diff(fitted(entry).predict_interval(PROBES))
    probabilistic = type(entry())._predict_positive is not BaseCalibrator._predict_positive
    if probabilistic or entry.options.get("model") == "bayesian":
        np.testing.assert_allclose(widths, 0, atol=1e-15)
    elif entry.options.get("model") != "laplace":
        assert widths.max() > 0.01


@every
def test_each_row_of_a_batch_is_its_single_prediction(entry):
    calibrator = fitted(entry)
    together = masses(calibrator)
    for row in (0, 7, 24):
        alone = masses(calibrator, PROBES[row : row + 1])[0]
        np.testing.assert_allclose(alone, together[row], rtol=0, atol=1e-15)


@every
def test_far_away_scores_are_no_exception(entry):
    calibrator = fitted(entry)
    far = masses(calibrator, [-1e150, -1e9, 1e9, 1e150])
    assert np.isfinite(far).all()
    assert (far >= 0).all()


@once_a_class
def test_positive_is_the_greater_label(entry):
    scores, y = samples()
    plain = fitted(entry)
    kinds = (np.array(["no", "yes"]), np.array([-1, 1]), np.array([False, True]))
    labels = kinds[CALIBRATORS.index(entry) % len(kinds)]  # in turn: labels are the base class's
    named = entry().fit(scores, labels[y])
    np.testing.assert_array_equal(named.classes_, labels)
    np.testing.assert_array_equal(masses(named), masses(plain))
    np.testing.assert_array_equal(named.predict(PROBES), labels[plain.predict(PROBES)])
    assert named.predict_mass([0.5]).frame.labels == tuple(labels.tolist())


@every
def test_score_is_the_share_of_right_predictions(entry):
    scores, y = samples()
    calibrator = fitted(entry)
    right = calibrator.predict(scores) == y
    weights = np.random.default_rng(0).random(60)
    assert calibrator.score(scores, y) == right.mean()
    assert calibrator.score(scores, y, sample_weight=weights) == pytest.approx(
        np.average(right, weights=weights)
    )


GRIDS = [
    (calibrators.BinningCalibrator(), {"n_bins": [2, 5], "model": ["bayesian", "likelihood"]}),
    (calibrators.SplineCalibrator(), {"model": ["confidence", "bayesian"], "transform": [None]}),
    (calibrators.KDECalibrator(), {"kernel": ["boxcar", "gaussian"], "bandwidth": [0.1, "shared"]}),
    (calibrators.BBQCalibrator(), {"criterion": ["k2", "bdeu"], "n_bins": [None, (2, 4)]}),
]


@pytest.mark.parametrize(("calibrator", "grid"), GRIDS)
def test_parameters_are_chosen_by_cross_validation(calibrator, grid):
    scores, y = samples(200)
    search = GridSearchCV(calibrator, grid, scoring="neg_log_loss", cv=3, error_score="raise")
    search.fit(scores, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert set(search.best_params_) == set(grid)
    found = search.best_estimator_
    assert {name: found.get_params()[name] for name in grid} == search.best_params_
    np.testing.assert_array_equal(search.predict_proba(PROBES), found.predict_proba(PROBES))


# ---- what is accepted


KINDS = [list, pd.Series, lambda a: pd.Series(a, index=range(len(a), 0, -1)), np.asfortranarray]


@once_a_class
def test_kinds_of_input(entry):
    """All go through one door: each entry takes one kind, in turn."""
    scores, y = samples()
    convert = KINDS[CALIBRATORS.index(entry) % len(KINDS)]
    wanted = masses(fitted(entry))
    got = entry().fit(convert(scores), convert(y), sample_weight=convert(np.ones(60)))
    np.testing.assert_array_equal(masses(got), wanted)
    np.testing.assert_array_equal(got.predict_mass(convert(PROBES)).masses, wanted)


@once_a_class
def test_one_column(entry):
    scores, y = samples()
    columns = (scores[:, np.newaxis], pd.DataFrame({"score": scores}))
    column = columns[CALIBRATORS.index(entry) % len(columns)]  # in turn, as above
    np.testing.assert_array_equal(masses(entry().fit(column, y)), masses(fitted(entry)))


@once_a_class
def test_integers_and_float32(entry):
    scores, y = samples()
    whole = (scores * 10).round()
    wanted = masses(entry().fit(whole, y))
    kind = (int, np.float32)[CALIBRATORS.index(entry) % 2]  # in turn
    np.testing.assert_array_equal(masses(entry().fit(whole.astype(kind), y)), wanted)


@every
def test_order_of_samples_does_not_matter(entry):
    scores, y = samples()
    order = np.random.default_rng(1).permutation(60)
    np.testing.assert_allclose(
        masses(entry().fit(scores[order], y[order])),
        masses(fitted(entry)),
        rtol=0,
        atol=entry.atol,
    )


@every
def test_weights_are_repetitions(entry):
    scores, y = samples()
    weights = np.random.default_rng(2).integers(0, 4, 60)
    weighted = entry().fit(scores, y, sample_weight=weights)
    repeated = entry().fit(np.repeat(scores, weights), np.repeat(y, weights))
    np.testing.assert_allclose(masses(weighted), masses(repeated), rtol=0, atol=entry.atol)


@every
def test_chunks_equal_the_whole(entry):
    scores, y = samples()
    whole = fitted(entry)
    chunked = entry().partial_fit(scores[:1], y[:1], classes=[0, 1])
    assert len(set(y[:1])) == 1
    with pytest.raises(NotFittedError):
        chunked.predict_mass(PROBES)
    for part in (slice(1, 30), slice(30, 60)):
        chunked.partial_fit(scores[part], y[part])
    np.testing.assert_allclose(masses(chunked), masses(whole), rtol=0, atol=entry.atol)


@once_a_class
def test_a_chunk_may_come_after_a_fit(entry):
    scores, y = samples()
    half = entry().fit(scores[:30], y[:30]).partial_fit(scores[30:], y[30:])
    np.testing.assert_allclose(masses(half), masses(fitted(entry)), rtol=0, atol=entry.atol)


EXTREME = {
    "tie": ([1.0, 1.0], [0, 1]),
    "constant": ([0.0, 0.0, 0.0, 0.0, 0.0], [0, 1, 1, 1, 1]),
    "two": ([1.0, 2.0], [0, 1]),
    "wrong way": ([1.0, 2.0], [1, 0]),
    "ulp": ([1.0, np.nextafter(1.0, 2)], [0, 1]),
    "huge": ([-1e300, 1e300], [0, 1]),
    "tiny": ([1e-150, 0.0, -1e-150], [1, 0, 0]),
    "separable": (np.arange(50.0), np.arange(50) > 24),
    "reverse": (np.arange(50.0), np.arange(50) < 25),
}


FIRST = {entry.name: entry for entry in reversed(CALIBRATORS)}
IN_TURN = [
    (entry, name)
    for number, entry in enumerate(CALIBRATORS)
    for place, name in enumerate(EXTREME)
    if FIRST[entry.name] is entry or place % 9 == number % 9
]


@each(("entry", "name"), IN_TURN, ids=str)
def test_extreme_samples(entry, name):
    """All for one entry of each class, and one in turn for the others."""
    scores, y = EXTREME[name]
    with pytest.warns(WrongWayWarning) if name == "reverse" else nullcontext():
        calibrator = entry().fit(scores, y)
    beyond = 1.0 if calibrator._takes_probabilities else 7.0
    at = np.append(scores, [0.0, beyond])
    got = masses(calibrator, at)
    assert np.isfinite(got).all()
    assert (got >= 0).all()
    np.testing.assert_allclose(got.sum(axis=1), 1, atol=1e-12)
    again = type(calibrator).from_dict(json.loads(json.dumps(calibrator.to_dict())))
    np.testing.assert_array_equal(masses(again, at), got)


# ---- beyond the calibration data


@every
def test_nothing_goes_on_beyond_the_data_unless_it_may(entry):
    """A calibrator is constant out there, or has a parameter that makes it so."""
    scores, y = samples()
    constant = {} if "extrapolate" not in entry().get_params() else {"extrapolate": False}
    if entry.options.get("n_bins") == (-1, 0, 0.5, 9):
        scores = np.append(np.clip(scores, -0.9, 8.9), [-1.0, 9.0])
        y = np.append(y, [0, 1])
    calibrator = entry().set_params(**constant).fit(scores, y)
    ends = [scores.min(), scores.max()]
    out = [ends[0] - 1, ends[0] - 1e6, ends[1] + 1, ends[1] + 1e6]
    known = np.repeat(masses(calibrator, ends), 2, axis=0)
    np.testing.assert_allclose(masses(calibrator, out), known, rtol=0, atol=1e-12)
    if constant:
        free = fitted(entry)
        np.testing.assert_array_equal(masses(calibrator, scores), masses(free, scores))
        again = type(calibrator).from_dict(json.loads(json.dumps(calibrator.to_dict())))
        np.testing.assert_array_equal(masses(again, out), masses(calibrator, out))


def test_the_ends_are_saved_with_the_parameter():
    data = calibrators.LogisticCalibrator(extrapolate=False).fit(*samples()).to_dict()
    for damage in ({"ends": []}, {"ends": [1.0, -1.0]}, {"ends": [1.0]}, {"ends": [None, 1.0]}):
        with pytest.raises(ValueError, match="damaged"):
            BaseCalibrator.from_dict({**data, "scale": {**data["scale"], **damage}})
    with pytest.raises(TypeError, match="extrapolate"):
        calibrators.LogisticCalibrator(extrapolate="clip").fit(*samples())


# ---- what is refused


def spoiled(values, row, value):
    values = np.array(values, dtype=object if value is None else float)
    values[row] = value
    return values


REFUSED_ROWS = [
    (lambda s, y: (spoiled(s, 3, NAN), y, None), r"scores\[3\] is nan"),
    (lambda s, y: (spoiled(s, 4, INF), y, None), r"scores\[4\] is inf"),
    (lambda s, y: (spoiled(s, 4, -INF), y, None), r"scores\[4\] is -inf"),
    (lambda s, y: (s, y, spoiled(np.ones(60), 5, -1)), r"sample_weight\[5\] is -1\.0"),
    (lambda s, y: (s, y, spoiled(np.ones(60), 6, NAN)), r"sample_weight\[6\] is nan"),
    (lambda s, y: (s, y, spoiled(np.ones(60), 7, INF)), r"sample_weight\[7\] is inf"),
    (lambda s, y: (s, spoiled(y, 8, NAN), None), r"y\[8\] is nan, expected a label"),
    (lambda s, y: (s, spoiled(y, 8, INF), None), r"y\[8\] is inf, expected a label"),
    (lambda s, y: (s, spoiled(np.array(["a", "b"])[y], 9, None), None), r"y\[9\] is None"),
]
REFUSED = [
    (lambda s, y: (s[:-1], y, None), "scores has 59 rows, y has 60"),
    (lambda s, y: (s, y[:-1], None), "scores has 60 rows, y has 59"),
    (lambda s, y: (s, y, np.ones(59)), r"sample_weight has shape \(59,\), expected \(60,\)"),
    (lambda s, y: (s[:0], y[:0], None), "scores are empty"),
    (lambda s, y: (np.stack([s, s], axis=1), y, None), r"scores have shape \(60, 2\)"),
    (lambda s, y: (s, y, np.zeros(60)), "all sample weights are zero"),
]
REFUSED_IN_FIT = [
    (lambda s, y: (s, np.ones(60, int), None), r"y has one class only \(all 1\)"),
    (lambda s, y: (s, np.full(60, "a"), None), r"y has one class only \(all 'a'\)"),
    (lambda s, y: (s, np.arange(60) % 3, None), r"y has 3 classes \[0, 1, 2\]"),
    (lambda s, y: (s, y, y), r"y has one class only with positive weight \(all 1\)"),
    (lambda s, y: (s, y, 1 - y), r"y has one class only with positive weight \(all 0\)"),
]


@once_a_class
@each(("spoil", "message"), REFUSED_ROWS + REFUSED + REFUSED_IN_FIT)
def test_fit_refuses(entry, spoil, message):
    scores, y, weights = spoil(*samples())
    calibrator = entry()
    with pytest.raises(ValueError, match=message):
        calibrator.fit(scores, y, sample_weight=weights)
    with pytest.raises(NotFittedError):
        calibrator.predict_mass(PROBES)


@once_a_class
def test_partial_fit_refuses_and_keeps_what_it_had(entry):
    fresh, calibrator = entry(), entry().fit(*samples())
    before = masses(calibrator)
    for spoil, message in REFUSED_ROWS + REFUSED:
        scores, y, weights = spoil(*samples())
        with pytest.raises(ValueError, match=message):
            fresh.partial_fit(scores, y, sample_weight=weights, classes=[0, 1])
        with pytest.raises(ValueError, match=message):
            calibrator.partial_fit(scores, y, sample_weight=weights)
        np.testing.assert_array_equal(masses(calibrator), before)
    with pytest.raises(NotFittedError):
        fresh.predict_mass(PROBES)
    assert masses(calibrator.partial_fit(*samples(seed=1))).shape == before.shape


@once_a_class
@each(
    ("scores", "message"),
    [
        ([0.5, NAN], r"scores\[1\] is nan"),
        ([INF, 0.5], r"scores\[0\] is inf"),
        ([[0.5, 0.5]], r"scores have shape \(1, 2\)"),
        ([], "scores are empty"),
        (0.5, "scores have shape"),
    ],
    ids=repr,
)
@each("method", ["predict_mass", "predict_interval", "predict_proba", "predict"])
def test_predictions_refuse(entry, method, scores, message):
    calibrator = fitted(entry)
    with pytest.raises(ValueError, match=message):
        getattr(calibrator, method)(scores)


@once_a_class
@each("method", ["predict_mass", "predict_interval", "predict_proba", "predict"])
def test_predictions_refuse_texts(entry, method):
    calibrator = fitted(entry)
    with pytest.raises(TypeError, match=r"scores are .*'high'.*, expected real numbers"):
        getattr(calibrator, method)(["high"])


@every
def test_wrong_parameters_are_refused_in_fit(entry):
    wrong = {"model": ["best", None], "confidence": [0, 1, NAN, "0.9", True], "n_bins": [0, "10"]}
    for name in entry().get_params():
        for value in wrong.get(name, []):
            with pytest.raises((ValueError, TypeError), match=name):
                entry().set_params(**{name: value}).fit(*samples())
