"""JavaScript, executed by node."""

import json

import numpy as np
import pytest

from evical.calibrators import BinningCalibrator, LogisticCalibrator
from evical.export import to_javascript
from tests.protocols.calibrators_table import samples
from tests.support.node import NODE, in_node

needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def beliefs_in_node(folder, modules, calls):
    """Classes of each module, and what `beliefs` returns for a list of arguments."""
    for name, text in modules.items():
        (folder / f"{name}.mjs").write_text(text, encoding="utf-8")
    lines = [f"const calls = {json.dumps(calls)};", "export const found = {};"]
    for name in calls:
        lines += [
            f"const {name} = await import('./{name}.mjs');",
            f"found.{name} = [{name}.classes, calls.{name}.map((score) => {name}.beliefs(score))];",
        ]
    return in_node(folder, "\n".join(lines))


@needs_node
def test_what_is_no_score_is_null(tmp_path):
    scores, y = samples()
    modules = {
        "all": to_javascript(LogisticCalibrator().fit(scores, np.where(y, 'z*/"', "a"))),
        "unit": to_javascript(LogisticCalibrator(transform="logit").fit(np.abs(scores) / 5, y)),
    }
    calls = {"all": [None, "1", [1], {}, True, 1e308, -5], "unit": [-0.01, 0, 1, 1.01]}
    found = beliefs_in_node(tmp_path, modules, calls)
    assert found["all"][0] == ["a", 'z*/"']
    assert [value is None for value in found["all"][1]] == [True] * 5 + [False] * 2
    assert [value is None for value in found["unit"][1]] == [True, False, False, True]


def test_wrong_calls():
    with pytest.raises(TypeError, match="calibrator is 3"):
        to_javascript(3)
    calibrator = BinningCalibrator().fit(*samples())
    with pytest.raises(ValueError, match=r"the JavaScript has .* bytes for 10 pieces"):
        to_javascript(calibrator, max_bytes=100)
