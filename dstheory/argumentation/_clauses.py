"""Clauses as integers: two bits per atom, one for each of its literals.

A clause is the set of its literals: absorption is a subset test, and resolution is a union.
Eliminating an atom (Davis & Putnam 1960) keeps all consequences about the others; resolving on
every atom while keeping the parents gives all prime implicates (Tison, Generalization of consensus
theory and application to the minimization of Boolean functions, IEEE Trans. Electronic Computers
EC-16, 1967, 446-456).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby, product
from typing import Any

import sympy

from dstheory.errors import DSTheoryError

Clauses = frozenset[int]


def literal(atom: int, positive: bool) -> int:
    """Bit of a literal.

    >>> literal(0, True), literal(0, False), literal(1, True)
    (1, 2, 4)
    """
    return 1 << 2 * atom + (not positive)


def _evens(clause: int) -> int:
    """Mask of the positive literals, long enough for a clause."""
    return (1 << (clause.bit_length() + 1) // 2 * 2) // 3


def opposite(clause: int) -> int:
    """All literals negated, the term that is false together with a clause.

    >>> bin(opposite(0b0110))
    '0b1001'
    """
    evens = _evens(clause)
    return (clause & evens) << 1 | (clause >> 1) & evens


def _is_trivial(clause: int) -> bool:
    """Whether some atom occurs with both signs."""
    return bool(clause & (clause >> 1) & _evens(clause))


def absorb(clauses: Iterable[int]) -> Clauses:
    """Clauses without those that contain another one.

    >>> sorted(absorb([0b1, 0b101, 0b10]))
    [1, 2]
    """
    distinct = set(clauses)
    counts: Counter[int] = Counter(bit for clause in distinct for bit in _bits(clause))
    # Each kept clause is filed under its rarest literal: any clause that contains it has that
    # literal.
    filed: dict[int, list[int]] = {}
    kept: list[int] = []
    for _, same_size in groupby(sorted(distinct, key=int.bit_count), key=int.bit_count):
        new = [clause for clause in same_size if not _contains_one(clause, filed)]
        if new == [0]:
            return frozenset(new)
        for clause in new:
            filed.setdefault(min(_bits(clause), key=counts.__getitem__), []).append(clause)
        kept += new
    return frozenset(kept)


def _bits(clause: int) -> list[int]:
    """Literals of a clause, one bit each."""
    found = []
    while clause:
        found.append(clause & -clause)
        clause &= clause - 1
    return found


def _contains_one(clause: int, filed: Mapping[int, list[int]]) -> bool:
    for bit in _bits(clause):  # loops, which take half as long as generators
        for small in filed.get(bit, ()):
            if small & clause == small:
                return True
    return False


def clauses_of(formula: Any, numbers: Mapping[str, int], limit: int) -> Clauses:
    """Conjunctive normal form of a sympy formula, with falsehood as the empty clause 0."""
    return _normal_form(formula, True, numbers, limit)


def _normal_form(formula: Any, wanted: bool, numbers: Mapping[str, int], limit: int) -> Clauses:
    if formula in (sympy.true, sympy.false):
        return frozenset() if bool(formula) is wanted else frozenset({0})
    if isinstance(formula, sympy.Symbol):
        return frozenset({literal(numbers[str(formula)], wanted)})
    if isinstance(formula, sympy.Not):
        return _normal_form(formula.args[0], not wanted, numbers, limit)
    if isinstance(formula, sympy.Implies):
        formula = sympy.Or(sympy.Not(formula.args[0]), formula.args[1], evaluate=False)
    if isinstance(formula, sympy.Xor | sympy.Equivalent | sympy.ITE):
        return _normal_form(_spelled_out(formula, wanted), True, numbers, limit)
    if not isinstance(formula, sympy.And | sympy.Or):
        formula = formula.to_nnf(simplify=False)
        return _normal_form(formula, wanted, numbers, limit)
    parts = [_normal_form(part, wanted, numbers, limit) for part in formula.args]
    if isinstance(formula, sympy.And) is wanted:
        return absorb(clause for part in parts for clause in part)
    found: Clauses = frozenset({0})
    for part in parts:
        found = _joined(found, part, limit)
    return found


def _spelled_out(formula: Any, wanted: bool) -> Any:
    """A formula, or its negation, as a conjunction, rewritten one level deep.

    Sympy rewrites all levels at once and makes 2^(n-1) clauses of n alternatives before anyone can
    count them.
    """
    args = formula.args
    if isinstance(formula, sympy.Xor):
        one, two = (
            _alternatives(half) for half in (args[: len(args) // 2], args[len(args) // 2 :])
        )
        pairs = [(one, two), (_not(one), _not(two))]
        if not wanted:
            pairs = [(one, _not(two)), (_not(one), two)]
    elif isinstance(formula, sympy.Equivalent):
        pairs = [(_not(one), two) for one, two in zip(args, (*args[1:], args[0]), strict=True)]
        if not wanted:
            pairs = [args, tuple(map(_not, args))]
    else:
        given, yes, no = args
        pairs = [(_not(given), yes), (given, no)]
        if not wanted:
            pairs = [(_not(given), _not(yes)), (given, _not(no))]
    return sympy.And(*(sympy.Or(*pair, evaluate=False) for pair in pairs), evaluate=False)


def _alternatives(args: tuple[Any, ...]) -> Any:
    return sympy.Xor(*args) if len(args) > 1 else args[0]


def _not(formula: Any) -> Any:
    return sympy.Not(formula, evaluate=False)


def _joined(one: Clauses, two: Clauses, limit: int) -> Clauses:
    """Clauses of a disjunction."""
    both = {a | b for a, b in product(one, two)}
    return _checked(absorb(clause for clause in both if not _is_trivial(clause)), limit)


def _checked(clauses: Clauses, limit: int) -> Clauses:
    if len(clauses) > limit:
        raise DSTheoryError(
            f"more than {limit} clauses arise; use a simpler hypothesis, split the rules, "
            "or raise max_clauses"
        )
    return clauses


def _resolvents(clauses: Clauses, atom: int, limit: int) -> tuple[Clauses, set[int]]:
    """Clauses without an atom, and the resolvents of those with it."""
    yes, no = literal(atom, True), literal(atom, False)
    positive = [clause ^ yes for clause in clauses if clause & yes]
    negative = [clause ^ no for clause in clauses if clause & no]
    others = frozenset(clause for clause in clauses if not clause & (yes | no))
    # The quadratic number of candidates is bounded too: absorption compares them pair by pair.
    if len(positive) * len(negative) > 10 * limit:
        raise DSTheoryError(
            f"{len(positive)} x {len(negative)} clauses meet in one step, too many for "
            f"max_clauses = {limit}; split the rules, or raise the limit"
        )
    joined = {a | b for a, b in product(positive, negative)}
    return others, {clause for clause in joined if not _is_trivial(clause)}


def eliminate(clauses: Clauses, atoms: Iterable[int], limit: int) -> Clauses:
    """Consequences without some atoms; the atom that adds the fewest clauses goes first."""
    left = set(atoms)
    while left and clauses:
        growth = {atom: _growth(clauses, atom) for atom in left}
        atom = min(left, key=lambda a: (growth[a], a))
        left.remove(atom)
        others, new = _resolvents(clauses, atom, limit)
        clauses = _checked(absorb([*others, *new]), limit)
    return clauses


def _growth(clauses: Clauses, atom: int) -> int:
    yes, no = literal(atom, True), literal(atom, False)
    positive = sum(1 for clause in clauses if clause & yes)
    negative = sum(1 for clause in clauses if clause & no)
    return positive * negative - positive - negative


def primes(clauses: Clauses, limit: int) -> Clauses:
    """All prime implicates, the shortest clauses that follow."""
    last = max((clause.bit_length() for clause in clauses), default=0)
    for atom in range((last + 1) // 2):
        _, new = _resolvents(clauses, atom, limit)
        clauses = _checked(absorb([*clauses, *new]), limit)
    return clauses


def multiply(terms: Clauses, clauses: Clauses, limit: int) -> Clauses:
    """Prime implicants of the conjunction of all prime implicants and some clauses."""
    for clause in sorted(clauses, key=int.bit_count):
        terms = _joined(terms, frozenset(_bits(clause)), limit)
    return terms


def renumber(clause: int, numbers: Mapping[int, int]) -> int:
    """A clause with its atoms renumbered; atoms that are not named keep their numbers.

    >>> renumber(0b1001, {1: 2})
    33
    """
    moved = 0
    for atom in range((clause.bit_length() + 1) // 2):
        signs = clause >> 2 * atom & 3
        moved |= signs << 2 * numbers.get(atom, atom)
    return moved


def components(sets: Iterable[int]) -> list[list[int]]:
    """Groups of clauses or terms that share no atoms.

    >>> components([0b0001, 0b0100, 0b0110])
    [[4, 1, 6]]
    """
    groups: list[tuple[int, list[int]]] = []
    for one in sets:
        support = one | opposite(one)
        members = [one]
        apart = []
        for other, group in groups:
            if other & support:
                support, members = support | other, group + members
            else:
                apart.append((other, group))
        groups = [*apart, (support, members)]
    return [group for _, group in groups]
