"""
Peter, Paul and Mary
====================

The order in which facts arrive does not matter to beliefs, but it matters to somebody who turns
them into probabilities too early. Big Boss tossed a coin to pick a woman (Mary) or a man (Peter or
Paul) as a killer; how he picked the man, nobody knows. Then Peter has an alibi. Source: Smets &
Kennes, The transferable belief model, Artificial Intelligence 66, 1994.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory import Frame, MassFunction, betp, condition
from dstheory.plot.style import COLORS

frame = Frame(["Peter", "Paul", "Mary"])
coin = MassFunction.from_dict(frame, {("Peter", "Paul"): 0.5, "Mary": 0.5})
alibi = condition(coin, ["Paul", "Mary"])  # not Peter
print(alibi)

# %%
# The mass of "Peter or Paul" moves to Paul: had it been a man, it was Paul. The odds of man against
# woman stay even, as the coin made them.
#
# The Bayesian shares the half of the men equally, before the alibi. Conditioning then leaves Paul a
# third: the alibi of one man has become evidence against all men.

early = betp(coin)
early = early * [0, 1, 1] / (early * [0, 1, 1]).sum()
late = betp(alibi)
for name, p in {"probability first": early, "belief first": late}.items():
    print(f"{name:18}", dict(zip(frame.labels, p.round(3).tolist(), strict=True)))

assert np.allclose(late, [0, 1 / 2, 1 / 2])
assert np.allclose(early, [0, 1 / 3, 2 / 3])

figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharey=True)
titles = ("Alibi, then probabilities: even", "Probabilities, then alibi: Mary")
for ax, title, p in zip(axes, titles, (late, early), strict=True):
    bars = ax.bar(frame.labels, p, color=["0.8", COLORS["blue"], COLORS["vermilion"]])
    ax.bar_label(bars, fmt="%.2f")
    ax.set(ylim=(0, 0.8))
    ax.set_title(title, loc="left")
axes[0].set_ylabel("probability")
plt.show()
