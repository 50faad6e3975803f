"""Naeini's two simulated problems: a disc in a ring, and four clouds on the corners of a square.

Neither is linearly separable. The thesis shows them as pictures only (figure 5).
Source: Naeini (2016), section 4.2.1 and figure 5.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["SIMULATORS", "circular", "xor"]

# As in the author's own draw of 2000 samples: radii of class 0 spread evenly over [0, 2], of
# class 1 over [2, 4]; angles are even.
RADIUS = 2.0

# Distance of a corner from either axis, in standard deviations of a cloud. The best rule then
# errs in 2 q (1 - q) = 4.4 % with q = Phi(-2), as the SVM in table 15 (b) with 4 %.
CORNER = 2.0

Drawn = tuple[NDArray[np.float64], NDArray[np.intp]]


def circular(n: int, rng: np.random.Generator) -> Drawn:
    """Class 0 within a circle, class 1 around it, in turn.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    (n, 2) array, (n,) array
        Points within radius 4 and labels; as many of each class, or one more of class 0.
    """
    y = np.arange(n) % 2
    radius = RADIUS * (y + rng.random(n))
    angle = 2 * np.pi * rng.random(n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), y


def xor(n: int, rng: np.random.Generator) -> Drawn:
    """Clouds on opposite corners of a square share a class; classes in turn.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    (n, 2) array, (n,) array
        Points and labels; class 1 around (2, 2) and (-2, -2), each with probability 1/2, class 0
        around (2, -2) and (-2, 2), with standard deviation 1 in each direction.
    """
    y = np.arange(n) % 2
    sign = rng.choice([-1.0, 1.0], n)
    corners = CORNER * np.stack([sign, sign * (2 * y - 1)], axis=1)
    return corners + rng.standard_normal((n, 2)), y


SIMULATORS: dict[str, Callable[[int, np.random.Generator], Drawn]] = {
    "circular": circular,
    "XOR": xor,
}
"""Name to simulator; labels alternate, so that the first samples hold both classes."""
