"""
Is it a 3, an 8, or either?
===========================

A machine that reads digits has ten answers, and for some images two of them are equally good. It
could guess. Or it could say "3 or 8", and leave the rest to someone who can look again. Support
vector machines separate two classes. Here there is one for each pair of digits. Its score becomes a
belief function, Dempster's rule combines the 45 of them, and the answer has all digits that are not
ruled out.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from evical import EvidentialClassifier
from evical.metrics import set_score
from evical.plot import SimplexDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=300, random_state=0, stratify=y
)
reader = EvidentialClassifier(SVC(), code="all_pairs", cv=3, ensemble=False).fit(X_train, y_train)
sets = reader.predict_set(X_test)  # a column a digit, True if it is not ruled out
sizes = sets.sum(axis=1)
print({int(size): int((sizes == size).sum()) for size in np.unique(sizes)}, "digits named")

# %%
# A digit is ruled out if its plausibility is less than the belief in another one (interval
# dominance). Are the open cases really hard? Few of the answers with one digit are wrong; if there
# are several digits, guessing the most probable one would be wrong in over a third of the cases.


def share(hits):
    """A share with its standard error."""
    return f"{hits.mean():.3f} ± {np.sqrt(hits.mean() * (1 - hits.mean()) / hits.size):.3f}"


p = reader.predict_proba(X_test)
wrong = reader.classes_[p.argmax(axis=1)] != y_test
print(f"{len(y_test)} images that it has not seen; share of wrong guesses")
print("  all:              ", share(wrong))
print("  one digit named:  ", share(wrong[sizes == 1]))
print("  several named:    ", share(wrong[sizes > 1]), f"of {np.sum(sizes > 1)} images")
print("the set has the true digit:", share(sets[np.arange(len(y_test)), y_test]))
assert wrong[sizes == 1].mean() < 0.03
assert wrong[sizes > 1].mean() > 1 / 3

# %%
# Is a set worth more than a guess? That depends on what "3 or 8" is worth. If it is half of a
# correct answer, a guess does as well. People who do not like to gamble value it more, as u65 does:
# a correct set of two is then worth 0.65. Even so a guess is worth slightly more, over all images:
# few of them are hard, and a set of three is worth less.

guess = np.eye(10, dtype=bool)[p.argmax(axis=1)]
values = [set_score(y_test, answer, "u65", labels=range(10)) for answer in (guess, sets)]
print("u65 of guesses and of sets: {:.4f}, {:.4f}".format(*values))
assert values[1] < values[0] < values[1] + 0.005

# %%
# Three digits fit into a triangle. This machine has few training images, and its beliefs are
# regions of probabilities; those that cross a thick line leave their digit open.

three = np.isin(y_train, [3, 8, 9])
few = np.flatnonzero(three)[:45]
small = EvidentialClassifier(SVC(), code="all_pairs", cv=3, ensemble=False)
small.fit(X_train[few], y_train[few])
rows = np.flatnonzero(np.isin(y_test, [3, 8, 9]))[:60]

figure, ax = plt.subplots(figsize=(8, 4.8), layout="constrained")
SimplexDisplay.from_estimator(small, X_test[rows], y_test[rows], max_regions=12, ax=ax)
ax.set_title("")
ax.set_title("Trained on 45 images: some beliefs cross a thick line", loc="left")
small_sets = small.predict_set(X_test[rows]).sum(axis=1)
print(f"{np.sum(small_sets > 1)} of 60 images are left open")
assert 0 < np.sum(small_sets > 1) < 20
plt.show()

# %%
# And the images that the machine for all ten digits leaves most open: the fifteen with the least
# belief in any digit.

interval = reader.predict_interval(X_test)
hard = np.argsort(np.where(sizes > 1, interval[..., 0].max(axis=1), np.inf))[:15]
right = sets[hard, y_test[hard]].sum()
assert right == 14
figure, axes = plt.subplots(3, 5, figsize=(8, 5.4), layout="constrained")
title = "Of the fifteen most open answers, fourteen have the true digit (in brackets)"
figure.suptitle(title, x=0.01, ha="left")
for ax, row in zip(axes.flat, hard, strict=True):
    ax.imshow(X_test[row].reshape(8, 8), cmap="gray_r")
    named = " or ".join(map(str, reader.classes_[sets[row]]))
    ax.set_title(f"{named}  ({y_test[row]})", fontsize="medium")
    ax.set_axis_off()
plt.show()
