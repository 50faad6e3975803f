"""
From the study to the clinic
============================

A calibrator learns the base rate of its sample. In the study 37 % of the tumors were malignant; in
the clinic 5 % are. The probabilities are then too high, and one line of Bayes' rule repairs them,
belief and plausibility included.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binomtest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from dstheory.plot.style import COLORS
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


# %%
# Points are the patients of the clinic, in five groups by score, with the 95 % interval of their
# share of malignant tumors. As calibrated, the upper groups are judged far too ill; the corrected
# band is compatible with each share.

order = np.argsort(s_clinic)
groups = np.array_split(order, 5)
shares, ends = [], []
for group in groups:
    sick = int(y_clinic[group].sum())
    shares.append(sick / len(group))
    ends.append(binomtest(sick, len(group)).proportion_ci())
low, high = np.transpose([(end.low, end.high) for end in ends])
claimed = np.array([p[group].mean() for group in groups])
repaired = np.array([p_corrected[group].mean() for group in groups])
assert (claimed[2:] > high[2:]).all()
assert ((low <= repaired) & (repaired <= high)).all()

figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
ax.fill_between(grid, *interval.T, color=COLORS["orange"], alpha=0.4, lw=0)
ax.fill_between(grid, *corrected.T, color=COLORS["blue"], alpha=0.4, lw=0)
middle = [s_clinic[group].mean() for group in groups]
error = [shares - low, high - shares]
ax.errorbar(middle, shares, yerr=error, fmt="ko", ms=5, lw=1.2, capsize=3)
ax.text(5.55, 0.55, "as calibrated\nin the study", color=COLORS["vermilion"], ha="right")
ax.text(7.25, 0.28, "corrected\nfor the clinic", color=COLORS["blue"])
ax.text(4.15, 0.19, "found in the clinic,\na fifth of the patients each")
ax.set_title("Corrected for 5 % of malignant tumors, the band agrees with the clinic", loc="left")
ax.set(xlabel="score", ylabel="probability of malignant", ylim=(-0.02, 1))
plt.show()
