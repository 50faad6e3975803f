"""Writing results: into a folder that is known to be writable, each file at once or not at all."""

import os
import tempfile
from pathlib import Path

__all__ = ["prepare_folder", "write_atomically"]


def prepare_folder(folder: Path) -> None:
    """Make a folder and make sure that files can be written there, before any work is done.

    Raises ValueError, naming the folder and the reason, if not.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = (error.strerror or "it is not writable").lower()
        raise ValueError(
            f"cannot write into {str(folder)!r}: {reason}; choose another folder with --output"
        ) from error


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is either complete or not there (or still the former one)."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp makes files private; results are as readable as the folder lets them be.
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
