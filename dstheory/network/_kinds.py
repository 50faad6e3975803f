"""Kinds of networks: how they read valuations, represent evidence, and return results.

Belief functions are mass functions on products, both as input and as output. Probabilities and
possibilities are tables as input and arrays as output. In between, all are parts of one algebra.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import certain
from dstheory._typing import Event
from dstheory.checks.arguments import check_axes, check_choice, check_instance, shown, suggestion
from dstheory.kernels import bits
from dstheory.mass import MassFunction
from dstheory.network._algebra import Algebra, Amount, Part, divisor
from dstheory.network._belief import BeliefAlgebra, BeliefPart
from dstheory.network._errors import NetworkError
from dstheory.network._join_tree import Scope
from dstheory.network._limits import Limits
from dstheory.network._table import TableAlgebra, TablePart, align
from dstheory.network._tables import Table
from dstheory.product import ProductFrame, Variable, marginalize, on

P = TypeVar("P", bound=Part)

# A focal set of 2^18 configurations takes 32 KiB, and there may be many sets.
_MAX_SETS_ON = 1 << 18
# A table of 2^24 floats takes 128 MiB.
_MAX_CELLS = 1 << 24
# What is possible has a positive number, even below the range of floats.
_SMALLEST = 5e-324


class Kind(ABC, Generic[P]):
    """One kind of valuations on given variables."""

    name: str
    tnorm: str | None = None
    max_configurations: int

    algebra: Algebra[P]

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self.sizes = tuple(len(variable) for variable in variables)
        self.places = {variable.name: place for place, variable in enumerate(variables)}

    @abstractmethod
    def read(self, valuation: object, alone: str | None) -> Any:
        """A valuation in the stored form; `alone` names its variable if it names none."""

    @abstractmethod
    def scope(self, valuation: Any) -> Scope:
        """Positions of the variables of a valuation."""

    @abstractmethod
    def part(self, valuation: Any) -> P:
        """A stored valuation as an operand of the algebra."""

    @abstractmethod
    def indicator(self, variable: Variable, event: Event) -> Any:
        """The valuation that only says that a variable lies in an event."""

    @abstractmethod
    def written(self, part: P | None, names: str | list[str], normalize: bool, exact: bool) -> Any:
        """A result on some variables, normalized or not; floats unless everything is exact."""

    @abstractmethod
    def is_exact(self, valuation: Any) -> bool:
        """Whether results with this valuation are Fractions or symbols."""

    @abstractmethod
    def contour(self, valuation: Any) -> TablePart:
        """Plausibility of each single configuration under a valuation."""

    def filler(self, place: int) -> P | None:
        """The weight of a variable that no valuation mentions."""
        return None

    def searching(self) -> TableAlgebra:
        """The algebra that finds the best configuration."""
        return TableAlgebra(self.sizes, np.maximum, np.multiply)

    def place(self, name: str | Variable) -> int:
        """Position of a variable, given the variable or its name."""
        if isinstance(name, Variable):
            known = self.variables[self.place(name.name)]
            if known != name:
                raise NetworkError(f"{name!r} differs from the variable {known!r} of the network")
            name = name.name
        try:
            return self.places[name]
        except (KeyError, TypeError):
            raise unknown(name, self.places) from None

    def scope_of(self, names: str | list[str]) -> Scope:
        """Positions of the variables of a query, ascending."""
        listed = [names] if isinstance(names, str) else names
        return tuple(sorted(self.place(name) for name in listed))

    def scope_names(self, scope: Scope) -> list[str]:
        """Names of the variables of a scope."""
        return [self.variables[place].name for place in scope]

    def canonical(self, names: Sequence[str]) -> list[str]:
        """Names in the order of the network."""
        return self.scope_names(tuple(sorted(self.place(name) for name in names)))


class BeliefKind(Kind[BeliefPart]):
    """Belief functions under Dempster's rule."""

    name = "belief"
    max_configurations = _MAX_SETS_ON
    algebra: BeliefAlgebra

    def __init__(self, variables: Sequence[Variable], limits: Limits) -> None:
        super().__init__(variables)
        self.algebra = BeliefAlgebra(self.sizes, list(self.places), limits)

    def read(self, valuation: object, alone: str | None) -> MassFunction:
        if isinstance(valuation, Mapping) and alone is not None:
            valuation = MassFunction.from_dict(self.variables[self.place(alone)].frame, valuation)
        if not isinstance(valuation, MassFunction):
            raise TypeError(_not_belief(valuation))
        if valuation.batch_shape:
            raise NetworkError(
                f"a valuation is one mass function, not a batch of shape {valuation.batch_shape}"
            )
        lifted = valuation if alone is None else on(self.variables[self.place(alone)], valuation)
        if not isinstance(lifted.frame, ProductFrame):
            raise NetworkError(
                f"the mass function is on {lifted.frame!r}, which names no variable; "
                "name it by on=name"
            )
        for variable in lifted.frame.variables:
            self.place(variable)
        return lifted

    def scope(self, valuation: MassFunction) -> Scope:
        return tuple(sorted(self.places[name] for name in _product(valuation).names))

    def part(self, valuation: MassFunction) -> BeliefPart:
        ordered = marginalize(valuation, self.canonical(_product(valuation).names))
        masses = ordered.store.tolist()
        if not self.is_exact(valuation) and all(mass in (0.0, 1.0) for mass in masses):
            masses = [int(mass) for mass in masses]  # keeps fractions exact
        part = dict(zip(ordered.focal.tolist(), masses, strict=True))
        return self.algebra.part(self.scope(valuation), part)

    def indicator(self, variable: Variable, event: Event) -> MassFunction:
        frame = ProductFrame([variable])
        return certain(frame, observed(variable, event))

    def written(
        self, part: BeliefPart | None, names: str | list[str], normalize: bool, exact: bool
    ) -> MassFunction:
        scope = self.scope_of(names)
        part = BeliefPart((), {1: 1}, exact=True) if part is None else part
        masses = self.algebra.extend(part, scope)
        if part.logs:
            masses = {mask: max(math.exp(log), _SMALLEST) for mask, log in masses.items()}
        if normalize:
            total = divisor(sum(masses.values())) if part.exact else math.fsum(masses.values())
            masses = {mask: mass / total for mask, mass in masses.items()}
        else:  # the conjunctive rule: the difference to 1 is conflict
            masses = {mask: Amount(m, part.log_scale).number for mask, m in masses.items()}
            conflict = self.algebra.total(part).missing
            if conflict != 0:
                masses[0] = conflict
        frame = ProductFrame([self.variables[place] for place in scope])
        focal = bits.mask_array(sorted(masses), len(frame))
        dtype = object if exact and part.exact else np.float64
        store = np.array([masses[mask] for mask in focal.tolist()], dtype=dtype)
        return marginalize(MassFunction.from_store(frame, focal, store), names)

    def is_exact(self, valuation: MassFunction) -> bool:
        return valuation.store.dtype == object

    def contour(self, valuation: MassFunction) -> TablePart:
        ordered = marginalize(valuation, self.canonical(_product(valuation).names))
        scope = self.scope(valuation)
        values = ordered.contour().reshape([self.sizes[place] for place in scope])
        return self.searching().part(scope, values)


