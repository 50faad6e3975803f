"""Predictive belief functions of a categorical outcome, from counts of K categories.

What do n_1, ..., n_K observations say about the next one? Each of six models answers with
a mass function on the categories: two without ignorance (proportions), and four that leave mass
uncommitted when data are scarce.

Sources: P. Walley, Inferences from multinomial data: learning about a bag of marbles,
J. Royal Statistical Society B 58, 1996; T. Denoeux, Constructing belief functions from sample
data using multinomial confidence regions, Int. J. Approximate Reasoning 42, 2006;
Xu et al. 2016, sections 3.2-3.4.

The most committed consonant belief function that dominates a confidence set (mcd).

Each probability within Goodman's intervals, taken as pignistic, has a least committed belief
function, which is consonant: pl(k) = sum over l of min(p_l, p_k). The contour here is the largest
of these values over the set. So the result is less committed than each of these belief functions,
and no other consonant one with this property is more committed.

Source: A. Aregui, T. Denoeux, Constructing consonant belief functions from sample data using
confidence sets of pignistic probabilities, International Journal of Approximate Reasoning 49,
2008, 575-594; they solve a linear program for each category and each set of likelier ones.

Lower probabilities of sets of categories, and the belief functions below them.

Simultaneous confidence intervals and the likelihood give a lower probability of each set.
Both are 2-monotone. On ordered categories, the most committed belief function below them with
intervals as focal sets has a closed form. On three categories they are belief functions themselves.
Otherwise a linear program is solved.

Source: T. Denoeux, Constructing belief functions from sample data using multinomial
confidence regions, International Journal of Approximate Reasoning 42, 2006, 228-252.

The most committed belief function below a lower probability.

When a lower probability is not a belief function, the sum of Bel over all sets is maximized
subject to Bel <= lower: a linear program in the masses. Of several optima, it takes the one that
treats equal counts alike.

Source: T. Denoeux, Constructing belief functions from sample data using multinomial
confidence regions, International Journal of Approximate Reasoning 42, 2006, 228-252.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._typing import Floats
from dstheory.checks.arguments import check_choice, check_flag
from dstheory.construct import consonant
from dstheory.frame import Frame
from dstheory.inference.counts._binomial import binomial_masses
from dstheory.inference.counts.checks import (
    Array,
    as_categories,
    as_count_rows,
    as_strength,
    as_tail,
    by_label,
    refuse_empty_rows,
)
from dstheory.kernels import bits, moebius
from dstheory.kernels.limits import check_cost
from dstheory.kernels.programs import TOLERANCE, minimized
from dstheory.mass import MassFunction


def most_committed(lower: Floats, counts: Floats) -> Floats:
    """Masses (2^K,) that maximize the sum of beliefs, given that Bel <= `lower` (2^K,)."""
    subsets, weight = _program(len(counts))
    result = minimized(
        f"the most committed belief function for counts {counts.tolist()}",
        -weight,
        A_ub=subsets[1:-1],
        b_ub=lower[1:-1],
        A_eq=subsets[-1:],
        b_eq=[1.0],
    )
    return _symmetric(_valid(np.concatenate([[0.0], result.x])), counts)


@cache
def _program(size: int) -> tuple[Floats, Floats]:
    """Which sets (without the empty one) lie below each set, and in how many sets each lies."""
    masks = np.arange(1 << size)
    subsets = ((masks & masks[:, np.newaxis]) == masks)[:, 1:].astype(float)
    subsets.flags.writeable = False
    return subsets, subsets.sum(axis=0)


def _valid(masses: Floats) -> Floats:
    """Drop masses within the tolerance, and give the frame the difference to 1."""
    kept = np.where(masses > TOLERANCE, masses, 0.0)
    kept[-1] = 0.0
    kept[-1] = max(1 - kept.sum(), 0.0)
    return np.asarray(kept / kept.sum())


def _symmetric(masses: Floats, counts: Floats) -> Floats:
    """Average over the sets that differ only by categories with equal counts.

    Each of these solutions is optimal, so their mean is too, and it does not depend on the order of
    labels.
    """
    size = len(counts)
    group = np.unique(counts, return_inverse=True)[1]
    kind = bits.members(np.arange(1 << size), size).T @ (size + 1) ** group
    index = np.unique(kind, return_inverse=True)[1]
    return np.asarray((np.bincount(index, masses) / np.bincount(index))[index])


# Lower probabilities (S, R) of S sets, given as membership (S, K), from counts (R, K).
# So few observations count as none.
_LEAST = 1e-300


def goodman_limits(rows: Floats, tail: float) -> tuple[Floats, Floats]:
    """Goodman's lower and upper limits (R, K) of counts (R, K), for a joint error of 2 `tail`.

    Each interval solves (n_k / N - p)^2 = q p (1 - p) / N, with q so large that by Bonferroni's
    inequality all K intervals hold together at the given level. They are coherent probability
    intervals: a count has the lower limit l(x), convex with l(0) = 0, and the upper limit
    u(x) = 1 - l(N - x), so the bounds of the other categories leave p_k its whole interval. For
    K = 2, both intervals are equivalent, and Bonferroni's correction, kept as published, makes them
    wider than necessary.

    Source: Goodman, "On simultaneous confidence intervals for multinomial proportions",
    Technometrics 7, 1965, 247-254.
    """
    from scipy.special import ndtri

    q = ndtri(tail / rows.shape[1]) ** 2  # of chi-square with one degree: 1 - 2 tail / K
    total = rows.sum(axis=1, keepdims=True)
    some = total > 0
    # Divided by the total, so that large counts do not overflow; r^2 of tiny totals would.
    r = q / np.maximum(total, _LEAST)
    share = rows / np.where(some, total, 1)
    rest = np.maximum(total - rows, 0) / np.where(some, total, 1)
    root = np.sqrt(r) * np.sqrt(r + 4 * share * rest)
    # The lower root from the product of both: a difference would cancel for rare categories.
    lower = 2 * share * share / (r + 2 * share + root)
    return lower, np.minimum((r + 2 * share + root) / (2 * (1 + r)), 1)


Lower = Callable[[NDArray[np.bool_], Floats], Floats]

# The linear program has a matrix of 2^K by 2^K; a row takes 1 ms at K = 5, 0.2 s at K = 10.
MOST_UNORDERED = 10
# Bound on the error of sums of 2^10 lower probabilities, each correct to 5e-16.
ROUNDING = 1e-12


def lower_by_confidence(tail: float) -> Lower:
    """The smallest probability of each set within Goodman's intervals.

    The larger of the sum of lower limits inside and one minus the upper limits outside.
    """

    def lower(sets: NDArray[np.bool_], rows: Floats) -> Floats:
        low, high = goodman_limits(rows, tail)
        inside, outside = sets.astype(float), (~sets).astype(float)
        return np.asarray(np.maximum(inside @ low.T, 1 - outside @ high.T))

    return lower


def lower_by_likelihood(sets: NDArray[np.bool_], rows: Floats) -> Floats:
    """Belief in each set as the answer to "in it or not?" after its count of successes.

    The likelihood of the probability of a set, profiled over all else, is the binomial's.
    """
    total = rows.sum(axis=1)
    # Sums in another order can exceed the total by rounding.
    successes = np.minimum(sets.astype(float) @ rows.T, total)
    belief = binomial_masses(successes, total)[0]
    everything = np.asarray(sets.all(axis=1))
    belief[everything] = 1
    return belief


def interval_masses(lower: Lower, rows: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Focal sets and masses (F, R) on the intervals of ordered categories."""
    size = rows.shape[1]
    first, end = moebius.runs(size)
    place = np.arange(size)
    sets = (place >= first[:, np.newaxis]) & (place < end[:, np.newaxis])
    return moebius.run_masses(lower(sets, rows), size)


