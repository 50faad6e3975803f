"""Dempster's rule by sampling: draw a focal set from each source and intersect them.

The cost grows with the number of sources, not with the product of their focal sets. Rejection draws
from all sources at once and drops empty intersections, so few samples survive high conflict.
Importance sampling draws from one source after another, only among the sets that meet the current
intersection, and weights the sample by the probability of those sets; most samples survive. Wilson
1991; Moral & Wilson 1996.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_masses
from dstheory._typing import Event, Floats
from dstheory.checks.arguments import as_sequence, check_choice, check_count, check_rng
from dstheory.errors import MassError, TotalConflictError
from dstheory.kernels import bits
from dstheory.kernels.batches import blocks, scalar
from dstheory.kernels.rows import refuse_rows
from dstheory.mass import MassFunction
from dstheory.notebook import ShownFields

# Entries held at once of a table of intersections by focal sets: 8 MiB of doubles.
_TABLE_ENTRIES = 1 << 20
_BELOW_ONE = 1 - 2.0**-52
_MOST_SAMPLES = 10**9  # 8 GB for their sets alone


@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class MonteCarloCombination(ShownFields):
    """An estimate of Dempster's rule, with its standard errors.

    Attributes
    ----------
    mass_function : MassFunction
        The estimate, normalized; only sets that were sampled have mass.
    squares : (*batch, F) array
        Sum of the squared normalized weights of the samples of each focal set; standard errors
        follow from it.
    kappa, kappa_error : float, or array of the batch shape
        Estimate of the conflict, and its standard error.
    n_samples : int
        Number of samples drawn for each row.
    effective_samples : float, or array of the batch shape
        Number of equally weighted samples with the same variance.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["ant", "bee"]), [1], [1.0])
    >>> result = monte_carlo_dempster([m, m], 10, np.random.default_rng(0))
    >>> result.bel("ant"), result.kappa, result.effective_samples
    ((1.0, 0.0), 0.0, 10.0)
    """

    mass_function: MassFunction
    squares: NDArray[np.float64]
    kappa: float | Floats
    kappa_error: float | Floats
    n_samples: int
    effective_samples: float | Floats

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Standard errors (*batch, F) of the masses of the estimate."""
        share = self.mass_function.masses
        others = self.squares.sum(axis=-1, keepdims=True) - self.squares
        variance = self.squares * (1 - share) ** 2 + others * share**2
        return np.asarray(np.sqrt(np.maximum(variance, 0)))

    def bel(self, event: Event) -> tuple[Any, Any]:
        """Belief in an event, and its standard error."""
        mask = self.mass_function.frame.mask(event)
        return self._share(bits.subset_of(self.mass_function.focal, mask))

    def pl(self, event: Event) -> tuple[Any, Any]:
        """Plausibility of an event, and its standard error."""
        mask = self.mass_function.frame.mask(event)
        return self._share(np.asarray(self.mass_function.focal & mask != 0, dtype=bool))

    def _share(self, chosen: NDArray[np.bool_]) -> tuple[Any, Any]:
        share = self.mass_function.masses[..., chosen].sum(axis=-1)
        inside = self.squares[..., chosen].sum(axis=-1)
        outside = self.squares[..., ~chosen].sum(axis=-1)
        error = np.sqrt(inside * (1 - share) ** 2 + outside * share**2)
        return scalar(np.asarray(share)), scalar(np.asarray(error))


def monte_carlo_dempster(
    masses: Iterable[MassFunction],
    n_samples: int,
    rng: np.random.Generator,
    *,
    method: Literal["importance", "rejection"] = "importance",
) -> MonteCarloCombination:
    """Estimate Dempster's rule of many sources by sampling, with standard errors.

    Parameters
    ----------
    masses : sequence of MassFunction
        The sources, at least one, on one frame; their batches broadcast.
    n_samples : int
        Number of samples for each row.
    rng : numpy.random.Generator
    method : {"importance", "rejection"}
        Importance sampling draws from each source in the given order, among the sets that meet the
        current intersection; put the most informative sources first. Rejection draws independently
        and drops empty intersections: about n (1 - kappa) of n samples remain.

    Returns
    -------
    MonteCarloCombination
        Estimated masses, ``bel(event)`` and ``pl(event)`` with standard errors, and conflict.

    Raises
    ------
    MassError
        If there is no source.
    TotalConflictError
        If no sample of a row has a non-empty intersection.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function, `n_samples` is not an int, or `rng` is not a Generator.
    ValueError
        If `n_samples` is below 1, `method` is unknown, or batches do not broadcast.

    See Also
    --------
    dstheory.combine.dempster : the exact rule.

    Notes
    -----
    Each row is sampled separately. Masses are ratios of means, with a bias of O(1/n); standard
    errors come from the delta method. An error of 0 means that all samples agree, not that the
    estimate is exact: at 95% confidence, 3 / effective_samples bounds the mass of sets that were
    never sampled. Exact masses are converted to floats.

    References
    ----------
    Wilson (1991), A Monte-Carlo algorithm for Dempster-Shafer belief, UAI 7, 414-417; Moral &
    Wilson (1996), Importance sampling Monte-Carlo algorithms for the calculation of
    Dempster-Shafer belief, IPMU 6.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.5, frame: 0.5})
    >>> result = monte_carlo_dempster([m, m], 10_000, np.random.default_rng(0))
    >>> estimate, error = result.bel("ant")  # exactly 0.75
    >>> abs(estimate - 0.75) < 4 * error, round(error, 4)
    (True, 0.0044)
    """
    sources = _sources(masses)
    count = check_count("n_samples", n_samples, 1, _MOST_SAMPLES)
    check_rng(rng)
    check_choice("method", method, ("importance", "rejection"))
    batch = np.broadcast_shapes(*(m.batch_shape for m in sources))
    stores = [_rows_of(m, batch) for m in sources]
    draw = _importance if method == "importance" else _rejection
    rows = [
        draw([m.focal for m in sources], [store[row] for store in stores], count, rng)
        for row in range(len(stores[0]))
    ]
    return _collected(sources[0], rows, batch, count)


