"""CONTRIBUTING.md is complete: whoever follows its lists word for word passes all checks.

A copy of the tree gets a rule, a calibrator and a study, by edits of the files that the lists name
and of no others. Then the checks of the whole tree and those of the new entries run there.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.support.public_objects import ROOT

TOYS = ROOT / "tests" / "support" / "toys"
FOLDERS = ("dstheory", "evical", "tests", "docs", "examples", ".ci", ".github")
# Names of cases, or of inputs of their loops: those of the toys, and checks of the whole tree,
# but for what an import loads: the toys import nothing heavy, and are no packages.
CHOSEN = (
    *("halfway", "threshold", "nobody2000"),
    *("test_architecture(?!.*test_import_)", "test_public_api(?!.*test_the_package_alone)"),
    *("test_repository", "names_are_those_of_the_classes"),
    *("complete", "the_guide_names", "the_tables"),
)
SHARED = (
    "tests/test_architecture.py",
    "tests/test_docs.py",
    "tests/test_docstrings.py",
    "tests/test_public_api.py",
    "tests/test_repository.py",
    "tests/protocols/test_calibrators.py",
    "tests/protocols/test_refused.py",
    "tests/protocols/test_results.py",
    "tests/protocols/test_rules.py",
    "tests/dstheory/exact/test_rules.py",
    "tests/evical/calibrators/test_by_name.py",
    "tests/evical/cli/commands/test_fit_predict.py",
    "tests/studies/test_registry.py",
)

RULE_TEST = """from hypothesis import given

from dstheory.combine import halfway
from tests.dstheory.combine.strategies import sources
from tests.naive import rules as naive_rules


@given(ms=sources(size=2))
def test_equals_its_definition(ms):
    assert naive_rules.as_sets(halfway(*ms)) == naive_rules.halfway(*map(naive_rules.as_sets, ms))
"""
NAIVE_RULE = """

def halfway(*sources):
    \"\"\"The mean of both.\"\"\"
    return mixing(conjunctive(*sources), disjunctive(*sources), weights=[Fraction(1, 2)] * 2)
"""
CALIBRATOR_TEST = """from evical.calibrators import ThresholdCalibrator


def test_the_mean_belongs_to_the_upper_bin():
    calibrator = ThresholdCalibrator().fit([0.0, 0.5, 1.0], [0, 1, 1])
    assert calibrator.predict_proba([0.25, 0.5])[:, 1].tolist() == [0.25, 5 / 6]
"""
STUDY_COMMAND = "python -m examples.studies nobody2000 --output docs/reproductions"
STUDY_TEST = """from examples.studies import reproduce
from examples.studies.nobody2000.study import NOBODY2000


def test_the_quick_variant_runs(tmp_path):
    outcome = reproduce(NOBODY2000, tmp_path, repeats=1, quick=True)
    assert all(0 <= values.item() < 0.25 for values in outcome.rows.values())
    assert len(outcome.rows) == 2
"""

# Commands and the tests after them, in one process: each would import half a second of packages.
SCRIPT = """
import runpy, sys
import pytest

