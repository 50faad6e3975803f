"""
What experts' intervals imply for a function
============================================

Experts who give intervals for a and b leave the median of (a + b)^a five times as open if one of
them should be believed as if they are independent witnesses. This is the algebraic challenge of
Sandia National Laboratories (Oberkampf, Helton, Joslyn, Wojtkiewicz & Ferson, Challenge problems:
uncertainty in system response given uncertain parameters, Reliability Engineering and System Safety
85, 2004).
"""

import matplotlib.pyplot as plt

from dstheory.inference import SampledInterval
from dstheory.plot import BoundsDisplay
from dstheory.plot.style import COLORS


def expert(low, high, least, most):
    """Right with probability 0.7; otherwise only the range of the quantity is known."""
    return SampledInterval([low, least], [high, most], [0.7, 0.3])


experts_a = [expert(*ends, 0.1, 1.0) for ends in [(0.5, 1.0), (0.2, 0.7), (0.1, 0.6)]]
experts_b = [expert(*ends, 0.0, 1.0) for ends in [(0.6, 0.8), (0.5, 0.7), (0.1, 0.65)]]

# %%
# Either one of the experts should be believed, each with the same probability: this is the mean of
# their beliefs. Or they are independent witnesses: Dempster's rule intersects their intervals. The
# function has its minimum inside some of the boxes, so the corners of a box are not enough.


def power(a, b):
    return (a + b) ** a


found = {}
for rule, name in (("mean", "one of the experts"), ("dempster", "independent experts")):
    a, b = (first.fuse(*more, rule=rule) for first, *more in (experts_a, experts_b))
    y = SampledInterval.from_function(power, a, b)
    found[name] = y
    low, high = y.quantile(0.5)
    print(f"{name}: median of y from {low:.2f} to {high:.2f}, a width of {high - low:.2f}")

# %%
# Every distribution function between the two curves is possible.

medians = {name: y.quantile(0.5) for name, y in found.items()}
widths = [high - low for low, high in medians.values()]
assert 4.5 < widths[0] / widths[1] < 5.5

figure, axes = plt.subplots(1, 2, figsize=(8, 4.4), layout="constrained", sharey=True)
for ax, (name, y) in zip(axes, found.items(), strict=True):
    BoundsDisplay.from_belief(y, limits=(0.6, 1.9), ax=ax)
    low, high = medians[name]
    title = f"{name.capitalize()}:\nmedian {low:.2f} to {high:.2f}"
    ax.set_title(title, loc="left", fontsize="medium")
    ax.get_legend().remove()
axes[0].text(0.62, 0.92, "plausibility", color=COLORS["vermilion"])
axes[0].text(1.9, 0.25, "belief of at most y ", color=COLORS["blue"], ha="right")
axes[1].set_ylabel("")
figure.suptitle("One expert to be believed leaves five times as much open", x=0.01, ha="left")
plt.show()
