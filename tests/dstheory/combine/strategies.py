"""Hypothesis strategies of these tests: several sources on one frame."""

from hypothesis import strategies as st

from dstheory.testing import frames, masses


@st.composite
def sources(draw, size=2, min_labels=1, max_labels=3, **options):
    """Lists of `size` exact mass functions on one frame (`size` may be a strategy)."""
    frame = draw(frames(min_labels, max_labels))
    count = size if isinstance(size, int) else draw(size)
    return [draw(masses(frame, **options)) for _ in range(count)]
