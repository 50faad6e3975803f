"""House rules that a program can check: sizes, names, traces of machines, leftovers."""

import ast
import io
import re
import tokenize
import tomllib
from statistics import median

import pytest

import evical
from tests.support.public_objects import PACKAGES, ROOT, public_modules
from tests.support.slow import listed
from tests.support.syntax import nodes

CODE = (*PACKAGES, "examples/studies")
FOLDERS = (*PACKAGES, "tests", "examples")
PYTHON = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
SUFFIXES = (".py", ".md", ".toml", ".cff", ".html", ".yml", ".yaml", "")
TEXTS = sorted(
    path
    for path in [
        *ROOT.glob("*"),
        *(path for folder in ("docs", ".ci", ".github") for path in (ROOT / folder).rglob("*")),
        *PYTHON,
    ]
    # In a further work tree of git, .git is a file.
    if path.is_file() and path.name != ".git" and path.suffix in SUFFIXES
)

MAX_LINES = 400  # of code
MAX_FUNCTION = 60

# A directory of someone's machine has no place in a repository.
MACHINE_PATH = re.compile(r"(?<![\w.:/])/(?:home|root|Users|work|mnt|private)/\w")


def test_there_are_files():
    assert len(PYTHON) > 50
    assert {path.name for path in TEXTS} >= {"README.md", "LICENSE", "pyproject.toml", "run"}


def read(path):
    return path.read_text(encoding="utf-8")


def place(path, line=""):
    return f"{path.relative_to(ROOT)}:{line}"


NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(path):
    """Lines that hold code: without docstrings, comments and blank lines."""
    text = read(path)
    found = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in nodes(path):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            found -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(found)


def test_files_hold_one_idea():
    """A second idea is a second file."""
    long = [path for path in PYTHON if read(path).count("\n") > MAX_LINES]  # the only candidates
    lines = {place(path): code_lines(path) for path in long}
    assert {name: number for name, number in lines.items() if number > MAX_LINES} == {}


def test_only_tests_are_named_like_tests():
    """Pytest and people take `test_*.py` and `*_test.py` for tests, wherever they are."""
    product = [path for path in PYTHON if path.relative_to(ROOT).parts[0] != "tests"]
    named = [place(path) for path in product if re.search(r"^test_|_test\.py$", path.name)]
    assert named == []


def body_lines(node):
    """Lines of a function without its docstring."""
    body = node.body
    if ast.get_docstring(node) is not None:
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("package", CODE)
def test_functions_are_short(package):
    sizes = {
        f"{path.relative_to(ROOT)}:{node.name}": body_lines(node)
        for path in (ROOT / package).rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert median(sizes.values()) <= 12
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION} == {}


def swallows(handler):
    """Whether a handler takes any error at all and does not raise it again."""
    names = [node.id for node in ast.walk(handler.type or handler) if isinstance(node, ast.Name)]
    broad = handler.type is None or {"Exception", "BaseException"} & set(names)
    last = handler.body[-1]
    return broad and not (isinstance(last, ast.Raise) and last.exc is None)


@pytest.mark.parametrize("package", CODE)
def test_no_global_state_and_no_swallowed_errors(package):
    forbidden = {"seterr", "simplefilter", "print", "set_printoptions"}
    found = []
    for path in (ROOT / package).rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                is_own = isinstance(node.func, ast.Attribute) and name == "print"  # rich's console
                if name in forbidden and not is_own:
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno} calls {name}")
            if isinstance(node, ast.ExceptHandler) and swallows(node):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} swallows any error")
            if isinstance(node, ast.Global):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} has a global statement")
    assert found == []


def test_no_path_of_a_machine():
    found = {place(path): MACHINE_PATH.findall(read(path)) for path in TEXTS}
    assert {name: paths for name, paths in found.items() if paths} == {}


def unexplained(path):
    """Lines that silence a check and do not say why."""
    for number, line in enumerate(read(path).splitlines(), 1):
        silenced = re.search(r"#\s*(type: ignore|noqa)(\[[^\]]*\]|: [A-Z0-9, ]+)?(.*)", line)
        if silenced and not silenced[3].strip(" #"):
            yield place(path, number)


def test_a_silenced_check_has_its_reason():
    own = ROOT / "tests" / "test_repository.py"
    assert [line for path in PYTHON if path != own for line in unexplained(path)] == []


