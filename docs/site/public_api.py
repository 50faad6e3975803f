"""The reference: a page for each public module, and one for each public name.

The pages are written to ``docs/api/`` before Sphinx reads them, and hold directives only: the words
are those of the docstrings.
"""

import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

PACKAGES = ("dstheory", "evical")
# Whose methods users of scikit-learn know.
FOREIGN = ("BaseEstimator", "ClassifierMixin", "TransformerMixin", "MetaEstimatorMixin")
MARKUP = re.compile(r"(?<=[(,\s])\*(?=batch|shape|\w+[,)])|\|(?=\w)")


class Public(NamedTuple):
    """A public object, the module that lists it, and the path by which users know it."""

    module: str
    name: str
    value: Any
    path: str


def modules(package: str) -> Iterator[ModuleType]:
    """The package, its top files, and its folders that list names, in alphabetical order."""
    root = importlib.import_module(package)
    yield root
    for info in pkgutil.walk_packages(root.__path__, f"{package}."):
        on_top = info.name.count(".") == 1 and not info.name.split(".")[1].startswith("_")
        if (on_top and not info.ispkg) or (
            info.ispkg and hasattr(importlib.import_module(info.name), "__all__")
        ):
            yield importlib.import_module(info.name)


def everyday(package: ModuleType) -> dict[int, str]:
    """Names at the top of a package, by the identity of what they name."""
    return {id(getattr(package, name)): name for name in package.__all__ if name != "__version__"}


@cache
def public_objects() -> tuple[Public, ...]:
    """All public names. What a file at the top defines is known by the package's name."""
    found = []
    for package in PACKAGES:
        root, *rooms = modules(package)
        top = everyday(root)
        for room in rooms:
            members = {name: getattr(room, name) for name in sorted(getattr(room, "__all__", ()))}
            on_top = all(id(value) in top for value in members.values())
            home = package if on_top and not hasattr(room, "__path__") else room.__name__
            for name, value in members.items():
                if not isinstance(value, ModuleType):
                    found.append(Public(room.__name__, name, value, f"{home}.{name}"))
    return tuple(found)


def aliases(public: Public) -> set[str]:
    """Other paths of an object: the top of the package, and the file that defines it."""
    package = importlib.import_module(public.module.partition(".")[0])
    found = {f"{public.module}.{public.name}"}
    if getattr(package, public.name, None) is public.value:
        found.add(f"{package.__name__}.{public.name}")
    if callable(public.value):
        found.add(f"{public.value.__module__}.{public.name}")
    return found - {public.path}


def kind(public: Public) -> str:
    """What an object is, in a word."""
    if inspect.isclass(public.value):
        return "exception" if issubclass(public.value, Exception) else "class"
    return "function" if callable(public.value) else "constant"


@cache
def page_names() -> dict[str, str]:
    """The page of each public object. Some file systems do not tell upper from lower case."""
    counts = Counter(public.path.lower() for public in public_objects())
    return {
        public.path: public.path
        if counts[public.path.lower()] == 1
        else f"{public.path}-{kind(public)}"
        for public in public_objects()
    }


def escaped(line: str) -> str:
    """A line of a docstring, where ``(*batch, F)`` and ``|A|`` are neither emphasis nor links."""
    pieces = re.split(r"(`+[^`]*`+)", line)
    pieces[::2] = [MARKUP.sub(r"\\\g<0>", piece) for piece in pieces[::2]]
    return "".join(pieces)


def first_line(value: Any) -> str:
    """First line of a docstring."""
    return escaped((inspect.getdoc(value) or "").partition("\n")[0])


def directive(public: Public) -> list[str]:
    """The directive that reads the docstring."""
    options = {
        "class": ["   :members:", f"   :inherited-members: {', '.join(FOREIGN)}"],
        "constant": ["   :no-value:"],
    }
    name = kind(public).replace("constant", "data")
    return [f".. auto{name}:: {public.path}", *options.get(kind(public), [])]


def heading(text: str) -> list[str]:
    return [text, "=" * len(text), ""]


