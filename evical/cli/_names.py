"""Names that a user may mistype: what is there, and what was probably meant."""

from collections.abc import Iterable

from dstheory.kernels.arguments import did_you_mean

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
    meant = did_you_mean(name, names) or ";"
    more = ", ..." if len(names) > shown else ""
    return f"{meant} {kind}: {', '.join(names[:shown])}{more}"
