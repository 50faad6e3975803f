"""`evaluate`, `compare`, `check` and `report`: the library's numbers, from files and pipes."""

import gzip
import json
import shlex
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from evical.calibrators import LogisticCalibrator
from evical.cli import main
from evical.cli._model import file_text
from evical.cli._output import command_line, echo_json, user_input
from evical.evaluation import CalibrationMonitor, Evaluation, check_calibration, compare
from tests.support.tables import read_csv

N = 240


def run(command, *more):
    return main([*shlex.split(command), *more])


@cache
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=N)
    scores = rng.normal(2 * y - 1, 1.5).round(4)
    interval = LogisticCalibrator().fit(scores[:100], y[:100]).predict_interval(scores).round(6)
    return scores, y, interval


@cache
def csv_text():
    scores, y, interval = data()
    rows = [
        f"{s},{'ill' if label else 'well'},{a},{b},{(a + b) / 2:.6f}"
        for s, label, (a, b) in zip(scores.tolist(), y, interval.tolist(), strict=True)
    ]
    return "\n".join(["s,state,bel,pl,p", *rows]) + "\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "data.csv").write_text(csv_text(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capfd):
    out, err = capfd.readouterr()
    assert err == ""  # no progress where nobody watches
    return out


def words():
    _, y, _ = data()
    return np.where(y == 1, "ill", "well")


class TestEvaluate:
    def test_numbers_are_those_of_the_library(self, capfd):
        _, _, interval = data()
        assert run("evaluate data.csv --target state --positive ill --json --seed 3") == 0
        found = json.loads(printed(capfd))
        made = Evaluation.from_predictions(
            words(), bel=interval[:, 0], pl=interval[:, 1], pos_label="ill", random_state=3
        )
        assert found["classes"] == ["well", "ill"]
        assert found["beliefs"] is True
        for one in made.report:
            assert found["measures"][one.name]["value"] == pytest.approx(one.value)
        for one in made.intervals:
            assert found["measures"][one.name]["interval"] == pytest.approx([one.low, one.high])

    def test_probabilities_have_no_width(self, capfd):
        assert run("evaluate data.csv --target state --positive ill --probability p --json") == 0
        found = json.loads(printed(capfd))
        assert found["beliefs"] is False
        assert "mean_imprecision" not in found["measures"]

    def test_the_name_of_a_column_says_which_class_is_predicted(self, folder, capfd):
        named = csv_text().replace("bel,pl,p\n", "bel_ill,pl_ill,p_ill\n")
        (folder / "named.csv").write_text(named, encoding="utf-8")
        for options in ("--probability p", ""):
            assert run(f"evaluate data.csv --target state --positive ill {options} --json") == 0
            expected = json.loads(printed(capfd))
            column = options.replace(" p", " p_ill")
            assert run(f"evaluate named.csv --target state {column} --json") == 0
            found = json.loads(printed(capfd))
            assert found["classes"] == ["well", "ill"]
            assert found["measures"] == expected["measures"]
            # Of two classes the greater one would be "well".
            assert run(f"evaluate data.csv --target state {options} --json") == 2
            assert "name it with --positive" in capfd.readouterr().err

    def test_tables_name_measures_and_intervals(self, capfd):
        assert run("evaluate data.csv --target state --positive ill") == 0
        out = printed(capfd)
        assert "95% interval" in out
        assert "Brier score" in out
        assert max(map(len, out.splitlines())) <= 80
        assert run("evaluate data.csv --target state --positive ill --all") == 0
        assert "evidential log likelihood" in printed(capfd)

    def test_models_are_tried_on_data(self, capfd):
        assert run("fit data.csv --score s --target state --positive ill -o m.json") == 0
        assert run("predict m.json data.csv -o new.csv --force-columns") == 0
        capfd.readouterr()
        assert run("evaluate m.json data.csv --json") == 0
        by_model = json.loads(printed(capfd))
        assert run("evaluate new.csv --target state --positive ill --json") == 0
        by_table = json.loads(printed(capfd))
        for name, measure in by_table["measures"].items():
            assert by_model["measures"][name]["value"] == pytest.approx(measure["value"])

    def test_compressed_files_and_parquet(self, folder, capfd):
        pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        (folder / "data.csv.gz").write_bytes(gzip.compress(csv_text().encode()))
        read_csv(folder / "data.csv").to_parquet(folder / "data.parquet")
        outs = []
        for name in ("data.csv", "data.csv.gz", "data.parquet"):
            options = "--target state --probability p --positive ill"
            assert run(f"evaluate {name} {options} --json") == 0
            found = json.loads(printed(capfd))
            outs.append({key: found[key] for key in ("measures", "classes", "samples")})
        assert outs[0] == outs[1] == outs[2]

    def test_pages_are_written_once(self, folder, capfd):
        command = "evaluate data.csv --target state --positive ill -o page.html"
        assert run(command) == 0
        html = (folder / "page.html").read_text(encoding="utf-8")
        assert html.startswith("<!DOCTYPE html>")
        assert "evical evaluate data.csv --target state" in html
        assert run(command) == 2
        assert "--force" in capfd.readouterr().err
        assert run(command + " --force") == 0


