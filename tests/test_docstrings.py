"""Docstrings: everywhere, in numpydoc's form, true to the signatures, with examples."""

import ast
import inspect
import re
from dataclasses import is_dataclass

from tests.support.each import each
from tests.support.public_objects import PACKAGES, ROOT, callables, dotted, files
from tests.support.syntax import nodes

SECTIONS = [
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
]
# What these give are files, pages and long tables, which are no doctests.
APPLICATIONS = {"evical.cli", "evical.evaluation", "evical.report"}
PUBLIC = list(callables())
FUNCTIONS = [public for public in PUBLIC if inspect.isfunction(public.value)]
CLASSES = [public for public in PUBLIC if inspect.isclass(public.value)]
PATHS = [path for folder in (*PACKAGES, "examples/studies") for path in files(folder)]


def name_of(public):
    return public.path


def sections(doc):
    """Section title to lines, in order; the head has the title ''."""
    found, title = {"": []}, ""
    lines = inspect.cleandoc(doc).splitlines()
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if following and set(following) == {"-"} and len(following) == len(line.strip()):
            title = line.strip()
            assert title not in found, f"section {title} occurs twice"
            found[title] = []
        elif not (line and set(line) == {"-"}):
            found[title].append(line)
    return found


def documented_names(lines):
    """Names of a section of parameters: what stands at the margin, before the colon."""
    heads = [line.partition(" :")[0] for line in lines if line and not line.startswith(" ")]
    return [name.strip() for head in heads for name in head.split(",")]


def signature_names(function):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(function).parameters.values()
    names = [stars.get(p.kind, "") + p.name for p in parameters]
    return [name for name in names if name not in ("self", "cls")]


def ours(cls):
    return cls.__module__.partition(".")[0] in PACKAGES


def public_methods(cls):
    """Methods that the class itself defines, properties left out."""
    for name, value in vars(cls).items():
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, function


METHODS = [
    (f"{public.path}.{name}", function)
    for public in CLASSES
    for name, function in public_methods(public.value)
]


@each("path", PATHS, ids=str)
def test_modules_say_what_they_are(path):
    doc = ast.get_docstring(nodes(ROOT / path)[0])
    assert doc, f"{dotted(path)} has no docstring"
    assert doc.partition("\n\n")[0][-1] in ".:?", "the first paragraph is a sentence"


@each("public", PUBLIC, ids=name_of)
def test_sections_are_known_and_in_order(public):
    assert not re.search(r"\w -{5}", inspect.getdoc(public.value)), "a heading is within a line"
    doc = inspect.getdoc(public.value)
    assert doc, "no docstring"
    titles = [title for title in sections(doc) if title]
    assert titles == [title for title in SECTIONS if title in titles]
    head = sections(doc)[""]
    first = "\n".join(head).strip().partition("\n\n")[0]
    assert first.endswith((".", ":")), "the first paragraph is a sentence"


@each("public", FUNCTIONS, ids=name_of)
def test_function_parameters_are_those_of_the_signature(public):
    lines = sections(inspect.getdoc(public.value)).get("Parameters", [])
    assert documented_names(lines) == signature_names(public.value)


@each("public", CLASSES, ids=name_of)
def test_class_parameters_are_those_of_the_signature(public):
    if issubclass(public.value, Exception) or inspect.isabstract(public.value):
        return
    found = sections(inspect.getdoc(public.value))
    # Results are read, seldom made: their fields may be described as attributes.
    title = "Attributes" if is_dataclass(public.value) and "Parameters" not in found else ""
    lines = found.get(title or "Parameters", [])
    assert documented_names(lines) == signature_names(public.value)


@each(("path", "method"), METHODS, ids=[path for path, _ in METHODS])
def test_methods(path, method):
    doc = inspect.getdoc(method)
    assert doc, f"{path} has no docstring"
    titles = [title for title in sections(doc) if title]
    assert titles == [title for title in SECTIONS if title in titles]
    if "Parameters" in titles:
        assert documented_names(sections(doc)["Parameters"]) == signature_names(method)


@each("public", PUBLIC, ids=name_of)
def test_help_shows_names_of_types(public):
    """It prints "ArrayLike", and not the union of eight types of NumPy for which it stands."""
    if inspect.isclass(public.value) and issubclass(public.value, Exception):
        return
    bases = [base for base in getattr(public.value, "__mro__", ()) if ours(base)]
    methods = [function for base in bases for _, function in public_methods(base)]
    for function in (public.value, *methods):
        assert "numpy._typing" not in str(inspect.signature(function)), function


@each("public", CLASSES, ids=name_of)
def test_properties_are_described(public):
    for name, value in vars(public.value).items():
        if isinstance(value, property) and not name.startswith("_"):
            assert value.__doc__, f"{public.path}.{name} has no docstring"


@each("public", FUNCTIONS, ids=name_of)
def test_functions_say_what_they_return(public):
    returned = inspect.signature(public.value).return_annotation
    if returned not in (None, "None", inspect.Signature.empty):
        found = sections(inspect.getdoc(public.value))
        assert "Returns" in found or "Yields" in found


@each("public", PUBLIC, ids=name_of)
def test_there_is_an_example(public):
    """The examples run as doctests. Results are shown by the functions that give them."""
    if public.module in APPLICATIONS or is_dataclass(public.value):
        return
    if inspect.isclass(public.value) and inspect.isabstract(public.value):
        return
    assert ">>> " in "\n".join(sections(inspect.getdoc(public.value)).get("Examples", []))


def test_the_reader_of_docstrings():
    doc = """Head.

    Parameters
    ----------
    a, b : (n,) array
        Text: with colon.
    *more : int
    **rest
        Anything.

    Examples
    --------
    >>> 1
    """
    found = sections(doc)
    assert list(found) == ["", "Parameters", "Examples"]
    assert documented_names(found["Parameters"]) == ["a", "b", "*more", "**rest"]
