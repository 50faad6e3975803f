"""A missing package is named with the command that installs it."""

import json
import subprocess
import sys

import pytest

from dstheory.optional import require
from tests.support.public_objects import ROOT

# Package, what is made while it is there, and what cannot be done without it.
USES = {
    "dstheory.plot": ("matplotlib", "import dstheory", "import dstheory.plot"),
    "evical.plot": ("matplotlib", "import evical", "import evical.plot"),
    "to_frame": (
        "pandas",
        "from evical.metrics import calibration_report;"
        "report = calibration_report([0, 1, 1], [0.2, 0.8, 0.6])",
        "report.to_frame()",
    ),
    "a table of methods": (
        "pandas",
        "from evical.significance import friedman;"
        "result = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])",
        "result.to_frame()",
    ),
    "a report": (
        "matplotlib",
        "from evical.evaluation import Evaluation; from evical.report import build;"
        "found = Evaluation.from_predictions([0, 1, 1], [0.2, 0.8, 0.6])",
        "build(found)",
    ),
    "dstheory.testing": ("hypothesis", "from dstheory.testing import frames", "frames()"),
}
# None in sys.modules is how Python marks a package that cannot be imported.
SCRIPT = """
import json, sys
said = {}
for purpose, (package, before, call) in json.loads(sys.argv[1]).items():
    names = {}
    exec(before, names)
    there = sys.modules.get(package)
    sys.modules[package] = None
    try:
        exec(call, names)
    except ModuleNotFoundError as error:
        said[purpose] = str(error)
    if there is None:
        del sys.modules[package]
    else:
        sys.modules[package] = there
print(json.dumps(said))
"""


def test_it_is_named_with_what_to_do():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(USES)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert json.loads(done.stdout) == {
        purpose: f"{purpose} needs {package}; install it with: pip install {package}"
        for purpose, (package, _, _) in USES.items()
    }


def test_names_are_words():
    for wrong in (("", "a picture"), (3, "a picture"), ("json", "")):
        with pytest.raises(TypeError, match="expected a string"):
            require(*wrong)
