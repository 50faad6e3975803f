"""The one reader of beliefs in tables: which columns they are, and of which class.

The class stands in the name of a column, as `evical.scores.names` writes it. Where it does not, as
in a bare ``bel``, it has to be named. What names, options, decisions and numbers say of the classes
must fit together, and is refused where it does not.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.rounding import unit_rows
from evical._typing import Floats
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.bounded import Bounded
from evical.beliefs.composed import placed
from evical.cli._decisions import joined_names, masses
from evical.cli._kinds import Kind, Place, among, complete_rows, optional_kinds
from evical.cli._tables import Table
from evical.cli.arguments import Naming
from evical.datasets.csv import MISSING
from evical.scores.names import classes_in_names

# All classes; of two the negative one, None if it is not known, and the positive one.
Classes = tuple[str | None, ...]

# Beliefs above plausibilities by rounding only, as other programs may write them.
ROUNDING = 1e-9
# Columns of two classes that say the same, rounded to two digits or more.
AGREEING = 0.01
_SHOWN = 12  # classes in a message
# Prefix and class of a column of beliefs.
_NAMED = re.compile(r"(.*?)bel_(.+)", re.DOTALL)


@dataclass(frozen=True)
class BeliefColumns:
    """Columns of belief and plausibility of a table, by class, and that of the decision."""

    table: str
    columns: dict[str, tuple[str, str]]
    decision: str | None
    points: dict[str, str]  # columns of probabilities, of three classes and more

    @property
    def classes(self) -> list[str]:
        """Classes of which there are beliefs, in the order of the columns."""
        return list(self.columns)

    @property
    def names(self) -> list[str]:
        """Columns of numbers."""
        return [*(name for pair in self.columns.values() for name in pair), *self.points.values()]

    def kinds(self, missing: str) -> dict[str, Kind]:
        """Columns to read."""
        plain: dict[str, Kind] = dict.fromkeys(self.names, "probability")
        texts: dict[str, Kind] = {} if self.decision is None else {self.decision: "text"}
        return {**optional_kinds(plain, missing), **texts}

    def read(
        self, values: Mapping[str, NDArray[Any]], place: Place, classes: Classes
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Belief and plausibility (n,) of the positive class of two, and rows with all numbers.

        Where a number is missing they are 0 and 1. Raises ValueError for the first row that
        contradicts itself.
        """
        known = complete_rows(values[name] for name in self.names)
        sides, positive = {}, str(classes[1])
        for label, (low, high) in self.columns.items():
            bel, pl = (np.where(known, values[low], 0), np.where(known, values[high], 1))
            if (row := _first(bel > pl + ROUNDING)) is not None:
                raise ValueError(
                    f"{place(row)}: {low} is {bel[row]:g}, above {high}, {pl[row]:g}; belief is "
                    "at most plausibility"
                )
            pl = np.maximum(bel, pl)
            sides[label] = (bel, pl) if label == positive else (1 - pl, 1 - bel)
        if len(sides) == 2:
            self._check_sides(sides, place, classes)
        bel, pl = sides[positive] if positive in sides else next(iter(sides.values()))
        if self.decision is not None:
            self.check_decisions(values[self.decision], bel, pl, place, classes)
        return bel, pl, known

    def read_all(
        self, values: Mapping[str, NDArray[Any]], place: Place, classes: Sequence[str]
    ) -> tuple[Beliefs, NDArray[np.bool_]]:
        """Beliefs (n,) about all of three classes or more, and rows with all numbers.

        Raises as `read`.
        """
        known = complete_rows(values[name] for name in self.names)
        rows = np.flatnonzero(known)
        names = [(*self.columns[label], self.points.get(label)) for label in classes]
        bel, pl, p = (
            None if None in part else np.stack([values[str(name)][rows] for name in part], axis=1)
            for part in zip(*names, strict=True)
        )
        assert bel is not None
        assert pl is not None
        at = among(place, rows)
        check_bounds(bel, pl, p, names, at)
        if p is not None:
            p = unit_probabilities(p, [str(name) for _, _, name in names], at)
        if self.decision is not None:
            decided = values[self.decision]
            check_decided(decided, self.decision, classes, place)
            if p is not None:
                check_chosen((bel, pl, p), decided[rows], classes, at)
        found = Bounded(np.array(classes), len(rows), lambda: (bel, np.maximum(bel, pl)), p)
        return placed(np.array(classes), len(known), [(rows, found)]), known

    def _check_sides(
        self, sides: Mapping[str, tuple[Floats, Floats]], place: Place, classes: Classes
    ) -> None:
        """Refuse two classes whose beliefs are not one less each other."""
        negative, positive = map(str, classes)
        (bel, pl), (low, high) = sides[positive], sides[negative]
        mine, other = self.columns[positive], self.columns[negative]
        for a, b, one, two in ((bel, low, mine[0], other[1]), (pl, high, mine[1], other[0])):
            if (row := _first(np.abs(a - b) > AGREEING)) is not None:
                raise ValueError(
                    f"{place(row)}: {one} is {a[row]:g} and {two} is {1 - b[row]:g}, but of two "
                    "classes they add up to 1; are columns exchanged?"
                )

    def check_decisions(
        self, decided: NDArray[Any], bel: Floats, pl: Floats, place: Place, classes: Classes
    ) -> None:
        """Refuse decisions for other classes, or against the beliefs in all rows.

        They are against them if the positive class is chosen where Bel + Pl is lower than wherever
        the negative one is chosen. Only with criteria that weigh Bel and Pl unequally may that be
        meant, so there also have to be two rows that no criterion explains: where the positive
        class is chosen, both Bel and Pl are lower.
        """
        assert self.decision is not None
        other = check_decided(decided, self.decision, [*filter(None, classes)], place)
        negative, positive = other if classes[0] is None else classes[0], classes[1]
        chosen, against = (np.flatnonzero(decided == label) for label in (positive, negative))
        support = bel + pl
        if not (len(chosen) and len(against)) or support[chosen].max() >= support[against].min():
            return
        low, high = chosen[np.argmin(support[chosen])], against[np.argmax(support[against])]
        if bel[low] <= bel[high] and pl[low] <= pl[high]:
            raise ValueError(
                f"{place(int(low))}: {self.decision} is {positive!r}, but belief in {positive!r} "
                f"is lower here than wherever it is {negative!r}; are the classes exchanged?"
            )


