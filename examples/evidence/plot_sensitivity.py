"""
Which sensor matters most?
==========================

Four sensors report on the state of a pump, and not all of them agree. How far would the belief in a
leak change if one of them were less reliable than thought? Derivatives answer for small doubts,
bounds for large ones: both are exact, because after Dempster's rule belief is a quotient of linear
functions of each discount rate.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory import Frame, MassFunction, dempster, discount
from dstheory.exact import discount_bounds, sensitivity
from dstheory.plot.style import COLORS

frame = Frame(["leak", "wear", "fine"])
sensors = {
    "pressure": MassFunction.from_dict(frame, {"leak": 0.6, ("leak", "wear"): 0.2, frame: 0.2}),
    "vibration": MassFunction.from_dict(frame, {"wear": 0.5, ("leak", "wear"): 0.3, frame: 0.2}),
    "flow": MassFunction.from_dict(frame, {("leak", "fine"): 0.7, frame: 0.3}),
    "noise": MassFunction.from_dict(frame, {"fine": 0.3, frame: 0.7}),
}
found = sensitivity(sensors, "leak")
print(found)
print("most influential first:", ", ".join(found.ranking()))

# %%
# Belief in a leak when one sensor is discounted more and more, all others as they are; the dotted
# tangents have the slopes of the table. Doubting the noise sensor raises the belief in a leak.
# Doubting vibration does not, although it is evidence for wear: its "leak or wear" and the "leak or
# fine" of the flow sensor together imply a leak.

slopes = dict(zip(found.names, found.derivatives, strict=True))
assert slopes["noise"] > 0 > slopes["vibration"]
assert found.ranking()[0] == "pressure"

rates = np.linspace(0, 1, 101)
colors = [COLORS[name] for name in ("blue", "orange", "vermilion", "green")]
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for color, (name, slope) in zip(colors, slopes.items(), strict=True):
    others = [m for other, m in sensors.items() if other != name]
    belief = dempster(discount(sensors[name], rate=rates), *others).bel("leak")
    ax.plot(rates, belief, color=color, lw=2)
    ax.plot(rates[:31], found.value + slope * rates[:31], color=color, linestyle=":")
    ax.text(1.01, belief[-1], name, color=color, va="center")
ax.set(xlabel="discount rate of one sensor", ylabel="belief in a leak", xlim=(0, 1.15))
ax.set_title("The pressure sensor matters most", loc="left")
plt.show()

# %%
# All sensors in doubt at once: each rate is only known to lie between 0 and a limit.

limits = np.linspace(0, 0.6, 25)
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for quantity, color, text in (("bel", "blue", "belief"), ("pl", "vermilion", "plausibility")):
    bounds = [discount_bounds(sensors, "leak", quantity, rates=[(0.0, x)] * 4) for x in limits]
    low, high = np.transpose(bounds)
    assert (np.diff(high - low) > 0).all()
    ax.fill_between(limits, low, high, color=COLORS[color], alpha=0.35, lw=0)
    ax.text(0.61, (low[-1] + high[-1]) / 2, text, color=COLORS[color], va="center")
ax.set(xlabel="largest discount rate", ylabel="of a leak", xlim=(0, 0.72), ylim=(0, 1))
ax.set_title("All four in doubt: exact bounds, the wider the more doubt", loc="left")
plt.show()
