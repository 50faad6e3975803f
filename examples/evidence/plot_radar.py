"""
A radar that is good at some targets
====================================

A sensor may be reliable about some targets and poor at others. Contextual discounting says so for
each of them; a single rate for the whole sensor weakens what it knows well, and trusts what it does
not. Source: Mercier, Quost & Denoeux, Refined modeling of sensor reliability in the belief function
framework using contextual discounting, Information Fusion 9, 2008.
"""

import matplotlib.pyplot as plt

from dstheory import Frame, MassFunction, discount
from dstheory.plot import MassDisplay
from dstheory.revise import contextual_discount

frame = Frame(["airplane", "helicopter", "rocket"])
radar = MassFunction.from_dict(frame, {"airplane": 0.5, "rocket": 0.5})

# %%
# If the target is an airplane, the report is irrelevant in one of ten cases; if it is a helicopter
# or a rocket, in six of ten. A report of an airplane may thus well be a helicopter or a rocket that
# the radar got wrong, while a report of a rocket is seldom a missed airplane.

one_rate = discount(radar, rate=0.35)
by_target = contextual_discount(radar, rates={"airplane": 0.1, ("helicopter", "rocket"): 0.6})
print(by_target)
for label in frame:
    print(f"{label:10} one rate: {one_rate.bel(label):.2f} to {one_rate.pl(label):.2f}", end="   ")
    print(f"by target: {by_target.bel(label):.2f} to {by_target.pl(label):.2f}")

reports = {"as reported": radar, "one rate, 0.35": one_rate, "by target": by_target}
figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
for ax, (title, m) in zip(axes, reports.items(), strict=True):
    MassDisplay.from_mass(m, ax=ax)
    ax.set(title=title, xlim=(0, 0.75))
plt.show()
