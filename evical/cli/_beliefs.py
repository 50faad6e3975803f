"""The one reader of beliefs in tables: which columns they are, and of which class.

The class stands in the name of a column, as `evical.scores.names` writes it. Where it does not, as
in a bare ``bel``, it has to be named. What names, options, decisions and numbers say of the classes
must fit together, and is refused where it does not.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from evical._typing import Floats
from evical.cli import arguments
from evical.cli._decisions import joined_names
from evical.cli._kinds import Kind, Place, complete_rows, optional_kinds
from evical.cli._tables import Table
from evical.datasets.csv import MISSING
from evical.scores.names import classes_in_names

# Negative class, if it is known, and positive class.
Pair = tuple[str | None, str]

# Beliefs above plausibilities by rounding only, as other programs may write them.
ROUNDING = 1e-9
# Columns of two classes that say the same, rounded to two digits or more.
AGREEING = 0.01
# Prefix and class of a column of beliefs.
_NAMED = re.compile(r"(.*?)bel_(.+)", re.DOTALL)


@dataclass(frozen=True)
class Naming:
    """What options say of columns of beliefs and of their class."""

    bel: arguments.Bel = None
    pl: arguments.Pl = None
    prefix: arguments.Prefix = ""
    positive: arguments.Positive = None
    classes: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="NEGATIVE POSITIVE",
            help="Both classes, where columns do not name them.",
            show_default="as the columns say",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.classes is None:
            return
        if self.classes[0] == self.classes[1]:
            raise ValueError(f"--classes are both {self.classes[0]!r}; they must be different")
        if self.positive not in (None, self.classes[1]):
            raise ValueError(
                f"--positive is {self.positive!r}, but the positive one of --classes is "
                f"{self.classes[1]!r}"
            )

    @property
    def named_class(self) -> str | None:
        """The positive class, if an option names it."""
        return self.positive if self.classes is None else self.classes[1]


@dataclass(frozen=True)
class BeliefColumns:
    """Columns of belief and plausibility of a table, by class, and that of the decision."""

    table: str
    columns: dict[str, tuple[str, str]]
    decision: str | None

    @property
    def classes(self) -> list[str]:
        """Classes of which there are beliefs, in the order of the columns."""
        return list(self.columns)

    @property
    def names(self) -> list[str]:
        """Columns of numbers."""
        return [name for pair in self.columns.values() for name in pair]

    def kinds(self, missing: str) -> dict[str, Kind]:
        """Columns to read."""
        plain: dict[str, Kind] = dict.fromkeys(self.names, "probability")
        texts: dict[str, Kind] = {} if self.decision is None else {self.decision: "text"}
        return {**optional_kinds(plain, missing), **texts}

    def read(
        self, values: Mapping[str, NDArray[Any]], place: Place, pair: Pair
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Belief and plausibility (n,) of the positive class of a pair, and rows with all numbers.

        Where a number is missing they are 0 and 1. Raises ValueError for the first row that
        contradicts itself.
        """
        known = complete_rows(values[name] for name in self.names)
        sides = {}
        for label, (low, high) in self.columns.items():
            bel, pl = (np.where(known, values[low], 0), np.where(known, values[high], 1))
            if (row := _first(bel > pl + ROUNDING)) is not None:
                raise ValueError(
                    f"{place(row)}: {low} is {bel[row]:g}, above {high}, {pl[row]:g}; belief is "
                    "at most plausibility"
                )
            pl = np.maximum(bel, pl)
            sides[label] = (bel, pl) if label == pair[1] else (1 - pl, 1 - bel)
        if len(sides) == 2:
            self._check_sides(sides, place, pair)
        bel, pl = sides[pair[1]] if pair[1] in sides else next(iter(sides.values()))
        if self.decision is not None:
            self.check_decisions(values[self.decision], bel, pl, place, pair)
        return bel, pl, known

    def _check_sides(
        self, sides: Mapping[str, tuple[Floats, Floats]], place: Place, pair: Pair
    ) -> None:
        """Refuse two classes whose beliefs are not one less each other."""
        (bel, pl), (low, high) = sides[pair[1]], sides[str(pair[0])]
        mine, other = self.columns[pair[1]], self.columns[str(pair[0])]
        for a, b, one, two in ((bel, low, mine[0], other[1]), (pl, high, mine[1], other[0])):
            if (row := _first(np.abs(a - b) > AGREEING)) is not None:
                raise ValueError(
                    f"{place(row)}: {one} is {a[row]:g} and {two} is {1 - b[row]:g}, but of two "
                    "classes they add up to 1; are columns exchanged?"
                )

    def check_decisions(
        self, decided: NDArray[Any], bel: Floats, pl: Floats, place: Place, pair: Pair
    ) -> None:
        """Refuse decisions for other classes, or against the beliefs in all rows.

        They are against them if the positive class is chosen where Bel + Pl is lower than wherever
        the negative one is chosen. Only with criteria that weigh Bel and Pl unequally may that be
        meant, so there also have to be two rows that no criterion explains: where the positive
        class is chosen, both Bel and Pl are lower.
        """
        assert self.decision is not None
        other = check_decided(decided, self.decision, [*filter(None, pair)], place)
        negative = other if pair[0] is None else pair[0]
        chosen, against = (np.flatnonzero(decided == label) for label in (pair[1], negative))
        support = bel + pl
        if not (len(chosen) and len(against)) or support[chosen].max() >= support[against].min():
            return
        low, high = chosen[np.argmin(support[chosen])], against[np.argmax(support[against])]
        if bel[low] <= bel[high] and pl[low] <= pl[high]:
            raise ValueError(
                f"{place(int(low))}: {self.decision} is {pair[1]!r}, but belief in {pair[1]!r} is "
                f"lower here than wherever it is {negative!r}; are the classes exchanged?"
            )


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
        f"{_listed(classes)}; name the classes as the columns do"
    )


