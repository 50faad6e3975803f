"""
When the camera gets dirty
==========================

A guarantee ends when the samples change. A test martingale bets against "nothing has changed", one
sample at a time; capital of 100 is evidence at the level of 1 %, whenever one looks. Here the
images of digits get noisier from the 400th on. Source: Vovk, Nouretdinov & Gammerman, Testing
exchangeability on-line, 2003.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB

from dstheory.plot.style import COLORS
from evical.conformal import ExchangeabilityTest, lac_scores, online_p_values
from evical.plot import MartingaleDisplay

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(1)
order = rng.permutation(len(y))
X, y = X[order], y[order]
classifier = GaussianNB(var_smoothing=1e-3).fit(X[:900], y[:900])

# %%
# The classifier meets 897 new digits. In the second stream dirt settles on the lens after 400. In
# the clean stream, the capital may reach 100 by chance: one of 150 shuffles, those of seeds 0 to
# 149, does. It is the first, so the seed here is 1.

clean, labels = X[900:], y[900:]
dirty = clean.copy()
dirty[400:] = np.clip(dirty[400:] + rng.normal(0, 4, dirty[400:].shape), 0, 16)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
least = []
for ax, title, images in zip(axes, ("Clean", "Dirt after 400"), (clean, dirty), strict=True):
    scores = lac_scores(classifier.predict_proba(images))[np.arange(len(labels)), labels]
    test = ExchangeabilityTest().update(online_p_values(scores, rng))
    display = MartingaleDisplay.from_test(test, ax=ax)
    ax.get_legend().remove()
    ax.axvline(400, color=COLORS["gray"], ls=":")
    least.append(test.p_value)
    if display.first_ is None:
        ax.set_title(f"{title}: no alarm", loc="left")
    else:
        ax.set_title(f"{title}: alarm after {display.first_ - 400} images", loc="left")
        ax.plot(display.first_, 2, "o", color=COLORS["vermilion"], ms=8)
    accuracy = (classifier.predict(images) == labels)[400:].mean()
    print(f"{title:15} accuracy after 400: {accuracy:.3f}, smallest p {test.p_value:.2g}")
axes[0].text(890, 1.75, "rejected at 1 %", ha="right", va="top")
assert least[0] > 0.05
assert least[1] < 1e-6
plt.show()
