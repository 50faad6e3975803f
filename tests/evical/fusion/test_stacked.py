"""Stacked: the optimum, belief and plausibility by quadrature, laws, and honesty."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from dstheory import Frame, MassFunction, betp, dempster
from evical.fusion import Stacked
from evical.fusion._pooling import Bend, Pool
from evical.metrics import belief_coverage, brier_score
from evical.multiclass import column_evidence
from tests.evical.fusion.samples import sources


def log_odds(masses, k=1):
    """Less those of a vacuous source."""
    n_classes = len(masses[0].frame)
    return np.stack([logit(betp(m)[:, k]) - logit(1 / n_classes) for m in masses], axis=1)


def penalized_loss(coefficients, x, positive, default, penalty):
    """The objective of the docstring, written out."""
    *weights, bend, intercept = coefficients
    total = x @ default
    bent = np.tanh((total - total.mean()) / total.std())
    p = expit(x @ np.array(weights) + bend * bent + intercept)
    likelihood = np.where(positive, p, 1 - p)
    distance = ((np.array(weights) - default) ** 2).sum() + bend**2
    return -np.log(likelihood).sum() + penalty / 2 * distance


@pytest.mark.parametrize("penalty", [0.1, 1, 10])
@pytest.mark.parametrize("seed", range(3))
def test_coefficients_are_the_optimum(penalty, seed):
    masses, y = sources(seed=seed)
    fusion = Stacked(penalty).fit(masses, y, [4, 2, 1])
    arguments = (log_odds(masses), y == "bee", np.array([1, 0.5, 0.25]), penalty)
    coefficients = np.append(fusion.weights_, [fusion.bend_, fusion.intercept_])
    bounds = [(0, None)] * 3 + [(None, None)] * 2
    general = minimize(
        penalized_loss, np.ones(5), args=arguments, method="SLSQP", bounds=bounds, tol=1e-12
    )
    assert penalized_loss(coefficients, *arguments) <= general.fun + 1e-6
    np.testing.assert_allclose(coefficients, general.x, atol=1e-3)


def test_covariance_is_the_inverse_of_the_curvature():
    masses, y = sources()
    fusion = Stacked().fit(masses, y)
    (pool,) = fusion.pools_
    arguments = (log_odds(masses), y == "bee", np.ones(3), 1.0)
    h = 1e-4
    curvature = np.empty((5, 5))
    for i, e in enumerate(np.eye(5) * h):
        for j, f in enumerate(np.eye(5) * h):
            corners = (
                s * t * penalized_loss(pool.coefficients + s * e + t * f, *arguments)
                for s in (1, -1)
                for t in (1, -1)
            )
            curvature[i, j] = sum(corners) / (4 * h * h)
    np.testing.assert_allclose(pool.covariance @ curvature, np.eye(5), atol=1e-3)


@pytest.mark.parametrize("top", [-12.0, -1.0, 0.0, 0.7, 5.0])
@pytest.mark.parametrize("error", [0.0, 0.1, 1.0, 4.0])
def test_belief_is_the_mean_over_level_sets(top, error):
    """Bel is the mean of the least probability on the level sets, Pl of the greatest."""
    bend = Bend(np.array([0.0]), 0.0, 1.0)
    pool = Pool(bend, np.array([0.0, 0.0, top]), np.diag([0.0, 0.0, error**2]))
    doubt, bel, either = pool.masses(np.zeros((1, 1)))[:, 0]

    def level(distance, sign):
        return distance * np.exp(-(distance**2) / 2) * expit(top + sign * distance * error)

    low, high = (quad(level, 0, 12, args=(sign,), epsabs=1e-13)[0] for sign in (-1, 1))
    assert bel == pytest.approx(low, abs=2e-7)
    assert 1 - doubt == pytest.approx(high, abs=2e-7)
    assert doubt + bel + either == pytest.approx(1, abs=1e-12)


def test_three_classes_are_stacked_one_against_the_rest():
    masses, y = sources(n_classes=3)
    fusion = Stacked().fit(masses, y)
    assert fusion.weights_.shape == (3, 3)
    assert fusion.bend_.shape == fusion.intercept_.shape == (3,)
    frame, witnesses = masses[0].frame, []
    for k, pool in enumerate(fusion.pools_):
        store = pool.masses(log_odds(masses, k))
        sides = MassFunction(Frame([0, 1]), [1, 2, 3], np.moveaxis(store, 0, -1))
        witnesses.append(column_evidence(sides, frame, np.where(np.arange(3) == k, 1, -1)))
    assert fusion(*masses).equals(dempster(*witnesses), atol=1e-9)


def test_names_of_classes_do_not_matter():
    masses, y = sources()
    swapped = [
        MassFunction(Frame(["bee", "ant"]), [1, 2, 3], m.masses[:, [1, 0, 2]]) for m in masses
    ]
    one, other = (Stacked().fit(ms, y)(*ms) for ms in (masses, swapped))
    for label in ("ant", "bee"):
        np.testing.assert_allclose(one.bel(label), other.bel(label), atol=1e-5)
        np.testing.assert_allclose(one.pl(label), other.pl(label), atol=1e-5)


def test_large_penalty_weighs_sources_by_size():
    masses, y = sources(ignorance=0.0)
    fusion = Stacked(1e9).fit(masses, y, [2, 2, 1])
    np.testing.assert_allclose(fusion.weights_, [1, 1, 0.5], atol=1e-6)
    assert abs(fusion.bend_) < 1e-6


def test_log_odds_of_equal_probabilities_add_up_as_by_dempsters_rule():
    masses, y = sources(ignorance=0.0)
    fusion = Stacked(1e9).fit(masses, y)
    together = log_odds(masses).sum(axis=1)
    np.testing.assert_allclose(together, logit(betp(dempster(*masses))[:, 1]), atol=1e-9)
    np.testing.assert_allclose(fusion.weights_, 1, atol=1e-6)


def test_a_vacuous_source_says_nothing():
    masses, y = sources()
    nothing = MassFunction(masses[0].frame, [3], np.ones((60, 1)))
    without = Stacked().fit(masses, y)(*masses)
    assert Stacked().fit([*masses, nothing], y)(*masses, nothing).equals(without, atol=1e-6)


def test_more_samples_leave_less_open():
    widths = []
    for n in (20, 80, 320):
        masses, y = sources(n=n)
        m = Stacked().fit(masses, y)(*masses)
        widths.append((m.pl("bee") - m.bel("bee")).mean())
    assert widths[0] > widths[1] > widths[2]


def test_certain_sources_are_cut():
    frame = Frame([0, 1])
    sure = MassFunction(frame, [1, 2], [[1, 0], [0, 1]] * 10)
    m = Stacked().fit([sure] * 3, [0, 1] * 10)(*[sure] * 3)
    assert np.isfinite(m.store).all()
    assert ((m.bel(1) < 1) & (m.pl(1) > 0)).all()


def test_where_no_class_is_possible_all_are():
    frame = Frame([0, 1, 2])
    sure = MassFunction(frame, [1, 2, 4], np.repeat(np.eye(3), 50, axis=0))
    fusion = Stacked(1e-6).fit([sure] * 8, np.repeat([0, 1, 2], 50))
    odd = MassFunction(frame, [1, 2, 4], [[1 / 3, 1 / 3, 1 / 3], [1, 0, 0]])
    m = fusion(*[odd] * 8)
    np.testing.assert_allclose(m.store.sum(axis=0), 1, atol=1e-9)


def test_each_class_needs_samples():
    masses, y = sources(n_classes=3)
    rows = y != "cat"
    with pytest.raises(ValueError, match="class 'cat' is missing from y"):
        Stacked().fit([m[rows] for m in masses], y[rows])


def test_all_vacuous_sources_leave_the_share_of_the_classes():
    frame = Frame([0, 1])
    nothing = MassFunction(frame, [3], np.ones((200, 1)))
    m = Stacked().fit([nothing, nothing], [0, 0, 0, 1] * 50)(nothing, nothing)
    np.testing.assert_allclose(betp(m)[:, 1], 0.25, atol=0.01)


def test_is_honest_where_dempsters_rule_is_not():
    """Ten sources that share most of their evidence, as classifiers do."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2300)
    shared = rng.normal(size=2300) + np.where(truth == 1, 0.5, -0.5)
    frame, masses = Frame([0, 1]), []
    for _ in range(10):
        p = expit(shared + 0.3 * rng.normal(size=2300))
        masses.append(
            MassFunction(frame, [1, 2, 3], np.stack([0.9 * (1 - p), 0.9 * p, 0 * p + 0.1], 1))
        )
    held, new = ([m[part] for m in masses] for part in (slice(0, 300), slice(300, None)))
    y, y_new = truth[:300], truth[300:]
    stacked, plain = Stacked().fit(held, y)(*new), dempster(*new)
    assert belief_coverage(y_new, stacked) > 0.7
    assert belief_coverage(y_new, plain) < 0.1
    assert brier_score(y_new, betp(stacked)[:, 1]) < brier_score(y_new, betp(plain)[:, 1]) - 0.05


