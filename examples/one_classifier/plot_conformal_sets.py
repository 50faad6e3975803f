"""
Sets of digits with a guarantee
===============================

"Give me a set of digits that misses the true one at most once in twenty times." A conformal
classifier keeps this promise with any classifier inside; a better one has smaller sets. Naive Bayes
and a support vector machine on 8 x 8 images of digits. Source: Vovk, Gammerman & Shafer,
Algorithmic Learning in a Random World, 2005.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

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
    missed = [1 - kept[np.arange(len(y_test)), y_test].mean() for kept in sets]
    found[name] = missed, [kept.sum(axis=1).mean() for kept in sets]
    print(f"{name:12}", "  ".join(f"{m:.3f} of {a}" for m, a in zip(missed, levels, strict=True)))
    unsure = sets[2].sum(axis=1).argmax()

# %%
# The shares that are missed stay near the level or below. The last picture is the digit about which
# the neighbors are least sure.

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", width_ratios=(3, 3, 2))
for (name, (missed, sizes)), style in zip(found.items(), ("o-", "s--"), strict=True):
    axes[0].plot(levels, missed, style, label=name)
    axes[1].plot(levels, sizes, style, label=name)
axes[0].plot([0, 0.2], [0, 0.2], "k:", label="promised at most")
axes[0].set(xlabel="level", ylabel="share of sets that miss")
axes[0].legend(frameon=False)
axes[1].set(xlabel="level", ylabel="digits in a set", yscale="log", ylim=(0.8, 11))
axes[2].imshow(X_test[unsure].reshape(8, 8), cmap="gray_r")
axes[2].set(title=f"a {y_test[unsure]}: {np.flatnonzero(sets[2][unsure])}", xticks=[], yticks=[])
plt.show()
