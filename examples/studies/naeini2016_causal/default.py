"""Which penalty `FastGES` should have by default, on networks of no other study."""

from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.causal import EDGE_TYPES, BootstrappedEdges, CalibratedEdges, FastGES, edge_types
from evical.causal.networks import DiscreteNetwork
from evical.datasets import Dataset
from examples.studies._beside import read_prose
from examples.studies._markdown import markdown_table
from examples.studies._reproduce import Outcome
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.naeini2016_causal.condition import simulated
from examples.studies.naeini2016_causal.measures import measured
from examples.studies.naeini2016_causal.networks import random_network
from examples.studies.naeini2016_causal.pairs import AllPairs
from examples.studies.naeini2016_causal.sampling import labeled_pairs

__all__ = ["CAUSAL_PENALTY", "HeldOutNetworks", "linear_sample"]

PENALTIES = (1.0, 1.5, 2.0)
KINDS = ("discrete", "continuous")
SIZES = ((30, 60), (100, 100), (100, 200))  # variables, edges
ROWS = (200, 1000, 5000)
BOOTSTRAPS, LABELED = 20, 80
SEARCH, SHARES, CALIBRATED = METHODS = ("one search", "shares", "CalibratedEdges")
MEASURES = ("errors", "f1", "log_loss")


@dataclass(frozen=True)
class HeldOutNetworks:
    """Random networks of one size and kind, searched with each penalty.

    Parameters
    ----------
    kind : {"discrete", "continuous"}
    n_nodes, n_edges, n_rows : int
    """

    kind: str
    n_nodes: int
    n_edges: int
    n_rows: int

    @property
    def key(self) -> str:
        return f"{self.kind}-{self.n_nodes}-{self.n_edges}-{self.n_rows}"

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        rng = repeat_rng(self.key, number, seed)
        X: NDArray[np.generic]
        if self.kind == "discrete":
            network, X = simulated(self.n_nodes, self.n_edges, self.n_rows, rng)
        else:
            network = random_network(self.n_nodes, self.n_edges, rng)
            X = linear_sample(network, self.n_rows, rng)
        state = int(rng.integers(2**31))
        sizes = self.kind, str(self.n_nodes), str(self.n_edges), str(self.n_rows)
        return [
            ((*sizes, f"{penalty:g}", method), values)
            for penalty in PENALTIES
            for method, values in self._methods(network, X, FastGES(penalty=penalty), state)
        ]

    def _methods(
        self, network: DiscreteNetwork, X: NDArray[np.generic], search: FastGES, state: int
    ) -> list[tuple[str, tuple[float, ...]]]:
        edges = BootstrappedEdges(search, n_bootstraps=BOOTSTRAPS, random_state=state).fit(X)
        pairs = AllPairs.of(network, edges)
        kinds, shares = pairs.kinds, pairs.distinct[pairs.row]
        found = edge_types(search(X), pairs.names.tolist())
        chosen = labeled_pairs(shares, kinds, LABELED, np.random.default_rng(state))
        truth = np.array(EDGE_TYPES)[kinds]
        calibrated = CalibratedEdges(edges).fit(pairs.names[chosen].tolist(), truth[chosen])
        p = calibrated.predict_proba(pairs.names[pairs.first].tolist())[pairs.row]
        test = np.setdiff1d(np.arange(len(kinds)), chosen)
        one = (found[:, np.newaxis] == np.array(EDGE_TYPES)).astype(float)
        return [
            (name, self._measured(rows[test], kinds[test]))
            for name, rows in zip(METHODS, (one, shares, p), strict=True)
        ]

    def _measured(self, p: Floats, right: NDArray[np.intp]) -> tuple[float, ...]:
        by_type = measured(p, right, np.random.default_rng(0))
        wrong = float((p.argmax(axis=1) != right).sum()) / self.n_edges
        return wrong, by_type["directed"][2], by_type["all"][4] * len(p) / self.n_edges


def linear_sample(network: DiscreteNetwork, n: int, rng: np.random.Generator) -> Floats:
    """Rows of a linear Gaussian model with the arcs of a network.

    Parameters
    ----------
    network : DiscreteNetwork
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    (n, V) array
        Each variable is the sum of its parents, times 0.1 to 1 of either sign, and unit noise.
    """
    place = {name: v for v, name in enumerate(network.names)}
    X = rng.normal(size=(n, len(place)))
    for name in nx.topological_sort(network.dag()):
        tails = list(network.parents[place[name]])
        weights = rng.uniform(0.1, 1, len(tails)) * rng.choice([-1, 1], len(tails))
        X[:, place[name]] += X[:, tails] @ weights
    return X


def _summary(outcome: Outcome) -> str:
    """Each penalty beside 1, paired over settings and networks' means."""
    gap, body = "difference from 1", []
    head = ["columns", "method", "penalty", "errors per edge", gap, "log loss", gap]
    for kind in KINDS:
        for method in METHODS:
            means = {
                f"{penalty:g}": np.array(
                    [
                        np.nanmean(values, axis=0)
                        for row, values in outcome.rows.items()
                        if (row[0], *row[4:]) == (kind, f"{penalty:g}", method)
                    ]
                )
                for penalty in PENALTIES
            }
            for penalty, found in means.items():
                gaps = (found - means["1"])[:, [0, 2]]
                error = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
                cells = [
                    f"{one:+.3f} ± {two:.3f}" if penalty != "1" else ""
                    for one, two in zip(gaps.mean(axis=0), error, strict=True)
                ]
                errors, _, loss = found.mean(axis=0)
                row = [f"{errors:.3f}", cells[0], f"{loss:.3f}", cells[1]]
                body.append([kind, method, penalty, *row])
    text = (
        "Pairs whose type is not the true one, and the log loss summed over all pairs, for each "
        "true edge. Differences are paired, their standard errors those over the settings."
    )
    return f"## Penalties\n\n{text}\n\n{markdown_table(head, body, 3)}"


TEXT = read_prose(__file__)
CAUSAL_PENALTY = Study(
    name="causal_penalty",
    title="Which penalty a search for causal networks should have",
    source="A study of this package, on random networks",
    labels=("columns", "variables", "edges", "rows", "penalty", "method"),
    measures=MEASURES,
    conditions=tuple(
        HeldOutNetworks(kind, *size, rows) for kind in KINDS for size in SIZES for rows in ROWS
    ),
    repeats=2,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("discrete-30-60-200", "continuous-30-60-200"),
    extra=_summary,
)
