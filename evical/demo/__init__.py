"""What `evical demo` runs: ten classifiers, calibrated and combined, on data of two classes."""