class TestCompare:
    METHODS = "logistic,isotonic:bayesian,binning:n_bins=5"

    def test_numbers_are_those_of_the_library(self, capfd):
        scores, _, _ = data()
        command = "compare data.csv --score s --target state --positive ill --folds 4 --seed 2"
        assert run(f"{command} --methods {self.METHODS} --weight bel --json") == 0
        found = json.loads(printed(capfd))
        options = {"cv": 4, "random_state": 2, "pos_label": "ill"}
        bel = data()[2][:, 0]
        made = compare(scores, words(), self.METHODS.split(","), **options, sample_weight=bel)
        assert list(found["methods"]) == list(made.ranking())
        for name in made.methods:
            assert found["methods"][name]["brier_score"] == made.mean(name, "brier_score")
        assert found["recommendation"]["method"] == made.recommendation.method
        assert found["recommendation"]["reasons"] == list(made.recommendation.reasons)
        assert [one["method"] for one in found["differences"]] == list(made.ranking()[1:])

    def test_recommendation_is_printed_with_reasons(self, capfd):
        words = "compare data.csv --score s --target state --positive ill"
        command = f"{words} --methods {self.METHODS} --folds 3"
        assert run(command) == 0
        out = printed(capfd)
        assert "Recommended:" in out
        assert "- " in out
        assert max(map(len, out.splitlines())) <= 80
        assert run(f"{command} -o page.html") == 0
        assert Path("page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")

    def test_scores_of_the_other_class_are_named(self, capfd):
        words = "compare data.csv --score s --target state --folds 2 --methods logistic"
        assert run(f"{words} --positive ill") == 0
        assert printed(capfd)
        assert run(words) == 0
        assert "warning: scores look reversed" in capfd.readouterr().err

    def test_failing_methods_are_named(self, capfd):
        command = "compare data.csv --score s --target state --folds 3 --positive ill"
        assert run(f"{command} --methods logistic,isotonic:transform=logit") == 0
        assert "isotonic:transform=logit could not be fitted" in printed(capfd).replace("\n", " ")


class TestReport:
    def test_pages_of_all_kinds(self, folder, capfd):
        (folder / "other.csv").write_text(csv_text(), encoding="utf-8")
        run("fit data.csv --score s --target state --positive ill -o m.json")
        commands = {
            "one.html": "data.csv --target state --positive ill",
            "model.html": "m.json data.csv",
            "many.html": "data.csv other.csv --target state --positive ill",
        }
        for page, arguments in commands.items():
            assert run(f"report {arguments} -o {page}") == 0
            html = (folder / page).read_text(encoding="utf-8")
            assert html.startswith("<!DOCTYPE html>")
            assert "evical report" in html

    def test_tables_are_weighed_by_how_far_they_agree(self, folder, capfd):
        (folder / "other.csv").write_text(csv_text(), encoding="utf-8")
        noise = np.random.default_rng(1).random(N) / 2
        lines = csv_text().splitlines()
        rows = [
            f"{row.rsplit(',', 3)[0]},{a:.6f},{2 * a:.6f},{1.5 * a:.6f}"
            for row, a in zip(lines[1:], noise, strict=True)
        ]
        (folder / "third.csv").write_text("\n".join([lines[0], *rows]) + "\n", encoding="utf-8")
        run("report data.csv other.csv third.csv --target state --positive ill -o page.html")
        assert "tables are weighed by how far they agree (data.csv 0." in (
            capfd.readouterr().err.replace("\n", " ")
        )
        html = (folder / "page.html").read_text(encoding="utf-8")
        assert "3 members combined by consensus err on" in html
        assert "Reliability, from" in html
        assert "joined: repeat each other, share one weight" in html
        assert "the consensus without labels" in html

    def test_tables_of_an_ensemble_are_the_same_samples(self, folder, capfd):
        lines = csv_text().splitlines()
        (folder / "other.csv").write_text("\n".join([lines[0], *lines[:0:-1]]), encoding="utf-8")
        assert run("report data.csv other.csv --target state --positive ill -o page.html") == 2
        assert "rows that belong together have the same values" in capfd.readouterr().err
        assert not (folder / "page.html").exists()


