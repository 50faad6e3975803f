"""A fitted rule as a closed formula, which exports write in another language."""

from typing import NamedTuple

from evical._typing import Floats

__all__ = ["Formula"]


class Formula(NamedTuple):
    """A rule as a formula of Bel, Pl and pignistic probabilities, for exports.

    Parameters
    ----------
    kind : str
        "stacked", "mean", "dempster", "disjunctive", "yager", "valid_mean" or "valid_minimum".
    parameters : (S,) or (S, K) array
        Weights of a mean; shares of the sources that Dempster's rule keeps; ones otherwise.
    """

    kind: str
    parameters: Floats
