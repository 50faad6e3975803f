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
# The same share of ups, in ever more tosses. Dempster's model leaves open exactly 1 / (n + 1), and
# the likelihood model about 1 / sqrt(n). The confidence model keeps 5 % open, for intervals that
# miss; the inverse pignistic one looks at the share alone, and learns nothing from more tosses.

n = np.unique(np.geomspace(8, 4000, 40).astype(int) // 8 * 8)
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for i, model in enumerate(models):
    m = binomial(3, 8, model=model)
    low, high = m.bel(1), m.pl(1)
    axes[0].plot([low, high], [i, i], color=list(COLORS.values())[i], lw=9, solid_capstyle="butt")
    axes[0].plot([(low + high) / 2], [i], "k|", ms=14)
    if model not in ("bayesian", "laplace"):
        many = binomial(n * 3 // 8, n, model=model)
        axes[1].loglog(n, many.pl(1) - many.bel(1), color=list(COLORS.values())[i], label=model)
axes[0].set_yticks(range(6), models)
axes[0].invert_yaxis()
axes[0].set(xlabel="belief to plausibility of point up", title="3 of 8", xlim=(0, 1))
axes[1].set(xlabel="tosses, 3/8 of them up", ylabel="Pl - Bel")
axes[1].legend(frameon=False)
plt.show()