class TableKind(Kind[TablePart]):
    """Tables of probabilities (sum, product) or possibilities (max, product or min)."""

    max_configurations = _MAX_CELLS
    algebra: TableAlgebra

    def __init__(
        self, variables: Sequence[Variable], name: str, tnorm: str | None, limits: Limits
    ) -> None:
        super().__init__(variables)
        self.name, self.tnorm = name, tnorm
        self.join = np.minimum if tnorm == "min" else np.multiply
        drop = np.add if name == "probability" else np.maximum
        self.algebra = TableAlgebra(self.sizes, drop, self.join, limits)

    def searching(self) -> TableAlgebra:
        return TableAlgebra(self.sizes, np.maximum, self.join)

    def read(self, valuation: Any, alone: str | None) -> Table:
        if alone is not None and not isinstance(valuation, Table):
            if isinstance(valuation, Mapping):
                known = self.variables[self.place(alone)].values
                if {*valuation} != {*known}:
                    raise NetworkError(
                        f"numbers are named {[*valuation]}, but the values of {alone!r} are "
                        f"{[*known]}; give one for each"
                    )
                valuation = [valuation[value] for value in known]
            valuation = Table(alone, valuation)
        check_instance("a valuation", valuation, Table, "a Table, or values with on=name")
        table: Table = valuation
        if alone is not None and table.names != (alone,):
            raise NetworkError(f"the table is on {table.names!r}, not on {alone!r}")
        shape = tuple(self.sizes[self.place(name)] for name in table.names)
        if table.values.shape != shape:
            raise NetworkError(
                f"the table on {table.names!r} has shape {table.values.shape}, but the "
                f"variables have {shape} values"
            )
        values = {name: self.variables[self.place(name)].values for name in table.names}
        check_axes(table._axes, values, "the table")
        if self.name == "possibility":
            _check_possibilities(table)
        return table

    def scope(self, valuation: Table) -> Scope:
        return tuple(sorted(self.places[name] for name in valuation.names))

    def part(self, valuation: Table) -> TablePart:
        axes = [valuation.names.index(name) for name in self.canonical(valuation.names)]
        return self.algebra.part(self.scope(valuation), valuation.values.transpose(axes))

    def indicator(self, variable: Variable, event: Event) -> Table:
        mask = observed(variable, event)
        return Table(variable.name, [float(mask >> i & 1) for i in range(len(variable))])

    def filler(self, place: int) -> TablePart | None:
        if self.name == "possibility":
            return None
        ones = np.ones(self.sizes[place], dtype=np.int64).astype(object)  # exact beside fractions
        return self.algebra.part((place,), ones)

    def written(
        self, part: TablePart | None, names: str | list[str], normalize: bool, exact: bool
    ) -> NDArray[Any]:
        scope = self.scope_of(names)
        part = TablePart((), np.ones(())) if part is None else part
        if part.logs:
            part = part.as_floats()
        values = np.broadcast_to(align(part, scope), [self.sizes[place] for place in scope])
        if not normalize:
            values = values * np.exp(part.log_scale) if part.log_scale else values
        elif self.tnorm == "min":
            values = np.where(values == values.max(), values * 0 + 1, values)
        else:
            top = values.max() if self.name == "possibility" else values.sum()
            possible = np.asarray(values > 0) if values.dtype != object else None
            values = values / divisor(top)
            if possible is not None:
                values = np.where(possible, np.maximum(values, _SMALLEST), values)
        listed = [names] if isinstance(names, str) else names
        ordered = values.transpose([scope.index(self.place(name)) for name in listed])
        return np.array(ordered, dtype=ordered.dtype if exact else np.float64)

    def is_exact(self, valuation: Table) -> bool:
        return valuation.values.dtype == object

    def contour(self, valuation: Table) -> TablePart:
        return self.part(valuation)


