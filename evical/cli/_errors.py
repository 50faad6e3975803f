"""The place where wrong input becomes one line and exit code 2.

Commands mark the steps in which the user's files and values are read or written; what fails
there with a value or system error is the input's fault. Anything else is a bug, and keeps its
traceback.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class WrongInput(Exception):  # noqa: N818  # it is the user's input that is wrong, not the program
    """A wrong input, with a message that says what to do."""


@contextmanager
def user_input() -> Iterator[None]:
    """Turn value, system and memory errors in this block into `WrongInput`."""
    try:
        yield
    except OSError as error:
        raise WrongInput(system_message(error)) from error
    except MemoryError as error:
        raise WrongInput(f"there is not enough memory: {error}") from error
    except ValueError as error:
        raise WrongInput(str(error)) from error


def system_message(error: OSError) -> str:
    """`cannot open 'data.csv': no such file or directory`."""
    if error.strerror is None:
        return str(error)
    reason = error.strerror[0].lower() + error.strerror[1:]
    return f"cannot open {str(error.filename)!r}: {reason}" if error.filename else reason
