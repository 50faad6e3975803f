"""Sources that say something about samples with known labels."""

import numpy as np

from dstheory import Frame, MassFunction

LABELS = ("ant", "bee", "cat")


def sources(n=60, n_classes=2, qualities=(2.0, 1.0, 0.0), ignorance=0.3, seed=0):
    """Mass functions (one a quality) about n samples, and their labels.

    A quality is how far the log-odds of the true label are shifted on average; the masses of
    single labels and of the frame sum to 1.
    """
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    frame = Frame(LABELS[:n_classes])
    masses = []
    for quality in qualities:
        scores = rng.normal(size=(n, n_classes)) + quality * np.eye(n_classes)[codes]
        share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        rest = ignorance * rng.uniform(0.2, 1, (n, 1))
        table = np.hstack([share * (1 - rest), rest])
        focal = [*(1 << k for k in range(n_classes)), frame.full]
        masses.append(MassFunction(frame, focal, table))
    return masses, np.array(LABELS)[codes]
