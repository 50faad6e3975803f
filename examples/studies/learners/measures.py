"""What the study measures: probabilities, sets of classes, intervals, and ignorance of outliers."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from evical._typing import Floats
from evical.metrics import brier_score, coverage_test, log_loss, set_score

__all__ = ["DOUBTS", "MEASURES", "OUTLIERS", "Told", "best_sets", "judged", "told_apart"]

Labels = NDArray[np.intp]

_OF_PREDICTIONS = (
    *("error", "brier", "log_loss"),
    *("u65", "u80", "size", "u65_of_p", "u80_of_p"),
    *("covered", "width", "broken"),
)
OUTLIERS = ("unseen", "shuffled", "far")
"""Kinds of samples unlike those for training."""
DOUBTS = ("p", "bel", "width", "frame")
"""Ways to read from a prediction how little a sample is known."""
MEASURES = (*_OF_PREDICTIONS, *(f"{kind}_{doubt}" for kind in OUTLIERS for doubt in DOUBTS))
"""Columns of numbers."""

_N_BINS, _LEVEL, _EPS = 5, 0.05, float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Told:
    """What a classifier says of n samples.

    Parameters
    ----------
    p : (n, K) array
        Probabilities.
    bel, pl : (n, K) arrays
    frame : (n,) array
        Mass of the set of all classes.
    sets : (n, K) array of bool
        Classes that interval dominance keeps.
    """

    p: Floats
    bel: Floats
    pl: Floats
    frame: Floats
    sets: NDArray[np.bool_]

    @classmethod
    def by(cls, fitted: Any, X: Floats) -> Self:
        """Ask a fitted classifier; a probability is belief and plausibility at once."""
        p = np.asarray(fitted.predict_proba(X), dtype=np.float64)
        if not hasattr(fitted, "predict_mass"):
            sets = p.argmax(axis=1)[:, np.newaxis] == np.arange(p.shape[1])
            return cls(p, p, p, np.zeros(len(p)), sets)
        bounds = fitted.predict_interval(X)
        if bounds.ndim == 2:
            bounds = np.stack([1 - bounds[:, ::-1], bounds], axis=1)
        m = fitted.predict_mass(X)
        frame = m.masses[:, m.focal == m.frame.full].sum(axis=1)
        bel, pl = (np.clip(bounds[..., i], 0, 1) for i in (0, 1))
        return cls(p, bel, np.maximum(bel, pl), frame, fitted.predict_set(X))

    def doubts(self) -> dict[str, Floats]:
        """How little each sample is known, (n,), by every way to read it."""
        likeliest = self.p.argmax(axis=1)[:, np.newaxis]
        width = np.take_along_axis(self.pl - self.bel, likeliest, axis=1)[:, 0]
        values = (1 - self.p.max(axis=1), 1 - self.bel.max(axis=1), width, self.frame)
        return dict(zip(DOUBTS, values, strict=True))


def judged(told: Told, y: Labels) -> dict[str, float]:
    """Measures of predictions.

    Parameters
    ----------
    told : Told
    y : (n,) array
        True classes, 0 to K - 1, of which all occur.

    Returns
    -------
    dict of str to float
    """
    with_p = {
        "error": float(np.mean(told.p.argmax(axis=1) != y)),
        "brier": brier_score(y, told.p),
        "log_loss": log_loss(y, told.p, eps=_EPS),
    }
    with_sets = {
        "u65": set_score(y, told.sets, "u65"),
        "u80": set_score(y, told.sets, "u80"),
        "size": float(told.sets.sum(axis=1).mean()),
        "u65_of_p": set_score(y, best_sets(told.p, 0.6), "u65"),
        "u80_of_p": set_score(y, best_sets(told.p, 1.2), "u80"),
    }
    tests = [
        coverage_test(y == k, np.stack([told.bel[:, k], told.pl[:, k]], 1), n_bins=_N_BINS)
        for k in range(told.p.shape[1])
    ]
    with_intervals = {
        "covered": float(np.mean([test.share for test in tests])),
        "width": float((told.pl - told.bel).mean()),
        "broken": float(np.mean([test.pvalue < _LEVEL for test in tests])),
    }
    return with_p | with_sets | with_intervals


def best_sets(p: Floats, aversion: float) -> NDArray[np.bool_]:
    """Sets of greatest expected utility under probabilities: the likeliest classes, so many.

    Parameters
    ----------
    p : (n, K) array
    aversion : float
        0.6 for u65 and 1.2 for u80, whose utility of a correct set with precision x is
        ``x + aversion * x * (1 - x)``.

    Returns
    -------
    (n, K) array of bool
    """
    x = 1 / np.arange(1, p.shape[1] + 1)
    order = np.argsort(-p, axis=1, kind="stable")
    held = np.cumsum(np.take_along_axis(p, order, axis=1), axis=1)
    sizes = (held * (x + aversion * x * (1 - x))).argmax(axis=1) + 1
    kept = np.zeros(p.shape, dtype=np.bool_)
    np.put_along_axis(kept, order, np.arange(p.shape[1]) < sizes[:, np.newaxis], axis=1)
    return kept


def told_apart(kind: str, usual: dict[str, Floats], strange: dict[str, Floats]) -> dict[str, float]:
    """AUROC of each way to read doubt: how well outliers are told from usual samples.

    Parameters
    ----------
    kind : str
        In `OUTLIERS`.
    usual, strange : dict of str to (n,) array
        Doubts about usual samples, and about outliers.

    Returns
    -------
    dict of str to float
    """
    return {
        f"{kind}_{name}": float(
            roc_auc_score(
                np.repeat([0, 1], [len(values), len(strange[name])]),
                np.concatenate([values, strange[name]]),
            )
        )
        for name, values in usual.items()
    }
