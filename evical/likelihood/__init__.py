"""From a likelihood to masses: one engine for every parametric calibrator."""
