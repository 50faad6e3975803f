"""After Friedman's test: which methods differ?

Against one method of interest Holm's step-down procedure, among all of them Nemenyi's critical
difference. Both compare mean ranks, whose difference has the standard error
sqrt(k (k + 1) / (6 N)) if methods are equal. Demsar 2006, section 3.2.2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, studentized_range

from dstheory.checks.arguments import as_floats, check_choice, check_level
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.significance._results import as_results
from evical.significance.numbers import aligned, data_frame


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
        rows = [
            (name, f"{d:+.3f}", f"{z:.3f}", f"{p:.2g}", f"{q:.2g}", str(verdict))
            for name, d, z, p, q, verdict in zip(
                self.methods,
                self.differences,
                self.z,
                self.pvalues,
                self.adjusted,
                verdicts,
                strict=True,
            )
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
    wrong = ~((p >= 0) & (p <= 1))
    if p.ndim != 1 or wrong.any():
        found = f"pvalues[{int(np.argmax(wrong))}] is {p[wrong][0]}" if p.ndim == 1 else "not (m,)"
        raise ValueError(f"{found}, expected a sequence of numbers in [0, 1]")
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
