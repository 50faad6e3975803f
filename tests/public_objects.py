"""What is public: modules without an underscore in their name, and what they list in `__all__`."""

import importlib
import inspect
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("dstheory", "evical")


def files(package):
    """Python files of a package, relative to the root."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py"))


def dotted(path):
    """Import name of a file."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def public_modules():
    """Public modules, the two packages among them; kernels are for the package itself."""
    for package in PACKAGES:
        for path in files(package):
            name = dotted(path)
            private = any(part.startswith("_") for part in name.split("."))
            if not private and not name.startswith("dstheory.kernels"):
                yield importlib.import_module(name)


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
