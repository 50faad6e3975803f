"""Numbers of Zadrozny's tables, as printed, and in which rows of ours they belong.

Sources: Zadrozny (2001), tables 2 and 3; Zadrozny & Elkan (2002), tables 2 to 5.
"""

from examples.studies._study import PublishedTable

__all__ = ["BOOSTED", "PRINTED_2001", "PRINTED_2002", "PRINTED_NEWSGROUPS", "WORDS"]

BOOSTED, BAYES = "boosted naive Bayes", "naive Bayes"
CODES = ("all_pairs", "one_vs_rest", "sparse")
METHODS = ("loss -y", "loss exp(-y)", "non-iterative", "iterative")

# Error rate and MSE of each code (lines) and method.
TABLES_2_3 = {
    "satimage": """
        .1385 - .1385 - .1385 .0999 .1385 .0395
        .1445 - .1425 - .1445 .1212 .1670 .0396
        .1435 - .1425 - .1480 .1085 .1330 .0340""",
    "pendigits": """
        .0723 - .0715 - .0723 .0747 .0718 .0129
        .0963 - .0963 - .0963 .0862 .1023 .0160
        .1284 - .1266 - .1484 .0789 .1261 .0216""",
    "soybean": """
        .0665 - .0665 - .0665 .0454 .0665 .0066
        .0824 - .0931 - .0824 .0493 .0931 .0073
        .0718 - .0718 - .0798 .0463 .0636 .0062""",
}
MULTICLASS = {
    "satimage": (0.2040, 0.0651),
    "pendigits": (0.2779, 0.0509),
    "soybean": (0.0745, 0.0996),
}
BASES_OF = {
    "satimage": ("Gaussian", "ten bins"),
    "pendigits": ("Gaussian", "ten bins"),
    "soybean": ("codes",),
}

# MSE and error rate of each calibration (lines) and coupling (table 4).
COUPLINGS_4 = ("normalization", "least squares", "iterative")
TABLE_4 = {
    (BAYES, "none"): ".0326 .1672 .0319 .1672 .0304 .1715",
    (BAYES, "PAV"): ".0241 .1498 .0260 .1498 .0260 .1512",
    (BOOSTED, "none"): ".0163 .0963 .0164 .0958 .0160 .1023",
    (BOOSTED, "PAV"): ".0150 .0946 .0150 .0946 .0149 .0935",
}

# Training and test, of MSE (table 2) or of MSE and error rate (table 3).
TABLE_2 = {
    (BAYES, "none"): ".12845 .13551",
    (BAYES, "sigmoid"): ".10536 .10905",
    (BAYES, "PAV"): ".10315 .10818",
    ("SVM", "none"): ".11942 .11889",
    ("SVM", "sigmoid"): ".11080 .11122",
    ("SVM", "PAV"): ".10974 .11200",
}
TABLE_3 = {
    (BAYES, "none"): ".25112 .25198 .17100 .17321",
    (BAYES, "sigmoid"): ".21530 .21515 .15270 .15190",
    (BAYES, "PAV"): ".20312 .20452 .14665 .14831",
    ("SVM", "none"): ".28719 .28684 .15190 .14968",
    ("SVM", "sigmoid"): ".20980 .20962 .15156 .14993",
    ("SVM", "PAV"): ".20815 .20924 .15115 .15113",
}
# Classifiers of ours that a row of the papers may mean.
TIC_MEANT = {
    BAYES: ("naive Bayes, ten attributes", "naive Bayes, all attributes"),
    "SVM": ("linear SVM",),
}
ADULT_MEANT = {
    BAYES: (
        "naive Bayes, ten bins",
        "naive Bayes, ten equal bins",
        "naive Bayes, twenty equal bins",
    ),
    "SVM": ("linear SVM, C = 0.01", "linear SVM, C = 0.05"),
}

