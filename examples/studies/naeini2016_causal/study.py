"""Edge types of causal networks, before and after calibration: Naeini (2016), section 6.2.

Shares of bootstraps in which greedy search finds an edge are calibrated by a few pairs of variables
whose edge type is known.
"""

from examples.studies._beside import read_findings, read_prose
from examples.studies._study import Study
from examples.studies.naeini2016_causal._published import TABLE_33
from examples.studies.naeini2016_causal.condition import LABELS, MEASURES, NetworkCondition

__all__ = ["NAEINI2016_CAUSAL"]

EDGES = (1000, 2000, 3000)
# The thesis has 200 bootstraps, five times the hour that ten networks take; RUN were run.
BOOTSTRAPS, NETWORKS, RUN = 40, 10, 2

TEXT = read_prose(__file__)
NAEINI2016_CAUSAL = Study(
    name="naeini2016-causal",
    title="Calibrated edges of causal networks",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "section 6.2, tables 31 to 33",
    labels=LABELS,
    measures=MEASURES,
    conditions=tuple(
        NetworkCondition(f"1000-nodes-{n}-edges", 1000, n, n_bootstraps=BOOTSTRAPS) for n in EDGES
    ),
    repeats=NETWORKS,
    comment_repeats=RUN,
    published=TABLE_33,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    comparisons=read_findings(__file__),
    quick=("1000-nodes-1000-edges",),
)
