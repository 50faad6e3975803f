"""
A rumor that is told twice
==========================

Two witnesses who talked to each other are not two pieces of evidence. Dempster's rule counts the
same story again with each telling and ends in certainty; the cautious rule counts it once. Source:
Denoeux, Conjunctive and disjunctive combination of belief functions induced by nondistinct bodies
of evidence, Artificial Intelligence 172, 2008.
"""

import matplotlib.pyplot as plt

from dstheory import Frame, simple
from dstheory.combine import cautious, dempster
from dstheory.plot.style import COLORS

frame = Frame(["guilty", "innocent"])
story = simple(frame, "guilty", mass=0.3)  # one witness, right in three of ten such cases
denial = simple(frame, "innocent", mass=0.5)

# %%
# The same story, told one to ten times. If the tellers were independent, Dempster's rule would be
# right; if all repeat the first, the cautious rule is.

tellings = range(1, 11)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharey=True)
for rule, color in ((dempster, COLORS["vermilion"]), (cautious, COLORS["blue"])):
    heard = [rule(*[story] * n) if n > 1 else story for n in tellings]
    axes[0].plot(tellings, [m.bel("guilty") for m in heard], "o-", color=color, label=rule.__name__)
    fused = [dempster(m, denial) for m in heard]
    low, high = ([getattr(m, b)("guilty") for m in fused] for b in ("bel", "pl"))
    axes[1].fill_between(tellings, low, high, color=color, alpha=0.4, label=rule.__name__)
axes[0].set(xlabel="tellings of the same story", ylabel="belief in guilt", ylim=(0, 1))
axes[0].legend(frameon=False)
axes[1].set(xlabel="tellings of the same story", title="beside an independent denial: [Bel, Pl]")
plt.show()
