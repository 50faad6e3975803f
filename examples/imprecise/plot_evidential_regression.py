"""
What noise is, and what nobody knows: evidential regression
===========================================================

Where there are no samples, an evidential network says so. It learns a curve from two groups of
samples, one quiet and one noisy, and predicts a Gaussian random fuzzy number at each point: the
variance of its mode is noise, and its precision h tells how much the samples say at all. Belief
intervals are wide where there is noise, and wider still beyond the samples, as h goes to 0.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory.plot.style import COLORS
from evical.learners import EvidentialRegressor

# %%
# Samples left of -1 have little noise, those right of 1 have much. Between them, and beyond 4,
# there are none.
rng = np.random.default_rng(3)
left = rng.random(400) < 0.5
x = np.where(left, rng.uniform(-3, -1, 400), rng.uniform(1, 4, 400))
y = np.sin(3 * x) + x + np.where(left, 0.1, 0.5) * rng.standard_normal(400)

# %%
# A short `reach` lets evidence fade between the groups too. `rho=0` lets the curve bend freely.
model = EvidentialRegressor(n_prototypes=20, reach=0.1, rho=0.0, random_state=0).fit(
    x[:, np.newaxis], y
)
grid = np.linspace(-4, 6.5, 400)
prediction = model.predict_grfn(grid[:, np.newaxis])

# %%
# Above: mean and intervals of belief 0.9 and 0.5. Below: the precision h, on a log scale.
width = np.ptp(model.predict_interval(grid[:, np.newaxis], 0.9), axis=1)
quiet, noisy = ((low < grid) & (grid < high) for low, high in ((-3, -1), (1, 4)))
none = (grid > 5) | (abs(grid) < 0.1)
assert width[quiet].max() < width[noisy].min() < width[noisy].max() < width[none].min()
assert prediction.h[quiet | noisy].min() > 1 > 0.01 > prediction.h[none].max()

figure, (top, bottom) = plt.subplots(
    2, 1, figsize=(8, 5.4), sharex=True, height_ratios=[3, 1], layout="constrained"
)
for level, shade in ((0.9, 0.25), (0.5, 0.4)):
    low, high = np.clip(model.predict_interval(grid[:, np.newaxis], level).T, -50, 50)
    top.fill_between(grid, low, high, color=COLORS["blue"], alpha=shade, lw=0)
top.plot(x, y, ".", color="black", ms=3)
top.plot(grid, prediction.mu, color=COLORS["vermilion"])
for place, height, text in (
    (-2, 2.5, "little noise"),
    (2.5, -3.5, "much noise"),
    (0, 8, "no\nsamples"),
    (5.6, 8, "no samples"),
):
    top.text(place, height, text, ha="center")
top.text(6.4, 5.6, "mean", ha="right")
top.text(2.4, 8.5, "belief 0.9 and 0.5", color=COLORS["blue"], ha="center")
top.set(ylabel="y", xlim=(-4, 6.5), ylim=(-9, 11))
top.set_title("Noise widens the intervals of belief, and without samples all is open", loc="left")
bottom.plot(grid, prediction.h, color=COLORS["blue"])
bottom.set(xlabel="x", ylabel="precision h", yscale="log", ylim=(1e-3, None))
plt.show()
