"""Outer bounds after Dempster's rule of two imprecise sources, by one linear program each.

Products z(A, B) = x(A) y(B) become variables that satisfy the consequences of the bounds and of
both sums being 1 (reformulation-linearization). Scaling makes the quotient linear. The feasible set
of the program contains all possible masses. Sources: Sherali & Alameddine, A new
reformulation-linearization technique for bilinear programming problems, Journal of Global
Optimization 2, 1992, 379-410; Charnes & Cooper, Programming with linear fractional functionals,
Naval Research Logistics Quarterly 9, 1962, 181-186.
"""

import numpy as np

from dstheory._typing import Floats
from dstheory.errors import DSTheoryError
from dstheory.exact._conclusions import weights
from dstheory.exact._imprecise import ImpreciseMass
from dstheory.kernels.programs import TIGHT

__all__ = ["relaxed_bounds"]


# 9 * 400 rows of 401 doubles take 12 MB.
_MAX_PAIRS = 400


def relaxed_bounds(
    one: ImpreciseMass, two: ImpreciseMass, event: int, quantity: str
) -> tuple[float, float]:
    """Outer bounds over all pairs of mass functions from the two polytopes."""
    from scipy.optimize import linprog

    n_pairs = len(one.focal) * len(two.focal)
    if n_pairs > _MAX_PAIRS:
        raise DSTheoryError(f"{n_pairs} pairs of focal sets, more than {_MAX_PAIRS}")
    sets = np.bitwise_and.outer(one.focal, two.focal).ravel()
    counted = np.append(weights(sets, event, quantity).astype(float), 0)
    meeting = np.append((sets != 0).astype(float), 0)
    scale = np.append(np.ones(n_pairs), -1)  # the variables sum to their scale, the last variable
    ends = []
    for sign in (1, -1):
        solved = linprog(
            sign * counted,
            A_ub=-_products(one, two),
            b_ub=np.zeros(9 * n_pairs),
            A_eq=np.stack([meeting, scale]),
            b_eq=[1, 0],
            method="highs",
            options=TIGHT,
        )
        if solved.fun is None:
            raise DSTheoryError(f"the linear program has no solution: {solved.message}")
        ends.append(sign * float(solved.fun))
    return max(ends[0], 0.0), min(ends[1], 1.0)


def _products(one: ImpreciseMass, two: ImpreciseMass) -> Floats:
    """Non-negative rows: products of two slacks, as linear forms in z and the scale."""
    size1, size2 = len(one.focal), len(two.focal)
    z = np.eye(size1 * size2)
    x = np.kron(np.eye(size1), np.ones((size2, size2)))  # x(A), the sum of z(A, B) over B
    y = np.kron(np.ones((size1, size1)), np.eye(size2))
    rows = []
    for a, up1 in _factors(one):
        for b, up2 in _factors(two):
            first, second = np.repeat(a, size2)[:, np.newaxis], np.tile(b, size1)[:, np.newaxis]
            product = np.hstack([z - first * y - second * x, first * second])
            rows.append(product if up1 == up2 else -product)
    return np.concatenate(rows)


def _factors(source: ImpreciseMass) -> list[tuple[Floats, bool]]:
    """Bounds of the masses, and whether they are lower bounds: x >= 0, x >= low, x <= high."""
    lower, upper = source.lower.astype(float), source.upper.astype(float)
    return [(np.zeros_like(lower), False), (lower, False), (upper, True)]
