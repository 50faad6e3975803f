"""From beliefs about the columns of a code to a belief about the classes.

Without a coupling, Dempster's rule combines the columns as evidence. A coupling takes
the pignistic probabilities of the columns and gives probabilities of the classes, a Bayesian
mass function; with "pairwise_belief", conditional beliefs on pairs give a mass function.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.kernels.bits import mask_array
from dstheory.transform import betp
from evical import multiclass
from evical._typing import Floats
from evical.estimators.predictions import interval
from evical.multiclass import (
    MAX_CLASSES,
    MAX_PAIRWISE,
    code_betp,
    code_contour,
    code_interval,
    code_mass,
    code_matrix,
    code_without_conflict,
    pairwise_belief,
    without_total_conflict,
)
from evical.multiclass.contours import is_one_vs_rest
from evical.multiclass.products import ProductBeliefs

__all__ = ["COUPLINGS", "Decoder"]


COUPLINGS = ("normalize", "least_squares", "hastie_tibshirani", "wu_lin_weng", "pairwise_belief")

# Couplings that are defined for the columns of one code only.
_CODE_OF = {
    "normalize": "one_vs_rest",
    "wu_lin_weng": "all_pairs",
    "pairwise_belief": "all_pairs",
}


@dataclass(frozen=True, eq=False)
class Decoder:
    """Join binary beliefs by a code and a coupling.

    Columns are arrays (3, B, n) of the masses of the negative side, the positive side and
    either. Two classes have one column, whose positive side is the second class, and need a
    decoder only for a coupling that gives probabilities.

    Parameters
    ----------
    classes : (K,) array
    code : (K, B) array of int8
    coupling : str, callable or None
    weights : (B,) array
        Sizes of the columns' samples.
    total_conflict : {"error", "vacuous"}
    probability : {"pignistic", "plausibility"}
    """

    classes: NDArray[Any]
    code: NDArray[np.int8]
    coupling: Any = None
    weights: Floats | None = None
    total_conflict: str = "error"
    probability: str = "pignistic"

    def __post_init__(self) -> None:
        if len(self.classes) == 2:
            return
        self._check_coupling()
        unlimited = len(self.classes) <= MAX_CLASSES or self._is_code("one_vs_rest")
        if self.coupling is None and self.probability == "pignistic" and not unlimited:
            raise ValueError(
                f"{len(self.classes)} classes are too many for pignistic probabilities under this "
                f"code (at most {MAX_CLASSES} classes); take probability='plausibility', a "
                "coupling, or code='one_vs_rest'"
            )

    def _check_coupling(self) -> None:
        wanted = _CODE_OF.get(self.coupling) if isinstance(self.coupling, str) else None
        if wanted is not None and not self._is_code(wanted):
            raise ValueError(f"coupling {self.coupling!r} is defined for code={wanted!r} only")
        if self.coupling == "pairwise_belief" and len(self.classes) > MAX_PAIRWISE:
            raise ValueError(
                f"coupling 'pairwise_belief' takes at most {MAX_PAIRWISE} classes, "
                f"there are {len(self.classes)}; take coupling=None"
            )

    def _is_code(self, kind: Any) -> bool:
        return np.array_equal(self.code, code_matrix(kind, len(self.classes)))

    @property
    def _is_binary(self) -> bool:
        return len(self.classes) == 2

    def mass(self, columns: Floats) -> MassFunction:
        """Mass function of each sample, a batch (n,)."""
        frame = Frame(self.classes)
        if self.is_bayesian:
            return _singletons(frame, self._coupled(columns))
        if self.coupling is not None:
            return pairwise_belief(columns, frame)
        return code_mass(self._existing(columns), frame, self.code)

    def closed(self, columns: Floats) -> ProductBeliefs | None:
        """Beliefs about three or more classes without a list of sets, if there is a closed form."""
        if self._is_binary:
            return None
        if self.is_bayesian:
            return ProductBeliefs.bayesian(self._coupled(columns))
        if self.coupling is None and is_one_vs_rest(self.code):
            settled = without_total_conflict(columns, self.total_conflict)
            return ProductBeliefs.of_columns(settled)
        return None

    def interval(self, columns: Floats) -> Floats:
        """[Bel, Pl]: (n, 2) for two classes, else (n, K, 2)."""
        if self.is_bayesian:
            single = self._coupled(columns)[:, :, np.newaxis]
            both = np.concatenate([single, single], axis=2)
            return both[:, 1] if self._is_binary else both
        if self.coupling is not None:
            return interval(self.mass(columns))
        return code_interval(self._existing(columns), self.code)

    def betp(self, columns: Floats) -> Floats:
        """Probabilities (n, K) of the kind asked for."""
        if self.is_bayesian:
            return self._coupled(columns)
        if self.probability == "plausibility":
            return _shares(self._contour(columns))
        if self.coupling is not None:
            return np.asarray(betp(self.mass(columns)))
        return code_betp(self._existing(columns), self.code)

    def _contour(self, columns: Floats) -> Floats:
        """Plausibilities (n, K), up to a factor a row."""
        if self.coupling is not None:
            return np.asarray(self.mass(columns).contour())
        return code_contour(self._existing(columns), self.code)

    def _existing(self, columns: Floats) -> Floats:
        """Columns that are in total conflict only if that is to be an error, of `code_mass`."""
        if self.total_conflict == "error":
            return columns
        return code_without_conflict(columns, self.code, self.total_conflict)

    @property
    def is_bayesian(self) -> bool:
        """Whether a coupling gives probabilities of the classes."""
        return self.coupling is not None and self.coupling != "pairwise_belief"

    def _coupled(self, columns: Floats) -> Floats:
        """Probabilities (n, K) of a coupling."""
        if self._is_binary:
            return _halved(columns[:, 0])
        _, positive, both = columns
        r = np.clip(positive + both / 2, 0, 1).T
        if callable(self.coupling):
            return _checked(self.coupling, r, self.code)
        couple = getattr(multiclass, self.coupling)
        if self.coupling in _CODE_OF:
            return np.asarray(couple(r))
        weights = {"weights": self.weights} if self.coupling == "hastie_tibshirani" else {}
        return np.asarray(couple(r, self.code, **weights))


def _halved(column: Floats) -> Floats:
    negative, positive, both = column
    return np.stack([negative + both / 2, positive + both / 2], axis=1)


def _shares(values: Floats) -> Floats:
    return np.asarray(values / values.sum(axis=1, keepdims=True))


def _singletons(frame: Frame, probability: Floats) -> MassFunction:
    focal = mask_array([1 << k for k in range(len(frame))], len(frame))
    return MassFunction.from_store(frame, focal, np.array(probability.T, order="C"))


def _checked(coupling: Callable[..., Any], r: Floats, code: NDArray[np.int8]) -> Floats:
    """The result of a user's coupling, if it holds probabilities of the classes."""
    found = np.asarray(coupling(r, code), dtype=np.float64)
    expected = (len(r), len(code))
    if found.shape != expected:
        raise ValueError(f"coupling {coupling!r} gives shape {found.shape}, expected {expected}")
    wrong = ~((found >= 0).all(axis=1) & (np.abs(found.sum(axis=1) - 1) <= 1e-6))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"coupling {coupling!r} gives {found[row].tolist()} in row {row}, expected "
            "probabilities with sum 1"
        )
    return _shares(found)
