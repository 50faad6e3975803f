"""A replica of CalArena in small: calibrators on probabilities of eight classifiers."""

from itertools import cycle, islice, product

from examples.studies._beside import read_prose
from examples.studies._study import Study
from examples.studies.calarena_small._summary import summary
from examples.studies.calarena_small.advice import Advice
from examples.studies.calarena_small.data import SETS
from examples.studies.calarena_small.experiment import Experiment
from examples.studies.default_classifier.methods import CLASSIFIERS

__all__ = ["CALARENA_SMALL"]

TEXT = read_prose(__file__)
_EXPERIMENTS = tuple(
    Experiment(source, classifier) for source, classifier in product(SETS, CLASSIFIERS)
)
# Two classifiers for each data set, since a comparison takes seconds.
_ADVICE = tuple(
    Advice(Experiment(source, classifier))
    for i, source in enumerate(one for one in SETS if one.classes == "two")
    for classifier in islice(cycle(CLASSIFIERS), 2 * (i % 4), 2 * (i % 4) + 2)
)
CALARENA_SMALL = Study(
    name="calarena_small",
    title="CalArena in small",
    source="A study of this package, by the protocol of CalArena (Berta, Holzmüller, Bach & "
    "Jordan 2026, arXiv 2605.30188)",
    labels=("part", "data", "classifier", "method"),
    measures=("log_loss", "brier", "error", "gap_error", "near"),
    conditions=(*_EXPERIMENTS, *_ADVICE),
    repeats=2,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("haberman-naive_bayes", "glass-logistic_regression", "advice-sonar-naive_bayes"),
    extra=summary,
)
"""Calibrators of this package and of others on probabilities of real classifiers."""
