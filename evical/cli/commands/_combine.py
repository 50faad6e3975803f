"""`evical combine`: combine the beliefs of several tables, row by row."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import typer

from dstheory.checks.arguments import number_of
from evical._names import check_rule
from evical.cli import arguments
from evical.cli._output import echo_json, user_input

if TYPE_CHECKING:
    from evical.cli._combining import Summary

_FEW = 6  # numbers of a table that are printed


def combine(
    tables: arguments.Given[list[str]],
    naming: arguments.Naming,
    engine: arguments.Engine,
    reading: arguments.Reading,
    rule: str | None = None,
    fit: str | None = None,
    option: list[str] | None = None,
    key: str | None = None,
    missing: arguments.Missing = "refuse",
    keep: list[str] | None = None,
    total_conflict: Literal["error", "vacuous"] = "error",
    escape_formulas: bool = False,
    output: str = "-",
    force: bool = False,
    as_json: bool = False,
) -> None:
    """Combine the beliefs of several tables, row by row.

    Each table has belief and plausibility of each class, of two or more, as bel_yes and pl_yes;
    a bare bel and pl need --positive. Tables are aligned by these names. Writes the key (if
    there is one), the same columns of the combination, decision, and conflict: the mass of the
    empty set under the conjunctive rule. By default tables are weighed by how far they agree,
    which takes two passes; --rule dempster is for independent sources. With --fit nothing is
    combined: a rule, by default learned weights of evidence, is learned from rows that the
    sources were not calibrated on, and saved as OUT, FUSION.json.

    Parameters
    ----------
    tables : A B ...
        Tables as evical predict writes them.
    rule : NAME (by default with --fit stacked, else by agreement)
        Rule of dstheory.combine, or FUSION.json, which --fit wrote.
    fit : COLUMN
        Learn the rule from the true classes in this column of A, and write it to OUT: {FUSIONS}.
    option : KEY=VALUE
        Parameter of the rule; can be repeated.
    key : COLUMN (by default by position)
        Match rows by this column.
    keep : COLUMN
        Column of A to write too; can be repeated.
    total_conflict
        Where the rule has no result: stop, or write bel 0 and pl 1.
    output : -o OUT
        CSV, TSV or Parquet; - is stdout.

    Examples
    --------
    evical combine out.csv other.csv -o both.csv
    evical combine out.csv other.csv --key id --rule pcr6 -o keyed.csv
    """
    with user_input(), reading:
        if engine.engine == "duckdb":
            _check_engine(rule, option, key, fit)
        if rule is not None and not rule.lower().endswith(".json"):
            check_rule(rule, learns=fit is not None)
        if fit is not None:
            _check_fit(tables, output, option, keep, escape_formulas)
        elif missing == "drop":
            raise ValueError(
                "--missing drop is for --fit; a combination has all rows, so take vacuous"
            )
        _check(tables, output, as_json)
        # Inside, as in each command, because it takes seconds to load.
        from evical.cli._combining import Inputs, Job, agreed, learn
        from evical.cli._kinds import tell_missing
        from evical.cli._rules import RULE, Combiner, combiner_of, tell_rule
        from evical.cli._sinks import check_output_name
        from evical.cli.engine.joined import combine_tables
        from evical.cli.engine.session import limits_of

        limits = limits_of(engine)
        inputs = Inputs(tables, naming, key, missing)
        if fit is not None:
            learned = learn(inputs, rule, fit, output)
            if as_json:
                echo_json(learned)
            else:
                typer.echo(_learned_text(learned))
            return
        check_output_name(output, escape_formulas, engine.engine)
        vacuous = total_conflict == "vacuous"
        agreement = None
        if rule is None and not option:
            agreement = agreed(inputs)
            combiner = Combiner(agreement, vacuous)
        else:
            combiner = combiner_of(rule or RULE, option or [], vacuous, tables)
        kept = list(dict.fromkeys([*([] if key is None else [key]), *(keep or [])]))
        job = Job(inputs, combiner, kept, escape_formulas)
        summary = job.run(output) if limits is None else combine_tables(limits, job, output)
        tell_missing("all tables", summary.missing, summary.rows * len(tables), missing)
        if rule is None:
            tell_rule(agreement, tables)
    if output != "-":
        _show(summary, as_json)


def _check_fit(
    tables: list[str],
    output: str,
    option: list[str] | None,
    keep: list[str] | None,
    escape_formulas: bool,
) -> None:
    named = (("--option", option), ("--keep", keep), ("--escape-formulas", escape_formulas))
    for name, values in named:
        if values:
            raise ValueError(f"{name} says nothing about learning; leave it out of --fit")
    if not output.lower().endswith(".json"):
        raise ValueError("--fit writes a model file; name it with --output FUSION.json")
    if "-" in tables:
        raise ValueError("--fit reads its tables from files, not from standard input")


def _check_engine(
    rule: str | None, option: list[str] | None, key: str | None, fit: str | None
) -> None:
    if fit is not None or option or rule is None or rule.lower() != "dempster":
        raise ValueError(
            "--engine duckdb combines by Dempster's rule, --rule dempster, which is for "
            "independent sources; leave --engine out for other rules, among them the default"
        )
    if key is None:
        raise ValueError(
            "--engine duckdb joins by --key; without it, tables of any size are read side by side, "
            "so leave --engine out"
        )


def _check(tables: list[str], output: str, as_json: bool) -> None:
    if len(tables) < 2:
        raise ValueError("there is only one table; name two or more")
    if tables.count("-") > 1:
        raise ValueError("only one table can be standard input (-)")
    if output == "-" and as_json:
        raise ValueError("--json prints to standard output, where the table goes; give -o FILE")


def _learned_text(learned: dict[str, Any]) -> str:
    lines = [
        f"{learned['rule']} learned from {number_of(learned['rows'], 'row')}: {learned['output']}"
    ]
    for name, values in learned["learned"].items():
        pairs = ", ".join(f"{table} {_numbers(value)}" for table, value in values.items())
        lines.append(f"{name}: {pairs}")
    return "\n".join(lines)


def _numbers(value: Any) -> str:
    """One number, or some of several."""
    numbers = np.ravel(value)
    text = " ".join(f"{number:.3f}" for number in numbers[:_FEW])
    more = f" ... {len(numbers)} in all" if len(numbers) > _FEW else ""
    return text if len(numbers) == 1 else f"[{text}{more}]"


def _show(summary: "Summary", as_json: bool) -> None:
    if as_json:
        echo_json(asdict(summary))
        return
    typer.echo(
        f"{number_of(summary.rows, 'row')} to {summary.output} "
        f"(highest conflict {summary.highest_conflict:.6g})"
    )
