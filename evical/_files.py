"""Files that are complete or not there, with the mode of the umask or of the file before."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["atomic_path", "hidden_beside", "write_whole"]


def hidden_beside(path: Path) -> Path:
    """A new name in the same folder, for what is there for a while; it begins with a dot.

    What is named before it is made can be removed whenever a signal comes.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Path

    Examples
    --------
    >>> name = hidden_beside(Path("out.csv")).name
    >>> (name[:9], len(name))
    ('.out.csv.', 17)
    """
    return path.with_name(f".{path.name}.{secrets.token_urlsafe(6)}")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Where to write a file that takes its name when it is complete.

    Whatever interrupts the writing, a file of the final name is a complete one: the former
    one, or none. A new file has the mode that the umask gives. One that takes the place of another
    has its mode, and its owner and group where the system permits it; meanwhile only the user can
    read it.

    Parameters
    ----------
    path : Path
        In a folder that is there. A link stays, and what it points to is replaced.

    Yields
    ------
    Path
        Of an empty file, to be written in place.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left behind then.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_path(Path(folder) / "one.txt") as name:
    ...         _ = name.write_text("text")
    ...         names = [path.name[:9] for path in Path(folder).iterdir()]
    ...     (names, [path.name for path in Path(folder).iterdir()])
    (['.one.txt.'], ['one.txt'])
    """
    final = path.resolve()
    name = hidden_beside(final)
    try:
        mode = _made(name, final)
        yield name
        # On disk before it has its name, so that a crash leaves no empty file under it.
        with name.open("r+b") as file:
            os.fsync(file.fileno())
        _set_mode(name, mode)
        name.replace(final)
    except BaseException:
        name.unlink(missing_ok=True)
        raise


def _made(name: Path, final: Path) -> int:
    """Make an empty file that its owner can write; the mode that it gets when it is complete."""
    former = final.stat() if final.exists() else None
    new = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    os.close(os.open(name, new, 0o666 if former is None else 0o600))
    made = name.stat()
    mode = stat.S_IMODE((former or made).st_mode) & 0o777
    if former is None:
        _set_mode(name, mode | 0o600)
    elif (former.st_uid, former.st_gid) != (made.st_uid, made.st_gid):
        mode = _owned_like(name, former, mode)
    return mode


def _owned_like(name: Path, former: os.stat_result, mode: int) -> int:
    """Give a file to the owner and group of another; its mode, if need be without the group's."""
    for owner in (former.st_uid, -1):
        try:
            os.chown(name, owner, former.st_gid)
        except PermissionError:
            continue
        return mode
    # Another group may not read more than all may.
    return (mode & 0o707) | (mode & 0o007) << 3


def _set_mode(name: Path, mode: int) -> None:
    # Only where it differs, as not all file systems know modes.
    if stat.S_IMODE(name.stat().st_mode) != mode:
        name.chmod(mode)


def write_whole(path: Path, text: str) -> None:
    """Write a file at once, so that readers find all of it or nothing.

    Parameters
    ----------
    path : Path
        Its folder is made.
    text : str

    Raises
    ------
    OSError
        If it cannot be written; nothing is left behind then.

    See Also
    --------
    atomic_path : the same for what writes files itself.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "new" / "one.txt", "text")
    ...     (Path(folder) / "new" / "one.txt").read_text()
    'text'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with atomic_path(path) as name:
            name.write_text(text, encoding="utf-8")
    except OSError as error:
        if error.filename is None:
            # A full disk does not say of itself which file it has no room for.
            error.filename = str(path)
        raise
