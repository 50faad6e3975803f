"""`TNorm`: a rule between the cautious rule and Dempster's, chosen by samples.

Sources that share evidence need a rule that counts it once; independent sources need one that
counts all of it. A t-norm of the canonical weights lies between the two, with a parameter learned
from samples (Quost, Masson & Denoeux 2011).
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from dstheory import Frame, MassFunction, discount, vacuous
from dstheory.checks.arguments import check_choice
from dstheory.combine import learn_tnorm, tnorm_conjunctive
from dstheory.errors import MassError
from evical.calibrators.fields import Field
from evical.fusion._rule import HeldOut, Needs, Rule

# Less than a float shows of 1, and far more than its powers need to stay above 1e-308.
_RATE = 1e-20


class TNorm(Rule):
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
    Dogmatic mass functions, which leave no mass to the frame, have no canonical weights; they are
    taken as the limit of discounted ones (Denoeux 2008; Smets 1995), by a rate of 1e-20. A row that
    is certain of a class then outweighs sources that are not certain, and rows that are certain of
    different classes share equally. `fit` refuses sources that are dogmatic in all samples, such as
    probabilities. A single source is returned unchanged.

    References
    ----------
    Quost, Masson & Denoeux (2011), Classifier fusion in the Dempster-Shafer framework using
    optimized t-norm based combination rules, International Journal of Approximate Reasoning
    52(3), 353-374. Denoeux (2008), Conjunctive and disjunctive combination of belief functions
    induced by nondistinct bodies of evidence, Artificial Intelligence 172, 234-264. Smets
    (1995), The canonical decomposition of a weighted belief.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> cautious = TNorm(family="dubois_prade", parameter=0)
    >>> cautious.fit(sizes=[1, 1])(m, m).mass("a")
    0.5
    """

    _by_source = ()
    _state: ClassVar = {"parameter_": Field()}

    def __init__(
        self,
        *,
        family: Literal["frank", "sugeno_weber", "dubois_prade"] = "frank",
        parameter: Any = "learned",
    ) -> None:
        self.family = family
        self.parameter = parameter

    @property
    def needs(self) -> Needs:
        """ "labels" if the parameter is learned."""
        return "labels" if isinstance(self.parameter, str) else "nothing"

    def _check_parameters(self) -> None:
        if isinstance(self.parameter, str):
            check_choice("parameter", self.parameter, ("learned",), "a number, or ")
        some: Any = 1.0 if self.needs == "labels" else self.parameter
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
        _refuse_probabilities(held_out.masses)
        labels = [held_out.frame.labels[code] for code in held_out.codes]
        family: Any = self.family
        self.parameter_ = learn_tnorm(
            self._prepared(held_out.masses), labels, family=family, sample_weight=held_out.weight
        )

    def _prepared(self, masses: Sequence[MassFunction]) -> list[MassFunction]:
        """The sources, where they are dogmatic discounted by next to nothing.

        Parameters
        ----------
        masses : sequence of MassFunction
            One for each source.

        Returns
        -------
        list of MassFunction
        """
        sources = list(masses)
        return sources if len(sources) == 1 else [_undogmatic(m) for m in sources]

    def _set_state(self, state: dict[str, Any]) -> None:
        super()._set_state(state)
        family: Any = self.family
        knows_nothing = vacuous(Frame((0, 1)))
        tnorm_conjunctive(knows_nothing, knows_nothing, family=family, parameter=self.parameter_)

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        if len(masses) == 1:
            return masses[0]
        family: Any = self.family
        return tnorm_conjunctive(
            *self._prepared(masses), family=family, parameter=self.parameter_, normalize=True
        )


def _undogmatic(m: MassFunction) -> MassFunction:
    dogmatic = np.asarray(m.is_dogmatic)
    return discount(m, rate=np.where(dogmatic, _RATE, 0.0)) if dogmatic.any() else m


def _refuse_probabilities(masses: Sequence[MassFunction]) -> None:
    for number, m in enumerate(masses, start=1):
        if np.all(m.is_dogmatic):
            raise MassError(
                f"source {number} is dogmatic in all {len(m)} samples: it gives probabilities, "
                "from which a t-norm cannot learn what sources share; take a calibrator with "
                "beliefs, such as LogisticCalibrator(model='likelihood'), or the fusion 'stacked'"
            )
