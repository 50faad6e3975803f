"""Exactness with certain mass functions: a mass of 1.0 must not turn fractions into floats."""

from collections.abc import Sequence

import numpy as np

from dstheory.mass import MassFunction

__all__ = ["beside_exact"]


def beside_exact(masses: Sequence[MassFunction]) -> list[MassFunction]:
    """The mass functions; if one is exact, floats that are all 0 or 1 become integers."""
    if not any(m.store.dtype == object for m in masses):
        return list(masses)
    return [_with_integers(m) for m in masses]


def _with_integers(m: MassFunction) -> MassFunction:
    if m.store.dtype == object or not np.isin(m.store, (0.0, 1.0)).all():
        return m
    return MassFunction.from_store(m.frame, m.focal, m.store.astype(np.int64).astype(object))
