"""Probabilistic argumentation: rules whose assumptions are uncertain, and what they support.

Each assumption, such as "the rule applies", "the sensor works" or "the witness is honest", has a
probability. An argument for a hypothesis is a set of assumptions from which it follows by the
rules. The degree of support is the probability that some argument holds, given that the assumptions
do not contradict the rules. It equals the belief in the hypothesis under the belief function that
the rules define. Source: Haenni, Kohlas & Lehmann, Probabilistic argumentation systems, in:
Handbook of Defeasible Reasoning and Uncertainty Management Systems 5, Kluwer 2000, 221-288.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import sympy

from dstheory.argumentation._clauses import (
    absorb,
    clauses_of,
    eliminate,
    literal,
    multiply,
    opposite,
    primes,
    renumber,
)
from dstheory.argumentation._language import as_formula, atoms
from dstheory.argumentation._probability import shares
from dstheory.argumentation._worlds import world_masses
from dstheory.checks import masses as checks
from dstheory.checks.arguments import (
    as_collection,
    check_count,
    check_flag,
    check_instance,
    check_rows,
    did_you_mean,
)
from dstheory.errors import DSTheoryError
from dstheory.kernels import bits
from dstheory.kernels.batches import scalar
from dstheory.kernels.pairwise import refuse_total_conflict
from dstheory.mass import MassFunction
from dstheory.notebook import ShownFields
from dstheory.product import ProductFrame, Variable


@dataclass(frozen=True)
class Argument(ShownFields):
    """A conjunction of assumptions and of negated assumptions.

    Attributes
    ----------
    literals : tuple of (str, bool)
        Assumptions, each with the truth value that the argument gives it.
    probability : number, array or None
        Probability that all of them hold; None if one of them has no probability.
    """

    literals: tuple[tuple[str, bool], ...]
    probability: Any = field(compare=False)  # == of arrays is not a single truth value

    @property
    def formula(self) -> str:
        """Argument as text, such as ``a & ~b``, or ``true`` if empty.

        >>> Argument((("a", True), ("b", False)), 0.5).formula
        'a & ~b'
        """
        signed = (name if holds else f"~{name}" for name, holds in self.literals)
        return " & ".join(signed) or "true"

    def __str__(self) -> str:
        return self.formula if self.probability is None else f"{self.formula}: {self.probability}"


def checked_probability(name: str, value: Any) -> Any:
    """A probability: a number as it is, an array of floats or objects, or None."""
    if value is None:
        return None
    if np.ndim(value) > 0:
        return _within(name, checks.as_masses(value))
    number = float(value) if isinstance(value, Decimal) else scalar(value)
    checks.check_number(number, f"probability of {name!r}")
    return number if hasattr(number, "free_symbols") else _within(name, number)


def _within(name: str, value: Any) -> Any:
    outside = np.ravel(value)[~np.ravel((value >= 0) & (value <= 1)).astype(bool)]
    if len(outside):
        raise DSTheoryError(f"probability of {name!r} is {outside[0]}, not within [0, 1]")
    return value


def as_names(names: object) -> tuple[str, ...]:
    """Names of propositions, from one or several."""
    listed = [names] if isinstance(names, str) else names
    found = as_collection(listed, "propositions", "names of propositions")
    for name in found:
        check_instance("proposition", name, str, "a name")
    return tuple(found)


def check_known(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that occur in no rule, or occur twice in the request."""
    listed = list(names)
    for name in listed:
        if name not in known:
            raise DSTheoryError(f"{name!r} occurs in no rule{did_you_mean(name, known)}")
    if len(set(listed)) < len(listed):
        raise DSTheoryError(f"a name occurs twice in {', '.join(listed)}")


# 2^16 worlds: a focal set takes 8 KiB.
_MAX_PROPOSITIONS = 16

Clauses = frozenset[int]


