"""`NetworkCondition`: a random network, its bootstraps, and calibrations of their edge types.

Source: Naeini (2016), section 6.2.4.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evical._typing import Floats, Ints
from evical.causal import (
    EDGE_TYPES,
    BootstrappedEdges,
    CalibratedEdges,
    FastGES,
)
from evical.causal.networks import DiscreteNetwork
from evical.datasets import Dataset
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    MultinomialLogisticCalibrator,
    OneVsRestCalibrator,
    ShallowNetCalibrator,
)
from examples.studies._study import Record, repeat_rng
from examples.studies.naeini2016_causal.measures import measured
from examples.studies.naeini2016_causal.networks import random_network
from examples.studies.naeini2016_causal.pairs import AllPairs
from examples.studies.naeini2016_causal.sampling import labeled_pairs
from examples.studies.parts.adagrad_nets import AdagradNets

__all__ = ["BEFORE", "LABELS", "MEASURES", "METHODS", "NetworkCondition", "simulated"]


LABELS = ("edges", "size", "method", "type")
MEASURES = ("precision", "recall", "f1", "mce", "log_loss", "set_coverage", "set_size")

BEFORE = "before"
# Name to a calibrator, whether both directions of a pair are taken, and how pairs are drawn.
METHODS = {
    "SNN": ("net", False, False),
    "SNN, drawn by truth": ("net", False, True),
    "SNN, both directions": ("net", True, False),
    "AutoCalibrator": ("auto", True, False),
    "AutoMulticlassCalibrator": ("multiclass", True, False),
    "evidential": ("likelihood", True, False),
    "SNN, 200 steps": ("net, 200", False, False),
    "SNN, 1,000 steps": ("net, 1000", False, False),
}
_USUAL = tuple(METHODS)[:6]  # of tables 33 and 34


@dataclass(frozen=True)
class NetworkCondition:
    """Random networks of one size.

    Parameters
    ----------
    key : str
    n_nodes, n_edges : int
    sizes : tuple of int
        Numbers of labeled pairs.
    n_rows : int
        Of the table that is simulated.
    n_bootstraps : int
    penalty : float
        Of the search.
    methods : tuple of str
        In `METHODS`.
    n_draws : int
        Of labeled pairs of a network; a row has the mean over them.
    """

    key: str
    n_nodes: int
    n_edges: int
    sizes: tuple[int, ...] = (40, 80, 120)
    n_rows: int = 1000
    n_bootstraps: int = 200
    penalty: float = 1.0
    methods: tuple[str, ...] = _USUAL
    n_draws: int = 1

    @property
    def datasets(self) -> tuple[str, ...]:
        """No data but what is simulated."""
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        """One network, as `Condition` asks.

        Parameters
        ----------
        data : mapping
            Not used.
        number, seed : int

        Returns
        -------
        list of Record
        """
        rng = repeat_rng(self.key, number, seed)
        network, X = simulated(self.n_nodes, self.n_edges, self.n_rows, rng)
        edges = BootstrappedEdges(
            FastGES(penalty=self.penalty),
            n_bootstraps=self.n_bootstraps,
            random_state=int(rng.integers(2**31)),
        ).fit(X)
        pairs = AllPairs.of(network, edges)
        found: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
        for _ in range(self.n_draws):
            for size in self.sizes:
                for labels, values in self._rows(edges, pairs, size, rng):
                    found.setdefault(labels, []).append(values)
        return [(labels, tuple(np.mean(draws, axis=0).tolist())) for labels, draws in found.items()]

    def _rows(
        self, edges: BootstrappedEdges, pairs: AllPairs, size: int, rng: np.random.Generator
    ) -> list[Record]:
        """Measures of all methods with one sample of labeled pairs."""
        shares, kinds = pairs.distinct[pairs.row], pairs.kinds
        samples = {way: labeled_pairs(shares, kinds, size, rng, way) for way in (False, True)}
        state, rows = int(rng.integers(2**31)), []
        for name in (BEFORE, *self.methods):
            kind, symmetric, by_truth = METHODS.get(name, ("", False, False))
            chosen = samples[by_truth]
            test = np.ones(len(kinds), dtype=bool)
            test[chosen] = False
            p, sets = pairs.distinct, None
            if kind:
                calibrated = CalibratedEdges(
                    edges, calibrator=_calibrator(kind, state), symmetric=symmetric
                )
                truth = np.array(EDGE_TYPES)[kinds[chosen]]
                calibrated.fit(pairs.names[chosen].tolist(), truth)
                examples = pairs.names[pairs.first].tolist()
                p = calibrated.predict_proba(examples)
                # Pairs that no bootstrap joins are all alike.
                met = test & (shares[:, 0] < 1)
                acts = calibrated.predict_set(examples)[pairs.row[met]]
                holds = acts[np.arange(len(acts)), kinds[met]]
                sets = float(holds.mean()), float(acts.sum(axis=1).mean())
            rows += self._records((str(size), name), p[pairs.row[test]], kinds[test], sets, state)
        return rows

    def _records(
        self,
        names: tuple[str, str],
        p: Floats,
        right: Ints,
        sets: tuple[float, float] | None,
        state: int,
    ) -> list[Record]:
        found = measured(p, right, np.random.default_rng(state))
        nothing = float("nan"), float("nan")
        return [
            (
                (str(self.n_edges), *names, kind),
                (*values, *(sets if sets is not None and kind == "all" else nothing)),
            )
            for kind, values in found.items()
        ]


def simulated(
    n_nodes: int, n_edges: int, n_rows: int, rng: np.random.Generator
) -> tuple[DiscreteNetwork, Ints]:
    """A network and a table of it, both drawn anew as long as a column is constant.

    Parameters
    ----------
    n_nodes, n_edges, n_rows : int
    rng : numpy.random.Generator

    Returns
    -------
    DiscreteNetwork, (n_rows, n_nodes) array
    """
    while True:
        network = random_network(n_nodes, n_edges, rng)
        X = network.sample(n_rows, rng)
        if (X.min(axis=0) < X.max(axis=0)).all():
            return network, X


def _calibrator(kind: str, state: int) -> BaseMulticlassCalibrator:
    if kind == "net":
        return ShallowNetCalibrator(random_state=state)
    if kind.startswith("net, "):
        return AdagradNets(n_steps=int(kind.removeprefix("net, ")), random_state=state)
    if kind == "auto":
        return OneVsRestCalibrator()
    return AutoMulticlassCalibrator() if kind == "multiclass" else MultinomialLogisticCalibrator()
