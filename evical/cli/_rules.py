"""Combination rules by name, applied to rows of several tables, with total conflict named."""

import inspect
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import typer
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.errors import TotalConflictError
from evical._names import check_rule, rules
from evical.beliefs import Beliefs
from evical.beliefs.composed import bounded_conflict
from evical.calibrators.by_name import parse_options, settable
from evical.cli._model import file_text, reading
from evical.fusion import Consensus, Rule, as_rule

# Of DuckDB, which learns nothing.
RULE = "dempster"
_INDEPENDENT = (
    "Dempster's rule assumes independent sources; with known classes, evical combine --fit COLUMN "
    "learns their weights instead"
)
_AGREED = (
    "tables are weighed by how far they agree ({weights}); with known classes, evical combine "
    "--fit COLUMN learns their weights; --rule dempster is for independent sources"
)


class RowError(ValueError):
    """A row that a rule cannot combine."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row


def new_combiner(rule: str, options: Sequence[str], vacuous: bool) -> "Combiner":
    """A rule by name with its options.

    Raises ValueError for an unknown rule or option, or one that is needed but not given.
    """
    name = check_rule(rule, learns=False)
    function = rules()[name]
    parameters = settable(function, ["m1", "m2"])
    values = parse_options(options, parameters, f"rule {name!r}")
    signature = inspect.signature(function).parameters
    for needed in parameters:
        if signature[needed].default is inspect.Parameter.empty and needed not in values:
            raise ValueError(f"rule {name!r} needs a value: --option {needed}=...")
    return Combiner(function, vacuous, values)


def tell_rule(learned: Consensus | None = None, tables: Sequence[str] = ()) -> None:
    """Report what the default rule assumes, and which tables contradict others."""
    if learned is None:
        typer.echo(f"evical: {_INDEPENDENT}", err=True)
        return
    pairs = zip(tables, learned.weights_, strict=True)
    weights = ", ".join(f"{table} {weight:.2f}" for table, weight in pairs)
    for text in [_AGREED.format(weights=weights), *learned.contradictions(tables)]:
        typer.echo(f"evical: {text}", err=True)


@dataclass(frozen=True)
class Combiner:
    """Combines beliefs of several sources about the same rows; call it."""

    rule: Callable[..., MassFunction]
    vacuous: bool  # where there is no result, rather than an error
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The classes that the rule was learned for, if it was."""
        frame = getattr(self.rule, "frame_", None)
        return None if frame is None else tuple(map(str, frame.labels))

    def __call__(self, sources: Sequence[Beliefs]) -> tuple[Beliefs, NDArray[Any]]:
        """The normalized combination (n,), and the conflict (n,) between all sources.

        Raises RowError for the first row that the rule refuses.
        """
        try:
            return self._combine(sources), bounded_conflict(sources)
        except ValueError as error:
            raise self._row_error(sources) from error

    def _combine(self, sources: Sequence[Beliefs]) -> Beliefs:
        rule = as_rule(partial(self.rule, **self.options)) if self.options else self.rule
        rule = rule if isinstance(rule, Rule) else as_rule(rule)
        if rule.reads(len(sources[0].classes)) == "masses":
            rule = as_rule(self._normalized)
        return rule.combine(sources, "vacuous" if self.vacuous else "error")

    def _normalized(self, *masses: MassFunction) -> MassFunction:
        return self.rule(*masses, **self.options).normalize()

    def _row_error(self, sources: Sequence[Beliefs]) -> RowError:
        """The first row that is refused, by halving; alone it says why without a row number."""

        def refused(last: int) -> bool:
            try:
                self._combine([one[: last + 1] for one in sources])
            except ValueError:
                return True
            return False

        row = bisect_left(range(len(sources[0]) - 1), True, key=refused)
        try:
            self._normalized(*(one[row : row + 1].mass()[0] for one in sources))
            reason = "the rule has no result"
        except TotalConflictError as error:
            reason = f"{error}, or --total-conflict vacuous"
        except ValueError as error:
            reason = str(error)
        return RowError(row, reason)


FORMAT = "evical.fusion_model"


def source_names(tables: Sequence[str]) -> list[str]:
    """Names of the files, with their folders where two have one name."""
    names = [Path(table).name for table in tables]
    return names if len(set(names)) == len(names) else list(tables)


def fusion_text(fusion: Rule, tables: Sequence[str], rows: int) -> str:
    """The content of a file of a fusion, learned from tables."""
    training = {"sources": source_names(tables), "rows": rows}
    return file_text(FORMAT, training=training, fusion=fusion.to_dict())


def load_fusion(path: str) -> tuple[Rule, list[str]]:
    """The fusion in a file and the names of its tables; raises OSError or ValueError."""
    with reading(path, FORMAT, "evical combine --fit", "learn it") as data:
        fusion: Rule = Rule.from_dict(data["fusion"])
        if fusion.frame_ is None:
            raise ValueError("it names no classes")
        sources = list(data["training"]["sources"])
    return fusion, sources


def combiner_of(rule: str, options: list[str], vacuous: bool, tables: list[str]) -> Combiner:
    """A rule by name, or a fusion in a file; raises ValueError if it does not fit the tables."""
    if not rule.lower().endswith(".json"):
        return new_combiner(rule, options, vacuous)
    if options:
        raise ValueError("--option is for rules by name; a fusion has been learned")
    fusion, sources = load_fusion(rule)
    if fusion.n_sources_ != len(tables):
        raise ValueError(
            f"{rule!r} was learned for {fusion.n_sources_} tables, but there are {len(tables)}; "
            "give the same ones in the same order"
        )
    names = source_names(tables)
    if names != sources and sorted(names) == sorted(sources):
        raise ValueError(
            f"{rule!r} was learned for {', '.join(sources)}, in this order, but the tables are "
            f"{', '.join(names)}; each has weights of its own, so give them in that order"
        )
    return Combiner(fusion, vacuous)
