"""Kernel sums on weighted scores, and the bandwidth of a density.

A density at x is a sum over training scores of kernels K((x - s_i) / h). Compact kernels are
polynomials in the distance, so that prefix sums of moments give the exact sum in two binary
searches. Sums of Gaussians come directly from few scores, and from a fine grid otherwise.

Silverman's rule suits the density of the scores. How fast the probability changes is another
question, which samples that are left out answer.

Source: B. W. Silverman, Density estimation (1986), section 3.4; M. Pakdaman Naeini, Obtaining
accurate probabilities using classifier calibration (2016), section 3.1, whose page of kernels
is misprinted; J. G. Staniswalis, "The kernel estimate of a regression function in likelihood-based
models", Journal of the American Statistical Association 84 (1989), 276-283.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from dstheory.kernels.batches import blocks
from evical._typing import Floats, Indices
from evical.scores.checks import check_scores, check_weights
from evical.scores.counts import ScoreCounts
from evical.scores.scale import location_scale

# Coefficients of |u|^k, k = 0, 1, ..., of the kernels that vanish beyond |u| = 1.
_POLYNOMIALS: dict[str, tuple[float, ...]] = {
    "boxcar": (1 / 2,),
    "epanechnikov": (3 / 4, 0, -3 / 4),
    "tricube": tuple(70 / 81 * c for c in (1, 0, 0, -3, 0, 0, 3, 0, 0, -1)),
}
_PEAK = 1 / np.sqrt(2 * np.pi)
KERNELS = {name: c[0] for name, c in _POLYNOMIALS.items()} | {"gaussian": _PEAK}
"""Names of the kernels, with their greatest value K(0)."""
DEVIATIONS = {
    name: float(np.sqrt(sum(2 * a / (k + 3) for k, a in enumerate(c))))
    for name, c in _POLYNOMIALS.items()
} | {"gaussian": 1.0}
"""Names of the kernels, with their standard deviation."""

_CHUNK = 1 << 20  # elements of one matrix of distances: 8 MB
_PIECE = 1 << 13  # queries whose temporaries stay in cache
_STEPS = 64  # grid steps in a bandwidth: cubic interpolation is then good to about 1e-7
_TAIL = 10.0  # bandwidths after which a Gaussian is below 2e-22 of its peak
_MOST_NODES, _MOST_PRODUCTS = 1 << 21, 1 << 32
# Bandwidths that are tried, in octaves below Silverman's, and what an octave costs in
# log-likelihood: what is best for few samples is often chance. Of costs from 0 to 4 this one was
# chosen on twelve simulated maps, and checked on twenty others and thirteen real data sets.
_OCTAVES, _OCTAVE = np.arange(-2, 11) / 2, 4.0
_COARSE = 8  # grid steps in a bandwidth that is only tried
_CHANCE = 0.03  # share of the class frequencies in a prediction for a sample that is left out
_NONE = 1e-3  # mean weights around it, and less are none: it counts as mispredicted


def silverman(scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Silverman's rule of thumb for the bandwidth, ``h = 1.06 * sigma * n ** (-1 / 5)``.

    Parameters
    ----------
    scores : (n,) array
    weights : (n,) array, optional
        A weight of 2 counts as two samples.

    Returns
    -------
    float
        With the unbiased estimate of the variance; 0 if all scores are equal.

    Raises
    ------
    ValueError
        If a score or a weight is not usable; the row is named.

    References
    ----------
    Naeini (2016), section 3.1 (it calls sigma a variance; it is the standard deviation).

    Examples
    --------
    >>> round(silverman([-1, 1]), 4)  # sigma is the root of 2
    1.305
    """
    values = check_scores(scores)
    given = check_weights(weights, len(values))
    shares = np.ones(len(values)) if given is None else given
    total = float(shares.sum())
    if not total > 0:
        raise ValueError("all weights are zero; at least one sample must count")
    counted = np.flatnonzero(shares > 0)
    order = counted[np.argsort(values[counted])]
    sigma = location_scale(values[order], shares[order])[1]
    # Weights that add up to one sample or less leave nothing to correct.
    unbiased = total / (total - 1) if total > 1 else 1.0
    with np.errstate(over="ignore"):
        return float(min(1.06 * sigma * np.sqrt(unbiased) * total**-0.2, np.finfo(float).max))


