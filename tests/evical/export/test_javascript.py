"""JavaScript, executed by node."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from evical.calibrators import BinningCalibrator, LogisticCalibrator
from evical.export import to_javascript
from tests.protocols.calibrators_table import samples

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def in_node(folder, modules, calls):
    """What `beliefs` of each module returns for a list of arguments, in one process."""
    for name, text in modules.items():
        (folder / f"{name}.mjs").write_text(text, encoding="utf-8")
    (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
    main = """
        import { readFileSync } from "node:fs";
        const calls = JSON.parse(readFileSync("calls.json"));
        const found = {};
        for (const name of Object.keys(calls)) {
          const { beliefs, classes } = await import(`./${name}.mjs`);
          found[name] = [classes, calls[name].map((score) => beliefs(score))];
        }
        console.log(JSON.stringify(found));
    """
    (folder / "main.mjs").write_text(main, encoding="utf-8")
    done = subprocess.run(
        [NODE, "main.mjs"], cwd=folder, capture_output=True, text=True, check=True, timeout=120
    )
    return json.loads(done.stdout)


@needs_node
def test_what_is_no_score_is_null(tmp_path):
    scores, y = samples()
    modules = {
        "all": to_javascript(LogisticCalibrator().fit(scores, np.where(y, 'z*/"', "a"))),
        "unit": to_javascript(LogisticCalibrator(transform="logit").fit(np.abs(scores) / 5, y)),
    }
    calls = {"all": [None, "1", [1], {}, True, 1e308, -5], "unit": [-0.01, 0, 1, 1.01]}
    found = in_node(tmp_path, modules, calls)
    assert found["all"][0] == ["a", 'z*/"']
    assert [value is None for value in found["all"][1]] == [True] * 5 + [False] * 2
    assert [value is None for value in found["unit"][1]] == [True, False, False, True]


def test_wrong_calls():
    with pytest.raises(TypeError, match="calibrator is 3"):
        to_javascript(3)
    calibrator = BinningCalibrator().fit(*samples())
    with pytest.raises(ValueError, match=r"the JavaScript has .* bytes for 10 pieces"):
        to_javascript(calibrator, max_bytes=100)
