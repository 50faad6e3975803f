"""Mass functions from expert judgments."""

import numpy as np
import pytest

from dstheory import Frame
from dstheory.construct import from_judgments
from dstheory.errors import DSTheoryError, FrameError

ABC = Frame(["a", "b", "c"])


def nonspecificity(m):
    sizes = np.bitwise_count(m.focal)
    return float(m.masses @ np.log2(sizes))


def test_no_judgment_is_ignorance():
    assert from_judgments(ABC).is_vacuous


def test_judgments_hold():
    m = from_judgments(
        ABC,
        intervals={"a": (0.3, 0.6), ("a", "b"): (0.5, 0.9)},
        preferences=[("b", "c")],
        indifferences=[("a", ("b", "c"))],
        margin=0.05,
    )
    assert m.bel("a") >= 0.3 - 1e-9
    assert m.pl("a") <= 0.6 + 1e-9
    assert m.bel(["a", "b"]) >= 0.5 - 1e-9
    assert m.pl(["a", "b"]) <= 0.9 + 1e-9
    assert m.bel("b") >= m.bel("c") + 0.05 - 1e-9
    assert abs(m.bel("a") - m.bel(["b", "c"])) <= 0.05 + 1e-9


def test_lower_bounds_alone_give_simple_support():
    """Nothing less specific has Bel({a, b}) = 0.75."""
    m = from_judgments(ABC, intervals={("a", "b"): (0.75, 1)})
    assert m.focal.tolist() == [3, 7]
    assert m.bel(["a", "b"]) == pytest.approx(0.75)


def test_is_the_least_specific_one():
    """By hand: Pl({a}) <= 0.5 leaves 0.5 to {b, c}, of nonspecificity 1, not log2 3."""
    m = from_judgments(ABC, intervals={"a": (0, 0.5)})
    assert nonspecificity(m) == pytest.approx(0.5 + 0.5 * np.log2(3))


def test_contradictions_and_wrong_values_are_refused():
    with pytest.raises(DSTheoryError, match="no mass function agrees"):
        from_judgments(ABC, preferences=[("a", "b"), ("b", "a")])
    with pytest.raises(DSTheoryError, match=r"interval \(0.5, 0.25\) of 'a'"):
        from_judgments(ABC, intervals={"a": (0.5, 0.25)})
    with pytest.raises(DSTheoryError, match=r"interval .*nan"):
        from_judgments(ABC, intervals={"a": (np.nan, 1)})
    with pytest.raises(ValueError, match="margin is -1"):
        from_judgments(ABC, margin=-1)
    with pytest.raises(DSTheoryError, match="at most 12"):
        from_judgments(Frame(range(13)))
    with pytest.raises(FrameError, match="'z' is not a label"):
        from_judgments(ABC, intervals={"z": (0, 1)})
