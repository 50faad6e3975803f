"""Masses of single classes and of the frame, (..., K + 1): all in O(K), without a list of sets.

The last entry is the mass of the frame. Such masses stay so under the conjunctive rule, and their
combination has no differences: m({k}) = m1({k}) m2({k}) + m1({k}) m2(frame) + m1(frame) m2({k}).
So digits and gradients are kept at masses of 0 and 1. Shafer 1976, ch. 3.
"""

from collections.abc import Callable

from dstheory.checks.arguments import as_floats, shown
from dstheory.checks.naming import RATE, RATES, shares_by_name
from dstheory.errors import MassError
from dstheory.tensor._arrays import (
    Namespace,
    Tensor,
    check_floating,
    check_total,
    checked,
    constant,
    holds,
    in_blocks,
    like,
    matmul,
    namespace,
    tolerance,
)


def normalize(logarithms: Tensor) -> Tensor:
    """Compute masses from their logarithms, known up to a constant.

    Parameters
    ----------
    logarithms : (..., K + 1) array
        Such as the outputs of a network: of the classes, and last of the frame.

    Returns
    -------
    (..., K + 1) array
        Their softmax: masses that sum to 1.

    Raises
    ------
    TypeError, ValueError
        If the array is not of floating-point numbers, or has no axis.

    References
    ----------
    Bridle (1990), Probabilistic interpretation of feedforward classification network outputs, with
    relationships to statistical pattern recognition, Neurocomputing, Springer, 227-236.

    Examples
    --------
    >>> import numpy as np
    >>> normalize(np.log([1.0, 1.0, 2.0])).round(2)
    array([0.25, 0.25, 0.5 ])
    """
    xp = namespace(logarithms)
    check_floating(xp, "logarithms", logarithms)
    top = constant(xp, xp.max(logarithms, axis=-1, keepdims=True))
    masses = xp.exp(logarithms - top)
    return masses / xp.sum(masses, axis=-1, keepdims=True)


def bel(m: Tensor, events: Tensor | None = None) -> Tensor:
    """Compute belief in the classes or in other events.

    Parameters
    ----------
    m : (..., K + 1) array
        Masses of the classes, and last of the frame.
    events : (E, K) array, optional
        Events as rows of 0 and 1; the classes by default.

    Returns
    -------
    (..., K) or (..., E) array

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2.

    Examples
    --------
    >>> import numpy as np
    >>> m = np.array([0.5, 0.25, 0.25])
    >>> bel(m), bel(m, np.array([[1, 1]]))
    (array([0.5 , 0.25]), array([1.]))
    """
    return _of_events(m, events, lambda xp, members: xp.min(members, axis=-1), part=0)


def pl(m: Tensor, events: Tensor | None = None) -> Tensor:
    """Compute the plausibility of the classes or of other events.

    Parameters
    ----------
    m : (..., K + 1) array
        Masses of the classes, and last of the frame.
    events : (E, K) array, optional
        Events as rows of 0 and 1; the classes by default.

    Returns
    -------
    (..., K) or (..., E) array

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2.

    Examples
    --------
    >>> import numpy as np
    >>> pl(np.array([0.5, 0.25, 0.25]))
    array([0.75, 0.5 ])
    """
    return _of_events(m, events, lambda xp, members: xp.max(members, axis=-1), part=1)


def betp(m: Tensor) -> Tensor:
    """Compute pignistic probabilities by sharing the mass of the frame equally.

    Parameters
    ----------
    m : (..., K + 1) array
        Masses of the classes, and last of the frame.

    Returns
    -------
    (..., K) array

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Smets & Kennes (1994), The transferable belief model, Artificial Intelligence 66, 191-234.

    Examples
    --------
    >>> import numpy as np
    >>> betp(np.array([0.5, 0.25, 0.25]))
    array([0.625, 0.375])
    """
    checked(m)
    return m[..., :-1] + m[..., -1:] / (m.shape[-1] - 1)


