"""Ways to fuse classifiers, on the same out-of-fold predictions."""
