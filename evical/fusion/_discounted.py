"""`Discounted`: Dempster's rule for sources that are not fully reliable.

Each source is first discounted, as a whole or class by class, by rates that say how often it is
useless. Learned rates also compensate for shared evidence, which Dempster's rule counts several
times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import matmul
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dstheory import MassFunction
from dstheory.checks.arguments import (
    as_floats,
    check_choice,
    check_flag,
    check_not_negative,
)
from dstheory.checks.naming import RATES, one_of, shares_by_name
from dstheory.errors import CostLimitError
from dstheory.revise import contextual_discount, discount
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.composed import mean, placed
from evical.beliefs.joined import have_products
from evical.calibrators.fields import Field
from evical.fusion._function import joined_where_possible
from evical.fusion._reliability import MAX_CLASSES, MAX_SOURCES, contextual_rates, joint_rates
from evical.fusion._rule import HeldOut, Needs, Reads, Rule
from evical.fusion.described import Formula


class Discounted(Rule):
    """Discount each source, and combine them by Dempster's rule.

    Parameters
    ----------
    rates : "learned" or array
        Shares of the masses that move to the frame: one for each source (S,), or with `contextual`
        one for each source and class (S, K); between 0 (Dempster's rule) and 1 (the source is
        ignored).
    reliabilities : array, optional
        Shares that are kept, 1 - rate, instead of `rates`.
    contextual : bool
        Discount by rates that depend on the true class: if it is class k, the source is useless
        with probability `rates[k]`.
    shrinkage : float
        Shrinkage of learned rates to 0, in units of held-out samples: ``shrinkage *
        mean(rates**2)`` is added to the squared error, which is at most 1 per sample. With
        `contextual`, it is a number of additional samples in which each source rightly excluded the
        class.

    Attributes
    ----------
    rates_ : (S,) or (S, K) array
    listed_classes : int
        Up to so many classes, rates of whole sources are learned from all sets of classes; of more,
        from each choice of sources, which may be 8 at most.

    Notes
    -----
    Rates of whole sources are learned jointly: they minimize the squared error of the pignistic
    probabilities of the combination. The problem is not convex; the search starts from the best of
    a few common rates and ends in a local minimum. Contextual rates are learned for each source
    separately, from its plausibilities, in closed form, as in
    `dstheory.revise.learn_contextual_rates`; they do not account for shared evidence.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, p. 251-252; Smets (1993), Belief functions:
    the disjunctive rule of combination and the generalized Bayesian theorem, International
    Journal of Approximate Reasoning 9, 1-35; Elouedi, Mellouli & Smets (2004), Assessing sensor
    reliability for multisensor data fusion within the transferable belief model, IEEE
    Transactions on Systems, Man, and Cybernetics B 34, 782-787; Mercier, Quost & Denoeux (2008),
    Refined modeling of sensor reliability in the belief function framework using contextual
    discounting, Information Fusion 9, 246-258.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 1})
    >>> Discounted(rates=[0, 1]).fit(sizes=[1, 1])(m1, m2).to_dict()
    {('a',): 0.5, ('a', 'b'): 0.5}
    """

    _joins = True
    _by_source = ("rates_",)
    _state: ClassVar = {"rates_": Field(("s", "k"), 0.0, 1.0)}

    @shares_by_name(**RATES)
    def __init__(
        self,
        *,
        rates: Any = "learned",
        reliabilities: ArrayLike | None = None,
        contextual: bool = False,
        shrinkage: float = 1.0,
    ) -> None:
        self.rates = rates
        self.reliabilities = reliabilities
        self.contextual = contextual
        self.shrinkage = shrinkage

    @property
    def needs(self) -> Needs:
        """ "labels" if rates are to be learned."""
        return "labels" if isinstance(self.rates, str) and self.reliabilities is None else "nothing"

    def reads(self, n_classes: int) -> Reads:
        """Products of more than ten classes, of which sets are not listed.

        Parameters
        ----------
        n_classes : int

        Returns
        -------
        {"masses", "products"}
        """
        return "products" if n_classes > MAX_CLASSES and not self.contextual else "masses"

    def _check_parameters(self) -> None:
        check_not_negative(shrinkage=self.shrinkage)
        check_flag("contextual", self.contextual)
        if isinstance(self.rates, str):
            check_choice("rates", self.rates, ("learned",), "an array, or ")
        if self.needs == "labels":
            return
        name, array = self._given()
        if array.ndim != 1 + self.contextual:
            expected = "(S, K), one for each source and class"
            if not self.contextual:
                expected = "(S,), one for each source"
            raise ValueError(f"{name} have shape {array.shape}, expected {expected}")
        if not ((array >= 0) & (array <= 1)).all():
            raise ValueError(f"{name} are {array.tolist()}, expected numbers between 0 and 1")

    def _given(self) -> tuple[str, Floats]:
        """Name and values of the shares that are not learned."""
        rates = None if isinstance(self.rates, str) else self.rates
        name, values = one_of(rates=rates, reliabilities=self.reliabilities)
        return name, as_floats(values, name).copy()

    def _learn(self, held_out: HeldOut | None, sizes: Floats) -> None:
        if held_out is not None:
            self.rates_ = self._learned_rates(held_out)
            return
        name, given = self._given()
        if len(given) != len(sizes):
            raise ValueError(f"there are {name} for {len(given)} sources, but {len(sizes)} sources")
        self.rates_ = given if name == "rates" else 1 - given

    def _terms(self, number: int) -> int:
        return number + 1  # with the vacuous belief

    def check_cost(self, n_classes: int, n_sources: int, products: Mapping[str, int]) -> None:
        """Raise for more sources of many classes than rates can be learned for, or products.

        Parameters
        ----------
        n_classes, n_sources : int
        products : dict of str to int

        Raises
        ------
        CostLimitError
        """
        learns = self.learns and self.reads(n_classes) == "products"
        if learns and n_sources > MAX_SOURCES:
            raise CostLimitError(
                f"rates of {n_sources} sources of {n_classes} classes are learned from the "
                f"{2**n_sources} choices among them (at most {MAX_SOURCES} sources of more than "
                f"{MAX_CLASSES} classes); take the fusion 'stacked', or give the rates"
            )
        super().check_cost(n_classes, n_sources, products)

    def _learned_rates(self, held_out: HeldOut) -> Floats:
        if self.contextual:
            return contextual_rates(held_out, self.shrinkage)
        self.check_cost(len(held_out.frame), len(held_out.sources), {})
        return joint_rates(held_out, self.shrinkage)

    def formula(self, n_classes: int, n_sources: int) -> Formula | None:
        """Dempster's rule of two classes, with the shares of the sources that are kept.

        Parameters
        ----------
        n_classes, n_sources : int

        Returns
        -------
        Formula or None
        """
        return Formula("dempster", 1.0 - self.rates_) if n_classes == 2 else None

    def _combine(self, sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
        if self.reads(len(sources[0].classes)) != "products" or not have_products(sources):
            return super()._combine(sources, total_conflict)
        silent = placed(sources[0].classes, len(sources[0]), [])
        pairs = zip(sources, self.rates_.tolist(), strict=True)
        weakened = [mean([source, silent], [1 - rate, rate]) for source, rate in pairs]
        return joined_where_possible(weakened, total_conflict)

    def _prepared(self, masses: Sequence[MassFunction]) -> list[MassFunction]:
        """The sources discounted by the rates."""
        return [self._weakened(m, rate) for m, rate in zip(masses, self.rates_, strict=True)]

    def _get_state(self) -> dict[str, Any]:
        return {"rates_": self.rates_ if self.contextual else self.rates_[:, np.newaxis]}

    def _set_state(self, state: dict[str, Any]) -> None:
        rates = state["rates_"]
        if not self.contextual and rates.shape[1] != 1:
            raise ValueError(f"saved fusion is damaged: rates have shape {rates.shape}")
        self.rates_ = rates if self.contextual else rates[:, 0]

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        return reduce(matmul, self._prepared(masses))

    def _weakened(self, m: MassFunction, rate: Any) -> MassFunction:
        if not self.contextual:
            return discount(m, rate=rate)
        if len(rate) != len(m.frame):
            raise ValueError(f"there are rates of {len(rate)} classes, but {len(m.frame)} classes")
        contexts = (m.frame.event(1 << k) for k in range(len(m.frame)))
        return contextual_discount(m, rates=dict(zip(contexts, rate, strict=True)))
