"""Write docs/api.md: every public name, its signature and the first line of its docstring.

Run ``python -m docs.make_api`` after a change of public names; a test compares the result.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGES = ("dstheory", "evical")
PAGE = Path(__file__).with_name("api.md")
HEAD = """# API

Public names, with one line each; `help(name)` or `name?` shows the rest. Written by
`docs/make_api.py` from the docstrings.
"""


def public_modules(package: str) -> Iterator[ModuleType]:
    """The package, its top files, and its folders that list names, in alphabetical order."""
    root = importlib.import_module(package)
    yield root
    for info in pkgutil.walk_packages(root.__path__, f"{package}."):
        on_top = info.name.count(".") == 1 and not info.name.split(".")[1].startswith("_")
        if (on_top and not info.ispkg) or (
            info.ispkg and hasattr(importlib.import_module(info.name), "__all__")
        ):
            yield importlib.import_module(info.name)


def first_line(value: Any) -> str:
    """First line of a docstring, safe in a cell of a table."""
    return (inspect.getdoc(value) or "").partition("\n")[0].replace("|", "\\|")


class Name(str):
    """A default value that is shown by its name: the address of a function differs in each run."""

    __repr__ = str.__str__


def signature(value: Any) -> str:
    """Parameters without types, as one would write a call."""
    empty = inspect.Parameter.empty
    parameters = []
    for parameter in inspect.signature(value).parameters.values():
        default = parameter.default
        if type(default) is object:  # a sentinel for "not given"
            default = Name("...")
        elif default is not empty and callable(default):
            default = Name(default.__name__)
        if parameter.name not in ("self", "cls"):
            parameters.append(parameter.replace(annotation=empty, default=default))
    return str(inspect.Signature(parameters)).replace("|", "\\|")


def methods(cls: type) -> Iterator[tuple[str, str]]:
    """Public methods and properties that a class defines itself, with their first lines."""
    for name, value in vars(cls).items():
        function = getattr(value, "__func__", getattr(value, "fget", value))
        if name.startswith("_") or not inspect.isfunction(function) or not first_line(function):
            continue
        call = "" if isinstance(value, property) else signature(getattr(cls, name))
        yield f"`.{name}{call}`", first_line(function)


def rows(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Lines of the table for one public name."""
    if inspect.isclass(value):
        call = "" if issubclass(value, Exception) else signature(value)
        yield f"`{name}{call}`", first_line(value)
        yield from methods(value)
    elif callable(value):
        yield f"`{name}{signature(value)}`", first_line(value)
    else:
        yield f"`{name}`", f"constant, `{type(value).__name__}`"


def section(module: ModuleType) -> str:
    """One module: what it is for, and a table of its names."""
    lines = [f"## {module.__name__}", "", first_line(module), ""]
    names = sorted(getattr(module, "__all__", ()))
    if module.__name__ in PACKAGES:
        lines += ["At the top: " + ", ".join(f"`{name}`" for name in names) + ".", ""]
        return "\n".join(lines)
    lines += ["| name | |", "|---|---|"]
    for name in names:
        lines += [f"| {left} | {right} |" for left, right in rows(name, getattr(module, name))]
    return "\n".join([*lines, ""])


def page() -> str:
    """The whole page."""
    modules = [module for package in PACKAGES for module in public_modules(package)]
    return "\n".join([HEAD, *(section(module) for module in modules if module.__all__)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
