"""Files in the format of KDD-98, written here: what is read, refused, and earned."""

from dataclasses import replace

import numpy as np
import pytest

from evical.datasets import Dataset
from evical.metrics import root_mean_squared_error
from examples.studies import reproduce
from examples.studies.kdd98 import condition as donors
from examples.studies.kdd98.condition import DonorCondition
from examples.studies.kdd98.original import FEATURES, TEST, TRAIN, load_donors, read_donors
from examples.studies.kdd98.study import BAYES, KDD98, LR, SVM, TABLE_4
from examples.studies.naeini2016.study import ISOTONIC, NONE
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS
from examples.studies.parts.calibration_condition import calibrate
from examples.studies.parts.calibration_measures import label_sorted_gaps

# Fields that are used, in another order than theirs, between others that are not.
HEADER = ("ODATEDW", "STATE", *reversed(FEATURES), "ZIP")
PLAIN = {"AGE": "60", "RFA_2A": "E", "FISTDATE": "8911", "LASTDATE": "9512", "PEPSTRFL": "X"}


def record(values):
    texts = {"ODATEDW": "8901", "STATE": "IL ", "ZIP": "61081-"}
    return [str((texts | PLAIN | values).get(name, "3")) for name in HEADER]


def written(folder, train, test, answers):
    """The three files; training records end in the label, the amount and the number."""
    last = "CONTROLN"
    lines = [[*HEADER, "TARGET_B", "TARGET_D", last]]
    lines += [[*record(values), b, d, n] for n, (values, b, d) in enumerate(train)]
    valid = [[*HEADER, last]] + [[*record(values), n] for n, values in test]
    answered = [[last, "TARGET_B", "TARGET_D"], *answers]
    for name, rows in (("LRN", lines), ("VAL", valid)):
        text = "".join(",".join(map(str, row)) + "\n" for row in rows)
        (folder / f"cup98{name}.txt").write_text(text, encoding="latin-1")
    text = "".join(",".join(map(str, row)) + "\r\n" for row in answered)
    (folder / "valtargt.txt").write_text(text, encoding="latin-1")
    return folder


@pytest.fixture
def small(tmp_path):
    train = [({"AGE": " ", "HIT": ".", "PEPSTRFL": " "}, 0, "0.0000000"), ({}, 1, "12.5")]
    answers = [[7, 1, 20], [3, 0, 0]]  # in another order than the records
    return written(tmp_path, train, [(3, {"INCOME": ""}), (7, {"RFA_2A": "G"})], answers)


def test_what_is_read(small):
    train, test = (read_donors(name, small) for name in (TRAIN, TEST))
    assert train.feature_names == test.feature_names
    column = {name: train.X[:, j].tolist() for j, name in enumerate(train.feature_names)}
    assert column["AGE"] == [0, 60]
    assert column["AGE=missing"] == column["HIT=missing"] == [1, 0]
    assert column["PEPSTRFL"] == [0, 1]
    assert column["PEPSTRFL=missing"] == [0, 0]
    assert column["RFA_2A"] == [4, 4]
    assert column["LASTDATE"] == [12 * 95 + 12] * 2
    assert column["TARGET_D"] == [0, 12.5]
    assert train.y.tolist() == [0, 1]
    assert test.y.tolist() == [0, 1]
    assert test.X[:, -1].tolist() == [0, 20]
    assert test.X[:, test.feature_names.index("INCOME=missing")].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ([({"AGE": "old"}, 0, 0)], [], r"cup98LRN.txt, line 2: 'old' is not a AGE"),
        ([({"RFA_2A": "Z"}, 0, 0)], [], "'Z' is not a RFA_2A"),
        (
            [({"STATE": "I,L"}, 0, 0)],
            [],
            f"line 2: {len(HEADER) + 4} fields, expected {len(HEADER) + 3}",
        ),
        ([({}, "yes", 0)], [], "TARGET_B 'yes' with TARGET_D '0', expected 0, or 1"),
        ([({}, 1, "")], [], "TARGET_B '1' with TARGET_D '', expected 0, or 1"),
        ([({}, 0, 0)], [(1, {})], "cup98VAL.txt, line 2: record 1 is not in valtargt.txt"),
    ],
)
def test_what_is_refused(tmp_path, train, test, message):
    folder = written(tmp_path, train, test, [])
    with pytest.raises(ValueError, match=message):
        read_donors(TEST if test else TRAIN, folder)


