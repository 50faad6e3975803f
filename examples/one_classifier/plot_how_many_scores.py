"""
How much do n calibration scores leave open?
============================================

All intervals shrink with the number of calibration scores, but around what? The belief interval of
a sigmoid shrinks around the best sigmoid. If the truth is none, a thousand scores make the interval
narrow, and wrong. The default 95 % interval does not assume that form. The scores are of a linear
classifier that tells odd digits from even ones.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binomtest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from dstheory.plot.style import COLORS
from evical import AutoCalibrator, LogisticCalibrator
from evical.calibrators import VennAbersCalibrator

X, y = load_digits(return_X_y=True)
odd = (y % 2).astype(int)
X_train, X_cal, odd_train, odd_cal = train_test_split(X, odd, train_size=150, random_state=0)
classifier = LogisticRegression(C=1e-3, max_iter=1000).fit(X_train, odd_train)
scores = classifier.decision_function(X_cal)

# %%
# How often is a digit with the score 0 odd? The nearest to the truth that these data have is the
# share among the hundred digits whose scores are closest to 0, with its own 95 % interval.

near = odd_cal[np.argsort(abs(scores))[:100]]
truth = binomtest(int(near.sum()), len(near)).proportion_ci()
print(f"odd among the hundred nearest: {near.mean():.2f} ({truth.low:.2f} to {truth.high:.2f})")

# %%
# Three intervals from the first 20 to 1600 scores: belief to plausibility of a sigmoid, the
# default's 95 % interval, and the two probabilities of Venn-Abers. The last do not claim to hold
# the truth at this score: one of them is right on average over all scores.

sizes = [20, 50, 100, 200, 500, 1000, 1600]
ways = {
    "Sigmoid, Bel to Pl": lambda s, y: LogisticCalibrator().fit(s, y).predict_interval([0.0]),
    "Default, 95 %": lambda s, y: AutoCalibrator().fit(s, y).predict_interval([0.0], level=0.95),
    "Venn-Abers": lambda s, y: VennAbersCalibrator().fit(s, y).predict_interval([0.0]),
}
found = {
    name: np.array([interval(scores[:n], odd_cal[:n])[0] for n in sizes])
    for name, interval in ways.items()
}
for name, ends in found.items():
    texts = (f"{n}: {low:.2f}-{high:.2f}" for n, (low, high) in zip(sizes, ends, strict=True))
    print(f"{name:19}", "  ".join(texts))

# %%
# From 500 scores on the sigmoid's interval lies above all that is plausible. The default's overlaps
# it at each size, and holds the share itself with 1600. Venn-Abers is much narrower from 100 scores
# on, because it promises less.

sigmoid, default, venn_abers = found.values()
assert (sigmoid[4:, 0] > truth.high).all()
assert ((default[:, 0] < truth.high) & (truth.low < default[:, 1])).all()
assert default[-1, 0] < near.mean() < default[-1, 1]
assert (np.ptp(venn_abers[2:], axis=1) < np.ptp(default[2:], axis=1) / 2).all()

verdicts = ("narrow beside the truth", "agrees with the truth", "promises less")
figure, axes = plt.subplots(1, 3, figsize=(8, 3.6), layout="constrained", sharey=True)
for ax, (name, ends), verdict in zip(axes, found.items(), verdicts, strict=True):
    ax.axhspan(truth.low, truth.high, color=COLORS["gray"], alpha=0.3, lw=0)
    ax.fill_between(sizes, *ends.T, color=COLORS["blue"], alpha=0.3, lw=0)
    ax.plot(sizes, ends, "o-", color=COLORS["blue"], ms=4)
    ax.set_title(f"{name}:\n{verdict}", loc="left")
    ax.set(xscale="log", xlabel="calibration scores", ylim=(0, 1))
    ax.set_xticks([20, 100, 500], ["20", "100", "500"], minor=False)
axes[0].text(22, 0.04, "share of odd\nnear score 0", color=COLORS["gray"])
axes[0].set_ylabel("probability of odd at score 0")
plt.show()
