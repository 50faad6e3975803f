"""Naive Bayes of categories where features have codes or two values, and of normals elsewhere.

Papers that say "naive Bayes" and no more have used programs that tell nominal attributes from
numbers; this is the simplest classifier of that kind.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB

from evical._typing import Floats
from evical.datasets import Dataset
from examples.studies.parts.boosted_bayes import DiscreteBayes
from examples.studies.parts.categories import Binning, indicators, learn_categories

__all__ = ["mixed_bayes"]

Joint = Callable[[Floats], Floats]


def mixed_bayes(train: Dataset) -> Joint:
    """Learn the densities of each class.

    Parameters
    ----------
    train : Dataset
        With samples of each class.

    Returns
    -------
    callable
        From features (n, p) to the logarithms (n, K) of the shares of classes times densities.

    Examples
    --------
    Shares 2/4, and of the value 1 among zeros and ones (2 + 1) / (2 + 2) and (0 + 1) / (2 + 2):

    >>> X = np.array([[1.0], [1.0], [0.0], [0.0]])
    >>> toy = Dataset("toy", X, np.array([0, 0, 1, 1]), ("a",), ("no", "yes"))
    >>> np.exp(mixed_bayes(toy)(X[:1]))
    array([[0.375, 0.125]])
    """
    owners = np.array([name.split("=", 1)[0] for name in train.feature_names])
    two = np.array([len(np.unique(column)) <= 2 for column in train.X.T])
    coded = two | np.isin(owners, train.encoded)
    if not coded.any():
        return _normal(train.X, train.y)
    discrete = _discrete(train, coded)
    if coded.all():
        return discrete
    normal = _normal(train.X[:, ~coded], train.y)
    log_share = np.log(np.array(train.class_counts) / len(train))
    return lambda X: discrete(X) + normal(X[:, ~coded]) - log_share


def _normal(X: Floats, y: NDArray[np.intp]) -> Joint:
    model = GaussianNB().fit(X, y)
    return lambda new: np.asarray(model.predict_joint_log_proba(new))


def _discrete(train: Dataset, coded: NDArray[np.bool_]) -> Joint:
    names = tuple(np.array(train.feature_names, dtype=object)[coded].tolist())
    part = replace(train, X=train.X[:, coded], feature_names=names)
    categories = learn_categories(part, Binning("values"))
    model: Any = DiscreteBayes(categories.sizes)

    def seen(X: Floats) -> Any:
        return indicators(categories.of(X[:, coded]), categories.sizes)

    model.fit(seen(train.X), train.y)
    return lambda X: np.asarray(seen(X) @ model.log_share_ + model.log_prior_)
