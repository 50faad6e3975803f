"""Total uncertainty of a belief, in bits: nonspecificity plus internal conflict.

Jirousek & Shenoy 2018, "A new definition of entropy of belief functions in the Dempster-Shafer
theory", IJAR 92, review these measures and the properties that each of them lacks.

Conflict within one belief, in bits: how little its focal sets agree with each other.

Each measure is a mean of -log2 of the agreement of a focal set with the others, and equals
Shannon's entropy for probabilities. They differ in what counts as agreement: meeting the others
(Yager), covering them (Klir & Ramer), being covered by them (Klir & Parviz), or being the same set
(Nguyen, Pal).

Nonspecificity: the size of the focal sets, as the number of yes-no questions left open.

It generalizes Hartley's measure of a set, log2 |A|, to the mean over the focal sets (Dubois &
Prade 1985, "A note on measures of specificity for fuzzy sets").

Uncertainty of a belief after splitting its focal sets, in bits.

The mass of a focal set is shared among all its non-empty subsets. The fractal entropy does so once
and evenly (Zhou & Deng 2022). The information volume does so repeatedly, in the proportions of
maximal Deng entropy (Deng 2020); its limit is computed in closed form.

Information content, the opposite. Sudano's (PIC) compares the results of transforms such as BetP
and DSmP for one belief: 1 is certainty, and 0 is the uniform probability, which supports no
decision. Smets' says how much a belief says, from its commonalities: the conjunctive rule
multiplies these, so information adds up (Smets 1983, "Information content of an evidence", Int. J.
Man-Machine Studies 19).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import check_choice, shown
from dstheory.checks.masses import check_number
from dstheory.errors import MassError
from dstheory.kernels import bits, moebius, setwise
from dstheory.kernels.batches import scalar
from dstheory.mass import MassFunction
from dstheory.transform import betp, maximum_entropy_probability, plausibility_transform, tables
from dstheory.transform.tables import dense_masses


def normalized_floats(m: MassFunction) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Non-empty focal sets and their masses (F, *batch) as floats, for logarithms."""
    normal = check_mass(m).normalize()
    return normal.focal, normal.store.astype(np.float64)


