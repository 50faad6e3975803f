"""Logarithmic pooling: the optimum, its covariance, left-out samples, and the average."""

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, softmax

from evical.fusion import _log_pool
from evical.fusion._log_pool import (
    Labeled,
    LogPool,
    _by_class,
    _convex_weights,
    _left_out,
    _mean,
    _Prior,
    _tied,
    _untied,
    fit_pool,
)
from tests.naive import pooling as naive


def sample(n=40, k=3, s=2, seed=0, counts=None):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % k)
    evidence = rng.normal(size=(n, k, s)) + np.eye(k)[codes][:, :, None] * np.linspace(2, 0, s)
    evidence -= evidence.mean(axis=1, keepdims=True)
    weight = np.ones(n) if counts is None else rng.choice(counts, size=n)
    return Labeled(evidence, codes, weight)


def loss_of(data, prior, precision, apart=None):
    """The naive loss as a function of flat coefficients."""
    _, k, s = data.evidence.shape
    samples = data.evidence.transpose(0, 2, 1).tolist()

    def loss(x):
        if apart is None:
            weights, intercepts = [[w] * k for w in x[:s]], list(x[s:])
        else:
            table = np.reshape(x, (k, s + 1))
            weights, intercepts = table[:, :s].T.tolist(), table[:, s].tolist()
        return naive.penalized_loss(
            samples, data.codes, data.counts, weights, intercepts, prior, precision, apart
        )

    return loss


def tied(data, prior, precision):
    return _tied(data, [_Prior(prior, precision)])[0]


def flat(pool):
    if pool.weights.ndim == 1:
        return np.concatenate([pool.weights, pool.intercepts])
    return np.column_stack([pool.weights, pool.intercepts]).ravel()


def curvature(loss, x, h=1e-3):
    size = len(x)
    found = np.empty((size, size))
    for i, e in enumerate(np.eye(size) * h):
        for j, f in enumerate(np.eye(size) * h):
            corners = (a * b * loss(x + a * e + b * f) for a in (1, -1) for b in (1, -1))
            found[i, j] = sum(corners) / (4 * h * h)
    return found


@pytest.mark.parametrize("counts", [None, (0.5, 1.0, 3.0)])
@pytest.mark.parametrize(("k", "precision"), [(2, 1.0), (3, 30.0)])
def test_common_weights_are_the_optimum(k, precision, counts):
    data, prior = sample(k=k, counts=counts), np.array([0.7, 0.3])
    pool, loss = tied(data, prior, precision), loss_of(data, prior, precision)
    general = minimize(loss, np.zeros(2 + k), method="BFGS", options={"gtol": 1e-8})
    assert loss(flat(pool)) <= general.fun + 1e-9
    np.testing.assert_allclose(flat(pool), general.x, atol=1e-4)
    np.testing.assert_allclose(
        pool.covariance @ curvature(loss, flat(pool)), np.eye(2 + k), atol=1e-3
    )


@pytest.mark.parametrize("cells", [1, 500, 1 << 16])
def test_priors_at_once_are_one_by_one(monkeypatch, cells):
    """Whether all fit into one batch, some, or one."""
    data = sample(k=3, counts=(0.5, 1.0, 3.0))
    priors = [
        _Prior(np.array([w, 1 - w]), precision) for w, precision in [(0.7, 1), (0, 30), (1, 9)]
    ]
    alone = [tied(data, prior.mean, prior.precision) for prior in priors]
    monkeypatch.setattr(_log_pool, "_BATCH", cells)
    for one, other in zip(_tied(data, priors), alone, strict=True):
        np.testing.assert_allclose(flat(one), flat(other), atol=1e-9)
        np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-9)


