"""Fit all calibrators to nasty samples: ``python -m tests.fuzz.calibrators --cases 10000``.

A case is one sample for one entry of the table of calibrators. Its number and the seed make it
again: ``--only NAME --case NUMBER``. Work that takes longer than the budget of CPU time is cut off
and counts as a fault; so does memory beyond the bound.
"""

import argparse
import re
import resource
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.checks import Fault, RefusalError, faults, fitted
from tests.fuzz.samples import Sample, draw, halves
from tests.protocols.calibrators_table import CALIBRATORS, Entry

_MEMORY = 8 << 30


class LateError(BaseException):
    """The budget is spent; no `except Exception` may stop it."""


@dataclass(frozen=True)
class Outcome:
    """One case: what it took, why it was refused, what was wrong."""

    number: int
    entry: int
    seconds: float
    kind: str
    refused: str
    faults: list[Fault]


def case(seed: int, number: int, entries: list[int]) -> tuple[Entry, Sample, int]:
    """Calibrator and sample of a case."""
    index = entries[number % len(entries)]
    return CALIBRATORS[index], draw(np.random.default_rng([seed, number])), index


def run(seed: int, number: int, entries: list[int], budget: float) -> Outcome:
    """Fit, check, and measure the fit."""
    entry, sample, index = case(seed, number, entries)
    seconds, refused, found = 0.0, "", []
    try:
        seconds, refused = timed(entry, sample, budget)
        found = [] if refused else guarded(entry, sample, 5 * budget)
    except RefusalError as error:
        refused = str(error)
    except LateError:
        seconds, found = max(seconds, budget), [Fault("takes longer than the budget")]
    return Outcome(number, index, seconds, sample.kind, refused, found)


def timed(entry: Entry, sample: Sample, budget: float) -> tuple[float, str]:
    """CPU time of a fit, and why it was refused; what else goes wrong is for the checks to say."""
    start, refused = time.process_time(), ""
    signal.setitimer(signal.ITIMER_PROF, budget)
    try:
        with np.errstate(all="ignore"):
            fitted(entry, sample)
    except RefusalError as error:
        refused = str(error)
    except LateError:
        raise
    except Exception:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - start, refused


def guarded(entry: Entry, sample: Sample, budget: float) -> list[Fault]:
    signal.setitimer(signal.ITIMER_PROF, budget)
    try:
        return faults(entry, sample)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def shrunk(entry: Entry, sample: Sample, what: str) -> Sample:
    """A smaller sample with the same fault."""

    def fails(smaller: Sample) -> bool:
        try:
            return any(fault.what == what for fault in guarded(entry, smaller, 5.0))
        except (RefusalError, LateError):
            return False

    return halves(sample, fails)


def prepare() -> None:
    """Bounds on time and memory of this process."""

    def late(*_: Any) -> None:
        raise LateError

    signal.signal(signal.SIGPROF, late)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def batch(job: tuple[int, list[int], list[int], float]) -> list[Outcome]:
    seed, numbers, entries, budget = job
    return [run(seed, number, entries, budget) for number in numbers]


def outcomes(args: argparse.Namespace, entries: list[int]) -> list[Outcome]:
    numbers = list(range(args.cases)) if args.case is None else [args.case]
    jobs = [
        (args.seed, numbers[i : i + 50], entries, args.budget) for i in range(0, len(numbers), 50)
    ]
    found: list[Outcome] = []
    start = time.monotonic()
    with ProcessPoolExecutor(args.workers, initializer=prepare) as pool:
        for part in pool.map(batch, jobs):
            found += part
            if time.monotonic() - start > args.seconds:
                pool.shutdown(cancel_futures=True)
                break
            print(f"\r{len(found)} cases", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def report(found: list[Outcome], args: argparse.Namespace, entries: list[int]) -> None:
    """Figures, refusals by kind, and each kind of fault with its smallest case."""
    wrong = [outcome for outcome in found if outcome.faults]
    longest = sorted(found, key=lambda outcome: -outcome.seconds)[: args.longest]
    refused = Counter(outcome.refused for outcome in found if outcome.refused)
    print(f"cases tried: {len(found)}, refused: {refused.total()}, wrong: {len(wrong)}")
    for outcome in longest:
        name = CALIBRATORS[outcome.entry].id
        print(f"longest fits: {outcome.seconds:.2f} s of CPU, case {outcome.number} ({name})")
    for text, n in refused.most_common():
        print(f"  refused {n:5d}  {text}")
    kinds: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in wrong:
        for what in {fault.what for fault in outcome.faults}:
            kinds.setdefault((CALIBRATORS[outcome.entry].name, what), []).append(outcome)
    for (name, what), cases in sorted(kinds.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"wrong {len(cases):5d}  {name}: {what}")
        if args.examples:
            print(example(cases[0], what, args.seed, entries))


def example(outcome: Outcome, what: str, seed: int, entries: list[int]) -> str:
    """Code that shows the fault."""
    entry, sample, _ = case(seed, outcome.number, entries)
    small = shrunk(entry, sample, what) if "budget" not in what else sample
    details = [fault.detail for fault in outcome.faults if fault.what == what]
    options = ", ".join(f"{name}={value!r}" for name, value in entry.options.items())
    call = f"{entry.name}({options}).fit({small.call()})"
    return f"      case {outcome.number}: {sample.kind} {details[0]}\n      {call[:1500]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="regular expression on entries, as Gaussian-likelihood")
    parser.add_argument("--case", type=int, help="number of the one case to run")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds of CPU for a fit")
    parser.add_argument("--seconds", type=float, default=np.inf, help="stop after so long")
    parser.add_argument("--longest", type=int, default=1, help="number of longest fits to name")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--no-examples", dest="examples", action="store_false")
    args = parser.parse_args()
    entries = [i for i, entry in enumerate(CALIBRATORS) if re.search(args.only or "", entry.id)]
    if not entries:
        parser.error(f"no calibrator of the table is called {args.only!r}")
    prepare()
    found = outcomes(args, entries)
    report(found, args, entries)
    return int(any(outcome.faults for outcome in found))


if __name__ == "__main__":
    sys.exit(main())
