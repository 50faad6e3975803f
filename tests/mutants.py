"""Seed faults, one at a time, and print those that the tests do not find.

``python -m tests.mutants`` takes as many faults of each kind from both packages. Which ones, a hash
of the code around each decides, so an edit elsewhere changes nothing. In a copy of the tree it
first runs the tests once, to see which of them reach which place, and then, for each fault, the
tests that reach it, nearest and quickest first, until one fails. What survives lacks a test, or
does not change what the code computes; EQUIVALENT names the latter, with the reason.

``--quick`` runs what ``-m "not slow"`` selects. ``--list`` prints the faults and runs nothing.
"""

import argparse
import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("dstheory", "evical")
BATCHES = (15, 60, 400, 100_000)  # most faults die in the first: few files to collect

EQUIVALENT = {
    "ecb19245bb": "n & (n - 2) is 0 for the same n as n & (n - 1): for powers of two",
    "d8f518d917": "a peak at the upper end has the contour of the end, which is compared anyway",
    "3f0bd78a0a": "a bound on the criterion from fewer models: as valid, and slower",
    "c7ab703fe0": "a search that never ends early ends after all its steps, at the same place",
    "2999ebf98d": "at a conflict of 0.5 both ways are right to rounding",
    "3b126ff27d": "a jump of exactly 1e-6 is written in full, which is right as well",
    "da60351705": "one more column of zeros, which is not read",
    "ac292e9d93": "without successes the limit of the least count is 0 as well",
    "884fdf7a2e": "at exactly this many choices both ways give the same masses",
    "bdc487b785": "at exactly this many cells both ways count the same",
    "b94b4e9f2b": "a slope that is the same for all sets moves no mass, as masses sum to 1",
    "1003271ce7": "where belief is the probability, so is plausibility",
    "ed2696cf78": "an error of exactly the tolerance",
    "37db9d399a": "sums are apart from 1 by multiples of 2**-53, and 0.01 is none",
    "907946cf47": "a statistic of exactly the limit",
    "6a813e5b3d": "an interval of exactly the width that is called none",
    "49d3debe2e": "what the bound takes away, the loop after it gives back",
    "0009eb2b15": "another start of Newton's method, which ends at the same optimum",
    "91439eae02": "the one score is read as the same float and needs no tolerance here; another "
    "machine may round its logarithm otherwise",
}

SWAPS = {
    "min": "max",
    "minimum": "maximum",
    "argmin": "argmax",
    "any": "all",
    "amin": "amax",
    "bel": "pl",
    "floor": "ceil",
    "log": "log1p",
    "ones": "zeros",
    "cumsum": "cumprod",
}
SWAPS |= {new: old for old, new in SWAPS.items()}
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
BOUNDS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
KINDS = ("sign", "bound", "axis", "check", "off by one", "swap")


@dataclass(frozen=True)
class Mutant:
    """One fault: the place, what stands there, and what stands there instead."""

    path: str
    kind: str
    span: tuple[int, int]  # of the text that is replaced, in bytes of the file
    line: int  # before which a mark says that the place is reached
    old: str
    new: str
    key: str

    def __str__(self) -> str:
        return f"{self.key}  {self.kind:10}  {self.path}:{self.line}  {self.old!r} -> {self.new!r}"


# ---- which faults


