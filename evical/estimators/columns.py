"""A classifier of two classes for each column of a code.

The two classes of a column are its sides; it uses only samples of classes that take part. All
columns share the folds of the whole sample. So no classifier is trained on samples that calibrate
it, and each part has both sides.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from dstheory.errors import CostLimitError
from evical._fitting import Progress
from evical._typing import Floats
from evical.estimators._eval_sets import with_numbers
from evical.estimators.calibrated import Calibrated, CalibratedColumns, Decoder
from evical.estimators.folds import SILENT, Fold, FoldFitter, Rows
from evical.multiclass import check_code_matrix, code_matrix

__all__ = ["ColumnFitter", "column_weights", "resolved_code"]


# Columns of nine classes: 9330 classifiers for each fold take minutes at best.
_MAX_COMPLETE = 10_000
# The classes of each column.
_NUMBERS = np.array([-1, 1, 0], dtype=np.int64)  # at signs 0, 1, -1; -1 leaves out
SIDES = Decoder(np.array([0, 1]), np.array([[-1], [1]], dtype=np.int8))


class ColumnFitter:
    """Fit classifiers and calibrators for each column, on parts of one sample.

    Parameters
    ----------
    estimator, calibrator : templates, cloned before each fit
    X : array, data frame or sparse matrix
    y : (n,) array
    weight : (n,) array or None
        Weights for the calibrators.
    params : dict
        More arguments of the `fit` of the estimator; arrays of n rows are cut like X.
    decoder : Decoder
        With the code, and the classes in `y`.
    n_jobs : int or None
        Columns fitted at once.
    progress : Progress

    Raises
    ------
    ValueError
        If the estimator is frozen.
    """

    def __init__(
        self,
        estimator: Any,
        calibrator: Any,
        X: Any,
        y: NDArray[Any],
        *,
        weight: Floats | None,
        params: dict[str, Any],
        decoder: Decoder,
        n_jobs: int | None,
        progress: Progress = SILENT,
    ) -> None:
        if isinstance(estimator, FrozenEstimator):
            raise ValueError(
                "a frozen classifier has one score for each class, which fits code='one_vs_rest' "
                "only; take that code, or a classifier without FrozenEstimator"
            )
        self.estimator, self.calibrator = estimator, calibrator
        self.X, self.y, self.weight = X, y, weight
        self.params = params
        self.decoder = decoder
        self.n_jobs = n_jobs
        self.progress = progress
        self.scored = None  # each column has scores of its own

    def pairs(self, folds: Sequence[Fold]) -> list[Calibrated]:
        """For each fold, all columns trained on one part and calibrated on the other."""
        return self._by_fold("pairs", folds)

    def shared(self, folds: Sequence[Fold]) -> list[Calibrated]:
        """As `pairs`, but each column calibrated on the scores of all folds."""
        return self._by_fold("shared", folds)

    def pooled(self, folds: Sequence[Fold]) -> list[Calibrated]:
        """Each column calibrated on the scores of all folds, then trained on everything."""
        return self._by_fold("pooled", folds)

    def automatic(self, folds: Sequence[Fold]) -> list[Calibrated]:
        """Each column as `pooled`, or as `shared` if its scores differ from fold to fold."""
        return self._by_fold("automatic", folds)

    def _by_fold(self, how: str, folds: Sequence[Fold]) -> list[Calibrated]:
        """A column that is trained on everything serves in all folds."""
        columns = self._each(how, folds)
        each = range(max(map(len, columns)))
        chosen = [[column[at % len(column)] for column in columns] for at in each]
        return [CalibratedColumns(members, self.decoder) for members in chosen]

    def _each(self, how: str, folds: Sequence[Fold]) -> list[Any]:
        tasks = [
            (f"column {number}", (how, signs, folds))
            for number, signs in enumerate(self.decoder.matrix.T, start=1)
        ]
        return self.progress.each(self._column, tasks, self.n_jobs)

    def _column(self, how: str, signs: NDArray[np.int8], folds: Sequence[Fold]) -> Any:
        """Result of a method of `FoldFitter` for one column, given the sign of each class."""
        sample_signs = signs[np.searchsorted(self.decoder.classes, self.y)]
        rows = np.flatnonzero(sample_signs)
        params = with_numbers(self.params, self.decoder.classes, _NUMBERS[signs])
        fitter = FoldFitter(
            self.estimator,
            self.calibrator,
            _safe_indexing(self.X, rows),
            _NUMBERS[sample_signs[rows]],
            weight=None if self.weight is None else self.weight[rows],
            params=_check_method_params(self.X, params=params, indices=rows),
            decoder=SIDES,
            n_jobs=None,
        )
        cut = [(_within(train, rows), _within(test, rows)) for train, test in folds]
        return getattr(fitter, how)(cut)


def _within(part: Rows, rows: Rows) -> Rows:
    """Positions in the sorted `rows` of those in a part; repeated rows stay repeated."""
    kept = part[np.isin(part, rows)]
    return np.asarray(np.searchsorted(rows, kept))


def column_weights(
    code: NDArray[np.int8], classes: NDArray[Any], y: NDArray[Any], weight: Floats | None
) -> Floats:
    """Weight (B,) of the samples that take part in each column.

    Parameters
    ----------
    code : (K, B) array of int8
    classes : (K,) array
    y : (n,) array
    weight : (n,) array or None

    Returns
    -------
    (B,) array
    """
    sizes = np.bincount(np.searchsorted(classes, y), weight, minlength=len(classes))
    return np.asarray(sizes @ (code != 0), dtype=np.float64)


def resolved_code(code: Any, n_classes: int) -> NDArray[np.int8]:
    """Code matrix (K, B) of a name, or a given one, checked.

    Raises
    ------
    CostLimitError
        If there are too many columns in ``"complete"``.
    """
    if not isinstance(code, str):
        return check_code_matrix(code, n_classes)
    matrix = code_matrix(code, n_classes, random_state=0)  # type: ignore[arg-type]  # checked
    if code == "complete" and matrix.shape[1] > _MAX_COMPLETE:
        raise CostLimitError(
            f"code='complete' of {n_classes} classes takes {matrix.shape[1]:,} classifiers for "
            f"each fold, more than {_MAX_COMPLETE:,}; use code='sparse', or give the matrix of "
            "code_matrix('complete', n_classes) if you mean it"
        )
    return matrix
