"""
Decide, or ask for a biopsy?
============================

A false alarm costs 1, a missed tumor costs 3, and a biopsy, which settles the matter, costs 0.3.
Where should the machine decide, and where should it ask? There are two reasons to ask: the patient
is a risky case, or too little is known about such cases. A probability does not tell the two apart,
a belief function does.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dstheory import decide
from dstheory.plot.style import COLORS
from evical import EvidentialClassifier

data = load_breast_cancer()
X, y = data.data[:, :2], data.target_names[data.target]  # mean radius and mean texture

acts = ["call it benign", "call it malignant", "biopsy"]
utilities = -np.array([[0, 3], [1, 0], [0.3, 0.3]])  # a row an act, a column a class


def fitted(n, seed):
    """A classifier trained and calibrated on n patients, and the patients left."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, train_size=n, random_state=seed, stratify=y
    )
    svm = make_pipeline(StandardScaler(), SVC())
    return EvidentialClassifier(svm, ensemble=False).fit(X_train, y_train), X_test, y_test


# %%
# The answer to a patient is a mass function on {benign, malignant}. Its pignistic probability
# gives each act an expected utility. The belief function gives it a lower one as well: the least
# under all probabilities between belief and plausibility. `maximin` chooses the act with the
# greatest lower expected utility, so it also asks where little is known.

machine, X_test, y_test = fitted(40, seed=0)
for row in (0, 1, 20):
    m = machine.predict_mass(X_test[[row]])[0]
    print(f"malignant: {m.bel('malignant'):.2f} to {m.pl('malignant'):.2f}", end="  ")
    print("expected:", decide.maximize_expected_utility(m, utilities, acts=acts), end="; ")
    print("at worst:", decide.maximin(m, utilities, acts=acts))

# %%
# `predict_set` leaves the choice open instead: it keeps all acts that no other act beats under
# every probability allowed. The last column is the biopsy.

kept = machine.predict_set(X_test, utilities, criterion="maximality")
names, counts = np.unique(kept.astype(int), axis=0, return_counts=True)
for row, count in zip(names, counts, strict=True):
    print(f"{count:4} of {len(kept)} patients: {' or '.join(np.array(acts)[row == 1])}")

# %%
# What does it cost, for 20 to 320 training patients? Twelve splits each, tested on all patients
# left. Without a biopsy everybody must be called benign or malignant.

sizes = [20, 40, 80, 160, 320]
ways = {
    "no biopsy": lambda m: decide.maximize_expected_utility(m, utilities[:2], acts=range(2)),
    "expected utility": lambda m: decide.maximize_expected_utility(m, utilities, acts=range(3)),
    "maximin": lambda m: decide.maximin(m, utilities, acts=range(3)),
}
found = np.empty((len(ways), len(sizes), 12))  # mean cost
for i, n in enumerate(sizes):
    for seed in range(12):
        model, X_test, y_test = fitted(n, seed)
        m = model.predict_mass(X_test)
        for way, choose in enumerate(ways.values()):
            act = choose(m)
            truth = (y_test == "malignant").astype(int)
            found[way, i, seed] = -utilities[act, truth].mean()
mean, error = found.mean(axis=2), found.std(axis=2, ddof=1) / np.sqrt(12)
print(f"cost a patient, mean of 12 splits ± standard error, for {sizes} training patients")
for name, costs, ses in zip(ways, mean, error, strict=True):
    print(f"  {name:17}", *(f"{c:.3f} ± {e:.3f} " for c, e in zip(costs, ses, strict=True)))

# %%
# The option to ask saves at every size. More caution has its price: expected utility costs least on
# average, as it should with calibrated probabilities. Maximin pays for biopsies of patients about
# whom little is known, and still costs less than never asking. It is for those who prefer that
# price to calling somebody healthy on the basis of so few cases.


def clear(one, other):
    """By how many standard errors of the paired difference the first way is cheaper, by size."""
    difference = found[other] - found[one]
    return difference.mean(axis=1) / (difference.std(axis=1, ddof=1) / np.sqrt(12))


never, expected, maximin = range(3)
assert (clear(expected, never) > 2).all()
assert (clear(expected, maximin) > 2).all()
assert (mean[maximin] < mean[never]).all()

figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
colors = (COLORS["gray"], COLORS["blue"], COLORS["vermilion"])
words = ("never ask", "ask by expected utility", "ask by maximin")
for way, (color, style, text) in enumerate(zip(colors, ("^:", "o-", "s--"), words, strict=True)):
    ax.errorbar(sizes, mean[way], yerr=error[way], fmt=style, color=color, capsize=3)
    ax.text(345, mean[way, -1], text, color=color, va="center")
ax.set(xscale="log", xlabel="training patients", ylabel="cost a patient ± standard error")
ax.set(xlim=(18, 900), ylim=(0, None))
ax.set_xticks(sizes, sizes, minor=False)
ax.minorticks_off()
ax.set_title("Asking saves at every size; asking out of caution costs a part of that", loc="left")
plt.show()

# %%
# The map shows where each criterion asks. In the hatched region expected utility decides and only
# maximin asks: there an answer rests on too few cases. With 40 training patients maximin decides
# nowhere, with 320 where the evidence is clear.

figure, axes = plt.subplots(1, 2, figsize=(8, 4.4), layout="constrained", sharey=True)
radius, texture = np.meshgrid(np.linspace(6, 29, 120), np.linspace(9, 40, 120))
plane = np.column_stack([radius.ravel(), texture.ravel()])
zones = {"call it benign": COLORS["sky"], "call it malignant": COLORS["vermilion"]}
zones |= {"biopsy, both say": "0.97", "biopsy, only maximin": "0.8"}
in_zone, asked = [], []
for ax, n in zip(axes, (40, 320), strict=True):
    model = fitted(n, seed=0)[0]
    safe, bold = (ways[way](model.predict_mass(plane)) for way in ("maximin", "expected utility"))
    zone = np.where(safe == bold, safe, 3).reshape(radius.shape)
    in_zone.append((zone == 3).mean())
    asked.append((safe == 2).mean())
    style = {"colors": list(zones.values()), "hatches": ["", "", "", "///"]}
    ax.contourf(radius, texture, zone, [-0.5, 0.5, 1.5, 2.5, 3.5], **style)
    for label, marker, face in (("benign", "o", "w"), ("malignant", "^", "k")):
        ax.plot(*X[y == label].T, marker, ms=3, color="k", mfc=face, mew=0.4, label=label)
    ax.set(xlabel="mean radius", xlim=(6, 29), ylim=(9, 40))
print("share of the map in the hatched region:", np.round(in_zone, 2))
assert asked[0] == 1
assert asked[1] < 0.8
axes[0].set_title("40 patients: maximin always asks", loc="left")
axes[1].set_title("320 patients: it decides where it knows", loc="left", fontsize="medium")
axes[0].set_ylabel("mean texture")
patches = [Patch(fc=c, ec="k", hatch="///" * (c == "0.8"), label=z) for z, c in zones.items()]
figure.legend(handles=[*patches, *axes[0].lines], loc="outside lower left", ncols=3, frameon=False)
plt.show()
