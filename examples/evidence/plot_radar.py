"""
A radar that is good at some targets
====================================

A sensor may be reliable about some targets and poor at others. Contextual discounting says so for
each of them; a single rate for the whole sensor weakens what it knows well, and trusts what it does
not. Source: Mercier, Quost & Denoeux, Refined modeling of sensor reliability in the belief function
framework using contextual discounting, Information Fusion 9, 2008.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory import Frame, MassFunction, discount
from dstheory.plot.style import COLORS
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


# %%
# By target, a helicopter becomes the more plausible, and an airplane the less: what was reported as
# one may be another target. A single rate leaves every target equally open.

np.testing.assert_allclose([one_rate.pl(label) - one_rate.bel(label) for label in frame], 0.35)
assert by_target.pl("helicopter") > one_rate.pl("helicopter")
assert by_target.pl("airplane") < one_rate.pl("airplane")
reports = {"as reported": radar, "one rate, 0.35": one_rate, "by target": by_target}
colors = (COLORS["gray"], COLORS["orange"], COLORS["blue"])
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
for place, ((name, m), color) in enumerate(zip(reports.items(), colors, strict=True)):
    for row, label in enumerate(frame):
        y, ends = row + 0.25 * (place - 1), [m.bel(label), m.pl(label)]
        ax.plot(ends, [y, y], color=color, lw=6, solid_capstyle="butt")
        ax.plot(ends, [y, y], "|", color=color, ms=11, mew=2.5)
    ax.text(0.93, 0.25 * (place - 1), name, color=color, va="center")
ax.set_yticks(range(len(frame)), frame.labels)
ax.invert_yaxis()
ax.set(xlim=(-0.02, 1.15), xlabel="from belief to plausibility")
ax.set_title("A radar poor at helicopters cannot exclude one", loc="left")
plt.show()
