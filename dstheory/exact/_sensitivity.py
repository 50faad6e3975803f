"""Sensitivity of a conclusion to its sources, by exact derivatives without step sizes.

After Dempster's rule, a conclusion is a quotient of sums that are linear in the masses of each
source and in its discount rate, so its derivatives are quotients too. The same code serves floats,
batches, fractions and symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_masses
from dstheory._typing import Event, Numbers
from dstheory.checks.naming import RATES, one_of, shares_by_name
from dstheory.checks.shares import as_share, complement
from dstheory.errors import DSTheoryError
from dstheory.exact._conclusions import (
    by_name,
    check_quantity,
    columns,
    conclusion,
    named_sources,
    rests,
)
from dstheory.kernels import bits
from dstheory.kernels.batches import scalar, stretch
from dstheory.kernels.rows import in_row
from dstheory.mass import MassFunction
from dstheory.notebook import ShownFields
from dstheory.revise import discount

Sources = Mapping[str, MassFunction] | Sequence[MassFunction]


@dataclass(frozen=True, eq=False)
class Sensitivity(ShownFields):
    """How a conclusion depends on the reliability of each source.

    Attributes
    ----------
    names : tuple of str
        The sources.
    value : (*batch,) array or number
        The conclusion itself.
    rates : (n, *batch) array
        Discount rates at which it was computed.
    derivatives : (n, *batch) array
        Derivatives of the conclusion with respect to the discount rates.
    without : (n, *batch) array
        The conclusion without each source.
    """

    names: tuple[str, ...]
    value: Any
    rates: NDArray[Any]
    derivatives: NDArray[Any]
    without: NDArray[Any]

    @property
    def elasticities(self) -> NDArray[Any]:
        """Percentage change of the conclusion when a reliability (1 - rate) grows by 1%."""
        zero = np.asarray(np.asarray(self.value) == 0, dtype=bool)
        if zero.any():
            row = in_row(np.argwhere(zero)[0])
            raise DSTheoryError(f"the conclusion is 0{row} and has no elasticity; see .derivatives")
        return np.asarray(-self.derivatives * (1 - self.rates) / self.value)

    def ranking(self) -> tuple[str, ...]:
        """Names of the sources by decreasing absolute derivative.

        >>> from dstheory import Frame
        >>> frame = Frame(["a", "b"])
        >>> weak = MassFunction.from_dict(frame, {"a": 0.25, frame: 0.75})
        >>> strong = MassFunction.from_dict(frame, {"a": 0.75, frame: 0.25})
        >>> sensitivity({"weak": weak, "strong": strong}, "a").ranking()
        ('strong', 'weak')
        """
        if self.derivatives.ndim > 1:
            raise DSTheoryError(
                f"a batch of shape {self.derivatives.shape[1:]} has one ranking per row; "
                "sort abs(.derivatives)"
            )
        order = sorted(range(len(self.names)), key=lambda i: -abs(self.derivatives[i]))
        return tuple(self.names[i] for i in order)

    def __str__(self) -> str:
        """A table with one line per source; for a batch only the shape."""
        if self.derivatives.ndim > 1:
            return f"Sensitivity of {len(self.names)} sources, batch {self.derivatives.shape[1:]}"
        width = max(len(name) for name in (*self.names, "source"))
        lines = [f"{'source':<{width}}  {'rate':>10}  {'derivative':>10}  {'left out':>10}"]
        cells = zip(self.names, self.rates, self.derivatives, self.without, strict=True)
        for name, *numbers in cells:
            lines.append("  ".join([f"{name:<{width}}", *(f"{_text(n):>10}" for n in numbers)]))
        return "\n".join([*lines, f"value {_text(self.value)}"])


def _text(number: object) -> str:
    return f"{number:.4g}" if isinstance(number, float) else str(number)


@shares_by_name(**RATES)
def sensitivity(
    sources: Sources,
    event: Event,
    quantity: str = "bel",
    *,
    rates: Any = None,
    reliabilities: Numbers | None = None,
) -> Sensitivity:
    """Dependence of a conclusion on the discount rate of each source, after Dempster's rule.

    Parameters
    ----------
    sources : list or dict of MassFunction
        At least one, on one frame; batch shapes broadcast. The keys of a dict are names.
    event : label, collection of labels, or the frame
        The conclusion.
    quantity : "bel", "pl" or "betp"
        Quantity of the event to examine.
    rates : number, sequence or dict
        Current discount rates, one for all sources or one for each.
    reliabilities : number, sequence or dict
        Current reliabilities, 1 - rate. Give at most one of the two; the default is rates of 0.

    Returns
    -------
    Sensitivity

    Raises
    ------
    TotalConflictError
        If sources exclude each other, with all of them or with one left out.
    FrameError
        If frames differ, or a label is unknown.
    ValueError
        If the quantity is unknown, or the number of rates does not fit.
    MassError
        If a share does not lie between 0 and 1.
    TypeError
        If a source is not a mass function, or both `rates` and `reliabilities` are given.

    See Also
    --------
    mass_gradients : derivatives with respect to single masses.
    discount_bounds : bounds, if rates are known up to intervals.

    Notes
    -----
    Let f be the conclusion from all sources, g the one without source i, and kappa the conflict
    of source i with the others. At rate 0 the derivative is (g - f) / (1 - kappa). So a source
    matters in so far as it changes the conclusion, and more so the more it disagrees with the
    others. Nothing is differenced numerically; fractions and symbols stay exact.

    Examples
    --------
    Two witnesses for an ant, one of them half as strong, and one against it:

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> frame = Frame(["ant", "bee"])
    >>> witnesses = {
    ...     "first": MassFunction.from_dict(frame, {"ant": half, frame: half}),
    ...     "second": MassFunction.from_dict(frame, {"ant": quarter, frame: 1 - quarter}),
    ...     "third": MassFunction.from_dict(frame, {"bee": half, frame: half}),
    ... }
    >>> print(sensitivity(witnesses, "ant"))
    source        rate  derivative    left out
    first            0     -48/121         1/7
    second           0     -16/121         1/3
    third            0      30/121         5/8
    value 5/11
    """
    check_quantity(quantity)
    named = named_sources(sources)
    full = list(named.values())
    shares = _rates(tuple(named), *one_of(("rates", 0), rates=rates, reliabilities=reliabilities))
    check_masses(*full)
    mask = full[0].frame.mask(event)
    used = [
        m if isinstance(rate, int) and rate == 0 else discount(m, rate=rate)
        for m, rate in zip(full, shares, strict=True)
    ]
    found = [
        _rate_derivative(m, rate, rest, mask, quantity)
        for m, rate, rest in zip(full, shares, rests(used), strict=True)
    ]
    value, without, slopes = zip(*found, strict=True)
    batch = np.broadcast_shapes(*(np.shape(v) for v in value))
    together = [np.stack([np.broadcast_to(v, batch) for v in part]) for part in (slopes, without)]
    now = np.stack([np.broadcast_to(np.asarray(rate), batch) for rate in shares])
    first = np.broadcast_to(np.asarray(value[0]), batch)
    return Sensitivity(tuple(named), first[()] if not batch else first.copy(), now, *together)


def _rates(names: tuple[str, ...], name: str, shares: Any) -> list[Any]:
    """One rate for each source."""
    trusted = 0 if name == "rates" else 1
    shares = by_name(shares, names, name)
    if isinstance(shares, Mapping):
        unknown = [source for source in shares if source not in names]
        if unknown:
            raise ValueError(f"no source is called {unknown[0]!r}; they are {', '.join(names)}")
        listed = [shares.get(source, trusted) for source in names]
    elif not isinstance(shares, Sequence) and np.ndim(shares) == 0:
        listed = [shares] * len(names)
    elif len(shares) != len(names):
        raise ValueError(f"there are {len(shares)} {name} for {len(names)} sources")
    else:
        listed = list(shares)
    if name == "rates":
        return [rate if isinstance(rate, int) else as_share(rate, "rate")[()] for rate in listed]
    return [complement(as_share(share, "reliability"))[()] for share in listed]


def _rate_derivative(
    m: MassFunction, rate: Any, rest: MassFunction, event: int, quantity: str
) -> tuple[Any, Any, Any]:
    """Value, value without the source, and derivative at a rate.

    Let N and D be the sums over the source itself, and g the value without it. Then f(rate) = ((1 -
    rate) N + rate g) / ((1 - rate) D + rate).
    """
    batch = np.broadcast_shapes(m.batch_shape, rest.batch_shape, np.shape(rate))
    n, d = (stretch(part, batch) for part in columns(m.focal, rest, event, quantity))
    own = stretch(m.store, batch)
    upper, lower = (own * n).sum(axis=0), (own * d).sum(axis=0)
    alone = conclusion(rest, event, quantity)
    total = (1 - rate) * lower + rate
    value = ((1 - rate) * upper + rate * alone) / total
    return value, alone, (alone * lower - upper) / total**2


def mass_gradients(
    sources: Sources, event: Event, quantity: str = "bel"
) -> dict[str, dict[Any, Any]]:
    """Derivatives of a conclusion after Dempster's rule, with respect to all masses.

    Parameters
    ----------
    sources : list or dict of MassFunction
        At least one, on one frame; batch shapes broadcast.
    event : label, collection of labels, or the frame
    quantity : "bel", "pl" or "betp"

    Returns
    -------
    dict of source to dict of focal set to derivative
        Derivatives have the shape of the batch. Focal sets are tuples of labels, and the frame
        is among them.

    Raises
    ------
    TotalConflictError
        As `sensitivity`.
    FrameError, ValueError, TypeError
        As `sensitivity`.

    Notes
    -----
    Only the relative size of the masses of a source matters, so rescaling them changes nothing: the
    derivatives, weighted by the masses, sum to 0. Moving a small mass from A to B changes the
    conclusion by that mass times the difference of the two derivatives.

    Examples
    --------
    Mass that moves from the frame to the ant counts fully, 1/2 - (-1/2) = 1:

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> m = MassFunction.from_dict(frame, {"ant": Fraction(1, 2), frame: Fraction(1, 2)})
    >>> mass_gradients([m], "ant")
    {'source 1': {('ant',): Fraction(1, 2), ('ant', 'bee'): Fraction(-1, 2)}}
    """
    check_quantity(quantity)
    named = named_sources(sources)
    listed = list(named.values())
    check_masses(*listed)
    mask = listed[0].frame.mask(event)
    parts = zip(named, listed, rests(listed), strict=True)
    return {name: _mass_gradient(m, rest, mask, quantity) for name, m, rest in parts}


def _mass_gradient(m: MassFunction, rest: MassFunction, event: int, quantity: str) -> Any:
    focal = np.union1d(m.focal, bits.mask_array([m.frame.full], len(m.frame)))
    batch = np.broadcast_shapes(m.batch_shape, rest.batch_shape)
    n, d = (stretch(part, batch) for part in columns(focal, rest, event, quantity))
    own = stretch(m.store, batch)
    present = np.isin(focal, m.focal)
    total = (own * d[present]).sum(axis=0)
    value = (own * n[present]).sum(axis=0) / total
    slopes = (n - value * d) / total
    return {m.frame.event(int(a)): scalar(row) for a, row in zip(focal, slopes, strict=True)}
