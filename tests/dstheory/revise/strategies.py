"""Hypothesis strategies of these tests."""

from fractions import Fraction

from hypothesis import strategies as st

from dstheory.testing import frames, masses

# Fractions between 0 and 1, the ends among them.
rates = st.integers(0, 8).map(lambda k: Fraction(k, 8))


@st.composite
def mass_and_event(draw, min_labels=1, max_labels=3, **options):
    """An exact mass function and an event (frozenset) on its frame."""
    frame = draw(frames(min_labels, max_labels))
    m = draw(masses(frame, **options))
    return m, frozenset(frame.event(draw(st.integers(0, frame.full))))


@st.composite
def partitions(draw, max_labels=4):
    """A fine frame and a mapping of coarse labels to a partition of it."""
    frame = draw(frames(1, max_labels))
    blocks = [draw(st.integers(0, 2)) for _ in frame]
    mapping = {}
    for label, block in zip(frame, blocks, strict=True):
        mapping.setdefault(f"block {block}", set()).add(label)
    return frame, {name: frozenset(block) for name, block in mapping.items()}
