"""Rules of combination as graphs, where they are closed formulas.

Of two classes a mass function is its belief and plausibility, so that Dempster's rule, Yager's, the
disjunctive one, discounting and merged p-values are a few products. A mean of mass functions is one
for any number of classes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dstheory.combine import disjunctive, yager
from evical.estimators.rules import is_dempster, mean_weights
from evical.export._tensor import Tensor, exp, joined, log, maximum, minimum, where
from evical.export._told import Told, mean_told
from evical.fusion import Discounted, valid_mean, valid_minimum

__all__ = ["CLOSED", "combined"]

_MEANS = "means ('mixing', 'size_mixture', 'likelihood_mixture')"
CLOSED = (
    f"'stacked' and {_MEANS}; of two classes also 'dempster', 'discounted', "
    "'contextually_discounted', 'disjunctive', 'yager', 'valid_mean' and 'valid_minimum'"
)


def combined(rule: Any, parts: Sequence[Told], n_classes: int, total_conflict: str) -> Told:
    """Beliefs of several members, combined by a fitted rule that is not `Stacked`.

    Raises ValueError for a rule without a closed formula.
    """
    weights = mean_weights(rule, len(parts))
    if weights is not None:
        return mean_told(list(parts), [float(weight) for weight in weights])
    if len(parts) == 1 and not isinstance(rule, Discounted):
        return parts[0]
    bel, pl = (joined(column) for column in list(zip(*parts, strict=True))[:2])
    if n_classes == 2 and isinstance(rule, Discounted):
        kept = 1.0 - np.atleast_2d(rule.rates_.T)  # of each class, or of both
        return _dempster(bel * kept[:1], 1.0 - (1.0 - pl) * kept[-1:], total_conflict)
    if n_classes == 2 and is_dempster(rule):
        return _dempster(bel, pl, total_conflict)
    if n_classes == 2 and rule in _OF_TWO:
        return _OF_TWO[rule](bel, pl, len(parts))
    name = getattr(rule, "__name__", None) or repr(rule)
    raise ValueError(
        f"rule is {name} of {n_classes} classes, and an export takes {CLOSED}; fit the ensemble "
        "with one of these, or export its members one by one"
    )


def _dempster(bel: Tensor, pl: Tensor, total_conflict: str) -> Told:
    """Dempster's rule of beliefs (n, S): plausibilities multiply, and what is left open.

    By logarithms up to the greater product, so that what is nearly impossible stays possible.
    """
    # Rounding may leave numbers a little below 0, which have no logarithm.
    logs = [log(maximum(part, 0.0)).sum(axis=1) for part in (pl, 1.0 - bel, pl - bel)]
    top = maximum(logs[0], logs[1])
    excluded = top.equals(-np.inf)
    yes, no, open_ = (exp(part - top) for part in logs)
    total = yes + no - open_
    lower, upper = (yes - open_) / total, yes / total
    vacuous = total_conflict == "vacuous"
    instead = (0.0, 1.0, 0.5) if vacuous else (np.nan,) * 3
    found = zip((lower, upper, (lower + upper) * 0.5), instead, strict=True)
    return Told(*(where(excluded, other, part) for part, other in found))


def _agreed(bel: Tensor, pl: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Plausibilities of both classes, and the mass of both, under the conjunctive rule."""
    return pl.prod(axis=1), (1.0 - bel).prod(axis=1), (pl - bel).prod(axis=1)


def _yager(bel: Tensor, pl: Tensor, n: int) -> Told:
    """Conflict is ignorance."""
    yes, no, open_ = _agreed(bel, pl)
    return _between(yes - open_, 1.0 - (no - open_))


def _disjunctive(bel: Tensor, pl: Tensor, n: int) -> Told:
    """One of the sources is right, and nobody knows which."""
    return _between(bel.prod(axis=1), 1.0 - (1.0 - pl).prod(axis=1))


def _merged(of_sources: Callable[[Tensor, int], Tensor]) -> Callable[[Tensor, Tensor, int], Told]:
    """Plausibilities as p-values of several sources, merged, the greater one raised to 1."""

    def told(bel: Tensor, pl: Tensor, n: int) -> Told:
        yes, no = (minimum(of_sources(part, n), 1.0) for part in (pl, 1.0 - bel))
        upper, other = where(no.greater(yes), yes, 1.0), where(yes.greater(no), no, 1.0)
        return _between(1.0 - other, upper)

    return told


def _between(bel: Tensor, pl: Tensor) -> Told:
    return Told(bel, pl, (bel + pl) * 0.5)


_OF_TWO: dict[Any, Callable[[Tensor, Tensor, int], Told]] = {
    disjunctive: _disjunctive,
    yager: _yager,
    valid_mean: _merged(lambda values, n: values.mean(axis=1) * 2.0),
    valid_minimum: _merged(lambda values, n: values.min(axis=1) * float(n)),
}
