"""The result of a test of calibration.

All tests share the hypothesis that outcomes are independent and that each is positive with its
predicted probability.
"""

from dataclasses import dataclass

from dstheory.notebook import ShownFields
from evical.metrics.inputs import BinarySample


@dataclass(frozen=True)
class CalibrationTest(ShownFields):
    """A test of calibration.

    Parameters
    ----------
    name : str
    statistic : float
    pvalue : float
        Probability of a statistic at least as extreme if the hypothesis holds.
    hypothesis, definition : str
        The tested hypothesis, and the definition of the statistic.
    """

    name: str
    statistic: float
    pvalue: float
    hypothesis: str
    definition: str

    def __str__(self) -> str:
        return (
            f"{self.name}: statistic {self.statistic:.4g}, {pvalue_text(self.pvalue)}\n"
            f"  hypothesis: {self.hypothesis}\n"
            f"  statistic: {self.definition}"
        )


def pvalue_text(pvalue: float) -> str:
    """A p-value as text for a sentence.

    >>> pvalue_text(0.0312), pvalue_text(1e-9)
    ('p = 0.031', 'p < 0.0001')
    """
    return "p < 0.0001" if pvalue < 1e-4 else f"p = {pvalue:.2g}"


def refuted(sample: BinarySample) -> bool:
    """Whether a prediction of 0 or 1 was wrong, which refutes calibration with certainty."""
    if sample.p.min() > 0 and sample.p.max() < 1:
        return False
    wrong = ((sample.p == 0) & (sample.y == 1)) | ((sample.p == 1) & (sample.y == 0))
    if sample.weight is not None:
        wrong &= sample.weight > 0
    return bool(wrong.any())
