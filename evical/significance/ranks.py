"""Several methods on several data sets: ranks, Friedman's test, and which methods differ.

Methods are ranked on each data set; if none is better than another, mean ranks differ by
chance only. Iman and Davenport's F is less conservative than the chi-square statistic. After it,
Holm's step-down procedure compares all with one method, Nemenyi's critical difference all pairs.
Both compare mean ranks, whose difference has the standard error sqrt(k (k + 1) / (6 N)) if methods
are equal. Demsar 2006, section 3.2.2; Naeini 2016, section 4.2.2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, f, norm, rankdata, studentized_range

from dstheory.checks.arguments import (
    as_floats,
    as_sequence,
    check_choice,
    check_flag,
    check_label_order,
    check_level,
)
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.scores.checks import refuse
from evical.significance.numbers import aligned, data_frame, p_text, without_rounding


@dataclass(frozen=True, eq=False)
class Results(ShownFields):
    """Results of several methods on several data sets.

    Parameters
    ----------
    values : (N, k) array
        Means over the splits of each data set. Ranks compare methods within a row; differences
        below twelve digits of its greatest value are ties.
    methods : sequence of k names
    greater_is_better : bool
        Whether the greatest value of a row has rank 1.

    Raises
    ------
    ValueError
        If the table has fewer than 2 rows or columns, a value is not finite, or the names are
        not as many as the columns, and distinct.
    TypeError
        If values are not numbers.

    Examples
    --------
    >>> Results([[0.9, 0.8], [0.7, 0.7]], ["a", "b"]).ranks
    array([[1. , 2. ],
           [1.5, 1.5]])
    """

    values: Floats
    methods: Sequence[str]
    greater_is_better: bool = True

    def __post_init__(self) -> None:
        values = as_floats(self.values, "results").copy()
        names = tuple(map(str, as_sequence(self.methods, "methods", "names of methods")))
        check_flag("greater_is_better", self.greater_is_better)
        if values.ndim != 2 or min(values.shape) < 2:
            raise ValueError(
                f"results have shape {values.shape}, expected a row for each of at least 2 data "
                "sets and a column for each of at least 2 methods"
            )
        if len(names) != values.shape[1] or len(set(names)) != len(names):
            raise ValueError(
                f"methods are {list(names)}, expected {values.shape[1]} different names"
            )
        check_label_order(self.values, names, "results", known="methods are")
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"the result of {names[column]!r} in row {row} is {values[row, column]}; leave "
                "that data set out, or the method"
            )
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "methods", names)

    @property
    def ranks(self) -> Floats:
        """Rank (N, k) of each method on each data set, from 1 for the best, averaged over ties."""
        values = without_rounding(self.values, np.abs(self.values).max(axis=1, keepdims=True))
        signed = -values if self.greater_is_better else values
        return np.asarray(rankdata(signed, axis=1))

    @property
    def mean_ranks(self) -> Floats:
        """Mean (k,) of the ranks over the data sets."""
        return np.asarray(self.ranks.mean(axis=0))


def as_results(results: Any, greater_is_better: bool) -> Results:
    """Results from a data frame, whose columns are the methods, or from an array.

    Raises
    ------
    TypeError
        If a column of a data frame, or a value, is not a number.
    """
    check_flag("greater_is_better", greater_is_better)
    if isinstance(results, Results):
        return results
    if hasattr(results, "column_names"):  # of Arrow
        results = results.to_pandas()
    if hasattr(results, "infer_objects"):  # of pandas: a table that grew row by row holds objects
        results = results.infer_objects()
    if hasattr(results, "columns"):
        kinds = zip(results.columns, results.dtypes, strict=True)
        wrong = [name for name, kind in kinds if getattr(kind, "kind", "f") not in "fiub"]
        if wrong:
            raise TypeError(
                f"column {wrong[0]!r} does not hold numbers; make the data sets the index, and "
                "keep a column for each method"
            )
        of_pandas = {"dtype": np.float64} if hasattr(results, "index") else {}
        values = as_floats(results.to_numpy(**of_pandas), "results")
        return Results(values, list(results.columns), greater_is_better)
    values = as_floats(results, "results")
    count = values.shape[1] if values.ndim == 2 else 0
    return Results(values, [f"method {j}" for j in range(count)], greater_is_better)


@dataclass(frozen=True, eq=False)
class FriedmanResult(ShownFields):
    """Friedman's test and Iman and Davenport's.

    Parameters
    ----------
    methods : tuple of k names
    mean_ranks : (k,) array
        1 is the best.
    n_data_sets : int
    chi_square, chi_square_pvalue : float
        Friedman's statistic, of k - 1 degrees of freedom.
    statistic, pvalue : float
        Iman and Davenport's F, of k - 1 and (k - 1)(N - 1) degrees of freedom.
    """

    methods: tuple[str, ...]
    mean_ranks: NDArray[np.float64]
    n_data_sets: int
    chi_square: float
    chi_square_pvalue: float
    statistic: float
    pvalue: float

    def to_frame(self) -> Any:
        """Mean rank of each method, the best first, as a pandas.DataFrame."""
        frame = data_frame(self.methods, {"mean_rank": self.mean_ranks})
        return frame.sort_values("mean_rank", kind="stable")

    def __str__(self) -> str:
        order = np.argsort(self.mean_ranks, kind="stable")
        rows = [(self.methods[j], f"{self.mean_ranks[j]:.3f}") for j in order]
        k, n = len(self.methods), self.n_data_sets
        return "\n".join(
            [
                f"Friedman test of {k} methods on {n} data sets",
                f"  chi2({k - 1}) = {self.chi_square:.4g}, {p_text(self.chi_square_pvalue)}",
                f"  F({k - 1}, {(k - 1) * (n - 1)}) = {self.statistic:.4g}, {p_text(self.pvalue)} "
                "(Iman & Davenport)",
                *aligned([("method", "mean rank"), *rows]),
            ]
        )


def friedman(results: Any, greater_is_better: bool = True) -> FriedmanResult:
    r"""Friedman's test with Iman and Davenport's F.

    Parameters
    ----------
    results : pandas.DataFrame, (N, k) array or Results
        A row for each data set, a column for each method.
    greater_is_better : bool
        False for losses; a `Results` has its own.

    Returns
    -------
    FriedmanResult
        Printing it shows the statistics and the mean ranks.

    Raises
    ------
    ValueError
        If there are fewer than 2 rows or columns, or a value is missing.
    TypeError
        If a column does not hold numbers.

    Notes
    -----
    With mean ranks :math:`R_j`, and ties shared in the mean,

    .. math:: \chi^2_F = \frac{12 N}{k (k + 1)} \Big(\sum_j R_j^2 - \frac{k (k + 1)^2}{4}\Big),
        \quad F_F = \frac{(N - 1) \chi^2_F}{N (k - 1) - \chi^2_F}.

    As in Demsar's text the statistic is not corrected for ties, which makes it conservative. If all
    data sets have the same ranks, F is infinite and its p-value 0 even for few data sets; then rely
    on the chi-square, or for two methods on the sign test.

    References
    ----------
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7, 1-30, section 3.2.2.
    Iman & Davenport (1980), Communications in Statistics A 9, 571-595.

    Examples
    --------
    >>> result = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.5, 0.4]])
    >>> result.mean_ranks, result.chi_square
    (array([1.  , 2.25, 2.75]), 6.5)
    """
    table = as_results(results, greater_is_better)
    (n, k), ranks = table.values.shape, table.mean_ranks
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())  # no cancellation, unlike the sum of squares
    chi_square = 12 * n / (k * (k + 1)) * spread
    rest = n * (k - 1) - chi_square
    # All data sets rank alike: F is infinite, but for rounding.
    statistic = (n - 1) * chi_square / rest if rest > 1e-12 * n * k else np.inf
    return FriedmanResult(
        tuple(table.methods),
        ranks,
        n,
        chi_square,
        float(chi2.sf(chi_square, k - 1)),
        float(statistic),
        float(f.sf(statistic, k - 1, (k - 1) * (n - 1))),
    )


@dataclass(frozen=True, eq=False)
class HolmResult(ShownFields):
    """Comparison of each method with one of them.

    Parameters
    ----------
    control : str
    methods : tuple of k - 1 names
        The others, by ascending p-value.
    differences : (k - 1,) array
        Mean rank minus that of the control: positive where the control is better.
    z, pvalues, adjusted : (k - 1,) arrays
        Standardized differences, two-sided p-values, and these adjusted by Holm's procedure.
    alpha : float
    """

    control: str
    methods: tuple[str, ...]
    differences: Floats
    z: Floats
    pvalues: Floats
    adjusted: Floats
    alpha: float

    @property
    def rejected(self) -> NDArray[np.bool_]:
        """Whether each method differs from the control at the family-wise level `alpha`."""
        return self.adjusted <= self.alpha

    def to_frame(self) -> Any:
        """A row for each method, the most different first, as a pandas.DataFrame."""
        names = ("differences", "z", "pvalues", "adjusted", "rejected")
        titles = ("rank_difference", "z", "pvalue", "adjusted_pvalue", "rejected")
        columns = {title: getattr(self, name) for title, name in zip(titles, names, strict=True)}
        return data_frame(self.methods, columns)

    def __str__(self) -> str:
        verdicts = np.where(
            self.rejected, np.where(self.differences > 0, "worse", "better"), "not different"
        )
        columns = (self.methods, self.differences, self.z, self.pvalues, self.adjusted)
        rows = [
            (name, f"{d:+.3f}", f"{z:.3f}", f"{p:.2g}", f"{q:.2g}", str(verdict))
            for name, d, z, p, q, verdict in zip(*columns, verdicts, strict=True)
        ]
        head = ("method", "rank difference", "z", "p", "Holm p", f"at {self.alpha:g}")
        title = f"Holm's procedure against {self.control}"
        return "\n".join([title, *aligned([head, *rows])])


@dataclass(frozen=True, eq=False)
class NemenyiResult(ShownFields):
    """Comparison of all methods with each other.

    Parameters
    ----------
    methods : tuple of k names
        By mean rank, the best first.
    mean_ranks : (k,) array
    critical_difference : float
        Mean ranks that differ by at least this differ significantly.
    pvalues : (k, k) array
        Of each pair, for the family of all pairs.
    alpha : float
    """

    methods: tuple[str, ...]
    mean_ranks: Floats
    critical_difference: float
    pvalues: Floats
    alpha: float

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Longest runs of methods, in the order of ranks, without a significant difference."""
        ends = np.searchsorted(
            self.mean_ranks, self.mean_ranks + self.critical_difference, side="left"
        )
        runs: list[tuple[str, ...]] = []
        reached = 0
        for start, end in enumerate(ends.tolist()):
            if end > reached and end - start > 1:
                runs.append(self.methods[start:end])
            reached = max(reached, end)
        return runs

    def to_frame(self) -> Any:
        """P-values of all pairs, methods by mean rank, as a pandas.DataFrame."""
        return data_frame(self.methods, dict(zip(self.methods, self.pvalues.T, strict=True)))

    def __str__(self) -> str:
        rows = [
            (name, f"{rank:.3f}") for name, rank in zip(self.methods, self.mean_ranks, strict=True)
        ]
        groups = [f"  not different: {', '.join(group)}" for group in self.groups]
        return "\n".join(
            [
                f"Nemenyi's critical difference of mean ranks at {self.alpha:g}: "
                f"{self.critical_difference:.3f}",
                *aligned([("method", "mean rank"), *rows]),
                *groups,
            ]
        )


