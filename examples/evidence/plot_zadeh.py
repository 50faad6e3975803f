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
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
for k, (name, rule) in enumerate(rules.items()):
    m = rule(first, second)
    for i, label in enumerate(frame):
        low, high = m.bel(label), m.pl(label)
        x = i + 0.18 * (k - 1.5)
        axes[0].plot(
            [x, x],
            [low, high],
            color=f"C{k}",
            lw=6,
            solid_capstyle="butt",
            label=name if i == 0 else None,
        )
        axes[0].plot(x, (low + high) / 2, "_", color=f"C{k}", ms=12)
axes[0].set_xticks(range(3), frame.labels)
axes[0].set(ylabel="from belief to plausibility", title="both doctors are certain")
axes[0].legend(frameon=False, ncols=4, fontsize="small", loc="upper center")
axes[0].set_ylim(-0.04, 1.18)

# %%
# If both doctors are discounted, Dempster's rule spreads its belief over both of their diagnoses.

rates = np.linspace(0, 0.05, 201)
m = dempster(*(discount(doctor, rate=rates) for doctor in (first, second)))
for label, color in zip(frame, ("#0072B2", "#E69F00", "k"), strict=True):
    style = "--" if label == "concussion" else "-"
    axes[1].plot(100 * rates, m.bel(label), style, color=color, label=label)
axes[1].set(xlabel="each doctor is unreliable, % of cases", title="belief by Dempster's rule")
axes[1].legend(frameon=False)
plt.show()
