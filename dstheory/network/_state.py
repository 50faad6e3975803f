"""What a network holds, and how another one is made from it.

A network is immutable: each change gives a new one, on the same tree where it has room, with the
same store of messages. Bayesian-network libraries and networkx change graphs in place; here a
hypothesis ("what if it had rained?") is as common as an input, and costs no more than its messages.
"""

from abc import ABC
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

from dstheory.network._arguments import as_order
from dstheory.network._errors import NetworkError
from dstheory.network._kinds import Kind
from dstheory.network._messages import Statistics
from dstheory.network._versions import Entry, Version
from dstheory.product import Variable

__all__ = ["NetworkState"]


class NetworkState(ABC):
    """Variables, valuations by key, and changes that give another network."""

    _version: Version[Any]

    @classmethod
    def _of(cls, version: Version[Any]) -> Self:
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
        """ "belief", "probability" or "possibility"."""
        return self._kind.name

    @property
    def tnorm(self) -> str | None:
        """How possibilities are combined; None for other kinds."""
        return self._kind.tnorm

    @property
    def order(self) -> str | tuple[str, ...]:
        """The heuristic, or the given order of elimination."""
        order = self._version.order
        return order if isinstance(order, str) else tuple(self._kind.named(order))

    @property
    def valuations(self) -> Mapping[Hashable, Any]:
        """The valuations by key, in the order in which they came."""
        entries = self._version.entries
        return MappingProxyType({key: entry.valuation for key, entry in entries.items()})

    @property
    def statistics(self) -> Statistics:
        """Combinations and messages so far, of all versions of this network together."""
        return self._version.store.statistics

    def scope(self, key: Hashable) -> tuple[str, ...]:
        """Names of the variables that a valuation speaks of."""
        return tuple(self._kind.named(self._entry_of(key).scope))

    # -- other versions ----------------------------------------------------------------------------

    def add(self, valuation: Any, *, key: Hashable = None, on: str | None = None) -> Self:
        """The network with one more valuation.

        Parameters
        ----------
        valuation : MassFunction on a product, or Table
            With `on`, also a MassFunction on the values of that variable, or an array of numbers.
        key : hashable, optional
            Its name, to retract it by; the next free number if not given.
        on : str, optional
            The one variable that a valuation speaks of which names none.

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
        new = {**entries, key: self._entry(valuation, on)}
        return self._of(self._version.with_entries(new))

    def retract(self, *keys: Hashable) -> Self:
        """The network without some valuations.

        Parameters
        ----------
        *keys : hashable

        Returns
        -------
        ValuationNetwork

        Raises
        ------
        NetworkError
            If there is no valuation of a key.
        """
        for key in keys:
            self._entry_of(key)
        left = {key: entry for key, entry in self._version.entries.items() if key not in keys}
        return self._of(self._version.with_entries(left))

    def observe(self, values: Mapping[str, Any]) -> Self:
        """The network with certain evidence about some variables.

        Parameters
        ----------
        values : mapping of name to value, or to a collection of values
            The evidence about a variable has the key ``("observed", name)``.

        Returns
        -------
        ValuationNetwork

        Raises
        ------
        NetworkError
            If a variable is unknown, or has been observed.
        FrameError
            If a value is unknown.
        """
        if not isinstance(values, Mapping):
            raise TypeError(f"values are a mapping of names to values, not {values!r}")
        network = self
        for name, event in values.items():
            variable = self.variables[self._kind.place(name)]
            indicator = self._kind.indicator(variable, event)
            network = network.add(indicator, key=("observed", name))
        return network

    def forget(self, *names: str) -> Self:
        """The network without what was observed about some variables, or about all.

        Parameters
        ----------
        *names : str
            All observed variables if none is given.

        Returns
        -------
        ValuationNetwork

        Raises
        ------
        NetworkError
            If a variable has not been observed.
        """
        keys = [("observed", name) for name in names or self.names]
        return self.retract(*(key for key in keys if names or key in self._version.entries))

    def replan(self, order: str | Sequence[str] | None = None) -> Self:
        """The network with a join tree made anew, after much was added to the old one.

        Parameters
        ----------
        order : str or sequence of names, optional
            The same as before if not given.

        Returns
        -------
        ValuationNetwork
        """
        old = self._version
        new = old.order if order is None else as_order(order, self._kind)
        return self._of(Version(old.kind, old.store, old.entries, new, old.limits))

    def _entry(self, valuation: Any, alone: str | None) -> Entry[Any]:
        read = self._kind.read(valuation, alone)
        number = self._version.store.number()
        return Entry(number, self._kind.scope(read), read, self._kind.part(read))

    def _entry_of(self, key: Hashable) -> Entry[Any]:
        try:
            return self._version.entries[key]
        except KeyError:
            known = ", ".join(map(repr, list(self._version.entries)[:20]))
            raise NetworkError(f"there is no valuation {key!r}; there are {known}") from None

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.kind}: {len(self.names)} variables, "
            f"{len(self._version.entries)} valuations)"
        )
