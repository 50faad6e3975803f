"""Transfer of the mass of each focal set to another set, the core of most revisions.

Masses with the same target add up, for floats, exact numbers and batches alike.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import collect
from dstheory.frame import Frame
from dstheory.mass import MassFunction


def transfer(m: MassFunction, targets: NDArray[Any], frame: Frame | None = None) -> MassFunction:
    """Mass function in which the mass of each focal set has moved to its target (F,)."""
    return collect(m.frame if frame is None else frame, (targets, m.store))


def image(masks: NDArray[Any], images: NDArray[Any]) -> NDArray[Any]:
    """For each set, the union of the images (K,) of its elements."""
    targets = np.zeros(len(masks), dtype=images.dtype)
    for bit, of_bit in enumerate(images):
        inside = np.asarray((masks >> bit) & 1, dtype=bool)
        targets[inside] |= of_bit
    return targets
