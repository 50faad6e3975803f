"""Public names: they exist, each has one path, and nothing else looks public."""

import inspect
import re
import subprocess
import sys
from collections import defaultdict
from types import ModuleType

import pytest

import dstheory
import evical
from tests.support.each import each
from tests.support.public_objects import PACKAGES, ROOT, callables, dotted, files, public_modules

MODULES = list(public_modules())
ROOMS = [module for module in MODULES if hasattr(module, "__path__")]
every_module = each("module", MODULES, ids=lambda module: module.__name__)

# Not in folders: the core, and what belongs to no stage.
TOP_FILES = {
    "dstheory": {"errors.py", "optional.py", "notebook.py", "frame.py", "mass.py", "testing.py"},
    "evical": {
        "classifier.py",
        "cross_validation.py",
        "ensemble.py",
        "errors.py",
        "fused.py",
        "source.py",
    },
}

# The names that one should never have to look for.
EVERYDAY = {
    "dstheory": {
        "Frame",
        "MassFunction",
        "betp",
        "bayesian",
        "categorical",
        "conjunctive",
        "consonant",
        "dempster",
        "disjunctive",
        "plausibility_transform",
        "simple",
        "vacuous",
    },
    "evical": {
        "BinningCalibrator",
        "EvidentialClassifier",
        "EvidentialEnsemble",
        "IsotonicCalibrator",
        "LogisticCalibrator",
    },
}


@every_module
def test_all_names_exist_once(module):
    names = set(module.__all__)
    assert len(module.__all__) == len(names)
    assert [name for name in names if not hasattr(module, name)] == []
    assert [name for name in names - {"__version__"} if name.startswith("_")] == []


@every_module
def test_star_import(module):
    names = {}
    exec(f"from {module.__name__} import *", names)
    assert set(module.__all__) <= set(names)


@each("room", ROOMS, ids=lambda room: room.__name__)
def test_completion_offers_public_names_only(room):
    names = {*room.__all__, *getattr(room, "_MODULES", ())}  # the latter need torch
    public = {f"{room.__name__}.{name}" for name in set(dir(room)) - names}
    assert public <= {module.__name__ for module in MODULES}
    assert names <= set(dir(room))


def test_completion_offers_every_room():
    for room in ROOMS:
        package, _, name = room.__name__.rpartition(".")
        assert not package or name in dir(sys.modules[package])


def test_each_object_has_one_public_path():
    paths = defaultdict(set)
    for public in callables():
        paths[id(public.value)].add(public.path)
    assert [found for found in paths.values() if len(found) > 1] == []


@pytest.mark.parametrize("package", [dstheory, evical], ids=PACKAGES)
def test_top_level_names_come_from_a_stage(package):
    known = {id(public.value) for public in callables()}
    strays = [
        name
        for name in set(package.__all__) - {"__version__"}
        if not isinstance(value := getattr(package, name), ModuleType) and id(value) not in known
    ]
    assert strays == []
    for name in package.__all__:
        value = getattr(package, name)
        if isinstance(value, ModuleType):
            assert value.__name__ == f"{package.__name__}.{name}"


@pytest.mark.parametrize("package", [dstheory, evical], ids=PACKAGES)
def test_everyday_names_are_at_the_top(package):
    assert EVERYDAY[package.__name__] <= set(package.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_function_hides_a_module(package):
    """`dstheory.combine` is the folder, and no function of that name may take its place."""
    folders = {path.parts[1].removesuffix(".py") for path in files(package)}
    for module in MODULES:
        if module.__name__ == package:
            for name in folders & set(module.__all__):
                assert isinstance(getattr(module, name), ModuleType)


def test_objects_are_defined_where_they_are_listed():
    """A stage lists what its own files define, not what it imports from elsewhere."""
    foreign = [
        f"{public.path} is defined in {public.value.__module__}"
        for public in callables()
        if not f"{public.value.__module__}.".startswith(f"{public.module}.")
    ]
    assert foreign == []


def test_what_is_experimental_is_listed():
    """RELEASING.md names the modules and objects whose docstring says so, and no others."""
    documented = {module.__name__: module for module in MODULES}
    documented |= {public.path: public.value for public in callables()}
    marked = {
        path
        for path, value in documented.items()
        if re.search(r"^Experimental: \w", inspect.getdoc(value) or "", re.MULTILINE)
    }
    text = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    section = text[text.index("**Experimental**") : text.index("## Deprecation")]
    assert set(re.findall(r"^\* `([\w.]+)`$", section, re.MULTILINE)) == marked
    assert marked


@pytest.mark.parametrize("package", PACKAGES)
def test_files_at_the_top_are_known(package):
    for path in files(package):
        if len(path.parts) == 2:
            known = path.name in TOP_FILES[package] or path.name.startswith("_")
            assert known, f"{path}: neither private nor one of the known files"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_is_a_package(package):
    folders = {path.parent for path in (ROOT / package).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
    assert (ROOT / package / "py.typed").exists()


def test_no_file_is_named_like_what_it_exports():
    """`from package import thing` must not be ambiguous between a file and a function."""
    for public in callables():
        stem = public.value.__module__.rpartition(".")[2]
        assert stem != public.name, f"{public.value.__module__} exports {public.name}"


def test_private_files_list_what_they_give():
    """Public objects stand in the `__all__` of the file that defines them too."""
    for public in callables():
        module = inspect.getmodule(public.value)
        listed = getattr(module, "__all__", [public.name])
        assert public.name in listed, f"{public.name} is missing in {module.__name__}"


def test_names_of_files():
    assert dotted(files("dstheory")[0]).startswith("dstheory")
    assert "dstheory.combine" in {module.__name__ for module in MODULES}


def test_the_package_alone_gives_all_modules():
    """`import evical` is enough for `evical.metrics.brier_score`."""
    names = [m.__name__ for m in MODULES if "." in m.__name__]
    # The first does without the second, so one process tries both.
    code = f"""
for package in {list(PACKAGES)}:
    globals()[package] = __import__(package)
    for name in {names}:
        if name.startswith(package + "."):
            assert eval(name).__name__ == name, name
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stdin=subprocess.DEVNULL)
