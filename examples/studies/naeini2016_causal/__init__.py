"""Naeini (2016), Obtaining accurate probabilities using classifier calibration, section 6.2."""
