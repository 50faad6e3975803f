"""Beliefs of several tables combined row by row, by chunks or by DuckDB."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import typer
from numpy.typing import NDArray

from dstheory.checks.arguments import did_you_mean
from evical._names import check_rule
from evical.beliefs import Beliefs, as_beliefs
from evical.cli._aligned import Part, SharedColumns, shared_columns, side_by_side
from evical.cli._beliefs import (
    BeliefColumns,
    Classes,
    classes_of,
    find_beliefs,
    listed,
    one_after_another,
)
from evical.cli._decisions import Decision, masses, new_decision
from evical.cli._kinds import Kind, convert, tell_missing
from evical.cli._output import write_atomically
from evical.cli._rules import Combiner, RowError, fusion_text, source_names
from evical.cli._show import watch
from evical.cli._sinks import Layout, open_sink
from evical.cli._tables import Table, check_columns, open_table, table_chunks
from evical.cli.arguments import Naming
from evical.datasets.csv import sorted_labels
from evical.fusion import Consensus, as_rule
from evical.scores.names import belief_names


@dataclass(frozen=True)
class Summary:
    """What was written, and how far sources contradict each other."""

    output: str
    rows: int
    missing: int
    highest_conflict: float


@dataclass(frozen=True)
class Inputs:
    """Files of beliefs, and how they are read."""

    tables: list[str]
    naming: Naming
    key: str | None
    missing: str

    @contextmanager
    def open(
        self, known: tuple[str, ...] | None = None, target: str | None = None
    ) -> "Iterator[Sources]":
        """The tables; `known` are the classes of a learned fusion.

        Raises OSError or ValueError for what is wrong with the files, or tables of other classes.
        """
        with ExitStack() as stack:
            opened = [stack.enter_context(open_table(name)) for name in self.tables]
            found = [find_beliefs(table, self.naming) for table in opened]
            classes = classes_of(found, self.naming, known, "the fusion was learned for")
            sources = Sources(self, opened, found, classes, target)
            for table in opened:
                check_columns(table, {} if self.key is None else {self.key: None})
            yield sources


@dataclass(frozen=True)
class Sources:
    """Open tables with their columns of beliefs, and the classes that all are about."""

    inputs: Inputs
    tables: list[Table]
    found: list[BeliefColumns]
    classes: Classes
    target: str | None  # column of the true class, if it is to be learned from

    def __post_init__(self) -> None:
        for one in self.found:
            if self.inputs.key in one.names:
                raise ValueError(
                    f"--key {self.inputs.key!r} is the belief or plausibility; keys name rows"
                )

    @property
    def labels(self) -> tuple[str, ...]:
        """The frame; where the negative class is unknown, any other name stands for it."""
        other = "rest" if "other" in self.classes else "other"
        return tuple(other if label is None else label for label in self.classes)

    @cached_property
    def shared(self) -> list[str]:
        """Columns that are compared: by position all that are shared, by key the true class."""
        headers = [table.header for table in self.tables]
        own = [name for one in self.found for name in one.names]
        classes = [label for label in self.classes if label is not None]
        found = shared_columns(headers, own, classes, self.inputs.naming.prefix)
        return found if self.inputs.key is None else [name for name in found if name == self.target]

    def aligned(self, kept: Sequence[str], value: str | None = None) -> Iterator[list[Part]]:
        """Rows of all tables that belong together; those of one key, if a value is given."""
        chunks = [
            table_chunks(table, self.kinds(number, kept))
            for number, table in enumerate(self.tables)
        ]
        chunks[0] = watch(self.tables[0], self.kinds(0, kept), "Combining")
        hint = "match rows by --key" if self.inputs.key is None else "correct one"
        compare = SharedColumns(self.shared, hint)
        for parts in side_by_side(chunks, self.inputs.key, value):
            compare(parts)
            yield parts
        compare.check_order()

    def kinds(self, number: int, kept: Sequence[str] = ()) -> dict[str, Kind]:
        """Columns to read of a table."""
        header = self.tables[number].header
        texts = [*(kept if number == 0 else ()), *(n for n in self.shared if n in header)]
        kinds: dict[str, Kind] = dict.fromkeys(texts, "text")
        kinds |= self.found[number].kinds(self.inputs.missing)
        if self.inputs.key is not None:
            kinds[self.inputs.key] = "key"
        return kinds

    def read(self, parts: Sequence[Part]) -> tuple[list[Beliefs], NDArray[np.bool_]]:
        """Beliefs (n,) of all S tables, and where these have all numbers, (S, n)."""
        sources, complete = list[Beliefs](), []
        for one, rows in zip(self.found, parts, strict=True):
            if len(self.classes) > 2:
                found, known = one.read_all(rows.columns, rows.place, self.labels)
            else:
                bel, pl, known = one.read(rows.columns, rows.place, self.classes)
                found = as_beliefs(masses(bel, pl, self.labels), np.array(self.labels))
            sources.append(found)
            complete.append(known)
        return sources, np.array(complete)


def agreed(inputs: Inputs) -> Consensus:
    """Weights of the tables by how far they agree, learned in a pass over their rows.

    Raises OSError or ValueError for what is wrong with the files, or if one can be read once only.
    """
    if "-" in inputs.tables:
        raise ValueError(
            "standard input can be read once only, but weights by agreement take two passes; give "
            "a file, or name a rule: --rule dempster"
        )
    rule = Consensus()
    with inputs.open() as sources:
        for parts in sources.aligned([]):
            rule.partial_fit(sources.read(parts)[0])
    rule.frame_ = None  # the tables name their classes again when they are combined
    return rule


@dataclass(frozen=True, eq=False)
class WithClasses:
    """Beliefs (n,) of all tables, and the true classes (n,), "" where there is none.

    Of all rows of the tables some lack a number.
    """

    beliefs: list[Beliefs]
    labels: NDArray[Any]
    classes: tuple[str, ...]
    lacking: int


def read_with_classes(
    inputs: Inputs, target: str, known: tuple[str, ...] | None = None, partly: bool = False
) -> WithClasses:
    """Beliefs of all tables beside the true classes, which stand in a column of the first one.

    Rows without a class are left out unless `missing` is "refuse", and so are those without a
    number if it is "drop". With `partly` rows need no class. Says how many rows lack something.

    Raises OSError or ValueError as `Inputs.open`, or for classes that the beliefs are not about.
    """
    labels: list[str] = []
    parts, lacking, left_out = [], 0, 0
    missing = inputs.missing
    kind: Kind = "label" if missing == "refuse" and not partly else "label or none"
    with inputs.open(known, target) as sources:
        check_columns(sources.tables[0], {target: None})
        for rows in sources.aligned([target]):
            found, complete = sources.read(rows)
            values = convert(rows[0].columns[target].tolist(), kind, target, rows[0].place)
            kept = np.ones(len(values), dtype=bool) if partly else values != ""
            if missing == "drop":
                kept &= complete.all(axis=0)
            lacking += int((~complete).sum())
            left_out += int((~kept).sum())
            labels += values[kept].tolist()
            parts.append([one[kept] for one in found])
    if not labels:
        raise ValueError(f"each of {left_out} rows lacks a number or a class; nothing is left")
    classes = _classes([label for label in labels if label], target, sources.classes)
    beliefs = [one_after_another(source, classes) for source in zip(*parts, strict=True)]
    n = len(labels) + left_out
    if missing == "vacuous":
        tell_missing("all tables", lacking, n * len(beliefs), missing)
    tell_missing("all tables", left_out, n, "no_class" if missing == "vacuous" else missing)
    return WithClasses(beliefs, np.array(labels), classes, lacking)


def _classes(labels: list[str], target: str, pair: Classes) -> tuple[str, ...]:
    """The classes of labels, as the columns of beliefs name them; of two, the positive one last."""
    found = sorted_labels(labels)
    shown = listed(found)
    if len(pair) > 2:
        for label in found:
            if label not in pair:
                about = list(map(str, pair))
                hint = did_you_mean(label, about)
                raise ValueError(
                    f"column {target!r} has {label!r}, but beliefs are about {listed(about)}{hint}"
                )
        return tuple(map(str, pair))
    if len(found) != 2:
        raise ValueError(f"column {target!r} has {len(found)} classes ({shown}), expected two")
    negative, positive = pair
    if not {*filter(None, pair)} <= set(found):
        known = listed(list(filter(None, pair)))
        raise ValueError(f"beliefs are about {known}, but column {target!r} has {shown}")
    return negative or next(label for label in found if label != positive), str(positive)


@dataclass(frozen=True)
class Job:
    """What to combine, and what to write."""

    inputs: Inputs
    combiner: Combiner
    kept: list[str]  # columns of the first table
    escape_formulas: bool = False

    def run(self, output: str) -> Summary:
        """Combine chunk by chunk."""
        rows, lacking, highest = 0, 0, 0.0
        with self.open() as sources:
            new = self.new(sources)
            like = sources.tables[0]
            layout = Layout((*self.kept, *new), escaped=self.escape_formulas, like=like)
            with open_sink(output, layout) as sink:
                for parts in sources.aligned(self.kept):
                    columns, without = self._columns(sources, new, parts)
                    sink.write(columns)
                    lacking += without
                    rows += len(columns["conflict"])
                    highest = max(highest, float(columns["conflict"].max()))
        return Summary(output, rows, lacking, highest)

    def refuse(self, value: str | None, reason: str) -> NoReturn:
        """Raise for the first wrong value, or for the rows of a key; else say the reason."""
        for place in range(len(self.inputs.tables) if value is None else 0):
            with self.open() as sources:
                one, classes = sources.found[place], sources.classes
                for chunk in watch(sources.tables[place], sources.kinds(place), "Locating"):
                    one.read(chunk.columns, chunk.place, classes)
        if value is not None:
            with self.open() as sources:
                new = self.new(sources)
                for parts in sources.aligned(self.kept, value):
                    if len(parts[0]):
                        self._columns(sources, new, parts)
        raise ValueError(reason)

    def open(self) -> AbstractContextManager[Sources]:
        """The tables."""
        return self.inputs.open(self.combiner.classes)

    def new(self, sources: Sources) -> tuple[str, ...]:
        """Columns to write after the kept ones: those of the classes that are known."""
        known = [label for label in sources.classes if label is not None]
        names = belief_names(known)
        decision = () if self.decision(sources) is None else ("decision",)
        new = (*names, *decision, "conflict")
        for name in self.kept:
            if name in new:
                raise ValueError(f"--keep {name!r} is the name of a new column; leave it out")
        return new

    def decision(self, sources: Sources) -> Decision | None:
        """How to decide, if all classes are known."""
        return None if sources.classes[0] is None else new_decision(sources.labels)

    def _columns(
        self, sources: Sources, new: Sequence[str], parts: list[Part]
    ) -> tuple[dict[str, NDArray[Any]], int]:
        """New columns by name, with the kept ones, and how many rows had no number."""
        beliefs, complete = sources.read(parts)
        try:
            found, conflict = self.combiner(beliefs)
        except RowError as error:
            places = " and ".join(rows.place(error.row) for rows in parts)
            raise ValueError(f"{places}: {error}") from error
        values = {"conflict": conflict}
        columns = np.concatenate([found.interval(), found.probability()[..., np.newaxis]], axis=2)
        for k, label in enumerate(sources.classes):
            if label is not None:
                bel, pl, p = np.ascontiguousarray(columns[:, k].T)
                own = belief_names([label])
                values |= dict(zip(own, (bel, np.maximum(bel, pl), p), strict=True))
        if (decision := self.decision(sources)) is not None:
            nothing = (columns[..., 0] == 0).all(axis=1) & (columns[..., 1] == 1).all(axis=1)
            values["decision"] = decision(found.expectations())
            if nothing.any():
                values["decision"][nothing] = decision.without_evidence()
        kept = {name: parts[0].columns[name] for name in self.kept}
        return {**kept, **{name: values[name] for name in new}}, int((~complete).sum())


def learn(inputs: Inputs, rule: str | None, target: str, output: str) -> dict[str, Any]:
    """Learn a rule from beliefs beside true classes, and write it; what was learned of each."""
    fusion = as_rule(check_rule(rule or "stacked", learns=True))
    names = source_names(inputs.tables)
    partly = fusion.needs == "beliefs"
    found = read_with_classes(inputs, target, partly=partly)
    without = int((found.labels == "").sum())
    if without:
        typer.echo(
            f"evical: {inputs.tables[0]}: {without} of {len(found.labels)} rows have no class; "
            "they count by how far tables agree",
            err=True,
        )
    given = found.labels.astype(object)
    given[found.labels == ""] = None
    fusion.fit(found.beliefs, given)
    write_atomically(Path(output), fusion_text(fusion, inputs.tables, len(found.labels)))
    return {
        "output": output,
        "rule": str(fusion),
        "rows": len(found.labels),
        "missing": found.lacking,
        "classes": list(found.classes),
        "learned": {
            name.rstrip("_"): dict(zip(names, np.asarray(values).tolist(), strict=True))
            for name, values in fusion.by_source().items()
        },
    }