def test_the_lists_of_slow_cases_name_cases():
    """A test that was renamed or removed leaves no entry behind."""
    assert listed("slowest.txt") <= listed("slow.txt")
    for name in listed("slow.txt"):
        path, *_, case = name.partition("[")[0].split("::")
        assert (ROOT / path).exists(), name
        if path.startswith("tests"):
            assert f"def {case}(" in read(ROOT / path), name


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_file_of_the_project_is_there():
    names = [
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CITATION.cff",
        "CONTRIBUTING.md",
        "CODE_OF_CONDUCT.md",
        "RELEASING.md",
        "SECURITY.md",
        ".github/pull_request_template.md",
        ".github/workflows/checks.yml",
        ".github/workflows/release.yml",
        ".gitignore",
        ".pre-commit-config.yaml",
    ]
    assert [name for name in names if not (ROOT / name).is_file()] == []


def test_the_version_is_everywhere_the_same():
    version = project()["version"]
    assert evical.__version__ == version
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    released = version.partition("rc")[0]  # a candidate has no section of its own
    assert f"## [{released}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def table(name):
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[name]


def test_groups_and_extras_share_no_requirement():
    """What an extra has, a group includes by its name."""
    extras = {
        re.split(r"[>\[]", requirement)[0]
        for extra in project()["optional-dependencies"].values()
        for requirement in extra
    } - {"evical"}
    groups = table("dependency-groups")
    assert set(groups) == {"test", "build", "lint", "peers", "types", "dev"}
    listed = [name for group in groups.values() for name in group if isinstance(name, str)]
    own = [re.split(r"[>\[]", name)[0] for name in listed if not name.startswith("evical[")]
    assert sorted(set(own)) == sorted(own)
    assert extras & set(own) == set()
    for name in listed:
        bounded = re.fullmatch(r"[\w-]+(\[\w+\])?>=[\d.]+", name)
        assert bounded or name in {"evical[test]", "evical[fast]"}


def test_workflows_run_the_tests_on_every_supported_python_and_each_part_once():
    """The versions that pyproject.toml names, from the oldest on, on three systems."""
    text = (ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8")
    matrix, once = text.split("\n  once:\n")
    tested = re.findall(r'"(3\.\d+)"', matrix)
    named = re.findall(r"Python :: (3\.\d+)", " ".join(project()["classifiers"]))
    assert tested == named
    assert project()["requires-python"] == f">={named[0]}"
    for system in ("ubuntu", "macos", "windows"):
        assert f"{system}-latest" in matrix
    assert "bash .ci/run tests\n" in matrix
    (parts,) = re.findall(r"^parts=\((.*)\)$", (ROOT / ".ci" / "run").read_text(), re.M)
    ran = [part for row in re.findall(r"^          - (.*)$", once, re.M) for part in row.split()]
    # The newest Python is in the matrix already.
    assert sorted(ran) == sorted(set(parts.split()) - {"newest"})


def test_what_is_installed_is_the_packages():
    """Studies and tests stay in the checkout."""
    targets = table("tool")["hatch"]["build"]["targets"]
    assert targets["wheel"] == {"packages": list(PACKAGES)}
    assert {"tests", "examples"} <= set(targets["sdist"]["include"])


def test_extras():
    extras = project()["optional-dependencies"]
    known = {"fast", "plot", "cli", "duckdb", "dask", "onnx", "tensor", "test", "docs", "all"}
    assert set(extras) == known
    assert not any(requirement.startswith("pandas") for requirement in extras["cli"])
    for extra in ("cli", "test"):
        assert not any("numba" in requirement for requirement in extras[extra])


def test_every_requirement_has_a_lower_bound():
    wanted = project()["dependencies"]
    for extra in project()["optional-dependencies"].values():
        wanted = wanted + extra
    outside = [name for name in wanted if not name.startswith("evical[")]
    bounded = r"[\w-]+(\[\w+\])?>=[\d.]+(,!=[\d.]+)*"
    assert [name for name in outside if not re.fullmatch(bounded, name)] == []


def test_readme_names_one_command_to_run_and_one_to_test():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"<!-- test command -->\n```\w*\n(.+)\n```", text)
    assert len(commands) == 1
    assert commands[0].startswith("python3 -m venv .venv-test && ")
    assert "evical demo" in text


def test_the_house_stays_small():
    """A handful of files, public names and arguments of any type may come; then some must go."""
    code = [path for package in ("dstheory", "evical") for path in (ROOT / package).rglob("*.py")]
    untyped = sum(line.count(": Any") > 0 for path in code for line in read(path).splitlines())
    names = sum(len(module.__all__) for module in public_modules() if "." in module.__name__)
    # Two files and names are room for what a contributor adds.
    assert len(code) <= 499 + 2
    assert untyped <= 375
    assert names <= 408 + 2
