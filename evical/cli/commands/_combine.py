"""`evical combine`: combine the beliefs of several tables, row by row."""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from dstheory import dempster
from evical.cli import arguments
from evical.cli._aligned import Rows
from evical.cli._combining import Job, Summary
from evical.cli._decisions import masses
from evical.cli._errors import user_input
from evical.cli._files import check_output, write_atomically
from evical.cli._fusions import FUSIONS, by_source, fusion_text, learned, load_fusion
from evical.cli._kinds import convert
from evical.cli._missing import tell_missing
from evical.cli._rules import Combiner, new_combiner
from evical.cli._sinks import check_output_name
from evical.cli._tables import check_columns, open_table
from evical.cli.engine.session import new_limits
from evical.datasets.csv import sorted_labels

__all__ = ["combine"]


def combine(
    tables: Annotated[
        list[str], typer.Argument(metavar="A B ...", help="Tables as evical predict writes them.")
    ],
    rule: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Rule of dstheory.combine, or FUSION.json, which --fit wrote."
        ),
    ] = "dempster",
    fit: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Learn the rule from the true classes in this column of A, and write it to OUT: "
            f"{', '.join(FUSIONS)}.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Parameter of the rule; can be repeated."),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Match rows by this column.", show_default="by position"
        ),
    ] = None,
    bel: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the belief.")] = "bel",
    pl: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the plausibility.")] = "pl",
    missing: arguments.Filled = "refuse",
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column of A to write too; can be repeated."),
    ] = None,
    classes: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="NEGATIVE POSITIVE", help="Names of the classes; adds the decision."),
    ] = None,
    total_conflict: Annotated[
        Literal["error", "vacuous"],
        typer.Option(help="Where the rule has no result: stop, or write bel 0 and pl 1."),
    ] = "error",
    engine: arguments.Engine = "chunks",
    memory_limit: arguments.MemoryLimit = None,
    threads: arguments.Threads = None,
    output: arguments.Table = "-",
    force: arguments.Force = False,
    as_json: arguments.AsJson = False,
) -> None:
    """Combine the beliefs of several tables, row by row.

    Each table has columns bel and pl, belief and plausibility of the positive class. Writes the key
    (if there is one), bel, pl and betp of the combination, and conflict: the mass of the empty set
    under the conjunctive rule. With --fit nothing is combined: a rule is learned from
    rows that the sources were not calibrated on, and saved as OUT, FUSION.json.
    """
    with user_input():
        limits = new_limits(engine, memory_limit, threads)
        if limits is not None:
            _check_engine(rule, option, key, fit)
        if fit is not None:
            _check_fit(tables, output, option, keep)
        _check(tables, output, as_json, force, fit is not None)
        if fit is not None:
            learning = _Learning(tables, rule, key, (bel, pl), classes, missing, fit)
            _check_columns(learning.job)
            told = learning.run(output)
            if as_json:
                typer.echo(json.dumps(told, indent=1))
            else:
                typer.echo(_learned_text(told))
            return
        combiner = _combiner(rule, option or [], total_conflict == "vacuous", len(tables))
        kept = list(dict.fromkeys([*([] if key is None else [key]), *(keep or [])]))
        job = Job(tables, combiner, key, (bel, pl), kept, classes, missing)
        _check_columns(job)
        summary = job.run(output) if limits is None else job.run_by_engine(output, limits)
        tell_missing("all tables", summary.missing, summary.rows * len(tables), missing)
    if output != "-":
        _show(summary, as_json)


def _check_fit(
    tables: list[str], output: str, option: list[str] | None, keep: list[str] | None
) -> None:
    for name, values in (("--option", option), ("--keep", keep)):
        if values:
            raise ValueError(f"{name} says nothing about learning; leave it out of --fit")
    if not output.lower().endswith(".json"):
        raise ValueError("--fit writes a model file; name it with --output FUSION.json")
    if "-" in tables:
        raise ValueError("--fit reads its tables from files, not from standard input")


def _check_engine(rule: str, option: list[str] | None, key: str | None, fit: str | None) -> None:
    if fit is not None or option or rule.lower() != "dempster":
        raise ValueError(
            "--engine duckdb combines by Dempster's rule; leave --engine out for other rules"
        )
    if key is None:
        raise ValueError(
            "--engine duckdb joins by --key; without it, tables of any size are read side by side, "
            "so leave --engine out"
        )


