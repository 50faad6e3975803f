"""Scores on another scale than in fit: what is told, by whom, and what is not."""

import json
import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier, EvidentialFusion
from evical.calibrators import BaseCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.cli._output import user_input
from evical.errors import WrongWayWarning
from evical.export import to_sql
from evical.multiclass import BaseMulticlassCalibrator, OneVsRestCalibrator
from evical.report import build_explorer
from tests.support.each import each

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
Z = RNG.normal(4 * Y - 2, 2)
P = expit(Z)


def warned(predict, *arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predict(*arguments, **options)
    return [(one.category, str(one.message), one.filename) for one in caught]


@each(
    ("fit", "new", "told"),
    [
        (100 * P, P, True),
        (P, 100 * P, True),
        (Z, P, True),
        (P, Z, True),
        (P, -P, True),
        (600 + 50 * Z, P, True),
        (1e307 * Z, np.full(10, 1.7e308), False),
        (1e300 * P, 1e304 * P, True),
        (100 * P, P[:9], False),  # too few
        (100 * P, np.sort(100 * P)[:40], False),
        (Z, np.sort(Z)[-10:], False),
        (Z, Z[Y == 1], False),
        (Z, Z + 2 * Z.std(), False),
        (Z, np.full(20, 0.5), False),
        (P, np.append(P, [5.0, -3.0]), False),
        (np.round(20 * P) / 20, 100 * P, False),  # too few scores to know the range
    ],
)
def test_another_scale_is_told_and_a_part_of_the_same_is_not(fit, new, told):
    found = warned(IsotonicCalibrator().fit(fit, Y).predict_proba, new)
    assert [kind for kind, *_ in found] == [WrongWayWarning] * told


@each("column", [True, False])
def test_each_prediction_tells_it_once_also_of_a_saved_calibrator(column):
    if column:
        fitted = LogisticCalibrator(model="confidence").fit(100 * P, Y)
        read, scores = BaseCalibrator.from_dict, P
    else:
        fitted = OneVsRestCalibrator("logistic").fit(np.stack([100 - 100 * P, 100 * P], axis=1), Y)
        read, scores = BaseMulticlassCalibrator.from_dict, np.stack([1 - P, P], axis=1)
    data = json.loads(json.dumps(fitted.to_dict()))
    for one in (fitted, read(data)):
        for predict in (one.predict_proba, one.predict, one.predict_mass, one.predict_interval):
            assert [file for *_, file in warned(predict, scores)] == [__file__]
            assert warned(predict, 100 * scores) == []
        found = warned(one.predict_interval, scores, level=0.9)
        assert [file for *_, file in found] == [__file__]
    del data["extent"]  # a file of before
    assert warned(read(data).predict_proba, scores) == []
    with pytest.raises(ValueError, match=r"extent is \[1.0, 0.0\], expected two numbers"):
        read({**data, "extent": [1.0, 0.0]})
    with pytest.raises(ValueError, match="extent is"):
        read({**data, "extent": [np.nan, 1.0]})


def test_contours_tell_it_too():
    fitted = LogisticCalibrator().fit(100 * P, Y)
    assert [file for *_, file in warned(fitted.contour, P, 0.5)] == [__file__]


def test_a_fusion_names_the_source():
    expert = np.stack([1 - P, P], axis=1)
    fusion = EvidentialFusion().fit(
        {"bank": np.where(P > 0.9, np.nan, 100 * P), "expert": expert}, Y
    )
    for predict in (fusion.predict_proba, fusion.predict_mass):
        ((_, text, file),) = warned(predict, {"bank": P, "expert": expert})
        assert text.startswith("scores of source 'bank' are from 0.00")
        assert file == __file__
        assert warned(predict, {"bank": 100 * P, "expert": expert}) == []
        assert warned(predict, {"expert": expert}) == []


def test_a_classifier_and_an_export_say_nothing():
    classifier = EvidentialClassifier(GaussianNB(), cv=2).fit(Z[:, np.newaxis], Y)
    assert warned(classifier.predict_proba, 1000 * Z[:, np.newaxis]) == []
    fitted = LogisticCalibrator(model="confidence").fit(Z[:60], Y[:60])
    assert warned(to_sql, fitted, "score") == []
    assert warned(build_explorer, fitted) == []
    assert len(warned(build_explorer, fitted, 1000 * Z, Y)) == 1


def test_parts_of_one_table_are_told_once_by_the_command(capsys):
    with user_input():
        warnings.simplefilter("always")
        for greatest in (1, 2):
            warnings.warn(f"scores are up to {greatest}", WrongWayWarning, stacklevel=1)
            warnings.warn(f"{'other' * greatest} {greatest}", UserWarning, stacklevel=1)
    told = [f"evical: {text}" for text in ("scores are up to 1", "other 1", "otherother 2")]
    assert capsys.readouterr().err.splitlines() == told
