"""Imports point one way: each part uses only what stands before it, and nothing in a circle.

The imports are read from the source, those inside functions and in texts too.
"""

import ast
import importlib
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import evical
from tests.support.each import each
from tests.support.syntax import nodes

ROOT = Path(__file__).resolve().parents[1]

# Each part may import from its own row and from the rows before it.
ORDER = {
    "dstheory": [
        ["errors"],
        ["_typing"],
        ["optional"],
        ["checks"],
        ["kernels"],
        ["notebook"],
        ["frame"],
        ["checks.masses", "checks.shares", "mass"],
        ["_masses"],
        ["construct"],
        ["transform"],
        ["revise"],
        ["combine"],
        ["dsm"],
        ["measure"],
        ["approximate"],
        ["decide"],
        ["product"],
        ["inference"],
        ["interchange"],
        ["network"],
        ["argumentation"],
        ["exact"],
        ["plot"],
        ["tensor"],
        ["testing"],
        ["__init__"],
    ],
    "evical": [
        ["errors"],
        ["_typing"],
        ["_delimited", "_files", "_fitting", "_jobs", "_names", "_versions"],
        ["scores"],
        ["likelihood"],
        ["curves"],
        ["beliefs"],
        ["calibrators"],
        ["multiclass"],
        ["fusion"],
        ["estimators"],
        ["learners"],
        ["classifier"],
        ["source"],
        ["fused"],
        ["ensemble"],
        ["export"],
        ["cross_validation"],
        ["metrics"],
        ["significance"],
        ["conformal"],
        ["causal"],
        ["datasets"],
        ["plot"],
        ["evaluation"],
        ["report"],
        ["demo"],
        ["cli"],
        ["__init__"],
    ],
    "examples": [
        ["evidence", "imprecise", "one_classifier", "several"],
        ["studies"],
        ["__init__"],
    ],
}

# Heavy libraries and the only parts that may know them (anywhere, even inside functions).
ONLY_IN = {
    "dstheory": {
        "networkx": {"network"},
        "sympy": {"exact", "argumentation"},
        "matplotlib": {"plot"},
        "hypothesis": {"testing"},
        "numba": {"kernels"},
        "array_api_compat": {"tensor"},
        "jax": {"tensor"},
        "torch": {"tensor"},
        "sklearn": set(),
        "evical": set(),
        "examples": set(),
    },
    "evical": {
        "typer": {"cli"},
        "rich": {"cli"},
        "jinja2": {"report"},
        "onnx": {"export"},
        "skl2onnx": {"export"},
        "numba": set(),
        "examples": set(),
    },
    "examples": {"tests": set()},
}

# Modules that load others by names which they compute, when these are asked for.
BY_COMPUTED_NAME = {"dstheory", "dstheory.mass", "evical", "evical.cli._app", "evical.conformal"}

LOADED_SCRIPT = """
import importlib, sys
for package in sys.argv[1:]:
    importlib.import_module(package)
    rooms = (name for name in sys.modules if name.startswith("evical.") and name.count(".") == 1)
    print(*{name.partition(".")[0] for name in sys.modules}, *rooms)
"""