def holm_adjusted(pvalues: ArrayLike) -> Floats:
    """P-values adjusted by Holm's step-down procedure.

    Parameters
    ----------
    pvalues : (m,) array

    Returns
    -------
    (m,) array
        In the order given; a hypothesis is rejected where it is at most the level of the family.

    Raises
    ------
    ValueError
        If a p-value lies outside [0, 1].
    TypeError
        If a p-value is not a number.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 65-70.

    Examples
    --------
    >>> holm_adjusted([0.25, 0.01, 0.125])
    array([0.25, 0.03, 0.25])
    """
    p = as_floats(pvalues, "pvalues")
    if p.ndim != 1:
        raise ValueError(f"pvalues have shape {p.shape}, expected (m,)")
    refuse(p, ~((p >= 0) & (p <= 1)), "pvalues", "a number in [0, 1]")
    order = np.argsort(p, kind="stable")
    steps = np.minimum((len(p) - np.arange(len(p))) * p[order], 1.0)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def holm(
    results: Any, control: Any = None, greater_is_better: bool = True, alpha: float = 0.05
) -> HolmResult:
    """Compare each method with one of them by Holm's step-down procedure.

    Parameters
    ----------
    results : pandas.DataFrame, (N, k) array or Results
        A row for each data set, a column for each method.
    control : str or column label, optional
        Name of the method that the others are compared with; by default the best one, but choosing
        it afterwards makes the test too liberal.
    greater_is_better : bool
        False for losses; a `Results` has its own.
    alpha : float
        Level of the whole family.

    Returns
    -------
    HolmResult
        Printing it shows a table.

    Raises
    ------
    ValueError
        If there is no such method, the table is too small or has gaps, or `alpha` is not
        inside (0, 1).

    References
    ----------
    Demsar (2006), Journal of Machine Learning Research 7, 1-30, section 3.2.2; Naeini (2016),
    section 4.2.2.2.

    Examples
    --------
    >>> result = holm([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.5, 0.4]])
    >>> result.control, result.methods, result.adjusted.round(3)
    ('method 0', ('method 2', 'method 1'), array([0.027, 0.077]))
    """
    check_level("alpha", alpha)
    table = as_results(results, greater_is_better)
    (n, k), ranks = table.values.shape, table.mean_ranks
    names = list(table.methods)
    if control is not None:
        check_choice("control", str(control), names)
    chosen = int(np.argmin(ranks)) if control is None else names.index(str(control))
    others = np.array([j for j in range(k) if j != chosen])
    differences = ranks[others] - ranks[chosen]
    z = differences / np.sqrt(k * (k + 1) / (6 * n))
    pvalues = 2 * norm.sf(np.abs(z))
    order = np.argsort(pvalues, kind="stable")
    return HolmResult(
        names[chosen],
        tuple(names[j] for j in others[order]),
        differences[order],
        z[order],
        pvalues[order],
        holm_adjusted(pvalues[order]),
        alpha,
    )


