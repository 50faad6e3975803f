"""Friedman's test: do several methods differ at all, over several data sets?

Methods are ranked on each data set; if none is better than another, mean ranks differ by
chance only. Iman and Davenport's F is less conservative than the chi-square statistic.
Demsar 2006, section 3.2.2; Naeini 2016, section 4.2.2.2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, f

from dstheory.notebook import ShownFields
from evical.significance._results import as_results
from evical.significance.numbers import aligned, data_frame, p_text


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
