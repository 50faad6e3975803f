"""Dempster's rule, tables and large sums against the peers that are installed, in one run.

Run with ``python -m tests.benchmarks.bench_peers`` from the repository, in an environment
that has any of py_dempster_shafer, evtools-dst, pybelief and torchbelief (one thread). Each
row prints the median of this package and of each peer, and the ratio to the fastest peer;
every peer's result is compared with ours first. Random distinct focal sets, Dirichlet
masses, fixed seed.
"""

from functools import reduce
from importlib import import_module
from typing import Any

import numpy as np

from dstheory import Frame, MassFunction, dempster
from dstheory.kernels import moebius
from dstheory.transform import tables
from tests.benchmarks.timing import median_ms


def random_mass(size: int, n_focal: int, rng: np.random.Generator) -> MassFunction:
    focal = rng.choice(np.arange(1, 1 << size), n_focal, replace=False)
    frame = Frame([f"x{i}" for i in range(size)])
    return MassFunction(frame, focal, rng.dirichlet(np.ones(n_focal)))


def installed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def as_pyds(m: MassFunction) -> Any:
    pyds = installed("pyds")
    return pyds.MassFunction({frozenset(e): v for e, v in m.to_dict().items()})


def as_pybelief(m: MassFunction) -> Any:
    pairs = zip(m.focal.tolist(), m.masses.tolist(), strict=True)
    return installed("pybelief").MassFunction(m.frame.labels, dict(pairs))


def as_evtools(m: MassFunction) -> Any:
    sparse = {frozenset(e): v for e, v in m.to_dict().items()}
    return import_module("evtools.dsvector").DSVector.from_sparse(list(m.frame), sparse)


def evtools_dempster(one: Any, two: Any) -> Any:
    rule = import_module("evtools.combinations").dempster
    return rule(one, two, method="dense")


def as_torch(m: MassFunction) -> Any:
    table = np.zeros((*m.batch_shape, m.frame.full + 1))
    table[..., m.focal] = m.masses
    torch = import_module("torch")
    torch.set_num_threads(1)
    return torch.from_numpy(table), import_module("torchbelief").Frame(len(m.frame))


def torch_dempster(one: Any, two: Any) -> Any:
    rule = import_module("torchbelief.combine").dempster
    return rule(one[0], two[0], one[1])[0], one[1]


def torch_mass(pair: Any, event: Any) -> float:
    return float(pair[0][sum(1 << int(label[1:]) for label in event)])


def as_sparse_torch(m: MassFunction) -> Any:
    torch = import_module("torch")
    torch.set_num_threads(1)
    sparse = import_module("torchbelief.sparse").SparseMass
    arrays = torch.from_numpy(m.focal.copy()), torch.from_numpy(m.masses.copy())
    return sparse(*arrays, len(m.frame))


def sparse_torch_mass(m: Any, event: Any) -> float:
    mask = sum(1 << int(label[1:]) for label in event)
    return float(m.weight[m.focal == mask].sum())


PEERS = {
    "torchbelief.sparse": (as_sparse_torch, lambda a, b: a.dempster(b)[0], sparse_torch_mass),
    "torchbelief": (as_torch, torch_dempster, torch_mass),
    "pyds": (as_pyds, lambda a, b: a.combine_conjunctive(b), lambda m, e: m[frozenset(e)]),
    "pybelief": (as_pybelief, lambda a, b: a.combine_dempster(b), lambda m, e: m[frozenset(e)]),
    "evtools": (as_evtools, evtools_dempster, lambda m, e: m[frozenset(e)]),
}


# The others take minutes, or refuse, above 16 labels.
LARGE = ("torchbelief.sparse", "pybelief")


def report(name: str, ours: float, peers: dict[str, float]) -> None:
    others = ", ".join(f"{peer} {ms:.3g} ms" for peer, ms in peers.items())
    ratio = f"{min(peers.values()) / ours:.1f} times the best peer" if peers else "no peer"
    print(f"{name:45} {ours:9.3f} ms   {ratio:28} {others}")


