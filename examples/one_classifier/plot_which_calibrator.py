"""
Which calibrator?
=================

There are twenty ways to turn scores into probabilities, and each paper likes its own. Which is best
depends on the scores and on how many there are. `compare` tries several on the same folds, and says
which one to use and how certain that is. Here the scores are simulated, like those of naive Bayes,
which is overconfident. So the true probabilities are known, and what `compare` says can be checked.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from dstheory.plot.style import COLORS
from evical.calibrators import (
    BinningCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    SplineCalibrator,
)
from evical.datasets import simulated_scores
from evical.evaluation import compare

calibrators = {
    "logistic": LogisticCalibrator(),
    "isotonic": IsotonicCalibrator(),
    "spline": SplineCalibrator(),
    "binning": BinningCalibrator(),
}
methods = {"uncalibrated": "uncalibrated", **calibrators}
scores, y, _ = simulated_scores("overconfident", 150, np.random.default_rng(1))
few = compare(scores, y, methods)
print(few)

# %%
# Five methods, ten folds, and advice in words: the method of the least loss, or if samples are too
# few for it, another one near it. It also says if no difference can be seen, and how large a
# difference would have been missed half of the time. More scores tell more.

more_scores, more_y, _ = simulated_scores("overconfident", 2000, np.random.default_rng(2))
many = compare(more_scores, more_y, methods)
print(many)

# %%
# Is the advice right? On 5000 new scores the true probability is known, and so is how far each
# method is from it. In the long run, the mean squared distance is also the excess of its Brier
# score over that of the truth.

new = simulated_scores("overconfident", 5_000, np.random.default_rng(3))
samples = {150: (few, scores, y), 2000: (many, more_scores, more_y)}
fits = {
    (size, name): clone(calibrator).fit(s, labels)
    for size, (_, s, labels) in samples.items()
    for name, calibrator in calibrators.items()
}
excess = {
    key: np.mean((fit.predict_proba(new.scores)[:, 1] - new.probability) ** 2)
    for key, fit in fits.items()
}
for size in samples:
    excess[size, "uncalibrated"] = np.mean((new.scores - new.probability) ** 2)
for size, (found, *_) in samples.items():
    print(f"{size} scores, advised {found.recommendation.method}; distance from the truth:")
    print("  " + ", ".join(f"{name} {np.sqrt(excess[size, name]):.3f}" for name in methods))

# %%
# Here the advice is good: the method advised is the nearest, or practically so. 150 scores could
# not prove that calibration is needed; 2000 could. None of this makes it the best one elsewhere:
# one sample of each size is not a study of calibrators, and your scores decide.

for size, (found, *_) in samples.items():
    nearest = min(excess[size, name] for name in methods)
    assert excess[size, found.recommendation.method] < 1.05 * nearest
proved = {
    size: next(one.adjusted < 0.05 for one in found.differences if one.method == "uncalibrated")
    for size, (found, *_) in samples.items()
}
assert proved == {150: False, 2000: True}

styles = {
    "logistic": (COLORS["blue"], "-"),
    "isotonic": (COLORS["vermilion"], "-"),
    "spline": (COLORS["green"], "--"),
}
grid = np.linspace(0.001, 0.999, 500)
order = np.argsort(new.scores)[::10]
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", sharey=True)
for ax, size in zip(axes, samples, strict=True):
    ax.plot(new.scores[order], new.probability[order], "k", lw=5, alpha=0.3)
    ax.plot(grid, grid, "k:", lw=1)
    for name, (color, style) in styles.items():
        ax.plot(grid, fits[size, name].predict_proba(grid)[:, 1], color=color, ls=style)
    ax.set(xlabel="score", ylim=(0, 1))
for row, (name, (color, _)) in enumerate(styles.items()):
    axes[0].text(0.97, 0.22 - 0.08 * row, name, color=color, ha="right")
axes[0].text(0.97, 0.3, "truth", color="0.5", ha="right")
axes[0].text(0.72, 0.92, "uncalibrated", ha="right")
axes[0].set_ylabel("probability")
axes[0].set_title("150 scores: smooth curves are nearer", loc="left")
axes[1].set_title("2000 scores: all are near the truth", loc="left")
assert max(excess[150, name] for name in ("logistic", "spline")) < excess[150, "isotonic"] / 1.5
assert max(excess[2000, name] for name in calibrators) < excess[2000, "uncalibrated"] / 5
plt.show()

# %%
# What cross-validation made of the differences to the best method, and what they really are.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained", sharey=True)
for ax, (size, (found, *_)) in zip(axes, samples.items(), strict=True):
    best = found.recommendation.best
    others = found.differences
    place = np.arange(len(others))
    ax.errorbar(
        place - 0.12,
        [1000 * one.difference for one in others],
        yerr=[1000 * one.standard_error for one in others],
        fmt="ko",
        capsize=4,
    )
    real = [1000 * (excess[size, one.method] - excess[size, best]) for one in others]
    ax.plot(place + 0.12, real, "D", color=COLORS["vermilion"])
    ax.axhline(0, color="0.5", lw=0.8)
    ax.set_xticks(place, [one.method for one in others])
    ax.set(xlabel=f"compared with {best}", xlim=(-0.5, 3.5))
axes[0].text(-0.4, 36, "cross-validation\n± standard error")
axes[0].text(-0.4, 32, "in truth", color=COLORS["vermilion"])
axes[0].set_ylabel("excess Brier score, thousandths")
axes[0].set_title("150 scores prove nothing ...", loc="left")
axes[1].set_title("... 2000 that calibration is needed", loc="left")
assert not any(one.adjusted < 0.05 for one in few.differences)
plt.show()