def nemenyi(results: Any, greater_is_better: bool = True, alpha: float = 0.05) -> NemenyiResult:
    r"""Compare all methods with each other by Nemenyi's critical difference.

    Parameters
    ----------
    results : pandas.DataFrame, (N, k) array or Results
        A row for each data set, a column for each method.
    greater_is_better : bool
        False for losses; a `Results` has its own.
    alpha : float
        Level of the whole family of pairs.

    Returns
    -------
    NemenyiResult
        Printing it shows the ranks and the groups without a significant difference.

    Raises
    ------
    ValueError
        If the table is too small or has gaps, or `alpha` is not inside (0, 1).

    Notes
    -----
    The critical difference is :math:`q_\alpha \sqrt{k (k + 1) / (6 N)}`, with
    :math:`q_\alpha` the quantile of the studentized range of k values divided by
    :math:`\sqrt 2`.

    References
    ----------
    Demsar (2006), Journal of Machine Learning Research 7, 1-30, section 3.2.2.

    Examples
    --------
    >>> table = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.5, 0.4]]
    >>> result = nemenyi(table)
    >>> round(result.critical_difference, 3), result.groups
    (1.657, [('method 0', 'method 1'), ('method 1', 'method 2')])
    """
    check_level("alpha", alpha)
    table = as_results(results, greater_is_better)
    n, k = table.values.shape
    order = np.argsort(table.mean_ranks, kind="stable")
    ranks = table.mean_ranks[order]
    unit = np.sqrt(k * (k + 1) / (12 * n))  # the range of k ranks is in units of one rank's error
    difference = float(studentized_range.ppf(1 - alpha, k, np.inf)) * unit
    distances = np.abs(ranks[:, np.newaxis] - ranks) / unit
    return NemenyiResult(
        tuple(table.methods[j] for j in order),
        ranks,
        float(difference),
        np.asarray(studentized_range.sf(distances, k, np.inf)),
        alpha,
    )
