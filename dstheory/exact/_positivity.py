"""Proofs that a formula of masses is never negative, by Bernstein coefficients.

On the unit box, a polynomial lies between its smallest and its largest Bernstein coefficient, and
the coefficients of the corners are values. Halving the box brings the other coefficients
arbitrarily close to values. Masses of one source sum to at most 1; x2 = (1 - x1) t2 maps that
simplex onto the box. Source: Garloff, The Bernstein algorithm, Interval Computations 2, 1993,
154-168.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from dstheory.checks.arguments import check_count, check_instance
from dstheory.exact._symbols import as_expression, as_groups

# Coefficients of one polynomial; with more, a proof would take minutes.
_MAX_COEFFICIENTS = 20_000
_DEEPEST = 64  # halvings, each of which may double the work


def is_nonnegative(
    expression: object, sums: Iterable[Sequence[Any]] = (), *, max_depth: int = 6
) -> bool | None:
    """Whether a rational expression is never negative while its symbols lie in [0, 1].

    Parameters
    ----------
    expression : sympy expression
        Quotient of polynomials with rational coefficients, where it is defined.
    sums : sequence of sequences of symbols
        Disjoint groups, each of which sums to at most 1, such as the masses of a source.
    max_depth : int
        Maximum number of times the box is halved in search of a proof.

    Returns
    -------
    bool or None
        True is proved by coefficients, False by a point; None means unknown.

    Raises
    ------
    ValueError
        If a symbol occurs in several groups.
    TypeError
        If a group contains something other than symbols.

    Notes
    -----
    A polynomial that touches zero inside the box, such as (x - y)^2, often has no proof of this
    kind.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> is_nonnegative(1 - x * y), is_nonnegative(1 - x - y)
    (True, False)
    >>> is_nonnegative(1 - x - y, sums=[(x, y)])
    True
    """
    check_count("max_depth", max_depth, 0, _DEEPEST)
    onto_box = _onto_box(sums)
    parts = sympy.fraction(sympy.cancel(as_expression(expression, "expression").subs(onto_box)))
    tensors = [_bernstein(part) for part in parts]
    if any(tensor is None for tensor in tensors):
        return None
    signs = [_sign(tensor, max_depth) for tensor in tensors if tensor is not None]
    if all(sign is not None for sign in signs):
        return math.prod(sign for sign in signs if sign is not None) >= 0
    return False if _negative_somewhere(*parts) else None


def _onto_box(sums: Iterable[Sequence[Any]]) -> dict[Any, Any]:
    """Each symbol of a group as its share of what the earlier symbols leave."""
    replaced: dict[Any, Any] = {}
    for group in as_groups(sums):
        left = sympy.Integer(1)
        for symbol in group:
            check_instance("sums", symbol, sympy.Symbol, "groups of symbols")
            if symbol in replaced:
                raise ValueError(f"symbol {symbol} occurs twice in sums; each sums once")
            replaced[symbol] = left * symbol
            left = left * (1 - symbol)
    return replaced


def _bernstein(polynomial: Any) -> NDArray[Any] | None:
    """Bernstein coefficients, one axis per symbol; None for a large or irrational polynomial."""
    symbols = sorted(polynomial.free_symbols, key=str)
    if not symbols:
        return np.array(polynomial) if polynomial.is_rational else None
    if not polynomial.is_polynomial(*symbols):
        return None
    poly = sympy.Poly(polynomial, *symbols)
    shape = tuple(degree + 1 for degree in poly.degree_list())
    if math.prod(shape) > _MAX_COEFFICIENTS or not all(c.is_rational for c in poly.coeffs()):
        return None
    tensor = np.full(shape, sympy.Integer(0), dtype=object)
    for powers, coefficient in poly.terms():
        tensor[powers] = coefficient
    for axis, size in enumerate(shape):
        tensor = np.moveaxis(np.tensordot(_to_bernstein(size - 1), tensor, (1, axis)), 0, axis)
    return tensor


def _to_bernstein(degree: int) -> NDArray[Any]:
    """x^j in the Bernstein basis: C(i, j) / C(degree, j) at place i."""
    rows = [
        [sympy.Rational(math.comb(i, j), math.comb(degree, j)) for j in range(degree + 1)]
        for i in range(degree + 1)
    ]
    return np.array(rows, dtype=object)


def _sign(tensor: NDArray[Any], depth: int) -> int | None:
    """The sign of a polynomial, 1 or -1, if it never changes; 0 if zero, None if unknown."""
    low, high = min(tensor.ravel()), max(tensor.ravel())
    if low >= 0:
        return 1 if high > 0 else 0
    if high <= 0:
        return -1
    if depth == 0 or not tensor.ndim:
        return None
    axis = depth % tensor.ndim
    found = [_sign(half, depth - 1) for half in _halves(tensor, axis)]
    signs = {sign for sign in found if sign != 0}
    return signs.pop() if len(signs) == 1 else None


def _halves(tensor: NDArray[Any], axis: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The polynomial on both halves of the box (de Casteljau at 1/2)."""
    level = list(np.moveaxis(tensor, axis, 0))
    left, right = [level[0]], [level[-1]]
    half = sympy.Rational(1, 2)
    while len(level) > 1:
        level = [(a + b) * half for a, b in pairwise(level)]
        left.append(level[0])
        right.append(level[-1])
    return (
        np.moveaxis(np.array(left, dtype=object), 0, axis),
        np.moveaxis(np.array(right[::-1], dtype=object), 0, axis),
    )


def _negative_somewhere(numerator: Any, denominator: Any) -> bool:
    """Whether the quotient is negative at some point of a coarse grid."""
    symbols = sorted(numerator.free_symbols | denominator.free_symbols, key=str)
    steps = 4 if len(symbols) <= 4 else 1
    if len(symbols) > 10:
        return False
    # Whole coefficients: lambdify would write fractions as floats, whose rounding has signs.
    _, polynomial = sympy.Poly(numerator * denominator, *symbols).clear_denoms()
    product = sympy.lambdify(symbols, polynomial.as_expr(), modules="math")
    grid = np.ndindex(*(steps + 1,) * len(symbols))
    return any(product(*(sympy.Rational(i, steps) for i in point)) < 0 for point in grid)
