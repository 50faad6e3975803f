"""Calibration of several scores, one a class: learned from a table, and applied to chunks.

Which column is whose is told by its name, or by `--score COLUMN=CLASS`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from dstheory import Frame, MassFunction, betp
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.calibrators.by_name import suggestion
from evical.cli import arguments
from evical.cli._decisions import Decision, masses
from evical.cli._kinds import Kind, complete_rows, label_kind, optional_kinds
from evical.cli._labeled import complete_chunks
from evical.cli._model import (
    Model,
    Training,
    check_score,
    is_conformal,
    log_loss,
    score_kind,
)
from evical.cli._tables import Chunk, Table, check_columns, open_table
from evical.datasets.csv import sorted_labels
from evical.multiclass import BaseMulticlassCalibrator, OneVsRestCalibrator
from evical.multiclass.by_name import named_calibrator
from evical.scores.names import belief_names

# What stands between a prefix such as p and the name of a class.
_SEPARATORS = "_-. :"
# Masses that are listed at a time, 2**K a row: 32 MB.
_LISTED = 1 << 22
# How far sums of masses miss 0 and 1.
_ROUNDING = 1e-9


def make_many(method: str, options: Sequence[str]) -> BaseMulticlassCalibrator:
    """A calibrator of all scores together, or one of two classes for each class.

    Raises ValueError as `named_calibrator`.
    """
    made = named_calibrator(method, options, together=True, kind="method")
    if isinstance(made, BaseMulticlassCalibrator):
        return made
    # Where columns exclude each other nothing is known, and no table stops for that.
    return OneVsRestCalibrator(made, total_conflict="vacuous")


@dataclass(frozen=True)
class SampleTable:
    """A table of scores and classes, as options name it and its columns."""

    scores: arguments.Scores
    score: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN",
            help="Column of the score; of many classes one each, as score_cat, or COLUMN=CLASS.",
        ),
    ]
    target: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the class.")]
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of weights of the rows.")
    ] = None
    missing: arguments.Dropped = "refuse"

    def read(self, kind: Kind) -> tuple[dict[str, str | None], "ClassRows"]:
        """Columns of scores with the class if it is named, and the rows.

        Raises OSError or ValueError for what is wrong with the table or the names.
        """
        with open_table(self.scores) as table:
            named = named_classes(self.score, table.header)
            check_columns(table, dict.fromkeys((*named, self.target)))
            kinds: dict[str, Kind] = dict.fromkeys(named, kind)
            if self.weight is not None:
                kinds[self.weight] = "weight"
            return named, read_class_rows(table, kinds, self.target, self.missing)

    def training(self, rows: "ClassRows", classes: Iterable[str], loss: float | None) -> Training:
        """The record of what was learned from the rows."""
        counts = self.counts(rows)
        weights = {label: float(counts[rows.labels == label].sum()) for label in classes}
        return Training(rows.name, len(counts), rows.missing, weights, loss)

    def counts(self, rows: "ClassRows") -> Floats:
        """How much each row counts."""
        return np.ones(len(rows.labels)) if self.weight is None else rows.columns[self.weight]


def fit_many(samples: SampleTable, calibrator: BaseMulticlassCalibrator) -> Model:
    """The model of a table with a score for each class.

    Raises OSError or ValueError for what is wrong with the table or the names.
    """
    named, rows = samples.read(score_kind(calibrator))
    owners = class_columns(named, sorted_labels(set(rows.labels.tolist())))
    in_order = dict(sorted(owners.items()))  # as calibrators sort them: as texts
    values = np.stack([rows.columns[column] for column in in_order.values()], axis=1)
    weights = None if samples.weight is None else rows.columns[samples.weight]
    calibrator.fit(values, rows.labels, sample_weight=weights)
    shares = (rows.labels == calibrator.classes_[:, np.newaxis]) * samples.counts(rows)
    loss = log_loss(calibrator.predict_proba(values), shares.T)
    return Model(in_order, samples.target, calibrator, samples.training(rows, in_order, loss))


def model_values(model: Model, columns: Mapping[str, Floats]) -> Floats:
    """Scores (n, C) of a model."""
    return np.stack([columns[name] for name in model.scores.values()], axis=1)


def at_rows(model: Model, rows: NDArray[np.intp]) -> Any:
    """The calibrator, for these rows of a table if a random number belongs to each."""
    found = model.calibrator
    return found.at_rows(rows) if is_conformal(found) else found


def beliefs(
    model: Model, columns: Mapping[str, Floats], first: int = 0
) -> tuple[Floats, Floats, NDArray[Any]]:
    """[Bel, Pl] of each class (n, K, 2), pignistic probabilities (n, K), and rows with scores.

    Where a score is missing nothing is known. `first` is the number of the first row, from 0.
    """
    values = model_values(model, columns)
    known, k = complete_rows(values.T), len(model.labels)
    bounds = np.tile([0.0, 1.0], (len(values), k, 1))
    probability = np.full((len(values), k), 1 / k)
    if not known.any():
        return bounds, probability, known
    if isinstance(model.calibrator, BaseCalibrator):
        bel, pl = _interval(model.calibrator, values[known, 0])
        bounds[known] = np.stack([1 - pl, 1 - bel, bel, pl], axis=1).reshape(-1, 2, 2)
        probability[known] = betp(masses(bel, pl, model.labels))
    else:
        calibrator = at_rows(model, first + np.flatnonzero(known))
        bounds[known] = np.clip(calibrator.predict_interval(values[known]), 0, 1)
        probability[known] = calibrator.predict_proba(values[known])
    return bounds, probability, known


def _interval(calibrator: BaseCalibrator, scores: Floats) -> tuple[Floats, Floats]:
    """Belief and plausibility (n,), within [0, 1] to the last bit."""
    bel, pl = calibrator.predict_interval(scores).T
    bad = ~((bel >= -_ROUNDING) & (bel <= pl) & (pl <= 1 + _ROUNDING))
    if bad.any():  # which only an edited file can do
        row = int(np.argmax(bad))
        raise ValueError(
            f"the model is damaged: score {scores[row]:g} gives belief {bel[row]:g} and "
            f"plausibility {pl[row]:g}; fit it again"
        )
    return np.clip(bel, 0, 1), np.clip(pl, 0, 1)


@dataclass(frozen=True)
class Predictor:
    """Predicts the classes of a model from the chunks of a table."""

    model: Model
    decision: Decision
    table: Table
    needs_masses: bool

    def __post_init__(self) -> None:
        check_columns(self.table, dict.fromkeys(self.model.scores.values()))

    @property
    def kinds(self) -> dict[str, Kind]:
        """Columns of scores."""
        return dict.fromkeys(self.model.scores.values(), score_kind(self.model.calibrator))

    @property
    def new(self) -> tuple[str, ...]:
        """Three columns a class, and the decision."""
        return (*belief_names(self.model.labels), "decision")

    def __call__(self, chunk: Chunk) -> tuple[list[NDArray[Any]], int]:
        """New columns of a chunk, and rows without a score."""
        bounds, probability, known = beliefs(self.model, chunk.columns, chunk.first_row)
        columns = np.concatenate([bounds, probability[..., np.newaxis]], axis=2)
        parts = columns.reshape(len(columns), -1).T
        acts = self._acts(chunk, bounds, probability, known)
        return [*map(np.ascontiguousarray, parts), acts], int((~known).sum())

    def _acts(
        self, chunk: Chunk, bounds: Floats, probability: Floats, known: NDArray[np.bool_]
    ) -> NDArray[Any]:
        k = len(self.model.labels)
        if isinstance(self.model.calibrator, BaseCalibrator):
            bel, pl = bounds[:, 1].T
            return self.decision(masses(bel, pl, self.model.labels))
        if not self.needs_masses:  # expected utilities are those of the pignistic probabilities
            singles = [1 << i for i in range(k)]
            return self.decision(MassFunction(Frame(self.model.labels), singles, probability))
        values = model_values(self.model, chunk.columns)
        nothing = MassFunction(Frame(self.model.labels), [2**k - 1], [[1.0]])
        acts = np.full(len(values), self.decision(nothing)[0], dtype=object)
        rows = np.flatnonzero(known)
        size = max(1, _LISTED >> k)
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            calibrator = at_rows(self.model, chunk.first_row + part)
            acts[part] = self.decision(calibrator.predict_mass(values[part]))
        return acts


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Columns of numbers (n,), labels (n,) as texts, and how many rows had no number."""

    name: str
    columns: dict[str, NDArray[np.float64]]
    labels: NDArray[Any]
    missing: int


