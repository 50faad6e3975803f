"""Silence as rows of NaN, where sources are read and where a fusion learns from them."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from dstheory import Frame, MassFunction
from evical.beliefs import as_beliefs
from evical.calibrators import BinningCalibrator
from evical.classifier import EvidentialClassifier
from evical.fusion import Stacked
from evical.fusion._rule import read

VACUOUS_AND_NOT = MassFunction(Frame(["a", "b"]), [1, 3], [[0.6, 0.4], [0.0, 1.0]])


def test_a_vacuous_belief_is_silent_and_read_as_even_odds():
    beliefs = as_beliefs(VACUOUS_AND_NOT, np.array(["a", "b"]))
    assert beliefs.silent.tolist() == [False, True]
    even, silent = read([beliefs])
    assert even.tolist() == [[[0.8, 0.2], [0.5, 0.5]]]
    assert silent.tolist() == [[False, True]]


def test_fusions_learn_from_empty_bins_as_they_predict_with_them():
    """The middle bin has no sample: the fusion is told so, not even odds, either way."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    x = np.where(y, 2.0, -2.0) + rng.uniform(-1.5, 1.5, 200)
    bins = BinningCalibrator(n_bins=(-30.0, -0.2, 0.2, 30.0), model="likelihood")
    member = EvidentialClassifier(LogisticRegression(C=0.05), calibrator=bins, cv=2)
    member.fit(x[:, None], y)
    new = np.array([-3.0, 0.0, 3.0])[:, None]
    part = member.calibrated_classifiers_[0]
    scores = part.estimator.decision_function(new)[:, None]
    learned_from, asked = part.beliefs_of(scores), member.beliefs(new)
    assert learned_from.silent.tolist() == [False, True, False]
    np.testing.assert_array_equal(asked.silent, learned_from.silent)
    np.testing.assert_array_equal(asked.betp(), learned_from.betp())
    fusion = Stacked().fit([member.beliefs(x[:, None])], y)
    fused = fusion.combine([asked])
    assert fused.betp()[1].round(1).tolist() == [0.5, 0.5]
    np.testing.assert_allclose(
        fusion(member.predict_mass(new)).bel(1), fused.interval()[:, 1, 0], atol=1e-12
    )
