"""A missing package is named with the command that installs it."""

import subprocess
import sys

from tests.support.each import each
from tests.support.public_objects import ROOT

# Package, what is made while it is there, and what cannot be done without it.
USES = {
    "to_pandas": (
        "pandas",
        "from dstheory import Frame, vacuous; from dstheory.interchange import to_pandas;"
        "m = vacuous(Frame(['a', 'b']))",
        "to_pandas(m)",
    ),
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
}


USES |= {
    "dstheory.plot": ("matplotlib", "import dstheory", "import dstheory.plot"),
    "evical.plot": ("matplotlib", "import evical", "import evical.plot"),
    "a report": (
        "matplotlib",
        "from evical.evaluation import Evaluation; from evical.report import build;"
        "found = Evaluation.from_predictions([0, 1, 1], [0.2, 0.8, 0.6])",
        "build(found)",
    ),
    "dstheory.testing": ("hypothesis", "from dstheory.testing import frames", "frames()"),
}


@each("purpose", USES)
def test_it_is_named_with_what_to_do(purpose):
    package, before, call = USES[purpose]
    # None in sys.modules is how Python marks a package that cannot be imported.
    script = f"import sys; {before}; sys.modules[{package!r}] = None; {call}"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: {purpose} needs {package}; install it with: pip install {package}"
    )
