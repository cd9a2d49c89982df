"""The docstrings of installed Python packages, tagged by dotted path."""

import ast
import gc
import os
import random
import re
import site
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

from labeltree.datasets.kinds import TextData

# Tests are not documentation, and vendored copies would give the same text twice.
_SKIPPED_FOLDERS = {"__pycache__", "test", "tests", "idle_test"} | {
    *("_vendor", "vendor", "_vendored", "vendored", "_bundled"),
    *("_extern", "extern", "externals", "third_party"),
}
_SKIPPED_FILE = re.compile(r"test_.*|.*_test|conftest|setup")
_WORD_ENDS = re.compile(r"[._]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Document = tuple[str, tuple[str, ...]]  # the text, and the parts of its dotted path


def python_docs(
    *,
    packages: Iterable[str] | None = None,
    max_labels: int | None = None,
    min_count: int = 5,
    max_rows: int | None = None,
    random_state: int = 0,
    paths: Iterable[str | os.PathLike[str]] | None = None,
) -> TextData:
    """Return the docstrings of the installed Python packages, tagged by dotted path.

    A text consists of the name of a function or class, split into words, and its docstring without
    doctest lines. The tags are all prefixes of its dotted path: a method of
    ``sklearn.linear_model._base.LinearRegression`` has the tags ``sklearn``,
    ``sklearn.linear_model`` and ``sklearn.linear_model.LinearRegression``. Private modules and
    classes are not tags; their content belongs to the nearest public module or class above. The
    source code is only parsed; nothing is imported or executed.

    Parameters
    ----------
    packages
        Top-level names of the packages to read; all installed packages if None.
    max_labels
        Maximum number of tags; the most frequent ones are kept.
    min_count
        Minimum number of texts per tag. Rarer tags are dropped; their texts keep the tags above.
    max_rows
        Maximum number of texts, drawn at random.
    random_state
        Seed for drawing the texts.
    paths
        Folders that contain packages; the standard library and site-packages of the running
        interpreter if None.

    Examples
    --------
    >>> data = python_docs(packages=["json"], min_count=1)
    >>> data.tag_names[:2]
    ['json', 'json.decoder']
    >>> [tags for text, tags in zip(data.texts, data.tags) if "Decode a JSON document" in text]
    [['json', 'json.decoder', 'json.decoder.JSONDecoder']]
    """
    for name, limit in (
        ("min_count", min_count),
        ("max_labels", max_labels),
        ("max_rows", max_rows),
    ):
        if limit is not None and limit < 1:
            raise ValueError(f"{name} must be at least 1, but is {limit}")
    places = _package_places(_interpreter_paths() if paths is None else map(Path, paths))
    documents = _documents(_chosen(places, packages))
    if max_rows is not None and max_rows < len(documents):
        drawn = random.Random(random_state).sample(range(len(documents)), max_rows)
        documents = [documents[i] for i in sorted(drawn)]
    return _tagged(documents, min_count, max_labels)


def _interpreter_paths() -> list[Path]:
    """Return the folders the running interpreter imports packages from, in import order."""
    folders = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    folders += site.getsitepackages()
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return [Path(folder) for folder in folders]


def _package_places(folders: Iterable[Path]) -> dict[str, Path]:
    """Return the file or folder of each top-level name; the first folder that has it wins."""
    places: dict[str, Path] = {}
    for folder in folders:
        if folder.is_dir():
            for name, path in _modules_in(folder):
                places.setdefault(name, path)
    return places


def _chosen(places: dict[str, Path], packages: Iterable[str] | None) -> dict[str, Path]:
    if packages is None:
        return places
    if isinstance(packages, str):
        raise TypeError(f"packages must be a list of names, but is the string {packages!r}")
    wanted = list(packages)
    absent = [name for name in wanted if name not in places]
    if absent:
        raise ValueError(f"packages must be installed top-level names, but {absent} are not found")
    return {name: places[name] for name in places if name in wanted}


def _modules_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name and path of each module file and subfolder, in order of name."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        name = path.name.removesuffix(".py")
        if not name.isidentifier():
            continue
        if name != path.name:
            if not _SKIPPED_FILE.fullmatch(name):
                yield name, path
        elif name not in _SKIPPED_FOLDERS and path.is_dir():
            yield name, path


def _source_files(
    parts: tuple[str, ...], path: Path, seen: set[str]
) -> Iterator[tuple[tuple[str, ...], Path]]:
    """Yield the dotted parts and path of each source file at or below a path."""
    real = os.path.realpath(path)
    if real in seen:  # a link to a file or folder that was already read
        return
    seen.add(real)
    if path.suffix == ".py":
        yield (parts[:-1] if parts[-1] == "__init__" else parts), path
        return
    for name, inner in _modules_in(path):
        yield from _source_files((*parts, name), inner, seen)


def _documents(places: dict[str, Path]) -> list[_Document]:
    """Return the documents of all paths; of documents with the same text, the first is kept."""
    seen: set[str] = set()
    documents: dict[str, tuple[str, ...]] = {}
    # Parsing third-party code must not print warnings about its escape sequences.
    with warnings.catch_warnings(), _collector_paused():
        warnings.simplefilter("ignore")
        for name, path in places.items():
            for parts, file in _source_files((name,), path, seen):
                module = _parsed(file)
                if module is not None:
                    for text, classes in _docstrings(module):
                        documents.setdefault(text, _public_place(parts, classes))
    return list(documents.items())


@contextmanager
def _collector_paused() -> Iterator[None]:
    # Syntax trees have no cycles, but garbage collection would take a sixth of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _parsed(file: Path) -> ast.Module | None:
    try:
        return ast.parse(file.read_bytes())
    # Templates and old code do not parse; the parser raises the last two for deep nesting.
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _docstrings(module: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the text of each docstring and the names of its enclosing classes."""
    # A module's name would reveal its tag, so its text is the docstring alone.
    todo: list[tuple[ast.Module | _Definition, tuple[str, ...], tuple[str, ...]]]
    todo = [(module, (), ())]
    while todo:
        node, names, classes = todo.pop()
        doc = ast.get_docstring(node, clean=False)
        text = _cleaned(names, doc) if doc else ""
        if text:
            yield text, classes
        if isinstance(node, ast.Module | ast.ClassDef):
            for inner in reversed(list(_definitions(node.body))):
                inside = (*classes, inner.name) if isinstance(inner, ast.ClassDef) else classes
                todo.append((inner, (*names, inner.name), inside))


def _definitions(body: Sequence[ast.stmt]) -> Iterator[_Definition]:
    """Yield the functions and classes of a body, including those under if and try."""
    for statement in body:
        if isinstance(statement, _Definition):
            yield statement
        elif isinstance(statement, ast.If | ast.Try):
            yield from _definitions(statement.body)
            yield from _definitions(statement.orelse)


def _cleaned(names: Sequence[str], doc: str) -> str:
    """Return the name in words and the docstring on one line, or "" if it has no words."""
    # Doctest lines are code, and their imports would reveal the tags.
    lines = [
        line for line in map(str.strip, doc.splitlines()) if not line.startswith((">>>", "..."))
    ]
    # Lines of dashes underline headings.
    prose = " ".join(" ".join(line for line in lines if line.strip("-=~^*+ ")).split())
    if not any(map(str.isalpha, prose)):
        return ""
    words = " ".join(_WORD_ENDS.sub(" ", ".".join(names)).split())
    text = f"{words}. {prose}" if words else prose
    # A lone surrogate cannot be encoded as UTF-8.
    return text.encode("utf-8", "ignore").decode()


def _public_place(parts: tuple[str, ...], classes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the public dotted path: ("a", "D") for ("a", "_b", "c") and ("D",)."""

    def is_public(name: str) -> bool:
        return not name.startswith("_")

    modules = takewhile(is_public, parts[1:])
    return (parts[0], *modules, *takewhile(is_public, classes))


def _tagged(documents: list[_Document], min_count: int, max_labels: int | None) -> TextData:
    """Return the documents with their frequent tags; documents without tags are dropped."""
    prefixes = [[".".join(place[:i]) for i in range(1, len(place) + 1)] for _, place in documents]
    counts = Counter(tag for tags in prefixes for tag in tags)
    # A tag is at most as frequent as its ancestors and sorts after them, so that truncating this
    # order keeps the ancestors of every tag.
    ranked = sorted(counts, key=lambda tag: (-counts[tag], tag.count("."), tag))
    kept = {tag for tag in ranked[:max_labels] if counts[tag] >= min_count}
    texts, tags = [], []
    for (text, _), all_tags in zip(documents, prefixes, strict=True):
        if own := [tag for tag in all_tags if tag in kept]:
            texts.append(text)
            tags.append(own)
    return TextData("python_docs", texts, tags)