def set_masses(lower: Lower, rows: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Focal sets and masses (F, R) on all sets of categories."""
    size = rows.shape[1]
    advice = "use ordered=True, the model 'dempster', or multinomial_bounds"
    check_cost(1 << size, 1 << MOST_UNORDERED, f"{size} unordered categories", "sets", advice)
    # Rows with the same counts in another order share one computation.
    order = np.argsort(rows, axis=1, kind="stable")
    distinct, index = np.unique(np.take_along_axis(rows, order, 1), axis=0, return_inverse=True)
    masses = _sorted_masses(lower, distinct)
    focal = np.arange(1, 1 << size, dtype=np.int64)
    # Mask of each set in the sorted row: label order[k] has place k there.
    place = np.argsort(order, axis=1)
    sorted_focal = bits.members(focal, size).T.astype(np.int64) @ (1 << place).T
    return focal, np.asarray(masses[sorted_focal, index.reshape(-1)])


def _sorted_masses(lower: Lower, rows: Floats) -> Floats:
    size = rows.shape[1]
    sets = bits.members(np.arange(1 << size), size).T
    table = lower(sets, rows)
    table[0] = 0
    masses = moebius.subset_differences(table)
    for row in np.flatnonzero(masses.min(axis=0) < -ROUNDING):
        masses[:, row] = most_committed(table[:, row], rows[row])
    return np.asarray(np.maximum(masses, 0))


def dominating_contour(rows: Floats, tail: float) -> Floats:
    """Contour (R, K) from counts (R, K), for a joint error of 2 `tail`.

    With t = p_k fixed, the sum of min(p_l, t) is 1 minus the excess over t, and at most the sum of
    min(u_l, t). The excess is at least the sum of (l_l - t)+. The intervals are coherent, so both
    bounds are attained. Both increase with t, hence t = u_k.
    """
    low, high = goodman_limits(rows, tail)
    contour = np.empty_like(high)
    for k in range(rows.shape[1]):
        most = high[:, [k]]
        forced = np.maximum(low - most, 0).sum(axis=1)
        room = np.minimum(high, most).sum(axis=1)
        contour[:, k] = np.minimum(1 - forced, room)
    # The likeliest category has exactly 1, because the upper limits sum to 1 or more.
    contour[high == high.max(axis=1, keepdims=True)] = 1
    return np.asarray(np.maximum(contour, 0))


CLOSED_FORMS = ("bayesian", "laplace", "dempster", "idm")
MultinomialModel = Literal["bayesian", "laplace", "dempster", "idm", "goodman", "likelihood", "mcd"]


def multinomial(
    counts: ArrayLike | Mapping[Any, ArrayLike],
    frame: Frame | Sequence[Hashable] | None = None,
    model: MultinomialModel = "likelihood",
    *,
    confidence: float = 0.95,
    strength: float = 1,
    ordered: bool = False,
) -> MassFunction:
    """Predictive belief function of the next category after observed counts.

    Parameters
    ----------
    counts : (*batch, K) array_like, or mapping of labels to counts such as a Counter
        How often each category was seen. They may be non-integers, as sums of sample
        weights are. Integers and Fractions in object arrays give exact masses in the
        models `bayesian`, `laplace` and `dempster` (`idm`).
    frame : Frame, or sequence of labels, optional
        The K categories. By default those that name the counts (keys of a mapping, the columns of a
        data frame, or the index of a series such as that of `value_counts`), or 0, ..., K - 1.
    model : str
        What to infer from n_k of N observations:

        - `"bayesian"`: the proportions n_k / N;
        - `"laplace"`: (n_k + 1) / (N + K);
        - `"dempster"`: n_k / (N + s) on each category and s / (N + s) on the frame, the
          imprecise Dirichlet model with strength s, and the opinion of subjective logic for s = 2;
          Xu et al., eq. 24, for K = 2, s = 1; `"idm"` is another name for it;
        - `"goodman"`: the most committed belief function below the lower probability of
          Goodman's simultaneous confidence intervals (Denoeux 2006);
        - `"likelihood"`: the same, below the expected lower bound of the probability of
          each set under its relative likelihood (Xu et al., eqs. 22, 30);
        - `"mcd"`: the most committed consonant belief function that dominates those of all
          pignistic probabilities within Goodman's intervals (Aregui & Denoeux 2008); any K.
    confidence : float
        Joint level of the intervals, inside (0, 1); only `"goodman"` and `"mcd"` use it.
    strength : float
        Strength s > 0 of the model `"dempster"` (`"idm"`), in observations; Walley proposes 1 or 2.
    ordered : bool
        Whether the categories are ordered. If so, `"goodman"` and `"likelihood"` give mass to
        intervals of categories only, in closed form. The other models ignore it.

    Returns
    -------
    MassFunction
        On the frame, with the batch shape of the counts. Sets without mass in every row
        are left out, except categories in the first three models.

    Raises
    ------
    ValueError
        If a count is NaN, infinite or negative, there is none, the model is unknown, the
        confidence or the strength is out of range, a row has no observation in the model
        `"bayesian"`, the frame does not have K labels, or K > 10 where a table of all sets is
        needed (unordered `"goodman"` and `"likelihood"`).
    TypeError
        If counts, confidence or strength are not real numbers, or the model is not a string.

    See Also
    --------
    multinomial_bounds : belief and plausibility of each category only, for any K.
    binomial : two categories.

    Notes
    -----
    Without observations the result is vacuous, except that `"laplace"` gives 1 / K, and
    `"bayesian"` has no proportions to give.

    Both `"goodman"` and `"likelihood"` define a lower probability P(A) of each set; the result may
    only approximate it. For `"goodman"`, it is the larger of the sum of the lower limits in A and
    one minus the sum of the upper limits outside. For `"likelihood"`, the likelihood of the
    probability of A, profiled over everything else, is that of a binomial with n_A successes in N,
    so P(A) is exactly the belief of `binomial` in success. For K = 2 and 3, this P is a belief
    function, and the result equals it. For K > 3, P is only 2-monotone, and the result is an outer
    approximation: of the belief functions below P, the one with the largest sum of beliefs. A
    linear program finds it to 1e-10 (about 1 ms for each distinct multiset of counts at K = 5),
    with equal counts treated alike. With `"likelihood"`, Bel and Pl of singletons stayed exact in
    all cases tried; with `"goodman"` they may not. If ordered, P of each interval of categories is
    exact, and the other sets follow from that. `"mcd"` has the exact contour for any K: pl(k) is
    the smaller of 1 - sum of (l_j - u_k)+ and sum of min(u_j, u_k), for limits l and u, to which
    the linear programs of the paper reduce.

    References
    ----------
    .. [1] Walley, "Inferences from multinomial data: learning about a bag of marbles",
       Journal of the Royal Statistical Society B 58, 1996, 3-57.
    .. [2] Denoeux, "Constructing belief functions from sample data using multinomial
       confidence regions", International Journal of Approximate Reasoning 42, 2006, 228-252.
    .. [3] Xu, Davoine, Zha, Denoeux, "Evidential calibration of binary SVM classifiers",
       International Journal of Approximate Reasoning 72, 2016, sections 3.4, 4.1.
    .. [4] Aregui, Denoeux, "Constructing consonant belief functions from sample data using
       confidence sets of pignistic probabilities", International Journal of Approximate
       Reasoning 49, 2008, 575-594.

    Examples
    --------
    >>> multinomial([5, 3, 1], ["ant", "bee", "cat"], model="dempster")
    MassFunction on {ant, bee, cat}
      {ant}            0.5
      {bee}            0.3
      {cat}            0.1
      {ant, bee, cat}  0.1

    One observation: the area under u is 1/2, which stays open.

    >>> multinomial([[1, 0, 0], [0, 0, 0]]).bel(0)
    array([0.5, 0. ])
    """
    check_flag("ordered", ordered)
    values, frame = by_label(counts, frame)
    rows, batch = _checked(values, model)
    names = as_categories(frame, rows.shape[1], values=values)
    if model == "mcd":
        contour = dominating_contour(rows, as_tail(confidence))
        return consonant(names, contour.reshape(*batch, -1))
    if model in CLOSED_FORMS:
        focal, store = _closed_form(rows, model, strength)
    else:
        masses = interval_masses if ordered else set_masses
        focal, store = masses(_lower(model, confidence), rows)
    m = MassFunction.from_store(names, focal, store.reshape(len(focal), *batch))
    return m if model in CLOSED_FORMS else m.prune()


def multinomial_bounds(
    counts: ArrayLike,
    model: MultinomialModel = "likelihood",
    *,
    confidence: float = 0.95,
    strength: float = 1,
) -> tuple[Array, Array]:
    """Belief and plausibility of each category as the next one, without the joint masses.

    Parameters
    ----------
    counts : (*batch, K) array_like
        How often each category was seen; any K.
    model : str
        One of `"bayesian"`, `"laplace"`, `"dempster"` (`"idm"`), `"goodman"`, `"likelihood"`,
        `"mcd"`; see `multinomial`.
    confidence : float
        Joint level of the intervals, inside (0, 1); only `"goodman"` and `"mcd"` use it.
    strength : float
        Strength s > 0 of the model `"dempster"`.

    Returns
    -------
    lower, upper : (*batch, K) ndarray
        The exact lower and upper probabilities. `multinomial` has the same Bel and Pl of
        singletons for K <= 3; for K > 3 its intervals may be wider.

    Raises
    ------
    ValueError, TypeError
        As `multinomial`.

    See Also
    --------
    multinomial : the belief function.

    Notes
    -----
    Those of `"goodman"` are Goodman's simultaneous confidence intervals.

    Examples
    --------
    >>> multinomial_bounds([5, 3, 1], model="dempster")
    (array([0.5, 0.3, 0.1]), array([0.6, 0.4, 0.2]))
    """
    rows, batch = _checked(counts, model)
    if rows.shape[1] == 1:  # the only category is certain
        lower, upper = np.ones_like(rows), np.ones_like(rows)
    elif model in CLOSED_FORMS:
        masses = _closed_form(rows, model, strength)[1].T
        lower = masses[:, : rows.shape[1]]
        upper = lower + masses[:, rows.shape[1] :].sum(axis=1, keepdims=True)
    elif model == "mcd":
        upper = dominating_contour(rows, as_tail(confidence))
        lower = 1 - _greatest_of_others(upper)
    elif model == "goodman":
        lower, upper = goodman_limits(rows, as_tail(confidence))
    else:
        lower, other = binomial_masses(
            rows, np.maximum(rows.sum(axis=1, keepdims=True), rows), "likelihood"
        )
        upper = 1 - other
    return lower.reshape(*batch, -1), upper.reshape(*batch, -1)


def _greatest_of_others(values: Array) -> Array:
    """For each column the greatest value (R, K) of the others in the row, K > 1."""
    second, first = np.moveaxis(np.sort(values, axis=1)[:, -2:, np.newaxis], 1, 0)
    alone = (values == first) & ((values == first).sum(axis=1, keepdims=True) == 1)
    return np.asarray(np.where(alone, second, first))


def _checked(counts: ArrayLike, model: MultinomialModel) -> tuple[Array, tuple[int, ...]]:
    check_choice("model", model, get_args(MultinomialModel))
    rows, batch = as_count_rows(counts, exact=model in CLOSED_FORMS)
    if model == "bayesian":
        refuse_empty_rows(rows, batch)
    return rows, batch


def _closed_form(rows: Array, model: MultinomialModel, strength: float) -> tuple[Any, Array]:
    """Focal sets and masses (F, R): the categories, and for `dempster` the frame."""
    size = rows.shape[1]
    singles = [1 << i for i in range(size)]
    if model not in ("dempster", "idm"):
        share = rows + 1 if model == "laplace" else rows
        store = np.ascontiguousarray((share / share.sum(axis=1, keepdims=True)).T)
        return bits.mask_array(singles, size), store
    s = as_strength(strength, exact=rows.dtype == object)
    if isinstance(s, float):
        rows = rows.astype(np.float64)
    total = rows.sum(axis=1) + s
    store = np.concatenate([rows.T, np.full_like(total, s)[np.newaxis]]) / total
    if size == 1:  # the only category is the frame
        return bits.mask_array([1], 1), store.sum(axis=0, keepdims=True)
    return bits.mask_array([*singles, (1 << size) - 1], size), store


def _lower(model: MultinomialModel, confidence: float) -> Lower:
    tail = as_tail(confidence)
    return lower_by_confidence(tail) if model == "goodman" else lower_by_likelihood
