"""Probabilities by sharing each mass unevenly among the labels of its set.

The belief transform uses only the masses of single labels. DSmP shares the mass of larger sets in
proportion to the masses of their labels (Dezert & Smarandache 2008); epsilon moves the result
towards even shares.
"""

from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory._typing import Scalar
from dstheory.checks.masses import check_number
from dstheory.errors import DSTheoryError
from dstheory.kernels import bits, setwise
from dstheory.kernels.rows import refuse_rows
from dstheory.mass import MassFunction


def belief_transform(m: MassFunction) -> NDArray[Any]:
    """Belief of each label, normalized to a probability.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels.

    Returns
    -------
    (*batch, K) array
        Rows sum to 1; float64 or exact objects as in `m`.

    Raises
    ------
    MassError
        If no single label of a row has mass.

    References
    ----------
    Cuzzolin (2012), On the relative belief transform, Int. J. Approximate Reasoning 53,
    786-804.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> belief_transform(MassFunction(Frame(["a", "b"]), [1, 2, 3], [0.3, 0.1, 0.6]))
    array([0.75, 0.25])
    """
    beliefs = _singleton_masses(check_mass(m))
    total = np.asarray(beliefs.sum(axis=0))
    refuse_rows(total == 0, "no single label has mass", "use betp or plausibility_transform")
    return np.moveaxis(np.asarray(beliefs / total), 0, -1)


def dsmp(m: MassFunction, epsilon: Scalar = 0.001) -> NDArray[Any]:
    """Share each mass in proportion to the masses of its labels + epsilon (DSmP_epsilon).

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels. A subnormal one is normalized first.
    epsilon : number
        Non-negative. The larger it is, the closer the result is to `betp`. With 0, sets whose
        labels have no mass of their own cannot be shared.

    Returns
    -------
    (*batch, K) array
        Rows sum to 1; exact for exact masses and exact `epsilon`.

    Raises
    ------
    DSTheoryError
        If `epsilon` is negative or not finite.
    MassError
        If `epsilon` is 0 and all labels of a set with mass have mass 0.
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Dezert & Smarandache (2008), A new probabilistic transformation of belief mass
    assignment, arXiv:0807.3669.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> dsmp(MassFunction(Frame(["a", "b"]), [1, 2, 3], [0.3, 0.1, 0.6]), epsilon=0)
    array([0.75, 0.25])
    """
    check_number(epsilon, "epsilon")
    if not (epsilon >= 0 and epsilon < np.inf):
        raise DSTheoryError(f"epsilon is {epsilon}, but must be finite and non-negative")
    normal = check_mass(m).normalize()
    singles = _singleton_masses(normal)
    larger = bits.members(normal.focal, len(m.frame)) & (bits.cardinality(normal.focal) > 1)
    weights = _weights(singles, epsilon)
    totals = setwise.weighted_sum(larger.T, weights)
    unshared = np.asarray(totals == 0, dtype=bool)
    if epsilon == 0:
        present = np.asarray(normal.store != 0, dtype=bool)
        lost = (unshared & present)[larger.any(axis=0)].any(axis=0)
        refuse_rows(lost, "the labels of a set have no mass of their own", "give epsilon above 0")
    shares = _shared(normal.store, larger, weights, np.where(unshared, 1, totals), unshared)
    return np.moveaxis(np.asarray(singles + shares), 0, -1)


def _shared(
    store: NDArray[Any],
    larger: NDArray[np.bool_],
    weights: NDArray[Any],
    totals: NDArray[Any],
    even: NDArray[np.bool_],
) -> NDArray[Any]:
    """The share of each label in the larger sets, (K, *batch).

    A share w / total lies in [0, 1]; dividing a mass by a denormal total would overflow. Sets whose
    labels have no mass are shared evenly, even if epsilon underflows.
    """
    exact = store.dtype == object
    counts = [max(int(count), 1) for count in larger.sum(axis=0)]
    evenly = np.array([Fraction(1, n) if exact else 1 / n for n in counts])
    evenly = evenly.reshape(-1, *(1,) * (store.ndim - 1))
    result = np.zeros(weights.shape, dtype=np.result_type(store, weights))
    for label, sets in enumerate(larger):
        share = np.where(even[sets], evenly[sets], weights[label] / totals[sets])
        result[label] = (share * store[sets]).sum(axis=0)
    return result


def _weights(singles: NDArray[Any], epsilon: Scalar) -> NDArray[Any]:
    """Weights (K, *batch) for sharing, up to a factor: masses + epsilon."""
    exact, rational = singles.dtype == object, isinstance(epsilon, Rational)
    if not (rational or isinstance(epsilon, float)) or epsilon <= 1:
        return np.asarray(singles + (float(epsilon) if rational and not exact else epsilon))
    inverse = 1 / Fraction(epsilon) if rational else 1 / epsilon
    return np.asarray(singles * (inverse if exact else float(inverse)) + 1)


def _singleton_masses(m: MassFunction) -> NDArray[Any]:
    """Masses of the single labels, (K, *batch)."""
    single = bits.members(m.focal, len(m.frame)) & (bits.cardinality(m.focal) == 1)
    return setwise.weighted_sum(single, m.store)
