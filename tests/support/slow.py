"""A pytest plugin: `slow` is what took long when it was last measured.

`tests/slow.txt` lists the cases that take more than 0.1 s of CPU, `tests/slowest.txt` those that
take more than 0.7 s. A mark in the code would be an opinion that nobody measures again; the lists
are written by a run of everything, ``python -m pytest -n auto --renew-slow``, then by one with
``-m "not slow"`` as well: who asks first for a fixture that others share pays for it. A run says
when the lists are out of date. CPU seconds, of child processes too, depend little on what else the
machine does.

Coverage is not measured in the slowest cases. They are 3 % of all and take half of the time, and
reaching a line is not testing it.
"""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

LISTS = {"slow.txt": 0.1, "slowest.txt": 0.7}  # seconds above which a case is in them
_FOLDER = Path(__file__).resolve().parents[1]
NOTICED = 1.0  # on another machine, clearly long

_MEASURED = "COVERAGE_PROCESS_START"  # set in the processes that coverage measures
_began = pytest.StashKey[float]()
_took: dict[str, float] = {}


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def listed(name: str = "slow.txt") -> set[str]:
    """The cases that a list has."""
    return set((_FOLDER / name).read_text(encoding="utf-8").splitlines())


@cache
def _slowest() -> set[str]:
    return listed("slowest.txt")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that writes the lists."""
    names = " and ".join(f"tests/{name}" for name in LISTS)
    parser.addoption("--renew-slow", action="store_true", help=f"write {names} anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is listed; parallel workers begin with the files that have some of it.

    The last to run are then quick, and no worker waits for a long case of another one.
    """
    slow = listed()
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)
    if hasattr(config, "workerinput"):
        first = {item.path for item in items if item.nodeid in slow}
        items.sort(key=lambda item: item.path not in first)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run the slowest cases, and the processes that they start, without a tracer."""
    measured = os.environ.get(_MEASURED)
    if measured is None or item.nodeid not in _slowest():
        return (yield)
    from coverage import Coverage

    tracer = Coverage.current()
    del os.environ[_MEASURED]
    if tracer is not None:
        tracer.stop()
    try:
        return (yield)
    finally:
        os.environ[_MEASURED] = measured
        if tracer is not None:
            tracer.start()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start the clock."""
    item.stash[_began] = cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    """Stop it; a report takes the properties along, from a worker to its controller."""
    if call.when == "teardown" and _began in item.stash:
        item.user_properties.append(("cpu seconds", cpu_seconds() - item.stash[_began]))
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect the seconds where all reports arrive."""
    if report.when == "teardown":
        _took[report.nodeid] = float(dict(report.user_properties).get("cpu seconds", 0.0))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write the lists, or say that they are out of date."""
    old = {name: listed(name) for name in LISTS}
    if config.getoption("renew_slow"):
        for name, least in LISTS.items():
            kept = old[name] - _took.keys()
            new = {case for case, seconds in _took.items() if seconds > least} | kept
            text = "".join(f"{case}\n" for case in sorted(new))
            (_FOLDER / name).write_text(text, encoding="utf-8")
            terminalreporter.write_line(f"tests/{name}: {len(new)} cases, {len(old[name])} before")
        return
    for case, seconds in sorted(_took.items()):
        if seconds > NOTICED and case not in old["slow.txt"]:
            terminalreporter.write_line(
                f"{case} took {seconds:.1f} s of CPU and is not in tests/slow.txt: "
                "run it with --renew-slow"
            )
