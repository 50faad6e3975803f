"""Refusal of samples without most likely log-odds: a threshold separates their classes."""

from evical.scores import ScoreCounts

__all__ = ["refuse_separated"]


def refuse_separated(sample: ScoreCounts, threshold: float | None) -> None:
    """Raise if a threshold (this one, or any) has all positives above it and negatives below."""
    positive, negative = sample.scores[sample.positive > 0], sample.scores[sample.negative > 0]
    upper, lower = positive[0], negative[-1]
    if threshold is None:
        separated = upper >= lower and len(sample) > 1
    else:
        separated = upper >= threshold >= lower and bool((sample.scores != threshold).any())
    if separated:
        raise ValueError(
            "a threshold separates the classes, and no finite log-odds are most likely; use "
            "smooth=True"
        )
