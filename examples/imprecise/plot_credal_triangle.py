"""
A belief function as a set of probabilities
===========================================

The probabilities of three answers are the points of a triangle. A belief function allows all points
between its lower and upper bounds: a polygon. Two ways to learn that an answer is out shrink the
polygon to different edges, because they take the news for different things.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory import Frame, MassFunction, betp
from dstheory.plot import credal_vertices
from dstheory.plot.style import COLORS
from dstheory.revise import condition
from evical.plot import SimplexDisplay

frame = Frame(["win", "draw", "loss"])
before = MassFunction.from_dict(
    frame, {"win": 0.3, "loss": 0.1, ("win", "draw"): 0.3, ("draw", "loss"): 0.1, frame: 0.2}
)
print("corners of the set:")
print(np.unique(credal_vertices(before).round(2), axis=0))
print("pignistic probability, the mean over all orders of the labels:", betp(before).round(3))

# %%
# "It is no draw." Dempster's conditioning treats the news as evidence that is combined with the
# belief. Focusing applies Bayes' rule to each point of the polygon, and leaves more open.

no_draw = ["win", "loss"]
news = condition(before, no_draw)
focused = condition(before, no_draw, rule="focusing")
for name, m in (("Dempster", news), ("focusing", focused)):
    print(f"{name}: win {m.bel('win'):.2f} to {m.pl('win'):.2f}")

# %%
# The triangle shows the polygon before the news; after it, a single number is left to know.

assert focused.bel("win") < news.bel("win")
assert news.pl("win") < focused.pl("win")
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
SimplexDisplay.from_mass(before, ax=left)
left.set_title("Before: a polygon of probabilities", loc="left")
for row, (name, m) in enumerate({"before": before, "Dempster": news, "focusing": focused}.items()):
    color = COLORS[("gray", "orange", "blue")[row]]
    ends = [m.bel("win"), m.pl("win")]
    right.plot(ends, [row, row], color=color, lw=9, solid_capstyle="butt")
    right.text(0.02, row - 0.2, name, color=color)
right.set(xlim=(0, 1), ylim=(2.6, -0.6), yticks=[], xlabel="probability of win")
right.set_title("No draw: focusing leaves more open", loc="left")
plt.show()
