"""What all targets ask for: a fitted calibrator of one score, and a text that is not too long."""

from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import check_count, check_instance
from evical._versions import version_of
from evical.calibrators import BaseCalibrator
from evical.export._table import PieceTable
from evical.multiclass import BaseMulticlassCalibrator


def check_binary(calibrator: object) -> None:
    """Raise unless this is a fitted calibrator of one score."""
    if isinstance(calibrator, BaseMulticlassCalibrator):
        raise TypeError(
            f"{type(calibrator).__name__} takes a score for each class, and this export one score "
            "of two classes; to_onnx takes calibrators of many classes"
        )
    check_instance("calibrator", calibrator, BaseCalibrator, "a calibrator of one score")
    check_is_fitted(calibrator)


def check_size(size: int, max_bytes: int | None, kind: str, extent: str) -> None:
    """Raise if a program or graph has more bytes than permitted."""
    if max_bytes is not None and size > check_count("max_bytes", max_bytes, 1):
        raise ValueError(
            f"the {kind} has {size} bytes for {extent}, and max_bytes is {max_bytes}; permit more, "
            "or fit the calibrator to fewer distinct scores (ScoreCounts.compress)"
        )


def columns_of(classes: NDArray[Any]) -> str:
    """What is exported of a calibrator or classifier of these classes, in words."""
    labels = classes.tolist()
    return f"bel, pl, betp of {'each class' if len(labels) > 2 else f'class {labels[1]!r}'}"


def heading(calibrator: BaseCalibrator, table: PieceTable) -> str:
    """One line on what is exported, and how accurate it is, for a comment of any language."""
    name, classes = type(calibrator).__name__, calibrator.classes_
    error = f"at most {_up(table.error)}" if table.error else "none"
    text = (
        f"{name} of evical {version_of('evical')}: {columns_of(classes)}; "
        f"{len(table)} pieces, error {error}"
    )
    return text.replace("*/", "* /").replace("/*", "/ *")  # Postgres nests comments


def _up(error: float) -> str:
    """Two digits that are not less."""
    text = f"{error:.1e}"
    return text if float(text) >= error else f"{error * 1.05:.1e}"
