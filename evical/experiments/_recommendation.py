"""Which calibrator to take, and why: a choice with its reasons in sentences."""

from dataclasses import dataclass

__all__ = ["Recommendation"]


@dataclass(frozen=True)
class Recommendation:
    """A chosen method, with the reasons and what to beware of.

    Parameters
    ----------
    method : str
        What is advised.
    best : str
        The method of the least mean loss.
    equivalents : tuple of str
        Methods between which and the best no difference can be seen.
    reasons, warnings : tuple of str
        Sentences with numbers.
    """

    method: str
    best: str
    equivalents: tuple[str, ...]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"take {self.method}", *self.reasons]
        return "\n  ".join([*lines, *(f"beware: {text}" for text in self.warnings)])
