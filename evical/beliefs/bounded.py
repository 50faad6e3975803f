"""Beliefs as bounds: Bel and Pl of each class, from which sets follow if they are asked for.

Probabilities with a standard error of each class's log-odds have such bounds. They need no search
and list no subsets, so a thousand classes are feasible; a mass function lists the sets on request.

Where both bounds are the same, beliefs are probabilities of the classes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, gammaincinv, ndtri

from dstheory import Frame, MassFunction
from dstheory.errors import CostLimitError
from dstheory.kernels import bitsets
from dstheory.kernels.bits import MAX_INT64_BITS, mask_array
from evical._typing import Flags, Floats, Indices
from evical.beliefs._base import Beliefs
from evical.beliefs.estimate import Estimate
from evical.beliefs.products import MAX_CLASSES, Products

_BLOCK = 1 << 22  # numbers in the largest temporary array
_LEAST = float(np.finfo(np.float64).tiny)
# Level sets of the relative likelihood ``exp(-(x - mean)**2 / (2 error**2))`` of normal log-odds
# reach as many standard errors to both sides as a Rayleigh variable says, so Bel and Pl are means
# over that variable (Xu et al. 2016, eq. 22-23).
RADII, SHARES = np.polynomial.legendre.leggauss(24)
RADII = 4.5 * (RADII + 1.0)
SHARES = SHARES * RADII * np.exp(-(RADII**2) / 2)
SHARES = SHARES / SHARES.sum()
_ROWS = 1 << 13  # at a time
_FAR = 700.0  # log-odds whose odds are floats yet
_HUGE = 1e200  # for the quantile at a level that rounds to 1


def half_widths(probability: Floats, log_odds: Floats, error: Floats) -> Floats:
    """Half of Pl - Bel, cut so that the interval around the probability stays in [0, 1].

    Parameters
    ----------
    probability : array
        Center of the interval, such as the posterior mean.
    log_odds, error : arrays of the same shape
        Posterior mean and standard deviation of the log-odds.

    Returns
    -------
    array of that shape

    Examples
    --------
    >>> half_widths(np.array([0.5, 0.001]), np.array([0.0, -7.0]), np.array([0.4, 5.0])).round(3)
    array([0.121, 0.001])
    """
    odds, errors, width = log_odds.ravel(), error.ravel(), np.zeros(log_odds.size)
    for start in range(0, len(odds), _ROWS):  # temporaries stay in cache
        rows = slice(start, start + _ROWS)
        height = 2 * np.cosh(np.clip(odds[rows], -_FAR, _FAR))
        for radius, share in zip(RADII, SHARES, strict=True):
            # expit(x + r) - expit(x - r) is sinh r / (cosh x + cosh r), in a third of the time.
            up = np.exp(np.minimum(radius * errors[rows], _FAR))
            down = 1 / up
            width[rows] += share * ((up - down) / (up + down + height))
    half = width.reshape(log_odds.shape) / 2
    return np.asarray(np.minimum(np.minimum(half, probability), 1.0 - probability))


def normal_bounds(
    log_odds: Floats, error: Floats, confidence: float, mean: Floats | None = None
) -> tuple[Floats, Floats]:
    """Least and greatest probability of the central interval of that level.

    Parameters
    ----------
    log_odds, error : arrays of one shape
    confidence : float
    mean : array of that shape, optional
        Posterior mean of the probability. Near 0 and 1 the log-odds are far from normal: without
        events they may be anything below a bound. No end is then further out than the quantile of
        any gamma distribution of that mean, such as the posterior of a small probability is.

    Returns
    -------
    lower, upper : arrays of that shape

    Examples
    --------
    >>> lower, upper = normal_bounds(np.array([0.0]), np.array([1.0]), 0.95)
    >>> lower.round(3), upper.round(3)
    (array([0.123]), array([0.877]))
    >>> rare, unknown = np.array([-7.0]), np.array([5.0])
    >>> normal_bounds(rare, unknown, 0.95)[1].round(3)
    array([0.943])
    >>> normal_bounds(rare, unknown, 0.95, np.array([0.001]))[1].round(3)
    array([0.011])
    """
    reach = ndtri((1.0 + confidence) / 2) * error
    lower, upper = np.asarray(expit(log_odds - reach)), np.asarray(expit(log_odds + reach))
    if mean is None:
        return lower, upper
    most = quantile_over_mean(confidence)
    return np.maximum(lower, 1.0 - most * (1.0 - mean)), np.minimum(upper, most * mean)


@cache
def quantile_over_mean(confidence: float) -> float:
    """Greatest ratio of the upper end of a central interval to the mean, of gamma distributions.

    Examples
    --------
    >>> round(quantile_over_mean(0.95), 2)
    11.45
    """
    upper = (1.0 + confidence) / 2

    def ratio(log_shape: float) -> float:
        quantile = min(float(gammaincinv(np.exp(log_shape), upper)), _HUGE)
        return -quantile * float(np.exp(-log_shape))

    least = np.log1p(-confidence) - 3.0  # below, the quantile is no longer in the tail
    found = minimize_scalar(ratio, bounds=(least, 16.0), method="bounded")
    return max(1.0, -float(found.fun))  # 1 for narrow ones


@final
@dataclass(frozen=True, eq=False)
class Bayesian(Beliefs):
    """Masses of single classes alone.

    Parameters
    ----------
    classes : (K,) array
    masses : (n, K) array
    estimate : Estimate, optional
    """

    classes: NDArray[Any]
    masses: Floats
    estimate: Estimate | None = None

    def __len__(self) -> int:
        return len(self.masses)

    def __getitem__(self, rows: Any) -> Self:
        known = None if self.estimate is None else self.estimate[rows]
        return type(self)(self.classes, self.masses[rows], known)

    @property
    def n_products(self) -> int:
        """None of them."""
        return 0

    @property
    def silent(self) -> Flags:
        """No row (n,)."""
        return np.zeros(len(self), dtype=bool)

    def mass(self) -> MassFunction:
        """The mass functions, a batch (n,) over single classes."""
        store = np.array(self.masses.T, order="C")
        return MassFunction.from_store(Frame(self.classes), _singles(len(self.classes)), store)

    def betp(self) -> Floats:
        """The probabilities (n, K)."""
        return self.masses

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2), both the probability."""
        return np.stack([self.masses, self.masses], axis=2)

    def lower(self, utilities: Floats) -> Floats:
        """Expected utilities (n, A) of acts (A, K)."""
        return np.asarray(self.masses @ utilities.T)

    def products(self) -> Products:
        """No product, and single classes."""
        single = self.masses.T
        none = np.empty((0, *single.shape), dtype=single.dtype)
        return Products(self.classes, single, none[:, 0], none, none)