def test_samples_that_do_not_follow_a_sigmoid_are_bent():
    """Labels that are wrong one time in ten, whatever the score: no sigmoid of the score."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-4, 4, 1000)
    p = 0.5 + 0.4 * np.tanh(x)
    truth = (rng.uniform(size=1000) < p).astype(int)
    m = MassFunction(Frame([0, 1]), [1, 2], np.stack([expit(-x), expit(x)], 1))
    straight = LogisticRegression(C=np.inf).fit(x[:, None], truth).predict_proba(x[:, None])[:, 1]
    bent = betp(Stacked().fit([m], truth)(m))[:, 1]
    assert np.abs(bent - p).mean() < 0.7 * np.abs(straight - p).mean()


def test_a_vacuous_belief_among_three_classes_says_nothing():
    """What weight a source has does not matter where it is vacuous."""
    masses, y = sources(n_classes=3)
    nothing = MassFunction(masses[0].frame, [7], np.ones((60, 1)))
    fusion = Stacked().fit(masses, y)
    two, three = fusion(*masses[:2], nothing), fusion(*masses)
    for pool in fusion.pools_:
        pool.coefficients[2] *= 5
    assert fusion(*masses[:2], nothing).equals(two, atol=1e-12)
    assert not fusion(*masses).equals(three, atol=1e-3)


def test_equal_beliefs_have_nothing_to_bend():
    """Rounding of their mean is no spread: a belief next to them is next to theirs."""
    frame = Frame(["ant", "bee"])
    same = MassFunction(frame, [1, 2, 3], [[0.31, 0.17, 0.52]] * 7)
    near = MassFunction(frame, [1, 2, 3], [0.31, 0.1700001, 0.5199999])
    fusion = Stacked().fit([same] * 3, ["ant", "bee", "ant", "bee", "ant", "bee", "ant"])
    assert fusion(near, near, near).equals(fusion(*[same[0]] * 3), atol=1e-4)


def test_belief_and_plausibility_enclose_the_formula():
    masses, y = sources()
    fusion = Stacked().fit(masses, y, [4, 2, 1])
    x = log_odds(masses)
    total = x @ np.array([1, 0.5, 0.25])
    bent = np.tanh((total - total.mean()) / total.std())
    best = expit(fusion.intercept_ + x @ fusion.weights_ + fusion.bend_ * bent)
    m = fusion(*masses)
    assert (m.bel("bee") < best).all()
    assert (best < m.pl("bee")).all()


def test_far_from_all_samples_less_is_known():
    masses, y = sources()
    fusion = Stacked().fit(masses, y)
    m = MassFunction(masses[0].frame, [1, 2], [0.001, 0.999])
    far, near = fusion(m, ~m, ~m), fusion(*masses)
    assert far.mass(["ant", "bee"]) > near.mass(["ant", "bee"]).max()


def test_a_source_that_is_mostly_wrong_is_turned_around_by_the_bend():
    (m,), y = sources(n=200, qualities=(-1.5,))
    fusion = Stacked().fit([m], y)
    assert fusion.weights_.tolist() == [0]
    assert fusion.bend_ < -1
    assert fusion(MassFunction(m.frame, [1, 2], [0.2, 0.8])).bel("ant") > 0.5


@pytest.mark.parametrize("n", [30, 100])
def test_belief_is_near_to_that_of_the_profile_likelihood(n):
    """Eq. 22-23 of Xu et al. by maximizing the likelihood at each log-odds."""
    masses, y = sources(n=n, seed=1)
    fusion = Stacked().fit(masses, y)
    (pool,) = fusion.pools_
    x = log_odds(masses)
    arguments = (x, y == "bee", np.ones(3), 1.0)
    row = np.concatenate([x[0], pool.bend(x[:1]), [1.0]])
    top, error = row @ pool.coefficients, np.sqrt(row @ pool.covariance @ row)
    least = penalized_loss(pool.coefficients, *arguments)
    z = top + error * np.linspace(-4, 4, 25)
    bounds = [(0, None)] * 3 + [(None, None)] * 2
    contour = []
    for value in z:
        held = {"type": "eq", "fun": lambda c, value=value: row @ c - value}
        found = minimize(
            penalized_loss, pool.coefficients, arguments, "SLSQP", bounds=bounds, constraints=held
        )
        contour.append(np.exp(least - found.fun))
    t, half = expit(z), len(z) // 2
    bel = t[half] - np.trapezoid(contour[: half + 1], t[: half + 1])
    pl = t[half] + np.trapezoid(contour[half:], t[half:])
    m = fusion(*(m[0] for m in masses))
    assert m.bel("bee") == pytest.approx(bel, abs=0.05)
    assert m.pl("bee") == pytest.approx(pl, abs=0.05)
    assert m.pl("bee") - m.bel("bee") > pl - bel - 0.01


def test_too_many_classes_are_refused_before_anything_is_learned():
    frame = Frame(range(17))
    m = MassFunction(frame, [frame.full], np.ones((17, 1)))
    with pytest.raises(ValueError, match=r"there are 17 classes, but .* up to 16; take Mixture"):
        Stacked().fit([m], np.arange(17))
