"""Beliefs from the columns of any code, without a list of all sets where none is asked for."""

from dataclasses import dataclass, replace
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.decide import lower_expected_utility
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.products import Products
from evical.multiclass._any_code import code_betp, code_interval, code_mass
from evical.multiclass._reduction import without_total_conflict
from evical.multiclass.contours import code_contour, code_without_conflict, is_one_vs_rest

__all__ = ["coded"]


def coded(
    columns: Floats, code: NDArray[np.int8], classes: NDArray[Any], total_conflict: str
) -> Beliefs:
    """Dempster's rule of the columns of a code.

    Parameters
    ----------
    columns : (3, B, n) array
        Masses of the negative side, of the positive side, and of either.
    code : (K, B) array
    classes : (K,) array
    total_conflict : {"error", "vacuous"}

    Returns
    -------
    Beliefs
    """
    if is_one_vs_rest(code):
        return Products.of_columns(without_total_conflict(columns, total_conflict), classes)
    if total_conflict != "error":
        columns = code_without_conflict(columns, code, total_conflict)
    return _Coded(classes, columns, code)


@final
@dataclass(frozen=True, eq=False)
class _Coded(Beliefs):
    """Columns (3, B, n) of a code (K, B)."""

    classes: NDArray[Any]
    columns: Floats
    code: NDArray[np.int8]

    def __len__(self) -> int:
        return int(self.columns.shape[2])

    def __getitem__(self, rows: Any) -> Self:
        return replace(self, columns=self.columns[..., rows])

    def mass(self) -> MassFunction:
        return code_mass(self.columns, self.frame, self.code)

    def betp(self) -> Floats:
        return code_betp(self.columns, self.code)

    def interval(self) -> Floats:
        return code_interval(self.columns, self.code)

    def contour(self) -> Floats:
        return code_contour(self.columns, self.code)

    def lower(self, utilities: Floats) -> Floats:
        return np.asarray(lower_expected_utility(self.mass(), utilities))
