"""Which releases made a result."""

from importlib.metadata import PackageNotFoundError, version
from platform import python_version

__all__ = ["all_versions", "version_of"]


def version_of(package: str) -> str:
    """Version of an installed package.

    >>> version_of("no-such-package")
    '(not installed)'
    """
    try:
        return version(package)
    except PackageNotFoundError:  # such as this one, when it runs from its source tree
        return "(not installed)"


def all_versions() -> str:
    """Versions of all that numbers and pictures depend on, in one line."""
    names = ("evical", "numpy", "scipy", "scikit-learn", "matplotlib")
    libraries = [f"{name} {version_of(name)}" for name in names]
    return ", ".join([f"Python {python_version()}", *libraries])
