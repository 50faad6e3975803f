"""Edge types of causal networks of 5,000 variables: Naeini (2016), section 6.2, table 34."""

from dataclasses import replace

from examples.studies._beside import read_prose
from examples.studies.naeini2016_causal._published import TABLE_34
from examples.studies.naeini2016_causal.condition import NetworkCondition
from examples.studies.naeini2016_causal.penalty import CHOSEN
from examples.studies.naeini2016_causal.study import NAEINI2016_CAUSAL

__all__ = ["NAEINI2016_CAUSAL_LARGE"]

EDGES = (5000, 10000, 15000)
# The thesis has 200 bootstraps, each of which takes a third of a minute; RUN networks were run.
BOOTSTRAPS, DRAWS, NETWORKS, RUN = 20, 2, 10, 1
METHODS = ("SNN", "SNN, both directions", "AutoMulticlassCalibrator", "evidential")

TEXT = read_prose(__file__)
NAEINI2016_CAUSAL_LARGE = replace(
    NAEINI2016_CAUSAL,
    name="naeini2016-causal-large",
    title="Calibrated edges of large causal networks",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "section 6.2, table 34",
    conditions=tuple(
        NetworkCondition(
            f"5000-nodes-{n}-edges",
            5000,
            n,
            n_bootstraps=BOOTSTRAPS,
            penalty=CHOSEN,
            methods=METHODS,
            n_draws=DRAWS,
        )
        for n in EDGES
    ),
    repeats=NETWORKS,
    comment_repeats=RUN,
    comment_quick=True,
    published=TABLE_34,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("5000-nodes-5000-edges",),
)
