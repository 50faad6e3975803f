"""Evidence about the next sample from real-valued counts, possibly zero."""

import numpy as np

from dstheory.inference import binomial_masses
from evical._typing import Floats

__all__ = ["count_masses"]


# Trials of less weight say nothing; every model has reached its limit long before.
_LEAST = 1e-12
_ROUNDING = 1e-15


def count_masses(positive: Floats, total: Floats, model: str, confidence: float) -> Floats:
    """Masses (2, q) of the positive and the negative class from k of n, both real.

    Without trials the mass function is vacuous, or 1/2 for both classes if the model gives only
    probabilities.
    """
    masses = np.full((2, len(total)), 0.5 if model in ("bayesian", "laplace") else 0.0)
    some = np.flatnonzero(total > _LEAST)
    if len(some):
        n = total[some]
        # Shares of fractions are rounded; k must stay within [0, n].
        k = np.clip(positive[some], 0.0, n)
        found = np.stack(binomial_masses(k, n, model, confidence))
        # Next to the mass of the frame these would be rounded away, but not in comparisons.
        masses[:, some] = np.where(found < _ROUNDING, 0.0, found)
    return masses