def plausibility_transform(m: Tensor) -> Tensor:
    """Compute probabilities in proportion to the plausibility of each class.

    Parameters
    ----------
    m : (..., K + 1) array
        Masses of the classes, and last of the frame.

    Returns
    -------
    (..., K) array

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Cobb & Shenoy (2006), On the plausibility transformation method for translating belief function
    models to probability models, International Journal of Approximate Reasoning 41, 314-330.

    Examples
    --------
    >>> import numpy as np
    >>> plausibility_transform(np.array([0.5, 0.25, 0.25]))
    array([0.6, 0.4])
    """
    plausible = pl(m)
    return plausible / namespace(m).sum(plausible, axis=-1, keepdims=True)


def expectations(m: Tensor, utilities: Tensor) -> tuple[Tensor, Tensor]:
    """Compute lower and upper expected utilities of acts.

    Parameters
    ----------
    m : (..., K + 1) array
        Masses of the classes, and last of the frame.
    utilities : (A, K) array
        Utility of each act (row) under each class (column).

    Returns
    -------
    lower, upper : (..., A) arrays

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Shafer (1981), Constructive probability, Synthese 48, 1-60. Strat (1990), Decision analysis
    using belief functions, International Journal of Approximate Reasoning 4, 391-417.

    Examples
    --------
    >>> import numpy as np
    >>> lower, upper = expectations(np.array([0.5, 0.25, 0.25]), np.array([[1.0, 0.0]]))
    >>> lower, upper
    (array([0.5]), array([0.75]))
    """
    xp = checked(m)
    table = _rows_by_class(xp, utilities, m, "utilities")
    single = matmul(xp, m[..., :-1], table.T)
    worst, best = xp.min(table, axis=-1), xp.max(table, axis=-1)
    return single + m[..., -1:] * worst, single + m[..., -1:] * best


@shares_by_name(rate=RATE["rate"])
def discount(m: Tensor, *, rate: Tensor) -> Tensor:
    """Move a share of every mass to the frame, because the source may be irrelevant.

    Parameters
    ----------
    m : (..., K + 1) array
        Masses of the classes, and last of the frame.
    rate : number or array (...)
        Share from 0 to 1; broadcasts with the batch of `m`.

    Returns
    -------
    (..., K + 1) array

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1, or a rate does not lie between 0 and 1 (unless
        traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 11.

    Examples
    --------
    >>> import numpy as np
    >>> discount(np.array([0.5, 0.25, 0.25]), rate=0.5)
    array([0.25 , 0.125, 0.625])
    """
    xp = checked(m)
    lost = _shares(xp, rate, m)[..., None]
    frame = lost + (1 - lost) * m[..., -1:]
    return _joined(xp, (1 - lost) * m[..., :-1], frame)


@shares_by_name(rates=RATES["rates"])
def contextual_discount(m: Tensor, *, rates: Tensor) -> Tensor:
    """Compute the plausibility of classes if reliability depends on the true class.

    Parameters
    ----------
    m : (..., K + 1) array
        Masses of the classes, and last of the frame.
    rates : (..., K) array
        Probability that the source is irrelevant if the class is true.

    Returns
    -------
    (..., K) array
        The contour 1 - (1 - rate) (1 - pl). The discounted masses belong to many sets, but
        Dempster's rule multiplies contours, so the product of those of several sources is that of
        their combination, up to a factor.

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1, or a rate does not lie between 0 and 1 (unless
        traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Mercier, Quost & Denoeux (2008), Refined modeling of sensor reliability in the belief function
    framework using contextual discounting, Information Fusion 9, 246-258; in networks: Huang,
    Denoeux, Vera & Ruan (2022), Evidence fusion with contextual discounting for multi-modality
    medical image segmentation, MICCAI.

    Examples
    --------
    >>> import numpy as np
    >>> contextual_discount(np.array([0.5, 0.5, 0.0]), rates=np.array([0.5, 0.0]))
    array([0.75, 0.5 ])
    """
    xp = checked(m)
    lost = _shares(xp, rates, m)
    if lost.ndim and lost.shape[-1] != m.shape[-1] - 1:
        raise ValueError(
            f"rates have shape {tuple(lost.shape)}, expected {m.shape[-1] - 1} on the last axis: "
            "one per class"
        )
    return lost + (1 - lost) * (m[..., :-1] + m[..., -1:])


