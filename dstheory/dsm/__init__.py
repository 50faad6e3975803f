"""Overlapping elements: free and hybrid models of Dezert and Smarandache (DSmT), as frames.

A model is a classical frame of the parts of a Venn diagram, so everything in this package works on
it. The classic DSm rule is `dstheory.combine.conjunctive` on the frame of a free model.
"""

from dstheory.dsm._model import DSmModel, dsm_hybrid

__all__ = ["DSmModel", "dsm_hybrid"]


def __dir__() -> list[str]:
    return __all__