@final
@dataclass(frozen=True, eq=False)
class Bounded(Beliefs):
    """Masses of single classes, and of K + 1 sets of classes whose sizes differ by at most one.

    Parameters
    ----------
    classes : (K,) array
    n : int
    bounds : callable
        Returns Bel and Pl of each class, two (n, K) arrays; called when they are asked for.
    pignistic : (n, K) array, optional
        Pignistic probabilities where they are known without the sets.
    share : float
        Share of the masses that is as the bounds say; the frame has the rest.
    estimate : Estimate, optional
    """

    classes: NDArray[Any]
    n: int
    bounds: Callable[[], tuple[Floats, Floats]]
    pignistic: Floats | None = None
    share: float = 1.0
    estimate: Estimate | None = None

    @classmethod
    def normal(
        cls,
        classes: NDArray[Any],
        probability: Floats,
        error: Floats | Callable[[], Floats],
        model: str,
        confidence: float,
        log_odds: Callable[[], Floats] | None = None,
        *,
        posterior: bool = False,
    ) -> Beliefs:
        """Beliefs from probabilities with a standard error of each class's log-odds.

        Parameters
        ----------
        classes : (K,) array
        probability : (n, K) array
            Of sum 1 in each row.
        error : (n, K) array or callable
            Standard deviations of the log-odds of each class against the others; called where
            bounds are asked for.
        model : {"likelihood", "confidence", "bayesian"}
            "likelihood": Bel and Pl are as far below and above the probability, so doubt goes to
            pairs of classes, and the pignistic probability is `probability` itself. "confidence":
            the intervals of that level have its mass, and the frame has the rest. "bayesian": no
            doubt.
        confidence : float
        log_odds : callable, optional
            Returns their means (n, K); by default those of `probability`.
        posterior : bool
            Whether the probability is a posterior mean, beyond which no tail reaches; see
            `normal_bounds`.

        Returns
        -------
        Beliefs

        Examples
        --------
        >>> p, error = np.array([[0.5, 0.3, 0.2]]), np.full((1, 3), 0.3)
        >>> beliefs = Bounded.normal(np.arange(3), p, error, "likelihood", 0.95)
        >>> beliefs.interval().round(2)
        array([[[0.41, 0.59],
                [0.22, 0.38],
                [0.14, 0.26]]])
        >>> beliefs.betp()
        array([[0.5, 0.3, 0.2]])
        """

        center = probability if posterior else None

        def normal_log_odds() -> tuple[Floats, Floats]:
            mean = _log_odds(probability) if log_odds is None else log_odds()
            return mean, error() if callable(error) else error

        def ends(level: float) -> Floats:
            return np.stack(normal_bounds(*normal_log_odds(), level, center), axis=2)

        if model == "bayesian":
            return Bayesian(classes, probability, Estimate(ends))
        known = Estimate(ends, lambda: probability)

        def likely() -> tuple[Floats, Floats]:
            mean, deviation = normal_log_odds()
            if len(classes) == 2:  # what holds of one holds of the other
                half = np.repeat(
                    half_widths(probability[:, 1:], mean[:, 1:], deviation[:, 1:]), 2, axis=1
                )
            else:
                half = _balanced(half_widths(probability, mean, deviation), probability)
            return probability - half, probability + half

        def confident() -> tuple[Floats, Floats]:
            lower, upper = normal_bounds(*normal_log_odds(), confidence, center)
            # The posterior mean is no nearer to 0 or 1 than the interval reaches.
            return np.minimum(lower, probability), np.maximum(upper, probability)

        if model == "confidence":
            n = len(probability)
            return cls(classes, n, confident, share=confidence, estimate=known)
        return cls(classes, len(probability), likely, probability, estimate=known)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, rows: Any) -> Self:
        def bounds() -> tuple[Floats, Floats]:
            lower, upper = self._bounds
            return lower[rows], upper[rows]

        known = None if self.pignistic is None else self.pignistic[rows]
        n = len(np.arange(self.n)[rows])
        estimate = None if self.estimate is None else self.estimate[rows]
        return type(self)(self.classes, n, bounds, known, self.share, estimate)

    @property
    def n_products(self) -> int:
        """One for each set."""
        return len(self.classes) + 1 + (self.share < 1)

    @cached_property
    def _bounds(self) -> tuple[Floats, Floats]:
        return self.bounds()

    def _blocks(self) -> Iterator[tuple[Floats, Flags, Floats]]:
        """In blocks of b rows, masses (b, K) of single classes, sets (b, T, K), masses (b, T)."""
        size = max(1, _BLOCK // len(self.classes) ** 2)
        for start in range(0, max(self.n, 1), size):
            rows = slice(start, start + size)
            yield self._sets if size >= self.n else self._sets_of(rows)

    @cached_property
    def _sets(self) -> tuple[Floats, Flags, Floats]:
        """The same of all rows."""
        return self._sets_of(slice(None))

    def _sets_of(self, rows: slice) -> tuple[Floats, Flags, Floats]:
        lower, upper = self._bounds
        single, sets, masses = joint_sets(lower[rows], upper[rows])
        if self.share == 1:
            return single, sets, masses
        full = np.ones((len(single), 1, len(self.classes)), dtype=bool)
        rest = np.full((len(single), 1), 1.0 - self.share)
        return (
            self.share * single,
            np.concatenate([sets, full], axis=1),
            np.concatenate([self.share * masses, rest], axis=1),
        )

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2)."""
        lower, upper = self._bounds
        rest, share = _shares(lower, upper)
        upper = self.share * (lower + share * rest) + (1.0 - self.share)
        return np.stack([self.share * lower, np.minimum(upper, 1)], axis=2)

    def betp(self) -> Floats:
        """Pignistic probabilities (n, K): each set shares its mass equally."""
        if self.pignistic is not None:
            return self.pignistic
        return np.concatenate(
            [
                single + np.einsum("ns,nsk->nk", masses / np.maximum(sets.sum(axis=2), 1), sets)
                for single, sets, masses in self._blocks()
            ]
        )

    def lower(self, utilities: Floats) -> Floats:
        """Lower expected utilities (n, A) of acts (A, K)."""
        return np.concatenate([_lower(*block, utilities) for block in self._blocks()])

    def products(self) -> Products:
        """The same: each set is a product of zeros and ones."""
        single, sets, masses = self._sets
        inside = sets.transpose(1, 2, 0).astype(np.float64)
        return Products(self.classes, single.T, masses.T, 1 - inside, inside)

    def mass(self) -> MassFunction:
        """The mass functions, a batch (n,) over the sets that occur in it.

        Raises
        ------
        CostLimitError
            If there are more than 2^16 of them.
        """
        k, n_rows, alone = len(self.classes), 0, list[Floats]()
        parts, known = list[tuple[NDArray[Any], Indices, Floats]](), set[int]()
        for single, sets, masses in self._blocks():
            rows, at = np.nonzero(masses > 0)
            masks, place = _distinct(sets[rows, at])
            parts.append((masks[place], rows + n_rows, masses[rows, at]))
            known.update(masks.tolist())
            _check_few(len(known), k)
            alone.append(single)
            n_rows += len(single)
        shown = np.array(sorted(known), dtype=np.int64 if k <= MAX_INT64_BITS else object)
        store = np.zeros((len(shown), self.n))
        for masks, rows, share in parts:
            np.add.at(store, (np.searchsorted(shown, masks), rows), share)
        focal = np.concatenate([_singles(k), shown])
        order = np.argsort(focal, kind="stable")
        everything = np.concatenate([np.concatenate(alone).T, store])[order]
        return MassFunction.from_store(Frame(self.classes), focal[order], everything)


def _singles(k: int) -> NDArray[Any]:
    """Masks of the single classes."""
    return 1 << np.arange(k) if k <= MAX_INT64_BITS else mask_array([1 << at for at in range(k)], k)


def _lower(single: Floats, sets: Flags, masses: Floats, utilities: Floats) -> Floats:
    """Lower expected utilities (n, A) of acts (A, K)."""
    found = single @ utilities.T
    for act, utility in enumerate(utilities):
        worst = np.where(sets, utility, np.inf).min(axis=2, initial=np.inf)
        found[:, act] += (masses * np.where(masses > 0, worst, 0)).sum(axis=1)
    return np.asarray(found)


def _distinct(sets: Flags) -> tuple[NDArray[Any], Indices]:
    """Masks of the distinct sets (T,), ascending, and which of them each row (m, K) is."""
    k = sets.shape[1]
    if k <= MAX_INT64_BITS:
        return np.unique(sets @ (1 << np.arange(k)), return_inverse=True)
    packed = np.packbits(sets, axis=1, bitorder="little")
    masks = (int.from_bytes(row.tobytes(), "little") for row in packed)
    return bitsets.distinct(mask_array(masks, k))


def _check_few(n_sets: int, n_classes: int) -> None:
    if n_sets > 1 << MAX_CLASSES:
        raise CostLimitError(
            f"beliefs about {n_classes} classes have {n_sets} different sets, but predict_mass "
            f"lists at most 2^{MAX_CLASSES}; ask for fewer samples at a time, or for single "
            "classes alone by predict_mass(..., sets='singletons')"
        )


def _log_odds(p: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(p, _LEAST)) - np.log(np.maximum(1.0 - p, _LEAST)))


def _balanced(half: Floats, probability: Floats) -> Floats:
    """Half widths of which none is greater than the others together, as all pairs need.

    What one class may gain or lose, the others lose or gain: if their widths say less, they are
    raised, each by the same share of what is possible.
    """
    greatest = half.argmax(axis=1)[:, np.newaxis]
    lack = 2 * np.take_along_axis(half, greatest, axis=1) - half.sum(axis=1, keepdims=True)
    room = probability - half
    np.put_along_axis(room, greatest, 0.0, axis=1)
    share = np.maximum(lack, 0) / np.maximum(room.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(half + np.minimum(share, 1.0) * room)


def joint_sets(lower: Floats, upper: Floats) -> tuple[Floats, Flags, Floats]:
    """Masses whose single classes have given beliefs and plausibilities.

    Parameters
    ----------
    lower, upper : (n, K) arrays
        Bel and Pl of each class, bounds of probabilities that sum to 1.

    Returns
    -------
    single : (n, K) array
        Masses of single classes, equal to `lower`.
    sets : (n, K + 1, K) array of bool
        Other sets, whose sizes differ by at most one; of two classes the only one, (n, 1, 2).
    masses : (n, K + 1) or (n, 1) array

    Notes
    -----
    The other sets that contain a class have the total mass ``upper - lower``, and the mass of all
    of them is 1 - sum(lower). Such sets exist if and only if all lower and upper bounds sum to 2 or
    more, because each set has at least two classes. If they sum to less, which no belief function
    allows, all upper bounds are raised by the same share of the possible increase. Systematic
    sampling then picks the sets: classes, the most uncertain first, are laid on a line with these
    masses as lengths, and a comb picks points at distances of the total.

    Examples
    --------
    >>> single, sets, masses = joint_sets(np.zeros((1, 3)), np.array([[1.0, 0.5, 0.5]]))
    >>> sets[masses > 0].astype(int).tolist(), masses[masses > 0].tolist()
    ([[1, 1, 0], [1, 0, 1]], [0.5, 0.5])
    """
    rest, share = _shares(lower, upper)
    if lower.shape[1] == 2:
        return lower, np.ones((len(lower), 1, 2), dtype=bool), rest
    order = np.argsort(-share, axis=1, kind="stable")
    ends = np.cumsum(np.take_along_axis(share, order, axis=1), axis=1)
    cuts = np.sort(ends % 1, axis=1)
    cuts = np.concatenate([np.zeros_like(rest), cuts, np.ones_like(rest)], axis=1)
    tooth = (cuts[:, :-1] + cuts[:, 1:])[:, :, np.newaxis] / 2
    marks = np.concatenate([np.zeros_like(rest), ends], axis=1)[:, np.newaxis]
    picked = np.diff(np.floor(marks - tooth), axis=2) > 0
    sets = np.empty_like(picked)
    np.put_along_axis(sets, np.broadcast_to(order[:, None], picked.shape), picked, axis=2)
    masses = np.diff(cuts, axis=1) * rest
    # Rounding can leave a tiny mass on a set with a single class.
    alone = np.where(sets.sum(axis=2) < 2, masses, 0)
    return lower + np.einsum("ns,nsk->nk", alone, sets), sets, masses - alone


def _shares(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Mass (n, 1) of the sets, and shares (n, K) of it in those that contain each class."""
    k = lower.shape[1]
    rest = np.maximum(1 - lower.sum(axis=1, keepdims=True), 0)
    some = np.where(rest > 0, rest, 1)
    share = np.clip((upper - lower) / some, 0, 1)
    lack = np.maximum(2 - share.sum(axis=1, keepdims=True), 0)
    room = np.maximum(k - share.sum(axis=1, keepdims=True), 1e-300)
    return rest, np.minimum(share + np.minimum(lack / room, 1) * (1 - share), 1)