def test_a_part_of_the_data_is_refused(small, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="has 2 records and 1 donors, expected 95412 and 4843"):
        load_donors(TRAIN, small)
    with pytest.raises(ValueError, match="is it complete"):  # by the study, from the same folder
        reproduce(KDD98, data=small)
    (small / "cup98LRN.txt").write_text("TARGET_B\n")
    with pytest.raises(ValueError, match="no field 'AGE'"):
        read_donors(TRAIN, small)
    monkeypatch.delenv("EVICAL_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match=r"folder with cup98VAL\.txt"):
        load_donors(TEST)


def drawn(n, rng, first):
    """Donors who gave often give more often, and what they gave last."""
    often, last = rng.integers(1, 5, n), rng.integers(2, 30, n)
    gives = rng.random(n) < often / 8
    values = [
        {"RFA_2F": f, "LASTGIFT": g, "AVGGIFT": g, "AGE": rng.integers(20, 90)}
        for f, g in zip(often, last, strict=True)
    ]
    return values, gives.astype(int), np.where(gives, last, 0), first + np.arange(n)


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    rng = np.random.default_rng(0)
    values, y, amount, _ = drawn(400, rng, 0)
    train = list(zip(values, y, amount, strict=True))
    values, y, amount, number = drawn(300, rng, 1000)
    folder = written(
        tmp_path_factory.mktemp("kdd98"),
        train,
        list(zip(number, values, strict=True)),
        list(zip(number, y, amount, strict=True)),
    )
    return {name: read_donors(name, folder) for name in (TRAIN, TEST)}


def test_profit_by_hand(sets):
    """Donors give what they gave last, which a linear regression finds; letters then are known."""
    one = DonorCondition(BAYES, "linear regression", (ISOTONIC,))
    rows = dict(one.run_repeat(sets, 0, 0))
    assert dict(one.run_repeat(sets, 0, 0)) == rows
    assert dict(one.run_repeat(sets, 1, 0)) != rows
    train, test = (replace(part, X=part.X[:, :-1], feature_names=part.feature_names[:-1])
                   for part in (sets[TRAIN], sets[TEST]))  # fmt: skip
    score = TWO_CLASS_LEARNERS[BAYES](train)
    p = calibrate(ISOTONIC, score(train.X), train.y)(score(test.X))
    last = test.X[:, test.feature_names.index("LASTGIFT")]
    expected = sum(
        y * gift - 0.68 for y, gift, chance in zip(test.y, last, p, strict=True)
        if chance * gift > 0.68
    )  # fmt: skip
    assert rows[BAYES, "linear regression", "isotonic", "test"][-1] == pytest.approx(expected)
    nobody, everybody = 0, (test.y * last - 0.68).sum()
    assert expected not in (nobody, everybody)


def test_letters_that_cost_nothing_go_to_all(sets, monkeypatch):
    """A letter that costs nothing goes to all."""
    monkeypatch.setattr(donors, "COST", 0.0)
    rows = dict(DonorCondition(BAYES, "SVR", (NONE,)).run_repeat(sets, 0, 0))
    everything = sets[TRAIN].X[:, -1].sum()
    assert rows[BAYES, "SVR", "none", "training"][-1] == pytest.approx(everything)


def test_the_study_runs_on_such_files(sets):
    """All classifiers and methods, as the command would run them; printed cells have rows."""
    outcome = reproduce(KDD98, repeats=1, data=sets, quick=True)
    assert {names[2] for names in outcome.rows} >= {"none", "Platt", "isotonic"}
    for table in KDD98.published[:2]:
        for method, sample in table.values:
            assert (BAYES, "linear regression", method, sample) in outcome.rows


def test_printed_rows_that_are_of_constants():
    """Logistic regression says 1/2 of everybody, and isotonic regression of the SVM 5 %.

    The former is what a linear model without intercept says of features with mean 0, here of two
    that tell little; the latter is a constant, as of scores that point the wrong way.
    """
    y = (np.arange(96_367) < 4_873).astype(int)
    X = np.random.default_rng(0).normal(5, 2, size=(len(y), 2)) + 0.3 * y[:, np.newaxis]
    half = TWO_CLASS_LEARNERS[LR](Dataset("toy", X, y, ("a", "b"), ("0", "1")))(X)
    rate = np.full(len(y), 4_843 / 95_412)
    lines = {name: text.strip().splitlines() for name, text in TABLE_4.items()}
    for p, column, name in ((half, 0, LR), (rate, 3, SVM)):
        gaps, shares = label_sorted_gaps(y, p)
        rmse, ece = root_mean_squared_error(y, p), float(gaps @ shares)
        printed = [float(lines[name][i].split()[column]) for i in (0, 4)]
        assert printed == [pytest.approx(rmse, abs=2e-3), pytest.approx(ece, abs=2e-3)]
    assert float(lines[SVM][1].split()[3]) == 0.5
    # Margins of one sign: 1 / (1 + exp(-m)) is that far from 5 % for +m, not for -m.
    ece = float(lines[SVM][4].split()[0])
    assert ece + rate[0] > 0.7