def named_classes(scores: Sequence[str], header: Sequence[str]) -> dict[str, str | None]:
    """Columns of `--score COLUMN` or `--score COLUMN=CLASS`, with the class if it is named."""
    found: dict[str, str | None] = {}
    for text in scores:
        column, equals, label = text.rpartition("=")
        if text in header or not equals:
            column, label = text, ""
        if column in found:
            raise ValueError(f"--score {column} is given twice; each class has a column of its own")
        found[column] = label or None
    return found


def class_columns(named: Mapping[str, str | None], classes: Sequence[str]) -> dict[str, str]:
    """Class to column, in the order of the classes.

    A column is that of the class that it is named for: score_cat, score.cat or cat of class cat.
    Raises ValueError unless each class has one column, and each column a class.
    """
    for column, label in named.items():
        if label is not None:
            check_score(column, label, classes)
    owners = {column: label or _class_of(column, classes) for column, label in named.items()}
    for column, label in owners.items():
        if label not in classes:
            what = f"no class {label!r}" if label else f"no class for column {column!r}"
            hint = suggestion(label or column, classes, "classes")
            raise ValueError(f"there is {what}{hint}; write --score COLUMN=CLASS")
    for label in classes:
        mine = [column for column, owner in owners.items() if owner == label]
        if len(mine) != 1:
            what = f"columns {', '.join(mine)}" if mine else "no column"
            raise ValueError(
                f"class {label!r} has {what}, expected one score a class; write --score "
                f"COLUMN={label}"
            )
    return {label: column for label in classes for column, mine in owners.items() if mine == label}


