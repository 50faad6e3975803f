"""Dirichlet-process mixtures: Bayes' rule, weights, tails, and what they find."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t as student

from evical.calibrators import DPMCalibrator
from evical.calibrators._dpm import _log_density, _representatives
from evical.datasets.simulated import simulated_probability, simulated_quantiles, simulated_scores


def test_probability_is_bayes_rule_on_student_mixtures():
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(-1, 1, 60), rng.normal(1, 0.5, 30)])
    y = np.repeat([0, 1], [60, 30])
    calibrator = DPMCalibrator(transform=None).fit(scores, y)
    x = np.linspace(-4, 4, 9)
    joint = []
    for name, share in (("negative", 2 / 3), ("positive", 1 / 3)):
        parts = [getattr(calibrator, f"{p}_")[name] for p in ("weights", "degrees", "means")]
        parts.append(calibrator.scales_[name])
        assert parts[0].sum() == pytest.approx(1)
        joint.append(
            share * sum(w * student.pdf(x, df, m, s) for w, df, m, s in zip(*parts, strict=True))
        )
    wanted = joint[1] / (joint[0] + joint[1])
    np.testing.assert_allclose(calibrator.predict_proba(x)[:, 1], wanted, atol=1e-12)


def test_densities_integrate_to_one():
    parts = [np.array(p) for p in ([0.3, 0.7, 0.0], [0.0, 2, 9], [0.5, 1, 1], [3.0, 8, 1])]
    area = quad(lambda x: np.exp(_log_density(np.array([x]), *parts))[0], -np.inf, np.inf)[0]
    assert area == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("kind", ["monotone", "nonmonotone", "margin"])
def test_the_true_map_is_found(kind):
    scores, y, _ = simulated_scores(kind, 2000, np.random.default_rng(1))
    at = simulated_quantiles(kind, 500)
    got = DPMCalibrator().fit(scores, y).predict_proba(at)[:, 1]
    assert np.mean((got - simulated_probability(kind, at)) ** 2) < 4e-3


def test_representatives_are_the_samples_where_they_can_be():
    z = np.array([0.0, 1, 5])
    assert _representatives(z, np.array([2.0, 1, 3]), 100).tolist() == [0, 0, 1, 5, 5, 5]
    assert _representatives(z, np.array([0.2, 0.15, 0.25]), 100).tolist() == [0, 1, 5]
    many = _representatives(np.arange(1000.0), np.ones(1000), 10)
    assert many.tolist() == list(range(50, 1000, 100))


def test_scale_and_origin_do_not_matter():
    rng = np.random.default_rng(4)
    scores, y = rng.normal(size=50), np.arange(50) % 2
    probes = np.linspace(-2, 2, 9)
    plain = DPMCalibrator(transform=None).fit(scores, y).predict_proba(probes)
    moved = (
        DPMCalibrator(transform=None)
        .fit(2.0**20 * scores + 4, y)
        .predict_proba(2.0**20 * probes + 4)
    )
    np.testing.assert_allclose(moved, plain, atol=1e-6)


def test_equal_scores_leave_the_share():
    calibrator = DPMCalibrator(transform=None).fit([2.0] * 5, [0, 1, 1, 1, 1])
    np.testing.assert_allclose(calibrator.predict_proba([2, 3, -1e9])[:, 1], 0.8, atol=1e-12)


def test_one_sample_of_a_class_and_far_scores():
    calibrator = DPMCalibrator(transform=None).fit(np.arange(10.0), np.arange(10) == 9)
    p = calibrator.predict_proba([0.0, 9.0, 1e300, -1e300])[:, 1]
    assert ((p > 0) & (p < 1)).all()
    assert p[1] > p[0]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_components", [0]),
        ("max_points", [1]),
        ("concentration", [0, -1, float("inf")]),
        ("random_state", [-1]),
    ],
)
def test_wrong_parameters_are_refused(name, values):
    for value in values:
        with pytest.raises(ValueError, match=name):
            DPMCalibrator(**{name: value}).fit([0, 1], [0, 1])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_components", [2.5, True, "3"]),
        ("max_points", [None]),
        ("concentration", ["1", True]),
        ("random_state", ["seed", 0.5]),
    ],
)
def test_parameters_of_a_wrong_kind_are_refused(name, values):
    for value in values:
        with pytest.raises(TypeError, match=f"{name} is .*, expected"):
            DPMCalibrator(**{name: value}).fit([0, 1], [0, 1])


def test_damaged_data_are_refused():
    data = DPMCalibrator(transform=None).fit(np.arange(10.0), np.arange(10) % 2).to_dict()
    data["state"]["scales_"]["positive"][0] = -1.0
    with pytest.raises(ValueError, match=r"state scales_\.positive holds -1, expected"):
        DPMCalibrator.from_dict(data)


def test_no_score_is_too_far_for_narrow_components():
    calibrator = DPMCalibrator(transform=None).fit([0.0, 0.01, 1.0, 1.01], [0, 0, 1, 1])
    p = calibrator.predict_proba([-1e308, 1e308])
    assert ((p >= 0) & (p <= 1)).all()
