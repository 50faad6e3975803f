"""Uncertainty of a belief after splitting its focal sets, in bits.

The mass of a focal set is shared among all its non-empty subsets. The fractal entropy does so once
and evenly (Zhou & Deng 2022). The information volume does so repeatedly, in the proportions of
maximal Deng entropy (Deng 2020); its limit is computed in closed form.
"""

from math import comb, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.kernels import bits, moebius, setwise
from dstheory.kernels.batches import scalar
from dstheory.mass import MassFunction
from dstheory.measure._inputs import mean_surprise, normalized_floats
from dstheory.transform.tables import mass_table


def fractal_entropy(m: MassFunction) -> Any:
    """Fractal-based belief entropy: Shannon's, after sharing each mass among all subsets.

    Notes
    -----
    Each of the 2^|A| - 1 non-empty subsets of A gets the same share of m(A).

    References
    ----------
    Zhou & Deng (2022), Fractal-based belief entropy, Information Sciences 587.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> fractal_entropy(MassFunction(Frame(list("ab")), [1, 2], [0.5, 0.5]))
    1.0
    >>> fractal_entropy(MassFunction(Frame(list("ab")), [1, 3], [0.25, 0.75]))  # 1/2, 1/4, 1/4
    1.5
    """
    table = np.moveaxis(mass_table(check_mass(m).normalize()).astype(np.float64), -1, 0)
    sizes = bits.cardinality(np.arange(len(table))).astype(np.float64)
    n_subsets = np.maximum(np.exp2(sizes) - 1, 1).reshape(-1, *(1,) * len(m.batch_shape))
    shared = moebius.superset_sums(table / n_subsets)[1:]
    return scalar(mean_surprise(shared, shared))


def information_volume(m: MassFunction) -> Any:
    """Deng's information volume: the entropy in the limit of splitting all sets.

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.

    Returns
    -------
    float, or array of the batch shape
        In bits; Shannon's entropy for probabilities.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    Notes
    -----
    A part on A is split over the non-empty subsets B of A in proportion to 2^|B| - 1, with all
    parts kept separate, until only single labels remain. A set of n labels adds v(n) bits. Here
    v(1) = 0, and (1 - r(n)) v(n) is the entropy of one split plus the mean of v over the smaller
    parts, where r(n) is the share that stays on A.

    References
    ----------
    Deng (2020), Information volume of mass function, Int. J. Computers Communications &
    Control 15.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(list("ab"))
    >>> information_volume(MassFunction(frame, [1, 2], [0.5, 0.5]))
    1.0
    >>> round(information_volume(MassFunction(frame, [3], [1.0])), 4)
    3.4274
    """
    focal, masses = normalized_floats(m)
    volumes = _volumes(len(m.frame))[bits.cardinality(focal)]
    split = setwise.weighted_sum(volumes[np.newaxis], masses)[0]
    return scalar(split + mean_surprise(masses, masses))


def _volumes(size: int) -> NDArray[np.float64]:
    """v(n) for n from 0 to `size`, with Python integers, so that large frames work."""
    volumes = np.zeros(size + 1)
    for n in range(2, size + 1):
        total = 3**n - 2**n
        shares = [comb(n, k) * (2**k - 1) / total for k in range(1, n + 1)]
        surprise = [log2(total) - log2(2**k - 1) for k in range(1, n + 1)]
        once = float(np.dot(shares, surprise))
        volumes[n] = (once + np.dot(shares[:-1], volumes[1:n])) / sum(shares[:-1])
    return volumes
