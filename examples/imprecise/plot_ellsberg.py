"""
Ellsberg's urn
==============

Most people prefer a bet on a known chance to one on an unknown chance, whichever side they bet on.
No probability explains this choice; a belief function does. An urn holds 30 red balls, and 60 that
are black or yellow. Source: Ellsberg, Risk, ambiguity, and the Savage axioms, Quarterly Journal of
Economics 75, 1961.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory import Frame, MassFunction, decide
from dstheory.plot.style import COLORS

frame = Frame(["red", "black", "yellow"])
urn = MassFunction.from_dict(frame, {"red": 1 / 3, ("black", "yellow"): 2 / 3})
bets = {
    "red": [1, 0, 0],
    "black": [0, 1, 0],
    "red or yellow": [1, 0, 1],
    "black or yellow": [0, 1, 1],
}

# %%
# Lower and upper expectations of each bet. Who looks at the lower one prefers red to black, and
# "black or yellow" to "red or yellow". A single probability P would need P(red) > P(black) for the
# first choice and P(black) > P(red) for the second.

utilities = np.array(list(bets.values()))
low, high = (
    f(urn, utilities) for f in (decide.lower_expected_utility, decide.upper_expected_utility)
)
for name, a, b in zip(bets, low, high, strict=True):
    print(f"{name:16} {a:.2f} to {b:.2f}")
for pair in (["red", "black"], ["red or yellow", "black or yellow"]):
    print("maximin takes", decide.maximin(urn, [bets[name] for name in pair], acts=pair))

# %%
# Hurwicz's criterion mixes both ends. Above one half on the lower end a person avoids the unknown
# chance, below one half seeks it, in both choices alike.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
colors = [COLORS["vermilion"], "0.2", COLORS["orange"], COLORS["blue"]]
axes[0].barh(list(bets), np.maximum(high - low, 0.008), left=low, color=colors)
axes[0].invert_yaxis()
axes[0].set(xlabel="expected prize, from lower to upper", xlim=(0, 1.02))
caution = np.linspace(0, 1, 51)
for name, a, b, color in zip(bets, low, high, colors, strict=True):
    axes[1].plot(caution, caution * a + (1 - caution) * b, color=color, label=name)
axes[1].set(xlabel="weight of the lower expectation", ylabel="value of the bet")
axes[1].legend(frameon=False, fontsize="small")
plt.show()
