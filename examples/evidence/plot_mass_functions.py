"""
Mass functions in five minutes
==============================

Something crossed the garden at night: a fox, a dog or a cat. A blurred photo shows a long snout, so
a fox or a dog, but three in ten such photos are useless. A tracker believes that the prints are a
fox's, perhaps a cat's. Neither says how probable each animal is. A mass function states what each
of them does say, and no more: shares of belief go to *sets* of animals, and the rest goes to the
set of all.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory import Frame, MassFunction, betp, decide, discount
from dstheory.combine import conjunctive
from dstheory.plot import HasseDisplay, MassDisplay
from dstheory.plot.style import COLORS
from evical.plot import SimplexDisplay

frame = Frame(["fox", "dog", "cat"])
photo = MassFunction.from_dict(frame, {("fox", "dog"): 0.7, frame: 0.3})
tracker = MassFunction.from_dict(frame, {"fox": 0.6, "cat": 0.1, frame: 0.3})
both = photo @ tracker  # Dempster's rule
print(both)

# %%
# Belief adds up the masses of all sets that imply an answer, plausibility those of all sets that do
# not contradict it. The photo alone gives the fox a belief of 0, because nothing in it
# distinguishes a fox from a dog, and a plausibility of 1, because nothing in it contradicts a fox.
# A probability would have to be one number, the same for "no idea" as for "half of the time".

for name, m in {"photo": photo, "tracker": tracker, "both": both}.items():
    print(f"{name:8} fox: {m.bel('fox'):.3f} to {m.pl('fox'):.3f}", end="   ")
    print(f"fox or dog: {m.bel(['fox', 'dog']):.3f} to {m.pl(['fox', 'dog']):.3f}")

# %%
# Dempster's rule by hand: multiply the masses of each pair of sets, and give the product to what
# both sets have in common. The photo's "fox or dog" and the tracker's "cat" have nothing in common:
# that product is the degree of conflict, and the rest is divided by what is left. The rule assumes
# independent sources, such as a camera and a tracker who do not know of each other.

products = conjunctive(photo, tracker)  # the same products, not yet divided
print(f"in conflict: 0.7 * 0.1 = {products.mass([]):.2f}")
print(f"mass of fox: 0.6 * (0.7 + 0.3) / (1 - 0.07) = {both.mass('fox'):.3f}")

# %%
# A decision needs one answer. The pignistic probability shares each mass equally among the animals
# of its set. It is for betting, and no longer shows what it is based on; so it comes last.

print("pignistic probabilities:", dict(zip(frame, betp(both).round(3).tolist(), strict=True)))
print("most probable:", decide.maximum_betp(both))

# %%
# One mass function or many: a discount rate is the share of belief that is taken back because a
# source may be worthless. 101 rates make a batch of 101 trackers, combined with the photo at once.

rates = np.linspace(0, 1, 101)
doubted = photo @ discount(tracker, rate=rates)
print(f"a batch of {len(doubted)} mass functions")


# %%
# Dempster's rule in pictures: the masses of the sources and of both together.

sources = {"photo": photo, "tracker": tracker, "both": both}
assert both.mass("fox") > max(photo.mass("fox"), tracker.mass("fox"))
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
MassDisplay.from_mass(sources, ax=ax)
ax.get_legend().set_loc("lower right")
ax.get_legend().set_bbox_to_anchor((1, 0))
ax.set_title("Together they believe more in the fox than each alone", loc="left")
plt.show()

# %%
# Where the masses of both lie in the lattice of sets, each above its subsets: on the way from all
# three animals down to the fox.

figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
HasseDisplay.from_mass(both, ax=ax)
ax.set_title("")
ax.set_title("Nearly all of the mass is on sets with the fox", loc="left")
assert both.pl("fox") > 0.95
plt.show()

# %%
# In the triangle a point is a probability, and a belief is the region of all probabilities that it
# allows. What the photo and the tracker exclude is excluded by both.

figure, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
SimplexDisplay.from_mass(sources, ax=ax)
ax.set_title("Together, both sources leave less open about the cat", loc="left")
widths = [m.pl("cat") - m.bel("cat") for m in sources.values()]
assert widths[2] < min(widths[:2]) / 2
plt.show()

# %%
# The batch: the less reliable the tracker, the wider the belief about the fox, until only the photo
# is left, which allows everything from 0 to 1. The dashed probability goes to 0.45, and does not
# show why.

bel, pl, middle = doubted.bel("fox"), doubted.pl("fox"), betp(doubted)[:, 0]
assert (np.diff(pl - bel) > 0).all()
np.testing.assert_allclose([bel[-1], pl[-1], middle[-1]], [0, 1, 0.45], atol=1e-12)
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
ax.fill_between(rates, bel, pl, color=COLORS["green"], alpha=0.3, lw=0)
ax.plot(rates, bel, rates, pl, color=COLORS["green"])
ax.plot(rates, middle, "k--")
ax.text(0.03, 0.83, "probability")
ax.text(0.62, 0.88, "from belief to plausibility", color=COLORS["green"])
ax.set(xlabel="discount rate of the tracker", ylabel="fox", ylim=(-0.03, 1.03))
ax.set_title("The less reliable the tracker, the more is left open", loc="left")
plt.show()
