"""Calibrators learn from tables, and add their beliefs to tables, of the kind that is given."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any, Self

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from evical._fitting import all_or_nothing
from evical._typing import Floats
from evical.calibrators._exported import Exported
from evical.scores import ScoreCounts
from evical.scores.columns import with_columns
from evical.scores.counts import checked_counts
from evical.scores.names import belief_names
from evical.scores.tables import check_columns, check_numeric, class_weights

__all__ = ["TableMethods"]


class TableMethods(Exported, ABC):
    """Mixin of calibrators that read tables and write beliefs into them."""

    classes_: NDArray[Any]

    @abstractmethod
    def fit_counts(self, counts: ScoreCounts, classes: Any) -> Self:
        """Learn from counts."""

    @abstractmethod
    def _masses(self, scores: Any) -> tuple[Floats, Floats]:
        """Masses of the positive class and of the negative one."""

    @all_or_nothing
    def fit_table(
        self,
        table: Any,
        score: str,
        target: str,
        weight: str | None = None,
        *,
        positive: Any = None,
    ) -> Self:
        """Learn the calibration from a table, counted inside the engine that holds it.

        Parameters
        ----------
        table, score, target, weight, positive
            As for `ScoreCounts.from_table`.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            As `ScoreCounts.from_table` and `fit`.

        Examples
        --------
        >>> import pyarrow
        >>> from evical.calibrators import IsotonicCalibrator
        >>> table = pyarrow.table({"score": [0.1, 0.4, 0.3, 0.9], "sick": [0, 0, 1, 1]})
        >>> fitted = IsotonicCalibrator().fit_table(table, "score", "sick")
        >>> fitted.predict_table(table, "score").column_names
        ['score', 'sick', 'bel_0', 'pl_0', 'p_0', 'bel_1', 'pl_1', 'p_1']
        """
        *counted, classes = class_weights(table, score, target, weight, positive)
        if len(classes) < 2:
            raise ValueError(
                f"column {target!r} holds the one class {classes[0]!r}; a calibrator needs samples "
                "of both"
            )
        return self.fit_counts(checked_counts(*counted), classes)

    def predict_table(self, table: Any, score: str, *, prefix: str = "") -> Any:
        """A table with beliefs in new columns, by the engine that holds it.

        Parameters
        ----------
        table : data frame of pandas, polars (eager or lazy), pyarrow, Dask or DuckDB (a relation)
        score : str
            Column of finite scores.
        prefix : str
            Of the names of the new columns.

        Returns
        -------
        table of the same kind
            With belief, plausibility and pignistic probability of each class, such as "bel_yes",
            "pl_yes" and "p_yes"; the negative class comes first. Nothing is computed before a lazy
            table is collected. DuckDB computes the expressions of `to_sql`, with an error of up to
            1e-7 for curves, and
            leaves what is no score without a belief.

        Raises
        ------
        TypeError
            If it is no such table, or the column does not hold numbers.
        ValueError
            If a column is missing, or there is one of a new name; for scores as `predict_mass`.

        Examples
        --------
        >>> import pyarrow
        >>> from evical.calibrators import IsotonicCalibrator
        >>> fitted = IsotonicCalibrator().fit([0.1, 0.4, 0.3, 0.9], [0, 0, 1, 1])
        >>> table = fitted.predict_table(pyarrow.table({"score": [0.95]}), "score", prefix="svm_")
        >>> table.column_names[1:]
        ['svm_bel_0', 'svm_pl_0', 'svm_p_0', 'svm_bel_1', 'svm_pl_1', 'svm_p_1']
        """
        check_is_fitted(self)
        return with_columns(
            table,
            belief_names(self.classes_.tolist(), prefix),
            partial(_check, score),
            partial(_beliefs, self, score),
            lambda: self.to_sql(score, max_bytes=None, prefix=prefix, class_columns=True),
        )


def _check(score: str, schema: Any) -> None:
    check_columns(schema, score=score)
    check_numeric(schema, score)


def _beliefs(calibrator: TableMethods, score: str, frame: Any) -> list[Floats]:
    """Bel, Pl and pignistic probability of the negative class, and of the positive one."""
    positive, negative = calibrator._masses(frame[score].cast(nw.Float64).to_numpy())
    half = (1 - (positive + negative)) / 2
    sides = ((negative, positive), (positive, negative))
    return [
        column for own, other in sides for column in (own, np.maximum(1 - other, own), own + half)
    ]
