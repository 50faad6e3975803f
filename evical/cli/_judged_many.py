"""Predictions of a model of a score for each class, or a table of them, for judging."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.cli._conformal import with_score
from evical.cli._judged import Selection
from evical.cli._kinds import Kind
from evical.cli._many_classes import ClassRows, beliefs, read_class_rows
from evical.cli._missing import complete_rows
from evical.cli._model import ManyModel, load_model, score_kind
from evical.cli._seen import on_table
from evical.cli._tables import check_columns, open_table
from evical.evaluation import Evaluation
from evical.metrics import CalibrationReport, Measure, calibration_report, mean_imprecision

__all__ = ["ClassPredictions", "many_judged", "read_for_classes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassPredictions:
    """Labels (n,), [Bel, Pl] (n, K, 2) and pignistic probabilities (n, K) of K classes."""

    name: str
    labels: NDArray[Any]
    classes: tuple[str, ...]
    bounds: Floats
    probability: Floats

    def report(self, n_bins: int) -> CalibrationReport:
        """Measures of all classes together."""
        found = calibration_report(
            self.labels, self.probability, labels=list(self.classes), n_bins=n_bins
        )
        width = mean_imprecision(self.bounds)
        more = Measure("mean_imprecision", width, "mean Pl - Bel of classes")
        return CalibrationReport(found.n_samples, (*found.measures, more))

    def of_class(self, label: str, n_bins: int) -> Evaluation:
        """One class against all others."""
        k = self.classes.index(label)
        bel, pl = self.bounds[:, k].T
        return Evaluation.from_predictions(
            np.asarray(self.labels == label, dtype=np.int8),
            self.probability[:, k],
            bel=bel,
            pl=pl,
            n_bins=n_bins,
            name=f"{self.name}, class {label!r}",
        )


def many_judged(selection: Selection) -> ClassPredictions | None:
    """Predictions of several scores, or of a table with a belief about each class; else None.

    Raises OSError or ValueError for what is wrong with the files or the selection.
    """
    if selection.data is not None:
        model = load_model(selection.predictions)
        return _of_model(selection, model) if isinstance(model, ManyModel) else None
    if selection.predictions.lower().endswith(".json") or selection.predictions == "-":
        return None
    with open_table(selection.predictions) as table:
        classes = _classes(table.header)
    named = (selection.probability, selection.bel, selection.pl)
    if {"bel", "pl"} <= set(table.header) or len(classes) < 2 or any(named):
        return None
    return _of_table(selection, classes)


def _classes(header: list[str]) -> list[str]:
    """Classes of which there are all three columns that `evical predict` writes."""
    names = [name.removeprefix("betp_") for name in header if name.startswith("betp_")]
    return [name for name in names if {f"bel_{name}", f"pl_{name}"} <= set(header)]


def _refuse(selection: Selection) -> None:
    given = {
        "--positive": selection.positive,
        "--score": selection.score,
        "--probability": selection.probability,
        "--bel": selection.bel,
        "--pl": selection.pl,
    }
    for option, value in given.items():
        if value is not None:
            raise ValueError(f"{option} is for two classes; with more, each has its own columns")


def read_for_classes(selection: Selection, model: ManyModel) -> tuple[ManyModel, ClassRows, str]:
    """The model with its scores where they are, the rows of a table, and its name."""
    if len(model.scores) == 1:
        model, selection = with_score(model, selection.score), replace(selection, score=None)
    _refuse(selection)
    kinds: dict[str, Kind] = dict.fromkeys(model.scores.values(), score_kind(model.calibrator))
    target = model.target if selection.target is None else selection.target
    rows, name = _read(str(selection.data), kinds, target, selection.missing, model.labels)
    return model, rows, name


def _of_model(selection: Selection, model: ManyModel) -> ClassPredictions:
    model, rows, name = read_for_classes(selection, model)
    bounds, probability, _ = beliefs(model, rows.columns)
    known = complete_rows(rows.columns.values())
    classes = np.array(model.labels)
    order = np.argsort(classes)
    codes = order[np.searchsorted(classes, rows.labels[known], sorter=order)]
    title = on_table(model, name, codes, probability[known][np.arange(len(codes)), codes])
    return ClassPredictions(title, rows.labels, model.labels, bounds, probability)


def _of_table(selection: Selection, classes: list[str]) -> ClassPredictions:
    _refuse(selection)
    if selection.target is None:
        raise ValueError("--target is missing: the column of the true class")
    names = [[f"{kind}_{label}" for label in classes] for kind in ("bel", "pl", "betp")]
    kinds: dict[str, Kind] = dict.fromkeys([one for part in names for one in part], "probability")
    rows, name = _read(
        selection.predictions, kinds, selection.target, selection.missing, tuple(classes)
    )
    known = complete_rows(rows.columns.values())[:, np.newaxis]
    parts = [
        np.where(known, np.stack([rows.columns[one] for one in part], axis=1), vacuous)
        for part, vacuous in zip(names, (0.0, 1.0, 1 / len(classes)), strict=True)
    ]
    bounds = np.stack(parts[:2], axis=2)
    return ClassPredictions(name, rows.labels, tuple(classes), bounds, parts[2])


def _read(
    source: str, kinds: dict[str, Kind], target: str, missing: str, classes: tuple[str, ...]
) -> tuple[ClassRows, str]:
    with open_table(source) as table:
        check_columns(table, dict.fromkeys((*kinds, target)))
        rows = read_class_rows(table, kinds, target, missing)
        for label in np.unique(rows.labels).tolist():
            if label not in classes:
                raise ValueError(
                    f"{table.name}, column {target!r}: {label!r} is none of the classes "
                    f"{', '.join(classes[:12])}"
                )
        return rows, table.name
