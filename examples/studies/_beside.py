"""What stands beside the module of a study: its prose as Markdown, and its findings as TOML."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.studies._study import Finding

__all__ = ["Prose", "read_findings", "read_prose"]


@dataclass(frozen=True)
class Prose:
    """What a study says in words.

    Parameters
    ----------
    protocol : tuple of str
        Paragraphs under "What is done".
    comment : str
        Markdown under "What follows".
    """

    protocol: tuple[str, ...]
    comment: str


def read_prose(module: str, name: str = "") -> Prose:
    """Read the Markdown file of a study.

    Parameters
    ----------
    module : str
        ``__file__`` of the study's module.
    name : str
        Of a file beside it; by default that of the module, with the ending ``.md``.

    Returns
    -------
    Prose
    """
    path = Path(module).with_name(name) if name else Path(module).with_suffix(".md")
    done, _, comment = path.read_text(encoding="utf-8").partition("# What follows\n")
    paragraphs = done.removeprefix("# What is done\n").strip().split("\n\n")
    return Prose(tuple(" ".join(one.split("\n")) for one in paragraphs), comment.strip())


def read_findings(module: str) -> tuple[Finding, ...]:
    """Read the TOML file of a study.

    Parameters
    ----------
    module : str
        ``__file__`` of the study's module.

    Returns
    -------
    tuple of Finding
        A table ``finding`` each, with the fields that are not in the table ``defaults``.
    """
    content = tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(_finding({**content["defaults"], **one}) for one in content["finding"])


def _finding(fields: Mapping[str, Any]) -> Finding:
    where = {label: tuple(values) for label, values in fields.get("where", {}).items()}
    return Finding(**{**fields, "by": tuple(fields.get("by", ())), "where": where})
