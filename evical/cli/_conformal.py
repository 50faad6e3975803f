"""Conformal beliefs: calibration scores from a table, and p-values and sets for chunks of another.

The rows of the first table calibrate a classifier that must not have seen them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from evical.calibrators.by_name import parse_options, settable, suggestion
from evical.cli._decisions import joined
from evical.cli._kinds import Kind, complete_rows
from evical.cli._many_classes import (
    Predictor,
    SampleTable,
    at_rows,
    class_columns,
    model_values,
)
from evical.cli._model import Model, check_score, is_conformal
from evical.cli._tables import Chunk
from evical.conformal import ConformalScores
from evical.conformal.contour import prediction_sets
from evical.conformal.nonconformity import named_score
from evical.datasets.csv import sorted_labels


@dataclass(frozen=True)
class Sets:
    """Whether to learn sets, and how."""

    conformal: Annotated[
        bool,
        typer.Option(
            "--conformal",
            help="Sets that keep a promise, for any classifier that was not trained on these rows.",
        ),
    ] = False
    nonconformity: Annotated[
        Literal["lac", "aps", "raps", "margin"] | None,
        typer.Option(
            help="Of --conformal: how strange a class is. All but margin take probabilities.",
            show_default="lac",
        ),
    ] = None
    by_class: Annotated[
        bool, typer.Option("--by-class", help="Of --conformal: keep the promise for each class.")
    ] = False
    smoothed: Annotated[
        bool,
        typer.Option("--smoothed", help="Of --conformal: random numbers break ties (seed 0)."),
    ] = False


def fit_conformal(
    samples: SampleTable, positive: str | None, sets: Sets, options: Sequence[str]
) -> Model:
    """The model of a table of calibration samples, with one score or one for each class.

    `options` are parameters of the nonconformity score. Raises OSError or ValueError for what is
    wrong with the table, the names or the options.
    """
    nonconformity = sets.nonconformity or "lac"
    known = settable(named_score(nonconformity), ("values", "u"))
    parameters = parse_options(options, known, f"nonconformity {nonconformity!r}")
    kind: Kind = "score" if nonconformity == "margin" else "probability"
    named, rows = samples.read(kind)
    found = sorted_labels(set(rows.labels.tolist()))
    classes, owners = _columns(named, found, samples.target, positive)
    weights = None if samples.weight is None else rows.columns[samples.weight]
    fitted = ConformalScores.from_samples(
        np.stack([rows.columns[column] for column in owners.values()], axis=1),
        rows.labels,
        classes=np.array(classes),
        nonconformity=nonconformity,
        parameters=parameters,
        conditional="class" if sets.by_class else None,
        sample_weight=weights,
        smoothed=sets.smoothed,
        random_state=0,
    )
    return Model(owners, samples.target, fitted, samples.training(rows, classes, None))


def _columns(
    named: Mapping[str, str | None], found: list[str], target: str, positive: str | None
) -> tuple[list[str], dict[str, str]]:
    """All classes, and class to column; of one column, which is the positive class's, one."""
    if len(named) > 1:
        if positive is not None:
            raise ValueError("--positive is for one score; with several, each has its class")
        owners = dict(sorted(class_columns(named, found).items()))
        return list(owners), owners
    [(column, label)] = named.items()
    if label is not None:
        raise ValueError(f"of one score, write --score {column} --positive {label}")
    if len(found) != 2:
        what = f"one class only (all {found[0]!r})" if len(found) == 1 else f"{len(found)} classes"
        raise ValueError(
            f"column {target!r} has {what}, but one score is of two; of more, repeat --score"
        )
    if positive is not None and positive not in found:
        hint = suggestion(positive, found, "classes")
        raise ValueError(f"column {target!r} has no class {positive!r}{hint}")
    classes = sorted(found, key=lambda one: one == positive)
    return classes, {classes[1]: column}


def with_score(model: Model, column: str | None) -> Model:
    """The model with its one score in another column, if one is named.

    Raises ValueError if it has several scores.
    """
    if column is None:
        return model
    if len(model.scores) > 1:
        raise ValueError("--score is for one score; with several, the columns keep their names")
    (label,) = model.scores
    check_score(column, label, model.labels)
    return replace(model, scores={label: column})


@dataclass(frozen=True)
class ConformalPredictor:
    """Adds sets at a level to what `Predictor` writes; `plain` if no option is for decisions.

    Without such options, the decision is the class of plausibility 1, as in Python.
    """

    beliefs: Predictor
    alpha: float
    plain: bool

    def __post_init__(self) -> None:
        self.scores.too_few(self.alpha)  # which refuses a wrong level

    @property
    def scores(self) -> ConformalScores:
        """Those of the model."""
        found = self.beliefs.model.calibrator
        assert is_conformal(found)
        return found

    @property
    def kinds(self) -> dict[str, Kind]:
        """Columns of scores."""
        return self.beliefs.kinds

    @property
    def new(self) -> tuple[str, ...]:
        """Three columns a class, the set, and the decision."""
        *columns, decision = self.beliefs.new
        return (*columns, "set", decision)

    def __call__(self, chunk: Chunk) -> tuple[list[NDArray[Any]], int]:
        """New columns of a chunk, and rows without a score, whose sets have all classes."""
        (*columns, acts), lacking = self.beliefs(chunk)
        values = model_values(self.beliefs.model, chunk.columns)
        known = complete_rows(values.T)
        kept = np.ones((len(values), len(self.beliefs.model.labels)), dtype=bool)
        if known.any():
            scores = at_rows(self.beliefs.model, chunk.first_row + np.flatnonzero(known))
            kept[known] = prediction_sets(scores.predict_contour(values[known]), self.alpha)
            if self.plain:
                acts[known] = scores.predict(values[known]).astype(object)
        return [*columns, joined(kept, self.beliefs.model.labels), acts], lacking
