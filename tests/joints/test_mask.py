"""Mask: what a masked array masks is missing, and what lies under the mask is never read."""

from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import without_mask
from dstheory.construct import bayesian
from dstheory.errors import MassError
from evical import EvidentialClassifier, EvidentialFusion, EvidentialSource
from evical.metrics import brier_score
from tests.support.each import each
from tests.support.entrances import CODES, TABLE, N, P, X, featured, labeled, numbered, refused

ROW = 5
MASK = np.arange(N) == ROW
TEXTS = np.array(["a", "b"] * (N // 2))


@each("kind", ["texts", "numbers", "truth values", "dates"])
def test_a_masked_label_is_refused_by_its_row(kind):
    days = np.where(CODES == 1, np.datetime64("2026-01-02"), np.datetime64("2026-01-01"))
    plain = {"texts": TEXTS, "numbers": CODES, "truth values": CODES == 1, "dates": days}[kind]
    masked = np.ma.array(plain, mask=MASK)
    for name, call in labeled().items():
        refused(partial(call, masked), plain[1], name, match=rf"\[{ROW}\]")


def test_a_masked_number_is_refused():
    for name, call in numbered().items():
        refused(call, np.ma.array(P, mask=MASK), name)


def test_a_masked_feature_is_refused_by_classifiers_that_refuse_nan():
    masked = np.ma.array(X, mask=np.outer(MASK, [True, False]))
    for name, call in featured().items():
        refused(call, masked, name, match="NaN")


def test_a_mask_of_nothing_changes_nothing():
    assert brier_score(np.ma.array(CODES), np.ma.array(P)) == brier_score(CODES, P)
    fitted = EvidentialClassifier(GaussianNB(), cv=2).fit(np.ma.array(X), np.ma.array(CODES))
    assert fitted.predict_proba(np.ma.array(X)).tolist() == fitted.predict_proba(X).tolist()


def test_masked_features_are_nan_to_those_who_know_it():
    masked = np.ma.array(X, mask=np.outer(MASK, [True, False]))
    gone = masked.filled(np.nan)
    trees = EvidentialClassifier(HistGradientBoostingClassifier(max_iter=2), cv=2)
    for fit in (masked, gone):
        trees.fit(fit, CODES)
        assert trees.predict_proba(masked).tolist() == trees.predict_proba(gone).tolist()
    source = EvidentialSource(GaussianNB(), silent_if_missing="any").fit(masked, CODES)
    assert np.flatnonzero(source.predict_mass(masked).is_vacuous).tolist() == [ROW]


def test_masked_probabilities_of_a_source_are_its_silence():
    silent = np.ma.array(TABLE, mask=np.outer(MASK, [True, True]))
    fusion = EvidentialFusion("dempster").fit([silent])
    assert np.flatnonzero(fusion.predict_mass([silent]).is_vacuous).tolist() == [ROW]


def test_masked_masses_are_no_masses():
    frame = Frame(["a", "b"])
    masked = np.ma.array(TABLE, mask=np.outer(MASK, [True, False]))
    for call in (
        lambda: MassFunction(frame, [1, 2], masked),
        lambda: bayesian(frame, masked),
        lambda: MassFunction.from_dict(frame, {"a": masked[:, 0], "b": TABLE[:, 1]}),
        lambda: MassFunction(frame, [1, 2], np.ma.array([0, 1], mask=[True, False])),
    ):
        with pytest.raises(MassError, match="nan"):
            call()


def test_each_type_has_its_missing_value():
    for values, missing in (
        ([1, 2], "nan"),
        ([1.5, 2.0], "nan"),
        (["a", "b"], "None"),
        (np.array(["2026-01-01"] * 2, "M8[D]"), "NaT"),
    ):
        found = without_mask(np.ma.array(values, mask=[False, True]))
        assert str(found[1]) == missing
        assert found[0] == values[0]
    single = np.float32([1, 2])
    assert without_mask(np.ma.array(single, mask=[0, 1])).dtype == np.float32
