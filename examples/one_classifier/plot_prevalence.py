"""
From the study to the clinic
============================

A calibrator learns the base rate of its sample. In the study 37 % of the tumors were malignant; in
the clinic 5 % are. The probabilities are then too high, and one line of Bayes' rule repairs them,
belief and plausibility included.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from evical import LogisticCalibrator

data = load_breast_cancer()
score = data.data[:, 1] / 10 + data.data[:, 4] * 40  # texture and smoothness: a weak score
y = data.target == 0  # malignant
s_study, s_rest, y_study, y_rest = train_test_split(score, y, test_size=0.6, random_state=0)
rng = np.random.default_rng(0)
sick, healthy = np.flatnonzero(y_rest), np.flatnonzero(~y_rest)
clinic = np.concatenate([healthy, rng.choice(sick, len(healthy) // 19, replace=False)])
s_clinic, y_clinic = s_rest[clinic], y_rest[clinic]


def to_prevalence(probability, old, new):
    """Bayes' rule: the odds change by the ratio of the prior odds."""
    ratio = new / (1 - new) * (1 - old) / old
    return ratio * probability / (ratio * probability + 1 - probability)


# %%
# The correction rises with the probability, so the corrected ends of [Bel, Pl] bound the corrected
# probability.

calibrator = LogisticCalibrator().fit(s_study, y_study)
grid = np.linspace(score.min(), score.max(), 200)
interval = calibrator.predict_interval(grid)
corrected = to_prevalence(interval, y_study.mean(), y_clinic.mean())
p = calibrator.predict_proba(s_clinic)[:, 1]
p_corrected = to_prevalence(p, y_study.mean(), y_clinic.mean())
print(f"malignant in the clinic: {y_clinic.mean():.3f} of {len(y_clinic)}")
print(f"mean probability as calibrated {p.mean():.3f}, corrected {p_corrected.mean():.3f}")

figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
ax.fill_between(grid, *interval.T, color="#E69F00", alpha=0.5, label="as calibrated in the study")
ax.fill_between(grid, *corrected.T, color="#0072B2", alpha=0.5, label="corrected for the clinic")
edges = np.quantile(s_clinic, [0, 0.25, 0.5, 0.75, 1])
for low, high in pairwise(edges):
    inside = (s_clinic >= low) & (s_clinic <= high)
    ax.plot([low, high], [y_clinic[inside].mean()] * 2, "k", lw=2)
ax.plot([], [], "k", lw=2, label="share in the clinic, by quarter of the scores")
ax.set(xlabel="score", ylabel="probability of malignant", ylim=(0, 1))
ax.legend(frameon=False, loc="upper left")
plt.show()
