"""Evidential calibration: the scores of any classifier become belief functions."""
