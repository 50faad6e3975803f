"""Reliability of each source, learned from labeled samples.

Rates of all sources together, such that the pignistic probabilities of what Dempster's rule
makes of the discounted sources come nearest to the labels (Elouedi, Mellouli & Smets 2004);
or rates of one source and class alone, such that discounted plausibilities do.

Discounting by a rate r is to leave a source out with probability r (Shafer 1976, p. 251-252). So
Dempster's rule of discounted sources is a mean over the choices of sources that are not left out,
before it is normalized. What each choice says of single classes is all that pignistic
probabilities need: no list of all sets, for any number of classes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dstheory import MassFunction
from dstheory.combine import conjunctive
from evical._typing import Floats
from evical.beliefs.joined import Joined
from evical.beliefs.products import Products
from evical.curves.descent import descend
from evical.fusion._rule import HeldOut

# 2^8 choices of a thousand samples of 26 classes take seven million numbers.
MAX_SOURCES = 8


def agreed(sources: Sequence[MassFunction] | Sequence[Products], n_classes: int) -> Floats:
    """Masses that the conjunctive rule of each choice of sources gives to single classes.

    Parameters
    ----------
    sources : S mass functions, or S beliefs with products
        Batches (n,).
    n_classes : int

    Returns
    -------
    (2,) * S + (K, n) array
        Of each choice, 1 for a source that takes part; masses of sets are shared evenly by their
        classes, and that of the empty set is left out.
    """
    n_sources = len(sources)
    found = []
    for choice in np.ndindex((2,) * n_sources):
        part: Any = [source for source, taken in zip(sources, choice, strict=True) if taken]
        found.append(_shares(part) if part else None)
    n = next(shares.shape[1] for shares in found if shares is not None)
    even = np.full((n_classes, n), 1 / n_classes)
    table = np.stack([even if shares is None else shares for shares in found])
    return table.reshape((2,) * n_sources + (n_classes, n))


def _shares(part: list[MassFunction] | list[Products]) -> Floats:
    """Shares (K, n) of the classes in what some sources agree on."""
    products = [one for one in part if isinstance(one, Products)]
    if products:
        joined = Joined(products)
        dead = joined.impossible()
        possible = Joined([one.vacuous_where(dead) for one in products])
        return np.asarray(np.where(dead, 0, possible.betp().T * joined.agreement()))
    masses = [one for one in part if isinstance(one, MassFunction)]
    m = masses[0] if len(masses) == 1 else conjunctive(*masses)
    bits = np.arange(len(m.frame))[:, np.newaxis]
    members = ((m.focal >> bits) & 1).astype(np.float64)
    size = np.maximum(members.sum(axis=0), 1)
    return np.asarray((members / size) @ np.asarray(m.store, dtype=np.float64))


class Agreed:
    """What discounted sources agree on, as a function of the rates.

    Parameters
    ----------
    table : array, see `agreed`
    """

    def __init__(self, table: Floats) -> None:
        self.table = table

    def shares(self, rates: Floats) -> Floats:
        """Shares (K, n) under the rates (S,)."""
        return self._mean([np.array([rate, 1 - rate]) for rate in rates])

    def slopes(self, rates: Floats) -> Callable[[Floats], Floats]:
        """From slopes (K, n) of a function of the shares to those (S,) in the rates."""
        parts = [np.array([rate, 1 - rate]) for rate in rates]

        def slopes(outer: Floats) -> Floats:
            moved = np.array([1.0, -1.0])
            each = (
                self._mean([moved if other == own else part for other, part in enumerate(parts)])
                for own in range(len(parts))
            )
            return np.array([float((outer * one).sum()) for one in each])

        return slopes

    def _mean(self, parts: list[Floats]) -> Floats:
        found = self.table
        for part in parts:
            found = np.tensordot(part, found, axes=1)
        return found


# Commonalities of all sets of classes: 2^10 numbers a sample and source.
MAX_CLASSES = 10
# Common rates that are tried as starting points: the error may have several minima.
_STARTS = (0.02, 0.3, 0.7)
# Agreement below that, relatively, is rounding: such samples have no rate to tell.
_LEAST = 1e-12
_NOTHING = 1e-300  # agreement whose shares are no numbers any more


def joint_rates(held_out: HeldOut, shrinkage: float) -> Floats:
    """Discount rates under which Dempster's rule has the least squared error.

    Minimizes the sum over samples of half the squared distance of the pignistic
    probabilities from the indicator of the label, plus ``shrinkage * mean(rates**2)``.

    Parameters
    ----------
    held_out : HeldOut
        Up to `MAX_CLASSES` classes, or `MAX_SOURCES` sources.
    shrinkage : float

    Returns
    -------
    (S,) array
        In [0, 1]; the local minimum below the best of a few common rates.
    """
    few = len(held_out.frame) <= MAX_CLASSES
    error = _squared_error(held_out) if few else _squared_error_of_choices(held_out)
    n_sources = len(held_out.sources)

    def objective(rates: Floats) -> tuple[float, Floats]:
        value, slope = error(rates)
        pull = shrinkage / n_sources
        return value + pull * float(rates @ rates), slope + 2 * pull * rates

    starts = [np.full(n_sources, rate) for rate in _STARTS]
    best = min(starts, key=lambda start: objective(start)[0])
    bounds = [(0.0, 1.0)] * n_sources
    found = descend(objective, best, bounds=bounds)
    return np.asarray(np.clip(found.x, 0, 1))


def _squared_error(held_out: HeldOut) -> Callable[[Floats], tuple[float, Floats]]:
    """The sum of squared errors as a function of the rates, with its slopes.

    Discounting moves commonalities to (1 - rate) q + rate, Dempster's rule multiplies them,
    and pignistic probabilities are linear in them but for the normalization.
    """
    n_classes = len(held_out.frame)
    sets = np.arange(1, 1 << n_classes)
    commonality = np.stack([[m.q(mask=int(mask)) for mask in sets] for m in held_out.masses])
    members = (sets >> np.arange(n_classes)[:, np.newaxis]) & 1
    size = members.sum(axis=0)
    linear = members * np.where(size % 2, 1.0, -1.0) / size
    targets, weight = held_out.targets.T, held_out.weight

    def error(rates: Floats) -> tuple[float, Floats]:
        rate = rates[:, np.newaxis, np.newaxis]
        discounted = (1 - rate) * commonality + rate
        product = discounted.prod(axis=0)
        shares = linear @ product
        total = shares.sum(axis=0)
        known = total > _LEAST * product.max(axis=0)
        divisor = np.where(known, total, 1.0)
        # Where sources exclude each other, any label is as probable.
        p = np.where(known, shares / divisor, 1 / n_classes)
        gap = np.where(known, weight, 0.0) * (p - targets)
        # d p = (d shares - p d total) / total, and d shares is linear in d product.
        slope = linear.T @ ((gap - (gap * p).sum(axis=0)) / divisor)
        value = 0.5 * float((weight * (p - targets) ** 2).sum())
        return value, np.einsum("sfn,sfn,fn->s", 1 - commonality, _of_others(discounted), slope)

    return error


def _squared_error_of_choices(held_out: HeldOut) -> Callable[[Floats], tuple[float, Floats]]:
    """The same without a list of sets."""
    n_classes = len(held_out.frame)
    sources = Agreed(agreed(held_out.products or held_out.masses, n_classes))
    targets, weight = held_out.targets.T, held_out.weight

    def error(rates: Floats) -> tuple[float, Floats]:
        shares = sources.shares(rates)
        total = shares.sum(axis=0)
        known = total > _NOTHING
        divisor = np.where(known, total, 1.0)
        p = np.where(known, shares / divisor, 1 / n_classes)
        gap = np.where(known, weight, 0.0) * (p - targets)
        slope = sources.slopes(rates)((gap - (gap * p).sum(axis=0)) / divisor)
        return 0.5 * float((weight * (p - targets) ** 2).sum()), slope

    return error


def _of_others(factors: Floats) -> Floats:
    """Product over all but each one along the first axis; no division, factors may be 0."""
    result = np.ones_like(factors)
    result[1:] = factors[:-1].cumprod(axis=0)
    result[:-1] *= factors[:0:-1].cumprod(axis=0)[::-1]
    return result


def contextual_rates(held_out: HeldOut, shrinkage: float) -> Floats:
    """Rates of contextual discounting that fit the plausibilities of each source to the labels.

    For each source and class the least-squares rate of `dstheory.revise.learn_contextual_rates`,
    as if in `shrinkage` more samples the source had rightly excluded the class.

    Parameters
    ----------
    held_out : HeldOut
    shrinkage : float

    Returns
    -------
    (S, K) array
        In [0, 1]; 0 if a source never doubted a class.
    """
    doubt = 1 - np.stack([np.asarray(m.contour()) for m in held_out.masses])
    weight = held_out.weight[:, np.newaxis]
    # The discounted doubt is (1 - rate) * doubt; without fault it is 1 - target.
    right = (weight * doubt * (1 - held_out.targets)).sum(axis=1) + shrinkage
    square = (weight * doubt**2).sum(axis=1) + shrinkage
    known = square > 0
    kept = np.where(known, right / np.where(known, square, 1), 1)
    return np.asarray(1 - np.clip(kept, 0, 1))
