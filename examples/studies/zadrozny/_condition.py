"""`CodeCondition`: codes, calibration of their columns, and couplings, measured on new samples.

Naive Bayes, boosted or not, answers the binary problem of each column of a code; the answers are
calibrated or not, then coupled to probabilities of all classes, or decoded. The papers calibrate on
the samples that trained, which `EvidentialClassifier` refuses, so its parts are used here.
Sources: Zadrozny (2001), section 5; Zadrozny & Elkan (2002), section 5.2.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.calibrators import IsotonicCalibrator
from evical.datasets import Dataset
from evical.multiclass import code_matrix, hastie_tibshirani, least_squares, loss_decode, normalize
from evical.multiclass.coupling import hastie_tibshirani_steps
from examples.studies._study import Record, repeat_rng
from examples.studies.parts.boosted_bayes import BoostedNaiveBayes, Kind, Words, naive_bayes
from examples.studies.parts.calibration_samples import Samples, Source
from examples.studies.parts.categories import Binning, indicators, learn_categories

__all__ = ["BASES", "COUPLINGS", "LABELS", "STOPPED", "CodeCondition"]

Integers = NDArray[np.intp]

LABELS = ("data", "classifier", "learner", "base", "code", "method", "coupling", "steps", "sample")
"""What a row can be named by; `classifier` is learner and base in one."""

NONE, PAV = "none", "PAV"
STOPPED = "iterative, stopped"
END = "end"

# Of the printed algorithm, which may go on for ever.
MAX_ITER = 500

BASES: dict[str, Binning | Words | None] = {
    "Gaussian": None,
    "ten bins": Binning("quantile", 10),
    "codes": Binning("values"),
    "counts of words": Words(),
    "counts of words, 0.01 added": Words(alpha=0.01),
    "presence of words": Words(presence=True),
}
"""How features enter naive Bayes."""


@dataclass(frozen=True)
class CodeCondition:
    """One source of samples and one kind of naive Bayes, with several codes and couplings.

    Parameters
    ----------
    key : str
    source : Source
        Of two classes or more; calibration samples are not used.
    base : str
        In `BASES`.
    boosting : tuple of int
        Numbers of rounds of boosting; 0 for naive Bayes itself.
    codes : tuple of str
        Of `evical.multiclass.code_matrix`; a random one is new in each repeat.
    methods : tuple of {"none", "PAV", "PAV of log-odds"}
        Whether answers are calibrated by isotonic regression on the training samples; of the
        probabilities, or of their log-odds, which have no ties at 0 and 1.
    couplings : tuple of str
        In `COUPLINGS`; "normalization" is for one against all only.
    labels : tuple of str
        Which of `LABELS` name a row, in the order of the study.
    measures : tuple of {"error", "mse", "log_loss"}
        In the order of the study, or others, which are not measured.
    steps : tuple of int
        Iterations after which the printed algorithm is looked at, as the coupling `STOPPED`.
    multiclass : bool
        Whether naive Bayes of all classes takes part.
    """

    key: str
    source: Source
    base: str
    boosting: tuple[int, ...]
    codes: tuple[str, ...]
    methods: tuple[str, ...]
    couplings: tuple[str, ...]
    labels: tuple[str, ...]
    measures: tuple[str, ...]
    steps: tuple[int, ...] = ()
    multiclass: bool = False

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.source.datasets

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        # By the source alone, so that bases see the same samples, and codes are the same.
        rng = repeat_rng(repr(self.source), number, seed)
        problem = _problem(self.source.draw(data, number, rng), BASES[self.base])
        codes = {
            kind: code_matrix(kind, problem.n_classes, random_state=rng)  # type: ignore[arg-type]  # kinds are data here
            for kind in self.codes
        }
        rows = [self._multiclass(problem)] if self.multiclass else []
        for n_rounds in self.boosting:
            for kind, code in codes.items():
                rows += self._coupled(problem, n_rounds, kind, code)
        return rows

    def _multiclass(self, problem: "_Problem") -> Record:
        model = naive_bayes(problem.kind).fit(problem.X, problem.y)
        p = np.zeros((len(problem.y_new), problem.n_classes))
        p[:, model.classes_] = model.predict_proba(problem.X_new)
        return self._row(problem, p, learner=_learner(0), code=NONE, method=NONE, coupling=NONE)

    def _coupled(
        self, problem: "_Problem", n_rounds: int, kind: str, code: NDArray[np.int8]
    ) -> Iterator[Record]:
        columns = [_answers(problem, n_rounds, column, self.methods) for column in code.T]
        sizes = np.array([np.sum(column[problem.y] != 0) for column in code.T])
        for i, method in enumerate(self.methods):
            answers = Answers(np.stack([column[i] for column in columns], axis=1), code, sizes)
            named = {"learner": _learner(n_rounds), "code": kind, "method": method}
            for coupling in self.couplings:
                if coupling != "normalization" or kind == "one_vs_rest":
                    p = COUPLINGS[coupling](answers)
                    yield self._row(problem, p, coupling=coupling, **named)
            for step, p in _looks(answers, self.steps):
                yield self._row(problem, p, coupling=STOPPED, steps=str(step), **named)

    def _row(self, problem: "_Problem", result: Floats | Integers, **named: str) -> Record:
        names = {"data": self.source.name, "base": self.base, "steps": END, "sample": "test"}
        names |= named | {"classifier": f"{named['learner']}, {self.base}"}
        found = _measure(result, problem.y_new)
        values = tuple(found.get(measure, float("nan")) for measure in self.measures)
        return tuple(names[label] for label in self.labels), values


@dataclass(frozen=True, eq=False)
class _Problem:
    X: Any  # (n, p) features, or sparse indicators
    y: Integers
    X_new: Any
    y_new: Integers
    kind: Kind  # of the features
    n_classes: int


@dataclass(frozen=True, eq=False)
class Answers:
    """Probabilities r of the positive sides (n, B), the code (K, B), and columns' sizes (B,)."""

    r: Floats
    code: NDArray[np.int8]
    sizes: Integers


