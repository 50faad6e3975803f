"""Type: the tolerance of a sum follows the type that comes in, and exact numbers stay exact."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.frozen import FrozenEstimator

from dstheory import Frame, MassFunction, dempster, discount
from dstheory.argumentation import ArgumentationSystem
from dstheory.combine import conjunctive, disjunctive, yager
from dstheory.construct import bayesian, categorical, concatenate, from_table, nested, vacuous
from dstheory.decide import expected_utility, with_reject
from dstheory.errors import MassError
from dstheory.inference import SampledInterval, multinomial, normal_contour
from dstheory.interchange import from_dst_matrix
from dstheory.kernels.rounding import sum_tolerance, unit_rows
from dstheory.measure import pic
from dstheory.product import Variable, probability_table
from evical import BinningCalibrator, EvidentialFusion
from evical.conformal import ConformalClassifier, ConformalScores, RiskControl
from evical.evaluation import (
    CalibrationMonitor,
    ConformalEvaluation,
    EnsembleEvaluation,
    Evaluation,
)
from evical.export import predict_table, to_javascript
from evical.fusion import Mixture, Rule
from evical.metrics import brier_score, expected_calibration_error, log_loss
from evical.scores import fit_table
from tests.support.each import each
from tests.support.entrances import refused
from tests.support.probabilities import fit_to_probabilities

FRAME = Frame(["a", "b", "c"])
CHILD = Variable("child", ["a", "b", "c"])


def softmax_rows(dtype, n=300, k=3):
    """Probabilities as programs of that type compute them."""
    margins = np.random.default_rng(0).normal(size=(n, k)).astype(dtype)
    raised = np.exp(margins)
    return (raised / raised.sum(axis=1, keepdims=True)).astype(dtype)


LABELS = np.arange(300) % 3
READERS = {
    "MassFunction": lambda p: MassFunction(FRAME, [1, 2, 4], p).masses,
    "from_dict": lambda p: MassFunction.from_dict(FRAME, dict(zip("abc", p.T, strict=True))).masses,
    "bayesian": lambda p: bayesian(FRAME, p).masses,
    "from_table": lambda p: from_table(FRAME, np.insert(p, [0, 2, 3, 3, 3], 0, axis=1)).masses,
    "dst": lambda p: from_dst_matrix(FRAME, np.eye(3, dtype=int), p[1]).masses,
    "nested": lambda p: nested(FRAME, [0, 1, 2], p).masses,
    "pic": lambda p: pic(p),
    "probability_table": lambda p: probability_table(CHILD, [], p[0]).masses,
    "brier_score": lambda p: brier_score(LABELS[: len(p)], p, labels=[0, 1, 2]),
    "log_loss": lambda p: log_loss(LABELS[: len(p)], p, labels=[0, 1, 2]),
    "CalibrationMonitor": lambda p: CalibrationMonitor().update(p, LABELS[: len(p)]).value,
    "EvidentialFusion": lambda p: EvidentialFusion("dempster").fit([p]).predict_mass([p]).masses,
    "fit_probabilities": lambda p: (
        fit_to_probabilities(Mixture(), [p, p], LABELS[: len(p)], classes=[0, 1, 2]).weights_
    ),
}
MASSES = ("MassFunction", "from_dict", "bayesian", "from_table", "dst", "nested", "pic")
MASSES += ("probability_table",)


@each("dtype", [np.float32, np.float16])
def test_programs_of_lesser_precision_are_read(dtype):
    rows = softmax_rows(dtype)
    totals = rows.astype(np.float64).sum(axis=1)
    assert (abs(totals - 1) > 1e-9).mean() > 0.3  # else nothing is tried
    exact = rows / totals[:, np.newaxis]
    for name, read in READERS.items():
        found, expected = np.asarray(read(rows)), np.asarray(read(exact))
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=name)
    assert abs(bayesian(FRAME, rows).masses.sum(axis=1) - 1).max() < 1e-15 * 4
    ConformalScores.from_samples(rows, LABELS)
    two = softmax_rows(dtype, k=2)
    found = Evaluation.from_predictions(LABELS > 0, two).probability
    np.testing.assert_allclose(found, two[:, 1] / two.astype(np.float64).sum(axis=1), atol=1e-12)


def test_a_wrong_sum_is_wrong_in_every_type():
    for dtype, off in ((np.float64, 1e-7), (np.float32, 1e-4), (np.float16, 0.05)):
        wrong = softmax_rows(np.float64, 4)
        wrong[1] *= 1 - off
        wrong = wrong.astype(dtype)
        for name, read in READERS.items():
            if name == "probability_table":
                continue  # reads the first row
            refused(read, wrong, f"{name}, {dtype.__name__} rows of sum 1 - {off}", match="sum")


def test_masses_are_exact_but_predictions_may_be_rounded_to_their_decimals():
    """In float64 a third of seven digits misses 1 by 1e-7."""
    third = np.full((3, 3), 0.3333333)
    for name, read in READERS.items():
        if name not in MASSES:
            expected = np.asarray(read(np.full((3, 3), 1 / 3)))
            np.testing.assert_allclose(np.asarray(read(third)), expected, atol=1e-9, err_msg=name)
        else:
            refused(read, third, name, match="sum")


def test_tolerance_grows_with_labels_but_hides_no_label():
    assert sum_tolerance(np.float32, 10) == 40 * 2.0**-23
    assert sum_tolerance(np.float16, 10_000) < 0.04
    assert sum_tolerance(np.float64, 10_000) == sum_tolerance(int, 2) == 1e-9


def test_small_negative_masses_of_float32_become_zero():
    some = np.float32([0.6, 0.3, 0.1])
    rest = np.float32(1) - some[0] - some[1] - some[2]
    assert rest < -1e-9
    m = MassFunction(FRAME, [1, 2, 4, 7], [*some, rest])
    assert m.masses.min() == 0
    assert m.masses.sum() == pytest.approx(1, abs=1e-15)


def test_integers_are_exact_beside_fractions():
    half = MassFunction.from_dict(FRAME, {("a", "b"): Fraction(1, 2), FRAME: Fraction(1, 2)})
    sure = MassFunction.from_dict(FRAME, {("b", "c"): 1})
    beside = (sure, categorical(FRAME, ["b", "c"]), vacuous(FRAME))
    rules = (
        dempster,
        conjunctive,
        disjunctive,
        yager,
        MassFunction.__matmul__,
        MassFunction.__and__,
        MassFunction.__or__,
    )
    for rule in rules:
        for other in beside:
            for pair in ((half, other), (other, half)):
                masses = rule(*pair).masses
                assert all(isinstance(value, Fraction) for value in masses), (rule, pair)
    assert dempster(half, sure).mass("b") == Fraction(1, 2)
    both = concatenate([half.reshape(1), sure.reshape(1)])
    assert all(isinstance(value, Fraction | int) for value in both.masses.ravel())
    m = MassFunction.from_dict(FRAME, {"a": Fraction(1, 2), "b": Fraction(1, 2), "c": 0})
    assert all(isinstance(value, Fraction) for value in m.masses)
    rows = MassFunction(FRAME, [1, 2], [[Fraction(1, 3), Fraction(2, 3)], [1, 0]])
    assert rows.normalize().masses[1].tolist() == [Fraction(1), Fraction(0)]
    with pytest.raises(MassError):
        MassFunction.from_dict(FRAME, {"a": Fraction(1, 2), "b": 1})


def test_rows_that_are_rounded_to_their_decimals_are_probabilities():
    p = np.array([[0.3333, 0.3333, 0.3333], [0.0001, 0.0004, 0.9996]])
    rows, wrong = unit_rows(p, p.dtype)
    assert not wrong.any()
    np.testing.assert_allclose(rows.sum(axis=1), 1, rtol=1e-15)
    for off in ([0.3233, 0.3233, 0.3234], [0.5, 0.4, 0.0], [0.3333, 0.3333, 0.33315]):
        assert unit_rows(np.array([off]), np.dtype(float))[1].all()


def test_decimals_are_numbers():
    """As databases return them: floats, and fractions beside fractions."""
    frame, (quarter, half) = Frame(["a", "b"]), map(Decimal, ("0.25", "0.5"))
    m = MassFunction(frame, [1, 2, 3], [quarter, quarter, half])
    assert m.masses.dtype == np.float64
    assert dempster(m, MassFunction(frame, [1, 3], [0.5, 0.5])).bel("a") == pytest.approx(4 / 7)
    mixed = MassFunction(frame, [1, 3], [quarter, Fraction(3, 4)])
    assert mixed.bel("a") == Fraction(1, 4)
    assert isinstance(mixed.bel("a"), Fraction)
    assert discount(m, rate=half).mass(frame) == 0.75
    assert expected_utility(m, [[quarter, half]]) == [0.375]
    assert with_reject([[half, 0], [0, 1]], quarter).tolist()[-1] == [0.75, 0.75]
    assert multinomial([Decimal(1), Decimal(3)], model="bayesian").bel(1) == 0.75
    assert normal_contour([quarter, half], sigma=0.5).mode == 0.375
    rules = ArgumentationSystem(["x -> z", "y -> z"], {"x": quarter, "y": 0.5})
    assert rules.support("z") == 0.625
    assert SampledInterval([quarter], [Fraction(1, 2)]).expectation() == (0.25, 0.5)
    with pytest.raises(MassError, match="mass inf is not finite"):
        MassFunction(frame, [1, 3], [Decimal("inf"), half])


@pytest.mark.parametrize("kind", ["Int64", "int64[pyarrow]", "boolean", "bool[pyarrow]"])
def test_nullable_labels_keep_their_type(kind):
    """As floats, 2^60 and 2^60 + 1 would be one class."""
    known = [False, True] if kind.startswith("bool") else [2**60, 2**60 + 1]
    y = pd.Series(known * 4).astype(kind)
    fitted = BinningCalibrator().fit(np.arange(8.0), y)
    assert [(label, type(label)) for label in fitted.classes_.tolist()] == [
        (label, type(label)) for label in known
    ]
    assert brier_score(y, np.full(8, 0.5), labels=known) == 0.25
    y[2] = pd.NA
    with pytest.raises(ValueError, match=r"y\[2\] is <NA>, expected a label"):
        BinningCalibrator().fit(np.arange(8.0), y)
    listed = [*known * 3, None]
    votes = {"a": y, "b": y[::-1], "c": pl.Series([*listed, known[0]])}
    votes |= {"d": pa.array([known[0], *listed]), "e": pa.chunked_array([[*listed, known[1]]])}
    assert EvidentialFusion().fit(votes).classes_.tolist() == known


@each("one", [1, np.int64(1), True, 1.0])
def test_numbers_in_objects_are_labels(one):
    """As in a column of pandas that had missing values."""
    codes = np.arange(8) // 4
    y = pd.Series([one if code else type(one)(0) for code in codes], dtype=object)
    fitted = BinningCalibrator().fit(np.arange(8.0), y)
    assert fitted.classes_.dtype == np.asarray(one).dtype
    assert fitted.score(np.arange(8.0), y) == fitted.score(np.arange(8.0), codes) == 1
    y[2] = None
    with pytest.raises(ValueError, match=r"y\[2\] is None, expected a label"):
        fitted.fit(np.arange(8.0), y)


@each("unit", ["D", "ns"])
def test_dates_are_classes(unit):
    """As Python values they are other objects, or numbers."""
    days = np.array(["2020-01-01", "2021-01-01"], dtype=f"datetime64[{unit}]")
    p, y = np.linspace(0.1, 0.9, 40), np.arange(40) // 10 % 2
    fusion = EvidentialFusion("discounted").fit({"a": p, "b": days[y]}, days[y])
    assert fusion.predict({"a": p, "b": days[y]}).tolist() == days[y].tolist()
    m = fusion.predict_mass({"a": p, "b": days[y]})
    assert EnsembleEvaluation.from_masses(days[y], [m, m], m).y.tolist() == y.tolist()
    named = {"pos_label": days[1]}
    assert brier_score(days[y], p) == brier_score(y, p) != 0
    assert expected_calibration_error(days[y], p, **named) == expected_calibration_error(y, p)
    table, monitor = np.column_stack([1 - p, p]), CalibrationMonitor()
    scores = ConformalScores.from_samples(table, days[y])
    fitted = BinningCalibrator().fit(p, days[y])
    monitor.classes_ = days
    for made in (scores, fitted, monitor):
        copy = type(made).from_dict(json.loads(json.dumps(made.to_dict())))
        assert copy.classes_.dtype == days.dtype
        assert (copy.classes_ == days).all()
    for wrong in ("abc", 5):
        classes = [{"date": wrong}, {"date": "2021"}]
        with pytest.raises(ValueError, match=r"classes are .*expected"):
            BinningCalibrator.from_dict({**fitted.to_dict(), "classes": classes})
    rule = Mixture().fit([m, m], days[y])
    assert Rule.from_dict(json.loads(json.dumps(rule.to_dict()))).frame_ == m.frame
    assert f'classes = ["{days[0]}", "{days[1]}"]' in to_javascript(fitted)
    by_class = ConformalClassifier(FrozenEstimator(fitted), conditional="class").fit(p, days[y])
    judged = ConformalEvaluation.from_estimator(by_class, p, days[y])
    assert judged.n_calibration == (20, 20)
    samples = pl.DataFrame({"p": p, "day": days.astype("datetime64[ns]")[y]})
    counted = fit_table(BinningCalibrator(), samples, "p", "day")
    assert predict_table(counted, samples, "p").columns[-1].startswith("p_2021-01-01")
    control = RiskControl(FrozenEstimator(fitted), bound=0.9, level=0.5).fit(p, days[y])
    assert set(control.predict(p[:2])) <= {*days, "ask"}
