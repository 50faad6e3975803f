"""What tests of mean ranks over data sets say, in words for a page."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evical.significance import Results, friedman, nemenyi
from examples.studies._markdown import plain

__all__ = ["rank_tests"]


def rank_tests(losses: NDArray[np.float64], methods: Sequence[str]) -> list[str]:
    """Friedman's test, and which methods differ from the first by Nemenyi's.

    Parameters
    ----------
    losses : (data sets, k) array
    methods : sequence of k str

    Returns
    -------
    list of str
        A paragraph; none for fewer than two data sets.
    """
    if len(losses) < 2:
        return []
    results = Results(losses, tuple(methods), greater_is_better=False)
    whole, pairs = friedman(results), nemenyi(results)
    close = [
        plain(name)
        for name, rank in zip(pairs.methods[1:], pairs.mean_ranks[1:], strict=True)
        if rank - pairs.mean_ranks[0] < pairs.critical_difference
    ]
    told = f"not so from {', '.join(close)}" if close else "so from all others"
    return [
        f"Over data sets, Friedman's test (Iman and Davenport's F = {whole.statistic:.1f}) has "
        f"p = {whole.pvalue:.1g}. Nemenyi's critical difference at 5% is "
        f"{pairs.critical_difference:.2f}: {plain(pairs.methods[0])} has the least mean rank, and "
        f"differs significantly, {told}."
    ]
