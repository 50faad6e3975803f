"""Kernel density calibration: Bayes' rule as defined, gaps, local counts, and the two routes."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from dstheory.inference import binomial_masses
from evical.calibrators import DPMCalibrator, KDECalibrator
from evical.curves.density import silverman
from evical.datasets.simulated import simulated_probability, simulated_quantiles, simulated_scores
from tests.evical.curves.of_arrays import kernel_sums
from tests.naive import kde as naive
from tests.support.each import each

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

KERNELS = ("gaussian", "boxcar", "epanechnikov", "tricube")
eighths = st.integers(-40, 40).map(lambda i: Fraction(i, 8))
samples = st.lists(
    st.tuples(eighths, st.integers(0, 1), st.integers(1, 3)), min_size=2, max_size=12
).filter(lambda rows: len({label for _, label, _ in rows}) == 2)


def raw(**options):
    return KDECalibrator(transform=None, **options)


def fitted(rows, **options):
    scores, y, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    return raw(**options).fit(scores, y.astype(int), weights)


@pytest.mark.parametrize("kernel", KERNELS)
@given(rows=samples, x=eighths, bandwidths=st.tuples(*[st.sampled_from([1, 2, 4])] * 2))
def test_bayes_rule_holds_as_defined(kernel, rows, x, bandwidths):
    wanted = naive.probability(kernel, x, rows, [Fraction(h) for h in bandwidths])
    calibrator = fitted(rows, kernel=kernel, bandwidth=bandwidths)
    found = calibrator.predict_proba([float(x)])[0, 1]
    reach = min(abs(x - s) / bandwidths[label] for s, label, _ in rows)
    if reach < (1 if kernel != "gaussian" else 8):
        # Near its end, a compact kernel is as small as the rounding of its moments.
        atol = 1e-9 if kernel != "tricube" or reach < Fraction(7, 8) else 1e-6
        assert found == pytest.approx(float(wanted), abs=atol)


@given(rows=samples, x=eighths)
def test_one_boxcar_counts_the_samples_within_its_bandwidth(rows, x):
    k, n = naive.shares(x - 2, x + 2, rows)
    got = fitted(rows, kernel="boxcar", bandwidth=2, model="dempster").predict_mass([float(x)])
    m1, m0 = (k / (n + 1), (n - k) / (n + 1)) if n else (0, 0)
    np.testing.assert_allclose(got.masses[0], [m0, m1, 1 - m0 - m1], atol=1e-14)


def test_local_counts_are_kernels_relative_to_their_peak():
    calibrator = raw(bandwidth=1.0, model="dempster").fit([0, 0, 2], [0, 1, 1])
    near, far = np.exp([-0.5, -0.5])  # the point 1 is one bandwidth from all three
    n, k = 2 * near + far, near + far
    m1, m0 = binomial_masses(k, n, "dempster")
    np.testing.assert_allclose(
        calibrator.predict_mass([1.0]).masses[0], [m0, m1, 1 - m0 - m1], atol=1e-14
    )


@each("kernel", KERNELS)
@each("n", [60, 2000])
@pytest.mark.filterwarnings("ignore:scores look reversed")  # on purpose
def test_belief_is_vacuous_far_from_the_data_and_probability_holds(kernel, n):
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(-20, 1, n // 2), rng.normal(20, 1, n // 2)])
    y = (np.arange(n) % 4 > 0) ^ (scores > 0)
    evidential = raw(kernel=kernel, bandwidth=0.5, model="likelihood").fit(scores, y)
    np.testing.assert_allclose(
        evidential.predict_interval([-1e9, 0.0, 1e9]), [[0, 1]] * 3, atol=1e-9
    )
    assert np.diff(evidential.predict_interval([-20.0]))[0, 0] < 0.9
    held = raw(kernel=kernel, bandwidth=0.5).fit(scores, y)
    ends = np.array([scores.min(), scores[scores < 0].max(), scores[scores > 0].min()])
    step = 0.0 if kernel != "gaussian" else 8 * 0.5
    edges = ends + np.array([-step, step, -step])
    far = [scores.min() - 1e6, -1.0, 1.0]
    np.testing.assert_allclose(
        held.predict_proba(far), held.predict_proba(edges), rtol=0, atol=2e-5
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"bandwidth": "per_class"}, {"bandwidth": 0.02}],
    ids=["shared", "per class", "narrow"],
)
def test_the_grid_equals_exact_sums(options):
    rng = np.random.default_rng(2)
    scores = rng.normal(size=1500)
    y = rng.random(1500) < 1 / (1 + np.exp(-3 * np.sin(3 * scores)))
    probes = np.linspace(-6, 6, 4001)
    calibrator = raw(**options).fit(scores, y)
    assert calibrator.to_dict()["state"]["grid"]
    h = calibrator.bandwidth_
    nearest = np.min(
        [np.abs(probes[:, np.newaxis] - scores[y == c]).min(axis=1) / h[c] for c in (0, 1)], axis=0
    )
    negative, positive = (kernel_sums(probes, scores[y == c], h[c]) / h[c] for c in (0, 1))
    difference = np.abs(
        calibrator.predict_proba(probes)[:, 1] * (negative + positive) - positive
    ) / np.maximum(negative + positive, 1e-300)
    assert difference[nearest < 1].max() < 2e-7
    assert difference[nearest < 7.9].max() < 2e-5
    again = KDECalibrator.from_dict(json.loads(json.dumps(calibrator.to_dict())))
    np.testing.assert_array_equal(again.predict_proba(probes), calibrator.predict_proba(probes))


def test_bandwidths():
    scores, y = np.array([0.0, 1, 2, 3, 10]), [0, 0, 0, 1, 1]
    shared = raw(bandwidth="shared").fit(scores, y)
    assert shared.bandwidth_.tolist() == [silverman(scores)] * 2
    own = raw(bandwidth="per_class").fit(scores, y)
    assert own.bandwidth_.tolist() == [silverman(scores[:3]), silverman(scores[3:])]
    lonely = raw(bandwidth="per_class").fit(scores, [0, 0, 0, 0, 1])
    assert lonely.bandwidth_.tolist() == [silverman(scores[:4]), silverman(scores)]
    assert raw(bandwidth=[0.5, 2]).fit(scores, y).bandwidth_.tolist() == [0.5, 2]
    assert raw().fit(scores, y).bandwidth_.tolist() == shared.bandwidth_.tolist()  # too few to say


def test_the_default_bandwidth_follows_waves():
    """Silverman's rule knows how the scores lie, but not how fast the probability changes."""
    at = simulated_quantiles("nonmonotone", 1000)
    truth = simulated_probability("nonmonotone", at)
    errors = []
    for seed in range(3):
        scores, y, _ = simulated_scores("nonmonotone", 10_000, np.random.default_rng(seed))
        fits = [KDECalibrator(bandwidth=b).fit(scores, y) for b in ("auto", "shared")]
        errors.append([((f.predict_proba(at)[:, 1] - truth) ** 2).mean() for f in fits])
    default, rule = np.mean(errors, axis=0)
    assert default < 0.4 * rule


