"""Modules in node: one process of it answers all that the tests of a process ask."""

import atexit
import json
import shutil
import subprocess
from functools import cache
from itertools import count
from pathlib import Path
from threading import Timer
from typing import Any

__all__ = ["NODE", "in_node"]

NODE = shutil.which("node")
SECONDS = 120.0
_NUMBERS = count()  # node reads each file once
_MAIN = """
import { createInterface } from "node:readline";
for await (const url of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { found: (await import(url)).found };
  } catch (error) {
    answer = { error: String(error.stack) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\\n`);
}
"""


@cache
def _process() -> subprocess.Popen[str]:
    assert NODE is not None
    started = subprocess.Popen(
        [NODE, "--input-type=module", "--eval", _MAIN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    atexit.register(started.communicate)  # closes its input, which ends it
    return started


def in_node(folder: Path, script: str) -> Any:
    """What a module in a folder exports as `found`; files that it imports are read once."""
    main = folder / f"main_{next(_NUMBERS)}.mjs"
    main.write_text(script, encoding="utf-8")
    node = _process()
    assert node.stdin is not None
    assert node.stdout is not None
    late = Timer(SECONDS, node.kill)
    late.start()
    try:
        print(main.resolve().as_uri(), file=node.stdin, flush=True)
        answer = json.loads(node.stdout.readline() or '{"error": "node has ended"}')
    finally:
        late.cancel()
    assert "error" not in answer, answer["error"]
    return answer["found"]
