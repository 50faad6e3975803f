"""Learners that speak in beliefs, beside calibrated and conformal classifiers on real data."""