# Intersections (n,), and logarithms of their weights.
_Sample = tuple[NDArray[Any], NDArray[np.float64]]


def _importance(
    focals: list[NDArray[Any]], masses: list[NDArray[np.float64]], n: int, rng: np.random.Generator
) -> _Sample:
    """Draw each source given that it meets the intersection, and weight by that probability."""
    left = np.full(n, -1, dtype=focals[0].dtype)  # all bits: nothing is excluded yet
    log_weights = np.zeros(n)
    for focal, mass in zip(focals, masses, strict=True):
        sets, index = np.unique(left, return_inverse=True)
        chosen, meeting = _draw_meeting(sets, index.reshape(-1), focal, mass, rng)
        with np.errstate(divide="ignore"):  # a sample that nothing meets has weight 0
            log_weights += np.log(meeting)
        left = np.where(meeting > 0, left & focal[chosen], 0)
    return left, log_weights


def _draw_meeting(
    sets: NDArray[Any],
    index: NDArray[np.intp],
    focal: NDArray[Any],
    mass: NDArray[np.float64],
    rng: np.random.Generator,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """For each sample (n,), which has ``sets[index]`` left, a focal set that meets it.

    Also the total mass of those that do; where it is 0, the first focal set is returned.
    """
    order = np.argsort(index, kind="stable")
    bounds = np.searchsorted(index[order], np.arange(len(sets) + 1))
    chosen = np.zeros(len(index), dtype=np.intp)
    totals = np.zeros(len(sets))
    for block in blocks(len(sets), _TABLE_ENTRIES // len(focal)):
        meets = np.asarray(np.bitwise_and.outer(sets[block], focal) != 0, dtype=bool)
        sums = np.cumsum(np.where(meets, mass, 0), axis=1)
        totals[block] = sums[:, -1]
        for i, total in enumerate(sums, block.start):
            if total[-1] > 0:
                mine = order[bounds[i] : bounds[i + 1]]
                # Below the total even after rounding, so that the draw hits a set with mass.
                points = np.minimum(rng.random(len(mine)), _BELOW_ONE) * total[-1]
                chosen[mine] = np.searchsorted(total, points, side="right")
    return chosen, totals[index]


def _rejection(
    focals: list[NDArray[Any]], masses: list[NDArray[np.float64]], n: int, rng: np.random.Generator
) -> _Sample:
    """Intersections of independent draws; empty ones have weight 0."""
    left = np.full(n, -1, dtype=focals[0].dtype)
    for focal, mass in zip(focals, masses, strict=True):
        left &= focal[rng.choice(len(focal), size=n, p=mass / mass.sum())]
    return left, np.where(np.asarray(left != 0, dtype=bool), 0.0, -np.inf)


def _collected(
    first: MassFunction, rows: list[_Sample], batch: tuple[int, ...], n: int
) -> MonteCarloCombination:
    """Combine the samples of all rows into one batch on common focal sets."""
    tops = np.array([log_weights.max() for _, log_weights in rows]).reshape(batch)
    advice = (
        "the conflict is total or nearly so: use method='importance', more samples, or discount "
        "a source"
    )
    fault = "no sample has a non-empty intersection"
    refuse_rows(np.isneginf(tops), fault, advice, TotalConflictError)
    found = [np.unique(left[log_weights > -np.inf]) for left, log_weights in rows]
    focal = np.unique(np.concatenate(found)) if found else first.focal.copy()
    sums, squares = np.zeros((2, len(focal), len(rows)))
    for row, (left, log_weights) in enumerate(rows):
        kept = log_weights > -np.inf
        index = np.searchsorted(focal, left[kept])
        weights = np.exp(log_weights[kept] - log_weights.max())
        sums[:, row] = np.bincount(index, weights, len(focal))
        squares[:, row] = np.bincount(index, weights**2, len(focal))
    total, total_squares = sums.sum(axis=0), squares.sum(axis=0)
    mean = total / n
    deviation = np.sqrt(np.maximum(total_squares / n - mean**2, 0) / n)
    scale = np.exp(tops)
    shape = (len(focal), *batch)
    return MonteCarloCombination(
        mass_function=MassFunction.from_store(first.frame, focal, (sums / total).reshape(shape)),
        squares=np.moveaxis((squares / total**2).reshape(shape), 0, -1),
        kappa=scalar(1 - scale * mean.reshape(batch)),
        kappa_error=scalar(scale * deviation.reshape(batch)),
        n_samples=n,
        effective_samples=scalar((total**2 / total_squares).reshape(batch)),
    )


def _sources(masses: Iterable[MassFunction]) -> list[MassFunction]:
    if isinstance(masses, MassFunction):
        raise TypeError("masses is a sequence of mass functions, not one mass function")
    sources = as_sequence(masses, "masses", "mass functions")
    if not sources:
        raise MassError("there is no source; give at least one mass function")
    check_masses(*sources)
    return sources


def _rows_of(m: MassFunction, batch: tuple[int, ...]) -> NDArray[np.float64]:
    """Masses (rows, F) as floats, broadcast to the batch; rounding errors below 0 are set to 0."""
    masses = np.maximum(m.masses.astype(np.float64), 0)
    return np.broadcast_to(masses, (*batch, len(m.focal))).reshape(-1, len(m.focal))
