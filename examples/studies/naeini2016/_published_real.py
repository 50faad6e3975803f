"""Numbers of Naeini's tables on real data of two classes, as printed.

A star marks methods to which the method of interest is superior; "-" stands for ranks that are only
drawn, of which the text says no more than the verdicts.
Source: Naeini (2016), figures 6 to 15, tables 8 to 13, 17 to 20, and 22 to 25.
"""

from examples.studies._over_data import Labels

__all__ = ["ABB", "BBQ_FIGURES", "ELITE_FIGURES", "ELITE_TABLES", "ENIR_TABLES", "GAINS"]

CLASSIFIERS = ("LR", "SVM", "NB")
MEASURES = {
    "AUC": "auc",
    "ACC": "accuracy",
    "RMSE": "rmse",
    "ECE": "ece_released",
    "MCE": "mce_released",
}


def _tables(*texts: str) -> dict[Labels, dict[str, str]]:
    """Lines that begin with a measure, of a text for each classifier."""
    found: dict[Labels, dict[str, str]] = {}
    for classifier, text in zip(CLASSIFIERS, texts, strict=True):
        lines = [line.split(maxsplit=1) for line in text.strip().splitlines()]
        found[classifier, "training"] = {MEASURES[name]: ranks for name, ranks in lines}
    return found


# none, histogram, Platt (not for AUC), isotonic, BBQ
_BBQ = """
    AUC - -* - -
    ACC - - - - -
    RMSE -* -* -* - {}
    ECE -* -* -* -* -
    MCE -* -* -* -* -"""
BBQ_FIGURES = _tables(_BBQ.format("2.156"), _BBQ.format("-"), _BBQ.format("-"))
"""Figures 6 to 10, of 30 data sets, by the text of section 4.2.2.2."""

# none, histogram, Platt (not for AUC), isotonic, BBQ, ELiTE
ELITE_FIGURES = _tables(
    """
    AUC - -* -* -* -
    ACC -* -* -* - - -
    RMSE -* -* -* - -* 1.89
    ECE -* -* -* -* -* -
    MCE -* -* -* -* -* -""",
    """
    AUC - -* -* -* -
    ACC - -* -* - - -
    RMSE -* -* -* -* -* -
    ECE -* -* -* -* - -
    MCE -* -* -* -* - -""",
    """
    AUC - -* -* -* -
    ACC -* -* -* - - -
    RMSE -* -* -* - -* -
    ECE -* -* -* -* - -
    MCE -* -* -* -* -* -""",
)
"""Figures 11 to 15, of 35 data sets, by the text of section 4.4."""

# isotonic, BBQ, ENIR
ENIR_TABLES = _tables(
    """
    AUC 1.963 2.225 1.813
    ACC 1.675 2.663* 1.663
    RMSE 1.925* 2.625* 1.450
    ECE 2.125 1.975 1.900
    MCE 2.475* 1.750 1.775""",
    """
    AUC 1.988 2.025 1.988
    ACC 2.000 2.150 1.850
    RMSE 1.850 2.475* 1.675
    ECE 2.075 2.025 1.900
    MCE 2.550* 1.625 1.825""",
    """
    AUC 2.150 1.925 1.925
    ACC 1.963 2.375* 1.663
    RMSE 2.200* 2.375* 1.425
    ECE 2.475* 2.075* 1.450
    MCE 2.563* 1.850 1.588""",
)
"""Tables 17 to 19, of 40 data sets."""

# KDE, DPM, ENIR, ELiTE
ELITE_TABLES = _tables(
    """
    AUC 3.10* 2.53* 2.76* 1.61
    ACC 2.69 2.87* 2.44 2.00
    RMSE 2.51* 2.94* 2.66* 1.89
    ECE 2.49 2.29 2.86 2.37
    MCE 2.29 2.71* 3.00* 2.00""",
    """
    AUC 2.90* 2.07 2.97* 2.06
    ACC 2.43 2.70 2.66 2.21
    RMSE 2.37 2.77 2.69 2.17
    ECE 1.86 2.66 3.06 2.43
    MCE 1.97 2.83 3.06 2.14""",
    """
    AUC 2.71* 2.77* 3.00* 1.51
    ACC 2.53 2.89 2.43 2.16
    RMSE 2.51 3.09* 2.49 1.91
    ECE 2.60 2.46 2.77 2.17
    MCE 2.49 2.66* 2.94* 1.91""",
)
"""Tables 23 to 25, of 35 data sets."""

# Table 20 (ENIR) and table 22 (ELiTE): LR, SVM, NB.
_GAINS = {
    "ENIR": """
        AUC -0.008 0.003 -0.010 0.003 -0.010 0.000
        ACC 0.002 0.016 -0.001 0.010 0.012 0.068
        RMSE -0.124 -0.016 -0.310 -0.176 -0.196 -0.100
        ECE -0.389 -0.153 -0.768 -0.591 -0.514 -0.274
        MCE -0.313 -0.064 -0.591 -0.340 -0.552 -0.305""",
    "ELiTE": """
        AUC -0.01 0.01 -0.01 0.01 -0.01 0.01
        ACC 0.00 0.02 0.00 0.01 0.02 0.08
        RMSE -0.14 -0.02 -0.30 -0.16 -0.22 -0.11
        ECE -0.40 -0.18 -0.76 -0.56 -0.55 -0.27
        MCE -0.35 -0.12 -0.58 -0.33 -0.62 -0.39""",
}


def _gains() -> dict[Labels, dict[str, tuple[float, float]]]:
    found: dict[Labels, dict[str, tuple[float, float]]] = {}
    for option, text in _GAINS.items():
        for line in text.strip().splitlines():
            name, *numbers = line.split()
            ends = list(map(float, numbers))
            for i, classifier in enumerate(CLASSIFIERS):
                group = found.setdefault((classifier, "training", option), {})
                group[MEASURES[name]] = ends[2 * i], ends[2 * i + 1]
    return found


GAINS = _gains()
"""Ends of the intervals of tables 20 and 22, of 40 and 35 data sets."""

# BBQ with K2, ABB with K2, BBQ with BDeu, ABB with BDeu; tables 11 to 13 hold the same numbers.
_ABB_MEASURES = {
    "auc": "auc",
    "accuracy": "accuracy",
    "brier_score": "brier",
    "ece": "ece_released",
    "mce": "mce_released",
}
_ABB = {
    "LR": """
        auc 0.841 0.840 0.835 0.840
        accuracy 0.787 0.808 0.787 0.808
        brier_score 0.156 0.147 0.151 0.146
        ece 0.126 0.112 0.130 0.111
        mce 0.343 0.314 0.306 0.314""",
    "SVM": """
        auc 0.823 0.821 0.822 0.820
        accuracy 0.775 0.798 0.787 0.798
        brier_score 0.169 0.154 0.160 0.154
        ece 0.134 0.115 0.129 0.112
        mce 0.341 0.325 0.319 0.321""",
    "NB": """
        auc 0.845 0.838 0.845 0.839
        accuracy 0.785 0.828 0.784 0.825
        brier_score 0.144 0.126 0.144 0.127
        ece 0.138 0.103 0.136 0.103
        mce 0.292 0.281 0.298 0.284""",
}
ABB: dict[Labels, dict[str, str]] = {
    (classifier, "training"): {
        _ABB_MEASURES[name]: means
        for name, means in (line.split(maxsplit=1) for line in text.strip().splitlines())
    }
    for classifier, text in _ABB.items()
}
"""Tables 8 to 13, means over 18 data sets."""