@cache
def modules(package):
    """Dotted name to path, of all modules of a package; a folder has the name of its init."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def is_import_of_a_text(node):
    """``import_module("name")`` or ``__import__("name")``."""
    return isinstance(node, ast.Call) and (
        getattr(node.func, "id", None) in ("import_module", "__import__")
        or getattr(node.func, "attr", None) == "import_module"
    )


def imported(name, path):
    """Dotted names that a module imports, submodules told from objects."""
    known = {found for package in ORDER for found in modules(package)}
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively; write the full name"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module
        elif is_import_of_a_text(node) and isinstance(node.args[0], ast.Constant):
            yield node.args[0].value


@cache
def arrows(package):
    """All imports (importer, imported) of a package."""
    return [(n, target) for n, path in modules(package).items() for target in imported(n, path)]


def part(name):
    """Second component: the folder or top-level file that a module belongs to."""
    return name.split(".")[1] if "." in name else "__init__"


def rank(name):
    """Row of a module in the order of its package, which may place a file apart from its folder."""
    package, _, place = name.partition(".")
    for wanted in (place, part(name)):
        for row, parts in enumerate(ORDER[package]):
            if wanted in parts:
                return row
    raise AssertionError(f"{part(name)} has no place in the order of {name.split('.')[0]}")


both = each("package", ORDER)


@both
def test_every_module_has_its_place(package):
    assert len(modules(package)) > 10
    for name in modules(package):
        rank(name)


@both
def test_no_upward_arrow(package):
    inside = [(a, b) for a, b in arrows(package) if b.split(".")[0] == package]
    assert inside
    upward = [f"{a} imports {b}" for a, b in inside if rank(b) > rank(a)]
    assert upward == []


@both
def test_no_cycle(package):
    graph = {name: set() for name in modules(package)}
    for importer, target in arrows(package):
        if target in graph:
            graph[importer].add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize("package", ["dstheory", "evical"])
def test_names_of_modules_are_computed_in_few_places(package):
    """Elsewhere they are constants, which the other tests here follow."""
    computed = {
        name
        for name, path in modules(package).items()
        for node in nodes(path)
        if is_import_of_a_text(node) and not isinstance(node.args[0], ast.Constant)
    }
    assert computed == {name for name in BY_COMPUTED_NAME if name.split(".")[0] == package}


@both
def test_heavy_libraries_stay_in_their_place(package):
    strays = [
        f"{importer} imports {target}"
        for importer, target in arrows(package)
        for library, allowed in ONLY_IN[package].items()
        if target.split(".")[0] == library and part(importer) not in allowed
    ]
    assert strays == []


def may_see(importer, target):
    """Whether a file is private to no folder, or to one that holds the importer."""
    folder, _, file = target.rpartition(".")
    if not any(target in modules(package) for package in ORDER):
        return True
    if folder in ORDER and importer.startswith("examples."):
        return True  # files at the top of a package serve the studies of this repository, too
    listed = modules(importer.split(".")[0])[importer].name == "__init__.py"
    inside = f"{importer}.".startswith(f"{folder}.")
    return not file.startswith("_") or inside or (listed and target.startswith(f"{importer}."))


@both
def test_private_files_are_imported_inside_their_folder_only(package):
    """Others import from files without an underscore, or what the folder's `__init__` lists."""
    assert [f"{a} imports {b}" for a, b in arrows(package) if not may_see(a, b)] == []


def loaded(*packages):
    """What is loaded after the import of each, one after the other."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED_SCRIPT, *packages],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_import_dstheory_loads_numpy_only():
    (names,) = loaded("dstheory")
    assert "numpy" in names
    heavy = {"scipy", "sklearn", "networkx", "sympy", "matplotlib", "numba", "pandas", "hypothesis"}
    heavy |= {"array_api_compat", "jax", "torch"}
    assert not names & (heavy | {"evical", "pytest", "typer", "rich"})


def test_import_evical_loads_names_when_they_are_asked_for():
    # scikit-learn itself may load pandas where that is installed.
    commands = [f"evical.cli._{name}" for name in ("combining", "fitting", "predicting")]
    package, predicting, before, names, *_, fitting = loaded(
        "evical", commands[-1], "sklearn.model_selection", "evical.classifier", *commands
    )
    assert not package & {"numpy", "scipy", "sklearn"}
    assert "evical.calibrators" in predicting
    assert not predicting & {"evical.classifier", "evical.ensemble", "evical.learners"}
    assert not predicting & {"evical.export", "evical.fusion", "evical.source"}
    assert {"dstheory", "numpy", "scipy", "sklearn"} <= names
    heavy = {"networkx", "sympy", "matplotlib", "numba", "pandas", "hypothesis"}
    assert not (names - before) & (heavy | {"pytest", "typer", "rich", "jinja2", "dask"})
    assert "evical.fusion" in fitting
    assert not fitting & {"evical.report", "evical.evaluation", "evical.demo"}  # those of pictures


def test_names_that_are_loaded_late_are_those_listed():
    homes = evical._HOMES
    assert set(evical.__all__) - {"__version__"} == set(homes)
    for name, home in homes.items():
        assert getattr(importlib.import_module(f"evical.{home}"), name) is getattr(evical, name)
    with pytest.raises(AttributeError, match="module 'evical' has no attribute 'nothing'"):
        _ = evical.nothing


@pytest.mark.parametrize("package", ORDER)
def test_a_choice_between_texts_is_checked_in_one_place(package):
    """By `check_choice`, which says what was probably meant; not by a tuple and a raise."""
    own = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules(package).values()
        for node in nodes(path)
        if isinstance(node, ast.If)
        and any(isinstance(part, ast.Raise) for part in node.body)
        and any(is_among_texts(part) for part in ast.walk(node.test))
    ]
    assert own == []


def is_among_texts(node):
    """``name not in ("one", "other")``."""
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.NotIn)
        and isinstance(node.left, ast.Name | ast.Attribute)
        and isinstance(node.comparators[0], ast.Tuple | ast.List | ast.Set)
        and all(
            isinstance(entry, ast.Constant) and isinstance(entry.value, str)
            for entry in node.comparators[0].elts
        )
    )
