"""
A bag of marbles
================

You have drawn 1 red marble in 6 from a bag of which you know nothing else. Is the probability of
red 1/6, 2/8 or 2/12? A Bayesian answer depends on how many other colors you count as possible; the
imprecise Dirichlet model, whose beliefs are those of Dempster's model for counts, does not. Source:
Walley, Inferences from multinomial data: learning about a bag of marbles, Journal of the Royal
Statistical Society B 58, 1996.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory.inference import multinomial_bounds
from dstheory.plot.style import COLORS

# %%
# The other five marbles were "not red"; or blue and green; or one of each of many colors. The same
# draws are counted in ever more categories, some of which were never seen.

ways = {
    "red, not red": [1, 5],
    "red, blue, green": [1, 3, 2],
    "six colors": [1, 2, 1, 1, 1, 0],
    "twelve colors": [1, 2, 1, 1, 1, *[0] * 7],
}
models = {"laplace": "Bayes, uniform prior", "dempster": "imprecise Dirichlet, s = 1"}
models["likelihood"] = "likelihood"
found = {
    (model, way): [bound[0] for bound in multinomial_bounds(counts, model=model)]
    for model in models
    for way, counts in ways.items()
}
for model, title in models.items():
    print(f"{title:28}", "  ".join(f"{a:.3f}-{b:.3f}" for a, b in (found[model, w] for w in ways)))

for model in models:
    same = np.ptp([found[model, way] for way in ways], axis=0).max() < 1e-6
    assert same == (model != "laplace")

figure, axes = plt.subplots(1, 3, figsize=(8, 3), layout="constrained", sharey=True, sharex=True)
for ax, (model, title) in zip(axes, models.items(), strict=True):
    for i, way in enumerate(ways):
        low, high = found[model, way]
        ax.plot([low, high], [i, i], lw=8, color=COLORS["blue"], solid_capstyle="butt")
        ax.plot((low + high) / 2, i, "k|", ms=12)
    ax.set(xlabel="the next is red", xlim=(0, 0.6))
    ax.set_title(title, loc="left", fontsize="medium")
axes[0].set_yticks(range(len(ways)), ways)
axes[0].set_ylim(3.5, -0.5)
figure.suptitle("Only Bayes' answer depends on how colors are counted", x=0.01, ha="left")
plt.show()
