"""Names that a user may mistype: what is there, and what was probably meant."""

import difflib
from collections.abc import Iterable

__all__ = ["suggestion"]

# More names than this do not help on one line.
_SHOWN = 12


def suggestion(name: str, known: Iterable[str], kind: str, shown: int = _SHOWN) -> str:
    """The end of a message about an unknown name.

    Examples
    --------
    >>> suggestion("scroe", ["id", "score"], "columns")
    "; did you mean 'score'? columns: id, score"
    """
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    meant = f"; did you mean {close[0]!r}?" if close else ";"
    more = ", ..." if len(names) > shown else ""
    return f"{meant} {kind}: {', '.join(names[:shown])}{more}"
