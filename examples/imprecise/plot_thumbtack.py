"""
Six ways to learn from a thumbtack
==================================

A thumbtack fell point up in 3 of 8 tosses. What do you believe about the next one? Six models
differ in how much a small sample leaves open, and in how fast they learn. Sources: Dempster 1968,
Denoeux 2006 and 2014, as in Xu et al. 2016, section 3.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory.inference import binomial
from dstheory.plot.style import COLORS

models = ["bayesian", "laplace", "inverse_pignistic", "dempster", "likelihood", "confidence"]
for model in models:
    m = binomial(3, 8, model=model)
    print(f"{model:18} point up: {m.bel(1):.3f} to {m.pl(1):.3f}")

# %%
# Before, the eight tosses. The mark is the middle.

names = [
    "Bayes, k / n",
    "Laplace",
    "inverse pignistic",
    "Dempster",
    "likelihood",
    "confidence, 95 %",
]
colors = dict(zip(models, list(COLORS.values()), strict=False))
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
for i, (model, color) in enumerate(colors.items()):
    m = binomial(3, 8, model=model)
    ax.plot([m.bel(1), m.pl(1)], [i, i], color=color, lw=9, solid_capstyle="butt")
    ax.plot([(m.bel(1) + m.pl(1)) / 2], [i], "k|", ms=14)
ax.set_yticks(range(6), names)
ax.set(xlabel="point up after 3 of 8 tosses, from belief to plausibility")
ax.set(xlim=(0, 1), ylim=(5.6, -0.6))
ax.set_title("Three of eight: six models leave open from nothing to three quarters", loc="left")
plt.show()

# %%
# The same share of ups, in ever more tosses. Dempster's model leaves open exactly 1 / (n + 1), and
# the likelihood model about 1 / sqrt(n). The confidence model keeps 5 % open, for intervals that
# miss; the inverse pignistic one looks at the share alone, and learns nothing from more tosses.

n = np.unique(np.geomspace(8, 4000, 40).astype(int) // 8 * 8)
left_open = {}
for model in models[2:]:
    many = binomial(n * 3 // 8, n, model=model)
    left_open[model] = many.pl(1) - many.bel(1)
np.testing.assert_allclose(left_open["dempster"], 1 / (n + 1))
np.testing.assert_allclose(left_open["inverse_pignistic"], 0.75)
assert left_open["confidence"][-1] > 0.05
assert np.ptp(left_open["likelihood"][-10:] * np.sqrt(n[-10:])) < 0.02

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for model, values in left_open.items():
    ax.loglog(n, values, color=colors[model], lw=2)
    ax.text(4300, values[-1], names[models.index(model)], color=colors[model], va="center")
ax.set(xlim=(7, 30_000), xlabel="tosses, 3/8 of them up", ylabel="left open: Pl - Bel")
ax.set_title("What more tosses close depends on the model", loc="left")
plt.show()
