"""Real crowds whose items have been graded: `Consensus` beside votes and Dawid-Skene.

Run with ``python -m tests.benchmarks.bench_crowds FOLDER``, into which these repositories of GitHub
were cloned: ``zhydhkcws/crowd_truth_infer`` (bird, product, dog and face; Zheng, Li, Li, Shan &
Cheng 2017, Truth inference in crowdsourcing, VLDB 10), ``orchidproject/active-crowd-toolkit``
(tweets on weather, music genres, film reviews, entities; Venanzi, Parson, Rogers & Jennings 2015)
and ``ipeirotis/Get-Another-Label`` (web pages, tasks; Ipeirotis, Provost & Wang 2010). Each crowd,
at most 2,500 of its graded items, is fused whole, and ten draws of 60 items and five of 200 alone.

Log loss, relative to that of the shares of votes, in geometric means over crowds; no probability
counts as less than 1e-4. In November 2026 for 60 items, 200 items and all: smoothed votes 0.86,
0.95, 0.87; Dawid-Skene 2.32, 2.13, 1.65, with one coin 2.15, 1.96, 1.73; `Consensus` 0.82, 0.79,
0.73, with ``dependence=0`` 1.42, 1.50, 1.51.
"""

import csv
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import gmean

from evical import EvidentialFusion
from evical.fusion import Consensus, sources_from_long
from examples.studies.label_free.dawid_skene import dawid_skene
from examples.studies.label_free.ways import log_loss

N_MOST = 2_500
WAYS = (
    "shares of votes",
    "smoothed votes",
    "Dawid-Skene",
    "Dawid-Skene, one coin",
    "Consensus()",
    "Consensus(dependence=0.5)",
    "Consensus(dependence=0)",
)
RULES = Consensus(), Consensus(dependence=0.5), Consensus(dependence=0)
VENANZI = ("CF", "CF_amt", "MS", "SP", "SP_amt", "ZenCrowd_in", "ZenCrowd_us")
ZHENG = ("d_Duck Identification", "d_jn-product", "s4_Dog data", "s4_Face Sentiment Identification")
IPEIROTIS = {
    "AdultContent2": "gold.txt",
    "BarzanMozafari": "evaluation.txt",
    "HITspam-UsingCrowdflower": "gold.txt",
}
Table = list[tuple[str, str, str]]


def read(path: Path, delimiter: str = ",") -> list[list[str]]:
    """Rows of a file."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return [row for row in csv.reader(file, delimiter=delimiter) if len(row) > 1]


def crowds(folder: Path) -> Iterator[tuple[str, Table, dict[str, str]]]:
    """Name, votes (item, source, vote) and truth by item of each crowd."""
    for name in VENANZI:
        rows = read(folder / "active-crowd-toolkit" / "Data" / f"{name}.csv")
        votes = [(item, source, vote) for source, item, vote, *_ in rows]
        yield name, votes, {row[1]: row[3] for row in rows}
    for name in ZHENG:
        place = folder / "crowd_truth_infer" / "datasets" / name
        votes = [(item, source, vote) for item, source, vote in read(place / "answer.csv")[1:]]
        yield name.partition("_")[2], votes, dict(read(place / "truth.csv")[1:])
    for name, graded in IPEIROTIS.items():
        place = folder / "Get-Another-Label" / "data" / name
        rows = read(place / "labels.txt", "\t")
        votes = [(item, source, vote) for source, item, vote, *_ in rows]
        yield name, votes, {item: vote for item, vote, *_ in read(place / graded, "\t")}


def losses(votes: Table, truth: dict[str, str]) -> list[float]:
    """Log loss of each of `WAYS`."""
    items, sources = sources_from_long(*zip(*votes, strict=True))
    classes = sorted({vote for *_, vote in votes} | set(truth.values()))
    y = np.searchsorted(classes, [truth[item] for item in items])
    table = np.stack([np.equal.outer(one, classes) for one in sources.values()]).astype(float)
    counts = table.sum(axis=0)
    found = [
        counts / counts.sum(axis=1, keepdims=True),
        (counts + 1) / (counts + 1).sum(axis=1, keepdims=True),
        dawid_skene(table, one_coin=False, n_steps=100).posterior,
        dawid_skene(table, one_coin=True, n_steps=100).posterior,
    ]
    for rule in RULES:
        found.append(EvidentialFusion(rule, classes=classes).fit(sources).predict_proba(sources))
    return [log_loss(p, y) for p in found]


def main() -> None:
    found: dict[int, list[list[float]]] = {}
    for name, votes, truth in crowds(Path(sys.argv[1])):
        votes = [(*key, vote) for key, vote in {v[:2]: v[2] for v in votes}.items()]
        items = sorted({item for item, *_ in votes} & truth.keys())
        rng = np.random.default_rng(0)
        items = list(rng.permutation(items)[:N_MOST])
        for size, draws in ((60, 10), (200, 5), (N_MOST, 1)):
            if size < N_MOST and size >= len(items):
                continue
            each = []
            for _ in range(draws):
                some = set(rng.permutation(items)[:size])
                kept = [vote for vote in votes if vote[0] in some]
                with warnings.catch_warnings(action="ignore"):
                    each.append(losses(kept, {item: truth[item] for item in some}))
            found.setdefault(size, []).append(np.mean(each, axis=0).tolist())
            shown = "  ".join(f"{loss:.3f}" for loss in found[size][-1])
            print(f"{name[:20]:20} {min(size, len(items)):5} items: {shown}", flush=True)
    print(", ".join(WAYS))
    for size, rows in found.items():
        table = np.array(rows)
        shown = "  ".join(f"{loss:.2f}" for loss in gmean(table / table[:, :1], axis=0))
        print(f"{'all' if size == N_MOST else size} items, {len(rows)} crowds: {shown}")


if __name__ == "__main__":
    main()
