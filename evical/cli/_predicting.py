"""Beliefs and decisions of a model for the chunks of a table, and sets of a conformal one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from dstheory import Frame, MassFunction, betp
from dstheory.checks.arguments import check_level, suggestion
from dstheory.kernels.batches import blocks
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.cli._decisions import Decision, joined, masses
from evical.cli._kinds import Kind, complete_rows, optional_kinds
from evical.cli._model import Model, check_score, is_conformal, score_kind, tell_sums
from evical.cli._show import watch
from evical.cli._sinks import Layout, open_sink
from evical.cli._tables import Chunk, Table, check_columns
from evical.cli.arguments import BY_DEFAULT, Choices
from evical.conformal.contour import prediction_sets
from evical.conformal.control import ASK
from evical.multiclass import BaseMulticlassCalibrator
from evical.scores.names import belief_names

# Masses that are listed at a time, 2**K a row: 32 MB.
_LISTED = 1 << 22
# How far sums of masses miss 0 and 1.
_ROUNDING = 1e-9


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


def model_values(model: Model, columns: Mapping[str, Floats]) -> Floats:
    """Scores (n, C) of a model."""
    return np.stack([columns[name] for name in model.scores.values()], axis=1)


def at_rows(model: Model, rows: NDArray[np.intp]) -> Any:
    """The calibrator, for these rows of a table if a random number belongs to each."""
    found = model.calibrator
    return found.at_rows(rows) if is_conformal(found) else found


def confidence_intervals(
    model: Model, columns: Mapping[str, Floats], level: float, known: NDArray[Any]
) -> Floats:
    """Ends (n, K, 2) for the probability of each class; 0 and 1 where a score is missing."""
    found = np.tile([0.0, 1.0], (len(known), len(model.labels), 1))
    if known.any():
        values, calibrator = model_values(model, columns)[known], model.calibrator
        assert isinstance(calibrator, BaseCalibrator | BaseMulticlassCalibrator)  # as is checked
        given = values[:, 0] if isinstance(calibrator, BaseCalibrator) else values
        found[known] = calibrator.beliefs(given).confidence_interval(level)
    return found


def beliefs(
    model: Model, columns: Mapping[str, Floats], first: int = 0
) -> tuple[Floats, Floats, NDArray[Any]]:
    """[Bel, Pl] of each class (n, K, 2), probabilities (n, K), and rows with scores.

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
        found = model.calibrator.predict_proba(values[known, 0])
        ends = model.calibrator._gives_ends  # their middle is no estimate
        probability[known] = found if ends else betp(masses(bel, pl, model.labels))
    else:
        calibrator = at_rows(model, first + np.flatnonzero(known))
        bounds[known] = np.clip(calibrator.predict_interval(values[known]), 0, 1)
        probability[known] = calibrator.predict_proba(values[known])
    return bounds, probability, known


