"""Data sets as plain arrays: by name, and bundled ones."""

from evical.datasets._dataset import Dataset
from evical.datasets.loaders import load
from evical.datasets.simulated import simulated_scores

__all__ = [
    "Dataset",
    "load",
    "simulated_scores",
]


def __dir__() -> list[str]:
    return __all__
