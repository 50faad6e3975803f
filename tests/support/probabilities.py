"""Rules that learn from and combine probabilities (S, n, K), NaN where a source is silent."""

import numpy as np

from evical.beliefs import as_beliefs

__all__ = ["fit_to_probabilities", "fuse_probabilities", "sources_of"]


def sources_of(p, classes):
    return [as_beliefs(one, np.asarray(classes)) for one in p]


def fit_to_probabilities(rule, p, y, classes, sizes=None, sample_weight=None):
    return rule.fit(sources_of(p, classes), y, sizes, sample_weight)


def fuse_probabilities(rule, p):
    """Beliefs; about numbers in place of classes if the rule is not fitted."""
    labels = rule.frame_.labels if hasattr(rule, "frame_") else range(np.shape(p)[2])
    return rule.combine(sources_of(p, labels))
