"""All studies of papers, by name; a new study is a new line."""

from evical.experiments._study import Study

__all__ = ["STUDIES"]

_ALL: tuple[Study, ...] = ()

STUDIES: dict[str, Study] = {study.name: study for study in _ALL}
"""Name to study, for the command `evical reproduce`."""
