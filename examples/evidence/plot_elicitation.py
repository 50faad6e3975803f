"""
What an expert says in words
============================

"A strike is more likely than a flood; a fire I would not exclude." Few experts give masses, but
most can compare. `from_judgments` finds the least specific mass function that agrees, so it says no
more than the expert did. Source: Ben Yaghlane, Denoeux & Mellouli, Elicitation of expert opinions
for constructing belief functions, 2008.
"""

import matplotlib.pyplot as plt

from dstheory import Frame
from dstheory.construct import from_judgments
from dstheory.plot import MassDisplay

frame = Frame(["strike", "flood", "fire"])

# %%
# First the comparison alone, of which the expert notices differences of a tenth. Then a bound: a
# strike in at least three of ten such years, and at most eight.

comparison = [("strike", "flood")]
compared = from_judgments(frame, preferences=comparison, margin=0.1)
bounded = from_judgments(
    frame, preferences=comparison, intervals={"strike": (0.3, 0.8)}, margin=0.1
)
for label in frame:
    print(f"{label:7} {compared.bel(label):.2f} to {compared.pl(label):.2f}", end="   ")
    print(f"with bounds {bounded.bel(label):.2f} to {bounded.pl(label):.2f}")

# %%
# The bound of 0.8 moves mass to the set of the other two: what speaks against a strike speaks for
# one of them, and the expert did not say for which.

rest = ["flood", "fire"]
assert bounded.mass(rest) > compared.mass(rest) == 0
figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
titles = "A comparison says little ...", "... a bound says more"
for ax, title, m in zip(axes, titles, (compared, bounded), strict=True):
    MassDisplay.from_mass(m, ax=ax)
    ax.set(xlim=(0, 1))
    ax.set_title(title, loc="left")
plt.show()
