"""Data sets as plain arrays: by name, bundled ones, and CSV files."""

from evical.datasets._dataset import Dataset
from evical.datasets._load import load, load_breast_cancer
from evical.datasets._simulated import (
    SIMULATIONS,
    SimulatedScores,
    simulated_probability,
    simulated_quantiles,
    simulated_scores,
)
from evical.datasets.csv import load_csv

__all__ = [
    "SIMULATIONS",
    "Dataset",
    "SimulatedScores",
    "load",
    "load_breast_cancer",
    "load_csv",
    "simulated_probability",
    "simulated_quantiles",
    "simulated_scores",
]