def test_weights_by_class_are_the_optimum():
    data, prior = sample(seed=1), np.array([0.5, 0.5])
    start = tied(data, prior, 3.0)
    pool, loss = _by_class(data, start, prior, 3.0, 10.0), loss_of(data, prior, 3.0, 10.0)
    general = minimize(loss, np.zeros(9), method="BFGS", options={"gtol": 1e-8})
    assert loss(flat(pool)) <= general.fun + 1e-9
    np.testing.assert_allclose(flat(pool), general.x, atol=1e-4)
    np.testing.assert_allclose(pool.covariance @ curvature(loss, flat(pool)), np.eye(9), atol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_convex_weights_are_the_best_of_a_grid(seed):
    """With an adversary among three sources, whose weight is 0."""
    rng = np.random.default_rng(seed)
    data = sample(n=15, k=3, s=3, seed=seed, counts=(0.5, 1.0, 2.0))
    data.evidence[:, :, rng.integers(0, 3)] *= -1
    shares = rng.dirichlet([2, 2, 2])
    samples = data.evidence.transpose(0, 2, 1).tolist()
    expected = naive.best_convex(samples, data.codes, data.counts, shares, 1.0, 50)
    found = _convex_weights(data, shares)
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0
    np.testing.assert_allclose(found, expected, atol=0.0101)


def test_convex_weights_share_what_copies_say():
    data = sample(n=60, k=4, s=2, seed=1)
    copied = data._replace(evidence=data.evidence[:, :, [0, 1, 0]])
    found = _convex_weights(copied, np.full(3, 1 / 3))
    assert found[0] == pytest.approx(found[2])
    alone = _convex_weights(data, np.array([2 / 3, 1 / 3]))
    np.testing.assert_allclose([2 * found[0], found[1]], alone, atol=0.02)


@pytest.mark.parametrize("by_class", [False, True])
def test_left_out_is_near_refits_without_each_sample(by_class):
    data, prior = sample(n=60, seed=2), np.array([0.5, 0.5])
    start = tied(data, prior, 10.0)

    def fit(part):
        return _by_class(part, start, prior, 10.0, 3.0) if by_class else tied(part, prior, 10.0)

    exact = 0.0
    for i in range(60):
        rest = np.arange(60) != i
        pool = fit(Labeled(*(a[rest] for a in data)))
        eta = pool.logits(data.evidence[i : i + 1])[0]
        exact += eta[data.codes[i]] - logsumexp(eta)
    pool = fit(data)
    eta = pool.logits(data.evidence)
    seen = (eta[np.arange(60), data.codes] - logsumexp(eta, axis=1)).sum()
    assert _left_out([pool], data)[0] == pytest.approx(exact, abs=0.05 * abs(exact - seen))


@pytest.mark.parametrize("k", [2, 3])
def test_filled_samples_count_as_far_as_complete_ones_let_them(k):
    """Pools learned from them too compete with others, by complete samples that are left out."""
    data, prior = sample(n=90, k=k, seed=3), np.array([0.5, 0.5])
    filled = np.arange(90) % 3 == 0
    rest = data.part(~filled)
    pool = fit_pool(data, prior, 3.0, filled)
    ways = [tied(rest, prior, 3.0), tied(data, prior, 3.0)]
    scores = _left_out(ways, rest)
    if k == 3:
        best = ways[int(np.argmax(scores))]
        learned = data if best is ways[1] else rest
        apart = [_by_class(learned, best, prior, 3.0, a) for a in _log_pool._APART]
        ways = [_untied(one) for one in ways] + apart
        scores += _left_out(apart, rest)
    weights = softmax(scores)
    expected = _mean(ways, weights)
    np.testing.assert_allclose(flat(pool), flat(expected), atol=1e-9)
    np.testing.assert_allclose(pool.covariance, expected.covariance, atol=1e-9)
    share = weights[1:].sum() if k == 2 or learned is data else weights[1]
    assert pool.filled == pytest.approx(share)
    assert fit_pool(data, prior, 3.0, np.zeros(90, dtype=bool)).filled == 0


def test_a_weight_of_two_is_two_samples():
    data = sample(n=30)
    twice = Labeled(*(np.concatenate([a, a]) for a in data))
    heavy = data._replace(counts=2 * data.counts)
    one, other = (fit_pool(part, np.array([0.5, 0.5])) for part in (heavy, twice))
    np.testing.assert_allclose(flat(one), flat(other), atol=1e-8)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-8)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_log_odds_and_their_error(k):
    """The delta method, by differences of the logits along directions of the covariance."""
    data, prior = sample(k=k, s=3, seed=3), np.full(3, 1 / 3)
    pool = fit_pool(data, prior)
    (p, odds), error = pool.log_odds(data.evidence), pool.errors(data.evidence)
    np.testing.assert_allclose(p, softmax(pool.logits(data.evidence), axis=1), atol=1e-12)
    np.testing.assert_allclose(odds, np.log(p) - np.log1p(-p), atol=1e-7)
    values, vectors = np.linalg.eigh(pool.covariance)
    variance, h = np.zeros_like(p), 1e-5
    for value, vector in zip(values, vectors.T, strict=True):
        sides = []
        for sign in (1, -1):
            x = flat(pool) + sign * h * vector
            moved = _shaped(x, pool)
            sides.append(moved.log_odds(data.evidence)[1])
        variance += max(value, 0) * ((sides[0] - sides[1]) / (2 * h)) ** 2
    np.testing.assert_allclose(error, np.sqrt(variance), rtol=1e-4)


