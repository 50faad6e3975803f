"""
A network trained through its beliefs
=====================================

The last layer of a network may be evidence: prototypes, whose masses fade with distance and are
combined by Dempster's rule. `dstheory.tensor` computes them with gradients, so the layers before it
are trained to make that evidence good. On handwritten digits this network is right more often than
prototypes of pixels, it knows nothing about images that are no digits, and Dempster's rule combines
it with a calibrated forest. Source: Denoeux, A neural network classifier based on Dempster-Shafer
theory, IEEE Trans. Systems, Man, and Cybernetics A 30(2), 2000.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np
from jax import numpy as jnp
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from dstheory import Frame, MassFunction, betp, dempster, tensor
from dstheory.plot.style import COLORS
from evical import EvidentialClassifier
from evical.learners import EvidentialNeuralClassifier

images, labels = load_digits(return_X_y=True)
images = np.float32(images / 16)
X, X_new, y, y_new = train_test_split(images, labels, test_size=0.5, random_state=0)

# %%
# The network has one layer of sixteen units and a head of twenty prototypes, two for each digit.
# Its parameters are one dictionary, its outputs the masses of ten digits and of the frame. The cost
# is the log loss of pignistic probabilities; Adam follows its gradient.

rng = np.random.default_rng(0)
layer = {"weight": rng.normal(size=(64, 16)) / 8, "offset": np.zeros(16)}


def features(parameters, x):
    return jnp.tanh(x @ parameters["weight"] + parameters["offset"])


def mass(parameters, x):
    return tensor.prototype_mass(parameters, features(parameters, x))


def cost(parameters):
    return tensor.log_loss(tensor.betp(mass(parameters, X)), jnp.asarray(y)).mean()


def adam(state, step, rate=0.02):
    parameters, first, second = state
    value, slope = jax.value_and_grad(cost)(parameters)
    first = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, first, slope)
    second = jax.tree.map(lambda a, g: 0.99 * a + 0.01 * g**2, second, slope)

    def moved(p, a, b):
        unbiased = a / (1 - 0.9**step), b / (1 - 0.99**step)
        return p - rate * unbiased[0] / (jnp.sqrt(unbiased[1]) + 1e-8)

    return (jax.tree.map(moved, parameters, first, second), first, second), value


layer = jax.tree.map(jnp.float32, layer)
head = tensor.initial_prototypes(features(layer, X), y, 20, rng=rng)
start = jax.tree.map(jnp.asarray, layer | head)
zeros = jax.tree.map(jnp.zeros_like, start)
train = jax.jit(lambda state: jax.lax.scan(adam, state, jnp.arange(1, 151)))
(trained, *_), costs = train((start, zeros, zeros))
print(f"cost: {costs[0]:.2f}, after 150 steps {costs[-1]:.2f}")
assert costs[-1] < costs[0] / 5

# %%
# On new images the network is right more often than `EvidentialNeuralClassifier`, whose prototypes
# are images. Its masses become mass functions of the library, and Dempster's rule combines them
# with those of a calibrated random forest: together they are right more often than each alone.

forest = EvidentialClassifier(RandomForestClassifier(50, random_state=0)).fit(X, y)
frame = Frame(forest.classes_.tolist())
focal = [*(1 << k for k in range(10)), 2**10 - 1]


def network(x):
    return MassFunction(frame, focal, np.asarray(mass(trained, x)))


pixels = EvidentialNeuralClassifier(n_prototypes=20, random_state=0).fit(X, y)
beliefs = {"network": network(X_new), "forest": forest.predict_mass(X_new)}
beliefs["fused"] = dempster(*beliefs.values())
right = {name: (betp(m).argmax(axis=1) == y_new).mean() for name, m in beliefs.items()}
right["prototypes of pixels"] = pixels.score(X_new, y_new)
print("right:", {name: f"{share:.3f}" for name, share in right.items()})
assert right["fused"] > max(right["network"], right["forest"])
assert right["network"] > right["prototypes of pixels"] + 0.02

# %%
# Images that are no digits were not in training: noise, and digits in black on white. The mass on
# the frame, "any digit", is small on digits and near 1 on the others. There the fused belief is
# what the forest says.

strange = {"noise": rng.random((300, 64), dtype="float32"), "inverted digits": 1 - X_new[:300]}
unknown = {"digits": beliefs["network"].mass(frame)}
unknown |= {name: network(x).mass(frame) for name, x in strange.items()}
print("mean mass on the frame:", {name: f"{m.mean():.2f}" for name, m in unknown.items()})
assert unknown["digits"].mean() < 0.15
assert min(unknown[name].mean() for name in strange) > 0.9
for x in strange.values():
    alone = forest.predict_mass(x)
    fused = dempster(network(x), alone)
    assert np.abs(betp(fused) - betp(alone)).mean() < 0.01

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for place, (name, share) in enumerate(right.items()):
    axes[0].plot(share, place, "o", color=COLORS["blue" if name == "fused" else "gray"], ms=8)
axes[0].set_yticks(range(len(right)), right)
axes[0].set(xlim=(0.88, 1), ylim=(3.5, -0.5), xlabel="new digits classified correctly")
axes[0].set_title("Fused is best", loc="left")
bins = np.linspace(0, 1, 21)
places = {"digits": (0.13, "blue"), "noise": (0.9, "green"), "inverted digits": (0.9, "vermilion")}
for row, (name, (x, color)) in enumerate(places.items()):
    axes[1].hist(unknown[name], bins, alpha=0.6, color=COLORS[color])
    y, side = 0.9 - 0.1 * row, "left" if x < 0.5 else "right"
    axes[1].text(x, y, name, color=COLORS[color], ha=side, transform=axes[1].get_xaxis_transform())
axes[1].set(xlabel="mass on the frame: any digit", ylabel="images")
axes[1].set_title("What is no digit is left open", loc="left")
plt.show()
