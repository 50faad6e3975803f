"""Texts that claim something, and the numbers of the files that they rest on."""

import csv
import re
from collections import defaultdict

import numpy as np

from tests.support.public_objects import ROOT


def lines(name):
    return (ROOT / name).read_text(encoding="utf-8")


README, CLAIMS, PAPER, INDEX, CLASSIFIERS = (
    " ".join(lines(name).split())
    for name in (
        "README.md",
        "docs/claims.md",
        "paper/paper.md",
        "docs/reproductions/index.md",
        "docs/guide/classifiers.md",
    )
)


def table(study, folder="docs/reproductions"):
    path = ROOT / folder / f"{study}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def losses(rows, label, **where):
    """Option to data set to its mean log loss over the settings of the data set."""
    found = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["log_loss"] and all(row[key] == value for key, value in where.items()):
            found[row[label]][row["data"]].append(float(row["log_loss"]))
    return {
        option: {data: np.mean(values) for data, values in sets.items()}
        for option, sets in found.items()
    }


def paired(means, one, other):
    """Mean difference over data sets, its standard error, and their number."""
    gaps = np.array([means[one][data] - means[other][data] for data in means[one]])
    return gaps.mean(), gaps.std(ddof=1) / np.sqrt(len(gaps)), len(gaps)


def close(text, value):
    """Whether a printed number is a value, rounded to its digits."""
    digits = len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.5001 * 10**-digits


def differences(text, pattern):
    """The numbers of the one place that has the pattern."""
    (found,) = re.findall(pattern, text)
    return found


NUMBER = r"([+-]?\d+\.\d+)"
PAIR = rf"{NUMBER}, (?:standard error )?{NUMBER}"
