"""Repeats on disk: one small file each, there in full or not at all.

A study may take hours and must survive a kill, so each finished repeat is kept and never computed
again. A file says what it was computed from; repeats of other settings or data are refused, not
mixed in.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy import sparse

from evical._files import write_whole
from evical.datasets import Dataset
from examples.studies._study import Condition, Record, Study

__all__ = ["RepeatStore", "data_fingerprint"]


def data_fingerprint(dataset: Dataset) -> str:
    """A short text that changes with any value or label of the data set.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    str
    """
    digest = hashlib.sha256()
    X: Any = dataset.X
    is_sparse = isinstance(X, sparse.csr_matrix)
    features = (X.data, X.indices, X.indptr) if is_sparse else (X,)
    names = repr(dataset.feature_names), repr(dataset.class_names)
    for part in (*features, dataset.y, *names):
        digest.update(part.encode() if isinstance(part, str) else part.tobytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class RepeatStore:
    """The finished repeats of a study.

    Parameters
    ----------
    folder : Path, or None
        Where ``repeats/STUDY/SEED/CONDITION/NUMBER.json`` are; None keeps nothing.
    study : Study
    seed : int
    data : mapping
        Name of each data set to its fingerprint.
    """

    folder: Path | None
    study: Study
    seed: int
    data: Mapping[str, str]

    def path(self, condition: Condition, number: int) -> Path:
        """Where a repeat is kept, in the working folder by default."""
        place = (
            (self.folder or Path()) / "repeats" / self.study.name / str(self.seed) / condition.key
        )
        return place / f"{number:04d}.json"

    def load(self, condition: Condition, number: int) -> list[Record] | None:
        """The rows of a finished repeat.

        Parameters
        ----------
        condition : Condition
        number : int

        Returns
        -------
        list of Record, or None
            None for a repeat that is not finished.

        Raises
        ------
        ValueError
            If the file is damaged, or was computed from something else.
        """
        if self.folder is None:
            return None
        path = self.path(condition, number)
        try:
            text = path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except UnicodeDecodeError as error:
            raise ValueError(_damaged(path)) from error
        try:
            content = json.loads(text)
            kept, rows = content["made_from"], content["rows"]
            records = [_record(row) for row in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(_damaged(path)) from error
        made_from = self._made_from(condition)
        if kept != made_from:
            raise ValueError(
                f"{str(path)!r} was computed from other {_differing(kept, made_from)} than the "
                "study has now; delete its folder to compute anew, or choose another --output"
            )
        try:
            _check(self.study, condition, records)
        except ValueError as error:
            raise ValueError(_damaged(path)) from error
        return records

    def save(self, condition: Condition, number: int, records: list[Record]) -> None:
        """Keep a finished repeat.

        Parameters
        ----------
        condition : Condition
        number : int
        records : list of Record

        Raises
        ------
        OSError
            If it cannot be written; nothing is left behind then.
        ValueError
            If a row does not have the study's labels and measures.
        """
        _check(self.study, condition, records)
        if self.folder is None:
            return
        rows = [
            [list(labels), [None if math.isnan(v) else float(v) for v in values]]
            for labels, values in records
        ]
        content = {"made_from": self._made_from(condition), "rows": rows}
        write_whole(self.path(condition, number), json.dumps(content, separators=(",", ":")))

    def _made_from(self, condition: Condition) -> dict[str, Any]:
        return {
            "labels": list(self.study.labels),
            "measures": list(self.study.measures),
            "condition": repr(condition),
            "data": {name: self.data[name] for name in condition.datasets},
        }


def _record(row: Any) -> Record:
    labels, values = row
    numbers = tuple(math.nan if value is None else float(value) for value in values)
    return tuple(str(label) for label in labels), numbers


def _damaged(path: Path) -> str:
    return f"{str(path)!r} is damaged; delete it, and that repeat is computed again"


def _differing(kept: Any, made_from: dict[str, Any]) -> str:
    names = {"condition": "settings", "data": "data", "labels": "columns", "measures": "columns"}
    if not isinstance(kept, dict):
        return "settings"
    return next(names[key] for key in made_from if kept.get(key) != made_from[key])


def _check(study: Study, condition: Condition, records: list[Record]) -> None:
    for labels, values in records:
        if len(labels) != len(study.labels) or len(values) != len(study.measures):
            raise ValueError(
                f"condition {condition.key!r} of {study.name} gave a row of {len(labels)} labels "
                f"and {len(values)} measures, expected {len(study.labels)} and "
                f"{len(study.measures)}"
            )
    if len({labels for labels, _ in records}) != len(records):
        raise ValueError(
            f"condition {condition.key!r} of {study.name} gave two rows of the same labels"
        )