def mean(m1: Tensor, m2: Tensor, *more: Tensor, weights: Tensor | None = None) -> Tensor:
    """Average the masses of sources of which one is right.

    Parameters
    ----------
    m1, m2, *more : (..., K + 1) array
        Masses of the classes, and last of the frame; batches broadcast.
    weights : (S,) array, optional
        Of the sources, 0 or more and of sum 1; equal by default.

    Returns
    -------
    (..., K + 1) array

    Raises
    ------
    MassError
        If masses or weights are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Ferson et al. (2003), Constructing probability boxes and Dempster-Shafer structures, Sandia
    report 2002-4015: mixing.

    Examples
    --------
    >>> import numpy as np
    >>> mean(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, 0.5]))
    array([0.5 , 0.25, 0.25])
    """
    sources = (m1, m2, *more)
    xp = checked(*sources)
    if weights is None:
        return sum(sources[1:], start=m1) / len(sources)
    given = _as_array(xp, weights, m1, "weights")
    if tuple(given.shape) != (len(sources),):
        raise ValueError(
            f"weights have shape {tuple(given.shape)}, expected one per source: ({len(sources)},)"
        )
    values = constant(xp, given)
    sums_to_one = xp.abs(xp.sum(values) - 1) <= tolerance(xp, given)
    if not holds(xp.all(values >= 0) & sums_to_one):
        raise MassError(f"weights are {shown(weights)}, expected 0 or more and a sum of 1")
    return sum((given[s] * m for s, m in enumerate(sources[1:], 1)), start=given[0] * m1)


def conjunctive(m1: Tensor, m2: Tensor, *more: Tensor) -> tuple[Tensor, Tensor]:
    """Combine independent sources and keep the conflict.

    Parameters
    ----------
    m1, m2, *more : (..., K + 1) array
        Masses of the classes, and last of the frame; batches broadcast.

    Returns
    -------
    masses : (..., K + 1) array
        Their sum is 1 - conflict, so other functions of this module do not accept them.
    conflict : (...) array
        Mass of the empty set.

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Smets & Kennes (1994), The transferable belief model, Artificial Intelligence 66, 191-234.

    Examples
    --------
    >>> import numpy as np
    >>> m, conflict = conjunctive(np.array([0.5, 0.0, 0.5]), np.array([0.0, 0.5, 0.5]))
    >>> m, float(conflict)
    (array([0.25, 0.25, 0.25]), 0.25)
    """
    xp = checked(m1, m2, *more)
    joint, conflict = m1, xp.zeros_like(m1[..., 0])
    for m in (m2, *more):
        single = m[..., :-1]
        others = xp.sum(single, axis=-1, keepdims=True) - single
        conflict = conflict + xp.sum(joint[..., :-1] * others, axis=-1)
        joint = _product(xp, joint, m)
    return joint, conflict


def dempster(m1: Tensor, m2: Tensor, *more: Tensor) -> Tensor:
    """Combine independent sources with Dempster's rule.

    Parameters
    ----------
    m1, m2, *more : (..., K + 1) array
        Masses of the classes, and last of the frame; batches broadcast.

    Returns
    -------
    (..., K + 1) array
        NaN in rows of total conflict, if traced.

    Raises
    ------
    TotalConflictError
        If sources exclude each other (unless traced).
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    Notes
    -----
    Masses are divided by their sum, not by 1 - conflict, so conflict near 1 costs no digits. It may
    come as near as the smallest normal number, 1e-38 in float32; beyond that it is total.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 3.

    Examples
    --------
    >>> import numpy as np
    >>> dempster(np.array([0.5, 0.0, 0.5]), np.array([0.0, 0.5, 0.5])).round(3)
    array([0.333, 0.333, 0.333])
    """
    xp = checked(m1, m2, *more)
    joint = m1
    for m in (m2, *more):
        joint = in_blocks(xp, _orthogonal, joint, m)
    return joint


