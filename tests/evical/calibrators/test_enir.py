"""ENIR: the average of all models of the path, one by one, and what keeps it fast."""

import os
from fractions import Fraction
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from evical.calibrators import ENIRCalibrator, IsotonicCalibrator
from evical.calibrators._binning import bin_masses
from evical.calibrators.models import BinomialModel
from evical.curves.near_isotonic_blocks import Blocks, relevant
from evical.scores import ScoreCounts
from tests.evical.curves.of_arrays import near_isotonic_path
from tests.naive import near_isotonic as naive
from tests.support.each import each

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{warned}")
    # Random samples may point the wrong way, and weights of all sizes are tried.
    for warned in (":evical.errors.WrongWayWarning", "the weights of 200 samples have the sum")
]

DATA = Path(os.environ.get("EVICAL_DATA", Path(__file__).parents[4] / "shared" / "data"))

samples = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 1), st.integers(1, 3)), min_size=2, max_size=40
).filter(lambda rows: len({label for _, label, _ in rows}) == 2)


def columns(rows):
    scores, y, weights = (np.array(column) for column in zip(*rows, strict=True))
    return scores / 20, y, weights


def exact_counts(scores, y, weights):
    """Distinct scores, and the positive and the total weight at each as Fractions."""
    counts = ScoreCounts.from_samples(scores, y, weights)
    positive, total = (
        [Fraction(int(k)) for k in column] for column in (counts.positive, counts.total)
    )
    return counts.scores, positive, total


