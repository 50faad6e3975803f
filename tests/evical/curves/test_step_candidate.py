"""Steps: equal to the list of all binnings; cuts of large samples are found to the sample."""

import numpy as np
import pytest
from scipy.special import expit

from evical.curves.automatic import automatic_curve, coarse_steps, finer_steps
from evical.scores import ScoreCounts
from tests.naive.averaging import step_left_out, step_probability
from tests.support.each import each


def fit_steps(counts):
    return finer_steps(counts, coarse_steps(counts))


def prior_of(counts):
    rate = (counts.n_positive + 1) / (counts.n_positive + counts.n_negative + 2)
    return max(rate, 0.05), max(1 - rate, 0.05)


@each("seed", range(6))
def test_probabilities_and_left_out_samples_equal_the_list_of_all_binnings(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 7, 20)
    counts = ScoreCounts.from_samples(scores, np.append([0, 1], rng.integers(0, 2, 18)))
    groups = list(zip(counts.negative.astype(int), counts.positive.astype(int), strict=True))
    steps = fit_steps(counts)
    expected = [step_probability(groups, i, prior_of(counts)) for i in range(len(groups))]
    np.testing.assert_allclose(steps.moments[0], expected, rtol=1e-12)
    assert steps.left_out == pytest.approx(step_left_out(groups, prior_of(counts)), rel=1e-12)


def test_log_odds_have_the_moments_of_the_beta_distribution():
    counts = ScoreCounts.from_samples([1.0] * 10, [0, 1, 1, 1, 1, 1, 1, 0, 0, 1])
    a, b = prior_of(counts)
    draws = np.random.default_rng(0).beta(7 + a, 3 + b, 400_000)
    level = np.log(draws) - np.log1p(-draws)
    _, mean, square = fit_steps(counts).moments[:, 0]
    assert mean == pytest.approx(level.mean(), abs=4e-3)
    assert square - mean**2 == pytest.approx(level.var(), abs=8e-3)


def test_a_bin_without_a_class_is_known_to_have_few_of_it():
    counts = ScoreCounts.from_samples(np.arange(200), np.arange(200) >= 190)
    found = fit_steps(counts).candidate(1.0, np.array([95.0]))
    assert expit(found.log_odds + 2 * np.sqrt(found.variance)) < 0.2  # without a floor 1


def test_a_weight_of_two_is_two_samples():
    scores, y = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0, 1, 0, 1])
    once = fit_steps(ScoreCounts.from_samples(scores, y, [2, 1, 1, 2]))
    twice = fit_steps(ScoreCounts.from_samples(scores[[0, 0, 1, 2, 3, 3]], y[[0, 0, 1, 2, 3, 3]]))
    np.testing.assert_allclose(once.moments, twice.moments, rtol=1e-13)
    assert once.left_out == pytest.approx(twice.left_out, rel=1e-13)


def test_a_cut_of_many_samples_is_found_within_few_of_them():
    rng = np.random.default_rng(1)
    scores = np.sort(rng.random(200_000))
    y = rng.random(len(scores)) < np.where(np.arange(len(scores)) < 77_777, 0.2, 0.6)
    steps = fit_steps(ScoreCounts.from_samples(scores, y))
    cut = steps.starts[1:][np.argmax(steps.cuts[1:])]
    assert abs(np.searchsorted(scores, cut) - 77_777) < 100
    found = steps.candidate(1.0, scores[[70_000, 85_000]])
    np.testing.assert_allclose(found.probability, [0.2, 0.6], atol=0.01)


def test_cuts_within_a_group_are_found():
    scores = np.sort(np.random.default_rng(1).random(20_000))
    sharp = ScoreCounts.from_samples(scores, np.arange(20_000) >= 7_777)
    steps = fit_steps(sharp)
    assert steps.starts[1:][np.argmax(steps.cuts[1:])] == scores[7_777]
    assert steps.left_out > coarse_steps(sharp).left_out + 100


def test_a_bump_within_a_group_counts_beside_smooth_curves():
    """Two cuts in one group of 312 samples; by one cut there is little to gain."""
    rng = np.random.default_rng(0)
    scores = np.sort(rng.normal(size=20_000))
    truth = 0.02 + 0.3 / (1 + np.exp(-scores))
    truth[9_900:9_960] = 0.97
    counts = ScoreCounts.from_samples(scores, rng.random(20_000) < truth)
    curve = automatic_curve(counts)
    assert np.interp(scores[9_910:9_950], curve.scores, curve.probability).mean() > 0.8


def test_many_certain_cuts_between_repeated_scores_are_found():
    scores = np.repeat(np.arange(120), 100)
    truth = np.where(scores // 5 % 2, 0.95, 0.05)
    y = np.random.default_rng(0).random(len(scores)) < truth
    steps = fit_steps(ScoreCounts.from_samples(scores, y))
    assert np.abs(steps.at(scores)[0] - truth).mean() < 0.012


def test_one_score_has_the_posterior_of_its_share():
    counts = ScoreCounts.from_samples([3.0, 3.0, 3.0], [0, 1, 1])
    a, b = prior_of(counts)
    assert fit_steps(counts).moments[0, 0] == pytest.approx((2 + a) / (3 + a + b))
