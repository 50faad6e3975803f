"""Kernel density calibration: Bayes' rule as defined, gaps, local counts, and the two routes."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.inference import binomial_masses
from evical.calibrators import KDECalibrator
from evical.calibrators import _kde as kde
from evical.scores import silverman
from tests import naive_kde as naive

KERNELS = ("gaussian", "boxcar", "epanechnikov", "tricube")
eighths = st.integers(-40, 40).map(lambda i: Fraction(i, 8))
samples = st.lists(
    st.tuples(eighths, st.integers(0, 1), st.integers(1, 3)), min_size=2, max_size=12
).filter(lambda rows: len({label for _, label, _ in rows}) == 2)


def fitted(rows, **options):
    scores, y, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    return KDECalibrator(**options).fit(scores, y.astype(int), weights)


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
    calibrator = KDECalibrator(bandwidth=1.0, model="dempster").fit([0, 0, 2], [0, 1, 1])
    near, far = np.exp([-0.5, -0.5])  # the point 1 is one bandwidth from all three
    n, k = 2 * near + far, near + far
    m1, m0 = binomial_masses(k, n, "dempster")
    np.testing.assert_allclose(
        calibrator.predict_mass([1.0]).masses[0], [m0, m1, 1 - m0 - m1], atol=1e-14
    )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n", [60, 2000])
def test_belief_is_vacuous_far_from_the_data_and_probability_holds(kernel, n):
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(-20, 1, n // 2), rng.normal(20, 1, n // 2)])
    y = (np.arange(n) % 4 > 0) ^ (scores > 0)
    evidential = KDECalibrator(kernel, 0.5, model="likelihood").fit(scores, y)
    np.testing.assert_allclose(
        evidential.predict_interval([-1e9, 0.0, 1e9]), [[0, 1]] * 3, atol=1e-9
    )
    assert np.diff(evidential.predict_interval([-20.0]))[0, 0] < 0.9
    held = KDECalibrator(kernel, 0.5).fit(scores, y)
    ends = np.array([scores.min(), scores[scores < 0].max(), scores[scores > 0].min()])
    step = 0.0 if kernel != "gaussian" else 8 * 0.5
    edges = ends + np.array([-step, step, -step])
    far = [scores.min() - 1e6, -1.0, 1.0]
    np.testing.assert_allclose(
        held.predict_proba(far), held.predict_proba(edges), rtol=0, atol=2e-5
    )


def test_both_gaussian_routes_agree(monkeypatch):
    rng = np.random.default_rng(2)
    scores = rng.normal(size=1500)
    y = rng.random(1500) < 1 / (1 + np.exp(-3 * np.sin(3 * scores)))
    probes = np.linspace(-6, 6, 4001)
    for options in ({}, {"bandwidth": "per_class"}, {"bandwidth": 0.02}, {"model": "confidence"}):
        grid = KDECalibrator(**options).fit(scores, y)
        assert grid._grid is not None
        with monkeypatch.context() as patch:
            patch.setattr(kde, "_EXACT", 10_000)
            exact = KDECalibrator(**options).fit(scores, y)
        assert exact._grid is None
        difference = np.abs(grid.predict_proba(probes) - exact.predict_proba(probes))[:, 1]
        within = np.abs(probes) < 3
        assert difference[within].max() < 1e-6 if options.get("bandwidth") != 0.02 else True
        assert np.median(difference) < 1e-7
        again = KDECalibrator.from_dict(json.loads(json.dumps(grid.to_dict())))
        np.testing.assert_array_equal(again.predict_proba(probes), grid.predict_proba(probes))


def test_bandwidths():
    scores, y = np.array([0.0, 1, 2, 3, 10]), [0, 0, 0, 1, 1]
    shared = KDECalibrator().fit(scores, y)
    assert shared.bandwidth_.tolist() == [silverman(scores)] * 2
    own = KDECalibrator(bandwidth="per_class").fit(scores, y)
    assert own.bandwidth_.tolist() == [silverman(scores[:3]), silverman(scores[3:])]
    lonely = KDECalibrator(bandwidth="per_class").fit(scores, [0, 0, 0, 0, 1])
    assert lonely.bandwidth_.tolist() == [silverman(scores[:4]), silverman(scores)]
    assert KDECalibrator(bandwidth=[0.5, 2]).fit(scores, y).bandwidth_.tolist() == [0.5, 2]


@pytest.mark.parametrize("kernel", KERNELS)
def test_constant_scores_have_their_share(kernel):
    calibrator = KDECalibrator(kernel).fit([3.0] * 4, [0, 1, 1, 1])
    np.testing.assert_allclose(calibrator.predict_proba([3.0, -5.0, 1e9])[:, 1], 0.75, atol=1e-15)


def test_gaussians_stay_inside_the_unit_interval_where_classes_overlap():
    rng = np.random.default_rng(3)
    scores = rng.random(300)
    calibrator = KDECalibrator().fit(scores, rng.random(300) < scores)
    p = calibrator.predict_proba(np.linspace(-1, 2, 301))
    assert p.min() > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "cosine"}, "kernel is 'cosine', expected one of"),
        ({"kernel": None}, "kernel is None"),
        ({"bandwidth": "wide"}, "bandwidth is 'wide', expected shared, per_class"),
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
    data = KDECalibrator().fit(rng.normal(size=n), np.arange(n) % 2).to_dict()
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
