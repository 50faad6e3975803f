"""
Zadeh's paradox, and where conflict goes
========================================

Two doctors agree on almost nothing, and Dempster's rule makes them agree on a tumor that both take
for nearly impossible. The rule is not at fault: both doctors claim certainty. Let each be wrong
once in a hundred cases, and the paradox is gone. Source: Zadeh, On the validity of Dempster's rule
of combination, 1979.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory import Frame, MassFunction, discount
from dstheory.combine import conjunctive, dempster, dubois_prade, pcr6, yager
from dstheory.plot.style import COLORS

frame = Frame(["meningitis", "concussion", "tumor"])
first = MassFunction.from_dict(frame, {"meningitis": 0.99, "tumor": 0.01})
second = MassFunction.from_dict(frame, {"concussion": 0.99, "tumor": 0.01})
print(f"conflict: {conjunctive(first, second).mass([]):.4f}")
print(f"belief in a tumor: {dempster(first, second).bel('tumor'):.4f}")

# %%
# All rules below take the same products of masses, and put the conflict elsewhere: nowhere
# (Dempster), to the whole frame (Yager), to the union of the two sets in conflict (Dubois and
# Prade), or back to the two sets (PCR6).

rules = {"Dempster": dempster, "Yager": yager, "Dubois-Prade": dubois_prade, "PCR6": pcr6}
found = {name: rule(first, second) for name, rule in rules.items()}
for name, m in found.items():
    print(f"{name:13}", *(f"{label}: {m.bel(label):.2f} to {m.pl(label):.2f} " for label in frame))
assert found["Dempster"].bel("tumor") > 0.999
assert all(m.bel("tumor") < 0.01 for name, m in found.items() if name != "Dempster")
assert (
    found["Dubois-Prade"].pl("meningitis") > 0.98 > 0.01 > found["Dubois-Prade"].bel("meningitis")
)

figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
colors = dict(zip(frame, (COLORS["blue"], COLORS["orange"], COLORS["vermilion"]), strict=True))
for row, m in enumerate(found.values()):
    for place, (label, color) in enumerate(colors.items()):
        y = row + 0.25 * (place - 1)
        low, high = m.bel(label), m.pl(label)
        ax.plot([low, high], [y, y], color=color, lw=6, solid_capstyle="butt")
        ax.plot([low, high], [y, y], "|", color=color, ms=11, mew=2.5)
for place, (label, color) in enumerate(colors.items()):
    ax.text(1.04, 0.25 * (place - 1), label, color=color, va="center")
ax.set_yticks(range(len(found)), found)
ax.invert_yaxis()
ax.set(xlim=(-0.02, 1.25), xlabel="from belief to plausibility", xticks=[0, 0.5, 1])
ax.set_title("Only Dempster's rule is certain of the tumor", loc="left")
plt.show()

# %%
# If both doctors are discounted, Dempster's rule spreads its belief over both of their diagnoses:
# one error in a hundred cases is enough.

rates = np.linspace(0, 0.05, 201)
m = dempster(*(discount(doctor, rate=rates) for doctor in (first, second)))
at = np.searchsorted(rates, 0.01)
assert m.bel("tumor")[at] < 0.05 < 0.45 < m.bel("meningitis")[at]
np.testing.assert_allclose(m.bel("meningitis"), m.bel("concussion"))

figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
ax.plot(100 * rates, m.bel("meningitis"), color=COLORS["blue"], lw=2)
ax.plot(100 * rates, m.bel("concussion"), "--", color=COLORS["orange"], lw=2)
ax.plot(100 * rates, m.bel("tumor"), color=COLORS["vermilion"], lw=2)
ax.text(2, 0.54, "meningitis", color=COLORS["blue"])
ax.text(2.8, 0.54, "concussion", color=COLORS["orange"])
ax.text(2, 0.07, "tumor", color=COLORS["vermilion"])
ax.axvline(1, color=COLORS["gray"], ls=":")
ax.set(xlabel="each doctor is wrong, % of cases", ylabel="belief by Dempster's rule", ylim=(0, 1))
ax.set_title("If each doctor errs once in a hundred cases, the paradox is gone", loc="left")
plt.show()