def _shaped(x, pool):
    k = len(pool.intercepts)
    if pool.weights.ndim == 1:
        return LogPool(x[:-k], x[-k:], pool.covariance)
    table = x.reshape(k, -1)
    return LogPool(table[:, :-1], table[:, -1], pool.covariance)


def test_errors_near_certainty_lose_no_digits():
    """Of two classes, the error of the log-odds is a norm in the evidence, however sure."""
    pool = LogPool(np.array([1.0]), np.zeros(2), np.diag([0.04, 0.0, 0.0]))
    x = np.array([[[-20.0], [20.0]], [[1.0], [-1.0]], [[-500.0], [500.0]]])
    odds, error = pool.log_odds(x)[1], pool.errors(x)
    np.testing.assert_allclose(odds[:, 1], [40.0, -2.0, 1000.0], rtol=1e-12)
    np.testing.assert_allclose(error, 0.2 * np.abs(odds), rtol=1e-12)


def test_the_same_pool_with_weights_by_class():
    data = sample()
    pool = tied(data, np.array([0.5, 0.5]), 3.0)
    apart = _untied(pool)
    for one, other in zip(
        (*pool.log_odds(data.evidence), pool.errors(data.evidence)),
        (*apart.log_odds(data.evidence), apart.errors(data.evidence)),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("factor", [1.0, 10.0])
def test_errors_near_certainty_are_those_of_many_digits(factor):
    """The delta method in 60 digits, of a class with probability 1 - 1e-27 too."""
    data = sample(n=200, k=6, s=2)
    pool = tied(data, np.array([0.5, 0.5]), 3.0)
    says = factor * data.evidence[12:14]
    found = pool.errors(says), _untied(pool).errors(says)
    with mp.workdps(60):
        covariance = mp.matrix(pool.covariance.tolist())
        for row, one in enumerate(says):
            terms = [[*map(mp.mpf, line), 1] for line in one.tolist()]
            power = [
                mp.exp(mp.fdot(line, [*pool.weights.tolist(), b]))
                for line, b in zip(terms, pool.intercepts.tolist(), strict=True)
            ]
            p = [x / sum(power) for x in power]
            for k in range(6):
                u = [(i == k) - q for i, q in enumerate(p)]
                ahead = [sum(u[i] * terms[i][s] for i in range(6)) for s in range(2)]
                moved = mp.matrix([*ahead, *u])
                wanted = mp.sqrt((moved.T * covariance * moved)[0]) / (1 - p[k])
                for ours in found:
                    assert ours[row, k] == pytest.approx(float(wanted), rel=1e-9)


@pytest.mark.parametrize(("k", "by_class"), [(3, False), (3, True), (40, False)])
def test_left_out_samples_are_newton_steps_away(k, by_class):
    """Against the step in coefficients, with the matrices of each sample."""
    data, prior = sample(n=120, k=k, seed=2, counts=(0.0, 0.5, 1.0, 3.0)), np.array([0.5, 0.5])
    pool = tied(data, prior, 3.0)
    if by_class:
        pool = _by_class(data, pool, prior, 3.0, 1.0)
    total, information = 0.0, np.linalg.inv(pool.covariance)
    for says, code, count in zip(*data, strict=True):
        if by_class:
            slopes = np.einsum("ij,jm->ijm", np.eye(k), np.column_stack([says, np.ones(k)]))
            slopes = slopes.reshape(k, -1)
        else:
            slopes = np.hstack([says, np.eye(k)])
        p, unit = softmax(slopes @ flat(pool)), min(count, 1.0)
        curved = unit * slopes.T @ (np.diag(p) - np.outer(p, p)) @ slopes
        step = np.linalg.solve(information - curved, unit * slopes.T @ (p - np.eye(k)[code]))
        eta = slopes @ (flat(pool) + step)
        total += count * (eta[code] - logsumexp(eta))
    assert _left_out([pool], data)[0] == pytest.approx(total, abs=1e-8)


def test_the_average_has_what_pools_disagree_on():
    pools = [LogPool(np.array([w]), np.zeros(2), np.eye(3)) for w in (0.0, 2.0)]
    mean = _mean(pools, np.array([0.25, 0.75]))
    assert mean.weights.tolist() == [1.5]
    assert mean.covariance[0, 0] == pytest.approx(1 + 0.25 * 1.5**2 + 0.75 * 0.5**2)


def test_shrinkage_is_learned():
    """Ten equal sources share one weight; of ten with one good one, that has it all."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 400)
    signal = np.where(codes, 1.0, -1.0)[:, None] + rng.normal(size=(400, 1))
    equal = np.repeat(signal, 10, axis=1) + rng.normal(size=(400, 10))
    one = np.hstack([signal, rng.normal(size=(400, 9))])
    pools = [
        fit_pool(Labeled(np.stack([-x, x], axis=1), codes, np.ones(400)), np.full(10, 0.1))
        for x in (equal, one)
    ]
    assert np.ptp(pools[0].weights) < 0.15
    assert pools[1].weights[0] > 5 * np.abs(pools[1].weights[1:]).max()


def test_hundreds_of_coefficients_are_tied():
    assert fit_pool(sample(n=300, k=30, s=15), np.full(15, 1 / 15)).weights.shape == (15,)
    assert fit_pool(sample(n=300, k=4, s=3), np.full(3, 1 / 3)).weights.shape == (4, 3)


def test_order_of_classes_and_sources_does_not_matter():
    data, prior = sample(k=3, s=3, seed=5), np.array([0.5, 0.3, 0.2])
    pool = fit_pool(data, prior)
    order, turn = np.array([2, 0, 1]), np.array([1, 2, 0])
    other = Labeled(data.evidence[:, order][:, :, turn], np.argsort(order)[data.codes], data.counts)
    moved = fit_pool(other, prior[turn])
    np.testing.assert_allclose(moved.weights, pool.weights[order][:, turn], atol=1e-7)


def test_no_evidence_leaves_the_shares_of_the_classes():
    codes = np.repeat([0, 1], [300, 100])
    pool = fit_pool(Labeled(np.zeros((400, 2, 2)), codes, np.ones(400)), np.array([0.5, 0.5]))
    p, _ = pool.log_odds(np.zeros((1, 2, 2)))
    assert p[0, 1] == pytest.approx(0.25, abs=0.03)
    assert expit(pool.intercepts[1] - pool.intercepts[0]) == pytest.approx(p[0, 1])
