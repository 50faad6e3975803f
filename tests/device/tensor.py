"""`dstheory.tensor` on a GPU: equal values, equal gradients, and what a million rows cost.

Run by hand, in two minutes on a machine with a GPU; never collected by pytest. It needs torch,
NumPy and array-api-compat. JAX, CuPy and torchbelief take part where they are installed.

    python tests/device/tensor.py OUT.json          # on the GPU
    python tests/device/tensor.py --cpu OUT.json    # a rehearsal with few rows

It prints a table, writes it as JSON, and ends with status 1 if values or gradients differ.
"""

import argparse
import json
import os
import platform
import sys
import time
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the GPU is shared with torch

import numpy as np
import torch

from dstheory import tensor
from dstheory.tensor import dense

TOLERANCE = {"float64": 1e-12, "float32": 1e-6, "float16": 4e-3, "bfloat16": 4e-2}


def sources(n, n_classes, dtype="float64", seed=0):
    """Two batches of masses, with some of 0 and 1."""
    rng = np.random.default_rng(seed)
    found = rng.standard_exponential((2, n, n_classes + 1), dtype="float32").astype("float64")
    found[0, 0], found[0, 1] = 0, 0
    found[0, 0, 0] = found[0, 1, -1] = 1
    return (found / found.sum(axis=-1, keepdims=True)).astype(dtype)


def tables(n, n_labels, dtype="float64"):
    """Two batches of tables of masses, none of it on the empty set."""
    found = sources(n, 2**n_labels - 2, dtype, seed=2)
    return np.concatenate([np.zeros_like(found[..., :1]), found], axis=-1)


def calls(n_classes, n_table):
    """Name to a function of two sources (..., K + 1), and to one of two tables (..., 2^K)."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % n_classes
    head = tensor.initial_prototypes(X, y, n_classes, rng=rng)
    layer = {
        "coef": rng.normal(size=(n_classes + 1, n_table)),
        "intercept": rng.normal(size=n_table),
        "mean": rng.random(n_classes + 1),
    }

    def converted(parameters, model):
        xp = tensor._arrays.namespace(model)
        return {name: tensor._arrays.like(xp, value, model) for name, value in parameters.items()}

    def first(pair):
        return pair[0]

    def log_loss(a, b):
        xp = tensor._arrays.namespace(a)
        y = xp.zeros_like(a[..., 0], dtype=xp.int32)
        return tensor.log_loss(tensor.betp(tensor.dempster(a, b)), y)

    closed = {
        "dempster": tensor.dempster,
        "conjunctive": lambda a, b: first(tensor.conjunctive(a, b)),
        "cautious": tensor.cautious,
        "mean": tensor.mean,
        "discount": lambda a, b: tensor.discount(a, rate=0.25),
        "contextual discount": lambda a, b: tensor.contextual_discount(a, rates=b[..., 1:]),
        "betp": lambda a, b: tensor.betp(a),
        "plausibility transform": lambda a, b: tensor.plausibility_transform(a),
        "normalize": lambda a, b: tensor.normalize(a + b),
        "prototype head": lambda a, b: tensor.prototype_mass(converted(head, a), a[..., :3]),
        "logit head, table": lambda a, b: tensor.logit_mass(converted(layer, a), b),
        "logit head, bounds": lambda a, b: first(tensor.logit_bounds(converted(layer, a), b)),
        "dirichlet head": lambda a, b: tensor.dirichlet_mass(a),
        "log loss": log_loss,
    }
    of_sets = {
        "dense dempster": dense.dempster,
        "dense disjunctive": dense.disjunctive,
        "dense betp": lambda a, b: dense.betp(a),
        "dense commonality": lambda a, b: dense.convert_table(a, "m", "q"),
    }
    return closed, of_sets


def pairs_of_calls():
    """Every function with its two arguments, in float64."""
    closed, of_sets = calls(10, 8)
    few, many = sources(1000, 10), tables(1000, 8)
    for name, call in closed.items():
        yield name, call, few
    for name, call in of_sets.items():
        yield name, call, many


def numpy_of(x):
    """Any array as float64 of NumPy."""
    if isinstance(x, torch.Tensor):
        x = x.detach().to("cpu", torch.float64)
    elif hasattr(x, "get"):  # of CuPy
        x = x.get()
    return np.asarray(x).astype("float64")


def values(device):
    """Largest difference from NumPy in float64, for each function and type on the device."""
    rows = []
    for name, call, given in pairs_of_calls():
        wanted = call(*given)
        row = {"function": name}
        for dtype in TOLERANCE:
            a, b = (torch.as_tensor(m).to(device, getattr(torch, dtype)) for m in given)
            row[dtype] = difference(numpy_of(call(a, b)), wanted, dtype)
        rows.append(row)
    return rows


def difference(found, wanted, dtype):
    """Largest difference; of rounded inputs it is relative to numbers above 1."""
    gap = np.abs(found - wanted) / np.maximum(np.abs(wanted), 1)
    if dtype in ("float16", "bfloat16"):  # row 0 and 1 of a log loss are of numbers that vanish
        gap = gap[2:]
    return float(gap.max())


def gradients(device):
    """Largest difference between gradients on the device and on the CPU, in float64 and float32."""
    rows = []
    for name, call, given in pairs_of_calls():
        row = {"function": name}
        for dtype in ("float64", "float32"):
            found = []
            for place in ("cpu", device):
                leaves = [
                    torch.as_tensor(m).to(place, getattr(torch, dtype)).requires_grad_()
                    for m in given
                ]
                result = call(*leaves)
                weights = torch.linspace(0, 1, result.shape[-1], dtype=result.dtype, device=place)
                (result * weights).sum().backward()
                found.append([numpy_of(leaf.grad) for leaf in leaves if leaf.grad is not None])
            gap = [np.abs(a - b) / np.maximum(np.abs(a), 1) for a, b in zip(*found, strict=True)]
            row[dtype] = float(np.max(gap))
            row["finite"] = bool(all(np.isfinite(g).all() for g in found[1]))
        rows.append(row)
    return rows


def others():
    """Largest difference from NumPy of JAX and CuPy on their default device, in float32."""
    rows = []
    for library, module in (("jax", "jax.numpy"), ("cupy", "cupy")):
        try:
            xp = import_module(module)
            xp.asarray(np.zeros(1, "float32")).sum()
        except Exception as error:  # whatever a broken driver raises
            rows.append({"library": library, "function": "left out", "why": str(error)[:80]})
            continue
        for name, call, given in pairs_of_calls():
            found = call(*(xp.asarray(m.astype("float32")) for m in given))
            gap = difference(numpy_of(found), call(*given), "float32")
            rows.append({"library": library, "function": name, "float32": gap})
    return rows


def seconds(call, device, repeats=7):
    """The best of some runs, after one that is not timed."""
    best = float("inf")
    for k in range(repeats + 1):
        if device != "cpu":
            torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        if device != "cpu":
            torch.cuda.synchronize()
        if k:
            best = min(best, time.perf_counter() - start)
    return best


def backward(call, *leaves):
    """A call with its gradient."""
    for leaf in leaves:
        leaf.grad = None
    result = call(*leaves)
    (result[0] if isinstance(result, tuple) else result)[..., 0].sum().backward()


def timed(what, call, given, device):
    """Forward, and with gradients, on the device."""
    plain = [torch.as_tensor(m, device=device) for m in given]
    row = {"what": what, "forward_s": seconds(lambda: call(*plain), device)}
    leaves = [m.clone().requires_grad_() for m in plain]
    row["with_gradient_s"] = seconds(lambda: backward(call, *leaves), device)
    return row


def times(n, device):
    """Dempster's rule for n pairs in float32: ours, torchbelief at K = 8, NumPy on one CPU."""
    large, small = sources(n, 100, "float32"), sources(n, 8, "float32")
    of_sets = tables(n, 8, "float32")
    rows = [
        timed(f"dempster, {n:,} pairs, K = 100", tensor.dempster, large, device),
        timed(f"dempster, {n:,} pairs, K = 8", tensor.dempster, small, device),
        timed(f"dense.dempster, {n:,} pairs, K = 8", dense.dempster, of_sets, device),
    ]
    if device != "cpu":
        compiled = torch.compile(tensor.dempster, fullgraph=True)
        try:
            rows.append(timed(f"dempster, compiled, {n:,} pairs, K = 100", compiled, large, device))
        except Exception as error:  # of a compiler that is missing
            rows.append({"what": "dempster, compiled", "why": str(error)[:80]})
    try:
        belief = import_module("torchbelief")
    except ImportError:
        rows.append({"what": "torchbelief", "why": "is not installed"})
    else:
        frame = belief.Frame(8)
        other = timed(
            f"torchbelief.dempster, {n:,} pairs, K = 8",
            lambda a, b: belief.dempster(a, b, frame),
            of_sets,
            device,
        )
        rows.append(other)
    rows.append(
        {
            "what": f"NumPy, {n:,} pairs, K = 100",
            "forward_s": seconds(lambda: tensor.dempster(*large), "cpu", repeats=2),
        }
    )
    return rows


