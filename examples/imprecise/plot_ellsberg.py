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

caution = np.linspace(0, 1, 51)
values = dict(zip(bets, np.outer(1 - caution, high).T + np.outer(caution, low).T, strict=True))
known = values["red"] - values["black"], values["black or yellow"] - values["red or yellow"]
for gain in known:  # of the bet with the known chance
    assert (gain[caution > 0.51] > 0).all()
    assert (gain[caution < 0.49] < 0).all()

figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
colors = [COLORS["vermilion"], "0.2", COLORS["orange"], COLORS["blue"]]
axes[0].barh(list(bets), np.maximum(high - low, 0.008), left=low, color=colors)
axes[0].invert_yaxis()
axes[0].set(xlabel="expected prize, lower to upper", xlim=(0, 1.02))
axes[0].set_title("Two chances are known, two are not", loc="left")
for (name, value), color in zip(values.items(), colors, strict=True):
    axes[1].plot(caution, value, color=color, lw=2)
    axes[1].text(1.02, value[-1], name, color=color, va="center")
axes[1].axvline(0.5, color=COLORS["gray"], ls=":")
axes[1].set(xlabel="weight of the lower expectation", ylabel="value of the bet", xlim=(0, 1.6))
axes[1].set_xticks([0, 0.5, 1])
axes[1].set_yticks([0, 1 / 3, 2 / 3, 1], ["0", "1/3", "2/3", "1"])
axes[1].texts[2].set_position((1.02, values["red or yellow"][-1] - 0.07))
axes[1].set_title("Caution takes what is known", loc="left")
plt.show()
