"""Point decisions: one act for each row, by a criterion.

The act with the largest pignistic, worst-case, best-case or mixed expectation (Denoeux 2019,
"Decision-making with belief functions: a review", IJAR 109). Without utilities acts are labels, and
these expectations are their probability, belief and plausibility. Ties go to the first act.

Regret: the shortfall of an act from the best act under each class.

The criteria choose the act with the smallest expected regret. Within a focal set, regret is the
largest (Savage 1951; Yager 2004, "Decision making using minimization of regret") or, for the
pignistic criterion, the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers, Scalar, Utilities
from dstheory.checks.arguments import check_degree, check_label_order, shown
from dstheory.checks.masses import as_masses, check_shares
from dstheory.decide._acts import Acts, first_best
from dstheory.decide._expectations import (
    Belief,
    Expectations,
    best_table,
    expected_utility,
    lower_expected_utility,
    mean_over_sets,
    upper_expected_utility,
    valued,
    worst_table,
)
from dstheory.decide._utilities import act_rows, as_matrix, prepared
from dstheory.errors import MassError
from dstheory.mass import MassFunction


def regrets(utilities: Numbers) -> NDArray[Any]:
    """Regret of each act under each class, the best utility under the class minus its own.

    Parameters
    ----------
    utilities : (A, K) array

    Returns
    -------
    (A, K) array
        Non-negative; `expected_utility` and its bounds turn regrets into expected regrets.

    Raises
    ------
    ValueError
        If `utilities` is not a matrix or not finite.

    Examples
    --------
    >>> regrets([[4, 0], [1, 3]])
    array([[0., 3.],
           [3., 0.]])
    """
    matrix = as_matrix(utilities, "utilities")
    return np.asarray(matrix.max(axis=0) - matrix)


def minimax_regret(m: Belief, utilities: Utilities = None, *, acts: Acts = None) -> Any:
    """The act with the smallest upper expected regret.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    acts : sequence of A names, optional
        Names of the acts. Default: those of the rows of a pandas frame, unless they are numbers.

    Returns
    -------
    act for one mass function, array of acts of the batch shape for a batch
        A label without `utilities`, else a name where acts have names, else a row index.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `acts` has another length.

    Notes
    -----
    The sum over focal sets of m(A) times the largest regret in A (Yager 2004). As always with
    regret, adding an act that nobody would choose can change the decision. Ties go to the first
    act.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {("ant", "bee"): 1})
    >>> minimax_regret(m, [[4, 0], [1, 3], [2, 1]])
    2
    """
    normal, matrix = valued(m, utilities)
    losses = upper_expected_utility(normal, regrets(matrix))
    return first_best(-losses, default_acts(m, utilities, acts))


def default_acts(m: Belief, utilities: Utilities, acts: Acts) -> Acts:
    """Names of the acts: those given, the labels if these are the acts, or of rows of a frame."""
    if acts is not None:
        if isinstance(acts, Iterable):
            check_label_order(utilities, acts, "utilities", "index", "acts are")
        return acts
    return m.frame if utilities is None else act_rows(utilities)


def maximum_betp(m: MassFunction) -> Any:
    """Find the label with the largest pignistic probability, the first of ties.

    Parameters
    ----------
    m : MassFunction
        m(empty) is ignored.

    Returns
    -------
    label for one mass function, array of labels of the batch shape for a batch
        Of the type of ``np.asarray(labels)``; object if labels are of mixed types.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    Notes
    -----
    Smets & Kennes 1994, "The transferable belief model".

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {"bee": 0.5, ("ant", "bee"): 0.5})
    >>> maximum_betp(m)
    'bee'
    """
    return first_best(expected_utility(m), m.frame)


def maximize_expected_utility(m: Belief, utilities: Utilities = None, *, acts: Acts = None) -> Any:
    """The act with the largest expected utility under the pignistic probability.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    acts : sequence of A names, optional
        Names of the acts. Default: those of the rows of a pandas frame, unless they are numbers.

    Returns
    -------
    act for one mass function, array of acts of the batch shape for a batch
        A label without `utilities`, else a name where acts have names, else a row index.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `acts` has another length.

    Notes
    -----
    Smets & Kennes 1994, "The transferable belief model". Ties go to the first act.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.5, ("ant", "bee"): 0.5})
    >>> maximize_expected_utility(m, [[1, 0], [0, 4]], acts=["stay", "go"])
    'go'
    """
    return first_best(expected_utility(m, utilities), default_acts(m, utilities, acts))


def maximin(m: Belief, utilities: Utilities = None, *, acts: Acts = None) -> Any:
    """The act with the largest lower expected utility (pessimistic, Gamma-maximin).

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    acts : sequence of A names, optional
        Names of the acts. Default: those of the rows of a pandas frame, unless they are numbers.

    Returns
    -------
    act for one mass function, array of acts of the batch shape for a batch
        A label without `utilities`, else a name where acts have names, else a row index.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `acts` has another length.

    Notes
    -----
    Gilboa & Schmeidler 1989, "Maxmin expected utility with non-unique prior"; Troffaes 2007,
    "Decision making under uncertainty using imprecise probabilities". Without utilities it is the
    class with the largest belief. Ties go to the first act.

    Examples
    --------
    A coin (heads, tails) with probabilities of heads from 0.28 to 0.70 (Troffaes 2007):

    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["H", "T"]), [1, 2, 3], [0.28, 0.3, 0.42])
    >>> maximin(m, [[4, 0], [0, 4], [3, 2], [0.5, 3], [2.35, 2.35], [4.1, -0.3]])
    4
    """
    return first_best(lower_expected_utility(m, utilities), default_acts(m, utilities, acts))


def maximax(m: Belief, utilities: Utilities = None, *, acts: Acts = None) -> Any:
    """The act with the largest upper expected utility (optimistic).

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    acts : sequence of A names, optional
        Names of the acts. Default: those of the rows of a pandas frame, unless they are numbers.

    Returns
    -------
    act for one mass function, array of acts of the batch shape for a batch
        A label without `utilities`, else a name where acts have names, else a row index.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `acts` has another length.

    Notes
    -----
    Denoeux 2019. Without utilities it is the class with the largest plausibility. Ties go to the
    first act.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.5, ("ant", "bee"): 0.5})
    >>> maximax(m, [[1, 1], [0, 4]], acts=["stay", "go"])
    'go'
    """
    return first_best(upper_expected_utility(m, utilities), default_acts(m, utilities, acts))


def hurwicz(
    m: Belief,
    utilities: Utilities = None,
    alpha: Scalar | Callable[[NDArray[Any], NDArray[Any]], Numbers] = 0.5,
    *,
    acts: Acts = None,
) -> Any:
    """The act with the largest mixture of lower and upper expected utility.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    alpha : float from 0 to 1, or function of (worst, best)
        Degree of pessimism: the weight of the lower expectation. 1 is `maximin`, 0 is `maximax`.
        A function makes it depend on what is at stake: it is called once with two arrays (A, F),
        the worst and the best utility of each act in each focal set of a mass function, and
        returns degrees of that shape, or a number.
    acts : sequence of A names, optional
        Names of the acts. Default: those of the rows of a pandas frame, unless they are numbers.

    Returns
    -------
    act for one mass function, array of acts of the batch shape for a batch
        A label without `utilities`, else a name where acts have names, else a row index.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `alpha` is outside [0, 1], `utilities` is not (A, K) or not finite, or `acts`
        has another length.

    Notes
    -----
    alpha * lower + (1 - alpha) * upper: Strat 1990, "Decision analysis using belief
    functions"; Denoeux 2019. Without utilities it is the class with the largest alpha Bel + (1 -
    alpha) Pl. With a function it is the sum over focal sets of m(A) (alpha worst + (1 - alpha)
    best) (Jaffray 1988, "Application of linear utility theory to belief functions"). Ties go to the
    first act.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {("ant", "bee"): 1})
    >>> [hurwicz(m, [[1, 1], [0, 4]], alpha=alpha) for alpha in (0.5, 0.9)]
    [1, 0]

    Cautious only if something can be lost:

    >>> hurwicz(m, [[-1, 9], [0, 2]], lambda worst, best: worst < 0)
    1
    """
    if not callable(alpha):
        check_degree("alpha", alpha)
        if isinstance(m, Expectations):
            lower = lower_expected_utility(m, utilities)
            upper = upper_expected_utility(m, utilities)
            return first_best(alpha * lower + (1 - alpha) * upper, default_acts(m, utilities, acts))
    normal, matrix = prepared(m, utilities)
    worst, best = worst_table(matrix, normal.focal), best_table(matrix, normal.focal)
    degree = _degrees(alpha(worst.copy(), best.copy()), worst) if callable(alpha) else alpha
    mixed = np.asarray(degree * worst + (1 - degree) * best)
    return first_best(mean_over_sets(normal, mixed), default_acts(m, utilities, acts))


def _degrees(values: Numbers, worst: NDArray[Any]) -> NDArray[Any]:
    degrees = np.asarray(values)
    degrees = degrees.astype(int).astype(worst.dtype) if degrees.dtype == bool else degrees
    try:
        check_shares(as_masses(degrees), "alpha")
    except (MassError, TypeError) as error:
        raise ValueError(f"alpha gives {shown(values)}, expected numbers from 0 to 1") from error
    return np.broadcast_to(degrees, worst.shape)
