"""Random splits: nothing twice, nothing lost, both classes everywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.demo.contest import SHARES, draw_halves, draw_training, share_sizes


@given(st.integers(80, 5000))
def test_share_sizes_sum_up_stay_near_the_shares_and_hold_both_classes_twice(n):
    sizes = share_sizes(n, SHARES)
    assert sum(sizes) == n
    assert min(sizes) >= 4
    if n >= 240:  # from there on no share is raised to 4
        assert all(abs(size - share * n) < 1 for size, share in zip(sizes, SHARES, strict=True))


def test_share_sizes_of_the_paper():
    # Figure 12 (c), with 300 training samples.
    assert share_sizes(300, SHARES) == [200, 60] + [5] * 8


def test_too_few_samples_to_share_are_refused():
    with pytest.raises(ValueError, match="60 training samples are too few to share among 10"):
        share_sizes(60, SHARES)


@given(st.integers(0, 2**32), st.integers(80, 400), st.floats(0.3, 0.7))
def test_halves_are_disjoint_cover_all_and_hold_both_classes(seed, n, share):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)
    sizes = share_sizes(n, SHARES)
    halves = draw_halves(y, sizes, rng)
    flat = np.concatenate([half for pair in halves for half in pair])
    assert sorted(flat.tolist()) == list(range(n))
    for (train, calibration), size in zip(halves, sizes, strict=True):
        assert (len(train), len(calibration)) == (size // 2, size - size // 2)
        assert set(y[train]) == set(y[calibration]) == {0, 1}


@given(st.integers(0, 2**32), st.integers(50, 300), st.floats(0.2, 0.8), st.integers(1, 10))
def test_training_keeps_the_class_proportions(seed, n, share, least):
    rng = np.random.default_rng(seed)
    y = rng.permutation((np.arange(n) < share * n).astype(int))
    size = n // 2
    if min(np.bincount(y)) <= least or size < 2 * least:
        with pytest.raises(ValueError, match="the classes have"):
            draw_training(y, size, least, rng)
        return
    train, test = draw_training(y, size, least, rng)
    assert sorted([*train, *test]) == list(range(n))
    assert len(train) == size
    n_positive = y[train].sum()
    assert least <= n_positive <= size - least
    assert 0 < y[test].sum() < len(test)
    if least < size * y.mean() - 1 and least < size * (1 - y.mean()) - 1:
        assert abs(n_positive - size * y.mean()) <= 1


def test_a_sample_of_each_class_is_left_for_the_test():
    # 20 of the rarer class would all go into training.
    y = np.array([1] * 20 + [0] * 280)
    with pytest.raises(ValueError, match="280 and 20 samples, but 20 of each"):
        draw_training(y, 150, 20, np.random.default_rng(0))


def test_every_sample_is_drawn_equally_often():
    # 10 of 40 samples in each of 600 splits: a share of 1/4 with standard error 0.018.
    y = np.arange(40) % 2
    drawn = np.zeros(40)
    for seed in range(600):
        rng = np.random.default_rng(seed)
        (train, _), _ = draw_halves(y, [20, 20], rng)
        drawn[train] += 1
    assert np.all(np.abs(drawn / 600 - 0.25) < 0.09)


def test_halves_need_enough_of_each_class():
    with pytest.raises(ValueError, match="each class needs 4 samples"):
        draw_halves(np.array([0] * 7 + [1]), [4, 4], np.random.default_rng(0))