def doubts_of(probability: Floats) -> Floats:
    """1 - probability (n,) of the likeliest class."""
    return np.asarray(1 - probability.max(axis=1))


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
    """Predicts the classes of a model from the chunks of a table.

    A conformal model gives sets at a level, too; if no option says how to decide, it decides for
    the class of plausibility 1, as in Python.
    """

    model: Model
    decision: Decision
    choices: Choices
    table: Table
    alpha: float
    missing: str
    level: float | None = None  # of confidence intervals

    def __post_init__(self) -> None:
        check_columns(self.table, dict.fromkeys(self.model.scores.values()))

    @property
    def kinds(self) -> dict[str, Kind]:
        """Columns of scores."""
        kind = score_kind(self.model.calibrator)
        return optional_kinds(dict.fromkeys(self.model.scores.values(), kind), self.missing)

    @property
    def new(self) -> tuple[str, ...]:
        """Three or five columns a class, the set of a conformal model, and the decision.

        Acts of a table of costs need not be classes, nor go with the beliefs in them.
        """
        sets = ("set",) if is_conformal(self.model.calibrator) else ()
        names = belief_names(self.model.labels, intervals=self.level is not None)
        return (*names, *sets, "decision" if self.choices.cost_table is None else "act")

    def __call__(self, chunk: Chunk) -> tuple[list[NDArray[Any]], int]:
        """New columns of a chunk, and rows without a score."""
        if chunk.first_row == 0 and len(self.model.scores) > 1:
            values = model_values(self.model, chunk.columns)
            tell_sums(chunk.name, values[complete_rows(values.T)])
        bounds, probability, known = beliefs(self.model, chunk.columns, chunk.first_row)
        by_class = [bounds, probability[..., np.newaxis]]
        if self.level is not None:
            ends = confidence_intervals(self.model, chunk.columns, self.level, known)
            by_class.append(ends)
        columns = np.concatenate(by_class, axis=2)
        parts = columns.reshape(len(columns), -1).T
        acts = self._acts(chunk, bounds, probability, known)
        if not known.all():
            acts[~known] = self.decision.without_evidence()
        if self.model.answers is not None:
            acts[~known | (doubts_of(probability) >= self.model.answers.limit)] = ASK
        sets = self._sets(chunk, known, acts) if is_conformal(self.model.calibrator) else []
        return [*map(np.ascontiguousarray, parts), *sets, acts], int((~known).sum())

    def _sets(
        self, chunk: Chunk, known: NDArray[np.bool_], acts: NDArray[Any]
    ) -> list[NDArray[Any]]:
        """The column of sets, which have all classes in rows without a score."""
        values = model_values(self.model, chunk.columns)
        kept = np.ones((len(values), len(self.model.labels)), dtype=bool)
        if known.any():
            scores = at_rows(self.model, chunk.first_row + np.flatnonzero(known))
            kept[known] = prediction_sets(scores.predict_contour(values[known]), self.alpha)
            if self.choices == BY_DEFAULT:
                acts[known] = scores.predict(values[known]).astype(object)
        return [joined(kept, self.model.labels)]

    def _acts(
        self, chunk: Chunk, bounds: Floats, probability: Floats, known: NDArray[np.bool_]
    ) -> NDArray[Any]:
        k, calibrator = len(self.model.labels), self.model.calibrator
        given = self.choices.criterion is not None
        if isinstance(calibrator, BaseCalibrator) and (given or not calibrator._gives_ends):
            bel, pl = bounds[:, 1].T
            return self.decision(masses(bel, pl, self.model.labels))
        if self.choices.criterion is None:
            # Expected utilities are those of the pignistic probabilities.
            singles = [1 << i for i in range(k)]
            return self.decision(MassFunction(Frame(self.model.labels), singles, probability))
        values = model_values(self.model, chunk.columns)
        acts = np.empty(len(values), dtype=object)
        rows = np.flatnonzero(known)
        for part in (rows[block] for block in blocks(len(rows), _LISTED >> k)):
            calibrator = at_rows(self.model, chunk.first_row + part)
            acts[part] = self.decision(calibrator.predict_mass(values[part]))
        return acts


def new_predictor(
    model: Model,
    decision: Decision,
    choices: Choices,
    table: Table,
    score: str | None,
    missing: str,
    alpha: float | None,
    level: float | None,
) -> Predictor:
    """What predicts the rows of a table; raises ValueError for options of other models."""
    conformal = is_conformal(model.calibrator)
    if alpha is not None and not conformal:
        raise ValueError("--alpha is for models of evical fit --conformal")
    if level is not None:
        check_level("--level", level)
        if conformal:
            raise ValueError(
                "--level is for models without --conformal, whose p-values are not estimates; "
                "a conformal model writes sets at --alpha"
            )
    if score is None and len(model.scores) == 1 and model.score not in table.header:
        hint = suggestion(model.score, table.header, "columns")
        raise ValueError(
            f"{table.name} has no column {model.score!r}, the score of the model{hint}; name "
            "another with --score"
        )
    miss = 0.1 if alpha is None else alpha
    if is_conformal(model.calibrator) and (few := model.calibrator.too_few(miss)):
        typer.echo(f"warning: {few}", err=True)
    return Predictor(with_score(model, score), decision, choices, table, miss, missing, level)


def write_rows(predictor: Predictor, layout: Layout, output: str) -> tuple[Counter[str], int]:
    """Predict and write chunk by chunk; how often each act was chosen, and rows without score."""
    chosen: Counter[str] = Counter()
    lacking = 0
    table = layout.table
    assert table is not None
    with open_sink(output, layout) as sink:
        for chunk in watch(table, predictor.kinds, "Predicting"):
            values, without = predictor(chunk)
            sink.write(dict(zip(layout.new, values, strict=True)), chunk)
            lacking += without
            chosen.update(values[-1].tolist())
    return chosen, lacking
