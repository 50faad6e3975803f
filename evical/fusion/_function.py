"""Functions of mass functions as rules: those of `dstheory.combine`, and the user's own.

Most functions need the masses of all sets. Two have closed forms: products over the classes meet
class by class under Dempster's rule, and a mean of beliefs is the mean of what they answer.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dstheory import MassFunction
from dstheory.combine import bold, cautious, dempster, disjunctive, lns, mixing, yager
from dstheory.errors import MassError, TotalConflictError
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.composed import joined, mean
from evical.beliefs.joined import Joined, have_products
from evical.fusion._rule import Needs, Reads, Rule
from evical.fusion._valid import valid_mean, valid_minimum
from evical.fusion.conflicts import exclusive
from evical.fusion.described import Formula

# These ask for sources that are not dogmatic, subnormal, or separable.
_CONDITIONED: tuple[Callable[..., Any], ...] = (bold, cautious, lns)
# Closed formulas of two classes.
_FORMULAS: tuple[tuple[Callable[..., Any], str], ...] = (
    (disjunctive, "disjunctive"),
    (yager, "yager"),
    (valid_mean, "valid_mean"),
    (valid_minimum, "valid_minimum"),
)


class Function(Rule):
    """Any function of mass functions.

    Parameters
    ----------
    function : callable
        ``function(*masses) -> MassFunction``.
    """

    def __init__(self, function: Callable[..., MassFunction]) -> None:
        self.function = function

    @property
    def name(self) -> str:
        """That of the function."""
        inner = self.function.func if isinstance(self.function, partial) else self.function
        return str(getattr(inner, "__name__", repr(inner)))

    @property
    def needs(self) -> Needs:
        """It learns nothing."""
        return "nothing"

    def _check_parameters(self) -> None:
        """Nothing to check."""

    def _learn(self, held_out: Any, sizes: Floats) -> None:
        """Nothing to learn."""

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        return self.function(*masses)

    def __call__(self, *masses: MassFunction) -> MassFunction:
        return self.function(*masses)

    def _combine(self, sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
        return sources[0] if len(sources) == 1 else super()._combine(sources, total_conflict)

    def formula(self, n_classes: int, n_sources: int) -> Formula | None:
        """Of two classes, for a few functions.

        Parameters
        ----------
        n_classes, n_sources : int

        Returns
        -------
        Formula or None
        """
        known = next((name for one, name in _FORMULAS if one is self.function), None)
        if n_sources == 1 or n_classes != 2 or known is None:
            return super().formula(n_classes, n_sources)
        return Formula(known, np.ones(n_sources))

    def check(self, masses: Callable[[], Sequence[MassFunction]]) -> None:
        """Raise if it refuses mass functions for what they are.

        Parameters
        ----------
        masses : callable
            Returns some of the mass functions that it is to combine; called if it is needed.

        Raises
        ------
        ValueError
        """
        if not any(self.function is one for one in _CONDITIONED):
            return
        sources = masses()
        try:
            if len(sources) > 1:
                self.function(*sources)
        except TotalConflictError:
            return  # of some rows; predictions report it
        except MassError as error:
            raise ValueError(
                f"the rule {self.name!r} cannot combine what these classifiers believe: {error}; "
                "take rule='dempster', or 'learned_tnorm', which discounts where it must"
            ) from error

    def _check_number(self, number: int, what: str) -> None:
        """Any number will do."""

    def __sklearn_is_fitted__(self) -> bool:
        return True


class Dempster(Function):
    """Dempster's rule, with or without options."""

    _joins = True

    def reads(self, n_classes: int) -> Reads:
        """Products, if there are three classes or more.

        Parameters
        ----------
        n_classes : int

        Returns
        -------
        {"masses", "products"}
        """
        return "products" if n_classes > 2 else "masses"

    def _combine(self, sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
        if len(sources) > 1 and have_products(sources):
            return joined_where_possible(sources, total_conflict)
        return super()._combine(sources, total_conflict)

    def formula(self, n_classes: int, n_sources: int) -> Formula | None:
        """Of two classes; nothing is discounted.

        Parameters
        ----------
        n_classes, n_sources : int

        Returns
        -------
        Formula or None
        """
        if n_sources == 1 or n_classes != 2:
            return super().formula(n_classes, n_sources)
        return Formula("dempster", np.ones(n_sources))


class Mean(Function):
    """`mixing`, with equal weights or constant ones."""

    def reads(self, n_classes: int) -> Reads:
        """Any belief has a mean with others.

        Parameters
        ----------
        n_classes : int

        Returns
        -------
        {"products"}
        """
        return "products"

    def _combine(self, sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
        weights = self._shares(len(sources))
        if weights is None:
            return super()._combine(sources, total_conflict)
        return mean(sources, weights.tolist())

    def _shares(self, n_sources: int) -> Floats | None:
        """Weights (S,); None if `mixing` refuses them, or they differ from row to row."""
        given = (
            self.function.keywords.get("weights") if isinstance(self.function, partial) else None
        )
        if given is None:
            return np.full(n_sources, 1 / n_sources)
        array = np.asarray(given)
        if array.shape != (n_sources,) or array.dtype.kind not in "fiu" or not (array >= 0).all():
            return None
        return array if abs(array.sum() - 1) <= 1e-9 else None

    def formula(self, n_classes: int, n_sources: int) -> Formula | None:
        """A mean of any number of classes.

        Parameters
        ----------
        n_classes, n_sources : int

        Returns
        -------
        Formula or None
        """
        weights = self._shares(n_sources)
        if weights is None:
            return super().formula(n_classes, n_sources)
        return Formula("mean", weights)


def of_function(function: Callable[..., MassFunction]) -> Function:
    """The rule that a function is."""
    inner = function.func if isinstance(function, partial) else function
    if inner is dempster:
        return Dempster(function)
    return Mean(function) if inner is mixing else Function(function)


def joined_where_possible(sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
    """Dempster's rule of products, vacuous in rows where they exclude each other, or an error."""
    products = [source.products() for source in sources]
    dead = Joined(products).impossible()
    if dead.any() and total_conflict == "error":
        raise exclusive(dead)
    return joined([source.vacuous_where(dead) for source in products])
