"""Propositional formulas, from text or from sympy.

Formulas are sympy's Boolean expressions. Text is parsed by a small grammar, and nothing is
evaluated. Python's own grammar would not do: there ``>>`` binds tighter than ``&``, and ``a & rain
>> wet`` would assert a.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean, BooleanFalse, BooleanFunction, BooleanTrue

from dstheory.checks.arguments import check_instance
from dstheory.errors import DSTheoryError

# Loosest first; the first symbol of each group is the one in textbooks.
_EQUIVALENT, _IMPLIES = ("<->", "<=>"), ("->", ">>", "=>")
_TOKEN = re.compile(r"\s*(?:(<->|<=>|->|>>|=>|[~&|^()])|([^\W\d]\w*))")
# Python's stack and sympy's recursion overflow somewhat above this.
_MAX_DEPTH = 50
_CONSTANTS = {"true": sympy.true, "True": sympy.true, "false": sympy.false, "False": sympy.false}


def as_formula(value: object) -> Any:
    """A formula as a sympy Boolean expression in symbols.

    Operators from loosest to tightest: ``<->``, ``->`` (also ``>>``, right-associative), ``|``,
    ``^``, ``&``, ``~``, and parentheses. Names are as in Python; `true` and `false` are constants.

    Examples
    --------
    >>> as_formula("a & rain -> wet")
    Implies(a & rain, wet)
    """
    if isinstance(value, str):
        return _Reader(value).formula()
    if isinstance(value, bool):
        return sympy.true if value else sympy.false
    check_instance("a formula", value, Boolean, "a string or a sympy Boolean expression")
    for part in sympy.preorder_traversal(value):
        if not isinstance(part, BooleanFunction | BooleanTrue | BooleanFalse | sympy.Symbol):
            raise TypeError(f"{part} in {value} is not a proposition; formulas consist of symbols")
    return value


def atoms(formula: Any) -> set[str]:
    """Names that occur in a formula."""
    return {str(symbol) for symbol in formula.free_symbols}


class _Reader:
    """Recursive descent: one method for each level of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._place = 0
        self._depth = 0

    def formula(self) -> Any:
        found = self._equivalence()
        if self._place < len(self._tokens):
            raise self._error("an operator")
        return found

    def _take(self, *wanted: str) -> bool:
        found = self._place < len(self._tokens) and self._tokens[self._place][1] in wanted
        self._place += found
        return found

    def _equivalence(self) -> Any:
        found = self._implication()
        while self._take(*_EQUIVALENT):
            self._nest(1)  # left-associative, and parsed all at once
            found = sympy.Equivalent(found, self._implication())
        return found

    def _implication(self) -> Any:
        found = self._chain(0)
        if self._take(*_IMPLIES):
            found = sympy.Implies(found, self._nested(self._implication))
        return found

    def _chain(self, level: int) -> Any:
        """Operands of |, ^ and &, each of which binds tighter than the one before."""
        sign, join = (("|", sympy.Or), ("^", sympy.Xor), ("&", sympy.And))[level]
        operand = self._operand if level == 2 else lambda: self._chain(level + 1)
        operands = [operand()]
        while self._take(sign):
            operands.append(operand())
        return join(*operands) if len(operands) > 1 else operands[0]

    def _operand(self) -> Any:
        if self._take("~"):
            return sympy.Not(self._nested(self._operand))
        if self._take("("):
            found = self._nested(self._equivalence)
            if not self._take(")"):
                raise self._error("a closing parenthesis")
            return found
        if self._place == len(self._tokens) or not self._tokens[self._place][1].isidentifier():
            raise self._error("a name")
        name = self._tokens[self._place][1]
        self._place += 1
        return _CONSTANTS.get(name, sympy.Symbol(name))

    def _nested(self, read: Callable[[], Any]) -> Any:
        self._nest(1)
        found = read()
        self._nest(-1)
        return found

    def _nest(self, levels: int) -> None:
        self._depth += levels
        if self._depth > _MAX_DEPTH:
            raise DSTheoryError(
                f"formula {self._text[:40]!r}... nests more than {_MAX_DEPTH} deep; split it into "
                "several rules"
            )

    def _error(self, expected: str) -> DSTheoryError:
        if self._place == len(self._tokens):
            return DSTheoryError(f"formula {self._text!r} ends where {expected} is expected")
        column, token = self._tokens[self._place]
        return DSTheoryError(
            f"formula {self._text!r} has {token!r} at position {column} "
            f"where {expected} is expected"
        )


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Position and text of each token."""
    end = len(text.rstrip())
    place = 0
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            column = place + len(text[place:]) - len(text[place:].lstrip())
            raise DSTheoryError(
                f"formula {text!r} has {text[column]!r} at position {column}, which means nothing; "
                "operators are ~ & | ^ -> <->"
            )
        yield match.start(match.lastindex or 0), match[match.lastindex or 0]
        place = match.end()
