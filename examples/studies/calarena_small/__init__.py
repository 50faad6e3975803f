"""A replica of CalArena in small: calibrators on probabilities of eight classifiers."""
