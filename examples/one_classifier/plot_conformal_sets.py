"""
Sets of digits with a guarantee
===============================

"Give me a set of digits that misses the true one at most once in twenty times." A conformal
classifier keeps this promise with any classifier inside; a better one has smaller sets. Naive Bayes
and nearest neighbors on 8 x 8 images of digits. Source: Vovk, Gammerman & Shafer, Algorithmic
Learning in a Random World, 2005.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from dstheory.plot.style import COLORS
from evical.conformal import ConformalClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
levels = np.array([0.01, 0.02, 0.05, 0.1, 0.2])
models = {"naive Bayes": GaussianNB(var_smoothing=1e-3), "neighbors": KNeighborsClassifier(15)}

# %%
# A part of the training samples is held out to calibrate. The belief that results does not depend
# on a level: sets for any level follow from its contour.

found = {}
for name, classifier in models.items():
    model = ConformalClassifier(classifier, random_state=0).fit(X_train, y_train)
    sets = [model.predict_set(X_test, alpha=alpha) for alpha in levels]
    missed = np.array([1 - kept[np.arange(len(y_test)), y_test].mean() for kept in sets])
    found[name] = missed, np.array([kept.sum(axis=1).mean() for kept in sets])
    print(f"{name:12}", "  ".join(f"{m:.3f} of {a}" for m, a in zip(missed, levels, strict=True)))

# %%
# Neither misses more than promised. Neighbors do it with little more than one digit in a set, where
# naive Bayes at a level of 1 or 2 % keeps nearly all ten.

(bayes_missed, bayes_size), (missed, size) = found.values()
assert np.all([bayes_missed, missed] <= levels)
assert np.all(size[:2] < 1.5)
assert np.all(bayes_size[:2] > 9)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
styles = {"naive Bayes": (COLORS["vermilion"], "s--"), "neighbors": (COLORS["blue"], "o-")}
for name, (missed, sizes) in found.items():
    color, style = styles[name]
    left.plot(100 * levels, 100 * missed, style, color=color)
    right.plot(100 * levels, sizes, style, color=color)
    left.text(20.8, 100 * missed[-1], name, color=color, va="center")
left.plot([0, 20], [0, 20], ":", color=COLORS["gray"])
left.text(20.8, 20, "promised\nat most", color=COLORS["gray"], va="center")
left.set(xlabel="level, %", ylabel="sets that miss, %", xlim=(0, 31), ylim=(-1, 22))
left.set_title("Both keep the promise ...", loc="left")
right.text(2.7, 9.3, "naive Bayes", color=styles["naive Bayes"][0])
right.text(1.2, 0.35, "neighbors", color=styles["neighbors"][0])
left.set_xticks([0, 5, 10, 20])
right.set(xlabel="level, %", ylabel="digits in a set, mean", ylim=(0, 10.5), xticks=[1, 5, 10, 20])
right.set_title("... neighbors with smaller sets", loc="left")
plt.show()
