"""`evical compare`: cross-validate several calibrators, and recommend one."""

from pathlib import Path

from evical._names import check_method
from evical.cli import arguments
from evical.cli._output import check_page, command_line, echo_json, user_input, write_page


def compare(
    samples: arguments.SampleTable,
    plan: arguments.Plan,
    reading: arguments.Reading,
    positive: str | None = None,
    output: Path | None = None,
    force: bool = False,
    as_json: bool = False,
) -> None:
    """Compare calibrators by cross-validation, and recommend one with reasons.

    Prints mean losses on test folds, which differences are significant, and warnings if there
    are few samples. Of three and more classes, calibrators of two classes
    calibrate each against the rest.

    Parameters
    ----------
    positive : CLASS (by default yes of a column p_yes, else the greater one)
        The class that high scores support.

    Examples
    --------
    evical compare scores.csv --score score --target income -o methods.html
    """
    with user_input(), reading:
        check_page(output)
        methods = _list_methods(plan.methods, many=len(samples.score) > 1)
        # Inside, as in each command, because it takes seconds to load.
        from evical.cli._comparing import as_data, compare_table, show
        from evical.cli._show import new_console

        found = compare_table(samples, positive, methods, plan)
        if output is not None:
            named = {**vars(samples), "positive": positive, "output": output}
            command = command_line("compare", named.pop("scores"), **named, **vars(plan))
            write_page(output, found, command)
    if as_json:
        echo_json(as_data(found))
    else:
        show(new_console(), found, output)


def _list_methods(methods: str | None, *, many: bool) -> list[str] | str | None:
    if methods is None or methods.strip() == "all":
        return methods and "all"
    names = [name.strip() for name in methods.split(",")]
    if "" in names:
        raise ValueError("--methods has an empty name; separate names by single commas")
    for name in names:
        check_method(name, "uncalibrated", many=many)
    return names
