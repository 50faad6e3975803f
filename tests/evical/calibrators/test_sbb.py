"""SBB: the best binning, its edges, and what its bins say."""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.calibrators import SBBCalibrator
from evical.calibrators.models import BinomialModel
from tests.naive import bayesian_binning as naive
from tests.naive import inference as naive_inference
from tests.support.each import each

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

samples = st.lists(
    st.tuples(st.integers(0, 16).map(lambda i: i / 16), st.integers(0, 1)), min_size=2, max_size=8
).filter(lambda pairs: len({label for _, label in pairs}) == 2)


@given(samples, st.sampled_from([("k2", 2.0), ("bdeu", 2.0), ("bdeu", 0.5)]))
def test_predictions_are_those_of_a_best_binning(pairs, prior):
    score, strength = prior
    calibrator = SBBCalibrator(criterion=score, lam=3.0, strength=strength).fit(
        *zip(*pairs, strict=True)
    )
    binnings = list(naive.all_binnings(pairs, 3.0, score=score, strength=strength))
    highest = max(value for _, value in binnings)
    assert math.exp(calibrator.log_score_) == pytest.approx(float(highest), rel=1e-12)
    # Several binnings may be equally good.
    best = [bins for bins, value in binnings if float(value / highest) > 1 - 1e-12]
    edges = [[float(b.right) for b in bins[:-1]] for bins in best]
    bins = best[edges.index(calibrator.thresholds_.tolist())]
    probes = np.linspace(-0.1, 1.1, 25)
    got = calibrator.predict_proba(probes)[:, 1]
    wanted = [float(naive.bin_at(bins, x).mean()) for x in probes]
    np.testing.assert_allclose(got, wanted, atol=1e-14)
    assert calibrator.positive_.tolist() == [b.positive for b in bins]
    assert calibrator.total_.tolist() == [len(b.members) for b in bins]


@each("model", get_args(BinomialModel))
def test_evidence_is_that_of_the_bin(model):
    scores, y = np.arange(40) / 40, (np.arange(40) >= 20).astype(int)
    y[3] = 1
    calibrator = SBBCalibrator(model=model).fit(scores, y)
    assert calibrator.total_.tolist() == [20, 20]
    negative, positive, _ = calibrator.predict_mass([0.2]).masses[0]
    if model == "bayesian":
        assert (positive, negative) == pytest.approx((2 / 22, 20 / 22), abs=1e-14)
    elif model != "confidence":
        wanted = getattr(naive_inference, model)(1, 20)
        assert (positive, negative) == pytest.approx(tuple(map(float, wanted)), abs=1e-13)
    else:
        # Twice the level of the lower limit is 1 - confidence, all of it being below k/n.
        assert naive_inference.at_least(1, 20, positive / 0.95) == pytest.approx(0.025)


@pytest.mark.parametrize(("lam", "n_bins"), [(1e-9, 1), (1e9, 4)])
def test_lambda_says_how_many_bins_are_expected(lam, n_bins):
    calibrator = SBBCalibrator(lam=lam).fit([0.1, 0.2, 0.6, 0.9], [0, 1, 0, 1])
    assert len(calibrator.total_) == n_bins


def test_the_steps_of_a_step_function_are_found():
    rng = np.random.default_rng(0)
    scores = rng.random(2000)
    share = np.choose((scores > 0.3).astype(int) + (scores > 0.8), [0.1, 0.7, 0.4])
    calibrator = SBBCalibrator().fit(scores, rng.random(2000) < share)
    np.testing.assert_allclose(calibrator.thresholds_, [0.3, 0.8], atol=0.02)
    got = calibrator.predict_proba([0.1, 0.5, 0.9])[:, 1]
    np.testing.assert_allclose(got, [0.1, 0.7, 0.4], atol=0.05)


def test_more_scores_than_the_limit_are_merged():
    rng = np.random.default_rng(1)
    scores = rng.random(300)
    y = rng.random(300) < scores
    merged = SBBCalibrator(max_size=20, lam=1e9).fit(scores, y)
    assert len(merged.total_) == 20
    assert merged.total_.sum() == 300
    assert len(SBBCalibrator(max_size=None, lam=1e9).fit(scores, y).total_) > 100


@each(
    ("name", "value", "error"),
    [
        ("criterion", "bic", ValueError),
        ("lam", 0, ValueError),
        ("lam", "1", TypeError),
        ("lam", float("inf"), ValueError),
        ("strength", -1, ValueError),
        ("strength", True, TypeError),
        ("clip", 0.6, ValueError),
        ("max_size", 0, ValueError),
        ("max_size", 2.5, TypeError),
    ],
)
def test_wrong_parameters(name, value, error):
    with pytest.raises(error, match=f"{name} is "):
        SBBCalibrator(**{name: value}).fit([0, 1], [0, 1])
