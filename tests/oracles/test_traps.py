"""Errors of other packages and misprints that the oracles list: this package makes none of them."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dstheory import Frame, MassFunction, combine, construct, revise, transform
from dstheory.errors import MassError

ORACLES = Path(__file__).parent / "dst_oracles.json"
TRAPS = {trap["id"]: trap for trap in json.loads(ORACLES.read_text(encoding="utf-8"))["traps"]}
# Misprints of papers and of a vignette; the right values are among the oracles.
IN_PRINT = {"trap-captain-text", "trap-sd04-10.5", "trap-sd04-11.5", "trap-jaif-rounding"}
FRAME = Frame(["a", "b", "c"])


def shares(masses):
    return MassFunction.from_dict(
        FRAME, {tuple(event): Fraction(str(mass)) for event, mass in masses.items()}
    )


# The examples of R's ibelief.
M1 = shares({"a": 0.4, "b": 0.1, "ab": 0.2, "c": 0.2, "abc": 0.1})
M2 = shares({"a": 0.2, "b": 0.3, "ab": 0.1, "c": 0.1, "bc": 0.2, "abc": 0.1})


def test_every_trap_has_its_test():
    tested = {name for name in globals() if name.startswith("test_trap_")}
    names = {f"test_{name}".replace("-", "_").replace(".", "_") for name in TRAPS.keys() - IN_PRINT}
    assert tested == names


def test_trap_bft_contextual():
    """mkurdej/bft compares four of eight entries with the wrong set {h, r}."""
    frame = Frame(["a", "h", "r"])
    m = MassFunction.from_dict(frame, {"a": Fraction(1, 2), "r": Fraction(1, 2)})
    corrected = revise.contextual_discount(m, rates={"a": Fraction(2, 5), "h": 0, "r": 0})
    assert corrected.mass(["a", "r"]) == Fraction(1, 5)
    assert corrected.mass(["h", "r"]) == 0


def test_trap_ibelief_florea():
    """ibelief exchanges both weights: without conflict its result is the disjunctive rule."""
    one, two = shares({"a": 0.5, "abc": 0.5}), shares({"ab": 0.5, "abc": 0.5})
    assert combine.florea(one, two) == combine.conjunctive(one, two)
    assert sum(combine.florea(M1, M2).masses) == 1


def test_trap_ibelief_dp():
    """ibelief's 'Dubois and Prade (mixt)' gives a negative mass on its own example."""
    right = {
        tuple(k.split(",")): Fraction(v["exact"])
        for k, v in TRAPS["trap-ibelief-dp"]["right"].items()
    }
    assert combine.dubois_prade(M1, M2) == MassFunction.from_dict(FRAME, right)


def test_trap_ibelief_example_m3():
    """The third mass function of ibelief's example sums to 0.9; discounting hides it there."""
    with pytest.raises(MassError, match="masses sum to 9/10, not 1"):
        shares({"": 0.1, "a": 0.2, "ab": 0.1, "c": 0.1, "ac": 0.1, "abc": 0.3})


def test_trap_ibelief_lns():
    """ibelief returns negative masses for sources that are not separable."""
    with pytest.raises(MassError, match="not separable"):
        combine.lns(M1, M2)


def test_trap_rdst_zadeh():
    """R's dst prints Bel > 1, Pl < 0: it divides by 1 - kappa."""
    frame = Frame(["M", "T", "C"])
    for eps in (1e-2, 1e-9, 1e-15):
        one = MassFunction.from_dict(frame, {"M": 1 - eps, "T": eps})
        two = MassFunction.from_dict(frame, {"C": 1 - eps, "T": eps})
        fused = combine.dempster(one, two)
        assert fused.contour().tolist() == [0, 1, 0]
        assert fused.bel("T") == 1


def test_trap_lcprinciple_unnormalised():
    """ibelief takes probabilities that sum to 0.8, and returns masses that do."""
    with pytest.raises(MassError, match=r"0\.8"):
        construct.bayesian(Frame(list("wxyz")), [0.3, 0.2, 0.2, 0.1])
    uniform = construct.bayesian(Frame(list("wxyz")), np.full(4, 0.25))
    assert transform.inverse_pignistic(uniform.frame, transform.betp(uniform)).is_vacuous


def test_trap_julia_combine():
    """UncertainEvidence.jl loses intersections that are focal in neither source."""
    fused = combine.dempster(shares({"ab": 1}), shares({"bc": 1}))
    assert fused.mass("b") == 1
