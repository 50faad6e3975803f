"""How near `AutoCalibrator` comes to the best of all methods, on maps of many forms."""
