"""
What a network does not know
============================

A network is sure of samples that are like nothing that it has seen; a network of prototypes says
that it does not know them. Its prototypes are pieces of evidence for classes, which fade with
distance. Where all of them have faded, the mass is on the frame, "either class": belief is 0 and
plausibility 1. Source: Denoeux, A neural network classifier based on Dempster-Shafer theory, IEEE
Trans. Systems, Man, and Cybernetics A 30(2), 2000.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from sklearn.datasets import make_moons
from sklearn.neural_network import MLPClassifier

from dstheory.plot.style import COLORS
from evical.learners import EvidentialNeuralClassifier

X, y = make_moons(400, noise=0.15, random_state=0)
X_new, y_new = make_moons(400, noise=0.15, random_state=1)
strange = np.random.default_rng(0).normal([3, 2], 0.25, (100, 2))  # of neither moon

ordinary = MLPClassifier((20,), solver="lbfgs", max_iter=2000, random_state=0).fit(X, y)
evidential = EvidentialNeuralClassifier(n_prototypes=20, loss="squared", random_state=0).fit(X, y)

# %%
# On new samples of the moons both are right equally often. The strange samples belong to no moon.
# The ordinary network gives them to one of both without a doubt. The evidential one keeps both
# classes open.

either = evidential.classes_.tolist()  # an event: the frame
for name, points in {"moons": X_new, "strange": strange}.items():
    surest = ordinary.predict_proba(points).max(axis=1)
    unknown = evidential.predict_mass(points).mass(either)
    both = evidential.predict_set(points).all(axis=1)
    print(f"{name}: probability of the best class {surest.mean():.3f} (ordinary network)")
    print(f"    mass on either class {unknown.mean():.3f}, both kept for {both.mean():.0%}")
print("right:", ordinary.score(X_new, y_new), evidential.score(X_new, y_new))
reaching = EvidentialNeuralClassifier(n_prototypes=20, random_state=0).fit(X, y)
print("with the log loss:", reaching.score(X_new, y_new), end="; mass on either class of strange: ")
print(reaching.predict_mass(strange).mass(either).mean().round(2))

# %%
# Left: probabilities of the ordinary network. They depend on the side of a border only, however far
# away. Right: mass on either class. It is small along the moons and grows to 1 beyond them. Crosses
# are prototypes, where the fit has put them. How far they reach is also found from the moons alone.
# The log loss, which is the default, lets them reach farther and is as often right. What counts as
# strange is not in the data.

grid = np.stack(np.meshgrid(np.linspace(-3, 4.5, 150), np.linspace(-2.5, 3.5, 120)), axis=-1)
flat = grid.reshape(-1, 2)
two_classes = LinearSegmentedColormap.from_list("", [COLORS["sky"], "w", COLORS["orange"]])
assert ordinary.predict_proba(strange).max(axis=1).mean() > 0.95
assert evidential.predict_mass(strange).mass(either).mean() > 0.6
assert evidential.predict_mass(X_new).mass(either).mean() < 0.3
panels = {
    "Ordinary: sure far away": (ordinary.predict_proba(flat)[:, 1], two_classes),
    "Prototypes: open far away": (evidential.predict_mass(flat).mass(either), "Grays"),
}
labels = ("probability of class 1", "mass on either class")
figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained", sharey=True)
for ax, (title, (values, colors)) in zip(axes, panels.items(), strict=True):
    image = ax.pcolormesh(
        *np.moveaxis(grid, -1, 0), values.reshape(grid.shape[:2]), cmap=colors, vmin=0, vmax=1
    )
    figure.colorbar(image, ax=ax, label=labels[colors == "Grays"])
    for label, color in enumerate([COLORS["blue"], COLORS["vermilion"]]):
        ax.scatter(*X[y == label].T, s=10, color=color, edgecolor="white", linewidth=0.3)
    ax.scatter(*strange.T, s=12, color=COLORS["green"], edgecolor="white", linewidth=0.3)
    ax.set_title(title, loc="left")
    ax.set(xlim=(-3, 4.5), ylim=(-2.5, 3.5))
axes[1].scatter(*evidential.prototypes_.T, marker="x", color="black", s=45)
for x, y, text in ((-2.6, 1.3, "class 0"), (1.1, -1.3, "class 1"), (2.4, 2.8, "strange")):
    axes[0].text(x, y, text)
plt.show()