def left_out_bandwidth(counts: ScoreCounts) -> float:
    """Bandwidth of Gaussians by the likelihood of samples, each under the densities without it.

    Parameters
    ----------
    counts : ScoreCounts
        Of both classes.

    Returns
    -------
    float
        Silverman's rule times a power of the root of 2, from 2 down to 1 / 32; 0 if all scores are
        equal. Without the samples at a place, a sum of kernels there is less by K(0) times their
        weight, so no other fit is made.
        Predictions are mixed with 3 % of the class frequencies. From the log-likelihood 4 is taken
        for each factor of 2 between the bandwidth and the rule.

    References
    ----------
    Staniswalis (1989), The kernel estimate of a regression function in likelihood-based models,
    Journal of the American Statistical Association 84, 276-283.

    Examples
    --------
    >>> scores = np.linspace(0, 1, 1000)
    >>> waves = np.sin(40 * scores) > 0
    >>> counts = ScoreCounts.from_samples(scores, waves)
    >>> round(silverman(scores) / left_out_bandwidth(counts), 1)
    32.0
    """
    rule = silverman(counts.scores, counts.total)
    if rule == 0.0 or not (counts.n_negative > 0 and counts.n_positive > 0):
        return rule
    with np.errstate(over="ignore"):
        places = counts.scores / rule - counts.scores[0] / rule
    if not np.isfinite(places[-1]):
        return rule
    bandwidths = (2.0**-_OCTAVES).tolist()
    cells = np.floor(places / (bandwidths[-1] / _COARSE))  # many scores, but few cells
    starts = np.flatnonzero(np.diff(cells, prepend=-1.0))
    groups = counts.pool(starts)
    least = _NONE * counts.total.mean()
    losses = np.array([_left_out_loss(places[starts], groups, h, least) for h in bandwidths])
    # Weights must not outvote the cost of an octave: they are worth as many samples as Kish says.
    losses *= min(1.0, counts.total.sum() / float(counts.total @ counts.total))
    found = int(np.argmin(losses + _OCTAVE * np.abs(_OCTAVES)))
    return rule * bandwidths[found] if losses[found] < np.inf else rule


def _left_out_loss(places: Floats, counts: ScoreCounts, bandwidth: float, least: float) -> float:
    """Negative log-likelihood of the samples, each without its place; infinite on too fine a grid.

    A weight around them that is less than the least is none.
    """
    weights = (counts.negative, counts.positive)
    groups = [(places[w > 0], w[w > 0]) for w in weights]
    grid = KernelGrid.of(groups, [bandwidth] * 2, _COARSE)
    if grid is None:
        return np.inf
    # All that lies at a place is left out with it: it may be one sample that counts twice.
    around = np.maximum(grid(places) / _PEAK - np.stack(weights), 0.0)
    rest, loss = around.sum(axis=0), 0.0
    for weight, own in zip(weights, around, strict=True):
        p = np.where(rest > least, own / np.maximum(rest, least), 0.0)
        share = weight.sum() / counts.total.sum()
        loss -= float(weight @ np.log((1.0 - _CHANCE) * p + _CHANCE * share))
    return loss


