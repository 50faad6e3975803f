"""`evical export`: a model as SQL, ONNX or JavaScript."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from evical.cli import arguments
from evical.cli._output import user_input, write_atomically

if TYPE_CHECKING:
    from evical.cli._model import Model


def export(
    model: arguments.Given[Path],
    to: Literal["sql", "onnx", "js"],
    output: str = "-",
    dialect: Literal["duckdb", "sqlite", "postgres", "spark", "bigquery"] | None = None,
    column: str | None = None,
    class_columns: bool = False,
    level: float | None = None,
    max_bytes: arguments.Count = 1_000_000,
    force: bool = False,
) -> None:
    """Write a model as SQL, ONNX or JavaScript, which predict without Python.

    Each gives belief, plausibility and probability of the positive class, with --level also its
    confidence interval, the same as evical predict: steps exactly, curves to an error of at most
    1e-7. SQL is columns for a SELECT, with --class-columns those of both classes; --to onnx needs
    the package onnx, and takes more than two classes.

    Parameters
    ----------
    to
        Where it is to run.
    output : -o FILE
        File to write; - is stdout.
    dialect : (by default duckdb)
        Of --to sql: the database.
    column : COLUMN (by default as in the training)
        Of --to sql: column of the score.
    class_columns
        Name what is predicted as evical predict does: bel_yes, pl_yes, p_yes.
    level : LEVEL
        Add the confidence interval of the probability: lower, upper.
    max_bytes : N
        Greatest size that is permitted.

    Examples
    --------
    evical export model.json --to sql --dialect sqlite -o model.sql
    evical export model.json --to js -o model.mjs
    """
    with user_input():
        if to != "sql" and (dialect is not None or column is not None):
            raise ValueError("--dialect and --column are for --to sql")
        if output == "-" and to == "onnx":
            raise ValueError("a graph is written to a file; name it with --output")
        if level is not None:
            from dstheory.checks.arguments import check_level

            check_level("--level", level)
        from evical.cli._model import load_model  # inside, because it takes seconds to load

        fitted = load_model(model)
        options = {"max_bytes": max_bytes, "class_columns": class_columns, "level": level}
        content = _content(fitted, to, column, dialect or "duckdb", options)
        if output != "-":
            write_atomically(Path(output), content)
    if output == "-":
        typer.echo(content)
    if fitted.answers is not None and fitted.answers.limit < float("inf"):
        where = f"at most {1 - fitted.answers.limit:.6g}" if fitted.answers.kept else "anything"
        typer.echo(
            "warning: exports have no decision, so none to ask; the model asks where the larger "
            f"probability is {where}",
            err=True,
        )


def _content(
    model: "Model",
    to: Literal["sql", "onnx", "js"],
    column: str | None,
    dialect: str,
    options: dict[str, Any],
) -> Any:
    """The export; raises ValueError, which says what to do, if there is none of the model."""
    from evical.calibrators import BaseCalibrator
    from evical.cli._model import is_conformal
    from evical.export import to_javascript, to_onnx, to_sql
    from evical.multiclass import BaseMulticlassCalibrator

    calibrator = model.calibrator
    if is_conformal(calibrator):
        raise ValueError(
            "the model is conformal: plausibilities are counts of calibration samples, for which "
            "there is no export; predict with evical predict, or export one of evical fit without "
            "--conformal, of one score"
        )
    if isinstance(calibrator, BaseMulticlassCalibrator) and to != "onnx":
        raise ValueError(
            f"the model has a score for each of {len(model.labels)} classes; of more than two "
            "classes there is an export --to onnx alone"
        )
    if isinstance(calibrator, BaseCalibrator) and to == "sql":
        return to_sql(calibrator, model.score if column is None else column, dialect, **options)
    if isinstance(calibrator, BaseCalibrator) and to == "js":
        return to_javascript(calibrator, **options)
    try:
        return to_onnx(calibrator, **options).SerializeToString()
    except ModuleNotFoundError as error:
        raise ValueError(str(error)) from error
