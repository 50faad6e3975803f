"""
How late will the ship be?
==========================

Almond's captain has a model of delays: a day each for loading, for maintenance and for a forecast
of bad weather before the ship leaves, and for bad weather and repairs at sea. A valuation network
combines what is known, and shows how the belief about the arrival changes with the news.
"""

import matplotlib.pyplot as plt

from dstheory.network import ValuationNetwork
from dstheory.plot import NetworkDisplay
from dstheory.plot.style import COLORS
from dstheory.product import Variable, conditional, equal, observe, relation

arrival = Variable("arrival", range(7))
departure, sailing = Variable("departure", range(4)), Variable("sailing", range(4))
forecast, weather = Variable("forecast", ["foul", "fair"]), Variable("weather", ["foul", "fair"])
loading, maintenance, repairs = (
    Variable(name, [True, False]) for name in ("loading", "maintenance", "repairs")
)
experience = {
    True: {True: 0.1, False: 0.7, (True, False): 0.2},
    False: {True: 0.2, False: 0.2, (True, False): 0.6},
}
net = ValuationNetwork(
    [arrival, departure, sailing, loading, forecast, maintenance, weather, repairs],
    {
        "sum": relation([arrival, departure, sailing], lambda a, d, s: a == d + s),
        "in port": relation(
            [departure, loading, forecast, maintenance],
            lambda d, late, sky, care: d == late + (sky == "foul") + care,
        ),
        "at sea": relation(
            [sailing, weather, repairs], lambda s, sky, broken: s == (sky == "foul") + broken, 0.9
        ),
        "forecasts": equal([forecast, weather], 0.8),
        "experience": conditional(repairs, maintenance, experience),
    },
)
print(net.plan())

# %%
# News comes in, one piece after the other. Networks do not change; the next one shares all messages
# that the news does not affect.

news = {"nothing known": net}
news["no maintenance"] = net.observe({"maintenance": False})
news["+ fair forecast (0.75)"] = news["no maintenance"].add(observe({forecast: "fair"}, 0.75))
news["+ loaded on time"] = news["+ fair forecast (0.75)"].observe({"loading": False})
news["+ it broke down at sea"] = news["+ loaded on time"].observe({"repairs": True})
marginals = {name: told.marginal("arrival") for name, told in news.items()}

figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
NetworkDisplay.from_network(net, ax=ax)
ax.set_title("Variables (blue), and what is known about them (red)", loc="left")
plt.show()

# %%
# Is the ship at most two days late? The bar from belief to plausibility is what nobody knows. Good
# news raises the belief; the breakdown lowers it a little, and nothing excludes that it is in time.

figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
ends = {name: [f(range(3)) for f in (m.bel, m.pl)] for name, m in marginals.items()}
bels, pls = zip(*ends.values(), strict=True)
assert list(bels[:4]) == sorted(bels[:4])
assert bels[2] < bels[4] < bels[3]
assert min(pls) > 0.999
for row, (name, (bel, pl)) in enumerate(ends.items()):
    print(f"{name:25} at most 2 days late: {bel:.3f} to {pl:.3f}")
    ax.plot([bel, pl], [row, row], color=COLORS["blue"], lw=9, alpha=0.6, solid_capstyle="butt")
    ax.text(pl + 0.02, row, f"{bel:.2f} to {pl:.2f}", va="center")
ax.set_yticks(range(len(ends)), ends)
ax.set(xlim=(0, 1.25), ylim=(4.6, -0.6), xticks=[0, 0.5, 1])
ax.set_xlabel("at most two days late, from belief to plausibility")
ax.set_title("Good news raises the belief, the breakdown lowers it a little", loc="left")
plt.show()
