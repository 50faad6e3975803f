"""`Exported`: what calibrators tell of themselves when they are exported, and the methods for it.

Exports are written in a room of their own, `evical.export`, which sees all calibrators.
"""

from importlib import import_module
from typing import Any, ClassVar, Literal

import numpy as np

from evical._typing import Floats

__all__ = ["Exported"]


class Exported:
    """Calibrators that can be exported."""

    # Attributes that hold landmarks.
    _turns: ClassVar[tuple[str, ...]] = ()

    def _landmarks(self) -> Floats:
        """Scores, as read, where predictions may jump or bend, or around which they change."""
        turns = [np.ravel(getattr(self, name)) for name in self._turns]
        return np.concatenate([np.empty(0), *turns])

    def to_sql(
        self,
        column: str,
        dialect: str = "duckdb",
        max_bytes: int | None = 1_000_000,
        *,
        prefix: str = "",
        class_columns: bool = False,
    ) -> str:
        """Columns of a SELECT, to predict in a database; `evical.export.to_sql` says more.

        Parameters
        ----------
        column : str
            Name of the column of scores.
        dialect : {"duckdb", "sqlite", "postgres", "spark", "bigquery"}
        max_bytes : int, optional
            How long the text may be; None for any length.
        prefix : str
            Of the names of the new columns.
        class_columns : bool
            Whether the class stands in the names, as in those of `predict_table`.

        Returns
        -------
        str
            Expressions with the names ``bel``, ``pl`` and ``betp``, of the positive class, or with
            those of both classes.

        Raises
        ------
        ValueError
            For an unknown dialect, an empty name, a text that is too long, or equal names.
        """
        return str(
            _exports().to_sql(
                self, column, dialect, max_bytes, prefix=prefix, class_columns=class_columns
            )
        )

    def to_onnx(
        self,
        max_bytes: int | None = 1_000_000,
        *,
        dtype: Literal["float64", "float32"] = "float64",
        class_columns: bool = False,
    ) -> Any:
        """A graph of ONNX, to predict in a service; `evical.export.to_onnx` says more.

        Parameters
        ----------
        max_bytes : int, optional
            How large the graph may be; None for any size.
        dtype : {"float64", "float32"}
            Of the scores that the graph takes.
        class_columns : bool
            Whether there is an output for each class and number, named as those of `predict_table`.

        Returns
        -------
        onnx.ModelProto
            From ``scores`` (n, 1) to ``beliefs`` (n, 3): [Bel, Pl, BetP] of the positive class; or
            to columns (n,) of both classes.

        Raises
        ------
        ModuleNotFoundError
            If onnx is not installed.
        ValueError
            If the graph is too large, or names are equal.
        """
        return _exports().to_onnx(self, max_bytes, dtype=dtype, class_columns=class_columns)

    def to_javascript(
        self, max_bytes: int | None = 1_000_000, *, class_columns: bool = False
    ) -> str:
        """A module of JavaScript, to predict in a browser; `evical.export.to_javascript` says more.

        Parameters
        ----------
        max_bytes : int, optional
            How long the text may be; None for any length.
        class_columns : bool
            Whether there is a function that returns beliefs in both classes by name.

        Returns
        -------
        str
            It exports ``classes`` and ``beliefs(score)``, which returns ``[bel, pl, betp]``; and
            ``namedBeliefs(score)``, if names are asked for.

        Raises
        ------
        ValueError
            If the text is too long, or names are equal.
        """
        return str(_exports().to_javascript(self, max_bytes, class_columns=class_columns))


def _exports() -> Any:
    """The room of exports; it imports this one, so only a call imports it."""
    return import_module("evical.export")
