"""`ValuationNetwork`: variables, what is known about them, and all marginals.

A network is immutable: `add`, `retract` and `observe` give another one, which shares all messages
that the change does not touch. So the beliefs before and after some evidence stay side by side,
taking evidence back is free, and no query can depend on what has been asked earlier.
Shenoy & Shafer (1990); Shenoy (1997) for the binary join tree.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, final

from dstheory.network._algebra import Amount
from dstheory.network._arguments import as_order, as_variables, check_query
from dstheory.network._configuration import Configuration, best_places
from dstheory.network._conflict import contradicts, smallest_contradiction
from dstheory.network._errors import NetworkConflictError
from dstheory.network._fusion import fused
from dstheory.network._join_tree import Scope
from dstheory.network._kinds import kind_of
from dstheory.network._messages import Store
from dstheory.network._plan import Plan
from dstheory.network._state import NetworkState
from dstheory.network._versions import Limits, Version
from dstheory.product import Variable

__all__ = ["ValuationNetwork"]

Names = str | Iterable[str]

# Four million pairs take a second or two as Python objects, and less than a gigabyte.
_MAX_PAIRS = 4_000_000


@final
class ValuationNetwork(NetworkState):
    """Variables and valuations, with local computation of marginals.

    Parameters
    ----------
    variables : sequence of Variable, or mapping of name to values
    valuations : mapping of key to valuation, or iterable of valuations, optional
        Mass functions on products for belief networks, `Table` for the others. Without keys they
        are numbered from 0.
    kind : {"belief", "probability", "possibility"}
    tnorm : {"product", "min"}
        How possibilities are combined.
    order : str, or sequence of names
        "min_fill", "weighted_min_fill", "min_degree", "min_weight", "mcs_m" (networkx), or all
        variables as they shall be eliminated.
    max_configurations : int, optional
        Largest clique; 2^16 for belief functions and 2^24 for tables if not given.
    max_pairs : int
        Largest number of pairs of focal sets in one combination.
    max_cost : float, optional
        Largest worst case of a plan (see `plan`); no limit if not given.

    Raises
    ------
    NetworkError
        If a name or key occurs twice, or a valuation does not fit the variables.
    ValueError
        If an option is not one of those listed.
    TypeError
        If something is of the wrong kind.

    Notes
    -----
    Versions of a network share their messages and a bounded memory; they may be used from one
    thread at a time.

    References
    ----------
    Shenoy, P. P. & Shafer, G. (1990). Axioms for probability and belief-function propagation.
    Uncertainty in Artificial Intelligence 4, 169-198. Shenoy, P. P. (1997). Binary join trees for
    computing marginals in the Shenoy-Shafer architecture. International Journal of Approximate
    Reasoning 17, 239-263.

    Examples
    --------
    If it rains, the grass is wet, with support 3/4:

    >>> from dstheory import MassFunction
    >>> from dstheory.product import ProductFrame
    >>> rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    >>> frame = ProductFrame([rain, grass])
    >>> implies = frame.where({"rain": "no"}) + frame.where({"rain": "yes", "grass": "wet"})
    >>> rule = MassFunction.from_dict(frame, {implies: 0.75, frame: 0.25})
    >>> net = ValuationNetwork([rain, grass], {"rule": rule})
    >>> net.observe({"rain": "yes"}).marginal("grass")
    MassFunction on {wet, dry}
      {wet}       0.75
      {wet, dry}  0.25
    >>> net.observe({"grass": "dry"}).marginal("rain").bel("no")
    0.75
    """

    def __init__(
        self,
        variables: Iterable[Variable] | Mapping[str, Iterable[Hashable]],
        valuations: Mapping[Hashable, Any] | Iterable[Any] = (),
        *,
        kind: str = "belief",
        tnorm: str = "product",
        order: str | Sequence[str] = "min_fill",
        max_configurations: int | None = None,
        max_pairs: int = _MAX_PAIRS,
        max_cost: float | None = None,
    ) -> None:
        own = kind_of(kind, tnorm, as_variables(variables))
        limits = Limits(max_configurations or own.max_configurations, max_pairs, max_cost)
        store: Store[Any] = Store(own.algebra(max_pairs))
        self._version: Version[Any] = Version(own, store, {}, as_order(order, own), limits)
        listed = valuations if isinstance(valuations, Mapping) else dict(enumerate(valuations))
        entries = {key: self._entry(valuation, None) for key, valuation in listed.items()}
        self._version = self._version.with_entries(entries)

    # -- queries -----------------------------------------------------------------------------------

    def marginal(self, names: Names, *, normalize: bool = True, disconnected: bool = False) -> Any:
        """What all valuations together say about some variables.

        Parameters
        ----------
        names : str, or iterable of str
            One variable, or several at once, in the order wanted.
        normalize : bool
            False keeps the conflict: mass on the empty set, or numbers that do not sum (for
            possibilities: rise) to 1.
        disconnected : bool
            Whether several variables need not be linked by valuations.

        Returns
        -------
        MassFunction or array
            Of a belief network, a mass function: on the values of a single name, on a product of
            several. Else an array with one axis a name. Possibilities under the minimum are
            normalized by setting the highest to 1.

        Raises
        ------
        NetworkConflictError
            If valuations exclude each other; names a smallest set that does.
        CostLimitError
            If a limit is exceeded.
        DisconnectedError
            If no valuations link the variables.
        NetworkError
            If a variable is unknown.
        """
        query = names if isinstance(names, str) else list(names)
        scope = self._checked(query, disconnected)
        return self._written(self._version.belief(scope), query, normalize)

    def marginals(self, *, normalize: bool = True) -> dict[str, Any]:
        """Marginals of all variables by name; each message is computed once.

        Parameters
        ----------
        normalize : bool
            As in `marginal`.

        Returns
        -------
        dict of str to MassFunction or array
        """
        return {name: self.marginal(name, normalize=normalize) for name in self.names}

    def fuse(self, names: Names, *, normalize: bool = True, disconnected: bool = False) -> Any:
        """The same as `marginal`, by eliminating all other variables and keeping nothing.

        Parameters
        ----------
        names, normalize, disconnected
            As in `marginal`.

        Returns
        -------
        MassFunction or array
        """
        query = names if isinstance(names, str) else list(names)
        scope = self._checked(query, disconnected)
        version = self._version
        parts = [part for parts in version.leaves(version.tree).values() for _, part in parts]
        part = fused(version.store.algebra, parts, version.tree_with(scope).order, scope)
        return self._written(part, query, normalize)

    def most_plausible(self, *, normalize: bool = True) -> Configuration:
        """A joint configuration of all variables of the highest degree.

        Parameters
        ----------
        normalize : bool
            False leaves the conflict in the degree.

        Returns
        -------
        Configuration
            For belief functions the configuration x of the highest Pl({x}); the most probable one
            for probabilities. Of several the first, variable by variable.

        Raises
        ------
        NetworkConflictError, CostLimitError
            As `marginal`.

        Notes
        -----
        Exact: the contour of the joint belief is the product of the contours of the valuations,
        since Pl({x}) = q({x}) and commonalities multiply.
        """
        self._refuse_conflict()
        version, kind = self._version, self._kind
        tables = [kind.contour(entry.valuation) for entry in version.entries.values()]
        places, degree = best_places(kind.searching(), tables, version.tree.order)
        values = {v.name: v.values[places[i]] for i, v in enumerate(self.variables)}
        degree = degree.over(self._normalization()) if normalize else degree
        return Configuration(values, degree.number, degree.log)

    # -- conflict ----------------------------------------------------------------------------------

    def kappa(self) -> Any:
        """Conflict of all valuations: 1 less what they leave possible.

        Returns
        -------
        number
            For belief functions the mass of the empty set under the conjunctive rule; exact for
            fractions. See `log_normalization` where it is within 1e-16 of 1.
        """
        return self._total().missing

    def log_normalization(self) -> float:
        """Natural logarithm of what normalization divides by.

        Returns
        -------
        float
            ln(1 - kappa) for belief functions, ln P(evidence) for probabilities, ln of the height
            for possibilities; -inf in total conflict.
        """
        return float(self._total().log)

    def conflicting(self) -> tuple[Hashable, ...]:
        """Keys of valuations that exclude each other, found by deletion.

        Returns
        -------
        tuple of keys
            Total conflict ends when any one of them is retracted and the others stay alone;
            empty if there is no total conflict.
        """
        return smallest_contradiction(self._version)

    def kappa_without(self) -> dict[Hashable, Any]:
        """Conflict that remains when one valuation is retracted, for each of them.

        Returns
        -------
        dict of key to number
            A low one marks a valuation that the conflict depends on.
        """
        return {key: self.retract(key).kappa() for key in self._version.entries}

    # -- before anything runs ----------------------------------------------------------------------

    def plan(self, names: Names = (), *, order: str | Sequence[str] | None = None) -> Plan:
        """What all marginals would cost; nothing is computed.

        Parameters
        ----------
        names : str or iterable of str
            Variables of a joint query that the plan makes room for.
        order : str or sequence of names, optional
            Another order of elimination than that of the network.

        Returns
        -------
        Plan
            Print it; `Plan.check` refuses it above limits.
        """
        scope = self._kind.scope_of(names if isinstance(names, str) else list(names))
        version = self._version if order is None else self.replan(order)._version
        return version.plan(scope)

    # -- inside ------------------------------------------------------------------------------------

    def _checked(self, query: str | list[str], disconnected: bool) -> Scope:
        return check_query(query, self._kind, self._version.components, disconnected)

    def _total(self) -> Amount:
        top = self._version.messages.top()
        return Amount(1) if top is None else self._version.store.algebra.total(top)

    def _normalization(self) -> Amount:
        """The total; what is lost under the minimum does not change how others compare."""
        return Amount(1) if self.tnorm == "min" else self._total()

    def _refuse_conflict(self) -> None:
        if contradicts(self._version.messages):
            raise NetworkConflictError(self.conflicting(), len(self._version.entries))

    def _written(self, part: Any, query: str | list[str], normalize: bool) -> Any:
        if normalize and part is not None and not self._version.store.algebra.total(part).value:
            raise NetworkConflictError(self.conflicting(), len(self._version.entries))
        return self._kind.written(part, query, normalize, self._version.is_exact)
