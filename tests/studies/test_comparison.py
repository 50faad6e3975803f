"""The page that compares with others: each number, from its file."""

import re

import numpy as np
from scipy.stats import rankdata

from tests.support.claims import close, lines, losses, table

QUALITY = {
    "`AutoCalibrator()`": ["Auto"],
    "`SplineCalibrator()`": ["Spline"],
    "`ELiTECalibrator()`": ["ELiTE"],
    "splinecalib": ["splinecalib SplineCalib"],
    "`ENIRCalibrator()`, netcal's ENIR": ["ENIR", "netcal ENIR"],
    "`BBQCalibrator()`, netcal's BBQ": ["BBQ", "netcal BBQ"],
    "isotonic regression (scikit-learn)": ["scikit-learn isotonic"],
}


def test_distances_to_the_truth_are_those_of_the_study():
    found = {}
    for row in table("calibrator_quality", "docs"):
        if row["n"] == "10000":
            name, _, method = row["method"].partition(":")
            key = f"{name.split()[0]}{method}" if method else name
            values = row["squared_error"], row["squared_error_se"]
            found[row["kind"], key] = [1000 * float(value) for value in values]
    text = lines("docs/comparison.md")
    for label, methods in QUALITY.items():
        (cells,) = re.findall(rf"^\| {re.escape(label)} \| (.*) \|$", text, re.M)
        cells = cells.split(" | ")
        for kind, cell in zip(("monotone", "nonmonotone", "overconfident"), cells, strict=True):
            numbers = cell.replace(" ± ", ", ").split(", ")
            expected = [value for method in methods for value in found[kind, method]]
            assert all(map(close, numbers, expected)), (label, kind, numbers, expected)


WAYS = {
    "`EvidentialEnsemble([...])`: weights of evidence, calibrated": "Stacked",
    "super learner of log-odds: convex weights": "super learner, log-odds",
    "ridge regression of log-odds": "ridge regression of log-odds",
    "greedy selection (Caruana)": "greedy selection",
    "best single classifier, calibrated": "best single",
    "scikit-learn's `StackingClassifier`": "StackingClassifier",
    "soft vote of calibrated probabilities": "soft vote",
    "Dempster's rule of calibrated probabilities": "Dempster's rule",
}


def test_ranks_and_losses_of_fusions():
    rows = table("fusion_benchmark")
    text = lines("docs/comparison.md")
    parts = ("different", "two"), ("different", "more"), ("unequal", "two")
    means = [losses(rows, "way", members=members, classes=classes) for members, classes in parts]
    ranks = []
    for ways in means:
        values = np.array([list(ways[way].values()) for way in ways])
        places = rankdata(values, axis=0).mean(axis=1)
        ranks.append(dict(zip(ways, places, strict=True)))
    for label, way in WAYS.items():
        (cells,) = re.findall(rf"^\| {re.escape(label)} \| (.*) \|$", text, re.M)
        printed = [n for cell in cells.split(" | ") for n in cell.strip(" ,|").split(", ") if n]
        used = range(3 if len(printed) == 6 else 2)
        expected = [ranks[i][way] for i in used]
        expected += [np.mean(list(means[i][way].values())) for i in used]
        assert all(map(close, printed, expected)), (label, printed, expected)


def test_seconds_of_fits_are_those_of_the_page():
    page = lines("docs/calibrator_speed.md")
    rows = {
        row.split(" | ")[0]: row.split(" | ")[1:] for row in re.findall(r"^\| (.*) \|$", page, re.M)
    }
    sizes = {name: i for i, name in enumerate(rows["method"])}
    text = lines("docs/comparison.md").split("## Speed of calibrators")[1].split("\n## ")[0]
    found = re.findall(
        r"^\| `(\w+)Calibrator\(\)`.*?, ([\d,]+) \| ([\d.]+) \| ([\d.]+) \((\w+[-\w]*)", text, re.M
    )
    assert len(found) == 5
    for name, size, ours, theirs, package in found:
        assert close(ours, float(rows[name][sizes[size]]))
        others = [row for key, row in rows.items() if key.startswith(package)]
        assert any(
            float(theirs) == float(row[sizes[size]]) for row in others if row[sizes[size]] != "-"
        )
