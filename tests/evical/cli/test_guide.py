"""The commands of the guide work as they stand there."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd

from evical.cli import main
from tests.support.tables import read_csv

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "command_line.md"
FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_guide_run(tmp_path, monkeypatch):
    text = GUIDE.read_text(encoding="utf-8")
    lines = [line for block in FENCE.findall(text) for line in block.splitlines()]
    commands = [
        line for line in lines if line.startswith(("evical fit", "evical pre", "evical com"))
    ]
    commands = [line for line in commands if not line.startswith("evical compare")]
    assert len(commands) >= 7
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    score = rng.normal(size=100).round(3)
    table = pd.DataFrame({"id": [f"{i:03d}" for i in range(100)], "score": score})
    table = table.assign(probability=1 / (1 + np.exp(-score)))
    table.assign(income=(rng.random(100) < 1 / (1 + np.exp(-score))).astype(int)).to_csv(
        "scores.csv", index=False
    )
    table.to_csv("new.csv", index=False)
    table.assign(bel_1=0.25, pl_1=0.5).to_csv("other.csv", index=False)
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0, command
    assert set(read_csv("sets.csv")["decision"]) == {"0", "0|1", "1"}
    assert set(read_csv("conformal.csv")["set"]) == {"0", "0|1", "1"}
    assert set(read_csv("asking.csv")["decision"]) == {"ask"}  # so few rows promise nothing