def bench_dempster(size: int, n_focal: int, n_sources: int, rng: np.random.Generator) -> None:
    sources = [random_mass(size, n_focal, rng) for _ in range(n_sources)]
    expected = dempster(*sources)
    times = {}
    for peer, (convert, rule, mass) in PEERS.items():
        if installed(peer) is None or (size > 16 and peer not in LARGE):
            continue
        theirs = [convert(m) for m in sources]
        result = reduce(rule, theirs)
        event = expected.frame.event(int(expected.focal[expected.masses.argmax()]))
        assert abs(mass(result, event) - expected.mass(event)) < 1e-9, peer
        times[peer] = median_ms(lambda rule=rule, theirs=theirs: reduce(rule, theirs))
    name = f"Dempster, {n_sources} sources, n={size}, {n_focal} focal sets"
    report(name, median_ms(lambda: dempster(*sources)), times)


def bench_tables(size: int, rng: np.random.Generator) -> None:
    m = random_mass(size, 100, rng)
    times = {}
    if installed("evtools"):
        conversions = import_module("evtools.conversions")
        table = np.zeros(1 << size)
        table[m.focal] = m.masses
        names = [getattr(conversions, name) for name in ("mtobel", "mtopl", "mtoq")]
        times["evtools"] = median_ms(lambda: [convert(table) for convert in names])
    if installed("torchbelief"):
        theirs, frame = as_torch(m)
        kernels = import_module("torchbelief.transforms")
        names = [getattr(kernels, name) for name in ("belief", "plausibility", "commonality")]
        times["torchbelief"] = median_ms(lambda: [convert(theirs, frame) for convert in names])
    ours = median_ms(lambda: (tables.table(m, "bel"), tables.table(m, "pl"), tables.table(m, "q")))
    report(f"bel + pl + q of all subsets, n={size}", ours, times)


def bench_sums(size: int, rng: np.random.Generator) -> None:
    table = rng.random(1 << size)
    times = {"NumPy": median_ms(lambda: _butterfly(table.copy()), 5)}
    if installed("evtools") and size <= 22:
        conversions = import_module("evtools.conversions")
        times["evtools"] = median_ms(lambda: conversions.mtoq(table), 5)
    report(f"superset sums, n={size}", median_ms(lambda: moebius.superset_sums(table), 5), times)


def _butterfly(table: Any) -> Any:
    stride = 1
    while stride < len(table):
        halves = table.reshape(-1, 2, stride)
        halves[:, 0] += halves[:, 1]
        stride *= 2
    return table


def bench_batch(rng: np.random.Generator) -> None:
    masses = [rng.dirichlet(np.ones(15), 100_000) for _ in range(2)]
    one, two = (MassFunction(Frame("abcd"[i] for i in range(4)), range(1, 16), m) for m in masses)
    times = {}
    if installed("torchbelief"):
        theirs = as_torch(one), as_torch(two)
        expected = (one @ two).mass(mask=1)
        assert np.abs(torch_dempster(*theirs)[0][:, 1].numpy() - expected).max() < 1e-9
        times["torchbelief"] = median_ms(lambda: torch_dempster(*theirs), 5)
    report("100,000 pairs, n=4, 15 focal sets", median_ms(lambda: one @ two, 5), times)


def bench_large(rng: np.random.Generator) -> None:
    frame = Frame(range(200))
    pair = []
    for _ in range(2):
        focal = {int.from_bytes(rng.bytes(25), "little") | 1 for _ in range(500)}
        pair.append(MassFunction(frame, focal, rng.dirichlet(np.ones(len(focal)))))
    report("200 elements, 2 x 500 focal sets", median_ms(lambda: pair[0] @ pair[1], 3), {})


def main() -> None:
    missing = [peer for peer in PEERS if installed(peer) is None]
    print(f"peers: {', '.join(p for p in PEERS if p not in missing) or 'none'}")
    print(f"not installed, so left out: {', '.join(missing) or 'none'}")
    rng = np.random.default_rng(0)
    for size, n_focal in ((8, 100), (16, 1000), (20, 2000)):
        bench_dempster(size, n_focal, 2, rng)
    bench_dempster(10, 50, 10, rng)
    for size in (10, 12, 14):
        bench_tables(size, rng)
    for size in (16, 20, 22, 24):
        bench_sums(size, rng)
    bench_batch(rng)
    bench_large(rng)


if __name__ == "__main__":
    main()
