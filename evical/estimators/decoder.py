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

from dstheory import Frame
from evical import multiclass
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.bayesian import Bayesian
from evical.beliefs.listed import Listed
from evical.multiclass import MAX_CLASSES, MAX_PAIRWISE, code_matrix, pairwise_belief
from evical.multiclass.coded import coded

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

    def beliefs(self, columns: Floats) -> Beliefs:
        """Belief about the class of each sample."""
        if self.is_bayesian:
            return Bayesian(self.classes, self._coupled(columns))
        if self.coupling is not None:
            return Listed.of(pairwise_belief(columns, Frame(self.classes)), self.classes)
        return coded(columns, self.code, self.classes, self.total_conflict)

    @property
    def is_bayesian(self) -> bool:
        """Whether a coupling gives probabilities of the classes."""
        return self.coupling is not None and self.coupling != "pairwise_belief"

    def _coupled(self, columns: Floats) -> Floats:
        """Probabilities (n, K) of a coupling."""
        if len(self.classes) == 2:
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
