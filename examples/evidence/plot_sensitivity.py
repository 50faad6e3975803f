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

rates = np.linspace(0, 1, 101)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
colors = [COLORS[name] for name in ("blue", "orange", "vermilion", "green")]
for number, (name, slope) in enumerate(zip(found.names, found.derivatives, strict=True)):
    others = [m for other, m in sensors.items() if other != name]
    belief = dempster(discount(sensors[name], rate=rates), *others).bel("leak")
    left.plot(rates, belief, color=colors[number], label=name)
    tangent = found.value + slope * rates[:31]
    left.plot(rates[:31], tangent, color=colors[number], linestyle=":")
left.set(xlabel="discount rate of one sensor", ylabel="Bel(leak)", title="One sensor in doubt")
left.legend(frameon=False)

# %%
# All sensors in doubt at once: each rate is only known to lie between 0 and a limit.

limits = np.linspace(0, 0.6, 25)
for quantity, color in (("bel", COLORS["blue"]), ("pl", COLORS["vermilion"])):
    bounds = [discount_bounds(sensors, "leak", quantity, rates=[(0.0, x)] * 4) for x in limits]
    low, high = np.transpose(bounds)
    right.fill_between(
        limits, low, high, color=color, alpha=0.35, label=f"{quantity.title()}(leak)"
    )
right.set(xlabel="largest discount rate", ylim=(0, 1), title="All four in doubt: exact bounds")
right.legend(frameon=False)
plt.show()
