"""The maps: probabilities, scores that ascend, and truths that follow from their making."""

import numpy as np
import pytest
from scipy.stats import norm

from examples.studies.automatic.maps import CHOSEN, HELD_BACK, MAPS
from tests.support.each import each

FALLING = {"U", "five scores", "two variances", "sine"}


@each("name", MAPS)
def test_scores_ascend_and_probabilities_are_probabilities(name):
    at = MAPS[name].quantiles(4000)
    p = MAPS[name].probability(at)
    assert np.isfinite(at).all()
    assert (np.diff(at) >= 0).all()
    assert ((p > 0) & (p < 1)).all()
    assert MAPS[name].bounded == (at.min() >= 0 and at.max() <= 1)
    assert (np.diff(p) < -1e-12).any() == (name in FALLING)


@each("name", MAPS)
def test_a_draw_has_both_classes_and_the_prevalence_of_the_map(name):
    simulated = MAPS[name]
    scores, y = simulated.draw(20_000, np.random.default_rng(0))
    p = simulated.probability(simulated.quantiles(4000))
    assert y.mean() == pytest.approx(p.mean(), abs=4 * np.sqrt(p.mean() / 20_000))
    assert np.median(scores) == pytest.approx(np.median(simulated.quantiles(4000)), abs=0.1)
    _, few = simulated.draw(3, np.random.default_rng(1))
    assert set(few.tolist()) == {0, 1}


@pytest.mark.parametrize(("name", "deviation"), [("sigmoid", 1.0), ("two variances", 2.0)])
def test_two_normals_have_the_probability_of_bayes_theorem(name, deviation):
    at = MAPS[name].quantiles(999)
    positive, negative = norm.pdf(at, 1, deviation), norm.pdf(at, -1, 1)
    found = MAPS[name].probability(at)
    assert found == pytest.approx(positive / (positive + negative), abs=1e-12)
    levels = (norm.cdf(at, 1, deviation) + norm.cdf(at, -1, 1)) / 2
    assert levels == pytest.approx((np.arange(999) + 0.5) / 999, abs=1e-5)


def test_maps_are_what_the_page_says():
    assert len(CHOSEN) == len(HELD_BACK) == 10
    assert not CHOSEN.keys() & HELD_BACK.keys()
    p = {name: one.probability(one.quantiles(20_000)) for name, one in MAPS.items()}
    assert p["rare class"].mean() == pytest.approx(0.02, abs=0.01)
    assert p["rare steps"].mean() == pytest.approx(0.0098, abs=1e-6)  # 0.9 * 0.002 + 0.1 * 0.08
    assert p["waves"].mean() == pytest.approx(0.5, abs=1e-6)
    assert len(np.unique(MAPS["five scores"].quantiles(100))) == 5
    assert len(np.unique(MAPS["ten votes"].quantiles(4000))) == 11
    for name in ("votes", "naive Bayes"):
        _, counts = np.unique(MAPS[name].quantiles(20_000)[[0, -1]], return_counts=True)
        assert counts.tolist() == [1, 1]
    assert MAPS["votes"].quantiles(100)[[0, -1]].tolist() == [0, 1]