def one_after_another(parts: Sequence[Beliefs], classes: Sequence[str]) -> Beliefs:
    """Beliefs of a table from those of its pieces."""
    names = np.array(classes)
    if len(classes) == 2:
        bel, pl = np.concatenate([part.interval()[:, 1] for part in parts]).T
        return as_beliefs(masses(bel, pl, tuple(classes)), names)
    ends = np.cumsum([len(part) for part in parts])
    rows = np.split(np.arange(ends[-1]), ends[:-1])
    return placed(names, int(ends[-1]), list(zip(rows, parts, strict=True)))


def check_decided(
    decided: NDArray[Any], column: str, classes: Sequence[str], place: Place
) -> str | None:
    """Refuse a decision for what is none of the classes.

    If only one of two classes is known, the other one may be chosen, and is returned.
    """
    texts: list[str] = decided.tolist()
    found = [text for text in dict.fromkeys(texts) if text.lower() not in MISSING]
    strange = [text for text in found if not joined_names(text, classes)]
    if not strange:
        return None
    if len(classes) == 1:
        for other in strange:
            if all(joined_names(text, (*classes, other)) for text in strange):
                return other
    row = int(np.argmax(decided == strange[0]))
    raise ValueError(
        f"{place(row)}, column {column!r}: {strange[0]!r} is chosen, but beliefs are about "
        f"{listed(classes)}; name the classes as the columns do"
    )


def find_beliefs(table: Table, naming: Naming) -> BeliefColumns:
    """The columns of beliefs of a table.

    Raises ValueError if there are none, or if their class is not named.
    """
    decision = f"{naming.prefix}decision"
    named = _named_columns(table, naming)
    found = decision if decision in table.header else None
    points = {label: f"{naming.prefix}p_{label}" for label in named}
    if len(named) < 3 or not set(points.values()) <= set(table.header):
        points = {}
    return BeliefColumns(table.name, named, found, points)


def _named_columns(table: Table, naming: Naming) -> dict[str, tuple[str, str]]:
    prefix = naming.prefix
    if naming.bel is None and naming.pl is None:
        try:
            classes = classes_in_names(table.header, prefix)
        except ValueError as error:
            raise ValueError(f"{table.name}: {error}") from error
        if classes:
            return {one: (f"{prefix}bel_{one}", f"{prefix}pl_{one}") for one in classes}
        bel, pl = f"{prefix}bel", f"{prefix}pl"
        if not {bel, pl} <= set(table.header):
            raise ValueError(_none_there(table, prefix))
    elif naming.bel is None or naming.pl is None:
        raise ValueError("--bel and --pl come together; name both")
    elif naming.bel == naming.pl:
        raise ValueError(f"--bel and --pl are both {naming.bel!r}; they are two columns")
    else:
        bel, pl = naming.bel, naming.pl
    found = _NAMED.fullmatch(bel)
    label = found[2] if found and pl == f"{found[1]}pl_{found[2]}" else naming.named_class
    if label is None:
        raise ValueError(
            f"{table.name}: columns {bel!r} and {pl!r} do not name the class that they are about; "
            "name it with --positive"
        )
    return {label: (bel, pl)}


def _none_there(table: Table, prefix: str) -> str:
    text = f"{table.name} has no columns of beliefs, such as '{prefix}bel_yes' and '{prefix}pl_yes'"
    for name in table.header:
        if (found := _NAMED.fullmatch(name)) and f"{found[1]}pl_{found[2]}" in table.header:
            return f"{text}; did you mean --prefix {found[1]!r}?"
    return f"{text}; name them with --bel and --pl; columns: {', '.join(table.header[:12])}"


