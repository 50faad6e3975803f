"""Repeats are computed once, kept, and the same however they are computed."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest

from evical.datasets import Dataset
from examples.studies import repeat_rng, reproduce, study_files
from tests.support.toy_study import Toy, toy_study

REPOSITORY = Path(__file__).resolve().parents[3]


def repeats_of(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def test_rows_hold_every_repeat_in_order(tmp_path):
    outcome = reproduce(toy_study(), tmp_path, repeats=3, seed=5)
    expected = [repeat_rng("one", number, 5).random() for number in range(3)]
    np.testing.assert_array_equal(outcome.rows["one", "1", "a"][:, 0], expected)
    assert len(outcome.rows) == 8
    assert np.isnan(outcome.rows["two", "2", "b"][1:, 2]).all()


@pytest.mark.parametrize(
    ("jobs", "backend"), [(2, "loky"), (2, "threading"), (2, "multiprocessing")]
)
def test_jobs_and_backends_change_nothing(jobs, backend, tmp_path):
    alone = reproduce(toy_study(), tmp_path / "alone", repeats=3)
    with joblib.parallel_config(backend=backend):
        together = reproduce(toy_study(), tmp_path / "together", repeats=3, jobs=jobs)
    assert list(alone.rows) == list(together.rows)
    for labels, values in alone.rows.items():
        np.testing.assert_array_equal(values, together.rows[labels])


def test_finished_repeats_are_never_computed_again(tmp_path):
    log = tmp_path / "log"
    study = toy_study(Toy("one", str(log)))
    calls = []
    reproduce(study, tmp_path, repeats=2, on_repeat=lambda *counts: calls.append(counts))
    assert calls == [(0, 2), (1, 2), (2, 2)]
    outcome = reproduce(study, tmp_path, repeats=4, on_repeat=lambda *counts: calls.append(counts))
    assert calls[3:] == [(2, 4), (3, 4), (4, 4)]
    assert repeats_of(log) == [f"one {number}" for number in range(4)]
    assert np.isfinite(outcome.rows["one", "1", "a"]).all()
    # Another seed is another study, beside the first.
    reproduce(study, tmp_path, repeats=1, seed=1)
    assert len(repeats_of(log)) == 5


def test_without_a_folder_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    alone = reproduce(toy_study(), repeats=2)
    assert list(tmp_path.iterdir()) == []
    kept = reproduce(toy_study(), tmp_path, repeats=2)
    for labels, values in alone.rows.items():
        np.testing.assert_array_equal(values, kept.rows[labels])


def test_data_sets_may_be_given_themselves(tmp_path):
    data = Dataset("mine", np.zeros((2, 1)), np.array([0, 1]), ("a",), ("n", "p"))
    study = toy_study(Toy("one", uses=("mine",)))
    assert len(reproduce(study, tmp_path, repeats=1, data={"mine": data}).rows) == 4
    other = replace(data, X=np.ones((2, 1)))
    with pytest.raises(ValueError, match="was computed from other data than the study has now"):
        reproduce(study, tmp_path, repeats=1, data={"mine": other})


def test_a_shorter_run_takes_the_first_repeats_of_a_longer_one(tmp_path):
    longer = reproduce(toy_study(), tmp_path, repeats=4)
    shorter = reproduce(toy_study(), tmp_path, repeats=2)
    for labels, values in shorter.rows.items():
        np.testing.assert_array_equal(values, longer.rows[labels][:2])


SLOW = """
import sys, time
from examples.studies import reproduce
from tests.support.toy_study import Toy, toy_study

class Slow(Toy):
    def run_repeat(self, data, number, seed):
        rows = super().run_repeat(data, number, seed)
        if number == 2:
            time.sleep(600)
        return rows

