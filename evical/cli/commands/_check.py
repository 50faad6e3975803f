"""`evical check`: does a stated test of calibration pass? For pipelines."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import typer

from evical._names import TESTS, check_name
from evical.cli import arguments
from evical.cli._output import echo_json, user_input, write_atomically

if TYPE_CHECKING:
    from evical.evaluation import CalibrationMonitor

_FAILED = 1
_FORMAT = "evical.monitor"


def check(
    selection: arguments.Selection,
    reading: arguments.Reading,
    test: list[str] | None = None,
    level: float = 0.05,
    max_ece: float | None = None,
    bins: arguments.Count = 10,
    state: Path | None = None,
    as_json: bool = False,
) -> None:
    """Test calibration: exit code 0 if all tests pass, 1 if not, 2 for wrong input.

    Prints the verdict in one line, with the error that the tests could detect. With few samples,
    only large errors are detectable. A warning follows if [Bel, Pl] did not hold the probability.
    Several tests share the level (Holm's procedure). Of more than two classes, each is tested
    against all others, in a line of its own. With --state, the test monitor goes on from batch to
    batch: its level is that of the whole stream.

    Parameters
    ----------
    test : NAME (by default interval for beliefs, spiegelhalter for probabilities)
        {TESTS}; or none. Can be repeated.
    level : P
        Probability of a false alarm, of all tests.
    max_ece : E
        Greatest calibration error (ECE) that passes.
    bins : N
        Bins of tests and ECE.
    state : STATE.json
        Of --test monitor: go on from this file if it is there, and write it anew.

    Examples
    --------
    evical check out.csv --target income --test interval
    """
    with user_input(), reading:
        names = _names(test, max_ece)
        if state is not None and names != ["monitor"]:
            raise ValueError("--state is for --test monitor alone; run other tests apart")
        # Inside, as in each command, because it takes seconds to load.
        from dstheory.checks.arguments import check_level
        from evical.cli._judged import judge
        from evical.cli._model import file_text
        from evical.evaluation import Evaluation, check_calibration

        check_level("level", level)
        read = judge(selection, n_bins=bins)
        many = None if isinstance(read, Evaluation) else read
        judged = [read] if isinstance(read, Evaluation) else read.by_class()
        # Each of several classes against all others has an equal part of the level.
        pairs = [one.class_names for one in judged]
        monitors = [None] * len(judged) if state is None else _monitors(state, pairs)
        checks = [
            check_calibration(
                one,
                names,
                level=level / len(judged),
                max_error=max_ece,
                n_bins=bins,
                monitor=monitor,
            )
            for one, monitor in zip(judged, monitors, strict=True)
        ]
        if state is not None:
            saved = [one.to_dict() for one in monitors if one is not None]
            write_atomically(state, file_text(_FORMAT, monitors=saved))
    passed = all(found.passed for found in checks)
    shown = [{**asdict(found), "verdict": str(found), "warning": found.warning} for found in checks]
    if not as_json:
        for one, found in zip(judged, checks, strict=True):
            typer.echo(f"{one.name}: {found}")
            if found.warning:
                typer.echo(f"warning: {found.warning}")
        if many is not None:
            kept = sum(found.passed for found in checks)
            typer.echo(f"{many.name}: {kept} of {len(checks)} classes passed")
        for one, monitor in zip(judged, monitors, strict=True):
            if monitor is not None:
                typer.echo(f"{one.name}: {monitor!r}")
    elif many is None:
        echo_json({"name": judged[0].name, **shown[0]})
    else:
        by_class = dict(zip(many.classes, shown, strict=True))
        echo_json({"name": many.name, "passed": passed, "classes": by_class})
    if not passed:
        raise typer.Exit(_FAILED)


def _monitors(state: Path, pairs: Sequence[tuple[str, str]]) -> "list[CalibrationMonitor | None]":
    """A monitor for each pair of classes: those of the file, or new ones if there is none."""
    from evical.cli._model import reading
    from evical.evaluation import CalibrationMonitor

    if not state.exists():
        return [CalibrationMonitor(SimpleNamespace(classes_=pair)) for pair in pairs]
    with reading(state, _FORMAT, "evical check --state", "remove it, and begin") as data:
        found: list[Any] = [CalibrationMonitor.from_dict(one) for one in data["monitors"]]
        known = [tuple(map(str, one.classes_)) for one in found]
    if known != list(pairs):
        names = (", ".join(positive for _, positive in one) for one in (known, pairs))
        raise ValueError(
            f"{state.name} is of the classes {next(names)}, but these predictions are of "
            f"{next(names)}; take another --state, or name the class by --positive"
        )
    return found


def _names(tests: list[str] | None, max_ece: float | None) -> list[str] | None:
    """Names of tests as in the library; None for the default."""
    if tests is None:
        return None
    names = [check_name(name, (*TESTS, "none"), "test") for name in tests]
    if "none" in names:
        if len(names) > 1:
            raise ValueError("--test none excludes other tests")
        if max_ece is None:
            raise ValueError("--test none leaves nothing to check; give --max-ece")
        return []
    return names
