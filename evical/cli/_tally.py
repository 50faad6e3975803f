"""Counts of scores by class, from chunks of any number of rows with bounded memory."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.cli._kinds import Kind, Place, among, complete_rows, label_kind, optional_kinds
from evical.cli._labeled import third_class
from evical.cli._show import watch
from evical.cli._tables import open_table
from evical.cli.arguments import SampleTable
from evical.datasets.csv import sorted_labels
from evical.scores import ScoreCounts
from evical.scores.counts import EXACT

# Distinct scores that wait to be merged: sorting many at once costs less than one by one.
_PENDING = 2**19


@dataclass(frozen=True)
class Counting:
    """A table with one score of a kind, which is counted; of about `max_scores` distinct ones."""

    samples: SampleTable
    kind: Kind
    max_scores: int

    @property
    def kinds(self) -> dict[str, Kind]:
        """Kinds of the columns; weights are never missing."""
        samples, missing = self.samples, self.samples.missing
        kinds = optional_kinds({samples.score[0]: self.kind}, missing)
        kinds[samples.target] = label_kind(missing)
        if samples.weight is not None:
            kinds[samples.weight] = "weight"
        return kinds

    def by_chunks(self) -> "Tally":
        """All rows, read chunk by chunk.

        Raises ValueError for the first wrong value, or if no row has a score and a class.
        """
        score, target, weight = self.samples.score[0], self.samples.target, self.samples.weight
        tally = Tally(target, self.max_scores)
        with open_table(self.samples.scores) as table:
            for chunk in watch(table, self.kinds, "Reading"):
                labeled = chunk.columns[target] != ""
                rows = np.flatnonzero(complete_rows([chunk.columns[score]]) & labeled)
                tally.lacking += len(chunk) - len(rows)
                if not len(rows):
                    continue
                values = {name: column[rows] for name, column in chunk.columns.items()}
                weights = None if weight is None else values[weight]
                tally.add(values[score], values[target], weights, among(chunk.place, rows))
            if not tally.rows:
                raise ValueError(
                    f"{table.name}: none of {tally.lacking} rows has a score and a class"
                )
            tally.source = table.name
        return tally


class Tally:
    """Adds up rows of two classes, whose names are learned on the way.

    Parameters
    ----------
    target : str
        Column of the class, for messages.
    max_size : int
        Distinct scores kept, at least; beyond twice as many, scores are rounded.

    Attributes
    ----------
    source : str
        Name of the table.
    rows, lacking : int
        Those that were counted, and others without a score or a class.
    bits : int
        Of the significands of scores.
    """

    def __init__(self, target: str, max_size: int) -> None:
        self.source = ""
        self.rows = self.lacking = 0
        self.bits = EXACT
        self._target = target
        self._max_size = max_size
        self._labels: list[str] = []
        self._parts: list[ScoreCounts] = []

    def add(
        self,
        scores: Floats,
        labels: NDArray[Any],
        weights: Floats | None,
        place: Place,
        rows: int | None = None,
    ) -> None:
        """Count the rows of a chunk; `place` says where they stand.

        Rows that were counted already are groups with weights, and there are `rows` of them.
        """
        self.rows += len(scores) if rows is None else rows
        second = self._second(labels, place)
        if weights is not None:
            used = weights > 0
            if not used.any():
                return
            scores, second, weights = scores[used], second[used], weights[used]
        self._parts.append(ScoreCounts.from_samples(scores, second, weights))
        if sum(map(len, self._parts[1:])) > _PENDING:
            self._merge()

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes that were seen."""
        return tuple(self._labels)

    def result(self, positive: str | None = None) -> tuple[ScoreCounts, tuple[str, str]]:
        """Counts and both labels, the negative one first; the greater one is positive by default.

        Raises ValueError unless both classes have been seen, with positive weight.
        """
        self._merge()
        if len(self._labels) == 1:
            raise ValueError(
                f"column {self._target!r} has one class only (all {self._labels[0]!r}); a "
                "calibrator needs both"
            )
        if not self._parts:
            raise ValueError("all weights are zero; at least one row of each class must count")
        counts = self._parts[0]
        positive = sorted_labels(self._labels)[1] if positive is None else positive
        negative = next(label for label in self._labels if label != positive)
        if positive != self._labels[1]:
            counts = ScoreCounts(counts.scores, counts.positive, counts.negative)
        for label, weight in ((negative, counts.n_negative), (positive, counts.n_positive)):
            if not weight > 0:
                raise ValueError(f"all rows of class {label!r} have weight zero")
        return counts, (negative, positive)

    def _second(self, labels: NDArray[Any], place: Place) -> NDArray[np.bool_]:
        """Whether the label of each row is the second one that was ever seen."""
        for label in dict.fromkeys(labels.tolist()):  # in the order of the rows
            if label in self._labels:
                continue
            if len(self._labels) == 2:
                row = labels.tolist().index(label)
                raise third_class(f"{place(row)}, column {self._target!r}", label, self._labels)
            self._labels.append(label)
        return np.asarray(labels != self._labels[0], dtype=bool)

    def _merge(self) -> None:
        if len(self._parts) > 1:
            self._parts = [_sum(self._parts)]
        if self._parts:
            counts, bits = self._parts[0].rounded(self.bits).sketch(2 * self._max_size)
            self._parts, self.bits = [counts], min(self.bits, bits)


def _sum(parts: list[ScoreCounts]) -> ScoreCounts:
    """The sum of all, the smallest first, so that none is sorted often."""
    while len(parts) > 2:
        parts = sorted(parts, key=len)
        parts = [parts[0] + parts[1], *parts[2:]]
    return parts[0] + parts[1]