class ArgumentationSystem(ShownFields):
    """Propositional rules with independent uncertain assumptions. Immutable.

    Parameters
    ----------
    rules : sequence of formulas
        Text such as ``"works & rain -> wet"`` (operators ``~ & | ^ -> <->``, tightest first), or
        sympy Boolean expressions. The rules themselves are certain.
    probabilities : mapping of name or symbol to number, array or None
        The assumptions and their probabilities; all other names in the rules are propositions.
        Fractions and symbols stay exact, arrays give batches. None means that the probability is
        unknown: arguments with this assumption can be found, but have no probability.
    max_clauses : int
        Maximum number of clauses that may arise during a computation.

    Raises
    ------
    DSTheoryError
        If a formula cannot be read, a probability lies outside [0, 1], an assumption occurs in
        no rule, or more than `max_clauses` clauses arise.
    TypeError
        If a rule or a probability has the wrong type.

    Notes
    -----
    Designed for dozens of assumptions. Finding the shortest arguments takes exponential time in the
    worst case. Probabilities do not need them and often scale further.

    Examples
    --------
    Rain makes the street wet if the drain is blocked. So does a sprinkler:

    >>> from fractions import Fraction
    >>> street = ArgumentationSystem(
    ...     ["rain & blocked -> wet", "sprinkler -> wet"],
    ...     {"rain": Fraction(1, 2), "blocked": Fraction(1, 3), "sprinkler": Fraction(1, 4)},
    ... )
    >>> [argument.formula for argument in street.arguments_for("wet")]
    ['sprinkler', 'rain & blocked']
    >>> street.support("wet")  # 1 - (1 - 1/6) (1 - 1/4)
    Fraction(3, 8)
    >>> street.plausibility("wet"), street.given("~wet").support("~rain")
    (1, Fraction(3, 5))
    """

    _shown = ("propositions", "probabilities", "rules")

    def __init__(
        self,
        rules: Iterable[Any],
        probabilities: Mapping[Any, Any],
        *,
        max_clauses: int = 5_000,
    ) -> None:
        check_count("max_clauses", max_clauses, 1)
        rules = as_collection(rules, "rules", "a sequence of formulas")
        check_instance("probabilities", probabilities, Mapping, "a mapping of names")
        check_rows(**{f"the probability of {n!r}": p for n, p in probabilities.items()})
        self._rules = tuple(as_formula(rule) for rule in rules)
        self._probabilities = {
            str(n): checked_probability(str(n), p) for n, p in probabilities.items()
        }
        if len(self._probabilities) < len(probabilities):
            raise DSTheoryError("an assumption has two probabilities, as a name and as a symbol")
        self._limit = max_clauses
        found = set().union(*map(atoms, self._rules))
        unused = [name for name in self._probabilities if name not in found]
        if unused:
            raise DSTheoryError(
                f"assumption {unused[0]!r} occurs in no rule{did_you_mean(unused[0], found)}"
            )
        self._propositions = tuple(sorted(found - set(self._probabilities)))
        names = (*self._probabilities, *self._propositions)
        self._numbers = {name: number for number, name in enumerate(names)}
        self._clauses = absorb(
            clause
            for rule in self._rules
            for clause in clauses_of(rule, self._numbers, max_clauses)
        )

    @property
    def rules(self) -> tuple[Any, ...]:
        """The rules as sympy expressions."""
        return self._rules

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Names of the assumptions, as given."""
        return tuple(self._probabilities)

    @property
    def propositions(self) -> tuple[str, ...]:
        """Names of the propositions, sorted."""
        return self._propositions

    @property
    def probabilities(self) -> dict[str, Any]:
        """The probabilities of the assumptions."""
        return dict(self._probabilities)

    def given(self, *facts: object) -> "ArgumentationSystem":
        """The system with further certain rules about its names, such as observations.

        >>> system = ArgumentationSystem(["a -> x"], {"a": 0.75})
        >>> system.given("~x").support("~a")
        1.0
        """
        return ArgumentationSystem(
            (*self._rules, *map(self._read, facts)), self._probabilities, max_clauses=self._limit
        )

    def quasi_supports(self, hypothesis: object) -> tuple[Argument, ...]:
        """Shortest arguments from which a hypothesis, or a contradiction, follows.

        >>> system = ArgumentationSystem(["a -> x", "b -> ~x"], {"a": 0.5, "b": 0.5})
        >>> [argument.formula for argument in system.quasi_supports("x")]
        ['a']
        """
        return self._arguments(self._prime_terms(hypothesis))

    def conflicts(self) -> tuple[Argument, ...]:
        """Shortest arguments that contradict the rules.

        >>> system = ArgumentationSystem(["a -> x", "b -> ~x"], {"a": 0.5, "b": 0.5})
        >>> [argument.formula for argument in system.conflicts()]
        ['a & b']
        """
        return self.quasi_supports(False)

    def arguments_for(self, hypothesis: object) -> tuple[Argument, ...]:
        """Shortest arguments from which a hypothesis follows, and no contradiction.

        An argument that is compatible with a conflict is extended by assumptions that exclude it.

        >>> system = ArgumentationSystem(["a -> x", "b -> ~x"], {"a": 0.5, "b": 0.5})
        >>> print(*system.arguments_for("x"))
        a & ~b: 0.25
        """
        excluded = map(opposite, self._prime_terms(False))
        terms = multiply(self._prime_terms(hypothesis), frozenset(excluded), self._limit)
        return self._arguments(terms)

    def arguments_against(self, hypothesis: object) -> tuple[Argument, ...]:
        """Shortest arguments from which the negation of a hypothesis follows (doubts).

        >>> system = ArgumentationSystem(["a -> x", "b -> ~x"], {"a": 0.5, "b": 0.5})
        >>> print(*system.arguments_against("x"))
        ~a & b: 0.25
        """
        return self.arguments_for(sympy.Not(self._read(hypothesis)))

    def conflict(self) -> Any:
        """Probability that the assumptions contradict the rules.

        >>> ArgumentationSystem(["a -> x", "b -> ~x"], {"a": 0.5, "b": 0.5}).conflict()
        0.25
        """
        return self._shares(sympy.false)[2]

    def support(self, hypothesis: object, *, normalize: bool = True) -> Any:
        """Degree of support of a hypothesis, which is the belief in it.

        Parameters
        ----------
        hypothesis : formula
            Made of propositions and assumptions.
        normalize : bool
            Whether to condition on the absence of conflict. If False, the result is the degree of
            quasi-support: the probability that the hypothesis or a contradiction follows.

        Returns
        -------
        number or array
            Exact for fractions and symbols; an array if the probabilities are a batch.

        Raises
        ------
        TotalConflictError
            If the assumptions contradict the rules for certain and `normalize` is true.
        DSTheoryError
            If a name is unknown, an assumption has no probability, or the work is too large.

        Examples
        --------
        >>> system = ArgumentationSystem(["a -> x", "b -> ~x"], {"a": 0.5, "b": 0.5})
        >>> system.support("x", normalize=False), system.conflict()
        (0.5, 0.25)
        >>> round(system.support("x"), 4)  # (1/2 - 1/4) / (1 - 1/4)
        0.3333
        """
        check_flag("normalize", normalize)
        yes, no, conflict = self._shares(self._read(hypothesis))
        if not normalize:
            return yes + conflict
        return _quotient(yes, yes + no)

    def plausibility(self, hypothesis: object) -> Any:
        """Degree of possibility, which is 1 minus the support of the negation.

        >>> system = ArgumentationSystem(["a -> x", "b -> ~x"], {"a": 0.5, "b": 0.5})
        >>> round(system.plausibility("x"), 4)
        0.6667
        """
        doubt, rest, _ = self._shares(sympy.Not(self._read(hypothesis)))
        return _quotient(rest, doubt + rest)

    def mass_function(
        self, propositions: Iterable[str] | None = None, *, normalize: bool = True
    ) -> MassFunction:
        """The belief function of the rules on the worlds of some propositions.

        Parameters
        ----------
        propositions : sequence of str or None
            Names of propositions or assumptions; None stands for all propositions. Each becomes a
            `Variable` with the values True and False.
        normalize : bool
            Whether to normalize; if False, the conflict stays on the empty set.

        Returns
        -------
        MassFunction
            On a `ProductFrame`, ready to be combined with others or used in a valuation network.

        Raises
        ------
        TotalConflictError
            If the assumptions contradict the rules for certain and `normalize` is true.
        DSTheoryError
            If a name is unknown or occurs twice, there are more than 16 of them or none, an
            assumption has no probability, or the work is too large.

        Examples
        --------
        >>> ArgumentationSystem(["a -> x", "b & x -> y"], {"a": 0.5, "b": 0.5}).mass_function("y")
        MassFunction on y
          {y=True}  0.25
          {all}     0.75
        """
        check_flag("normalize", normalize)
        names = self._names(propositions)
        frame = ProductFrame([Variable(name, [True, False]) for name in names])
        found = world_masses(self._about(names), self._weights(), len(names))
        focal = sorted(found)
        store = np.stack(np.broadcast_arrays(*(checks.as_masses(found[mask]) for mask in focal)))
        m = MassFunction.from_store(frame, bits.mask_array(focal, len(frame)), store)
        return m.normalize() if normalize else m

    def _names(self, propositions: Iterable[str] | None) -> tuple[str, ...]:
        names = self._propositions if propositions is None else as_names(propositions)
        check_known(names, self._numbers)
        if not 0 < len(names) <= _MAX_PROPOSITIONS:
            raise DSTheoryError(
                f"{len(names)} propositions; a mass function takes 1 to {_MAX_PROPOSITIONS}, "
                "choose some of them"
            )
        return names

    def _about(self, names: tuple[str, ...]) -> Clauses:
        """Clauses about the assumptions and some names, numbered in this order."""
        own = [self._numbers[name] for name in self._propositions if name not in names]
        left = eliminate(self._clauses, own, self._limit)
        first = len(self._probabilities)
        moved = {self._numbers[name]: first + place for place, name in enumerate(names)}
        copies = [
            literal(moved[number], truth) | literal(number, not truth)
            for number in moved
            if number < first
            for truth in (True, False)
        ]
        onto = {number: place for number, place in moved.items() if number >= first}
        return frozenset([*(renumber(clause, onto) for clause in left), *copies])

    def _read(self, hypothesis: object) -> Any:
        formula = as_formula(hypothesis)
        check_known(sorted(atoms(formula)), self._numbers)
        return formula

    @cached_property
    def _contradictions(self) -> Clauses:
        """Clauses that the rules imply about the assumptions alone."""
        return eliminate(self._clauses, self._hidden(), self._limit)

    def _hidden(self) -> range:
        return range(len(self._probabilities), len(self._numbers))

    def _terms(self, hypothesis: str) -> Clauses:
        """Terms of assumptions from which a hypothesis or a contradiction follows."""
        if hypothesis == sympy.false:
            return frozenset(map(opposite, self._contradictions))
        denied = clauses_of(sympy.Not(hypothesis), self._numbers, self._limit)
        left = eliminate(absorb(self._clauses | denied), self._hidden(), self._limit)
        return frozenset(map(opposite, left))

    def _prime_terms(self, hypothesis: object) -> Clauses:
        """The shortest of these terms: negated prime implicates."""
        terms = self._terms(self._read(hypothesis))
        return frozenset(map(opposite, primes(frozenset(map(opposite, terms)), self._limit)))

    def _shares(self, hypothesis: str) -> tuple[Any, Any, Any]:
        """Probabilities of support, of neither, and of conflict."""
        weights = self._weights()
        terms, conflicts = self._terms(hypothesis), self._terms(sympy.false)
        return shares(terms, conflicts, weights)

    def _weights(self) -> list[tuple[Any, Any]]:
        for name, probability in self._probabilities.items():
            if probability is None:
                raise DSTheoryError(f"assumption {name!r} has no probability; give one to weigh")
        return [(p, 1 - p) for p in self._probabilities.values()]

    def _arguments(self, terms: Clauses) -> tuple[Argument, ...]:
        """Arguments, the shortest first."""
        found = [self._argument(term) for term in terms]
        order = list(self._probabilities)
        return tuple(
            sorted(found, key=lambda a: (len(a.literals), [order.index(n) for n, _ in a.literals]))
        )

    def _argument(self, term: int) -> Argument:
        literals = tuple(
            (name, bool(term & literal(number, True)))
            for number, name in enumerate(self._probabilities)
            if term & (literal(number, True) | literal(number, False))
        )
        chosen = [(self._probabilities[name], holds) for name, holds in literals]
        if any(p is None for p, _ in chosen):
            return Argument(literals, None)
        return Argument(literals, prod(p if holds else 1 - p for p, holds in chosen))

    def __repr__(self) -> str:
        return (
            f"ArgumentationSystem({len(self._rules)} rules, "
            f"{len(self._probabilities)} assumptions, {len(self._propositions)} propositions)"
        )


def _quotient(part: Any, total: Any) -> Any:
    """A part, divided by the probability without conflict if that is positive."""
    if np.any(np.asarray(np.asarray(total) == 0, dtype=bool)):
        refuse_total_conflict(np.asarray(total))
    return part if isinstance(total, int) else part / total  # the integer is 1