def object_page(public: Public) -> str:
    """One public name: its docstring, and the stories of the gallery that use it."""
    names = " ".join(sorted({public.path, *aliases(public)}))
    lines = [
        *heading(public.name),
        f".. currentmodule:: {public.path.rpartition('.')[0]}",
        "",
        *directive(public),
    ]
    if callable(public.value):
        lines += [
            "",
            f".. minigallery:: {names}",
            "   :add-heading: Used in the gallery",
            "   :heading-level: -",
        ]
    return "\n".join([*lines, ""])


def entry(public: Public) -> list[str]:
    """Rows of the table of a module."""
    line = first_line(public.value) if callable(public.value) else "A constant."
    return [f"   * - :py:obj:`{public.name} <{public.path}>`", f"     - {line}"]


def module_page(module: ModuleType, members: list[Public]) -> str:
    """One module: what it is for, and a table of its names."""
    lines = [*heading(module.__name__), f".. automodule:: {module.__name__}", "   :no-members:", ""]
    lines += [".. list-table::", "   :widths: 35 65", "   :class: api", ""]
    for public in members:
        lines += entry(public)
    lines += ["", ".. toctree::", "   :hidden:", ""]
    lines += [f"   {public.name} <{page_names()[public.path]}>" for public in members]
    return "\n".join([*lines, ""])


def package_page(package: str, pages: dict[str, str], top: list[Public]) -> str:
    """One package: the names at its top, and its modules."""
    lines = [*heading(package), f".. automodule:: {package}", "   :no-members:", ""]
    lines += [".. rubric:: At the top", "", ".. list-table::", "   :widths: 35 65", ""]
    for public in top:
        lines += entry(public)
    lines += ["", ".. rubric:: Modules", "", ".. list-table::", "   :widths: 35 65", ""]
    for name in pages:
        line = first_line(importlib.import_module(name))
        lines += [f"   * - :doc:`{name}`", f"     - {line}"]
    alone = [public for public in top if public.module not in pages]
    lines += ["", ".. toctree::", "   :hidden:", ""]
    lines += [f"   {public.name} <{page_names()[public.path]}>" for public in alone]
    lines += [f"   {name}" for name in pages]
    return "\n".join([*lines, ""])


def pages() -> dict[str, str]:
    """Text of each page, by its name."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        mine = [public for public in public_objects() if public.module.startswith(f"{package}.")]
        found |= {page_names()[public.path]: object_page(public) for public in mine}
        rooms = {}
        for module in sorted({public.module for public in mine}):
            members = [public for public in mine if public.module == module]
            # A file at the top that defines one everyday name needs no page beside that name's.
            if any(public.path.startswith(f"{module}.") for public in members):
                rooms[module] = module_page(importlib.import_module(module), members)
        top = everyday(importlib.import_module(package))
        named = [public for public in mine if id(public.value) in top]
        found |= {**rooms, package: package_page(package, rooms, named)}
    lines = [
        *heading("API"),
        "Every public name has a page, with its source and the stories of the",
    ]
    lines += [
        ":doc:`gallery </gallery/index>` that use it.",
        "",
        ".. toctree::",
        "   :maxdepth: 2",
        "",
    ]
    found["index"] = "\n".join([*lines, *(f"   {package}" for package in PACKAGES), ""])
    return found


def write(app: Any) -> None:
    """Write what has changed, and remove what is no longer public."""
    folder = Path(app.srcdir, "api")
    folder.mkdir(exist_ok=True)
    texts = {folder / f"{name}.rst": text for name, text in pages().items()}
    for path in set(folder.glob("*.rst")) - set(texts):
        path.unlink()
    for path, text in texts.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def skip(app: Any, what: str, name: str, *rest: Any) -> bool | None:
    """Leave out what scikit-learn adds to every estimator."""
    routing = name == "get_metadata_routing" or (
        name.startswith("set_") and name.endswith("_request")
    )
    return True if routing else None


def register_aliases(app: Any, env: Any) -> None:
    """References to another path of a public object lead to its page."""
    objects = env.get_domain("py").objects
    for public in public_objects():
        target = objects.get(public.path)
        if target is not None:
            for alias in aliases(public):
                objects.setdefault(alias, target._replace(aliased=True))


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("builder-inited", write)
    app.connect("autodoc-skip-member", skip)
    app.connect("env-updated", register_aliases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
