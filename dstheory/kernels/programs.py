"""Linear programs, solved as exactly as HiGHS allows."""

from typing import Any

from dstheory._typing import Floats
from dstheory.errors import ConvergenceError, DSTheoryError

# The default of 1e-7 would exceed the tolerances of decisions and measures; HiGHS accepts no less
# than 1e-10.
TOLERANCE = 1e-10
_TIGHT: Any = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
_INFEASIBLE = 2


def minimized(task: str, objective: Floats, *, infeasible: str = "", **constraints: Any) -> Any:
    """Result of `scipy.optimize.linprog` for an objective and constraints, which may be sparse.

    Raises ConvergenceError, naming the task, if there is none; of constraints that contradict each
    other DSTheoryError with the message `infeasible`, if one is given.
    """
    from scipy.optimize import linprog  # the package loads without SciPy

    result = linprog(objective, **constraints, method="highs", options=_TIGHT)
    if infeasible and result.status == _INFEASIBLE:
        raise DSTheoryError(infeasible)
    if not result.success or result.fun is None:
        raise ConvergenceError(f"the linear program of {task} failed: {result.message}")
    return result
