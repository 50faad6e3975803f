"""Decision problems for property tests."""

from hypothesis import strategies as st

from dstheory.testing import frames, masses


@st.composite
def problems(draw, empty=False):
    """A mass function and 1 to 4 acts with small integer utilities (ties are frequent)."""
    frame = draw(frames(1, 4))
    m = draw(masses(frame, empty=empty).filter(lambda m: m.mass(mask=0) != 1))
    row = st.lists(st.integers(-3, 3), min_size=len(frame), max_size=len(frame))
    return m, draw(st.lists(row, min_size=1, max_size=4))


def as_naive(m, rows):
    m_naive = {frozenset(event): v for event, v in m.to_dict().items()}
    return m_naive, [dict(zip(m.frame, row, strict=True)) for row in rows]
