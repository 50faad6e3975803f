"""Numbers of Naeini's tables on simulated data, as printed, and in which rows of ours they belong.

Cells that are not legible in the copy at hand are "-", and are left out.
Source: Naeini (2016), tables 3, 5 (a) and (b), 7, 14, 15 and 26.
"""

from collections.abc import Iterator

from examples.studies._study import PublishedTable

__all__ = ["LARGE", "PRINTED", "SAME", "SEPARATE"]

# Values of the label "design".
SAME = "training samples"
SEPARATE = "600 others"
LARGE = "others, 1000 trained"

MEASURES = {
    "AUC": "auc",
    "ACC": "accuracy",
    "RMSE": "rmse",
    "ECE": "ece_released",
    "MCE": "mce_released",
}

# The last column is of table 7, whose other columns are those of table 3 again.
TABLES_3_7 = {
    ("circular", "linear SVM"): """
        none histogram Platt isotonic KDE DPM BBQ
        RMSE 0.50 0.39 0.50 0.46 0.38 0.39 0.38
        AUC 0.50 0.84 0.50 0.65 0.85 0.85 0.85
        ACC 0.48 0.78 0.52 0.64 0.78 0.78 0.78
        MCE 0.52 0.19 0.54 0.58 0.09 0.16 0.09
        ECE 0.28 0.07 0.28 0.35 0.03 0.07 0.03""",
    ("circular", "quadratic SVM"): """
        none histogram Platt isotonic KDE DPM BBQ
        RMSE 0.21 0.09 0.19 0.08 0.09 0.08 0.08
        AUC 1.00 1.00 1.00 1.00 1.00 1.00 1.00
        ACC 0.99 0.99 0.99 0.99 0.99 0.99 0.99
        MCE 0.35 0.04 0.32 0.03 0.07 0.03 -
        ECE 0.14 0.01 0.15 0.00 0.01 0.00 0.00""",
}

TABLES_14_15 = {
    ("circular", "linear SVM"): """
        none isotonic BBQ ENIR
        AUC 0.52 0.65 0.85 0.85
        ACC 0.64 0.64 0.78 0.79
        RMSE 0.52 0.46 0.39 0.38
        ECE 0.28 0.35 0.05 0.05
        MCE 0.78 0.60 0.13 0.12""",
    ("circular", "quadratic SVM"): """
        none isotonic BBQ ENIR
        AUC 1.00 1.00 1.00 1.00
        ACC 0.99 0.99 0.99 0.99
        RMSE 0.21 0.09 0.10 0.09
        ECE 0.14 0.01 0.01 0.00
        MCE 0.36 0.04 0.05 0.03""",
    ("XOR", "linear SVM"): """
        none isotonic BBQ ENIR
        AUC 0.50 0.68 0.90 0.89
        ACC 0.64 0.67 0.83 0.83
        RMSE 0.51 0.45 0.34 0.34
        ECE 0.32 0.31 0.03 0.04
        MCE 0.66 0.62 0.08 0.11""",
    ("XOR", "RBF SVM"): """
        none isotonic BBQ ENIR
        AUC 0.99 0.99 0.99 0.99
        ACC 0.96 0.96 0.96 0.96
        RMSE 0.30 0.18 0.18 0.18
        ECE 0.24 0.01 0.02 0.01
        MCE 0.30 0.08 0.10 0.06""",
}

TABLE_5 = {
    ("XOR", "logistic regression"): """
        none ACP isotonic Platt histogram SBB ABB
        AUC 0.497 0.950 - - - 0.914 0.941
        ACC 0.510 - - - - 0.887 -
        RMSE 0.500 - - - - 0.307 -
        MCE - 0.090 - - - 0.268 0.083
        ECE 0.190 0.056 - - 0.072 0.104 0.062""",
    ("circular", "logistic regression"): """
        none ACP isotonic Platt histogram SBB ABB
        AUC 0.489 0.852 0.635 0.489 - - 0.838
        ACC - - 0.655 0.500 - - -
        RMSE 0.501 - 0.459 0.501 - 0.393 -
        MCE 0.540 - 0.608 0.539 - - 0.146
        ECE 0.171 0.098 0.186 0.171 0.074 0.138 0.091""",
}

SIZES_26 = ("100", "1000", "10000", "100000", "1000000")
TABLE_26 = {
    "linear SVM": {
        "AUC": "0.82 0.84 0.85 0.85 0.85 0.49",
        "MCE": "0.40 0.15 0.07 0.05 0.03 0.52",
        "ECE": "0.14 0.05 0.03 0.02 0.01 0.28",
    },
    "quadratic SVM": {
        "AUC": "0.99 1.00 1.00 1.00 1.00 1.00",
        "MCE": "0.14 0.09 0.03 0.01 0.01 0.36",
        "ECE": "0.03 0.01 0.00 0.00 0.00 0.15",
    },
}


def _cells(texts: dict[tuple[str, str], str], name: str) -> dict[tuple[str, ...], float]:
    """(data, classifier, method) to number, of the rows of one measure."""
    found: dict[tuple[str, ...], float] = {}
    for labels, text in texts.items():
        head, *lines = (line.split() for line in text.strip().splitlines())
        for measure, *values in lines:
            if measure == name:
                cells = zip(head, values, strict=True)
                found.update({(*labels, method): float(v) for method, v in cells if v != "-"})
    return found


def _tables(
    title: str, texts: dict[tuple[str, str], str], design: str, size: int, digits: int = 2
) -> Iterator[PublishedTable]:
    rows, fixed = ("data", "classifier"), {"design": design, "size": str(size)}
    alone = {data for data, _ in texts}
    at = 0 if len(alone) > 1 else 1
    if at:
        fixed["data"] = alone.pop()
    for name, measure in MEASURES.items():
        yield PublishedTable(
            title=f"{title}: {name}",
            measure=measure,
            rows=rows[at:],
            columns=("method",),
            where=fixed,
            values={cell[at:]: value for cell, value in _cells(texts, name).items()},
            digits=digits,
            repeats=1,
        )


def _table_26(name: str) -> PublishedTable:
    values: dict[tuple[str, ...], float] = {}
    for classifier, lines in TABLE_26.items():
        *calibrated, base = map(float, lines[name].split())
        for size, value in zip(SIZES_26, calibrated, strict=True):
            values[classifier, "histogram", size] = value
        # The classifier itself does not depend on the calibration samples.
        values[classifier, "none", SIZES_26[0]] = base
    return PublishedTable(
        title=f"Table 26: {name}",
        measure=MEASURES[name],
        rows=("classifier", "method"),
        columns=("size",),
        where={"data": "circular", "design": LARGE},
        values=values,
        repeats=10,
    )


PRINTED = (
    *_tables("Tables 3 and 7", TABLES_3_7, SAME, 1000),
    *_tables("Tables 14 and 15", TABLES_14_15, SAME, 1000),
    *_tables("Table 5 (a) and (b)", TABLE_5, SEPARATE, 600, digits=3),
    *(_table_26(name) for name in ("AUC", "MCE", "ECE")),
)
"""All tables, one for each measure."""
