"""A fitted rule for those who show it: as a formula, and what it has learned about each source."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evical._typing import Floats


class Formula(NamedTuple):
    """A rule as a formula of Bel, Pl and pignistic probabilities, for exports.

    Parameters
    ----------
    kind : str
        "stacked", "consensus", "mean", "dempster", "disjunctive", "yager", "valid_mean" or
        "valid_minimum".
    parameters : (S,) or (S, K) array
        Weights of a mean or consensus; shares of the sources that Dempster's rule keeps; ones
        otherwise.
    """

    kind: str
    parameters: Floats


@dataclass(frozen=True, eq=False)
class Learned:
    """Numbers of S sources, common to all classes or one for each.

    Parameters
    ----------
    values : (S,) or (S, K) array
    standard_error : array like `values`, or None
    kind : {"evidence", "reliability", "correlation", "share"}
    interval : (S, 2) array, or None
        Of level 0.95, where it is no multiple of a standard error.
    groups : (S,) array of int, or None
        Sources that repeat each other share a number.
    """

    values: Floats
    standard_error: Floats | None
    kind: str
    interval: Floats | None = None
    groups: Floats | None = None


def learned_from(by_source: Mapping[str, Any]) -> Learned | None:
    """Weights or reliabilities among what a fusion says `by_source`; None if there are none.

    >>> learned_from({"rates_": np.array([0.25, 1.0])}).values
    array([0.75, 0.  ])
    """
    known = {name: np.asarray(values, dtype=np.float64) for name, values in by_source.items()}
    if set(known) == {"weights_", "standard_error_"}:
        return Learned(known["weights_"], known["standard_error_"], "evidence")
    if "reliability_" in known:
        of = known["reliability_"]
        return Learned(of, None, "correlation", known["reliability_interval_"], known["groups_"])
    if set(known) == {"rates_"}:
        return Learned(1 - known["rates_"], None, "reliability")
    if set(known) == {"weights_"}:
        return Learned(known["weights_"], None, "share")
    return None
