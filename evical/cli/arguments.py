"""Arguments and options of commands, and those that several share.

A command is a function with a docstring in numpydoc's form. Of each parameter it says how an option
is written and what it means:

    name : FLAGS METAVAR (by default TEXT)
        Help, in which {METHODS} stands for the list of `evical._names`.

An option is called as its parameter, unless a flag says otherwise. Options that belong together are
the fields of a dataclass, documented there, which a command takes as one parameter. What neither
documents stands here:

Parameters
----------
model : MODEL.json
    What evical fit wrote.
data : [DATA]
    Table of scores for MODEL.json.
target : COLUMN (by default as in the training)
    Column of the class.
bel : COLUMN (by default bel_CLASS)
    Column of its belief.
pl : COLUMN (by default pl_CLASS)
    Column of its plausibility.
prefix : TEXT
    What stands before the names of these columns.
score : COLUMN (by default as in the training)
    Column of the score.
positive : CLASS (by default as in the column names)
    The class that is predicted; columns such as bel_yes name it, bel does not.
missing
    Rows without a number (empty, NA): stop, leave out, as without a class, or take bel 0 and pl 1.
seed : N
    Seed of folds and bootstrap.
escape_formulas
    Put an apostrophe before texts that a spreadsheet would read as formulas.
output : -o PAGE.html
    Page to write.
force
    Overwrite the output.
as_json : --json
    Print as JSON.
"""

import inspect
import re
import sys
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import typer

from evical._delimited import Dialect
from evical.cli._output import user_input

_TITLE = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)
_PARAMETER = re.compile(r"^(\w+)(?: : (.*))?\n((?: {4}.*\n)+)", re.MULTILINE)
_HEADER = re.compile(r"((?:-\S+ ?)*)(.*?)\s*(?:\(by default (.*)\))?")


def sections(documented: object) -> dict[str, str]:
    """Parts of a docstring by their titles; "" is what stands before the first title."""
    head, *rest = _TITLE.split(f"{inspect.getdoc(documented)}\n")
    return {"": head.strip(), **dict(zip(rest[::2], rest[1::2], strict=True))}


def _described(parameter: Parameter, places: list[Any]) -> Parameter:
    """An argument or option as the parser reads it, described in the first place that knows it."""
    found = {
        name: (header, text)
        for place in reversed(places)
        for name, header, text in _PARAMETER.findall(sections(place).get("Parameters", ""))
    }
    if parameter.name not in found:  # python -OO
        raise RuntimeError("options are described in docstrings, which python -OO leaves out")
    header, text = found[parameter.name]
    flags, metavar, default = _HEADER.fullmatch(header).groups()  # type: ignore[union-attr]  # it fits all texts
    kind, option = parameter.annotation, typer.Option()
    if get_origin(kind) is Annotated:
        kind, given = get_args(kind)
        option = copy(given)
    if isinstance(option, typer.models.OptionInfo):
        own = [] if "--" in flags else [f"--{parameter.name.replace('_', '-')}"]
        option.param_decls = (*own, *flags.split())
    if "{" in text:
        from evical import _names  # inside, for it loads NumPy

        lists = {name: known for name, known in vars(_names).items() if isinstance(known, tuple)}
        text = text.format(**{name: ", ".join(known) for name, known in lists.items()})
    option.metavar, option.help = metavar or None, " ".join(text.split())
    option.show_default = default or True
    return parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=Annotated[kind, option])


def spread(
    command: Callable[..., None], check: Callable[[dict[str, Any], list[str]], None]
) -> Callable[..., None]:
    """A command as the parser reads it: groups of options are options.

    `check` gets all values by name, and the names of those that are arguments.
    """
    own, shared = signature(command).parameters, sys.modules[__name__]
    kinds = {name: one.annotation for name, one in own.items()}
    groups: dict[str, Any] = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}
    parts: dict[str, Any] = {name: signature(group).parameters for name, group in groups.items()}

    def spread_command(**values: Any) -> None:
        with user_input():
            check(values, arguments)
            made = {
                name: groups[name](**{option: values.pop(option) for option in part})
                for name, part in parts.items()
            }
        command(**values, **made)

    options = [
        one if one.annotation is typer.Context else _described(one, [*places, shared])
        for name, parameter in own.items()
        for places in [groups[name].__mro__[:-1] if name in parts else [command]]
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


T = TypeVar("T")
Given = Annotated[T, typer.Argument()]
"""What stands on the command line without the name of an option."""

# What a command can do with a row in which a number is missing: an empty cell, NA, NaN or null.
Dropped = Literal["refuse", "drop"]
Missing = Literal["refuse", "drop", "vacuous"]
Count = Annotated[int, typer.Option(min=1)]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1)]  # as scikit-learn takes it


@dataclass(frozen=True)
class Reading:
    """How texts are read; entered as a context, for all tables that a command opens.

    Parameters
    ----------
    delimiter : CHAR (by default as the first lines show)
        What stands between values, such as ; or tab.
    decimal : (by default as the first lines show)
        What stands in decimals.
    """

    delimiter: str | None = None
    decimal: Literal[".", ","] | None = None

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
    """Who reads, computes and writes.

    Parameters
    ----------
    engine
        Read piece by piece, or let DuckDB do the work, on files of any size.
    memory_limit : SIZE (by default 80 % of the memory)
        Of DuckDB, such as 2GB; what needs more goes to disk beside OUT.
    threads : N (by default one a processor)
        Of DuckDB.
    """

    engine: Literal["chunks", "duckdb"] = "chunks"
    memory_limit: str | None = None
    threads: Annotated[int | None, typer.Option(min=1)] = None


