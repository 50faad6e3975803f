"""Tolerances of linear programs: as tight as HiGHS allows."""

from typing import Any

# Options of `scipy.optimize.linprog` with method="highs". The default of 1e-7 would exceed the
# tolerances of decisions and measures; HiGHS accepts no less than 1e-10.
TIGHT: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