@dataclass(frozen=True, eq=False)
class GaussianSums:
    """Sums of Gaussian kernels over all scores, term by term.

    Parameters
    ----------
    scores, weights : (n,) arrays
    bandwidth : float
    """

    scores: Floats
    weights: Floats
    bandwidth: float

    def __call__(self, queries: Floats) -> Floats:
        """Sums (q,) at the queries."""
        parts = blocks(len(queries), _CHUNK // len(self.scores))
        return np.concatenate([self._sums(queries[part]) for part in parts])

    def _sums(self, queries: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):  # far away a kernel is zero
            u = queries[:, np.newaxis] / self.bandwidth - self.scores / self.bandwidth
            # einsum, not BLAS: a row must not depend on how many rows there are.
            return np.asarray(np.einsum("ij,j->i", _PEAK * np.exp(-u * u / 2), self.weights))


@dataclass(frozen=True, eq=False)
class WindowSums:
    """Sums of a compact kernel from prefix sums of moments; make one with `WindowSums.of`.

    The axis is cut into cells of one bandwidth, and moments are taken about the middle of
    their cell: the powers of large distances would cancel otherwise.

    Parameters
    ----------
    origin, bandwidth : float
        A score s stands at v = (s - origin) / bandwidth.
    positions : (n,) array
        v of the sorted scores.
    moments : (n + 1, degree + 1) array
        Prefix sums of the weight times powers of the place within the cell.
    coefficients : tuple of float
        Of |u|^k in the kernel.
    """

    origin: float
    bandwidth: float
    positions: Floats
    moments: Floats
    coefficients: tuple[float, ...]

    @classmethod
    def of(cls, scores: Floats, weights: Floats, bandwidth: float, kernel: str) -> "WindowSums":
        """Prefix sums of sorted scores."""
        coefficients = _POLYNOMIALS[kernel]
        positions = scores / bandwidth - scores[0] / bandwidth
        place = positions - np.floor(positions) - 0.5
        moments = np.zeros((len(scores) + 1, len(coefficients)))
        power = weights
        for k in range(len(coefficients)):
            np.cumsum(power, out=moments[1:, k])
            power = power * place
        return cls(float(scores[0]), bandwidth, positions, moments, coefficients)

    def __call__(self, queries: Floats) -> Floats:
        """Sums (q,) at the queries."""
        # Ascending queries in short pieces stay in cache: 3 times faster at a million.
        order = np.argsort(queries, kind="stable")
        # Two bandwidths past the ends all sums are zero, and no number is too large.
        with np.errstate(over="ignore"):
            v = queries[order] / self.bandwidth - self.origin / self.bandwidth
        v = np.clip(v, -2.0, self.positions[-1] + 2.0)
        sums = np.empty(len(queries))
        for part in blocks(len(v), _PIECE):
            sums[order[part]] = self._sums(v[part])
        return np.maximum(sums, 0.0)

    def _sums(self, v: Floats) -> Floats:
        first = np.searchsorted(self.positions, v - 1, side="left")
        last = np.searchsorted(self.positions, v + 1, side="right")
        if len(self.coefficients) == 1:
            weight = self.moments[last, 0] - self.moments[first, 0]
            return np.asarray(self.coefficients[0] * weight)
        if not any(self.coefficients[1::2]):  # even powers do not mind the side
            return self._side(v, first, last, 1)
        middle = np.searchsorted(self.positions, v, side="right")
        return self._side(v, first, middle, 1) + self._side(v, middle, last, -1)

    def _side(self, v: Floats, first: Indices, last: Indices, sign: int) -> Floats:
        """Sum over scores first <= i < last, with |u| read as sign * (v - v_i)."""
        low, total = np.floor(v) - 1, np.zeros(len(v))
        for cell in range(4):  # a window meets three cells, and a fourth at its very end
            end = np.clip(np.searchsorted(self.positions, low + cell + 1), first, last)
            end = last if cell == 3 else end
            met = np.flatnonzero(end > first)
            moments = self.moments[end[met]] - self.moments[first[met]]
            shifted = self._shifted(v[met] - low[met] - (cell + 0.5), sign)
            total[met] += np.einsum("qk,qk->q", moments, shifted)
            first = end
        return total

    def _shifted(self, d: Floats, sign: int) -> Floats:
        """Factors (q, degree + 1) of the moments: the kernel at d - place, expanded."""
        degree = len(self.coefficients) - 1
        powers = [np.ones(len(d))]
        for _ in range(degree):
            powers.append(powers[-1] * d)
        factors = np.zeros((len(d), degree + 1))
        for n, c in enumerate(self.coefficients):
            for k in range(n + 1 if c else 0):
                factors[:, k] += (c * sign**n * comb(n, k) * (-1) ** k) * powers[n - k]
        return factors


@dataclass(frozen=True, eq=False)
class KernelGrid:
    """Sums of Gaussian kernels on an even grid, read by cubic interpolation.

    Parameters
    ----------
    start, step : float
        Node j stands at start + j * step.
    values : (groups, nodes) array
        Sums at the nodes, of each group of scores.
    """

    start: float
    step: float
    values: Floats

    @classmethod
    def of(
        cls, groups: list[tuple[Floats, Floats]], bandwidths: list[float], steps: int = _STEPS
    ) -> "KernelGrid | None":
        """Sums over each group (scores, weights), None if that takes too fine a grid.

        A bandwidth is so many steps long. Each score is laid on its four nearest nodes by
        Lagrange's weights, which leaves an error of fourth order; then nodes are convolved with the
        kernel directly, because a Fourier transform would lose the tails.
        """
        step = min(bandwidths) / steps
        with np.errstate(over="ignore", invalid="ignore"):  # no grid, if the range is infinite
            margin = (_TAIL + 0.1) * max(bandwidths)
            low = min(scores[0] for scores, _ in groups) - margin
            span = max(scores[-1] for scores, _ in groups) + margin - low
        reach = [int(np.ceil(_TAIL * (h / step))) for h in bandwidths]
        nodes = span / step + 3
        if not (nodes <= _MOST_NODES and nodes * 2 * sum(reach) <= _MOST_PRODUCTS):
            return None
        values = []
        for (scores, weights), h, r in zip(groups, bandwidths, reach, strict=True):
            mass = _laid_out((scores - low) / step, weights, int(nodes) + 1)
            kernel = _PEAK * np.exp(-((np.arange(-r, r + 1) * (step / h)) ** 2) / 2)
            # Beyond the reach of every score, the sums are exactly zero.
            values.append(np.maximum(np.convolve(mass, kernel, mode="same"), 0.0))
        return cls(float(low), step, np.stack(values))

    @property
    def nodes(self) -> Floats:
        """Where the nodes stand, (nodes,)."""
        return np.asarray(self.start + self.step * np.arange(self.values.shape[1]))

    def __call__(self, queries: Floats) -> Floats:
        """Sums (groups, q) at the queries; beyond the grid, those of its ends."""
        parts = blocks(len(queries), _PIECE)
        return np.concatenate([self._read(queries[part]) for part in parts], axis=1)

    def _read(self, queries: Floats) -> Floats:
        last = self.values.shape[1] - 1
        with np.errstate(over="ignore"):  # clipped like any far query
            place = np.clip((queries - self.start) / self.step, 0, last)
        first, weights = _lagrange(place, last)
        sums = np.zeros((len(self.values), len(queries)))
        for k, weight in enumerate(weights):
            sums += weight * self.values[:, first + k]
        # Where sums change by orders of magnitude from node to node, a cubic may undershoot.
        lost = np.flatnonzero(~(sums > 0).any(axis=0))
        sums[:, lost] = self.values[:, np.rint(place[lost]).astype(np.intp)]
        return np.maximum(sums, 0.0)


def _laid_out(place: Floats, weights: Floats, nodes: int) -> Floats:
    first, shares = _lagrange(place, nodes - 1)
    mass = np.zeros(nodes)
    for k, share in enumerate(shares):
        mass += np.bincount(first + k, share * weights, nodes)
    return mass


def _lagrange(place: Floats, last: int) -> tuple[Indices, list[Floats]]:
    """First of four neighboring nodes and the weight of each in cubic interpolation."""
    first = np.clip(np.floor(place).astype(np.intp) - 1, 0, last - 3)
    t = place - first
    a, b, c, d = t, t - 1, t - 2, t - 3
    return first, [-b * c * d / 6, a * c * d / 2, -a * b * d / 2, a * b * c / 6]