def cautious(m1: Tensor, m2: Tensor, *more: Tensor) -> Tensor:
    """Combine sources that may share evidence with the normalized cautious rule.

    Parameters
    ----------
    m1, m2, *more : (..., K + 1) array
        Masses of the classes, and last of the frame; batches broadcast.

    Returns
    -------
    (..., K + 1) array
        Each class gets the larger of the weights of evidence log(1 + m({k}) / m(frame)). NaN in
        rows where several sources have no mass on the frame, if traced.

    Raises
    ------
    TotalConflictError
        If several sources have no mass on the frame (unless traced).
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Denoeux (2008), Conjunctive and disjunctive combination of belief functions induced by
    nondistinct bodies of evidence, Artificial Intelligence 172, 234-264.

    Examples
    --------
    >>> import numpy as np
    >>> cautious(np.array([0.5, 0.0, 0.5]), np.array([0.5, 0.0, 0.5]))
    array([0.5, 0. , 0.5])
    """
    xp = checked(m1, m2, *more)
    joint = m1
    for m in (m2, *more):
        single = xp.maximum(joint[..., :-1] * m[..., -1:], joint[..., -1:] * m[..., :-1])
        both = _joined(xp, single, joint[..., -1:] * m[..., -1:])
        joint = _normalized(xp, both, "the cautious rule of sources without mass on the frame")
    return joint


def _product(xp: Namespace, m1: Tensor, m2: Tensor, axis: int = -1) -> Tensor:
    """The conjunctive rule, without the mass of the empty set."""
    (single1, frame1), (single2, frame2) = _parts(m1, axis), _parts(m2, axis)
    single = single1 * (single2 + frame2) + frame1 * single2
    return xp.concat([single, frame1 * frame2], axis=axis)


def _orthogonal(xp: Namespace, m1: Tensor, m2: Tensor, axis: int = -1) -> Tensor:
    """Dempster's rule for two sources.

    One of them is divided by the sum of the products, as a constant, so that products of sum 1 are
    normalized: no gradient overflows, as it would by the square of a small sum.
    """
    known1, known2 = constant(xp, m1), constant(xp, m2)
    (single1, frame1), (single2, frame2) = _parts(known1, axis), _parts(known2, axis)
    total = xp.sum(single1 * single2, axis=axis, keepdims=True) + frame1 + frame2 * (1 - frame1)
    total = xp.clip(total, min=2 / float(xp.finfo(total.dtype).max))
    return _normalized(xp, _product(xp, m1, m2 / total, axis), "Dempster's rule", axis)


def _normalized(xp: Namespace, joint: Tensor, rule: str, axis: int = -1) -> Tensor:
    total = xp.sum(joint, axis=axis)
    check_total(xp, total, rule)
    return joint / xp.expand_dims(total, axis=axis)


def _parts(m: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Masses of the classes and of the frame, on the first axis or the last."""
    return (m[..., :-1], m[..., -1:]) if axis else (m[:-1], m[-1:])


def _joined(xp: Namespace, single: Tensor, frame: Tensor) -> Tensor:
    """Masses of classes (..., K) and of the frame (..., 1) as one array."""
    return xp.concat([single, frame], axis=-1)


def _as_array(xp: Namespace, values: Tensor, m: Tensor, name: str) -> Tensor:
    """Numbers beside masses, as an array of the same library and type."""
    if isinstance(values, int | float | list | tuple):
        return like(xp, as_floats(values, name), m)
    namespace(values, m)
    if not xp.isdtype(values.dtype, ("bool", "integral", "real floating")):
        raise TypeError(f"{name} have the type {values.dtype}, expected numbers")
    return xp.astype(values, m.dtype)


def _shares(xp: Namespace, rate: Tensor, m: Tensor) -> Tensor:
    share = _as_array(xp, rate, m, "rates")
    values = constant(xp, share)
    if not holds(xp.all((values >= 0) & (values <= 1))):
        raise MassError(f"rate is {shown(rate)}, expected numbers from 0 to 1")
    return share


def _rows_by_class(xp: Namespace, rows: Tensor, m: Tensor, name: str) -> Tensor:
    """A matrix with a column per class."""
    table = _as_array(xp, rows, m, name)
    if table.ndim != 2 or table.shape[-1] != m.shape[-1] - 1:
        raise ValueError(
            f"{name} have shape {tuple(table.shape)}, expected one row per event or act and "
            f"{m.shape[-1] - 1} columns, one per class"
        )
    return table


def _of_events(
    m: Tensor, events: Tensor | None, of_frame: Callable[..., Tensor], part: int
) -> Tensor:
    xp = checked(m)
    if events is None:
        return m[..., :-1] + m[..., -1:] * max(part, m.shape[-1] == 2)
    members = _rows_by_class(xp, events, m, "events")
    return matmul(xp, m[..., :-1], members.T) + m[..., -1:] * of_frame(xp, members)
