"""
The three prisoners, and a jailer of unknown habits
===================================================

One of three prisoners, drawn by lot, will be pardoned. Prisoner a asks the jailer for the name of
another one who will not be. "Not b", says the jailer. Does this help a? It depends on what the
jailer does if he may name b or c. A belief function needs no assumption about it. Sources: Diaconis
& Zabell, Some alternatives to Bayes's rule, 1986; Fagin & Halpern, A new approach to updating
beliefs, 1991.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory import MassFunction
from dstheory.plot.style import COLORS
from dstheory.product import ProductFrame, Variable
from dstheory.revise import condition

pardoned = Variable("pardoned", ["a", "b", "c"])
says = Variable("says", ["not b", "not c"])
frame = ProductFrame([pardoned, says])

# %%
# The lot gives 1/3 to each prisoner. If b or c is pardoned, the jailer has no choice. If a is, both
# answers are open: the mass goes to the set of both.

lot = MassFunction.from_dict(
    frame,
    {
        (("a", "not b"), ("a", "not c")): 1 / 3,
        (("b", "not c"),): 1 / 3,
        (("c", "not b"),): 1 / 3,
    },
)
heard = {"says": "not b"}
answers = {
    "Dempster's conditioning": condition(lot, heard),
    "focusing": condition(lot, heard, rule="focusing"),
}
a = {"pardoned": "a"}
for name, m in answers.items():
    print(f"{name:24} a is pardoned: {m.bel(a):.3f} to {m.pl(a):.3f}")

# %%
# Focusing applies Bayes' rule for every habit of the jailer, and finds all answers from 0 to 1/2.
# Dempster's conditioning takes "not b" for a fact that is as compatible with a as with c: it
# answers 1/2, as if the jailer would never name c. A jailer who tosses a coin leaves a with 1/3.

habit = np.linspace(0, 1, 101)
exact = {name: [m.bel(a), m.pl(a)] for name, m in answers.items()}
np.testing.assert_allclose(exact["focusing"], [0, 1 / 2], atol=1e-12)
np.testing.assert_allclose(exact["Dempster's conditioning"], [1 / 2, 1 / 2])
bayes = habit / (1 + habit)
np.testing.assert_allclose([bayes.min(), bayes.max()], exact["focusing"], atol=1e-12)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.axhspan(*exact["focusing"], color=COLORS["sky"], alpha=0.5, lw=0)
ax.text(0.02, 0.42, "focusing: the habit is unknown, 0 to 1/2")
ax.axhline(exact["Dempster's conditioning"][0], color=COLORS["vermilion"], lw=2)
ax.text(0.02, 0.53, "Dempster's conditioning: 1/2", color=COLORS["vermilion"])
ax.plot(habit, bayes, "k")
ax.text(0.3, 0.12, "Bayes' rule: the habit is known")
ax.plot(0.5, 1 / 3, "ko")
ax.text(0.53, 0.29, "a jailer who tosses a coin: 1/3")
ax.set(xlabel="probability of 'not b' if a is pardoned", ylabel="probability of a")
ax.set(xlim=(0, 1), ylim=(0, 0.6))
ax.set_title("What a learns depends on the habit of the jailer", loc="left")
plt.show()
