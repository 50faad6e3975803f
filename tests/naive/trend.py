"""Linear trend filtering by its definition, on fractions; standard library only."""

from fractions import Fraction
from itertools import accumulate, pairwise


def objective(x, y, w, lam, p):
    """1/2 sum w (p - y)^2 + lam sum |change of slope| (Naeini 2016, eq. 3.23)."""
    slopes = [(b - a) / (t - s) for (s, a), (t, b) in pairwise(zip(x, p, strict=True))]
    loss = sum(c * (a - b) ** 2 for a, b, c in zip(p, y, w, strict=True)) / 2
    return loss + lam * sum(abs(b - a) for a, b in pairwise(slopes))


def lower_bound(x, y, w, lam, p):
    """A number that no value of the objective is below, by weak duality; sharp at the solution.

    For every q with sum w q = sum w q x = 0 whose double running sum stays inside [-lam, lam],
    sum w q y - 1/2 sum w q^2 is a bound. The residuals of p, freed of their line and shrunk if
    need be, are such a q.
    """
    q = without_line(x, [a - b for a, b in zip(y, p, strict=True)], w)
    string = double_sum(x, q, w)
    top = max(map(abs, string))
    shrink = min(Fraction(1), lam / top) if top else Fraction(1)
    product = sum(a * b * c for a, b, c in zip(q, y, w, strict=True))
    return shrink * product - shrink**2 * sum(a * a * c for a, c in zip(q, w, strict=True)) / 2


def without_line(x, y, w):
    """Residuals of the weighted least squares line."""
    total = sum(w)
    x0 = sum(a * c for a, c in zip(x, w, strict=True)) / total
    y0 = sum(a * c for a, c in zip(y, w, strict=True)) / total
    spread = sum(c * (a - x0) ** 2 for a, c in zip(x, w, strict=True))
    slope = sum(c * (a - x0) * (b - y0) for a, b, c in zip(x, y, w, strict=True)) / spread
    return [b - y0 - slope * (a - x0) for a, b in zip(x, y, strict=True)]


def double_sum(x, q, w):
    """sum_j w_j q_j (x_i - x_j)_+ for all i."""
    once = accumulate(a * c for a, c in zip(q, w, strict=True))
    rises = [a * (t - s) for a, (s, t) in zip(once, pairwise(x), strict=False)]
    return [Fraction(0), *accumulate(rises)]
