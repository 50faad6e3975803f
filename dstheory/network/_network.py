"""`ValuationNetwork`: variables, valuations on them, and all marginals.

A network is immutable: `add`, `retract` and `observe` return another one, which shares all messages
that the change does not affect. So beliefs before and after some evidence coexist, and retracting
it costs nothing; libraries for Bayesian networks usually change graphs in place. Shenoy & Shafer
(1990); Shenoy (1997) for the binary join tree.

Which valuations exclude each other: a minimal set, found by deletion.

A valuation is needed if the others do not contradict each other without it. It is then needed in
every contradictory subset, because fewer valuations never disagree more. One pass of messages finds
those that are needed. As many of the others as possible are removed at once, and the search repeats
until all are needed. The result has no contradictory proper subset, but another contradictory set
may have fewer members.

Fusion: one marginal by eliminating all other variables, without a tree.

Take the next variable, combine all valuations on it, marginalize it out, and put the result back;
what remains is the marginal of the query. Nothing is kept for a second query. Cannings, Thompson &
Skolnick (1978) call it peeling; Shenoy, P. P. (1992), "Valuation-based systems", proves it for all
kinds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, final

from dstheory._typing import Numbers
from dstheory.checks.arguments import (
    as_collection,
    as_sequence,
    check_choice,
    check_flag,
    check_instance,
    shown,
)
from dstheory.mass import MassFunction
from dstheory.network._algebra import Amount, eliminated, together
from dstheory.network._elimination import HEURISTICS
from dstheory.network._errors import NetworkConflictError, NetworkError
from dstheory.network._join_tree import Scope
from dstheory.network._kinds import Kind, kind_of
from dstheory.network._limits import DEFAULT, Limits
from dstheory.network._messages import Statistics, Store
from dstheory.network._plan import Plan
from dstheory.network._table import Configuration, best_places
from dstheory.network._tables import Table
from dstheory.network._versions import Entry, Version
from dstheory.notebook import brief, html_table
from dstheory.product import Variable

Names = str | Variable | Iterable[str | Variable]
Valuation = MassFunction | Table | Mapping[Any, Any] | Numbers


def smallest_contradiction(version: Version[Any]) -> tuple[Hashable, ...]:
    """Keys of a minimal set of valuations in total conflict, () if there is none.

    The first valuations are removed first, so that late evidence is named if possible.
    """
    if version.total.value:
        return ()
    while True:
        spare = [key for key in version.entries if not version.total_without(key).value]
        if not spare:
            return tuple(version.entries)
        version = _reduced(version, spare)


def _reduced(version: Version[Any], spare: list[Hashable]) -> Version[Any]:
    """The contradiction without the first of the valuations that can be removed."""
    size = len(spare)
    while True:
        dropped = set(spare[:size])
        left = {key: entry for key, entry in version.entries.items() if key not in dropped}
        fewer = version.with_entries(left)
        if size == 1 or not fewer.total.value:
            return fewer
        size //= 2


def as_variables(variables: object) -> tuple[Variable, ...]:
    """Variables from a sequence of them, or from a mapping of names to values."""
    if isinstance(variables, Mapping):
        variables = [Variable(name, values) for name, values in variables.items()]
    expected = "a sequence of Variable, or a mapping of names to values"
    if isinstance(variables, Variable):
        raise TypeError(f"variables is {shown(variables)}, expected {expected}")
    listed = tuple(as_collection(variables, "variables", expected))
    if not listed:
        raise NetworkError("a network needs at least one variable")
    seen = set()
    for variable in listed:
        check_instance("a variable", variable, Variable, "a Variable")
        if variable.name in seen:
            raise NetworkError(f"variable {variable.name!r} occurs twice")
        seen.add(variable.name)
    return listed


def as_valuations(valuations: object) -> Mapping[Hashable, Any]:
    """Valuations by key, numbered if they have none."""
    if isinstance(valuations, Mapping):
        return valuations
    expected = "a sequence of valuations, or a mapping to them"
    if isinstance(valuations, MassFunction | Table):
        raise TypeError(f"valuations is {shown(valuations)}, expected {expected}")
    return dict(enumerate(as_collection(valuations, "valuations", expected)))


def as_query(names: Names, kind: Kind[Any]) -> str | list[str]:
    """The name of a single variable, or a list of names."""
    if isinstance(names, str | Variable):
        return kind.variables[kind.place(names)].name
    listed = as_sequence(names, "names", "a name or a sequence of names")
    return [kind.variables[kind.place(name)].name for name in listed]


def as_order(order: str | Sequence[str], kind: Kind[Any]) -> str | tuple[int, ...]:
    """The name of a heuristic, or positions of all variables."""
    if isinstance(order, str):
        check_choice("order", order, HEURISTICS)
        return order
    expected = "a heuristic, or the names of all variables in order"
    order = as_sequence(order, "order", expected)
    places = tuple(kind.place(name) for name in order)
    if sorted(places) != list(range(len(kind.variables))):
        missing = [v.name for place, v in enumerate(kind.variables) if place not in places]
        raise NetworkError(
            f"an order names each variable once; missing are {missing}; given are {order}"
        )
    return places


@final
class ValuationNetwork:
    """Variables and valuations, with local computation of marginals.

    Parameters
    ----------
    variables : sequence of Variable, or mapping of name to values
    valuations : mapping of key to valuation, or iterable of valuations, optional
        Mass functions on products for belief networks, `Table` for the other kinds. Valuations
        without keys are numbered from 0.
    kind : {"belief", "probability", "possibility"}
    tnorm : {"product", "min"}
        How possibilities are combined.
    order : str, or sequence of names
        "min_fill", "weighted_min_fill", "min_degree", "min_weight", "mcs_m" (networkx), or all
        variables in the order of elimination.
    max_configurations : int, optional
        Maximum size of a clique. Default: 2^18 for belief functions, 2^24 for tables.
    max_pairs : int
        Maximum number of pairs of focal sets in one combination.
    max_bytes : int
        Maximum memory of one combination, of all messages of a version, and of stored messages.
    max_cost : float, optional
        Maximum worst-case cost of a plan (see `plan`). Default: no limit.

    Raises
    ------
    NetworkError
        If a name or key occurs twice, or a valuation does not fit the variables.
    ValueError
        If an option is not one of those listed.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    Versions of a network share their messages and a bounded memory. Only one thread at a time may
    use them.

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
        kind: Literal["belief", "probability", "possibility"] = "belief",
        tnorm: str = "product",
        order: str | Sequence[str] = "min_fill",
        max_configurations: int | None = None,
        max_pairs: int = DEFAULT.max_pairs,
        max_bytes: int = DEFAULT.max_bytes,
        max_cost: float | None = None,
    ) -> None:
        limits = Limits(max_configurations, max_pairs, max_cost, max_bytes)
        own = kind_of(kind, tnorm, as_variables(variables), limits)
        store: Store[Any] = Store(own.algebra)
        self._version: Version[Any] = Version(own, store, {}, as_order(order, own))
        entries = {key: self._entry(one, None) for key, one in as_valuations(valuations).items()}
        self._version = self._version.with_entries(entries)

    @classmethod
    def _of(cls, version: Version[Any]) -> ValuationNetwork:
        network = cls.__new__(cls)
        network._version = version
        return network

    @property
    def _kind(self) -> Kind[Any]:
        return self._version.kind

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order."""
        return self._kind.variables

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in order."""
        return tuple(self._kind.places)

    @property
    def kind(self) -> str:
        """Kind of the network, "belief", "probability" or "possibility"."""
        return self._kind.name

    @property
    def tnorm(self) -> str | None:
        """T-norm that combines possibilities, None for other kinds."""
        return self._kind.tnorm

    @property
    def order(self) -> str | tuple[str, ...]:
        """The heuristic, or the given order of elimination."""
        order = self._version.order
        return order if isinstance(order, str) else tuple(self._kind.scope_names(order))

    @property
    def valuations(self) -> Mapping[Hashable, Any]:
        """The valuations by key, in the order in which they were added."""
        entries = self._version.entries
        return MappingProxyType({key: entry.valuation for key, entry in entries.items()})

    @property
    def statistics(self) -> Statistics:
        """Combinations and messages so far, summed over all versions of this network."""
        return self._version.store.statistics

    def scope(self, key: Hashable) -> tuple[str, ...]:
        """Names of the variables of a valuation, in the order of the network."""
        return tuple(self._kind.scope_names(self._version.entry(key).scope))

    # -- other versions ----------------------------------------------------------------------------

    def add(
        self, valuation: Valuation, *, key: Hashable = None, on: str | Variable | None = None
    ) -> ValuationNetwork:
        """The network with one more valuation.

        Parameters
        ----------
        valuation : MassFunction on a product, or Table
            With `on`, also a MassFunction on that variable's values, a dict of masses, or, for
            tables, an array or a dict of numbers.
        key : hashable, optional
            Key for retracting it. Default: the next free number.
        on : str or Variable, optional
            The variable of a valuation on a plain frame.

        Returns
        -------
        ValuationNetwork

        Raises
        ------
        NetworkError
            If the key is taken, or the valuation does not fit the variables.
        """
        entries = self._version.entries
        if key is None:
            key = next(number for number in range(len(entries) + 1) if number not in entries)
        if key in entries:
            raise NetworkError(f"key {key!r} is taken; retract that valuation first")
        return self._of(self._version.with_entries({**entries, key: self._entry(valuation, on)}))

    def retract(self, *keys: Hashable) -> ValuationNetwork:
        """The network without the valuations with these keys."""
        for key in keys:
            self._version.entry(key)
        left = {key: entry for key, entry in self._version.entries.items() if key not in keys}
        return self._of(self._version.with_entries(left))

    def observe(self, values: Mapping[str | Variable, Any]) -> ValuationNetwork:
        """Network with certain evidence, a value or a collection of values for each name.

        The evidence about a variable has the key ``("observed", name)``; see `forget`.
        """
        check_instance("values", values, Mapping, "a mapping of names to values")
        entries = dict(self._version.entries)
        for given, event in values.items():
            variable = self.variables[self._kind.place(given)]
            name, key = variable.name, ("observed", variable.name)
            if key in entries:
                raise NetworkError(f"{name!r} has been observed already; forget({name!r}) first")
            entries[key] = self._entry(self._kind.indicator(variable, event), None)
        return self._of(self._version.with_entries(entries))

    def forget(self, *names: str | Variable) -> ValuationNetwork:
        """Network without the observations of some variables, or of all if none is named."""
        entries = self._version.entries
        listed = [self.names[self._kind.place(name)] for name in names]
        for name in listed:
            if ("observed", name) not in entries:
                raise NetworkError(
                    f"nothing was observed about {name!r}, so there is nothing to forget"
                )
        keys = [("observed", name) for name in listed or self.names]
        return self.retract(*(key for key in keys if key in entries))

    def replan(self, order: str | Sequence[str] | None = None) -> ValuationNetwork:
        """The network with a new join tree, in the same or another order of elimination.

        Useful after many changes: new valuations join the tree where they fit, and retracted ones
        leave their place empty.
        """
        old = self._version
        new = old.order if order is None else as_order(order, self._kind)
        return self._of(Version(old.kind, old.store, old.entries, new))

    # -- queries -----------------------------------------------------------------------------------

    def marginal(self, names: Names, *, normalize: bool = True, disconnected: bool = False) -> Any:
        """The marginal of the combination of all valuations on some variables.

        Parameters
        ----------
        names : str or Variable, or iterable of these
            One variable, or several at once, in the order wanted.
        normalize : bool
            False keeps the conflict: mass on the empty set, or numbers that do not sum to 1 (for
            possibilities: whose maximum is below 1).
        disconnected : bool
            Allow several variables that no valuations link.

        Returns
        -------
        MassFunction or array
            For belief networks a mass function, on the values of a single variable or on the
            product of several. Otherwise an array with one axis per name. Possibilities under the
            minimum are normalized by setting the largest to 1.

        Raises
        ------
        NetworkConflictError
            If valuations exclude each other; the error names a minimal set of them.
        CostLimitError
            If a limit is exceeded.
        NetworkError
            If no valuations link the variables, or one is unknown.
        """
        query, scope = self._query(names, disconnected)
        return self._written(self._version.belief(scope), query, normalize)

    def marginals(self, *, normalize: bool = True) -> dict[str, Any]:
        """Marginals of all variables by name, with each message computed once."""
        return {name: self.marginal(name, normalize=normalize) for name in self.names}

    def fuse(self, names: Names, *, normalize: bool = True, disconnected: bool = False) -> Any:
        """The same as `marginal`, by eliminating all other variables without storing messages."""
        query, scope = self._query(names, disconnected)
        algebra, order = self._version.store.algebra, self._version.fusion_order(scope)
        others = [variable for variable in order if variable not in scope]
        left, _ = eliminated(algebra, self._version.parts(), others)
        part = algebra.marginalize(together(algebra, left), scope) if left else None
        return self._written(part, query, normalize)

    def most_plausible(self, *, normalize: bool = True) -> Configuration:
        """A joint configuration of all variables with the highest degree.

        Parameters
        ----------
        normalize : bool
            False leaves the conflict in the degree and needs no propagation of focal sets.

        Returns
        -------
        Configuration
            For belief functions the one with the highest Pl({x}), for probabilities the most
            probable one. Ties always give the same configuration.

        Raises
        ------
        NetworkConflictError, CostLimitError
            As `marginal`.
        NetworkError
            If a valuation is symbolic.

        Notes
        -----
        The result is exact: the contour of the joint belief is the product of the contours of the
        valuations, because Pl({x}) = q({x}) and commonalities multiply.
        """
        version, kind = self._version, self._kind
        order = version.checked_order()
        tables = [kind.contour(entry.valuation) for entry in version.entries.values()]
        places, degree = best_places(kind.searching(), tables, order)
        if not degree.value:  # only total conflict makes every configuration impossible
            raise NetworkConflictError(self.conflicting(), len(version.entries))
        values = {v.name: v.values[places[i]] for i, v in enumerate(self.variables)}
        check_flag("normalize", normalize)
        degree = degree.over(version.total) if normalize else degree
        return Configuration(values, degree.number, degree.log)

    # -- conflict ----------------------------------------------------------------------------------

    def kappa(self) -> Any:
        """Conflict of all valuations, 1 minus what they leave possible.

        For belief functions, the mass of the empty set under the conjunctive rule. If it is within
        1e-16 of 1, see `log_normalization`.
        """
        return self._kappa(self._version.total)

    def log_normalization(self) -> float:
        """Natural logarithm of the normalization constant, -inf in total conflict.

        ln(1 - kappa) for belief functions, ln P(evidence) for probabilities, ln of the height for
        possibilities.
        """
        return float(self._version.total.log)

    def conflicting(self) -> tuple[Hashable, ...]:
        """Keys of a minimal set of valuations that exclude each other, () if they do not.

        Found by deletion: they are in total conflict, but not if any one of them is retracted.
        """
        return smallest_contradiction(self._version)

    def kappa_without(self) -> dict[Hashable, Any]:
        """Conflict that remains when one valuation is retracted, for each key.

        A low value marks a valuation that the conflict depends on.
        """
        version = self._version
        return {key: self._kappa(version.total_without(key)) for key in version.entries}

    # -- before anything runs ----------------------------------------------------------------------

    def plan(self, names: Names = (), *, order: str | Sequence[str] | None = None) -> Plan:
        """Estimate the cost of all marginals without computing them.

        Parameters
        ----------
        names : str or Variable, or iterable of these
            Variables of a joint query to include in the plan.
        order : str or sequence of names, optional
            An order of elimination other than that of the network.

        Returns
        -------
        Plan
            Print it, or call `Plan.check` to enforce limits.
        """
        scope = self._kind.scope_of(as_query(names, self._kind))
        version = self._version if order is None else self.replan(order)._version
        return version.plan(scope)

    # -- inside ------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        size = f"{len(self.names)} variables, {len(self.valuations)} valuations"
        return f"ValuationNetwork({self.kind}: {size})"

    def _repr_html_(self) -> str:
        rows = [
            [str(key), ", ".join(self.scope(key)), brief(valuation)]
            for key, valuation in self.valuations.items()
        ]
        variables = f"variables: {brief(self.names)}"
        return html_table(repr(self), [["key", "variables", "valuation"], *rows], [variables])

    def _entry(self, valuation: Valuation, on: str | Variable | None) -> Entry[Any]:
        alone = None if on is None else self.names[self._kind.place(on)]
        read = self._kind.read(valuation, alone)
        scope, part = self._kind.scope(read), self._kind.part(read)
        return Entry(self._version.store.number(), scope, read, part)

    def _query(self, names: Names, disconnected: bool) -> tuple[str | list[str], Scope]:
        """A query and the positions of its variables, if it is valid."""
        kind, query = self._kind, as_query(names, self._kind)
        scope = kind.scope_of(query)
        if len(set(scope)) < len(scope) or not scope:
            raise NetworkError(f"a query names one or more different variables, not {query!r}")
        check_flag("disconnected", disconnected)
        linked = [part & set(scope) for part in self._version.components]
        parts = [kind.scope_names(tuple(sorted(part))) for part in linked if part]
        if len(parts) > 1 and not disconnected:
            sets = " and ".join(f"{{{', '.join(map(repr, part))}}}" for part in parts)
            raise NetworkError(
                f"no valuation links {sets}, so their joint marginal adds nothing to their "
                "separate ones; query these, or pass disconnected=True"
            )
        return query, scope

    def _kappa(self, total: Amount) -> Any:
        return total.missing if self._version.is_exact else float(total.missing)

    def _written(self, part: Any, query: str | list[str], normalize: bool) -> Any:
        check_flag("normalize", normalize)
        if normalize and part is not None and not self._version.store.algebra.total(part).value:
            raise NetworkConflictError(self.conflicting(), len(self._version.entries))
        return self._kind.written(part, query, normalize, self._version.is_exact)