def kind_of(name: str, tnorm: str, variables: Sequence[Variable], limits: Limits) -> Kind[Any]:
    """The kind with this name, on some variables."""
    check_choice("kind", name, ("belief", "probability", "possibility"))
    check_choice("tnorm", tnorm, ("product", "min"))
    if tnorm != "product" and name != "possibility":
        raise ValueError(f"tnorm is {tnorm!r}, but only possibilities have a choice")
    if name == "belief":
        return BeliefKind(variables, limits)
    return TableKind(variables, name, tnorm if name == "possibility" else None, limits)


def observed(variable: Variable, event: Event) -> int:
    """Mask of the observed values, at least one."""
    mask = variable.mask(event)
    if not mask:
        raise NetworkError(f"{event!r} has no value of {variable.name!r}; observe one or more")
    return mask


def unknown(name: str, known: Collection[str]) -> NetworkError:
    """The error about a name that no variable has."""
    hint = suggestion(name, known, "its variables")
    return NetworkError(f"{name!r} is not a variable of the network{hint}")


def _check_possibilities(table: Table) -> None:
    for value in table.values.ravel().tolist():
        if hasattr(value, "free_symbols") and value.free_symbols:
            raise NetworkError(
                f"possibility {value} on {table.names!r} is symbolic, but possibilities are "
                "compared; give a number"
            )
        if value > 1:
            raise NetworkError(f"possibility {value} on {table.names!r} is above 1")


def _not_belief(valuation: object) -> str:
    """Message for a valuation that is not a mass function, with advice."""
    text = f"a valuation is {shown(valuation)}, expected a MassFunction on a product"
    if isinstance(valuation, Table):
        return f"{text}; make one by probability_table, or a network of kind='probability'"
    if isinstance(valuation, Mapping):
        return f"{text}; name the variable of a dict of masses by on=name"
    return text


def _product(valuation: MassFunction) -> ProductFrame:
    assert isinstance(valuation.frame, ProductFrame)  # as read
    return valuation.frame
