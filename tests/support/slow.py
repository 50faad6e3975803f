"""A pytest plugin: `slow` is what took long when it was last measured.

`tests/slow.txt` lists the cases that take more than LONG seconds of CPU. A mark in the code would
be an opinion that nobody measures again; the list is written by a run of everything,
``python -m pytest -n auto --renew-slow``, then by one with ``-m "not slow"`` as well: who asks
first for a fixture that others share pays for it. A run says when the list is out of date.
CPU seconds, of child processes too, depend little on what else the machine does.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LIST = Path(__file__).resolve().parents[1] / "slow.txt"
LONG = 0.1
NOTICED = 1.0  # on another machine, clearly long

_began = pytest.StashKey[float]()
_took: dict[str, float] = {}


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def listed() -> set[str]:
    """The cases that the list has."""
    return set(LIST.read_text(encoding="utf-8").splitlines())


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that writes the list."""
    parser.addoption("--renew-slow", action="store_true", help=f"write tests/{LIST.name} anew")


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
    """Write the list, or say that it is out of date."""
    old = listed()
    if config.getoption("renew_slow"):
        new = {name for name, seconds in _took.items() if seconds > LONG} | (old - _took.keys())
        LIST.write_text("".join(f"{name}\n" for name in sorted(new)), encoding="utf-8")
        terminalreporter.write_line(f"tests/{LIST.name}: {len(new)} cases, {len(old)} before")
        return
    for name, seconds in sorted(_took.items()):
        if seconds > NOTICED and name not in old:
            terminalreporter.write_line(
                f"{name} took {seconds:.1f} s of CPU and is not in tests/{LIST.name}: "
                "run it with --renew-slow"
            )