def random_samples(n, seed=0, slope=1.0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    return scores, (rng.random(n) < expit(slope * scores)).astype(int)


# ---- definition


@given(rows=samples, smoothing=st.sampled_from([0, 0.5, 1, 3]))
def test_equals_the_average_of_all_models_one_by_one(rows, smoothing):
    scores, y, weights = columns(rows)
    calibrator = ENIRCalibrator(smoothing=smoothing).fit(scores, y, weights)
    distinct, positive, total = exact_counts(scores, y, weights)
    wanted = naive.enir(distinct, positive, total, smoothing)
    got = calibrator.predict_proba(distinct)[:, 1]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("model", [m for m in get_args(BinomialModel) if m != "bayesian"])
@given(rows=samples)
def test_evidence_is_the_mixture_of_the_evidence_of_blocks(model, rows):
    scores, y, weights = columns(rows)
    calibrator = ENIRCalibrator(model=model, confidence=0.8).fit(scores, y, weights)
    distinct, positive, total = exact_counts(scores, y, weights)
    wanted = np.zeros((2, len(distinct)))
    for weight, blocks in naive.models(positive, total):
        for first, last, _ in blocks:
            k, n = (np.array([float(sum(a[first:last]))]) for a in (positive, total))
            wanted[:, first:last] += weight * bin_masses(k, n, model, 0.8)
    m = calibrator.predict_mass(distinct)
    np.testing.assert_allclose(np.stack([m.bel(1), m.bel(0)]), wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("slope", [1.0, -1.0])
@pytest.mark.filterwarnings("ignore:scores look reversed")  # on purpose
def test_equals_all_models_of_a_longer_path(slope):
    """A few hundred models, most of which are skipped; here, each fit is written out."""
    scores, y = random_samples(2000, slope=slope)
    order = np.argsort(scores)
    path, labels = near_isotonic_path(y[order]), y[order]
    fits = np.array([path.at(lam) for lam in path.lambdas[1:]])
    with np.errstate(
        divide="ignore"
    ):  # the logarithm of 0 is not taken where no label calls for it
        log_likelihood = np.where(labels, np.log(fits), np.log1p(-fits)).sum(axis=1)
    sizes = np.array([len(path.starts(lam)) for lam in path.lambdas[1:]])
    score = log_likelihood - sizes * np.log(2000) / 2
    weights = np.exp(score - score.max())
    calibrator = ENIRCalibrator(smoothing=0).fit(scores, y)
    assert 1 < len(calibrator.lambdas_) < len(fits) / 2
    got = calibrator.predict_proba(scores[order])[:, 1]
    np.testing.assert_allclose(got, weights @ fits / weights.sum(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("longest", [2, 12, 60])
def test_skipped_models_are_irrelevant(longest):
    """Runs of labels: the longer they are, the earlier on the path is the best model."""
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(300) % 2, rng.integers(1, longest, 300, endpoint=True))
    counts = ScoreCounts.from_samples(np.arange(len(y)) / len(y), y)
    blocks = Blocks.of(counts)
    lambdas = np.unique(blocks.joins[np.isfinite(blocks.joins) & (blocks.joins > 0)])
    penalty = np.log(len(y))
    bics = np.array([blocks.at(lam)[0].bic(lam, penalty) for lam in lambdas])
    for margin in (0.0, 5.0, 100.0):
        first, chosen, found = relevant(blocks, lambdas, penalty, margin)
        kept = bics <= bics.min() + margin
        np.testing.assert_array_equal(chosen, lambdas[kept])
        np.testing.assert_allclose(found, bics[kept], rtol=1e-13)
        np.testing.assert_array_equal(first.total, blocks.at(chosen[0])[0].total)


def test_likelihood_falls_along_the_path():
    scores, y = random_samples(300)
    blocks = Blocks.of(ScoreCounts.from_samples(scores, y))
    lambdas = np.unique(blocks.joins[np.isfinite(blocks.joins)])
    finer = np.union1d(lambdas, (lambdas[1:] + lambdas[:-1]) / 2)
    likelihoods = [blocks.at(lam)[0].log_likelihood(lam) for lam in finer]
    assert (np.diff(likelihoods) < 1e-9).all()


# ---- worked by hand


def test_one_breakpoint():
    calibrator = ENIRCalibrator(smoothing=0).fit([1, 2, 3, 4, 5, 6], [1, 0, 1, 0, 1, 0])
    np.testing.assert_array_equal(calibrator.lambdas_, [0.5])
    np.testing.assert_array_equal(calibrator.predict_proba([-9, 3.5, 9])[:, 1], np.full(3, 0.5))


def test_smoothing():
    """Blocks {0.1, 0.3} and {0.8}: pseudo-samples of 1 - 0.2 at 0.2 and of 1 - 0.2 at 0.8."""
    calibrator = ENIRCalibrator().fit([0.1, 0.3, 0.8], [0, 0, 1])
    got = calibrator.predict_proba([0.2, 0.8])[:, 1]
    np.testing.assert_allclose(got, [0.16 / 2.8, (1 + 0.64) / 1.8], rtol=1e-15)


def test_separable_labels_are_their_own_model():
    """Nothing to merge: the data, lambda = 0, are isotonic and all there is."""
    calibrator = ENIRCalibrator(smoothing=0, transform="sigmoid")
    calibrator.fit(np.arange(10), np.arange(10) > 4)
    np.testing.assert_array_equal(calibrator.lambdas_, [0])
    np.testing.assert_array_equal(calibrator.model_weights_, [1])
    np.testing.assert_array_equal(
        calibrator.thresholds_, [0.5 / (1 + np.exp(-4.0)) + 0.5 / (1 + np.exp(-5.0))]
    )
    np.testing.assert_array_equal(calibrator.masses_, [[0, 1], [1, 0]])


# ---- laws


@pytest.mark.parametrize("scores", [[0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [-1e300, 1e300]])
def test_smoothing_keeps_off_0_and_1(scores):
    """Even where scores are 0 and 1 and right, so that no calibration error lowers the prior."""
    y = np.array(scores) > 0
    p = ENIRCalibrator().fit(scores, y).predict_proba(scores)
    assert ((p > 0) & (p < 1)).all()


@pytest.mark.parametrize("transform", [None, "sigmoid", "rank"])
def test_without_smoothing_only_the_order_of_scores_counts(transform):
    scores, y = random_samples(300)
    plain = ENIRCalibrator(smoothing=0, transform=None).fit(scores, y).predict_proba(scores)
    other = ENIRCalibrator(smoothing=0, transform=transform).fit(scores, y).predict_proba(scores)
    np.testing.assert_array_equal(other, plain)


@each("total", [1e-12, 1e-3, 1.0, 1e9, 1e12, 2.0**53])
@each("model", ["bayesian", "likelihood"])
def test_any_scale_of_weights(total, model):
    scores, y = random_samples(200)
    calibrator = ENIRCalibrator(model=model).fit(scores, y, np.full(200, total / 200))
    m = calibrator.predict_mass(scores).masses
    assert np.isfinite(m).all()
    assert (m >= 0).all()
    np.testing.assert_allclose(calibrator.model_weights_.sum(), 1)


@each("model", ["bayesian", "laplace"])
@each("spread", [5, 15, 28])
def test_weights_of_all_sizes(model, spread):
    """A label of weight 1e-15 among those of 1e13 still has a finite likelihood."""
    scores, y = random_samples(200)
    weights = 10 ** np.random.default_rng(8).uniform(-15, spread - 15, 200)
    calibrator = ENIRCalibrator(model=model).fit(scores, y, weights)
    m = calibrator.predict_mass(scores).masses
    assert np.isfinite(m).all()
    assert (m >= 0).all()
    assert np.isfinite(calibrator.model_weights_).all()


def test_less_than_one_sample_costs_no_penalty_and_no_reward():
    """The logarithm of less than one sample is taken as 0, and hardly any model stands out."""
    scores, y = random_samples(200)
    weights = ENIRCalibrator().fit(scores, y, np.full(200, 1e-6)).model_weights_
    np.testing.assert_allclose(weights, 1 / len(weights), rtol=1e-3)


def test_monotone_samples_are_nearly_isotonic():
    scores, y = random_samples(5000)
    ours, isotonic = (
        c.fit(scores, y).predict_proba(scores)[:, 1]
        for c in (ENIRCalibrator(smoothing=0), IsotonicCalibrator(model="bayesian"))
    )
    assert np.abs(ours - isotonic).mean() < 0.01


@each("smoothing", [-1, float("nan"), float("inf"), "1", True, None])
def test_refused_smoothing(smoothing):
    with pytest.raises((ValueError, TypeError), match="smoothing is"):
        ENIRCalibrator(smoothing=smoothing).fit([0, 1], [0, 1])


# ---- the thesis' simulated data (section 4.3, table 14)


def measures(y, p):
    """AUC, RMSE, and ECE over ten bins of equal frequency."""
    bins = np.array_split(np.argsort(p, kind="stable"), 10)
    ece = sum(len(b) * abs(y[b].mean() - p[b].mean()) for b in bins) / len(y)
    return roc_auc_score(y, p), np.sqrt(np.mean((y - p) ** 2)), ece


def circular(part):
    path = DATA / f"bbq_circular_{part}.csv"
    if not path.exists():
        pytest.skip("the thesis' simulated data are not here")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def calibrated(kernel, calibrator):
    (x, y), (x_new, y_new) = circular("train"), circular("test")
    machine = SVC(kernel=kernel, degree=2, coef0=1).fit(x, y)
    calibrator.fit(machine.decision_function(x), y)
    return measures(y_new, calibrator.predict_proba(machine.decision_function(x_new))[:, 1])


@pytest.mark.parametrize("model", ["bayesian", "likelihood"])
def test_a_linear_machine_on_a_circle(model):
    """Scores that do not order the classes: ENIR mends what isotonic regression cannot."""
    auc, rmse, ece = calibrated("linear", ENIRCalibrator(model=model))
    assert auc > 0.82
    assert rmse < 0.40
    assert ece < 0.06
    auc, rmse, _ = calibrated("linear", IsotonicCalibrator(model="bayesian"))
    assert auc < 0.7
    assert rmse > 0.44


def test_a_quadratic_machine_on_a_circle():
    auc, rmse, ece = calibrated("poly", ENIRCalibrator())
    assert auc > 0.99
    assert rmse < 0.11
    assert ece < 0.015
