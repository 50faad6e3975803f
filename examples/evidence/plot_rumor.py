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
# right; if all repeat the first, the cautious rule is. On the right, one independent witness denies
# it.

tellings = range(1, 11)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", sharey=True)
for rule, name, color in (
    (dempster, "Dempster's rule", COLORS["vermilion"]),
    (cautious, "cautious rule", COLORS["blue"]),
):
    heard = [rule(*[story] * n) if n > 1 else story for n in tellings]
    belief = [m.bel("guilty") for m in heard]
    assert belief == sorted(belief)
    assert (belief[-1] > 0.95) == (rule is dempster)
    assert (abs(belief[-1] - 0.3) < 1e-9) == (rule is cautious)
    axes[0].plot(tellings, belief, "o-", color=color)
    axes[0].text(10, belief[-1] - 0.1, name, color=color, ha="right")
    fused = [dempster(m, denial) for m in heard]
    low, high = ([getattr(m, b)("guilty") for m in fused] for b in ("bel", "pl"))
    axes[1].fill_between(tellings, low, high, color=color, alpha=0.4, lw=0)
    axes[1].text(10, low[-1] - (0.2 if rule is dempster else 0.08), name, color=color, ha="right")
    assert (low[-1] > 0.9) == (rule is dempster)
axes[0].set(xlabel="tellings of the same story", ylabel="belief in guilt", ylim=(0, 1.03))
axes[0].set_title("Dempster's rule counts each telling", loc="left")
axes[1].set(xlabel="tellings of the same story", ylabel="guilt, belief to plausibility")
axes[1].set_title("... and so drowns a denial", loc="left")
plt.show()