def alternatives(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
    """The kind of each fault at this node, the node that it replaces, and the new text."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()) if not isinstance(node.right, ast.JoinedStr):
            yield "sign", node, text_of(node, op=OPERATORS[type(node.op)]())
        case ast.UnaryOp(op=ast.USub()) if not isinstance(node.operand, ast.Constant):
            yield "sign", node, ast.unparse(node.operand)
        case ast.Compare(ops=[op]) if type(op) in BOUNDS:
            yield "bound", node, text_of(node, ops=[BOUNDS[type(op)]()])
        case ast.Call(keywords=keywords):
            for word in keywords:
                if word.arg == "axis" and (axis := literal(word.value)) is not None:
                    yield "axis", word.value, str(1 if axis == 0 else 0)
        case ast.If(test=test, body=[ast.Raise()], orelse=[]):
            yield "check", test, f"False and ({ast.unparse(test)})"
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            if name.lstrip("_").startswith(("check", "refuse", "require")):
                yield "check", node, "None"
        case ast.Subscript(slice=index) if isinstance(literal(index), int):
            yield "off by one", index, str(literal(index) + 1)
        case ast.Slice():
            for end in (node.lower, node.upper):
                if end is not None and isinstance(literal(end), int):
                    yield "off by one", end, str(literal(end) + 1)
        case ast.Attribute(attr=attr) if attr in SWAPS:
            yield "swap", node, text_of(node, attr=SWAPS[attr])
        case ast.Name(id=name) if name in ("min", "max", "any", "all"):
            yield "swap", node, SWAPS[name]
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
            other = ast.BitOr() if isinstance(node.op, ast.BitAnd) else ast.BitAnd()
            yield "swap", node, text_of(node, op=other)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "swap", node, text_of(node, op=other)
    match node:  # a sum is a place for two faults
        case ast.BinOp(op=ast.Add() | ast.Sub(), right=ast.Constant(value=int(value)) as right):
            yield "off by one", right, str(value + 1)


def literal(node: ast.expr) -> Any:
    """The number that a node is, a minus sign included, or None."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


def text_of(node: ast.AST, **changed: Any) -> str:
    """The node with some fields changed, in parentheses, as it may stand within a formula."""
    fields = {name: getattr(node, name) for name in node._fields} | changed
    return f"({ast.unparse(type(node)(**fields))})"


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, str, int]]:
    """Each node within a function: the name of the function, and where a line may be inserted."""

    def walk(node: ast.AST, name: str, line: int) -> Iterator[tuple[ast.AST, str, int]]:
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or skipped(node, field, child):
                    continue
                inner, at = name, line
                if isinstance(child, ast.FunctionDef | ast.ClassDef):
                    inner = f"{name}.{child.name}".lstrip(".")
                if isinstance(child, ast.stmt) and own_line(node, field, child, name):
                    at = min([child.lineno, *(one.lineno for one in decorators(child))])
                if at:
                    yield child, inner, at
                yield from walk(child, inner, at)

    yield from walk(tree, "", 0)


def own_line(node: ast.AST, field: str, child: ast.stmt, function: str) -> bool:
    """Whether a line before this statement runs when the function does; before elif none can be."""
    if isinstance(node, ast.Module | ast.ClassDef) or not function:
        return False
    is_elif = isinstance(node, ast.If) and field == "orelse" and isinstance(child, ast.If)
    return field in ("body", "orelse", "finalbody") and not is_elif


def decorators(node: ast.AST) -> list[ast.expr]:
    return getattr(node, "decorator_list", [])


def skipped(node: ast.AST, field: str, child: ast.AST) -> bool:
    """Types, messages, docstrings and statements behind a colon are no places for a fault."""
    if field in ("annotation", "returns", "decorator_list", "args") and isinstance(
        node, ast.FunctionDef | ast.arg | ast.AnnAssign
    ):
        return True
    if isinstance(child, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    return isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)


def mutants_of(root: Path, path: Path) -> Iterator[Mutant]:
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(root).as_posix()
    starts = [0]
    for row in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    seen: dict[str, int] = defaultdict(int)
    for node, function, line in places(ast.parse(text)):
        for kind, target, new in alternatives(node):
            span = (
                starts[target.lineno - 1] + target.col_offset,
                starts[target.end_lineno - 1] + target.end_col_offset,
            )
            old = text.encode()[slice(*span)].decode()
            whole = ast.unparse(node)
            place = f"{Path(name).stem}|{function}|{kind}|{whole}|{new}"
            seen[place] += 1
            key = hashlib.sha256(f"{place}|{seen[place]}".encode()).hexdigest()[:10]
            yield Mutant(name, kind, span, line, old, new, key)