def installed(name):
    """Version of a distribution, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def wrong(report):
    """What exceeds the tolerances; gradients and sums over all subsets have larger terms."""
    found = []
    for part, factor in (("values", 1), ("gradients", 10), ("others", 1)):
        for row in report[part]:
            most = factor * (2 if row["function"].startswith("dense") else 1)
            found += [
                f"{part}: {row['function']} in {dtype} differs by {row[dtype]:.1e}"
                for dtype, tolerance in TOLERANCE.items()
                if dtype in row and not row[dtype] <= most * tolerance
            ]
    return found + [
        f"gradients: {row['function']} are not finite"
        for row in report["gradients"]
        if not row["finite"]
    ]


def show(rows):
    """Print rows as a table."""
    for row in rows:
        cells = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()]
        print("  ".join(f"{cell:<12}" for cell in cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--cpu", action="store_true", help="rehearse with few rows on the CPU")
    options = parser.parse_args()
    device = "cpu" if options.cpu else "cuda"
    began = time.perf_counter()
    report = {
        "device": platform.machine() if options.cpu else torch.cuda.get_device_name(),
        "python": platform.python_version(),
        "versions": {
            name: installed(name)
            for name in ("numpy", "torch", "jax", "array-api-compat", "torchbelief")
        },
    }
    print(report)
    for part, run in {
        "values": lambda: values(device),
        "gradients": lambda: gradients(device),
        "others": others,
        "times": lambda: times(10**4 if options.cpu else 10**6, device),
    }.items():
        report[part] = run()
        print(f"\n{part}")
        show(report[part])
        options.output.write_text(json.dumps(report, indent=1), encoding="utf-8")
    report["wrong"] = wrong(report)
    report["seconds"] = time.perf_counter() - began
    options.output.write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(f"\n{report['seconds']:.0f} s; wrong: {report['wrong'] or 'nothing'}")
    return 1 if report["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
