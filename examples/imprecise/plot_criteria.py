"""
Which acts survive which criterion?
===================================

An act is ruled out for different reasons by different criteria, and each criterion keeps a subset
of what the one before it kept. The coin and the six gambles are those of Troffaes, Decision making
under uncertainty using imprecise probabilities, International Journal of Approximate Reasoning 45,
2007: heads has a probability between 0.28 and 0.70.
"""

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
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", width_ratios=(3, 2))
for i, (heads, tails) in enumerate(gambles):
    gain = p * heads + (1 - p) * tails
    axes[0].plot(p, gain, color=list(COLORS.values())[i], lw=2)
    axes[0].annotate(str(i + 1), (p[-1], gain[-1]), xytext=(4, -3), textcoords="offset points")
axes[0].set(xlabel="probability of heads", ylabel="expected gain")
table = np.array(list(kept.values())).T
axes[1].imshow(table, cmap="Blues", vmin=0, vmax=1.6, aspect="auto")
axes[1].set_xticks(range(3), [name.replace(" ", "\n") for name in criteria])
axes[1].set_yticks(range(6), names)
for (row, column), value in np.ndenumerate(table):
    axes[1].text(column, row, "kept" if value else "ruled out", ha="center", va="center")
plt.show()
