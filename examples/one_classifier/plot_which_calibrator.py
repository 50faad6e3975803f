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
#
# Below, what cross-validation made of the differences to the best method, and what they really are.

styles = {
    "logistic": (COLORS["blue"], "-"),
    "isotonic": (COLORS["vermilion"], "-"),
    "spline": (COLORS["green"], "--"),
}
grid = np.linspace(0.001, 0.999, 500)
order = np.argsort(new.scores)[::10]
figure, axes = plt.subplots(
    2, 2, figsize=(11, 7.6), layout="constrained", height_ratios=[3, 2], sharey="row"
)
for (size, (found, *_)), (above, below) in zip(samples.items(), axes.T, strict=True):
    above.plot(new.scores[order], new.probability[order], "k", lw=4, alpha=0.3, label="truth")
    above.plot(grid, grid, "k:", lw=1, label="uncalibrated")
    for name, (color, style) in styles.items():
        p = fits[size, name].predict_proba(grid)[:, 1]
        above.plot(grid, p, color=color, ls=style, label=name)
    above.set(xlabel="score", ylabel="probability", ylim=(0, 1), title=f"{size} scores")
    best = found.recommendation.best
    others = found.differences
    place = np.arange(len(others))
    below.errorbar(
        place - 0.1,
        [1000 * one.difference for one in others],
        yerr=[1000 * one.standard_error for one in others],
        fmt="ko",
        capsize=4,
        label="cross-validation, ± standard error",
    )
    real = [1000 * (excess[size, one.method] - excess[size, best]) for one in others]
    below.plot(place + 0.1, real, "D", color=COLORS["vermilion"], label="in truth")
    below.axhline(0, color="0.5", lw=0.8)
    below.set_xticks(place, [one.method for one in others])
    below.set(ylabel=f"Brier score less that of\n{best}, in thousandths", xlim=(-0.5, 3.5))
axes[0, 0].legend(frameon=False, loc="upper left")
axes[1, 0].legend(frameon=False, loc="upper left")
plt.show()