COUPLINGS: dict[str, Callable[[Answers], Floats | Integers]] = {
    "loss -y": lambda a: loss_decode(a.r - 0.5, a.code),
    "loss exp(-y)": lambda a: loss_decode(a.r - 0.5, a.code, "exponential"),
    "non-iterative": lambda a: hastie_tibshirani(a.r, a.code, iterative=False),
    "iterative": lambda a: hastie_tibshirani(
        a.r, a.code, a.sizes, update="zadrozny", max_iter=MAX_ITER
    ),
    "least divergence": lambda a: hastie_tibshirani(a.r, a.code, a.sizes),
    "least squares": lambda a: least_squares(a.r, a.code),
    "normalization": lambda a: normalize(a.r),
}
"""Name to a function that gives probabilities (n, K) or classes (n,)."""


def _problem(samples: Samples, binning: Binning | Words | None) -> _Problem:
    train, test = samples.train, samples.test
    n_classes = len(train.class_names)
    if binning is None:
        return _Problem(train.X, train.y, test.X, test.y, None, n_classes)
    if isinstance(binning, Words):
        X, X_new = binning.of(train.X), binning.of(test.X)
        return _Problem(X, train.y, X_new, test.y, binning, n_classes)
    categories = learn_categories(train, binning)
    sizes = categories.sizes
    X, X_new = (indicators(categories.of(part.X), sizes) for part in (train, test))
    return _Problem(X, train.y, X_new, test.y, sizes, n_classes)


def _learner(n_rounds: int) -> str:
    return "boosted naive Bayes" if n_rounds else "naive Bayes"


def _answers(
    problem: _Problem, n_rounds: int, column: NDArray[np.int8], methods: tuple[str, ...]
) -> list[Floats]:
    """Answers of one column for the new samples, by each method."""
    used = column[problem.y] != 0
    X, positive = problem.X[used], (column[problem.y][used] == 1).astype(np.intp)
    if len(np.unique(positive)) < 2:
        # Of a rare class there may be no training sample; Laplace's rule of succession then.
        rule = (positive.sum() + 1) / (len(positive) + 2)
        return [np.full(len(problem.y_new), rule) for _ in methods]
    model = BoostedNaiveBayes(n_rounds, problem.kind).fit(X, positive)
    return [_answer(method, model, X, positive, problem.X_new) for method in methods]


def _answer(
    method: str, model: BoostedNaiveBayes, X: Any, positive: Integers, X_new: Any
) -> Floats:
    if method == NONE:
        return model.predict_positive(X_new)
    score = model.predict_positive if method == PAV else model.predict_log_odds
    pav = IsotonicCalibrator(model="bayesian").fit(score(X), positive)
    return np.clip(pav.predict_proba(score(X_new))[:, 1], 0, 1)


def _looks(answers: Answers, steps: tuple[int, ...]) -> Iterator[tuple[int, Floats]]:
    iterates = hastie_tibshirani_steps(answers.r, answers.code, answers.sizes, update="zadrozny")
    for number, p in enumerate(islice(iterates, max(steps, default=-1) + 1)):
        if number in steps:
            yield number, p


def _measure(result: Floats | Integers, y: Integers) -> dict[str, float]:
    """Of decodings the error rate alone; the squared error is a mean over classes too."""
    if result.ndim == 1:
        return {"error": float(np.mean(result != y))}
    of_truth = np.maximum(result[np.arange(len(y)), y], np.finfo(np.float64).eps)
    return {
        "error": float(np.mean(result.argmax(axis=1) != y)),
        "mse": float(np.mean((result - np.eye(result.shape[1])[y]) ** 2)),
        "log_loss": float(-np.mean(np.log(of_truth))),
    }
