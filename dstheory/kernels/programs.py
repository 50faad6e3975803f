"""Linear programs, solved as exactly as HiGHS allows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dstheory._typing import Floats
from dstheory.errors import ConvergenceError, DSTheoryError

# The default of 1e-7 would exceed the tolerances of decisions and measures; HiGHS accepts no less
# than 1e-10.
TOLERANCE = 1e-10
_TIGHT: Any = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
_INFEASIBLE = 2
# Coefficients after which a call ends, as it costs as much as a hundred small programs.
_TOGETHER = 30_000


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


def minima(task: str, count: int, program: Callable[[int], dict[str, Any]]) -> Floats:
    """Least values (count,) of programs that share no variable, many of them in one call.

    Each is given by the arguments of `scipy.optimize.linprog`: c, A_ub, b_ub, A_eq, b_eq, bounds.
    """
    from scipy.sparse import block_diag, coo_array

    values, parts, cells = [], [], 0
    for place in range(count):
        parts.append(program(place))
        cells += parts[-1]["A_ub"].size
        if cells >= _TOGETHER or place == count - 1:
            joint: dict[str, Any] = {name: [one[name] for one in parts] for name in parts[0]}
            for name, each in joint.items():
                if name[0] == "A":
                    joint[name] = block_diag([coo_array(one) for one in each])
                else:
                    joint[name] = np.concatenate(each)
            x = minimized(task, joint.pop("c"), **joint).x
            for one in parts:
                mine, x = np.split(x, [len(one["c"])])
                values.append(one["c"] @ mine)
            parts, cells = [], 0
    return np.array(values, dtype=np.float64)
