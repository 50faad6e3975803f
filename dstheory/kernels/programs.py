"""Linear programs, solved as exactly as HiGHS allows."""

from typing import Any

from dstheory._typing import Floats

# The default of 1e-7 would exceed the tolerances of decisions and measures; HiGHS accepts no less
# than 1e-10.
TOLERANCE = 1e-10
_TIGHT: Any = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}


def minimized(objective: Floats, **constraints: Any) -> Any:
    """Result of `scipy.optimize.linprog` for an objective and constraints, which may be sparse."""
    from scipy.optimize import linprog  # the package loads without SciPy

    return linprog(objective, **constraints, method="highs", options=_TIGHT)
