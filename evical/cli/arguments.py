"""Arguments and options that several commands share, each with its help.

Options that belong together are the fields of a dataclass, which a command takes as one parameter:
`spread` makes an option of each field.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from evical._delimited import Dialect
from evical.cli._output import user_input


def spread(
    command: Callable[..., None], check: Callable[[dict[str, Any], list[str]], None]
) -> Callable[..., None]:
    """A command as the parser reads it: groups of options are options.

    `check` gets all values by name, and the names of those that are arguments.
    """
    own = signature(command).parameters
    kinds = {name: one.annotation for name, one in own.items()}
    groups: dict[str, Any] = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}
    parts = {name: signature(group).parameters for name, group in groups.items()}

    def spread_command(**values: Any) -> None:
        with user_input():
            check(values, arguments)
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
    arguments = [
        one.name
        for one in options
        if any(isinstance(part, typer.models.ArgumentInfo) for part in get_args(one.annotation))
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

ScorePositive = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS",
        help="The class that high scores support.",
        show_default="yes of a column p_yes, else the greater one",
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


@dataclass(frozen=True)
class Samples:
    """A table of scores and classes, as options name it and its columns."""

    scores: Scores
    score: ScoreColumns
    target: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the class.")]


@dataclass(frozen=True)
class SampleTable(Samples):
    """The same with weights, and what to do with rows that lack something."""

    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of weights of the rows.")
    ] = None
    missing: Dropped = "refuse"


@dataclass(frozen=True)
class Sets:
    """Whether to learn sets, and how."""

    conformal: Annotated[
        bool,
        typer.Option(
            "--conformal",
            help="Prediction sets with guaranteed coverage, for any classifier that was not "
            "trained on these rows.",
        ),
    ] = False
    nonconformity: Annotated[
        Literal["lac", "aps", "raps", "margin"] | None,
        typer.Option(
            help="Nonconformity score for --conformal. All but margin take probabilities.",
            show_default="lac",
        ),
    ] = None
    by_class: Annotated[
        bool, typer.Option("--by-class", help="Of --conformal: guarantee coverage for each class.")
    ] = False
    smoothed: Annotated[
        bool,
        typer.Option("--smoothed", help="Of --conformal: random numbers break ties (seed 0)."),
    ] = False


@dataclass(frozen=True)
class Answering:
    """Whether to promise something for the rows that are answered, and what."""

    answer_error: Annotated[
        float | None,
        typer.Option(
            metavar="E",
            help="Answer only rows that allow this error of the answers, and ask about the others.",
        ),
    ] = None
    confidence: Annotated[
        float, typer.Option(metavar="P", help="Of --answer-error: that the error is not larger.")
    ] = 0.95


@dataclass(frozen=True)
class Choices:
    """How to decide, as options say it."""

    threshold: Annotated[
        float | None,
        typer.Option(metavar="P", help="Probability above which to decide for the positive class."),
    ] = None
    costs: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="ALARM MISS", help="Cost of a false alarm and of a miss."),
    ] = None
    cost_table: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Table of costs of acts: the first column names the act, the others are classes.",
        ),
    ] = None
    reject: Annotated[
        float | None,
        typer.Option(
            metavar="COST",
            help="Cost of not deciding; a wrong decision costs 1, or what --threshold or --costs "
            "set.",
        ),
    ] = None
    criterion: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Rule of dstheory.decide, such as maximin, hurwicz or interval_dominance.",
            show_default="maximize_expected_utility",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.criterion is not None:
            from evical._names import check_name, criteria  # inside, for it loads NumPy

            check_name(self.criterion, criteria(), "criterion", "criteria")


BY_DEFAULT = Choices()


@dataclass(frozen=True)
class Naming:
    """What options say of columns of beliefs and of their class."""

    bel: Bel = None
    pl: Pl = None
    prefix: Prefix = ""
    positive: Positive = None
    classes: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="NEGATIVE POSITIVE",
            help="Both classes, where columns do not name them.",
            show_default="as in the column names",
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


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Columns of predictions, or of scores for a model."""

    target: Target = None
    probability: Probability = None
    bel: Bel = None
    pl: Pl = None
    prefix: Prefix = ""
    score: Score = None
    positive: Positive = None
    missing: Missing = "refuse"

    @property
    def naming(self) -> Naming:
        """What the options say of columns of beliefs."""
        return Naming(self.bel, self.pl, self.prefix, self.positive)

    @property
    def one_probability(self) -> str | None:
        """The column of the one probability, if there is one."""
        return self.probability[0] if self.probability else None

    @property
    def needed_target(self) -> str:
        """The column of the class; raises ValueError if none was given."""
        if self.target is None:
            raise ValueError("--target is missing: the column of the true class")
        return self.target

    @property
    def given(self) -> dict[str, Any]:
        """Those that are not as they are by default, by option."""
        return changed(self, "predictions", "data")


@dataclass(frozen=True, kw_only=True)
class Selection(Columns):
    """Predictions, or a model and its data, with their columns."""

    predictions: Predictions
    data: Data = None

    @property
    def inputs(self) -> list[str]:
        """Files, none of which may be an output."""
        return [self.predictions, *([] if self.data is None else [self.data])]


@dataclass(frozen=True)
class Plan:
    """How to compare."""

    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Calibrators, such as logistic,isotonic:bayesian; or all.",
            show_default="six of different kinds, and the uncalibrated scores if all are in [0, 1]",
        ),
    ] = None
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Folds of cross-validation.")] = 10
    repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="Repetitions with other folds.")
    ] = 1
    criterion: Annotated[
        Literal["brier_score", "log_loss"], typer.Option(help="Loss by which methods are compared.")
    ] = "brier_score"
    seed: Seed = 0
