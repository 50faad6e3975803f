"""Names of what functions take and return; the shapes of arrays stand in their docstrings."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "CalibrationTestName",
    "CalibratorName",
    "ClusterRule",
    "Flags",
    "Floats",
    "Indices",
    "Ints",
    "Label",
    "Labels",
    "MulticlassCalibratorName",
    "RandomState",
    "RuleName",
    "SamplesLike",
    "Sets",
    "Weights",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]

RandomState: TypeAlias = int | np.random.RandomState | None


class _Shaped(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...


SamplesLike: TypeAlias = ArrayLike | _Shaped | Sequence[object] | Mapping[str, object]
"""Features (n, n_features): an array, a data frame or a sparse matrix; of a fusion, its sources."""

Label: TypeAlias = Hashable
"""The label of one class; None: the greater of two."""

Labels: TypeAlias = ArrayLike | None
"""Labels of the classes in the order of their columns; None: those that occur, sorted."""

Weights: TypeAlias = ArrayLike | None
"""A number for each sample; None: all count alike."""

# Which clusters are possible for a sample.
ClusterRule = Literal["maximum_mass", "interval_dominance"]

Sets: TypeAlias = Literal["all", "singletons"]
"""Sets of classes whose masses are listed: all that have some, or single classes and the frame."""

# Rules of ensembles and fusions.
RuleName = Literal[
    "bold",
    "cautious",
    "conjunctive",
    "consensus",
    "contextually_discounted",
    "dempster",
    "deng",
    "discounted",
    "disjunctive",
    "dubois_prade",
    "exclusive_or",
    "fixsen_mahler",
    "florea",
    "learned_tnorm",
    "likelihood_mixture",
    "lns",
    "mixing",
    "murphy",
    "pcr1",
    "pcr2",
    "pcr3",
    "pcr4",
    "pcr5",
    "pcr5_plus",
    "pcr6",
    "pcr6_plus",
    "size_mixture",
    "stacked",
    "valid_mean",
    "valid_minimum",
    "yager",
]
# Calibrators of one score, by the words of their classes' names.
CalibratorName = Literal[
    "abb",
    "adaptive",
    "assignment_value",
    "asymmetric_laplace",
    "auto",
    "bbq",
    "beta",
    "binning",
    "dpm",
    "elite",
    "enir",
    "gaussian",
    "isotonic",
    "kde",
    "logistic",
    "normalizing",
    "piecewise_logistic",
    "quadratic_logistic",
    "sbb",
    "spline",
    "temperature",
    "venn_abers",
]
# Those that read a score for each class.
MulticlassCalibratorName = Literal[
    "dirichlet",
    "multinomial_logistic",
    "shallow_net",
    "softmax",
    "structured_matrix",
    "structured_vector",
]
# Tests of `check_calibration`.
CalibrationTestName = Literal[
    "spiegelhalter",
    "kolmogorov_smirnov",
    "kuiper",
    "hosmer_lemeshow",
    "binomial",
    "interval",
    "coverage",
    "exchangeability",
    "monitor",
]
