"""How benchmarks measure: medians of milliseconds, or the best of a few long calls."""

import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["best_seconds", "median_ms", "report"]


def median_ms(function: Callable[[], Any], repeat: int = 7) -> float:
    """Median milliseconds of a call; calls of more than two seconds run once more only."""
    once = timeit.timeit(function, number=1)
    number = max(1, int(0.02 / max(once, 1e-7)))
    repeat = repeat if once < 2 else 1
    return 1e3 * float(np.median(timeit.repeat(function, number=number, repeat=repeat))) / number


def best_seconds(function: Callable[[], Any], repeat: int = 3) -> float:
    """Seconds of the fastest of a few calls."""
    return min(timeit.repeat(function, number=1, repeat=repeat))


def report(name: str, ours: float, alternative: float) -> None:
    """Print both times, in milliseconds, and their ratio."""
    print(f"\n{name}: {ours:.3f} ms, alternative {alternative:.3f} ms, {alternative / ours:.3g}x")
