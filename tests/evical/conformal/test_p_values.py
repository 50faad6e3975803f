"""Conformal p-values equal their definition exactly, and keep their promise."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.conformal import p_values
from tests.evical.conformal.samples import class_p_values, group_p_values
from tests.naive import conformal as naive
from tests.support.each import each

scores = st.integers(0, 6)
weights = st.integers(0, 4)


@given(st.lists(scores, max_size=9), st.lists(scores, min_size=1, max_size=5))
def test_counts_of_samples(calibration, new):
    found = p_values(calibration, new)
    assert found.tolist() == [float(naive.p_value(calibration, s)) for s in new]


@given(
    st.lists(st.tuples(scores, weights), max_size=9),
    st.lists(st.tuples(scores, weights, st.integers(0, 8)), min_size=1, max_size=5),
)
def test_weights_and_smoothing(calibration, new):
    values, amounts = (
        (list(part) for part in zip(*calibration, strict=True)) if (calibration) else ([], [])
    )
    if not sum(amounts):
        amounts = [1] * len(values)
    ours, own, tau = (list(part) for part in zip(*new, strict=True))
    found = p_values(values, ours, weights=amounts, new_weights=own)
    assert found.tolist() == [
        float(naive.p_value(values, s, amounts, w)) for s, w in zip(ours, own, strict=True)
    ]
    smooth = p_values(values, ours, weights=amounts, new_weights=own, tau=np.array(tau) / 8)
    assert smooth.tolist() == [
        float(naive.p_value(values, s, amounts, w, Fraction(t, 8)))
        for s, w, t in zip(ours, own, tau, strict=True)
    ]


@given(st.lists(st.tuples(scores, st.integers(1, 3)), min_size=1, max_size=8))
def test_a_weight_counts_samples(pairs):
    values, amounts = (list(part) for part in zip(*pairs, strict=True))
    repeated = np.repeat(values, amounts)
    new = np.arange(-1, 8)
    np.testing.assert_array_equal(p_values(values, new, weights=amounts), p_values(repeated, new))


@given(st.lists(st.tuples(scores, st.integers(0, 2)), min_size=1, max_size=9))
def test_classes_and_groups(pairs):
    values, labels = (list(part) for part in zip(*pairs, strict=True))
    new = np.array([[0, 3, 5], [6, 1, 2]])
    found = class_p_values(values, labels, new)
    wanted = [naive.class_p_values(values, labels, row) for row in new.tolist()]
    assert found.tolist() == [[float(p) for p in row] for row in wanted]
    # In the group of a class, its column is compared with the same samples.
    for k in range(3):
        grouped = group_p_values(values, labels, new, [k, k])
        np.testing.assert_array_equal(grouped[:, k], found[:, k])


def test_weights_of_classes_and_groups():
    values, labels, amounts = [1, 2, 3, 4], [0, 1, 0, 1], [1, 2, 3, 0]
    new = [[2.0, 2.0]]
    assert class_p_values(values, labels, new, weights=amounts).tolist() == [[4 / 5, 1.0]]
    assert group_p_values(values, labels, new, [1], weights=amounts).tolist() == [[1.0, 1.0]]
    smooth = group_p_values(values, labels, new, [1], weights=amounts, tau=[0.5])
    assert smooth.tolist() == [[0.5, 0.5]]


def test_no_calibration_samples_exclude_nothing():
    assert p_values([], [[1.0, 2.0]]).tolist() == [[1.0, 1.0]]
    assert p_values([], [1.0], new_weights=0).tolist() == [1.0]
    assert class_p_values([1.0], [0], [[2.0, 2.0]]).tolist() == [[0.5, 1.0]]
    assert class_p_values([], [], [[2.0, 2.0]]).tolist() == [[1.0, 1.0]]


def test_infinite_scores_are_ranked():
    assert p_values([0.0, np.inf], [-np.inf, 1.0, np.inf]).tolist() == [1.0, 2 / 3, 2 / 3]


def test_no_p_value_is_above_one():
    weights = np.random.default_rng(0).exponential(size=1000)
    found = p_values(np.arange(1000.0), [-1.0] * 100, weights=weights, new_weights=weights[:100])
    assert (found == 1).all()


@pytest.mark.parametrize("n", [1, 4, 19])
def test_smoothed_p_values_are_uniform_whatever_the_ties(n):
    """Exact: the mean over all orders of n + 1 samples and over tau is the uniform law."""
    samples = [0, 0, 1, 2, 2, 2, 3][: n + 1] if n < 7 else list(range(5)) * 4
    taus = (np.arange(50) + 0.5) / 50
    p = np.concatenate(
        [
            p_values(samples[:i] + samples[i + 1 :], [s] * 50, tau=taus)
            for i, s in enumerate(samples)
        ]
    )
    for alpha in (0.1, 0.2, 0.5, 0.9):
        assert (p <= alpha).mean() == pytest.approx(alpha, abs=0.01)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1, 0.2])
def test_the_promise_holds_for_every_sample(alpha):
    """Of n + 1 exchangeable samples, at most a share alpha is rejected: no chance is involved."""
    rng = np.random.default_rng(0)
    for n in (3, 10, 99):
        for values in (rng.normal(size=n + 1), rng.integers(0, 4, size=n + 1)):
            left_out = [np.delete(values, i) for i in range(n + 1)]
            p = [p_values(rest, [s])[0] for rest, s in zip(left_out, values, strict=True)]
            assert np.mean(np.array(p) <= alpha) <= alpha


def test_weighted_p_values_hold_under_covariate_shift():
    """Tibshirani et al. (2019); without weights the promise breaks."""
    rng = np.random.default_rng(3)
    n, m, repeats, alpha = 200, 200, 40, 0.1
    weighted, plain = [], []
    for _ in range(repeats):
        x, new = rng.normal(size=n), rng.normal(1, 1, size=m)
        score, strange = (np.abs(rng.normal(size=len(v))) * np.exp(v) for v in (x, new))
        ratio, new_ratio = np.exp(x - 0.5), np.exp(new - 0.5)
        p = p_values(score, strange, weights=ratio, new_weights=new_ratio)
        weighted.append(np.mean(p <= alpha))
        plain.append(np.mean(p_values(score, strange) <= alpha))
    spread = np.std(weighted, ddof=1) / np.sqrt(repeats)
    assert np.mean(weighted) <= alpha + 3 * spread
    assert np.mean(plain) > 2 * alpha


@each(
    ("call", "message"),
    [
        (lambda: p_values([[1.0]], [1.0]), r"calibration has shape \(1, 1\), expected \(n,\)"),
        (lambda: p_values([1.0, np.nan], [1.0]), r"calibration\[1\] is nan"),
        (lambda: p_values([1.0], [[np.nan, 1.0]]), r"scores\[0, 0\] is nan"),
        (lambda: p_values([1.0], 1.0), r"scores have shape \(\), expected \(m, K\) or \(m,\)"),
        (lambda: p_values([1.0], [1.0], weights=[-1]), r"weights\[0\] is -1.0"),
        (lambda: p_values([1.0], [1.0], weights=[1, 2]), r"weights has shape \(2,\)"),
        (lambda: p_values([1.0], [1.0], new_weights=[1, 2]), r"new_weights have shape \(2,\)"),
        (lambda: p_values([1.0], [1.0], new_weights=-1), "new_weights is -1.0, expected a finite"),
        (lambda: p_values([1.0], [1.0], tau=[2]), r"tau\[0\] is 2.0, expected a number in \[0"),
        (lambda: p_values([1.0], [1.0], tau=0.5), r"tau has shape \(\), expected \(1,\)"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
