"""The `evical` command."""

import atexit
import gc
import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]

# Installed by the extra `cli`; the rest of the package does without.
_NEEDED = ("typer", "rich", "jinja2", "matplotlib")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, as the entry point of ``evical``.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if not given.

    Returns
    -------
    int
        Exit code: 0, 2 after a wrong input (one line on standard error suggests a remedy),
        130 after an interrupt.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        # Here, because it loads NumPy, for which the help should not wait.
        from dstheory.optional import install_hint

        sys.stderr.write(
            f"evical: the command line needs {', '.join(missing)}; {install_hint(*missing)}\n"
        )
        return 2
    # Inside, because it loads the packages that have just been looked for.
    from evical.cli._app import run

    if arguments is None:  # a process of its own, which ends without a search for garbage: 0.3 s
        atexit.register(gc.freeze)
    return run(sys.argv[1:] if arguments is None else list(arguments))


def __dir__() -> list[str]:
    return __all__
