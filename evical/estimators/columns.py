"""A classifier of two classes for each column of a code.

The two classes of a column are its sides; it uses only samples of classes that take part. All
columns share the folds of the whole sample. So no classifier is trained on samples that calibrate
it, and each part has both sides.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from dstheory.errors import CostLimitError
from evical._fitting import params_of_rows
from evical._typing import Floats
from evical.estimators._eval_sets import with_numbers
from evical.estimators.calibrated import Calibrated, CalibratedColumns, Decoder
from evical.estimators.folds import SILENT, Fold, FoldFitter, Rows
from evical.multiclass import code_matrix
from evical.multiclass.codes import check_code_matrix

# Columns of nine classes: 9330 classifiers for each fold take minutes at best.
_MAX_COMPLETE = 10_000
# The classes of each column.
_NUMBERS = np.array([-1, 1, 0], dtype=np.int64)  # at signs 0, 1, -1; -1 leaves out
SIDES = Decoder(np.array([0, 1]), np.array([[-1], [1]], dtype=np.int8))


def fit_columns(whole: FoldFitter, way: bool | str, folds: Sequence[Fold]) -> list[Calibrated]:
    """Classifiers and calibrators of each column, on parts of one sample.

    Parameters
    ----------
    whole : FoldFitter
        Of all samples; its decoder has the code, and columns are fitted at once in its jobs.
    way : {True, False, "shared", "auto"}
        As for `FoldFitter.fit`, for each column by itself.
    folds : sequence of (train, test)

    Returns
    -------
    list of CalibratedColumns
        A column that is trained on everything serves in all folds.
    """
    tasks = [
        (f"column {number}", (whole, way, signs, folds))
        for number, signs in enumerate(whole.decoder.matrix.T, start=1)
    ]
    columns: list[list[Any]] = whole.progress.each(_fit_column, tasks, whole.n_jobs)
    each = range(max(map(len, columns)))
    chosen = [[column[at % len(column)] for column in columns] for at in each]
    return [CalibratedColumns(members, whole.decoder) for members in chosen]


def _fit_column(
    whole: FoldFitter, way: bool | str, signs: NDArray[np.int8], folds: Sequence[Fold]
) -> list[Calibrated]:
    """One column, given the sign of each class."""
    sample_signs = signs[np.searchsorted(whole.decoder.classes, whole.y)]
    rows = np.flatnonzero(sample_signs)
    params = with_numbers(whole.params, whole.decoder.classes, _NUMBERS[signs])
    fitter = replace(
        whole,
        X=_safe_indexing(whole.X, rows),
        y=_NUMBERS[sample_signs[rows]],
        weight=None if whole.weight is None else whole.weight[rows],
        params=params_of_rows(whole.X, params, rows),
        decoder=SIDES,
        n_jobs=None,
        progress=SILENT,
    )
    cut = [(_within(train, rows), _within(test, rows)) for train, test in folds]
    return fitter.fit(way, cut)[0]


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
