"""Pairs of mass functions for property tests, and their naive form."""

from hypothesis import strategies as st

from dstheory.testing import frames, masses


@st.composite
def pairs(draw, empty=False, count=2, max_focal=5):
    """Mass functions on one frame of 1 to 4 labels."""
    frame = draw(frames(1, 4))
    one = masses(frame, empty=empty, max_focal=max_focal).filter(lambda m: m.mass(mask=0) != 1)
    return tuple(draw(one) for _ in range(count))


def as_naive(*given):
    return [{frozenset(event): v for event, v in m.to_dict().items()} for m in given]
