"""
Calibrators of this package in CalArena
=======================================

CalArena (arXiv 2605.30188) compares calibrators that have ``fit(p_cal, y_cal)`` and
``predict_proba(p_test)``, where labels are the numbers of the columns. This class is one: it
takes a calibrator for two classes, one for more, and leaves classes without a sample as they are.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from evical.calibrators import QuadraticLogisticCalibrator
from evical.multiclass import StructuredMatrixCalibrator
from evical.plot import ReliabilityDisplay


class CalArenaCalibrator:
    """Probabilities (n,) of class 1, or (n, K), to calibrated ones (n, K)."""

    def __init__(self, binary=None, multiclass=None):
        self.binary = binary or QuadraticLogisticCalibrator(model="bayesian", transform="logit")
        self.multiclass = multiclass or StructuredMatrixCalibrator()

    def fit(self, p_cal, y_cal):
        p, self.present_ = table(p_cal), np.unique(y_cal)
        self.fitted_ = clone(self.binary if p.shape[1] == 2 else self.multiclass)
        if len(self.present_) > 1:
            self.fitted_.fit(self._scores(p), y_cal)
        return self

    def predict_proba(self, p_test):
        p = table(p_test).copy()
        if len(self.present_) > 1:
            share = p[:, self.present_].sum(axis=1, keepdims=True)
            p[:, self.present_] = share * self.fitted_.predict_proba(self._scores(p))
        return p

    def _scores(self, p):
        return p[:, 1] if p.shape[1] == 2 else p[:, self.present_]


def table(p):
    """Probabilities with a column for each class."""
    p = np.asarray(p, dtype=float)
    return p if p.ndim == 2 else np.stack([1 - p, p], axis=1)


# %%
# Overconfident probabilities of three classes, before and after:

rng = np.random.default_rng(0)
truth = rng.dirichlet(np.ones(3), 2000)
y = (rng.random((2000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
shown = truth**2.5 / (truth**2.5).sum(axis=1, keepdims=True)
calibrated = CalArenaCalibrator().fit(shown[:1000], y[:1000]).predict_proba(shown[1000:])
for name, p in (("before", shown[1000:]), ("after", calibrated), ("truth", truth[1000:])):
    print(f"{name:7} log loss {-np.log(p[np.arange(1000), y[1000:]]).mean():.3f}")

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for ax, name, p in ((axes[0], "before", shown[1000:]), (axes[1], "after", calibrated)):
    ReliabilityDisplay.from_predictions(y[1000:] == 0, p[:, 0], name=name, n_bins=10, ax=ax)
plt.show()
