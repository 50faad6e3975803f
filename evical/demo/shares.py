"""Random shares of training samples for several classifiers, each in two halves with both classes.

A calibrator needs both classes, and so does a classifier. A share of five samples drawn blindly
often has only one, so each half of each share first gets one sample of each class.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evical._typing import Indices

Halves = list[tuple[Indices, Indices]]

# One sample of each class in either half.
_LEAST = 4


def share_sizes(n_samples: int, shares: Sequence[Fraction]) -> list[int]:
    """Whole numbers of samples, as near to the shares as the total allows.

    Parameters
    ----------
    n_samples : int
        Number of samples to share out.
    shares : sequence of Fraction
        Parts that sum to 1.

    Returns
    -------
    list of int
        Rounded by largest remainders, but at least 4 each, which the largest pays for.

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
    sizes = [max(size, _LEAST) for size in sizes]
    largest = int(np.argmax(sizes))
    sizes[largest] -= sum(sizes) - n_samples
    if 2 * sizes[largest] < exact[largest]:
        raise ValueError(
            f"{n_samples} training samples are too few to share among {len(shares)} classifiers: "
            f"each needs {_LEAST}, and the largest at least half of its share; give more data"
        )
    return sizes


def draw_training(
    y: NDArray[np.intp], size: int, least: int, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Training and test samples, in random order, in the class proportions of `y`.

    At least `least` samples of each of the two classes are drawn for training, and at least
    one is left for the test.
    """
    negative_count, positive_count = np.bincount(y, minlength=2).tolist()
    if min(negative_count, positive_count) <= least or size < 2 * least or size > len(y) - 2:
        raise ValueError(
            f"the classes have {negative_count} and {positive_count} samples, but {least} of each "
            f"are needed for training (of {size} in all) and 1 for the test"
        )
    fair = round(size * positive_count / len(y))
    lowest = max(least, size - negative_count + 1)
    n_positive = min(max(fair, lowest), size - least, positive_count - 1)
    order = rng.permutation(len(y))
    positive, negative = order[y[order] == 1], order[y[order] == 0]
    train = np.concatenate([positive[:n_positive], negative[: size - n_positive]])
    test = np.concatenate([positive[n_positive:], negative[size - n_positive :]])
    return rng.permutation(train), rng.permutation(test)


def draw_halves(y: NDArray[np.intp], sizes: Sequence[int], rng: np.random.Generator) -> Halves:
    """Share samples out at random, each share in two halves that hold both classes.

    Parameters
    ----------
    y : (n,) array of 0 and 1
        Labels of the samples to be shared out.
    sizes : sequence of int
        Sizes of the shares, at least 4 each; they sum to n.
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
    if np.bincount(y, minlength=2).min() < len(halves):
        raise ValueError(f"both classes need {len(halves)} samples, one in each half of each share")
    order = rng.permutation(len(y))
    first = np.stack([order[y[order] == label][: len(halves)] for label in (0, 1)])
    others = order[~np.isin(order, first)]
    ends = np.cumsum(np.array(halves) - 2)
    dealt = np.split(others, ends[:-1])
    full = [np.concatenate(pair) for pair in zip(first.T, dealt, strict=True)]
    return list(zip(full[::2], full[1::2], strict=True))
