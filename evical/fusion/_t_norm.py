"""`TNorm`: between the cautious rule and Dempster's, where the samples say.

Sources that share evidence need a rule that counts it once, distinct ones a rule that counts
it all; a t-norm of the canonical weights lies between, at a place learned from samples
(Quost, Masson & Denoeux 2011).
"""

from collections.abc import Sequence
from typing import Any

from dstheory import Frame, MassFunction, vacuous
from dstheory.combine import learn_tnorm, tnorm_conjunctive
from evical.fusion._base import BaseFusion
from evical.fusion._held_out import HeldOut

__all__ = ["TNorm"]


class TNorm(BaseFusion):
    """Rule based on a t-norm, normalized.

    Parameters
    ----------
    family : {"frank", "sugeno_weber", "dubois_prade"}
        See `dstheory.combine.tnorm_conjunctive`.
    parameter : "learned" or float
        "learned": of the least squared error of the pignistic probabilities, see
        `dstheory.combine.learn_tnorm`.

    Attributes
    ----------
    parameter_ : float

    Notes
    -----
    Sources must not be dogmatic: probabilities have no canonical weights, nor have sources
    that exclude everything else. A source alone is taken as it is.

    References
    ----------
    Quost, Masson & Denoeux (2011), Classifier fusion in the Dempster-Shafer framework using
    optimized t-norm based combination rules, International Journal of Approximate Reasoning
    52(3), 353-374.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> TNorm("dubois_prade", 0).fit(sizes=[1, 1])(m, m).mass("a")  # the cautious rule
    0.5
    """

    _by_source = ()

    def __init__(self, family: str = "frank", parameter: Any = "learned") -> None:
        self.family = family
        self.parameter = parameter

    @property
    def needs_beliefs(self) -> bool:
        """Whether `fit` looks at beliefs and labels, or at sizes alone."""
        return isinstance(self.parameter, str)

    def _check_parameters(self) -> None:
        if isinstance(self.parameter, str) and self.parameter != "learned":
            raise ValueError(f"parameter is {self.parameter!r}, expected 'learned' or a number")
        some: Any = 1.0 if self.needs_beliefs else self.parameter
        family: Any = self.family
        knows_nothing = vacuous(Frame((0, 1)))
        tnorm_conjunctive(knows_nothing, knows_nothing, family=family, parameter=some)

    def _learn(self, held_out: HeldOut | None, sizes: Any) -> None:
        if held_out is None:
            self.parameter_ = float(self.parameter)
            return
        if len(held_out.masses) == 1:
            self.parameter_ = 1.0  # has no effect
            return
        labels = [held_out.frame.labels[code] for code in held_out.codes]
        family: Any = self.family
        self.parameter_ = learn_tnorm(
            held_out.masses, labels, family=family, sample_weight=held_out.weight
        )

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        if len(masses) == 1:
            return masses[0]
        family: Any = self.family
        return tnorm_conjunctive(*masses, family=family, parameter=self.parameter_).normalize()
