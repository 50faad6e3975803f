"""What is public: top files, and the folders whose `__init__` lists names in `__all__`."""

import importlib
import inspect
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dstheory", "evical")


def files(package):
    """Python files of a package, relative to the root."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py"))


def dotted(path):
    """Import name of a file."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def public_modules():
    """Public modules, the two packages among them; other files are for the packages themselves."""
    for package in PACKAGES:
        for path in files(package):
            on_top = len(path.parts) == 2 and not path.name.startswith("_")
            lists = "__all__" in (ROOT / path).read_text("utf-8")
            if lists and (on_top or path.name == "__init__.py"):
                yield importlib.import_module(dotted(path))


@dataclass(frozen=True)
class Public:
    """An object and the module that lists it."""

    module: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"


def public_objects():
    """Functions, classes and constants of all public modules; re-exports at the top left out."""
    for module in public_modules():
        if module.__name__ in PACKAGES:
            continue
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not isinstance(value, ModuleType):
                yield Public(module.__name__, name, value)


def callables():
    """Public functions and classes."""
    for public in public_objects():
        if inspect.isfunction(public.value) or inspect.isclass(public.value):
            yield public
