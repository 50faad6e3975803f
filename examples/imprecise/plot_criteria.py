"""
Which acts survive which criterion?
===================================

An act is ruled out for different reasons by different criteria, and each criterion keeps a subset
of what the one before it kept. The coin and the six gambles are those of Troffaes, Decision making
under uncertainty using imprecise probabilities, International Journal of Approximate Reasoning 45,
2007: heads has a probability between 0.28 and 0.70.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from dstheory import Frame, MassFunction, decide
from dstheory.plot.style import COLORS

coin = MassFunction(Frame(["heads", "tails"]), [1, 2, 3], [0.28, 0.3, 0.42])
gambles = np.array([[4, 0], [0, 4], [3, 2], [0.5, 3], [2.35, 2.35], [4.1, -0.3]])
names = [f"gamble {i}" for i in range(1, 7)]
criteria = {
    "interval dominance": decide.interval_dominance,
    "maximality": decide.maximality,
    "E-admissibility": decide.e_admissibility,
}
kept = {name: criterion(coin, gambles) for name, criterion in criteria.items()}
for name, mask in kept.items():
    print(f"{name:20}", ", ".join(decide.chosen_acts(mask, names)))
print(f"{'maximin':20}", decide.maximin(coin, gambles, acts=names))
print(f"{'maximax':20}", decide.maximax(coin, gambles, acts=names))

# %%
# Each line is the expected gain of a gamble. Interval dominance compares the heights at any two
# probabilities, maximality at the same one; E-admissibility keeps only what is on top somewhere.
# Gamble 5 is never on top, and no other gamble is above it everywhere: it is maximal, but not
# E-admissible.

p = np.linspace(0.28, 0.7, 50)
gains = gambles @ [p, 1 - p]
assert all((b <= a).all() for a, b in pairwise(kept.values()))
only_maximal = kept["maximality"] & ~kept["E-admissibility"]
assert np.flatnonzero(only_maximal).tolist() == [4]
assert (gains[4] < gains.max(axis=0)).all()
assert not any((gain >= gains[4]).all() for i, gain in enumerate(gains) if i != 4)

figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", width_ratios=(1, 1))
labels = np.argsort(gains[:, -1])
heights = np.linspace(gains[:, -1].min(), gains[:, -1].max(), 6)
for i, gain in enumerate(gains):
    color = COLORS["vermilion"] if i == 4 else COLORS["gray"]
    axes[0].plot(p, gain, color=color, lw=3 if i == 4 else 1.2)
    y = heights[np.flatnonzero(labels == i)[0]]
    axes[0].plot([0.7, 0.73], [gain[-1], y], color=color, lw=0.6, clip_on=False)
    axes[0].text(0.735, y, str(i + 1), color=color, va="center")
axes[0].set(xlabel="probability of heads", ylabel="expected gain", xlim=(0.28, 0.77))
axes[0].set_title("Gamble 5 is never on top ...", loc="left")
table = np.array(list(kept.values())).T
axes[1].imshow(np.where(table, 0.25, 0), cmap="Blues", vmin=0, vmax=1, aspect="auto")
axes[1].set_xticks(range(3), [name.replace(" ", "\n").replace("-", "-\n") for name in criteria])
axes[1].set_yticks(range(6), range(1, 7))
for (row, column), value in np.ndenumerate(table):
    color = COLORS["vermilion"] if row == 4 else "k"
    axes[1].text(column, row, "kept" if value else "out", color=color, ha="center", va="center")
axes[1].set_title("... so only E-admissibility rules it out", loc="left")
plt.show()