Slow.__qualname__ = "Toy"  # the same settings, as far as the files can tell
reproduce(toy_study(Slow("one", sys.argv[1])), sys.argv[2], repeats=4)
"""


def test_a_killed_run_loses_the_repeats_in_flight_only(tmp_path):
    log = tmp_path / "log"
    command = [sys.executable, "-c", SLOW, str(log), str(tmp_path)]
    process = subprocess.Popen(command, cwd=REPOSITORY, env=os.environ | {"PYTHONPATH": "."})
    try:
        deadline = time.monotonic() + 120
        while len(repeats_of(log)) < 3 and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL
    assert repeats_of(log) == ["one 0", "one 1", "one 2"]
    outcome = reproduce(toy_study(Toy("one", str(log))), tmp_path, repeats=4)
    assert repeats_of(log)[3:] == ["one 2", "one 3"]
    whole = reproduce(toy_study(Toy("one")), tmp_path / "whole", repeats=4)
    for labels, values in whole.rows.items():
        np.testing.assert_array_equal(values, outcome.rows[labels])


def test_a_repeat_that_was_being_written_is_not_taken_for_finished(tmp_path):
    study = toy_study(Toy("one"))
    reproduce(study, tmp_path, repeats=1)
    place = tmp_path / "repeats" / "toy" / "0" / "one"
    (place / ".0001.json.abc").write_text('{"made_from')
    reproduce(study, tmp_path, repeats=2)
    assert {path.name for path in place.glob("0*")} == {"0000.json", "0001.json"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda text: "",
        lambda text: "[1]",
        lambda text: text.replace('"a"],', '"a"],[],'),
        lambda text: text.replace('"rows"', '"lines"'),
        lambda text: json.dumps(json.loads(text) | {"rows": [[["one", "1"], [1, 2, 3]]]}),
    ],
)
def test_a_damaged_repeat_is_refused_and_named(damage, tmp_path):
    study = toy_study(Toy("one"))
    reproduce(study, tmp_path, repeats=1)
    path = tmp_path / "repeats" / "toy" / "0" / "one" / "0000.json"
    path.write_text(damage(path.read_text()))
    with pytest.raises(ValueError, match=r"0000\.json' is damaged; delete it"):
        reproduce(study, tmp_path, repeats=2)


def test_bytes_that_are_no_text_are_damage_too(tmp_path):
    study = toy_study(Toy("one"))
    reproduce(study, tmp_path, repeats=1)
    (tmp_path / "repeats" / "toy" / "0" / "one" / "0000.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="is damaged"):
        reproduce(study, tmp_path, repeats=1)


def test_repeats_of_other_settings_or_data_are_refused(tmp_path):
    reproduce(toy_study(Toy("one")), tmp_path, repeats=1)
    with pytest.raises(ValueError, match=r"from other settings than the study has now; delete"):
        reproduce(toy_study(Toy("one", shift=1.0)), tmp_path, repeats=1)
    folder = tmp_path / "data"
    folder.mkdir()
    study = toy_study(Toy("two", uses=("pets",)))
    for value in ("1", "2"):
        (folder / "pets.csv").write_text(f"size,target\n{value},a\n5,b\n")
        if value == "1":
            reproduce(study, tmp_path, repeats=1, data=folder)
    with pytest.raises(ValueError, match="from other data than"):
        reproduce(study, tmp_path, repeats=1, data=folder)


def test_quick_takes_the_quick_conditions(tmp_path):
    outcome = reproduce(toy_study(), tmp_path, repeats=4, quick=True)
    assert [condition.key for condition in outcome.conditions] == ["two"]
    assert not outcome.is_full
    assert reproduce(toy_study(), tmp_path).is_full
    assert not reproduce(toy_study(), tmp_path, seed=1).is_full
    assert not reproduce(toy_study(), tmp_path, repeats=3).is_full


def test_a_comment_may_be_about_the_quick_conditions(tmp_path):
    study = replace(toy_study(), comment_quick=True)
    assert reproduce(study, tmp_path, quick=True).is_commented
    assert not reproduce(toy_study(), tmp_path, quick=True).is_commented
    assert not reproduce(study, tmp_path).is_commented


def test_a_comment_may_be_about_fewer_repeats(tmp_path):
    short = reproduce(replace(toy_study(), comment_repeats=2), tmp_path, repeats=2)
    assert short.is_commented
    assert not short.is_full
    assert not reproduce(short.study, tmp_path, repeats=1).is_commented
    assert not reproduce(toy_study(), tmp_path, repeats=2).is_commented
    page = study_files(short, "x")["toy.md"]
    assert "All of it is as it must be." in page
    assert "2 repeats of 2 conditions; the full study has 4 repeats" in page
    assert "trial" not in page


def test_wrong_values_are_refused(tmp_path):
    for options, message in [
        ({"repeats": 0}, "repeats is 0, expected a number from 1"),
        ({"seed": -1}, "seed is -1, expected a number from 0"),
        ({"jobs": 0}, "jobs is 0, expected a number from 1, or -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            reproduce(toy_study(), tmp_path, **options)
    with pytest.raises(ValueError, match="no data set 'pets'"):
        reproduce(toy_study(Toy("one", uses=("pets",))), tmp_path)


class Twice(Toy):
    def run_repeat(self, data, number, seed):
        return super().run_repeat(data, number, seed)[:1] * 2


class Short(Toy):
    def run_repeat(self, data, number, seed):
        return [((self.data, "1"), (1.0, 2.0, 3.0))]


class Borrowed(Toy):
    @property
    def key(self):
        return f"other-{self.data}"


def test_rows_of_a_part_must_be_those_of_the_study(tmp_path):
    with pytest.raises(ValueError, match="gave two rows of the same labels"):
        reproduce(toy_study(Twice("one")), tmp_path, repeats=1)
    with pytest.raises(ValueError, match="gave a row of 2 labels and 3 measures, expected 3 and 3"):
        reproduce(toy_study(Short("two")), tmp_path, repeats=1)
    with pytest.raises(
        ValueError, match="'one' and 'other-one' of toy both give the row one, 1, a"
    ):
        reproduce(toy_study(Toy("one"), Borrowed("one")), tmp_path, repeats=1)


class Changing(Toy):
    def run_repeat(self, data, number, seed):
        return super().run_repeat(data, number, seed)[: 4 - number // 2]


def test_repeats_of_a_part_must_have_the_same_rows(tmp_path):
    with pytest.raises(
        ValueError, match="repeats 0 and 2 of condition 'one' of toy differ in the row "
    ):
        reproduce(toy_study(Changing("one")), tmp_path)
    # They are kept, and refused as soon as they are read.
    calls = []
    with pytest.raises(ValueError, match=r"one, 2, b, as if made by .* delete the folder '.*/one'"):
        reproduce(toy_study(Changing("one")), tmp_path, on_repeat=lambda *done: calls.append(done))
    assert calls == []
    with pytest.raises(ValueError, match=r"one, 2, b, as if made by different versions$"):
        reproduce(toy_study(Changing("one")))
