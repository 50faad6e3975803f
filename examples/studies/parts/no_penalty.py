"""Logistic regression without a penalty, for every version of scikit-learn."""

__all__ = ["NO_PENALTY"]

NO_PENALTY = 1e30
"""`C` of scikit-learn's classifiers: 1 / C is the weight of the penalty, here nothing.

An infinite `C` gets a warning before scikit-learn 1.9, and `penalty=None` gets one from 1.8 on.
"""
