"""Arguments and options that several commands share, each with its help.

Options that belong together are the fields of a dataclass, which a command takes as one parameter:
`spread` makes an option of each field.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from evical._delimited import Dialect
from evical.cli._output import user_input


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """A command as the parser reads it: groups of options are options."""
    own = signature(command).parameters
    kinds = {name: one.annotation for name, one in own.items()}
    groups: dict[str, Any] = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}
    parts = {name: signature(group).parameters for name, group in groups.items()}

    def spread_command(**values: Any) -> None:
        with user_input():
            made = {
                name: groups[name](**{option: values.pop(option) for option in part})
                for name, part in parts.items()
            }
        command(**values, **made)

    options = [
        one.replace(kind=Parameter.KEYWORD_ONLY)
        for name, parameter in own.items()
        for one in (parts[name].values() if name in parts else [parameter])
    ]
    spread_command.__dict__["__signature__"] = Signature(options)
    spread_command.__annotations__ = {one.name: one.annotation for one in options}
    return spread_command


def changed(group: Any, *left_out: str) -> dict[str, Any]:
    """Options of a group that are not as they are by default, by name."""
    values = {one.name: (getattr(group, one.name), one.default) for one in fields(group)}
    return {
        name: value
        for name, (value, default) in values.items()
        if value not in (default, []) and name not in left_out
    }


Predictions = Annotated[
    str,
    typer.Argument(
        metavar="PREDICTIONS", help="CSV, TSV or Parquet; - is stdin. Or MODEL.json, with DATA."
    ),
]
Data = Annotated[
    str | None, typer.Argument(metavar="[DATA]", help="Table of scores for MODEL.json.")
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of the class.", show_default="as in the training"),
]
Probability = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of the positive class's probability; of many classes one each, as p_cat, or "
        "COLUMN=CLASS.",
    ),
]
Bel = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of its belief.", show_default="bel_CLASS"),
]
Pl = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of its plausibility.", show_default="pl_CLASS"),
]
Prefix = Annotated[
    str, typer.Option(metavar="TEXT", help="What stands before the names of these columns.")
]
Score = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of the score.", show_default="as in the training"),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS",
        help="The class that is predicted; columns such as bel_yes name it, bel does not.",
        show_default="as in the column names",
    ),
]

# What a command can do with a row in which a number is missing: an empty cell, NA, NaN or null.
Dropped = Annotated[
    Literal["refuse", "drop"],
    typer.Option(
        "--missing", help="Rows without a number or a class (empty, NA): stop, or leave them out."
    ),
]
Filled = Annotated[
    Literal["refuse", "vacuous"],
    typer.Option(
        "--missing", help="Rows without a number (empty, NA): stop, or take bel 0 and pl 1."
    ),
]
Missing = Annotated[
    Literal["refuse", "drop", "vacuous"],
    typer.Option(
        "--missing",
        help="Rows without a number (empty, NA): stop, leave out, as without a class, or take bel "
        "0 and pl 1.",
    ),
]

TABLE = "CSV, TSV or Parquet with a header; - is stdin."
Scores = Annotated[str, typer.Argument(metavar="SCORES", help=TABLE)]
ScoreColumns = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="Column of the score; of many classes one each, as score_cat, or COLUMN=CLASS.",
    ),
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL.json", help="What evical fit wrote.")]
# As scikit-learn takes it.
Seed = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="Seed of folds and bootstrap.")
]
Table = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="CSV, TSV or Parquet; - is stdout.")
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="Put an apostrophe before texts that a spreadsheet would read as formulas.",
    ),
]
_PAGE = typer.Option("--output", "-o", metavar="PAGE.html", help="Page to write.")
Page = Annotated[Path | None, _PAGE]
NewPage = Annotated[Path, _PAGE]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@dataclass(frozen=True)
class Reading:
    """How texts are read; entered as a context, for all tables that a command opens."""

    delimiter: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR",
            help="What stands between values, such as ; or tab.",
            show_default="as the first lines show",
        ),
    ] = None
    decimal: Annotated[
        Literal[".", ","] | None,
        typer.Option(help="What stands in decimals.", show_default="as the first lines show"),
    ] = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and (len(self.mark) != 1 or self.mark in '"\r\n.'):
            raise ValueError(f"--delimiter is {self.delimiter!r}, expected one character, or tab")

    @property
    def mark(self) -> str:
        """The delimiter."""
        text = self.delimiter or ""
        return "\t" if text.lower() in ("tab", "\\t") else text

    def __enter__(self) -> None:
        _READINGS.append((Dialect(self.mark or None, self.decimal), set()))

    def __exit__(self, *_: object) -> None:
        _READINGS.pop()


# Of the commands that run, the innermost last, with the tables whose dialect was told.
_READINGS: list[tuple[Dialect, set[str]]] = []


def dialect_of(name: str) -> tuple[Dialect, bool]:
    """How the running command reads texts, and whether this table is opened for the first time."""
    dialect, told = _READINGS[-1] if _READINGS else (Dialect(), {name})
    new = name not in told
    told.add(name)
    return dialect, new


@dataclass(frozen=True)
class Engine:
    """Who reads, computes and writes."""

    engine: Annotated[
        Literal["chunks", "duckdb"],
        typer.Option(help="Read piece by piece, or let DuckDB do the work, on files of any size."),
    ] = "chunks"
    memory_limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Of DuckDB, such as 2GB; what needs more goes to disk beside OUT.",
            show_default="80 % of the memory",
        ),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Of DuckDB.", show_default="one a processor"),
    ] = None
