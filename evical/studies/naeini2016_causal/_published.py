"""Table 33 of Naeini (2016), as printed: means over ten networks of 1,000 variables."""

from evical.studies._study import PublishedTable

__all__ = ["PRINTED"]

# (N, E, method): directed P, R, F1, MCE; undirected P, R, F1, MCE; MCE of no edge, and of all.
_ROWS = {
    ("40", "1000", "before"): (0.67, 0.60, 0.63, 0.20, 0.74, 0.07, 0.12, 0.47, 0.35, 0.25),
    ("40", "1000", "SNN"): (0.80, 0.58, 0.67, 0.27, 0.67, 0.52, 0.57, 0.26, 0.22, 0.23),
    ("40", "2000", "before"): (0.82, 0.41, 0.55, 0.21, 0.50, 0.02, 0.04, 0.32, 0.54, 0.27),
    ("40", "2000", "SNN"): (0.81, 0.47, 0.60, 0.25, 0.56, 0.35, 0.38, 0.25, 0.24, 0.23),
    ("40", "3000", "before"): (0.85, 0.25, 0.39, 0.29, 0.37, 0.01, 0.03, 0.18, 0.59, 0.31),
    ("40", "3000", "SNN"): (0.84, 0.31, 0.45, 0.23, 0.39, 0.24, 0.27, 0.22, 0.31, 0.25),
    ("80", "1000", "before"): (0.67, 0.59, 0.63, 0.21, 0.72, 0.04, 0.08, 0.49, 0.32, 0.26),
    ("80", "1000", "SNN"): (0.83, 0.58, 0.68, 0.16, 0.68, 0.57, 0.61, 0.16, 0.14, 0.16),
    ("80", "2000", "before"): (0.82, 0.41, 0.54, 0.20, 0.15, 0.00, 0.01, 0.32, 0.55, 0.27),
    ("80", "2000", "SNN"): (0.84, 0.47, 0.60, 0.16, 0.55, 0.35, 0.40, 0.17, 0.18, 0.17),
    ("80", "3000", "before"): (0.86, 0.25, 0.39, 0.28, 0.03, 0.00, 0.00, 0.18, 0.58, 0.31),
    ("80", "3000", "SNN"): (0.86, 0.30, 0.45, 0.18, 0.37, 0.21, 0.24, 0.15, 0.26, 0.21),
    ("120", "1000", "before"): (0.67, 0.59, 0.63, 0.21, 0.60, 0.02, 0.04, 0.48, 0.28, 0.26),
    ("120", "1000", "SNN"): (0.86, 0.56, 0.68, 0.12, 0.68, 0.63, 0.65, 0.12, 0.10, 0.12),
    ("120", "2000", "before"): (0.83, 0.40, 0.54, 0.23, 0.07, 0.00, 0.00, 0.31, 0.54, 0.26),
    ("120", "2000", "SNN"): (0.85, 0.46, 0.60, 0.15, 0.55, 0.33, 0.40, 0.13, 0.17, 0.15),
    ("120", "3000", "before"): (0.86, 0.25, 0.38, 0.29, 0.00, 0.00, 0.00, 0.17, 0.59, 0.32),
    ("120", "3000", "SNN"): (0.87, 0.30, 0.44, 0.18, 0.46, 0.26, 0.31, 0.12, 0.26, 0.22),
}
_COLUMNS = (
    *(("directed", measure) for measure in ("precision", "recall", "f1", "mce")),
    *(("undirected", measure) for measure in ("precision", "recall", "f1", "mce")),
    ("none", "mce"),
    ("all", "mce"),
)
_TITLES = {"precision": "precision", "recall": "recall", "f1": "F1", "mce": "MCE"}


def _table(measure: str, title: str) -> PublishedTable:
    values: dict[tuple[str, ...], float] = {
        (*row, kind): value
        for row, numbers in _ROWS.items()
        for (kind, name), value in zip(_COLUMNS, numbers, strict=True)
        if name == measure
    }
    # The tables' means are over ten networks, whose chance is not printed.
    return PublishedTable(
        title=f"Table 33, {title}",
        measure=measure,
        rows=("size", "edges", "method"),
        columns=("type",),
        where={},
        values=values,
        repeats=10,
    )


PRINTED = tuple(_table(measure, title) for measure, title in _TITLES.items())
