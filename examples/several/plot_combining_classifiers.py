"""
Four hospitals, one diagnosis
=============================

Four hospitals have trained a classifier each, on patients that they may not share: 20, 25, 35 and
204 of them. What do the four say together? A mean gives the smallest hospital the same weight as
the largest. With belief functions each one shows how much it knows, and the combination takes that
into account: by Dempster's rule, or by weights that are also learned from the patients.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dstheory import betp
from dstheory import dempster as dempster_rule
from dstheory.plot.style import COLORS
from evical import EvidentialEnsemble, LogisticCalibrator

data = load_breast_cancer()
X, y = data.data, data.target_names[data.target]
members = [(name, make_pipeline(StandardScaler(), SVC())) for name in "ABCD"]


def halves(seed):
    """Training patients with the rows of each hospital, and as many test patients."""
    split = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    rows = np.random.default_rng(seed).permutation(len(split[0]))
    return *split, np.split(rows, [20, 45, 80])


def ensemble(rule, subsets, model="confidence"):
    calibrator = LogisticCalibrator(model=model)
    return EvidentialEnsemble(members, calibrator=calibrator, rule=rule, subsets=subsets, cv=2)


# %%
# Training, calibration and combination are one call to fit. `predict_masses` has what each hospital
# says, `conflict` how far they contradict one another. Here is the patient with most conflict.

X_train, X_test, y_train, y_test, subsets = halves(0)
dempster = ensemble("dempster", subsets).fit(X_train, y_train)
stacked = ensemble("stacked", subsets).fit(X_train, y_train)
worst = dempster.conflict(X_test).argmax()
patient = X_test[[worst]]
said = dict(zip("ABCD", dempster.predict_masses(patient), strict=True))
said |= {"Dempster": dempster.predict_mass(patient), "stacked": stacked.predict_mass(patient)}
for name, m in said.items():
    print(f"{name:8} malignant: {m.bel('malignant')[0]:.2f} to {m.pl('malignant')[0]:.2f}")
print("diagnosis:", y_test[worst])
print("learned weights of A, B, C, D:", stacked.fusion_.weights_.round(2))

# %%
# Dempster's rule assumes that the four are independent and equally reliable, and here it is
# overconfident: their patients differ, but their classifiers are of one kind and make the same
# errors. Stacking finds weights that calibrate the sum of their evidence, from beliefs about
# patients new to each classifier. For that the hospitals share classifiers, but still not patients.
#
# Is it any better? One split tells little, so here are eight. The plain alternatives: the mean of
# Platt's probabilities, their combination by Dempster's rule (which then is Bayes' rule for
# independent sources), and the largest hospital alone.


def losses(seed):
    """Mean log loss on the test patients of a split, for each way to combine."""
    X_train, X_test, y_train, y_test, subsets = halves(seed)
    platt = ensemble("dempster", subsets, "bayesian").fit(X_train, y_train)
    fused = ensemble("stacked", subsets).fit(X_train, y_train)
    alone = [member.predict_proba(X_test) for member in platt.estimators_]
    p = {
        "mean of probabilities": np.mean(alone, axis=0),
        "probabilities, Dempster": platt.predict_proba(X_test),
        "beliefs, Dempster": betp(dempster_rule(*fused.predict_masses(X_test))),
        "largest hospital alone": alone[3],
        "beliefs, stacked": fused.predict_proba(X_test),
    }
    column = (y_test == "malignant").astype(int)
    given = {name: q[np.arange(len(column)), column] for name, q in p.items()}
    return {name: -np.log(q.clip(1e-6)).mean() for name, q in given.items()}


rounds = [losses(seed) for seed in range(8)]
table = {name: np.array([one[name] for one in rounds]) for name in rounds[0]}
print(f"log loss on {len(y_test)} patients, mean of eight splits ± standard error")
for name, values in table.items():
    print(f"  {name:24} {values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(8):.3f}")
gain = table["largest hospital alone"] - table["beliefs, stacked"]
print(f"stacked less than alone by {gain.mean():.3f} ± {gain.std(ddof=1) / np.sqrt(8):.3f}")

# %%
# With Dempster's rule the small hospitals do more harm than good here: the largest alone is better.
# Learned weights repair that. The four together are then no worse than the largest alone, as far as
# eight splits can tell, and nobody had to know which hospital to trust. Splits share patients, so
# the standard errors are rough.


def clear(one, other):
    """By how many standard errors of the paired difference the first loss is lower."""
    difference = table[other] - table[one]
    return difference.mean() / (difference.std(ddof=1) / np.sqrt(8))


assert clear("largest hospital alone", "beliefs, Dempster") > 2
assert clear("beliefs, stacked", "beliefs, Dempster") > 2
assert abs(clear("beliefs, stacked", "largest hospital alone")) < 2
assert clear("beliefs, stacked", "mean of probabilities") > 2

figure, (left, right) = plt.subplots(
    1, 2, figsize=(8, 4), layout="constrained", width_ratios=(2, 3)
)
for place, (name, m) in enumerate(said.items()):
    color = COLORS[{"Dempster": "vermilion", "stacked": "blue"}.get(name, "gray")]
    ends = [m.bel("malignant")[0], m.pl("malignant")[0]]
    left.plot(ends, [place, place], color=color, lw=7, alpha=0.5, solid_capstyle="butt")
    left.plot(np.mean(ends), place, "o", color=color)
left.set_yticks(range(len(said)), [f"hospital {name}" if len(name) == 1 else name for name in said])
left.invert_yaxis()
left.axvline(0.5, color=COLORS["gray"], ls=":")
left.set(xlim=(0, 1), xlabel="malignant: Bel to Pl")
left.set_title(f"Most conflict ({y_test[worst]})", loc="left", fontsize="medium")
names = [name.replace(", ", ",\n").replace("of prob", "of\nprob") for name in table]
for place, (name, values) in enumerate(table.items()):
    color = COLORS[{"beliefs, Dempster": "vermilion", "beliefs, stacked": "blue"}.get(name, "gray")]
    right.plot(values, np.full(8, place), "o", color="0.75", ms=4)
    error = values.std(ddof=1) / np.sqrt(8)
    right.errorbar(values.mean(), place, xerr=error, fmt="D", color=color, capsize=4)
right.set_yticks(range(len(table)), [name.replace(" alone", "\nalone") for name in names])
right.invert_yaxis()
right.axvline(table["largest hospital alone"].mean(), color=COLORS["gray"], ls=":")
right.set(xlim=(0, None), xlabel="log loss: 8 splits, mean ± standard error")
right.set_title("Learned weights repair Dempster's rule", loc="left", fontsize="medium")
plt.show()
