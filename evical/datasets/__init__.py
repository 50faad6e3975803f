"""Data sets as plain arrays: bundled ones, and CSV files."""

from evical.datasets._bundled import load_breast_cancer
from evical.datasets._csv import load_csv
from evical.datasets._dataset import Dataset

__all__ = ["Dataset", "load_breast_cancer", "load_csv"]
