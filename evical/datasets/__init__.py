"""Data sets as plain arrays: by name, bundled ones, and CSV files."""

from evical.datasets._dataset import Dataset
from evical.datasets.csv import load_csv
from evical.datasets.loaders import load
from evical.datasets.simulated import simulated_scores

__all__ = [
    "Dataset",
    "load",
    "load_csv",
    "simulated_scores",
]


def __dir__() -> list[str]:
    return __all__
