"""BBQ: which binnings are averaged, with which weights, and what comes out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.calibrators import ABBCalibrator, BBQCalibrator, SBBCalibrator
from tests.naive import bayesian_binning as naive
from tests.naive import inference as naive_inference
from tests.support.each import each

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

samples = st.lists(
    st.tuples(st.integers(0, 16).map(lambda i: i / 16), st.integers(0, 1)), min_size=2, max_size=30
).filter(lambda pairs: len({label for _, label in pairs}) == 2)
PROBES = np.linspace(-0.05, 1.05, 30)


def mixture(models, x, value):
    """Average by the scores of the binnings, made to sum to 1."""
    total = sum(score for _, score in models)
    return float(sum(score * value(naive.bin_at(bins, x)) for bins, score in models) / total)


def check(pairs, calibrator, limits, value=naive.Bin.mean, **options):
    calibrator.fit(*zip(*pairs, strict=True))
    models = naive.bbq_models(pairs, *limits, **options)
    assert sorted(calibrator.n_bins_) == sorted(len(bins) for bins, _ in models)
    total = sum(score for _, score in models)
    weights = [float(score / total) for _, score in models]
    np.testing.assert_allclose(calibrator.weights_, weights, rtol=1e-10)
    got = calibrator.predict_proba(PROBES)[:, 1]
    np.testing.assert_allclose(got, [mixture(models, x, value) for x in PROBES], atol=1e-12)


@given(samples)
def test_defaults(pairs):
    check(pairs, BBQCalibrator(), naive.default_range(len(pairs)), score="bdeu")


@given(samples, st.integers(1, 3), st.integers(3, 9))
def test_k2(pairs, least, greatest):
    calibrator = BBQCalibrator(criterion="k2", n_bins=(least, greatest))
    check(pairs, calibrator, (least, greatest), score="k2")


@given(samples)
def test_bins_that_share_the_remainder(pairs):
    calibrator = BBQCalibrator(remainder="spread")
    check(pairs, calibrator, naive.default_range(len(pairs)), score="bdeu", spread=True)


@given(samples, st.sampled_from([0.5, 2, 8]))
def test_bdeu_of_any_strength(pairs, strength):
    limits = {"n_bins": (1, 6), "alpha": None}
    calibrator = BBQCalibrator(strength=strength, **limits)
    check(pairs, calibrator, (1, 6), score="bdeu", strength=strength, alpha=None)
    calibrator = BBQCalibrator(strength=strength, strength_of="binning", **limits)
    check(pairs, calibrator, (1, 6), score="bdeu", strength=strength, alpha=None, shared=True)


@given(samples)
def test_smoothing_by_scores(pairs):
    calibrator = BBQCalibrator(smoothing="scores", n_bins=(1, 6))
    check(pairs, calibrator, (1, 6), naive.Bin.mean_by_scores, score="bdeu")


def test_a_clip_of_one_half_is_bdeu_with_even_priors():
    pairs = [(i / 16, int(i in (3, 9, 10, 12, 15))) for i in range(16)]
    even = BBQCalibrator(clip=0.5, n_bins=(1, 5), alpha=None).fit(*zip(*pairs, strict=True))
    k2 = BBQCalibrator(criterion="k2", n_bins=(1, 5), alpha=None).fit(*zip(*pairs, strict=True))
    np.testing.assert_allclose(even.predict_proba(PROBES), k2.predict_proba(PROBES), atol=1e-14)


@pytest.mark.parametrize("model", ["laplace", "dempster", "inverse_pignistic", "likelihood"])
def test_evidence_is_averaged(model):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 65, 60) / 64
    pairs = list(zip(scores.tolist(), (rng.random(60) < scores).astype(int).tolist(), strict=True))
    calibrator = BBQCalibrator(model=model).fit(*zip(*pairs, strict=True))
    models = naive.bbq_models(pairs, *naive.default_range(60), score="bdeu")
    assert len(models) > 1
    masses = calibrator.predict_mass(PROBES).masses
    for x, (negative, positive, _) in zip(PROBES, masses, strict=True):
        for got, which in ((positive, 0), (negative, 1)):

            def evidence(b, which=which):
                return getattr(naive_inference, model)(b.positive, len(b.members))[which]

            assert got == pytest.approx(mixture(models, x, evidence), abs=1e-12)


def test_a_smoothed_probability_is_never_certain():
    scores = np.arange(2000) / 2000
    y = scores > 0.5
    for options in ({}, {"criterion": "k2"}, {"smoothing": "scores"}, {"strength_of": "binning"}):
        p = BBQCalibrator(**options).fit(scores, y).predict_proba(PROBES)
        assert ((p > 0) & (p < 1)).all()


@pytest.mark.parametrize("kind", [SBBCalibrator, ABBCalibrator, BBQCalibrator])
def test_accuracy_is_scored_as_by_any_classifier(kind):
    scores, y = np.arange(40) / 40, np.arange(40) >= 20
    assert kind().fit(scores, y).score(scores, y) >= 0.95


def test_fractional_weights_scale_the_evidence():
    """The same shares with a quarter of the weight: fewer bins pay, and more stays open."""
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    y = rng.random(400) < scores
    options = {"model": "dempster", "n_bins": (4, 4)}
    heavy = BBQCalibrator(**options).fit(scores, y)
    light = BBQCalibrator(**options).fit(scores, y, np.full(400, 0.25))
    np.testing.assert_allclose(1 - heavy.masses_.sum(axis=0), 1 / 101, rtol=1e-12)
    np.testing.assert_allclose(1 - light.masses_.sum(axis=0), 1 / 26, rtol=1e-12)


@each(
    ("name", "values"),
    [
        ("criterion", ["bic", None]),
        ("strength", [0, float("nan")]),
        ("strength_of", ["model"]),
        ("smoothing", [None]),
        ("remainder", ["first"]),
        ("n_bins", [5, (0, 5), (3, 2), (1, 2, 3), (1.0, 2), "ab", (True, 2)]),
        ("alpha", [0, -1]),
    ],
)
def test_wrong_parameters(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"{name} is "):
            BBQCalibrator(**{name: value}).fit([0, 1], [0, 1])