def chosen(root: Path, count: int, seed: int) -> list[Mutant]:
    """As many of each package and kind as there are places for; a place is drawn by its hash."""
    groups: dict[tuple[str, str], list[Mutant]] = defaultdict(list)
    drawn: set[str] = set()
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            for mutant in mutants_of(root, path):
                if mutant.key not in drawn:  # two files may hold the same function
                    groups[package, mutant.kind].append(mutant)
                    drawn.add(mutant.key)
    each = -(-count // len(groups))

    def rank(mutant: Mutant) -> str:
        return hashlib.sha256(f"{seed}|{mutant.key}".encode()).hexdigest()

    return [m for group in groups.values() for m in sorted(group, key=rank)[:each]]


# ---- a copy of the tree, with marks or with a fault


def copied(root: Path, to: Path) -> Path:
    ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", "build", "dist")
    shutil.copytree(root, to, ignore=ignored)
    return to


MARKER = '''"""Writes down which test reached which mark."""
import os

seen = set()


def mark(key):
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    if test and (key, test) not in seen:
        seen.add((key, test))
        with open(os.path.join({folder!r}, f"{{os.getpid()}}.reached"), "a") as file:
            file.write(f"{{key}} {{test}}\\n")
'''

PLUGIN = '''"""Writes down how long each test took."""
import os


def pytest_runtest_logreport(report):
    with open(os.path.join({folder!r}, f"{{os.getpid()}}.seconds"), "a") as file:
        file.write(f"{{report.duration}} {{report.nodeid}}\\n")
'''


def environment(tree: Path) -> dict[str, str]:
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
    return os.environ | threads | {"PYTHONPATH": str(tree)}


def function_of(test: str) -> str:
    """A test without the parameters of its case."""
    return test.partition("[")[0]


def reached(root: Path, mutants: list[Mutant], jobs: int) -> dict[str, list[tuple[str, float]]]:
    """The tests that reach each fault and their seconds, the nearest and quickest first."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "found"
        folder.mkdir()
        tree = copied(root, Path(scratch) / "tree")
        (tree / "_mutant_marks.py").write_text(MARKER.format(folder=str(folder)))
        (tree / "_mutant_seconds.py").write_text(PLUGIN.format(folder=str(folder)))
        by_path: dict[str, list[Mutant]] = defaultdict(list)
        for mutant in mutants:
            by_path[mutant.path].append(mutant)
        for path, found in by_path.items():
            lines = (tree / path).read_text(encoding="utf-8").splitlines()
            for mutant in sorted(found, key=lambda m: -m.line):
                row = lines[mutant.line - 1]
                indent = row[: len(row) - len(row.lstrip())]
                call = f'{indent}__import__("_mutant_marks").mark("{mutant.key}")'
                lines.insert(mutant.line - 1, call)
            (tree / path).write_text("\n".join(lines) + "\n", encoding="utf-8")
        workers = ["-n", str(jobs)] if jobs > 1 else []
        run = [sys.executable, "-m", "pytest", "-q", "-p", "_mutant_seconds", *workers]
        subprocess.run(run, cwd=tree, env=environment(tree), stdout=subprocess.DEVNULL, check=False)
        seconds: dict[str, float] = defaultdict(float)
        for file in folder.glob("*.seconds"):
            for row in file.read_text().splitlines():
                took, _, test = row.partition(" ")
                seconds[function_of(test)] += float(took)
        hits: dict[str, set[str]] = {mutant.key: set() for mutant in mutants}
        for file in folder.glob("*.reached"):
            for row in file.read_text().splitlines():
                key, _, test = row.partition(" ")
                hits[key].add(function_of(test))
    return {m.key: ordered(m, {test: seconds[test] for test in hits[m.key]}) for m in mutants}


def ordered(mutant: Mutant, seconds: dict[str, float]) -> list[tuple[str, float]]:
    """Tests mirror the packages: those in the mirrored folder, or in the file itself, are near."""
    near = (mutant.path, f"tests/{mutant.path.rpartition('/')[0]}/")
    return sorted(seconds.items(), key=lambda test: (not test[0].startswith(near), test[1]))


# ---- does a test fail?


def verdict(tree: Path, mutant: Mutant, tests: list[tuple[str, float]], quick: bool) -> str:
    """'killed by ...', 'survived', or 'not reached'."""
    path = tree / mutant.path
    source = path.read_bytes()
    start, end = mutant.span
    path.write_bytes(source[:start] + mutant.new.encode() + source[end:])
    try:
        first = 0
        for size in BATCHES:
            batch, first = tests[first : first + size], first + size
            if found := failure(tree, batch, quick):
                return f"killed by {found}"
    finally:
        path.write_bytes(source)
    return "survived" if tests else "not reached"


def failure(tree: Path, tests: list[tuple[str, float]], quick: bool) -> str:
    """The first of the tests that fails, or nothing."""
    names = [name for name, _ in tests if exists(tree, name)]
    if not names:
        return ""
    limit = 60 + 10 * sum(seconds for _, seconds in tests)  # a fault may make a loop endless
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(names))
        file.flush()
        run = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=no"]
        run += [*(["-m", "not slow"] if quick else []), f"@{file.name}"]
        try:
            done = subprocess.run(
                run, cwd=tree, env=environment(tree), capture_output=True, text=True,
                timeout=limit, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"no end within {limit:.0f} s"
    if done.returncode in (0, 5):  # 5: nothing was selected
        return ""
    failed = [row for row in done.stdout.splitlines() if row.startswith(("FAILED", "ERROR"))]
    return failed[0][:150] if failed else done.stdout[-150:] + done.stderr[-150:]


def exists(tree: Path, name: str) -> bool:
    """Whether the tree has the test; a kept list may be older, or newer."""
    path, _, function = name.partition("::")
    if not (tree / path).exists():
        return False
    doctest = not Path(path).name.startswith("test_")
    return doctest or f"def {function.rpartition('::')[2]}(" in (tree / path).read_text("utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=120, help="of faults (120)")
    parser.add_argument("--seed", type=int, default=0, help="another one, other faults")
    parser.add_argument("--quick", action="store_true", help='only what -m "not slow" selects')
    parser.add_argument("--only", default="", help="faults whose line contains this text")
    parser.add_argument("--jobs", type=int, default=2, help="faults at the same time (2)")
    parser.add_argument("--reached", type=Path, help="a file that keeps which tests reach what")
    parser.add_argument("--list", action="store_true", help="print the faults only")
    options = parser.parse_args()
    mutants = [m for m in chosen(ROOT, options.count, options.seed) if options.only in str(m)]
    if options.list:
        print(*mutants, sep="\n")
        return
    if options.reached and options.reached.exists():
        tests = json.loads(options.reached.read_text())
    else:
        tests = reached(ROOT, mutants, options.jobs)
        if options.reached:
            options.reached.write_text(json.dumps(tests))
    tests = {mutant.key: tests[mutant.key] for mutant in mutants}
    with tempfile.TemporaryDirectory() as scratch:
        trees = [copied(ROOT, Path(scratch) / str(i)) for i in range(options.jobs)]

        def judge(mutant: Mutant) -> str:
            tree = trees.pop()
            try:
                found = verdict(tree, mutant, tests[mutant.key], options.quick)
            finally:
                trees.append(tree)
            if found == "survived" and mutant.key in EQUIVALENT:
                found = f"equivalent: {EQUIVALENT[mutant.key]}"
            print(f"{mutant}\n    {found}", flush=True)
            return found.partition(" ")[0].rstrip(":")

        with ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(judge, mutants))
    killed = results.count("killed")
    print(f"\n{len(mutants)} faults: {killed} killed, {results.count('equivalent')} equivalent, "
          f"{len(mutants) - killed - results.count('equivalent')} not found")  # fmt: skip
    sys.exit(killed + results.count("equivalent") < len(mutants))


if __name__ == "__main__":
    main()
