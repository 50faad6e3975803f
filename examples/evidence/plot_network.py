"""
How late will the ship be?
==========================

Almond's captain has a model of delays: a day each for loading, for maintenance and for a forecast
of bad weather before the ship leaves, and for bad weather and repairs at sea. A valuation network
combines what is known, and shows how the belief about the arrival changes with the news.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory.network import ValuationNetwork
from dstheory.plot import NetworkDisplay
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

figure, (left, right) = plt.subplots(
    1, 2, figsize=(12, 4.6), layout="constrained", width_ratios=[1.2, 1]
)
NetworkDisplay.from_network(net, ax=left)
left.set_title("Variables (round), and what is known about them (square)")

# %%
# Belief and plausibility that the ship is at most that many days late; the bar is what nobody
# knows.

days = np.arange(6)
for row, (name, told) in enumerate(news.items()):
    m = told.marginal("arrival")
    bel, pl = (np.array([f(range(day + 1)) for day in days]) for f in (m.bel, m.pl))
    shift = 0.14 * (row - 2)
    right.vlines(days + shift, bel, pl, color=f"C{row}", lw=5, alpha=0.5)
    right.plot(days + shift, bel, "_", color=f"C{row}", ms=7, label=name)
    right.plot(days + shift, pl, "_", color=f"C{row}", ms=7)
    print(f"{name:25} at most 2 days late: {bel[2]:.3f} to {pl[2]:.3f}")
right.set(xlabel="at most so many days late", ylim=(-0.03, 1.03), title="Belief to plausibility")
right.legend(frameon=False, loc="lower right")
plt.show()