def _class_of(column: str, classes: Iterable[str]) -> str | None:
    """The longest class that a name is or ends with."""
    fitting = [
        label
        for label in classes
        if column == label or column.endswith(tuple(mark + label for mark in _SEPARATORS))
    ]
    return max(fitting, key=len, default=None)


def read_class_rows(
    table: Table,
    kinds: Mapping[str, Kind],
    target: str,
    missing: str,
    texts: Mapping[str, Kind] | None = None,
    check: Callable[[Chunk], None] | None = None,
) -> ClassRows:
    """Columns of an open table with the class of each row; `missing` is "refuse", or "drop".

    `texts` are read for `check`, which gets each chunk.

    Raises ValueError as `table_chunks`, or if no row is left.
    """
    parts: list[dict[str, NDArray[Any]]] = []
    lacking = 0
    read = {**optional_kinds(kinds, missing), **(texts or {}), target: label_kind(missing)}
    for chunk, complete in complete_chunks(table, read, kinds, target, missing):
        if check is not None:
            check(chunk)
        lacking += int((~complete).sum())
        kept = complete if missing == "drop" else slice(None)
        parts.append({name: chunk.columns[name][kept] for name in (*kinds, target)})
    columns = {
        name: np.concatenate([part.pop(name) for part in parts]) for name in (*kinds, target)
    }
    labels = columns.pop(target)
    return ClassRows(table.name, columns, np.asarray(labels.tolist()), lacking)