# MSE and error rate on 20 Newsgroups of each calibration (lines) and coupling (table 5).
TABLE_5 = {
    "none": ".01625 .15836 .01720 .15530 .01585 .16066",
    "PAV": ".01220 .15305 .01419 .15299 .01415 .15422",
}
WORDS = ("counts of words", "counts of words, 0.01 added", "presence of words")
"""What naive Bayes may have counted; the paper does not say."""

Cells = dict[tuple[str, ...], float]


def _numbers(text: str) -> list[float]:
    return [float("nan") if word == "-" else float(word) for word in text.split()]


def _codes_table(data: str, measure: str, at: int) -> PublishedTable:
    values: Cells = {}
    for base in BASES_OF[data]:
        for code, line in zip(CODES, TABLES_2_3[data].strip().splitlines(), strict=True):
            for method, value in zip(METHODS, _numbers(line)[at::2], strict=True):
                if value == value:  # decodings have no MSE
                    values[BOOSTED, code, method, base] = value
        values[BAYES, "none", "none", base] = MULTICLASS[data][at]
    return PublishedTable(
        title=f"Table {2 if data == 'satimage' else 3}: {data}, {measure}",
        measure=measure,
        rows=("learner", "code", "coupling"),
        columns=("base",),
        where={"data": data, "steps": "end"},
        values=values,
        digits=4,
        repeats=1,
    )


PRINTED_2001 = tuple(
    _codes_table(data, measure, at)
    for data in TABLES_2_3
    for at, measure in enumerate(("error", "mse"))
)
"""Tables 2 and 3; the base is not printed, so the numbers stand beside each."""


def _two_class_table(
    title: str,
    data: str,
    measure: str,
    texts: dict[tuple[str, str], str],
    meant: dict[str, tuple[str, ...]],
    at: int,
) -> PublishedTable:
    values: Cells = {}
    for (learner, method), text in texts.items():
        seen, new = _numbers(text)[at : at + 2]
        for classifier in meant[learner]:
            values[classifier, method, "training"] = seen
            values[classifier, method, "test"] = new
    return PublishedTable(
        title=f"{title}: {data}, {measure}",
        measure=measure,
        rows=("classifier", "method"),
        columns=("sample",),
        where={"data": data, "coupling": "none"},
        values=values,
        digits=5,
        repeats=1,
    )


def _table_4(measure: str, at: int) -> PublishedTable:
    values: Cells = {}
    for (learner, method), text in TABLE_4.items():
        for base in BASES_OF["pendigits"]:
            cells = zip(COUPLINGS_4, _numbers(text)[at::2], strict=True)
            values.update(
                {(f"{learner}, {base}", method, coupling): value for coupling, value in cells}
            )
    return PublishedTable(
        title=f"Table 4: pendigits, {measure}",
        measure=measure,
        rows=("classifier", "method"),
        columns=("coupling",),
        where={"data": "pendigits", "sample": "test"},
        values=values,
        digits=4,
        repeats=1,
    )


def _table_5(measure: str, at: int) -> PublishedTable:
    return PublishedTable(
        title=f"Table 5: {measure}",
        measure=measure,
        rows=("base", "method"),
        columns=("coupling",),
        where={},
        values={
            (base, method, coupling): value
            for base in WORDS
            for method, text in TABLE_5.items()
            for coupling, value in zip(COUPLINGS_4, _numbers(text)[at::2], strict=True)
        },
        digits=5,
        repeats=10,
    )


PRINTED_2002 = (
    _two_class_table("Table 2", "TIC", "mse", TABLE_2, TIC_MEANT, 0),
    _two_class_table("Table 3", "adult", "mse", TABLE_3, ADULT_MEANT, 0),
    _two_class_table("Table 3", "adult", "error", TABLE_3, ADULT_MEANT, 2),
    _table_4("mse", 0),
    _table_4("error", 1),
)
"""Tables 2 to 4."""

PRINTED_NEWSGROUPS = (_table_5("mse", 0), _table_5("error", 1))
"""Table 5."""