def mean_surprise(masses: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over the first axis of masses times -log2(values), where 0 log 0 is 0."""
    logs = np.log2(np.where(masses > 0, values, 1.0))
    # Rounding can put a value above 1, which would give a negative surprise.
    return np.asarray((np.maximum(masses, 0) * np.maximum(0.0 - logs, 0)).sum(axis=0))


def shannon(probabilities: NDArray[Any]) -> NDArray[np.float64]:
    """Shannon entropy of probabilities (*batch, K)."""
    rows = np.moveaxis(probabilities.astype(np.float64), -1, 0)
    return mean_surprise(rows, rows)


def nonspecificity(m: MassFunction) -> Any:
    """Nonspecificity (generalized Hartley measure), the mean of log2 |A|.

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.

    Returns
    -------
    float, or array of the batch shape
        In bits; 0 for probabilities, log2 K for the vacuous belief.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Dubois & Prade (1985), A note on measures of specificity for fuzzy sets.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> nonspecificity(MassFunction(Frame(list("abcd")), [1, 15], [0.75, 0.25]))
    0.5
    """
    focal, masses = normalized_floats(m)
    sizes = np.log2(bits.cardinality(focal))
    return scalar(setwise.weighted_sum(sizes[np.newaxis], masses)[0])


# The order must have a logarithm as a float.
_MAX_ORDER = 1e308


def pal_entropy(m: MassFunction) -> Any:
    """Pal's total uncertainty, the mean of log2(|A| / m(A)).

    References
    ----------
    Pal, Bezdek & Hemasinha (1993), Uncertainty measures for evidential reasoning II: a new
    measure of total uncertainty, IJAR 8.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> pal_entropy(MassFunction(Frame(list("ab")), [1, 3], [0.5, 0.5]))
    1.5
    """
    return nonspecificity(m) + internal_conflict(m, "pal")


def deng_entropy(m: MassFunction, order: int = 1) -> Any:
    """Deng's entropy, the mean of -log2(m(A) / (2^|A| - 1)), or one of higher order.

    References
    ----------
    Deng (2016), Deng entropy, Chaos, Solitons & Fractals 91; Deng (2020), Uncertainty
    measure in evidence theory. Zhou & Deng (2022), Higher order information volume of mass
    function, Information Sciences 586.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> deng_entropy(MassFunction(Frame(list("ab")), [1, 2], [0.5, 0.5]))
    1.0
    """
    focal, masses = normalized_floats(m)
    check_number(order, "order")
    if not order >= 1:
        raise ValueError(f"order is {order}, expected at least 1")
    if order > _MAX_ORDER:
        raise ValueError(f"order is {shown(order)}, expected at most {_MAX_ORDER:g}")
    sizes = bits.cardinality(focal).astype(np.float64)
    # log2((k + 1)^n - k^n) without powers, which overflow, and k / (k + 1), which rounds to 1
    rest = -np.expm1(-sizes * math.log1p(1 / order))
    logs = sizes * math.log2(order + 1) + np.log2(np.where(sizes > 0, rest, 1))
    volume = setwise.weighted_sum(logs[np.newaxis], masses)[0]
    return scalar(volume + mean_surprise(masses, masses))


def pignistic_entropy(m: MassFunction) -> Any:
    """Shannon's entropy of the pignistic probability (ambiguity measure).

    References
    ----------
    Jousselme, Liu, Grenier & Bosse (2006), Measuring ambiguity in the evidence theory.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> pignistic_entropy(MassFunction(Frame(list("abcd")), [15], [1.0]))
    2.0
    """
    return scalar(shannon(betp(m)))


def jirousek_shenoy_entropy(m: MassFunction) -> Any:
    """Entropy of the plausibility transform, plus nonspecificity.

    References
    ----------
    Jirousek & Shenoy (2018), A new definition of entropy of belief functions in the
    Dempster-Shafer theory, IJAR 92.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> jirousek_shenoy_entropy(MassFunction(Frame(list("abcd")), [15], [1.0]))
    4.0
    """
    return scalar(shannon(plausibility_transform(m)) + np.asarray(nonspecificity(m)))


def aggregated_uncertainty(m: MassFunction) -> Any:
    """Largest Shannon entropy among the probabilities P >= Bel.

    References
    ----------
    Harmanec & Klir (1994), Measuring total uncertainty in Dempster-Shafer theory: a novel
    approach; Maeda, Nguyen & Ichihashi (1993).

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> aggregated_uncertainty(MassFunction(Frame(list("abc")), [1, 7], [0.5, 0.5]))
    1.5
    """
    return scalar(shannon(maximum_entropy_probability(m)))


def maeda_ichihashi_entropy(m: MassFunction) -> Any:
    """Maeda and Ichihashi's measure, aggregated uncertainty plus nonspecificity.

    References
    ----------
    Maeda & Ichihashi (1993), An uncertainty measure with monotonicity under the random set
    inclusion, Int. J. General Systems 21.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> maeda_ichihashi_entropy(MassFunction(Frame(list("ab")), [3], [1.0]))
    2.0
    """
    return aggregated_uncertainty(m) + nonspecificity(m)


def fractal_entropy(m: MassFunction) -> Any:
    """Fractal-based belief entropy, Shannon's after sharing each mass among all subsets.

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
    table = dense_masses(check_mass(m).normalize()).astype(np.float64)
    sizes = bits.cardinality(np.arange(len(table))).astype(np.float64)
    n_subsets = np.maximum(np.exp2(sizes) - 1, 1).reshape(-1, *(1,) * len(m.batch_shape))
    shared = moebius.superset_sums(table / n_subsets)[1:]
    return scalar(mean_surprise(shared, shared))


EntropyKind = Literal[
    "jirousek_shenoy", "maeda_ichihashi", "pal", "deng", "aggregated", "pignistic", "fractal"
]
ConflictKind = Literal["dissonance", "discord", "strife", "pal"]

_ENTROPIES: dict[str, Callable[[MassFunction], Any]] = {
    "jirousek_shenoy": jirousek_shenoy_entropy,
    "maeda_ichihashi": maeda_ichihashi_entropy,
    "pal": pal_entropy,
    "deng": deng_entropy,
    "aggregated": aggregated_uncertainty,
    "pignistic": pignistic_entropy,
    "fractal": fractal_entropy,
}


def entropy(m: MassFunction, kind: EntropyKind = "jirousek_shenoy", *, order: int = 1) -> Any:
    """Total uncertainty of a belief in bits, which is Shannon's entropy for probabilities.

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.
    kind : str
        ======================= =================================================================
        ``"jirousek_shenoy"``   Shannon's entropy of the plausibility transform plus
                                nonspecificity [1]_: largest for the vacuous belief only
        ``"maeda_ichihashi"``   aggregated uncertainty plus nonspecificity [2]_
        ``"pal"``               the mean of log2(|A| / m(A)) [3]_
        ``"deng"``              the mean of log2((2^|A| - 1) / m(A)), see `order` [4]_
        ``"aggregated"``        the largest entropy in the credal set [5]_
        ``"pignistic"``         that of the pignistic probability (ambiguity measure) [6]_
        ``"fractal"``           that of the masses shared among all subsets, on at most 26
                                labels [7]_
        ======================= =================================================================
    order : int, at least 1
        Of "deng": (k + 1)^|A| - k^|A| with k = `order` instead of 2^|A| - 1 [8]_.

    Returns
    -------
    float, or array of the batch shape

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If the kind is unknown, or `order` below 1, or given for another kind than "deng".

    References
    ----------
    .. [1] Jirousek & Shenoy, International Journal of Approximate Reasoning 92, 2018.
    .. [2] Maeda & Ichihashi, Int. J. General Systems 21, 1993.
    .. [3] Pal, Bezdek & Hemasinha, International Journal of Approximate Reasoning 8, 1993.
    .. [4] Deng, Chaos, Solitons & Fractals 91, 2016.
    .. [5] Harmanec & Klir, Int. J. General Systems 22, 1994.
    .. [6] Jousselme, Liu, Grenier & Bosse, IEEE Trans. SMC A 36, 2006.
    .. [7] Zhou & Deng, Information Sciences 587, 2022.
    .. [8] Zhou & Deng, Information Sciences 586, 2022.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> m = MassFunction(Frame(list("ab")), [1, 2], [0.5, 0.5])
    >>> entropy(m), entropy(m, "deng"), entropy(m, "pignistic")
    (1.0, 1.0, 1.0)
    """
    check_choice("kind", kind, _ENTROPIES)
    if kind == "deng":
        return deng_entropy(m, order)
    if order != 1:
        raise ValueError(f"order is {shown(order)}, but only the kind 'deng' has one")
    return _ENTROPIES[kind](m)


def internal_conflict(m: MassFunction, kind: ConflictKind = "discord") -> Any:
    """How little the focal sets of one belief agree, in bits, 0 for a single set.

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.
    kind : {"discord", "dissonance", "strife", "pal"}
        The mean of -log2 of how far a focal set agrees with all: by the share of them that it
        covers (discord, Klir & Ramer 1990), whether it meets them (dissonance, Yager 1983), by the
        share of it that they cover (strife, Klir & Parviz 1992), or whether it is the same (Pal,
        Bezdek & Hemasinha 1993).

    Returns
    -------
    float, or array of the batch shape
        Shannon's entropy for probabilities, by any kind.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If the kind is unknown.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> internal_conflict(MassFunction(Frame(list("ab")), [1, 2], [0.5, 0.5]), "strife")
    1.0
    """
    check_choice("kind", kind, get_args(ConflictKind))
    focal, masses = normalized_floats(m)
    if kind == "pal":
        return scalar(mean_surprise(masses, masses))
    common, sizes = bits.common(focal), bits.cardinality(focal)
    if kind == "dissonance":
        agreement = (common > 0).astype(np.float64)
    else:
        agreement = common / (sizes if kind == "discord" else sizes[:, np.newaxis])
    return scalar(mean_surprise(masses, setwise.weighted_sum(agreement, masses)))


def information_volume(m: MassFunction) -> Any:
    """Deng's information volume, the entropy in the limit of splitting all sets.

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
        shares = [math.comb(n, k) * (2**k - 1) / total for k in range(1, n + 1)]
        surprise = [math.log2(total) - math.log2(2**k - 1) for k in range(1, n + 1)]
        once = float(np.dot(shares, surprise))
        volumes[n] = (once + np.dot(shares[:-1], volumes[1:n])) / sum(shares[:-1])
    return volumes


def information(m: MassFunction) -> Any:
    """Smets' information content, the sum over all sets of -log2 q(A).

    Parameters
    ----------
    m : MassFunction
        One or a batch, on at most 26 labels; subnormal ones are not normalized.

    Returns
    -------
    float, or array of the batch shape
        In bits; 0 for the vacuous belief, infinite for a dogmatic one (m(frame) = 0).

    Raises
    ------
    DSTheoryError
        If the frame has more than 26 labels.

    Notes
    -----
    The information of a conjunctive combination is the sum of those of its sources.

    References
    ----------
    Smets (1983), Information content of an evidence, Int. J. Man-Machine Studies 19.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> information(MassFunction(Frame(list("ab")), [1, 3], [0.5, 0.5]))
    2.0
    """
    with np.errstate(divide="ignore"):  # q(A) = 0 means infinite information
        logs = np.log2(tables.table(m, "q").astype(np.float64))
    return scalar(np.asarray(0.0 - logs.sum(axis=-1)))


def pic(probabilities: Numbers | MassFunction) -> Any:
    """Probabilistic information content, 1 + (sum of p log2 p) / log2 K.

    Parameters
    ----------
    probabilities : (*batch, K) array
        Rows sum to 1. For a mass function, apply a transform first, as in ``pic(betp(m))``.

    Returns
    -------
    float, or array of the batch shape
        From 0 (uniform) to 1 (certain); 1 for K = 1.

    Raises
    ------
    MassError
        If a probability is negative or not finite, or a row does not sum to 1.
    TypeError
        If the values are not numbers, or a mass function is given.

    See Also
    --------
    entropy : of the kind "pignistic", in bits; PIC(BetP) is 1 - entropy / log2 K.
    dstheory.transform.dsmp : the transform of the greatest PIC.

    References
    ----------
    Sudano (2002), The system probability information content (PIC) relationship to contributing
    components, combining independent multi-source beliefs, hybrid and pedigree pignistic
    probabilities, Fusion 2002; Dezert & Smarandache (2008), A new probabilistic transformation
    of belief mass assignment, Fusion 2008.

    Examples
    --------
    >>> pic([0.5, 0.5, 0, 0]), pic([[1, 0], [0.5, 0.5]])
    (0.5, array([1., 0.]))
    """
    if isinstance(probabilities, MassFunction):
        raise TypeError("probabilities are an array; for a mass function use pic(betp(m))")
    rows = checks.as_numbers(probabilities)
    if rows.ndim == 0 or rows.shape[-1] == 0:
        raise MassError(f"probabilities have shape {rows.shape}, expected (*batch, K)")
    rows = checks.as_distribution(rows, "probabilities")
    most = np.log2(rows.shape[-1])  # 0 for a single label, whose entropy is 0 too
    return scalar(np.asarray(1 - shannon(rows) / (most or 1.0)))
