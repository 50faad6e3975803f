"""An interpreter of its own where warnings are errors, but for those that the tests pass over."""

import sys
import tomllib

from tests.support.public_objects import ROOT

__all__ = ["strict_python"]

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_FILTERS = _PROJECT["tool"]["pytest"]["ini_options"]["filterwarnings"]


def strict_python(code: str, *arguments: str) -> list[str]:
    """The command that runs this code under the filters of pyproject.toml.

    Option -W takes no pattern for the module, so that code sets them.
    """
    lines = ["import warnings"]
    for entry in _FILTERS:
        action, _, category, module = (entry + ":::").split(":")[:4]
        kind = category or "Warning"
        lines.append(f"warnings.filterwarnings({action!r}, '', {kind}, {module!r})")
    return [sys.executable, "-c", "\n".join([*lines, code]), *arguments]
