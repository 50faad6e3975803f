"""Loops in place of parametrized cases: `@each(...)` is written as `@pytest.mark.parametrize(...)`.

A case costs pytest more than most checks take. So a table of inputs is one case, which tries every
input and names those that fail. `-k` does not see them; EACH, a regular expression in the
environment, takes the place of `-k`: the inputs whose names match, and the cases that have some.
"""

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from typing import Any

import pytest

__all__ = ["each", "is_wanted", "pairs"]

ONLY = re.compile(os.environ.get("EACH", ""), re.IGNORECASE)

ParameterSet = type(pytest.param())
FAILURES = (Exception, pytest.fail.Exception)


def each(
    names: str | Sequence[str],
    values: Iterable[Any],
    ids: Sequence[str] | Callable[[Any], str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call the test for each of the values; what else it asks for are fixtures of all calls.

    Fixtures are made once, so a test that leaves files in `tmp_path`, or patches what it does not
    put back, is not for this.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = list(values)
    assert rows, f"no values of {names}"
    every = [
        (label(row, number, len(keys), ids), dict(zip(keys, parts(row, len(keys)), strict=True)))
        for number, row in enumerate(rows)
    ]
    # Of a loop around a loop, one of the two may have what is asked for.
    cases = [case for case in every if ONLY.search(case[0])] or every

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def looped(**fixtures: Any) -> None:
            failed: dict[str, BaseException] = {}
            skipped: dict[str, BaseException] = {}
            for name, case in cases:
                try:
                    test(**fixtures, **case)
                except pytest.skip.Exception as skip:
                    skipped[name] = skip
                except FAILURES as error:
                    failed[name] = error
            if failed:
                (first, error), *more = failed.items()
                error.add_note(f"{test.__name__} failed for {first}")
                if more:
                    rest = ", ".join(name for name, _ in more)
                    error.add_note(f"and for {len(more)} more of {len(cases)}: {rest}")
                raise error
            if skipped:
                (first, skip), *_ = skipped.items()
                pytest.skip(f"{len(skipped)} of {len(cases)}, first {first}: {skip}")

        own = inspect.signature(test)
        left = [p for name, p in own.parameters.items() if name not in keys]
        assert len(left) == len(own.parameters) - len(keys), f"{keys} are not asked for"
        del looped.__wrapped__  # or pytest would ask for the values as fixtures
        looped.__signature__ = own.replace(parameters=left)
        looped.inputs = [*(name for name, _ in every), *getattr(test, "inputs", ())]
        for name in [name for name in vars(looped) if "hypothesis" in name]:
            delattr(looped, name)  # the test within is one; the loop is none
        return looped

    return decorate


def pairs(*factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Rows in which any two values of different factors meet, far fewer than all combinations.

    Nearly all faults show in one value or in two that meet; the greedy choice takes, each time,
    the combination with most pairs that have not met.
    """
    places = list(product(*(range(len(factor)) for factor in factors)))
    met: set[tuple[int, int, int, int]] = set()
    rows = []
    while True:
        new = {place: _meetings(place) - met for place in places}
        best = max(places, key=lambda place: len(new[place]))
        if not new[best]:
            return rows
        met |= new[best]
        rows.append(tuple(factor[i] for factor, i in zip(factors, best, strict=True)))


def _meetings(place: tuple[int, ...]) -> set[tuple[int, int, int, int]]:
    return {(i, j, place[i], place[j]) for i, j in combinations(range(len(place)), 2)}


def is_wanted(nodeid: str, test: Callable[..., None]) -> bool:
    """Whether a case or one of its inputs has a name that EACH asks for."""
    return any(ONLY.search(name) for name in (nodeid, *getattr(test, "inputs", ())))


def parts(row: Any, count: int) -> Sequence[Any]:
    """The values of one call; `pytest.param` may name them."""
    if isinstance(row, ParameterSet):
        assert not row.marks, f"{row} has marks, which are for whole cases"
        return row.values
    return row if count > 1 else [row]


def label(
    row: Any, number: int, count: int, ids: Sequence[str] | Callable[[Any], str] | None
) -> str:
    """The name of a call, as pytest would give it."""
    if isinstance(row, ParameterSet) and row.id is not None:
        return str(row.id)
    if ids is not None and not callable(ids):
        return str(list(ids)[number])
    named = ids or (lambda value: getattr(value, "__name__", None) or repr(value))
    text = "-".join(str(named(value)) for value in parts(row, count))
    return text if len(text) <= 200 else f"{text[:200]}... (number {number})"