def find_beliefs(table: Table, naming: Naming) -> BeliefColumns:
    """The columns of beliefs of a table.

    Raises ValueError if there are none, or if their class is not named.
    """
    decision = f"{naming.prefix}decision"
    named = _named_columns(table, naming)
    found = decision if decision in table.header else None
    return BeliefColumns(table.name, named, found)


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


def pair_of(
    found: Sequence[BeliefColumns],
    naming: Naming,
    known: tuple[str, str] | None = None,
    source: str = "",
) -> Pair:
    """The two classes that tables are about.

    `known` are those that they have to be, and `source` says why, as "the model is of".
    Raises ValueError for tables that are not about the same two classes, or options of others.
    """
    for one in found:
        if len(one.classes) > 2:
            raise ValueError(
                f"{one.table} has beliefs about {len(one.classes)} classes, "
                f"{_listed(one.classes)}; this is about two"
            )
    pair, source = _expected(found, naming, known, source)
    if pair is None:
        return None, _common_class(found, naming)
    for one in found:
        for label in one.classes:
            if label not in pair:
                raise ValueError(
                    f"{one.table} has beliefs about class {label!r}, but {source} {_listed(pair)}"
                )
    positive = naming.named_class
    if positive is not None and positive not in pair:
        raise ValueError(f"--positive is {positive!r}, but {source} {_listed(pair)}")
    return pair[::-1] if positive == pair[0] else pair


def _expected(
    found: Sequence[BeliefColumns],
    naming: Naming,
    known: tuple[str, str] | None,
    source: str,
) -> tuple[tuple[str, str] | None, str]:
    """Both classes, if they are known from anywhere, and what says so."""
    if known is not None:
        if naming.classes is not None and set(naming.classes) != set(known):
            raise ValueError(
                f"--classes are {_listed(naming.classes)}, but {source} {_listed(known)}"
            )
        return known, source
    if naming.classes is not None:
        return naming.classes, "--classes are"
    for one in found:
        if len(one.classes) == 2:
            return (one.classes[0], one.classes[1]), f"{one.table} is about"
    return None, ""


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


def _listed(classes: Sequence[str]) -> str:
    *most, last = map(repr, classes[:12])
    return f"{', '.join(most)} and {last}" if most else last


def _first(wrong: NDArray[np.bool_]) -> int | None:
    return int(np.argmax(wrong)) if wrong.any() else None
