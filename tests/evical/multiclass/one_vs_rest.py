"""Evidence on each class against the rest, (3, K, *batch), combined."""

import numpy as np

from evical.beliefs.products import Products
from evical.multiclass._inputs import column_masses

__all__ = ["one_vs_rest_betp", "one_vs_rest_interval", "one_vs_rest_mass"]


def one_vs_rest_mass(columns, frame):
    names = np.array(frame.labels, dtype=object)
    return Products.of_columns(column_masses(columns), names).mass()


def one_vs_rest_interval(columns):
    return Products.of_columns(column_masses(columns)).interval()


def one_vs_rest_betp(columns, rule=None):
    return Products.of_columns(column_masses(columns)).betp(rule)