commands, chosen = (part.splitlines() for part in sys.argv[1:3])
for command in commands:
    sys.argv = command.split()[2:]
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *chosen]))
"""

CONFLICT = "| `yager` | to the frame: conflict is ignorance |"
EMPTY = "| `yager` | conflict |"
COST = "| `mixing` | S F | a mean |"
CHANGES = "## [0.1.0]"

# For each file either its text, or (a place in it, what is put before that); "" is the end.
RULE = {
    "dstheory/combine/_halfway.py": TOYS / "halfway.py",
    "dstheory/combine/__init__.py": [
        ("from dstheory.combine._learning", "from dstheory.combine._halfway import halfway\n"),
        ('    "inagaki",', '    "halfway",\n'),
    ],
    "tests/protocols/rules_table.py": [
        ('    Entry("inagaki", {"k": 0}', '    Entry("halfway"),\n')
    ],
    "tests/naive/rules.py": [("", NAIVE_RULE)],
    "tests/dstheory/combine/test_halfway.py": RULE_TEST,
    "docs/guide/combining.md": [
        (
            CONFLICT,
            "| `halfway` | half stays in sight | 0.09 | 0.04 | 0.15 | 0.36 | no |\n",
        ),
        (EMPTY, "| `halfway` | a set | both rules take it |\n"),
        (COST, "| `halfway` | S F P | both rules |\n"),
    ],
    "CHANGELOG.md": [(CHANGES, "* `combine.halfway`.\n\n")],
}
CALIBRATOR = {
    "evical/calibrators/_threshold.py": TOYS / "threshold.py",
    "evical/calibrators/__init__.py": [
        (
            "from evical.calibrators._venn",
            "from evical.calibrators._threshold import ThresholdCalibrator\n",
        ),
        ('    "VennAbersCalibrator",', '    "ThresholdCalibrator",\n'),
    ],
    "tests/protocols/calibrators_table.py": [
        ('    Entry("VennAbersCalibrator")', '    Entry("ThresholdCalibrator"),\n')
    ],
    "tests/evical/calibrators/test_threshold.py": CALIBRATOR_TEST,
    "evical/_typing.py": [('    "venn_abers"', '    "threshold",\n')],
    "docs/guide/calibrators.md": [
        (
            "| `VennAbersCalibrator` | The new",
            "| `ThresholdCalibrator` | Two bins meet at the mean. | never | | likelihood | N |\n",
        )
    ],
    "CHANGELOG.md": [(CHANGES, "* `ThresholdCalibrator`.\n\n")],
}
STUDY = {
    "examples/studies/nobody2000/study.py": TOYS / "nobody2000.py",
    "examples/studies/nobody2000/__init__.py": '"""Nobody (2000), a paper that is not."""\n',
    "examples/studies/_registry.py": [
        (
            "from examples.studies.quality",
            "from examples.studies.nobody2000.study import NOBODY2000\n",
        ),
        ("    WHICH_FUSION,", "    NOBODY2000,\n"),
    ],
    "tests/studies/nobody2000/test_study.py": STUDY_TEST,
    "docs/reproductions/nobody2000.md": STUDY_COMMAND,
    "docs/reproductions/nobody2000.csv": STUDY_COMMAND,
    "docs/reproductions/index.md": [
        (
            "| [Which fusion?]",
            "| [Toy](nobody2000.md) | `python -m examples.studies nobody2000` | 2 |\n",
        )
    ],
    "CHANGELOG.md": [(CHANGES, "* The study `nobody2000`.\n\n")],
}
LISTS = {
    "rule": ("halfway", RULE),
    "calibrator": ("threshold", CALIBRATOR),
    "study": ("nobody2000", STUDY),
}


def listed(kind):
    """Files that the list names in bold."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"## How to add a {kind}\n")[1].split("\n## ")[0]
    return set(re.findall(r"\*\*`([\w./]+)`\*\*", section))


@pytest.mark.parametrize("kind", LISTS)
def test_edits_are_those_of_the_list(kind):
    name, edits = LISTS[kind]
    expected = {re.sub(r"(?<![a-z])name(?![a-z])", name, path) for path in listed(kind)}
    assert set(edits) == expected


def insert(path, place, text):
    """Put a text before the one line that begins so, or before the one word."""
    whole = path.read_text(encoding="utf-8")
    if place:
        assert whole.count(place) >= 1, f"{path.name} has no {place!r}"
        head, tail = whole.split(place, 1)
        path.write_text(head + text + place + tail, encoding="utf-8")
    else:
        path.write_text(whole + text, encoding="utf-8")


def run(tree, *command, **variables):
    """Run Python in the copy, and fail with what it said."""
    environment = {**os.environ, "PYTHONPATH": str(tree), **variables}
    environment.pop("COVERAGE_PROCESS_START", None)  # the copy is not what is measured
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    return done.stdout


def follow(tree, edits):
    """Carry out the edits; a command is run last, once for all files that it writes."""
    commands = []
    for name, edit in edits.items():
        path = tree / name
        if isinstance(edit, str) and edit.startswith("python "):
            commands.append(edit)
        elif isinstance(edit, list):
            for place, text in edit:
                insert(path, place, text)
        else:
            path.parent.mkdir(exist_ok=True)
            text = edit if isinstance(edit, str) else edit.read_text(encoding="utf-8")
            path.write_text(text, encoding="utf-8")
    return commands


@pytest.fixture
def tree(tmp_path):
    """A copy of what the checks read, with what is compiled already."""
    for folder in FOLDERS:
        if (ROOT / folder).is_dir():
            ignored = shutil.ignore_patterns("*.pyc.*", "repeats")  # being written
            shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    return tmp_path


def test_who_follows_the_lists_passes_the_checks(tree):
    commands = dict.fromkeys(
        command for _, edits in LISTS.values() for command in follow(tree, edits)
    )
    own = [path for _, edits in LISTS.values() for path in edits if "/_" in path or "test_" in path]
    own = [path for path in own if path.endswith(".py") and "__init__" not in path]
    said = run(
        tree, "-c", SCRIPT, "\n".join(commands), "\n".join([*SHARED, *own]), EACH="|".join(CHOSEN)
    )
    for path in (path for _, edits in LISTS.values() for path in edits):
        assert (tree / path).is_file(), f"{path} is not written"
    assert int(re.search(r"(\d+) passed", said)[1]) > 100
    run(tree, "-m", "ruff", "check", "--no-cache", ".")
    run(tree, "-m", "ruff", "format", "--no-cache", "--check", ".")