def _combiner(rule: str, options: list[str], vacuous: bool, n_tables: int) -> Combiner:
    """A rule by name, or a fusion in a file."""
    if not rule.lower().endswith(".json"):
        return new_combiner(rule, options, vacuous)
    if options:
        raise ValueError("--option is for rules by name; a fusion has been learned")
    fusion = load_fusion(rule)
    if fusion.n_sources_ != n_tables:
        raise ValueError(
            f"{rule!r} was learned for {fusion.n_sources_} tables, but there are {n_tables}; give "
            "the same ones in the same order"
        )
    return Combiner(fusion, vacuous)


def _check(tables: list[str], output: str, as_json: bool, force: bool, fitting: bool) -> None:
    if len(tables) < 2:
        raise ValueError("there is only one table; name two or more")
    if tables.count("-") > 1:
        raise ValueError("only one table can be standard input (-)")
    if not fitting:
        check_output_name(output)
    if output != "-":
        check_output(Path(output), force, tables)
    elif as_json:
        raise ValueError("--json prints to standard output, where the table goes; give -o FILE")


@dataclass(frozen=True)
class _Learning:
    """What to learn a rule from."""

    tables: list[str]
    rule: str
    key: str | None
    interval: tuple[str, str]
    classes: tuple[str, str] | None
    missing: str
    target: str

    @property
    def job(self) -> Job:
        """How rows are read: as if they were combined, with the class beside them."""
        combiner = Combiner(dempster, vacuous=True)
        return Job(self.tables, combiner, self.key, self.interval, [], self.classes, self.missing)

    def run(self, output: str) -> dict[str, Any]:
        """Learn, and write the file; what was learned about each table."""
        job, labels, parts, lacking = self.job, [], [], 0
        with open_table(self.tables[0]) as first:
            check_columns(first, {self.target: None})
            for rows in replace(job, kept=[self.target]).aligned(first):
                lacking += sum(map(job.fill, rows))
                labels += self._labels(rows[0])
                parts.append([job.masses(one, ("0", "1")) for one in rows])
        classes = self._classes(labels)
        names = [Path(name).name for name in self.tables]
        sources = [
            masses(
                np.concatenate([np.asarray(m.bel("1")) for m in source]),
                np.concatenate([np.asarray(m.pl("1")) for m in source]),
                classes,
            )
            for source in zip(*parts, strict=True)
        ]
        tell_missing("all tables", lacking, len(labels) * len(names), self.missing)
        fusion = learned(self.rule, sources, np.array(labels))
        write_atomically(Path(output), fusion_text(fusion, names, len(labels)))
        return {
            "output": output,
            "rule": str(fusion),
            "rows": len(labels),
            "missing": lacking,
            "classes": list(classes),
            "learned": by_source(fusion, names),
        }

    def _labels(self, rows: Rows) -> list[str]:
        values = rows.columns[self.target].tolist()
        labels: list[str] = convert(values, "label", self.target, rows.place).tolist()
        return labels

    def _classes(self, labels: list[str]) -> tuple[str, str]:
        found = sorted_labels(labels)
        if len(found) != 2:
            shown = ", ".join(found[:12])
            raise ValueError(
                f"column {self.target!r} has {len(found)} classes ({shown}), expected two"
            )
        if self.classes is None:
            return found[0], found[1]
        if set(self.classes) != set(found):
            raise ValueError(
                f"--classes are {', '.join(self.classes)}, but column {self.target!r} has "
                f"{', '.join(found)}"
            )
        return self.classes


def _learned_text(told: dict[str, Any]) -> str:
    lines = [f"{told['rule']} learned from {told['rows']} rows: {told['output']}"]
    for name, values in told["learned"].items():
        pairs = ", ".join(f"{table} {np.round(value, 3)}" for table, value in values.items())
        lines.append(f"{name}: {pairs}")
    return "\n".join(lines)


def _check_columns(job: Job) -> None:
    bel, pl = job.interval
    if bel == pl:
        raise ValueError(f"--bel and --pl are both {bel!r}; they must be different columns")
    if job.key in job.interval:
        raise ValueError(f"--key {job.key!r} is the belief or plausibility; keys name rows")
    taken = [name for name in job.kept if name in job.new]
    if taken:
        raise ValueError(f"--keep {taken[0]!r} is the name of a new column; leave it out")
    if job.classes is not None and job.classes[0] == job.classes[1]:
        raise ValueError(f"--classes are both {job.classes[0]!r}; they must be different")


def _show(summary: Summary, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(asdict(summary), indent=1))
        return
    typer.echo(
        f"{summary.rows} rows to {summary.output} (highest conflict {summary.highest_conflict:.6g})"
    )
