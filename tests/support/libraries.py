"""A pytest plugin: no doctests of `dstheory.tensor` where its libraries are missing.

They come with the extras `tensor` and `test`, except torch, whose wheels are large.
"""

from importlib.util import find_spec
from pathlib import Path

TENSOR = Path(__file__).resolve().parents[2] / "dstheory" / "tensor"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what cannot be imported, or has examples that cannot run."""
    if (
        TENSOR in (collection_path, *collection_path.parents)
        and find_spec("array_api_compat") is None
    ):
        return True
    if collection_path == TENSOR / "_torch.py" and find_spec("torch") is None:
        return True
    return None