def classes_of(
    found: Sequence[BeliefColumns],
    naming: Naming,
    known: tuple[str, ...] | None = None,
    source: str = "",
) -> Classes:
    """The classes that tables are about.

    `known` are those that they have to be, and `source` says why, as "the model is of".
    Raises ValueError for tables that are not about the same classes, or options of others.
    """
    most = max(found, key=lambda one: len(one.classes))
    several = max(len(most.classes), len(known or ())) > 2
    for option, value in (("positive", naming.positive), ("classes", naming.classes)):
        if several and value is not None:
            raise ValueError(f"--{option} is for two classes; with more, the columns name each")
    if known is None and naming.classes is not None:
        known, source = naming.classes, "--classes are"
    elif known is None and len(most.classes) > 1:
        known, source = tuple(most.classes), f"{most.table} is about"
    if known is None:
        return None, _common_class(found, naming)
    about = f"{source} {listed(known)}"
    if naming.classes is not None and set(naming.classes) != set(known):
        raise ValueError(f"--classes are {listed(naming.classes)}, but {about}")
    for one in found:
        if several and set(one.classes) != set(known):
            raise ValueError(
                f"{one.table} has beliefs about {listed(one.classes)}, but {about}; all tables "
                "need the same classes"
            )
        for label in one.classes:
            if label not in known:
                raise ValueError(f"{one.table} has beliefs about class {label!r}, but {about}")
    positive = naming.named_class
    if positive is not None and positive not in known:
        raise ValueError(f"--positive is {positive!r}, but {about}")
    return known[::-1] if positive == known[0] else known


def _common_class(found: Sequence[BeliefColumns], naming: Naming) -> str:
    """The one class that all tables are about, where nothing names the other one."""
    first, *others = found
    label = first.classes[0]
    for other in others:
        if other.classes != first.classes:
            raise ValueError(
                f"{first.table} is about class {label!r}, {other.table} about "
                f"{other.classes[0]!r}; if there are only these, name them with --classes"
            )
    if naming.positive not in (None, label):
        raise ValueError(
            f"--positive is {naming.positive!r}, but {first.table} is about class {label!r}"
        )
    return label


def unit_probabilities(p: Floats, names: Sequence[str], place: Place) -> Floats:
    """Probabilities (n, K) of sum 1, but for rounding; refuses the first row of another sum."""
    rows, wrong = unit_rows(p, p.dtype)
    if (row := _first(wrong)) is not None:
        raise ValueError(
            f"{place(row)}: {names[0]} and the other {len(names) - 1} probabilities add up to "
            f"{p[row].sum():.6g}, not 1"
        )
    return rows


def check_bounds(
    bel: Floats,
    pl: Floats,
    p: Floats | None,
    names: Sequence[tuple[str, str, str | None]],
    place: Place,
) -> None:
    """Refuse the first of (n, K) numbers that are not in order, or that no belief has."""
    parts = [(bel, pl, 0, 1, ROUNDING)]
    if p is not None:
        parts += [(bel, p, 0, 2, AGREEING), (p, pl, 2, 1, AGREEING)]
    for lower, higher, low, high, margin in parts:
        wrong = lower > higher + margin
        if wrong.any():
            row, k = (int(at[0]) for at in np.nonzero(wrong))
            raise ValueError(
                f"{place(row)}: {names[k][low]} is {lower[row, k]:g}, above {names[k][high]}, "
                f"{higher[row, k]:g}; are columns exchanged?"
            )
    for values, above, what in (
        (bel, bel.sum(axis=1) > 1 + AGREEING, "beliefs of all classes add up to {:g}, more"),
        (pl, pl.sum(axis=1) < 1 - AGREEING, "plausibilities of all classes add up to {:g}, less"),
    ):
        for row in np.flatnonzero(above)[:1].tolist():
            raise ValueError(f"{place(row)}: {what.format(values[row].sum())} than 1")


def check_chosen(
    parts: Sequence[Floats], decided: NDArray[Any], classes: Sequence[str], place: Place
) -> None:
    """Refuse a class that is chosen only where another one has larger numbers (n, K), all three.

    Criteria treat classes alike, so that none chooses it.
    """
    for k, label in enumerate(classes):
        rows = np.flatnonzero(decided == label)
        better = [part[rows] > part[rows, k, np.newaxis] + AGREEING for part in parts]
        larger = np.all(better, axis=0)
        if len(rows) and larger.any(axis=1).all():
            other = classes[int(np.argmax(larger[0]))]
            raise ValueError(
                f"{place(int(rows[0]))}: {label!r} is chosen, but belief, plausibility and "
                f"probability of {other!r} are larger; are the classes exchanged?"
            )


def listed(classes: Sequence[str]) -> str:
    """Names of classes for a message, of many the first ones.

    >>> listed(["ant", "bee"]), listed(["ant"] * 13)[-23:]
    ("'ant' and 'bee'", "'ant', ... (13 classes)")
    """
    if len(classes) > _SHOWN:
        return f"{', '.join(map(repr, classes[:_SHOWN]))}, ... ({len(classes)} classes)"
    *most, last = map(repr, classes)
    return f"{', '.join(most)} and {last}" if most else last


def _first(wrong: NDArray[np.bool_]) -> int | None:
    return int(np.argmax(wrong)) if wrong.any() else None
