"""Several calibrators on several data sets: mean ranks, Friedman's and Nemenyi's tests.

The folds of one data set are dependent, which a test must correct for. Data sets are independent,
so the mean over folds is all that the tests need from each (Demsar 2006).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dstheory.checks.arguments import (
    as_sequence,
    check_callable,
    check_instance,
    check_level,
    shown,
)
from dstheory.notebook import ShownFields
from evical.evaluation._comparison import Comparison, compare
from evical.significance import Results, friedman, nemenyi
from evical.significance.posthoc import NemenyiResult
from evical.significance.rank_tests import FriedmanResult


@dataclass(frozen=True, eq=False)
class DataSetComparison(ShownFields):
    """Comparisons on several data sets.

    Parameters
    ----------
    comparisons : dict of str to Comparison
        By the name of the data set.
    results : Results
        Mean losses: a row for each data set, a column for each method that failed nowhere.
    friedman : FriedmanResult
        Do methods differ at all?
    nemenyi : NemenyiResult
        Which ones do?
    """

    comparisons: dict[str, Comparison]
    results: Results
    friedman: FriedmanResult
    nemenyi: NemenyiResult

    def __str__(self) -> str:
        return f"{self.friedman}\n{self.nemenyi}"


def compare_data_sets(
    samples: Mapping[str, tuple[Any, Any]],
    methods: Any = None,
    *,
    alpha: float = 0.05,
    on_data_set: Callable[[Comparison], object] | None = None,
    **options: Any,
) -> DataSetComparison:
    """Compare calibrators on several data sets, and test whether their ranks differ.

    Parameters
    ----------
    samples : mapping of str to pair of (n,) arrays
        Scores and labels of each data set.
    methods : None, "all", sequence, or mapping of names to estimators
        As in `compare`; by default those that suit all data sets.
    alpha : float
        Level of Nemenyi's critical difference.
    on_data_set : callable, optional
        Called with each `Comparison` as it is finished.
    **options
        Of `compare`.

    Returns
    -------
    DataSetComparison

    Raises
    ------
    ValueError
        As `compare`; or if there are fewer than two data sets, or fewer than two methods that
        fail nowhere.

    Examples
    --------
    Three data sets are too few to tell three methods apart:

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> samples = {name: (rng.normal(y), y) for name in "abc"}
    >>> found = compare_data_sets(samples, ["logistic", "binning", "sbb"], cv=2)
    >>> found.nemenyi.groups
    [('binning', 'logistic', 'sbb')]
    """
    if on_data_set is not None:
        check_callable("on_data_set", on_data_set, "a function of a Comparison")
    check_level("alpha", alpha)
    check_instance("samples", samples, Mapping, "a mapping of names to scores and labels")
    if len(samples) < 2:
        raise ValueError("ranks need at least two data sets; for one there is compare()")
    pairs = {
        name: as_sequence(pair, str(name), "scores and labels") for name, pair in samples.items()
    }
    for name, pair in pairs.items():
        if len(pair) != 2:
            raise ValueError(f"{name} is {shown(pair)}, expected scores and labels")
    comparisons = {}
    for name, (scores, y) in pairs.items():
        comparisons[name] = compare(scores, y, methods, name=name, **options)
        if on_data_set is not None:
            on_data_set(comparisons[name])
    kept = _everywhere(list(comparisons.values()))
    criterion = next(iter(comparisons.values())).criterion
    losses = np.array(
        [[one.mean(method, criterion) for method in kept] for one in comparisons.values()]
    )
    results = Results(losses, kept, greater_is_better=False)
    return DataSetComparison(comparisons, results, friedman(results), nemenyi(results, alpha=alpha))


def _everywhere(comparisons: list[Comparison]) -> list[str]:
    """Methods that every comparison has, in the order of the first."""
    kept = [m for m in comparisons[0].methods if all(m in one.methods for one in comparisons)]
    if len(kept) < 2:
        raise ValueError(
            f"only {len(kept)} methods could be fitted on every data set; ranks need two"
        )
    return kept