def test_rows_that_count_more_than_once_do_not_predict_themselves():
    """Rows that are there twice, bootstrapped, or balanced by weights are as smooth as others."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=300)
    y = rng.random(300) < 1 / (1 + np.exp(-2 * scores))
    twice, drawn = np.repeat(np.arange(300), 2), rng.integers(300, size=300)
    rare = y | (rng.random(300) < 0.1)
    balanced = np.where(rare, 1 / rare.mean(), 1 / (1 - rare.mean())) / 2
    for rows, labels, weight in ((twice, y, None), (drawn, y, None), (slice(None), rare, balanced)):
        fit = raw().fit(scores[rows], labels[rows], weight)
        rule = raw(bandwidth="shared").fit(scores[rows], labels[rows], weight)
        assert fit.bandwidth_[0] >= 0.5 * rule.bandwidth_[0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_constant_scores_have_their_share(kernel):
    calibrator = raw(kernel=kernel).fit([3.0] * 4, [0, 1, 1, 1])
    np.testing.assert_allclose(calibrator.predict_proba([3.0, -5.0, 1e9])[:, 1], 0.75, atol=1e-15)


@each("kernel", KERNELS)
@each("bandwidth", ["auto", "shared", 1e-3, 1e300])
def test_scores_of_the_whole_range_of_floats(kernel, bandwidth):
    scores = np.linspace(-1.7, 1.7, 400) * 1e308
    calibrator = raw(kernel=kernel, bandwidth=bandwidth).fit(scores, np.arange(400) % 4 == 0)
    p = calibrator.predict_proba([*scores, -1.7976e308, 1e-300, 1e290])
    assert ((p >= 0) & (p <= 1)).all()


def test_gaussians_stay_inside_the_unit_interval_where_classes_overlap():
    rng = np.random.default_rng(3)
    scores = rng.random(300)
    calibrator = raw().fit(scores, rng.random(300) < scores)
    p = calibrator.predict_proba(np.linspace(-1, 2, 301))
    assert p.min() > 0


@each(
    ("options", "message"),
    [
        ({"kernel": "cosine"}, "kernel is 'cosine', expected one of"),
        ({"kernel": None}, "kernel is None"),
        ({"bandwidth": "wide"}, "bandwidth is 'wide', expected a number, two numbers, or one of"),
        ({"bandwidth": 0}, "bandwidth is 0, expected positive numbers"),
        ({"bandwidth": True}, "bandwidth is True"),
        ({"bandwidth": (1, 2, 3)}, "bandwidth is"),
        ({"bandwidth": (1, float("inf"))}, "expected positive numbers"),
        ({"bandwidth": [1.0]}, "bandwidth is"),
    ],
)
def test_wrong_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        KDECalibrator(**options).fit([0, 1], [0, 1])


@pytest.mark.parametrize("spoil", ["order", "weights", "bandwidth", "empty", "grid"])
def test_damaged_data_are_refused(spoil):
    rng = np.random.default_rng(0)
    n = 600 if spoil == "grid" else 20
    data = raw().fit(rng.normal(size=n), np.arange(n) % 2).to_dict()
    state = data["state"]
    if spoil == "order":
        state["samples"]["negative"][0].reverse()
    elif spoil == "weights":
        state["samples"]["positive"][1][0] = -1
    elif spoil == "bandwidth":
        state["bandwidth_"][0] = 0
    elif spoil == "empty":
        state["samples"]["negative"] = [[], []]
    else:
        state["grid"]["values"][0][0] = -1
    with pytest.raises(ValueError, match="saved calibrator is damaged"):
        KDECalibrator.from_dict(data)


CIRCULAR = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.mark.skipif(not CIRCULAR.is_dir(), reason="the data are not at hand")
@each(
    "calibrator",
    [KDECalibrator(), KDECalibrator(kernel="boxcar", bandwidth="shared"), DPMCalibrator()],
)
@each(("kernel", "auc", "rmse"), [("linear", 0.85, 0.385), ("poly", 1.0, 0.09)])
def test_the_circular_data_of_the_thesis(calibrator, kernel, auc, rmse):
    """Naeini (2016), table 3, where isotonic regression has AUC 0.65 and RMSE 0.46."""
    train, test = (
        np.loadtxt(CIRCULAR / f"bbq_circular_{part}.csv", delimiter=",", skiprows=1)
        for part in ("train", "test")
    )
    svm = SVC(kernel=kernel, degree=2, coef0=1).fit(train[:, :2], train[:, 2])
    calibrator = clone(calibrator).set_params(transform="sigmoid")  # as the thesis does
    calibrator.fit(svm.decision_function(train[:, :2]), train[:, 2])
    p = calibrator.predict_proba(svm.decision_function(test[:, :2]))[:, 1]
    y = test[:, 2]
    assert roc_auc_score(y, p) == pytest.approx(auc, abs=0.015)
    assert np.sqrt(np.mean((p - y) ** 2)) == pytest.approx(rmse, abs=0.015)
    bins = np.array_split(p.argsort(), 10)
    assert sum(abs(p[b].sum() - y[b].sum()) for b in bins) / len(y) <= 0.055


@pytest.mark.parametrize("kernel", ["boxcar", "epanechnikov", "tricube"])
def test_samples_lost_beside_heavy_ones_still_count(kernel):
    """Sums of moments of 1e12 round a weight of 1e-12 away, and 0 / 0 is no probability."""
    scores, weights = [0.0, 1.0, 5.0, 9.0], [1e12, 1e12, 1e-12, 1e-12]
    calibrator = KDECalibrator(kernel=kernel, bandwidth=0.5, transform=None)
    calibrator.fit(scores, [0, 1, 1, 0], weights)
    np.testing.assert_array_equal(calibrator.predict_proba([5.0, 8.9])[:, 1], [1.0, 0.0])


def test_a_light_sample_at_the_end_of_the_reach_of_a_heavy_one():
    rng = np.random.default_rng(0)
    scores, weights = rng.normal(size=300), rng.choice([1e-12, 1e12], 300)
    calibrator = KDECalibrator(transform=None).fit(scores, scores > 0, weights)
    sums = calibrator.to_dict()["state"]["grid"]["values"]
    assert (np.array(sums).max(axis=0) > 0).all()
    again = KDECalibrator.from_dict(calibrator.to_dict())
    np.testing.assert_array_equal(again.predict_proba(scores), calibrator.predict_proba(scores))


@pytest.mark.parametrize("turned", [1.0, -1.0])
def test_far_away_the_nearest_sample_stays_the_nearest(turned):
    """Beyond 1e13 the distances to 1 and 0.9 are equal floats, and the probability is one still."""
    y = np.array([0, 0, 0, 1, 1, 1]) if turned > 0 else np.array([1, 1, 1, 0, 0, 0])
    fitted = raw(bandwidth=0.1).fit(turned * np.array([0.1, 0.3, 0.9, 0.2, 0.8, 1.0]), y)
    far = turned * np.array([10.0, 1e13, 2.6e14, 1e15, 1e17, 1e300])
    assert np.ptp(fitted.predict_proba(far)[:, 1]) < 1e-12
