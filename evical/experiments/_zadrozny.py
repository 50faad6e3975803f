"""Zadrozny's comparison of codes and couplings, with and without calibration of the columns.

Boosted naive Bayes for each binary problem of a code, its answers coupled or decoded; optionally
the answers are first calibrated by isotonic regression on the training samples themselves.

Sources: Zadrozny (2001), section 5, tables 2 and 3 and figure 1; Zadrozny & Elkan (2002),
section 5.2, table 4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from evical.calibrators import IsotonicCalibrator
from evical.datasets import Dataset
from evical.experiments._boosted_bayes import BASES, BoostedNaiveBayes, discretized
from evical.multiclass import (
    code_matrix,
    hastie_tibshirani,
    hastie_tibshirani_steps,
    least_squares,
    loss_decode,
    normalize,
)

__all__ = ["ZadroznyProtocol", "ZadroznyRow", "run_zadrozny"]

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

RAW, PAV = "raw", "PAV"
LEARNERS = {"naive Bayes": False, "boosted naive Bayes": True}


@dataclass(frozen=True)
class ZadroznyProtocol:
    """What is done to a data set.

    Parameters
    ----------
    bases : tuple of {"gaussian", "discrete"}
        Naive Bayes on the features as they are, or on bins of equal frequency.
    codes : tuple of str
        Of `evical.multiclass.code_matrix`.
    n_rounds : int
        Of boosting.
    n_bins : int
        Of discrete features.
    n_steps : tuple of int
        Iterations after which the printed algorithm is looked at.
    max_iter : int
        Iterations of the printed algorithm, until convergence.
    seeds : tuple of int
        Of sparse codes; results are means over them.
    """

    bases: tuple[str, ...] = BASES
    codes: tuple[str, ...] = ("all_pairs", "one_vs_rest", "sparse")
    n_rounds: int = 10
    n_bins: int = 10
    n_steps: tuple[int, ...] = (1, 2, 5, 10, 20, 35)
    max_iter: int = 500
    seeds: tuple[int, ...] = (0, 1, 2)


@dataclass(frozen=True)
class ZadroznyRow:
    """A result on the test samples.

    Parameters
    ----------
    dataset, base, learner, code, scores, method : str
        `scores` is "raw" or "PAV".
    error : float
        Error rate.
    mse : float
        Mean over samples and classes of (P - T)^2, T being 1 for the class and 0 otherwise; not
        a number for decodings.
    """

    dataset: str
    base: str
    learner: str
    code: str
    scores: str
    method: str
    error: float
    mse: float


@dataclass(frozen=True)
class _Answers:
    r: Floats  # (n, B)
    code: NDArray[np.int8]
    sizes: Integers  # (B,), training samples of the columns


def run_zadrozny(
    train: Dataset, test: Dataset, protocol: ZadroznyProtocol | None = None
) -> list[ZadroznyRow]:
    """Compare codes, couplings and decodings on one data set.

    Parameters
    ----------
    train, test : Dataset
        Of the same features and classes.
    protocol : ZadroznyProtocol, optional

    Returns
    -------
    list of ZadroznyRow

    Raises
    ------
    ValueError
        If the two have other features or classes.
    """
    protocol = protocol or ZadroznyProtocol()
    if train.class_names != test.class_names or train.feature_names != test.feature_names:
        raise ValueError(f"{train.name} and {test.name} differ in their features or classes")
    return [row for base in protocol.bases for row in _rows(base, train, test, protocol)]


def _rows(
    base: str, train: Dataset, test: Dataset, protocol: ZadroznyProtocol
) -> Iterator[ZadroznyRow]:
    X = train.X, test.X
    if base == "discrete":
        X = discretized(*X, protocol.n_bins)
    p = _multiclass(base, protocol).fit(X[0], train.y).predict_proba(X[1])
    first = train.name, base, "naive Bayes", "none", RAW, "multiclass"
    yield ZadroznyRow(*first, *_measured(p, test.y))
    for code in protocol.codes:
        found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
        for key, measured in _results(base, code, X, train.y, test.y, protocol):
            found.setdefault(key, []).append(measured)
        for (learner, scores, method), values in found.items():
            error, mse = (float(v) for v in np.mean(values, axis=0))
            yield ZadroznyRow(train.name, base, learner, code, scores, method, error, mse)


def _multiclass(base: str, protocol: ZadroznyProtocol) -> GaussianNB | CategoricalNB:
    return GaussianNB() if base == "gaussian" else CategoricalNB(min_categories=protocol.n_bins)


def _results(
    base: str,
    kind: str,
    X: tuple[Floats, Floats],
    y: Integers,
    y_test: Integers,
    protocol: ZadroznyProtocol,
) -> Iterator[tuple[tuple[str, str, str], tuple[float, float]]]:
    """Learner, scores and method, and what it reaches, for each seed."""
    for seed in protocol.seeds if kind == "sparse" else protocol.seeds[:1]:
        code = code_matrix(kind, int(y.max()) + 1, random_state=seed)  # type: ignore[arg-type]  # kinds are data here
        for learner, boosted in LEARNERS.items():
            model = BoostedNaiveBayes(base, protocol.n_rounds * boosted, protocol.n_bins)
            columns = [_answered(model, X, y, column) for column in code.T]
            sizes = np.array([np.sum(column[y] != 0) for column in code.T])
            for scores, index in ((RAW, 0), (PAV, 1)):
                r = np.stack([column[index] for column in columns], axis=1)
                for method, result in _methods(_Answers(r, code, sizes), kind, protocol):
                    yield (learner, scores, method), _measured(result, y_test)


def _answered(
    model: BoostedNaiveBayes, X: tuple[Floats, Floats], y: Integers, column: NDArray[np.int8]
) -> tuple[Floats, Floats]:
    """Answers of one column for the test samples: as learned, and calibrated."""
    used = column[y] != 0
    positive = (column[y][used] == 1).astype(np.intp)
    model.fit(X[0][used], positive)
    seen, new = model.predict_positive(X[0][used]), model.predict_positive(X[1])
    pav = IsotonicCalibrator(model="bayesian").fit(seen, positive)
    return new, np.clip(pav.predict_proba(new)[:, 1], 0, 1)


def _methods(
    answers: _Answers, kind: str, protocol: ZadroznyProtocol
) -> Iterator[tuple[str, Floats | Integers]]:
    """Probabilities (n, K), or classes (n,)."""
    r, code, sizes = answers.r, answers.code, answers.sizes
    yield "loss -y", loss_decode(r - 0.5, code)
    yield "loss exp(-y)", loss_decode(r - 0.5, code, "exponential")
    yield "non-iterative", hastie_tibshirani(r, code, iterative=False)
    max_iter = protocol.max_iter
    yield "iterative", hastie_tibshirani(r, code, sizes, update="zadrozny", max_iter=max_iter)
    yield "least divergence", hastie_tibshirani(r, code, sizes)
    yield "least squares", least_squares(r, code)
    if kind == "one_vs_rest":
        yield "normalization", normalize(r)
    steps = hastie_tibshirani_steps(r, code, sizes, update="zadrozny")
    for number, p in enumerate(islice(steps, max(protocol.n_steps, default=0) + 1)):
        if number in protocol.n_steps:
            yield f"iterative, {number} steps", p


def _measured(result: Floats | Integers, y: Integers) -> tuple[float, float]:
    if result.ndim == 1:
        return float(np.mean(result != y)), float("nan")
    truth = np.eye(result.shape[1])[y]
    return float(np.mean(result.argmax(axis=1) != y)), float(np.mean((result - truth) ** 2))
