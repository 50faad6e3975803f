"""Random shares of training samples for several classifiers, each in two halves with all classes.

A calibrator needs all classes, and so does a classifier. A share of five samples drawn blindly
often lacks one, so each half of each share first gets one sample of each class.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evical._typing import Indices

Halves = list[tuple[Indices, Indices]]


def share_sizes(n_samples: int, shares: Sequence[Fraction], n_classes: int = 2) -> list[int]:
    """Whole numbers of samples, as near to the shares as the total allows.

    Parameters
    ----------
    n_samples : int
        Number of samples to share out.
    shares : sequence of Fraction
        Parts that sum to 1.
    n_classes : int

    Returns
    -------
    list of int
        Rounded by largest remainders, but at least one sample of each class in either half, which
        the largest pays for.

    Raises
    ------
    ValueError
        If that would leave the largest with less than half of its share.

    Examples
    --------
    >>> share_sizes(30, [Fraction(2, 3), Fraction(1, 3)])
    [20, 10]
    >>> share_sizes(30, [Fraction(9, 10), Fraction(1, 10)])
    [26, 4]
    """
    exact = [share * n_samples for share in shares]
    sizes = [int(size) for size in exact]
    rest = n_samples - sum(sizes)
    by_remainder = sorted(range(len(sizes)), key=lambda i: sizes[i] - exact[i])
    for i in by_remainder[:rest]:
        sizes[i] += 1
    least = 2 * n_classes
    sizes = [max(size, least) for size in sizes]
    largest = int(np.argmax(sizes))
    sizes[largest] -= sum(sizes) - n_samples
    if 2 * sizes[largest] < exact[largest]:
        raise ValueError(
            f"{n_samples} training samples are too few to share among {len(shares)} classifiers: "
            f"each needs {least}, and the largest at least half of its share; give more data"
        )
    return sizes


def draw_training(
    y: NDArray[np.intp], size: int, least: int, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Training and test samples, in random order, in the class proportions of `y`.

    At least `least` samples of each class are drawn for training, and at least one is left for the
    test.
    """
    counts = np.bincount(y)
    if min(counts) <= least or not least * len(counts) <= size <= len(y) - len(counts):
        raise ValueError(
            f"the classes have {', '.join(map(str, counts[:-1]))} and {counts[-1]} samples, but "
            f"{least} of each are needed for training (of {size} in all) and 1 for the test"
        )
    drawn = np.clip(np.rint(size * counts / len(y)).astype(int), least, counts - 1)
    while (step := np.sign(size - drawn.sum())) != 0:  # rounding and limits moved the sum
        free = drawn < counts - 1 if step > 0 else drawn > least
        drawn[np.argmax(np.where(free, step * (size * counts / len(y) - drawn), -np.inf))] += step
    order = rng.permutation(len(y))
    parts = [np.split(order[y[order] == k], [drawn[k]]) for k in reversed(range(len(counts)))]
    train, test = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    return rng.permutation(train), rng.permutation(test)


def draw_halves(y: NDArray[np.intp], sizes: Sequence[int], rng: np.random.Generator) -> Halves:
    """Share samples out at random, each share in two halves that hold all classes.

    Parameters
    ----------
    y : (n,) array of 0, 1, ...
        Labels of the samples to be shared out.
    sizes : sequence of int
        Sizes of the shares, at least two per class each; they sum to n.
    rng : numpy.random.Generator

    Returns
    -------
    list of (training, calibration) pairs of index arrays
        The second half is the larger one where the size is odd.

    Raises
    ------
    ValueError
        If there are too few samples of a class.

    Examples
    --------
    >>> halves = draw_halves(np.array([0, 0, 1, 1]), [4], np.random.default_rng(0))
    >>> [sorted(half.tolist()) for half in halves[0]] in ([[0, 2], [1, 3]], [[0, 3], [1, 2]])
    True
    """
    halves = [half for size in sizes for half in (size // 2, size - size // 2)]
    counts = np.bincount(y, minlength=2)
    if counts.min() < len(halves):
        raise ValueError(f"each class needs {len(halves)} samples, one in each half of each share")
    order = rng.permutation(len(y))
    first = np.stack([order[y[order] == label][: len(halves)] for label in range(len(counts))])
    others = order[~np.isin(order, first)]
    ends = np.cumsum(np.array(halves) - len(counts))
    dealt = np.split(others, ends[:-1])
    full = [np.concatenate(pair) for pair in zip(first.T, dealt, strict=True)]
    return list(zip(full[::2], full[1::2], strict=True))