@dataclass(frozen=True)
class SampleTable:
    """A table of scores and classes, its columns, and what to do with rows that lack something.

    Parameters
    ----------
    scores : SCORES
        CSV, TSV or Parquet with a header; - is stdin.
    score : COLUMN
        Column of the score; of many classes one each, as score_cat, or COLUMN=CLASS.
    target : COLUMN
        Column of the class.
    weight : COLUMN
        Column of weights of the rows.
    missing
        Rows without a number or a class (empty, NA): stop, or leave them out.
    """

    scores: Given[str]
    score: list[str]
    target: str
    weight: str | None = None
    missing: Dropped = "refuse"


@dataclass(frozen=True)
class Calibration:
    """Which calibrator, and of how many scores.

    Parameters
    ----------
    method : NAME
        Calibrator: {METHODS}. Of several scores also {MANY_METHODS}.
    model : NAME (by default that of the method)
        Evidential model, such as likelihood or bayesian.
    option : KEY=VALUE
        Parameter of the calibrator, or of raps; can be repeated.
    max_scores : N
        Distinct scores kept, at least; beyond twice as many, scores are rounded.
    """

    method: str = "auto"
    model: str | None = None
    option: list[str] | None = None
    max_scores: Annotated[int, typer.Option(min=1000)] = 1_000_000

    @property
    def options(self) -> list[str]:
        """Parameters of the calibrator."""
        return [*(self.option or []), *([] if self.model is None else [f"model={self.model}"])]


@dataclass(frozen=True)
class Sets:
    """Whether to learn sets, and how.

    Parameters
    ----------
    conformal
        Prediction sets with guaranteed coverage, for any classifier that was not trained on these
        rows.
    nonconformity : (by default lac)
        Nonconformity score for --conformal. All but margin take probabilities.
    by_class
        Of --conformal: guarantee coverage for each class.
    smoothed
        Of --conformal: random numbers break ties (seed 0).
    """

    conformal: bool = False
    nonconformity: Literal["lac", "aps", "raps", "margin"] | None = None
    by_class: bool = False
    smoothed: bool = False


@dataclass(frozen=True)
class Answering:
    """Whether to promise something for the rows that are answered, and what.

    Parameters
    ----------
    answer_error : E
        Answer only rows that allow this error of the answers, and ask about the others.
    confidence : P
        Of --answer-error: that the error is not larger.
    """

    answer_error: float | None = None
    confidence: float = 0.95


@dataclass(frozen=True)
class Choices:
    """How to decide, as options say it.

    Parameters
    ----------
    threshold : P
        Probability above which to decide for the positive class.
    costs : ALARM MISS
        Cost of a false alarm and of a miss.
    cost_table : FILE
        Table of costs of acts: the first column names the act, the others are classes.
    reject : COST
        Cost of not deciding; a wrong decision costs 1, or what --threshold or --costs set.
    criterion : NAME (by default maximize_expected_utility)
        Rule of dstheory.decide, such as maximin, hurwicz or interval_dominance.
    """

    threshold: float | None = None
    costs: tuple[float, float] | None = None
    cost_table: str | None = None
    reject: float | None = None
    criterion: str | None = None

    def __post_init__(self) -> None:
        if self.criterion is not None:
            from evical._names import check_name, criteria  # inside, for it loads NumPy

            check_name(self.criterion, criteria(), "criterion", "criteria")


BY_DEFAULT = Choices()


@dataclass(frozen=True)
class Naming:
    """What options say of columns of beliefs and of their class.

    Parameters
    ----------
    classes : NEGATIVE POSITIVE (by default as in the column names)
        Both classes, where columns do not name them.
    """

    bel: str | None = None
    pl: str | None = None
    prefix: str = ""
    positive: str | None = None
    classes: tuple[str, str] | None = None

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
    """Columns of predictions, or of scores for a model.

    Parameters
    ----------
    probability : COLUMN
        Column of the positive class's probability; of many classes one each, as p_cat, or
        COLUMN=CLASS.
    """

    target: str | None = None
    probability: list[str] | None = None
    bel: str | None = None
    pl: str | None = None
    prefix: str = ""
    score: str | None = None
    positive: str | None = None
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
    """Predictions, or a model and its data, with their columns.

    Parameters
    ----------
    predictions : PREDICTIONS
        CSV, TSV or Parquet; - is stdin. Or MODEL.json, with DATA.
    """

    predictions: Given[str]
    data: Given[str | None] = None

    @property
    def inputs(self) -> list[str]:
        """Files, none of which may be an output."""
        return [self.predictions, *([] if self.data is None else [self.data])]


@dataclass(frozen=True)
class Plan:
    """How to compare.

    Parameters
    ----------
    methods : A,B,...
        Calibrators, such as logistic,isotonic:bayesian; or all. By default six of different kinds,
        and the uncalibrated scores if all are in [0, 1].
    folds : N
        Folds of cross-validation.
    repeats : N
        Repetitions with other folds.
    criterion
        Loss by which methods are compared.
    """

    methods: str | None = None
    folds: Annotated[int, typer.Option(min=2)] = 10
    repeats: Count = 1
    criterion: Literal["brier_score", "log_loss"] = "brier_score"
    seed: Seed = 0
