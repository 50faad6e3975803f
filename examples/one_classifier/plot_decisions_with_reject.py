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
# The option to ask saves a lot. More caution has its price: expected utility costs least on
# average, as it should with calibrated probabilities. Maximin pays for biopsies of patients about
# whom little is known. After 20 or 40 training patients there are so many of them that never asking
# would cost less. Maximin is for those who prefer that price to calling somebody healthy on the
# basis of so few cases.
#
# The map shows where each criterion asks. In the hatched region expected utility decides and only
# maximin asks: there an answer rests on too few cases. With 320 patients a narrow rim is left.

figure, axes = plt.subplots(1, 3, figsize=(13, 4.6), layout="constrained")
radius, texture = np.meshgrid(np.linspace(6, 29, 120), np.linspace(9, 40, 120))
plane = np.column_stack([radius.ravel(), texture.ravel()])
zones = {"call it benign": "#9AD0F0", "call it malignant": "#D55E00"}
zones |= {"biopsy, both say": "0.97", "biopsy, only maximin": "0.8"}
for ax, n in zip(axes, (40, 320), strict=False):
    m = fitted(n, seed=0)[0].predict_mass(plane)
    safe = ways["maximin"](m)
    zone = np.where(safe == ways["expected utility"](m), safe, 3).reshape(radius.shape)
    style = {"colors": list(zones.values()), "hatches": ["", "", "", "///"]}
    ax.contourf(radius, texture, zone, [-0.5, 0.5, 1.5, 2.5, 3.5], **style)
    for label, marker, face in (("benign", "o", "w"), ("malignant", "^", "k")):
        ax.plot(*X[y == label].T, marker, ms=3.5, color="k", mfc=face, mew=0.4, label=label)
    ax.set(xlabel="mean radius", ylabel="mean texture", title=f"{n} training patients")
    ax.set(xlim=(6, 29), ylim=(9, 40))
patches = [Patch(fc=c, ec="k", hatch="///" * (c == "0.8"), label=z) for z, c in zones.items()]
figure.legend(handles=[*patches, *axes[0].lines], loc="outside lower left", ncols=6, frameon=False)
for name, costs, ses, style in zip(ways, mean, error, ("k^:", "bo-", "rs--"), strict=True):
    axes[2].errorbar(sizes, costs, yerr=ses, fmt=style, capsize=3, label=name)
axes[2].set(xscale="log", xlabel="training patients", ylabel="cost a patient", ylim=(0, None))
axes[2].set_xticks(sizes, sizes, minor=False)
axes[2].minorticks_off()
axes[2].set_title("cost on other patients, ± standard error")
axes[2].legend(frameon=False)
plt.show()
