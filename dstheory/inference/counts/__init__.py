"""Mass functions from counts."""
