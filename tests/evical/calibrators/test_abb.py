"""ABB: the average over all binnings, between all training scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.calibrators import ABBCalibrator, BinningCalibrator
from tests.naive import bayesian_binning as naive
from tests.naive import inference as naive_inference

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

samples = st.lists(
    st.tuples(st.integers(0, 16).map(lambda i: i / 16), st.integers(0, 1)), min_size=2, max_size=7
).filter(lambda pairs: len({label for _, label in pairs}) == 2)
PROBES = np.linspace(-0.05, 1.05, 19)


@given(samples, st.sampled_from([("k2", 2.0), ("bdeu", 2.0), ("bdeu", 0.5)]))
def test_predictions_are_averages_over_all_binnings(pairs, prior):
    score, strength = prior
    calibrator = ABBCalibrator(criterion=score, lam=3.0, strength=strength).fit(
        *zip(*pairs, strict=True)
    )
    binnings = list(naive.all_binnings(pairs, 3.0, score=score, strength=strength))
    wanted = [float(naive.average(binnings, x, naive.Bin.mean)) for x in PROBES]
    np.testing.assert_allclose(calibrator.predict_proba(PROBES)[:, 1], wanted, atol=1e-13)


@pytest.mark.parametrize("model", ["laplace", "dempster", "inverse_pignistic", "likelihood"])
def test_evidence_is_averaged_over_all_binnings(model):
    pairs = list(zip(np.array([0, 1, 2, 4, 7, 8]) / 8, [0, 0, 1, 0, 1, 1], strict=True))
    pairs = [(float(score), label) for score, label in pairs]
    calibrator = ABBCalibrator(model=model).fit(*zip(*pairs, strict=True))
    binnings = list(naive.all_binnings(pairs, 10.0))
    masses = calibrator.predict_mass(PROBES).masses
    for x, (negative, positive, _) in zip(PROBES, masses, strict=True):

        def evidence(b, which):
            return getattr(naive_inference, model)(b.positive, len(b.members))[which]

        for got, which in ((positive, 0), (negative, 1)):
            wanted = naive.average(binnings, x, lambda b, which=which: evidence(b, which))
            assert got == pytest.approx(float(wanted), abs=1e-12)


def test_one_bin_and_single_bins_are_the_limits():
    scores, y = [0.1, 0.2, 0.6, 0.9], [0, 1, 0, 1]
    one = ABBCalibrator(lam=1e-9).fit(scores, y).predict_proba(scores)[:, 1]
    np.testing.assert_allclose(one, 0.5, atol=1e-8)
    many = ABBCalibrator(lam=1e9).fit(scores, y).predict_proba(scores)[:, 1]
    np.testing.assert_allclose(many, [1 / 3, 2 / 3, 1 / 3, 2 / 3], atol=1e-8)


@pytest.mark.parametrize("score", ["k2", "bdeu"])
def test_mirrored_scores_and_labels_mirror_the_probabilities(score):
    """The prior, the bins and both scores are symmetric."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 65, 100) / 64
    y = (rng.random(100) < scores).astype(int)
    plain = ABBCalibrator(criterion=score).fit(scores, y).predict_proba(scores)
    mirrored = ABBCalibrator(criterion=score).fit(1 - scores, 1 - y).predict_proba(1 - scores)
    np.testing.assert_allclose(mirrored, plain[:, ::-1], atol=1e-12)


def test_it_is_closer_to_the_truth_than_ten_bins():
    grid = np.linspace(0.001, 0.999, 999)
    truth = 0.5 + 0.4 * np.sin(9 * grid)
    errors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        scores = rng.random(600)
        y = rng.random(600) < 0.5 + 0.4 * np.sin(9 * scores)
        rivals = (
            ABBCalibrator(),
            BinningCalibrator(n_bins=10, strategy="quantile", model="bayesian"),
        )
        found = [c.fit(scores, y).predict_proba(grid)[:, 1] for c in rivals]
        errors.append([np.mean((p - truth) ** 2) for p in found])
    ours, bins = np.mean(errors, axis=0)
    assert ours < 0.8 * bins


@pytest.mark.parametrize(("name", "value"), [("criterion", None), ("lam", -1), ("max_size", 0)])
def test_wrong_parameters(name, value):
    with pytest.raises(ValueError, match=f"{name} is "):
        ABBCalibrator(**{name: value}).fit([0, 1], [0, 1])
