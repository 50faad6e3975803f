"""Fits of one curve to scores and labels: pure functions, from which calibrators are made."""
