"""The demo: ten classifiers, calibrated and combined, on bundled data or your own."""
