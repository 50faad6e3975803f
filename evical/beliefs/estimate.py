"""`Estimate`: probabilities with confidence intervals, which travel with beliefs.

Masses describe the next label, by a model that the user chooses. What is known of the probability
itself does not depend on that choice: an estimate, and an interval around it at any level.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evical._typing import Floats


@dataclass(frozen=True, eq=False)
class Estimate:
    """What is known of the probabilities of the classes, whatever the model of the masses.

    Parameters
    ----------
    ends : callable
        Maps a level to the ends (n, K, 2) of confidence intervals.
    point : callable, optional
        Returns the estimates (n, K); by default these are the pignistic probabilities.
    """

    ends: Callable[[float], Floats]
    point: Callable[[], Floats] | None = None

    def __getitem__(self, rows: Any) -> "Estimate":
        point = self.point
        return Estimate(
            lambda level: self.ends(level)[rows],
            None if point is None else lambda: point()[rows],
        )