class TestCheck:
    def test_verdicts_are_those_of_the_library(self, capfd):
        _, _, interval = data()
        made = Evaluation.from_predictions(
            words(), bel=interval[:, 0], pl=interval[:, 1], pos_label="ill", n_resamples=1
        )
        options = "--test interval --test kuiper --level 0.1 --max-ece 0.2 --bins 5"
        code = run(f"check data.csv --target state --positive ill {options} --json")
        found = json.loads(printed(capfd))
        check = check_calibration(made, ["interval", "kuiper"], level=0.1, max_error=0.2, n_bins=5)
        assert code == (0 if check.passed else 1)
        assert found["passed"] is check.passed
        assert found["tests"][0]["pvalue"] == pytest.approx(check.tests[0].pvalue)
        assert found["error"] == pytest.approx(check.error)

    def test_the_verdict_is_one_line_with_size_and_power(self, capfd):
        assert run("check data.csv --target state --positive ill") == 0
        out = printed(capfd)
        assert out.count("\n") == 1
        assert out.startswith(f"data.csv: passed, {N} samples: interval p = ")
        assert "80 % power to detect" in out

    def test_a_broken_promise_is_told_in_a_line_of_its_own(self, capfd):
        """The beliefs are about the other class; the test of the error alone passes."""
        options = "--target state --positive well --test none --max-ece 1"
        assert run(f"check data.csv {options}") == 0
        verdict, warning = printed(capfd).splitlines()
        assert verdict.startswith("data.csv: passed")
        assert warning.startswith("warning: [Bel, Pl] fails to cover")
        assert run(f"check data.csv {options} --json") == 0
        found = json.loads(printed(capfd))
        assert f"warning: {found['warning']}" == warning
        assert found["promise"]["wider_pvalue"] < 0.05

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ("--positive ill --test none --max-ece 0.9", 0),
            ("--positive ill --test none --max-ece 0", 1),
            ("--positive well --test kuiper --test spiegelhalter", 1),
            ("--probability p --positive ill", 0),
            ("--probability p --positive well", 1),
            ("--level 2", 2),
        ],
    )
    def test_each_failure_counts(self, options, code):
        assert run(f"check data.csv --target state {options}") == code

    def test_a_table_from_standard_input(self, folder, monkeypatch, capfd):
        with (folder / "data.csv").open() as file:
            monkeypatch.setattr(sys, "stdin", file)
            assert run("check - --target state --probability p --positive well") == 1
        out, err = capfd.readouterr()
        assert (out.count("\n"), err) == (1, "")


def test_infinite_numbers_are_null_in_json(capfd):
    echo_json({"a": [float("inf"), 1.5], "b": {"c": float("nan")}})
    assert json.loads(capfd.readouterr().out) == {"a": [None, 1.5], "b": {"c": None}}


def test_warnings_are_printed_once_and_without_a_place(capfd):
    with warnings.catch_warnings(action="always"), user_input():
        for name in "aab":
            warnings.warn(f"{name} is rounded", stacklevel=1)
    assert capfd.readouterr().err == "evical: a is rounded\nevical: b is rounded\n"


def test_commands_are_quoted():
    assert command_line("check", "my file.csv", max_ece=0.1, test=None) == (
        "evical check 'my file.csv' --max-ece 0.1"
    )


def test_the_monitor_says_which_class_is_likelier(capfd, folder):
    rows = [f"{'ill' if i % 2 else 'well'},0.2" for i in range(100)]
    (folder / "rare.csv").write_text("\n".join(["state,p", *rows]) + "\n", encoding="utf-8")
    options = "--target state --probability p --test monitor --state s.json"
    for positive in ("ill", "well"):
        assert run(f"check rare.csv {options} --positive {positive}") == 1
        assert f"; class {positive} is likelier than predicted" in printed(capfd)
        (folder / "s.json").unlink()
    plain = CalibrationMonitor().update([0.2], [1]).to_dict()
    (folder / "s.json").write_text(file_text("evical.monitor", monitors=[plain]), encoding="utf-8")
    assert run(f"check rare.csv {options} --positive ill") == 2
    assert "is of the classes 1, but these predictions are of ill" in capfd.readouterr().err


def test_the_monitor_goes_on_from_batch_to_batch(capfd, folder):
    _, y, interval = data()
    p = interval.mean(axis=1)
    lines = csv_text().splitlines(keepends=True)
    wrong = np.arange(N) % 2  # the second batch has other labels
    calm = CalibrationMonitor().update(p[:120], y[:120])
    whole = CalibrationMonitor.from_dict(calm.to_dict()).update(p[120:], wrong[120:])
    (folder / "a.csv").write_text("".join(lines[:121]), encoding="utf-8")
    swapped = [
        line.replace("ill", "well" if not w else "ill").replace("well", "ill" if w else "well")
        for line, w in zip(lines[121:], wrong[120:], strict=True)
    ]
    (folder / "b.csv").write_text("".join([lines[0], *swapped]), encoding="utf-8")
    options = "--target state --positive ill --test monitor --level 0.01 --state s.json"
    assert run(f"check a.csv {options} --json") == 0
    assert json.loads(printed(capfd))["tests"][0]["pvalue"] == pytest.approx(calm.p_value)
    code = run(f"check b.csv {options}")
    assert code == (1 if whole.p_value <= 0.01 else 0)
    first, *_, last = printed(capfd).splitlines()
    assert first.startswith("b.csv: failed" if code else "b.csv: passed")
    assert f"capital {whole.value:.3g} after 240" in last
    assert run(f"check a.csv {options.replace('ill', 'well')}") == 2
    assert (
        "s.json is of the classes ill, but these predictions are of well" in capfd.readouterr().err
    )
    assert run("check a.csv --target state --positive ill --state s.json") == 2
    assert "--state is for --test monitor alone" in capfd.readouterr().err
    (folder / "s.json").write_text("{}", encoding="utf-8")
    assert run(f"check a.csv {options}") == 2
    assert "s.json" in capfd.readouterr().err
