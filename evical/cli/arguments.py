"""Arguments and options that several commands share, each with its help."""

from pathlib import Path
from typing import Annotated, Literal

import typer

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
    typer.Option(
        metavar="COLUMN", help="Column of the class, of two.", show_default="as in the training"
    ),
]
Probability = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of the positive class's probability.")
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
        show_default="as the columns say",
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

Methods = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Calibrators, such as logistic,isotonic:bayesian; or all.",
        show_default="six of different kinds, and the uncalibrated scores if all are in [0, 1]",
    ),
]
Folds = Annotated[int, typer.Option(min=2, metavar="N", help="Folds of cross-validation.")]
Repeats = Annotated[int, typer.Option(min=1, metavar="N", help="Repetitions with other folds.")]
Criterion = Annotated[
    Literal["brier_score", "log_loss"], typer.Option(help="Loss by which methods are compared.")
]

Scores = Annotated[
    str, typer.Argument(metavar="SCORES", help="CSV, TSV or Parquet with a header; - is stdin.")
]
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
        help="Put an apostrophe before texts that a spreadsheet would take for formulas.",
    ),
]
Page = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="PAGE.html", help="Page to write.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]

# Who reads, computes and writes.
Engine = Annotated[
    Literal["chunks", "duckdb"],
    typer.Option(help="Read piece by piece, or let DuckDB do the work, on files of any size."),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Of DuckDB, such as 2GB; what needs more goes to disk beside OUT.",
        show_default="80 % of the memory",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Of DuckDB.", show_default="one a processor"),
]
