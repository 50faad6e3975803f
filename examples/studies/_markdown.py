"""Tables and names in Markdown."""

from collections.abc import Iterable, Sequence

__all__ = ["markdown_table", "plain"]


def plain(text: str) -> str:
    r"""The text as it is; a bar would end the cell, an underscore may start italics.

    >>> print(plain("a|b_c"))
    a\|b\_c
    """
    return text.replace("|", r"\|").replace("_", r"\_").replace("*", r"\*")


def markdown_table(head: Sequence[str], body: Iterable[Sequence[str]], n_text: int) -> str:
    """A table; its first columns are text, the others numbers.

    >>> print(markdown_table(["a", "b"], [["x", "1"]], 1))
    | a | b |
    | --- | ---: |
    | x | 1 |
    """
    ruler = ["---"] * n_text + ["---:"] * (len(head) - n_text)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ruler, *body])
