"""Beliefs of several tables combined row by row, by chunks or by DuckDB."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.transform import betp
from evical.cli._aligned import Rows, by_key, by_position, with_key
from evical.cli._decisions import masses, new_decision
from evical.cli._kinds import Kind
from evical.cli._missing import complete_rows, optional_kinds
from evical.cli._rules import Combiner, RowError
from evical.cli._show import watch
from evical.cli._sinks import Layout, open_sink
from evical.cli._tables import Table, open_table, read_chunks
from evical.cli.engine.joined import Join, combine_tables
from evical.cli.engine.session import Limits

__all__ = ["Job", "Summary"]

# Beliefs above plausibilities by rounding only, as other programs may write them.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Summary:
    """What was written, and how far sources contradict each other."""

    output: str
    rows: int
    missing: int
    highest_conflict: float


@dataclass(frozen=True)
class Job:
    """What to combine, and what to write."""

    tables: list[str]
    combiner: Combiner
    key: str | None
    interval: tuple[str, str]  # columns of belief and plausibility
    kept: list[str]  # columns of the first table
    classes: tuple[str, str] | None
    missing: str

    @property
    def new(self) -> tuple[str, ...]:
        """Columns to write after the kept ones."""
        return ("bel", "pl", "betp", *(("decision",) if self.classes else ()), "conflict")

    def run(self, output: str) -> Summary:
        """Combine chunk by chunk."""
        rows, lacking, highest = 0, 0, 0.0
        layout = Layout((*self.kept, *self.new))
        with open_table(self.tables[0]) as first, open_sink(output, layout) as sink:
            for parts in self.aligned(first):
                lacking += sum(map(self.fill, parts))
                columns = self._columns(parts)
                sink.write(columns)
                rows += len(columns["bel"])
                highest = max(highest, float(columns["conflict"].max()))
        return Summary(output, rows, lacking, highest)

    def run_by_engine(self, output: str, limits: Limits) -> Summary:
        """Combine by statements of SQL."""
        assert self.key is not None
        plain: dict[str, Kind] = {"": "probability"}
        join = Join(
            tables=self.tables,
            key=self.key,
            interval=self.interval,
            kind=optional_kinds(plain, self.missing)[""],
            kept=self.kept,
            new=self.new,
            decision=None if self.classes is None else new_decision(self.classes),
            vacuous=self.combiner.vacuous,
            refuse=self.refuse,
        )
        return Summary(output, *combine_tables(limits, join, output))

    def refuse(self, value: str | None, reason: str) -> NoReturn:
        """Raise for the first wrong value, or for the rows of a key; else say the reason."""
        for name in self.tables if value is None else ():
            with open_table(name) as table:
                for chunk in watch(table, self.kinds, "Locating"):
                    rows = Rows(chunk.columns, chunk.place)
                    self.fill(rows)
                    self.masses(rows, self._labels())
        if value is not None:
            with open_table(self.tables[0]) as first:
                for parts in self.aligned(first, value):
                    for rows in parts:
                        self.fill(rows)
                    if len(parts[0].columns[self.interval[0]]):
                        self._columns(parts)
        raise ValueError(reason)

    def fill(self, rows: Rows) -> int:
        """Put bel 0 and pl 1 where a number is missing, and count."""
        known = complete_rows(rows.columns[name] for name in self.interval)
        for name, vacuous in zip(self.interval, (0.0, 1.0), strict=True):
            rows.columns[name] = np.where(known, rows.columns[name], vacuous)
        return int((~known).sum())

    @property
    def kinds(self) -> dict[str, Kind]:
        """Columns of each table that are needed."""
        plain: dict[str, Kind] = dict.fromkeys(self.interval, "probability")
        kinds = optional_kinds(plain, self.missing)
        if self.key is not None:
            kinds[self.key] = "key"
        return kinds

    def aligned(self, first: Table, value: str | None = None) -> Iterator[list[Rows]]:
        """Rows of all tables that belong together; those of one key, if a value is given."""
        kinds = self.kinds
        chunks = watch(first, {**dict.fromkeys(self.kept, "text"), **kinds}, "Combining")
        if self.key is None:
            return by_position(chunks, self.tables[1:], kinds)
        others = [read_chunks(name, kinds) for name in self.tables[1:]]
        if value is None:
            return by_key(chunks, others, self.key)
        some, *rest = (with_key(table, self.key, value) for table in (chunks, *others))
        return by_key(some, rest, self.key)

    def _columns(self, parts: list[Rows]) -> dict[str, NDArray[Any]]:
        labels = self._labels()
        sources = [self.masses(rows, labels) for rows in parts]
        try:
            m, conflict = self.combiner(sources)
        except RowError as error:
            places = " and ".join(rows.place(error.row) for rows in parts)
            raise ValueError(f"{places}: {error}") from error
        bel, pl = np.asarray(m.bel(mask=2)), np.asarray(m.pl(mask=2))
        values = {"bel": bel, "pl": np.maximum(pl, bel), "betp": betp(m)[:, 1]}
        if self.classes is not None:
            values["decision"] = new_decision(self.classes)(m)
        kept = {name: parts[0].columns[name] for name in self.kept}
        return {**kept, **values, "conflict": conflict}

    def _labels(self) -> tuple[str, str]:
        """Names of the classes, as those of a learned fusion if there is one."""
        frame = getattr(self.combiner.rule, "frame_", None)
        known = None if frame is None else (str(frame.labels[0]), str(frame.labels[1]))
        if known and self.classes not in (None, known):
            raise ValueError(
                f"--classes are {', '.join(self.classes or ())}, but the fusion was learned for "
                f"{', '.join(known)}"
            )
        return known or self.classes or ("negative", "positive")

    def masses(self, rows: Rows, labels: tuple[str, str]) -> MassFunction:
        """Mass functions (n,) of rows."""
        bel, pl = (rows.columns[name] for name in self.interval)
        above = bel > pl + _ROUNDING
        if above.any():
            row = int(np.argmax(above))
            raise ValueError(
                f"{rows.place(row)}: {self.interval[0]} is {bel[row]:g}, above "
                f"{self.interval[1]}, {pl[row]:g}; belief is at most plausibility"
            )
        return masses(bel, np.maximum(bel, pl), labels)
