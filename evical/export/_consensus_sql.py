"""`evical.fusion.Consensus` in SQL: sources in columns of one table, fused by one query.

Each step of the formula adds columns, so nothing is written twice. Besides comparisons it takes ln,
exp, sqrt and tanh, which SQLite has where it was built with its mathematical functions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from evical.beliefs.bounded import RADII, SHARES
from evical.estimators.given import OfSource
from evical.export._dialects import Dialect, number
from evical.fused import EvidentialFusion
from evical.fusion import Consensus

_SUM = 1e-3  # by which probabilities may miss a sum of 1, and are scaled
_TINY = 1e-300


@dataclass
class _Query:
    """A query that grows by steps of new columns.

    Parameters
    ----------
    steps : list of str
        Each reads from the one before.
    name : callable
        From a new column to how it is written.
    form : Dialect
    """

    steps: list[str]
    name: Callable[[str], str]
    form: Dialect

    def add(self, columns: Mapping[str, str]) -> None:
        """A step with columns by name."""
        made = ", ".join(f"{text} AS {self.name(name)}" for name, text in columns.items())
        self.steps.append(f"SELECT *, {made} FROM {self._step(-1)}")

    def _step(self, number: int) -> str:
        return self.name(f"step{number % len(self.steps)}")

    def text(self) -> str:
        """The query; named steps, for some databases limit how deep queries may be nested."""
        kept = "MATERIALIZED " if self.form.keeps_steps else ""
        named = ",\n".join(
            f"{self._step(i)} AS {kept}({step})" for i, step in enumerate(self.steps)
        )
        return f"WITH {named}\nSELECT * FROM {self._step(-1)}"

    def one(self, name: str, text: str) -> str:
        """A step with one column, as it is written."""
        self.add({name: text})
        return self.name(name)

    def each(self, name: str, texts: Sequence[str]) -> list[str]:
        """A step with a column of each class, as they are written."""
        names = [f"{name}{place}" for place in range(len(texts))]
        self.add(dict(zip(names, texts, strict=True)))
        return [self.name(one) for one in names]

    def table(self, name: str, texts: Sequence[Sequence[str]]) -> list[list[str]]:
        """A step with a column of each source and class, as they are written."""
        width = len(texts[0])
        found = self.each(name, [text for row in texts for text in row])
        return [found[at : at + width] for at in range(0, len(found), width)]

    def cast(self, text: str) -> str:
        """The expression as a 64-bit number."""
        double = self.form.double
        return f"CAST({text} AS {double})" if double else text


def consensus_query(
    fitted: EvidentialFusion,
    table: str,
    form: Dialect,
    keep: Sequence[str],
    name: Callable[[str], str],
) -> tuple[str, list[list[str]]]:
    """A query with beliefs in further columns.

    Parameters
    ----------
    fitted : EvidentialFusion
        With the rule "consensus", which has learned without labels.
    table : str
    form : Dialect
    keep : sequence of str
        Columns of the table that stand before the new ones.
    name : callable
        From the name of a new column to how it is written.

    Returns
    -------
    query : str
    columns : list of lists of str
        Belief, plausibility and pignistic probability of each class.
    """
    rule = _checked(fitted)
    k = len(fitted.classes_)
    heard = [place for place, weight in enumerate(rule.weights_.tolist()) if weight]
    columns = list(map(form.quoted, keep))
    for place in heard:
        given = _given(fitted._members[place], fitted.classes_, form)
        columns += [f"{text} AS {name(f'{place}_{i}')}" for i, text in enumerate(given)]
    query = _Query([f"SELECT {', '.join(columns)} FROM {form.quoted(table)}"], name, form)
    p, weights = _read(query, rule, heard, k)
    total = query.one("total", " + ".join(weights))
    says = _evidence(query, rule, p)
    pooled, fused = _pooled(query, rule, p, weights, total, says)
    odds = query.each(
        "odds", [f"ln({_most(one, _TINY)}) - ln({_most(f'(1e0 - {one})', _TINY)})" for one in fused]
    )
    if rule.model == "bayesian":
        sides = [(one, one, one) for one in fused]
    else:
        errors = _errors(query, rule, weights, total, says, pooled)
        sides = _bounds(query, rule, fused, odds, errors)
    vacuous = ("0e0", "1e0", number(1 / k))
    return query.text(), [
        [
            f"CASE WHEN {total} > 0e0 THEN {text} ELSE {other} END"
            for text, other in zip(side, vacuous, strict=True)
        ]
        for side in sides
    ]


def _checked(fitted: EvidentialFusion) -> Consensus:
    """The rule, if it can be written."""
    rule = fitted.fusion_
    if not isinstance(rule, Consensus) or rule.n_sources_ < 2:
        raise ValueError(
            f"the fusion of {len(fitted._members)} sources has the rule {rule.name}, and SQL takes "
            "'consensus' of two sources or more; to_onnx takes 'stacked' too"
        )
    for member in fitted._members:
        if isinstance(member, OfSource):
            raise ValueError(
                f"source {member.name!r} has scores, and SQL takes probabilities and votes; use "
                "to_onnx, or calibrate it first"
            )
    if rule._stacked is not None:
        raise ValueError(
            "the fusion has learned from labels, and SQL takes one that has not; use to_onnx"
        )
    if rule.model == "confidence" and len(fitted.classes_) > 2:
        raise ValueError(
            f"Consensus has the model 'confidence', whose beliefs about {len(fitted.classes_)} "
            "classes have no closed form; an export takes 'likelihood' or 'bayesian'"
        )
    return rule


def _given(member: OfSource, classes: NDArray[Any], form: Dialect) -> list[str]:
    """Number of each class, from a vote or from columns of probabilities."""
    labels = classes.tolist()
    if not member.votes:
        return [form.quoted(f"{member.name}_p_{label}") for label in labels]
    vote = form.quoted(member.name)
    return [f"CASE WHEN {vote} = {form.literal(label)} THEN 1e0 ELSE 0e0 END" for label in labels]


def _read(
    query: _Query, rule: Consensus, heard: list[int], k: int
) -> tuple[list[list[str]], list[str]]:
    """Probabilities of each source with a weight, and that weight, 0 where it is not available."""
    raw = [[query.name(f"{place}_{i}") for i in range(k)] for place in heard]
    whole = query.each("whole", [" + ".join(row) for row in raw])
    own = []
    for place, row, total in zip(heard, raw, whole, strict=True):
        known = " AND ".join(f"{one} >= 0e0 AND {one} <= 1e0" for one in row)
        near = f"{total} > {number(1 - _SUM)} AND {total} < {number(1 + _SUM)}"
        weight = number(rule.weights_[place])
        own.append(query.cast(f"CASE WHEN {known} AND {near} THEN {weight} ELSE 0e0 END"))
    weights = query.each("weight", own)
    scaled = [
        [
            query.cast(f"CASE WHEN {weight} > 0e0 THEN {one} / {total} ELSE {number(1 / k)} END")
            for one in row
        ]
        for row, total, weight in zip(raw, whole, weights, strict=True)
    ]
    return query.table("p", scaled), weights


def _evidence(query: _Query, rule: Consensus, p: list[list[str]]) -> list[list[str]]:
    """Logarithms of the probabilities against the prevalences."""
    prior = np.log(rule.prevalence_).tolist()
    return query.table(
        "says",
        [
            [
                f"ln({_most(text, rule._floor)}) - {_signed(usual)}"
                for text, usual in zip(one, prior, strict=True)
            ]
            for one in p
        ],
    )


def _pooled(
    query: _Query,
    rule: Consensus,
    p: list[list[str]],
    weights: list[str],
    total: str,
    says: list[list[str]],
) -> tuple[list[str], list[str]]:
    """Probabilities of the pool, and of the result."""
    sharpness, d = number(rule.sharpness_), float(rule.dependence)
    some = f"CASE WHEN {total} > 0e0 THEN {total} ELSE 1e0 END"
    grown = query.each(
        "e",
        [
            f"exp({sharpness} * ({_sum(weights, column)}) + {_signed(usual)})"
            for column, usual in zip(
                zip(*says, strict=True), np.log(rule.prevalence_).tolist(), strict=True
            )
        ],
    )
    whole = query.one("grown", " + ".join(grown))
    pooled = query.each("q", [f"{one} / {whole}" for one in grown])
    fused = [
        f"{number(d)} * ({_sum(weights, column)}) / {some} + {number(1 - d)} * {one}"
        for column, one in zip(zip(*p, strict=True), pooled, strict=True)
    ]
    return pooled, query.each("fused", fused)


def _errors(
    query: _Query,
    rule: Consensus,
    weights: list[str],
    total: str,
    says: list[list[str]],
    pooled: list[str],
) -> list[str]:
    """Standard errors of the log-odds of each class."""
    some = query.one("some", f"CASE WHEN {total} > 0e0 THEN {total} ELSE 1e0 END")
    squares = query.one("squares", " + ".join(f"{one} * {one}" for one in weights))
    effective = query.one(
        "effective", f"CASE WHEN {total} > 0e0 THEN {total} * {total} / {squares} ELSE 1e0 END"
    )
    whole = query.each("mostly", [_sum(pooled, one) for one in says])
    against = query.table(
        "against",
        [
            [
                f"{text} - ({own} - {q} * {text}) / {_most(f'(1e0 - {q})', 1e-12)}"
                for text, q in zip(one, pooled, strict=True)
            ]
            for one, own in zip(says, whole, strict=True)
        ],
    )
    columns = list(zip(*against, strict=True))
    mean = query.each("mean", [f"({_sum(weights, column)}) / {some}" for column in columns])
    second = [
        f"({_sum(weights, [f'{one} * {one}' for one in column])}) / {some} - {m} * {m}"
        for column, m in zip(columns, mean, strict=True)
    ]
    spread = query.each("spread", second)
    reach = f"{number(rule.sharpness_)} * {some}"
    drawn = _most(f"({effective} - 1e0)", 0.5)
    own = number(rule._sharpness_error)
    return query.each(
        "error",
        [
            f"sqrt({number(rule._least_variance)} + {reach} * {reach} * "
            f"({_most(one, 0.0)} / {drawn} + {own} * {m} * {own} * {m}))"
            for one, m in zip(spread, mean, strict=True)
        ],
    )


def _bounds(
    query: _Query, rule: Consensus, fused: list[str], odds: list[str], errors: list[str]
) -> list[tuple[str, str, str]]:
    """Belief, plausibility and pignistic probability of each class."""
    if rule.model == "confidence":
        level = rule.confidence
        radius, share, rest = map(number, (float(ndtri((1 + level) / 2)), level, 1 - level))
        low, high = (
            query.each(
                name,
                [
                    f"5e-1 + 5e-1 * tanh(({x} {sign} {radius} * {error}) / 2e0)"
                    for x, error in zip(odds, errors, strict=True)
                ],
            )
            for name, sign in (("low", "-"), ("high", "+"))
        )
        pairs = list(zip(low, high, fused, strict=True))
        bel = [f"{share} * CASE WHEN {a} < {p} THEN {a} ELSE {p} END" for a, _, p in pairs]
        pl = [f"{share} * CASE WHEN {b} > {p} THEN {b} ELSE {p} END + {rest}" for _, b, p in pairs]
        return list(zip(query.each("bel", bel), query.each("pl", pl), fused, strict=True))
    half = query.each(
        "width",
        [
            " + ".join(
                f"{number(share / 4)} * (tanh(({x} + {number(radius)} * {error}) / 2e0) - "
                f"tanh(({x} - {number(radius)} * {error}) / 2e0))"
                for radius, share in zip(RADII.tolist(), SHARES.tolist(), strict=True)
            )
            for x, error in zip(odds, errors, strict=True)
        ],
    )
    half = query.each(
        "half",
        [
            f"CASE WHEN {one} <= {p} AND {one} <= 1e0 - {p} THEN {one} "
            f"WHEN {p} < 5e-1 THEN {p} ELSE 1e0 - {p} END"
            for one, p in zip(half, fused, strict=True)
        ],
    )
    if len(half) > 2:
        half = _balanced(query, half, fused)
    return [(f"{p} - {one}", f"{p} + {one}", p) for p, one in zip(fused, half, strict=True)]


def _balanced(query: _Query, half: list[str], fused: list[str]) -> list[str]:
    """Half widths of which none is greater than the others together."""
    first = " ".join(
        f"WHEN {' AND '.join(f'{one} >= {other}' for other in half if other != one)} THEN {place}"
        for place, one in enumerate(half)
    )
    greatest = query.one("greatest", f"CASE {first} END")
    top = " ".join(f"WHEN {place} THEN {one}" for place, one in enumerate(half))
    lack = query.one("lack", f"2e0 * CASE {greatest} {top} END - ({' + '.join(half)})")
    room = query.each(
        "room",
        [
            f"CASE WHEN {greatest} = {place} THEN 0e0 ELSE {p} - {one} END"
            for place, (p, one) in enumerate(zip(fused, half, strict=True))
        ],
    )
    rooms = query.one("rooms", " + ".join(room))
    share = query.one("share", f"{_most(lack, 0.0)} / {_most(rooms, _TINY)}")
    least = f"CASE WHEN {share} < 1e0 THEN {share} ELSE 1e0 END"
    return query.each(
        "raised", [f"{one} + {least} * {r}" for one, r in zip(half, room, strict=True)]
    )


def _signed(value: float) -> str:
    """A number that may be negative, in parentheses: two minus signs begin a comment."""
    return f"({number(value)})"


def _most(text: str, least: float) -> str:
    """The greater of an expression and a number."""
    return f"CASE WHEN {text} > {number(least)} THEN {text} ELSE {number(least)} END"


def _sum(weights: Sequence[str], columns: Sequence[str]) -> str:
    return " + ".join(f"{w} * {one}" for w, one in zip(weights, columns, strict=True))
