"""Syntax trees of files, each parsed once for all checks of a run that look at them."""

import ast
from functools import cache
from pathlib import Path

LOOKED_AT = (
    *(ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom),
    *(ast.Call, ast.If, ast.ExceptHandler, ast.Global),
)


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Nodes of the kinds that some check looks at; the first is the module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, LOOKED_AT)]
