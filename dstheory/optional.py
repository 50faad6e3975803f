"""Optional dependencies: one message for a missing package.

It names the package to install rather than an extra of this distribution, because that works for a
release and for a checkout alike.
"""

from importlib.util import find_spec


def install_hint(*packages: str) -> str:
    """Command that installs missing packages.

    Parameters
    ----------
    *packages : str
        Names of distributions.

    Returns
    -------
    str

    Examples
    --------
    >>> install_hint("rich"), install_hint("typer", "rich")
    ('install it with: pip install rich', 'install them with: pip install typer rich')
    """
    for package in packages:
        _check_text("package", package)
    what = "it" if len(packages) == 1 else "them"
    return f"install {what} with: pip install {' '.join(packages)}"


def require(package: str, purpose: str) -> None:
    """Raise if a required package is missing.

    Parameters
    ----------
    package : str
        Name to import and to install.
    purpose : str
        What needs it.

    Raises
    ------
    ModuleNotFoundError
        If it is not installed.

    Examples
    --------
    >>> require("no_such_package", "a picture")
    Traceback (most recent call last):
    ModuleNotFoundError: a picture needs no_such_package; install it with: pip install \
no_such_package
    """
    _check_text("package", package)
    _check_text("purpose", purpose)
    if find_spec(package) is None:
        message = f"{purpose} needs {package}; {install_hint(package)}"
        raise ModuleNotFoundError(message, name=package)


def _check_text(name: str, value: object) -> None:
    # checks.arguments would load NumPy, and the command calls this before anything else.
    if not isinstance(value, str) or not value:
        raise TypeError(f"{name} is {value!r}, expected a string")
