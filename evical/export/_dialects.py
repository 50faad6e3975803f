"""What differs between databases: how to quote a name, and how to write a number exactly.

A literal with an exponent is a double in all of them; without it, some read a decimal, and compute
with that. SQLite reads a literal of 17 digits with an error in the last place now and then, so that
numbers that must be exact are quotients of two whole numbers there, which are.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import frexp

from dstheory.checks.arguments import check_choice, check_instance

# Floats whose decimal digits are no more, and that are of that size, are read exactly everywhere.
_DIGITS, _FAR = 15, 1e6


@dataclass(frozen=True)
class Dialect:
    """How one database writes names and numbers.

    Parameters
    ----------
    mark : str
        Around a quoted name.
    escape : str
        What stands for a mark within a name.
    double : str
        Its type of 64-bit floats, if an expression must be cast to it.
    reads_exactly : bool
        Whether a literal becomes the nearest float.
    guard : str
        What must hold besides of a score, ``{x}``.
    backslash : bool
        Whether it escapes characters of a text.
    keeps_steps : bool
        Whether named steps of a query are to be materialized, for it else writes what a step says
        of a column wherever the next steps name it, so that the query doubles step by step.
    extremes : tuple of two str
        Its functions for the least and the greatest of several numbers.
    """

    mark: str
    escape: str
    double: str = ""
    reads_exactly: bool = True
    guard: str = ""
    backslash: bool = False
    keeps_steps: bool = False
    extremes: tuple[str, str] = ("least", "greatest")

    def literal(self, label: str | float) -> str:
        """A label as a text, a number or a truth value.

        >>> DIALECTS["duckdb"].literal("it's"), DIALECTS["spark"].literal("it's")
        ("'it''s'", "'it\\\\'s'")
        """
        if isinstance(label, str):
            text = label.replace("\\", "\\\\") if self.backslash else label
            quote = "\\'" if self.backslash else "''"
            return f"'{text.replace(chr(39), quote)}'"
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        return str(label) if isinstance(label, int) else self.exact(float(label))

    def quoted(self, name: str) -> str:
        """A name of a column, quoted."""
        backslash = "\\\\" if self.escape.startswith("\\") else "\\"
        text = name.replace("\\", backslash).replace(self.mark, self.escape)
        return f"{self.mark}{text}{self.mark}"

    def exact(self, value: float) -> str:
        """An expression that is exactly this float."""
        digits = Decimal(value).as_tuple().digits
        if self.reads_exactly or (len(digits) <= _DIGITS and 1 / _FAR < abs(value) < _FAR):
            return number(value)
        return _quotient(value) if value else "0e0"


def _quotient(value: float) -> str:
    """A float as a whole number, times or divided by powers of two."""
    share, exponent = frexp(value)
    whole, power = int(share * 2.0**53), exponent - 53
    while whole % 2 == 0:
        whole, power = whole // 2, power + 1
    rest, count = abs(power) % 60, abs(power) // 60
    factors = [1 << 60] * count + ([1 << rest] if rest else [])
    sign = "*" if power > 0 else "/"
    return f"(1.0*{whole}{''.join(f'{sign}{factor}' for factor in factors)})"


# SQLite takes a name in double quotes that is no column for a text, and texts for numbers.
DIALECTS = {
    "duckdb": Dialect('"', '""'),
    "sqlite": Dialect(
        "`",
        "``",
        reads_exactly=False,
        guard="typeof({x}) IN ('integer','real')",
        keeps_steps=True,
        extremes=("min", "max"),
    ),
    "postgres": Dialect('"', '""', double="DOUBLE PRECISION", keeps_steps=True),
    "spark": Dialect("`", "``", backslash=True),
    "bigquery": Dialect("`", "\\`", backslash=True),
}


def dialect_of(name: str) -> Dialect:
    """The dialect of this name.

    Raises TypeError or ValueError for an unknown one.
    """
    check_instance("dialect", name, str, "a name such as 'duckdb'")
    check_choice("dialect", name, tuple(DIALECTS))
    return DIALECTS[name]


def number(value: float) -> str:
    """The shortest literal of a double that reads back as it.

    >>> number(0.25), number(-1e300), number(7.0)
    ('0.25e0', '-1e+300', '7e0')
    """
    text = repr(float(value))
    if "e" in text:
        return text
    return f"{text.removesuffix('.0')}e0"
