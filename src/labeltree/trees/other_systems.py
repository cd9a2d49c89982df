"""Trees of other systems, read from their model files."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import checked, shown
from labeltree.data.files import open_write
from labeltree.data.json_text import parsed_json
from labeltree.data.limits import MAX_MISSING_LABELS
from labeltree.data.npz import read_npz
from labeltree.data.text import numbered_lines
from labeltree.trees.cbor import Reader
from labeltree.trees.tree import LabelTree

SYSTEMS = ("omikuji", "napkinxc", "pecos")


def from_omikuji(path: str | os.PathLike[str], number: int = 0) -> LabelTree:
    """Return a tree of an omikuji model: a folder with tree0.cbor, tree1.cbor, …, or such a file.

    Weights are ignored. Labels that omikuji left out, such as labels without rows, are placed under
    a separate child of the root.

    Parameters
    ----------
    path
        Model written by `Model.save` or `omikuji train --model_path`.
    number
        Which tree of the folder to read.
    """
    file = Path(path)
    if file.is_dir():
        file = file / f"tree{number}.cbor"
    with file.open("rb") as stream:
        if os.fstat(stream.fileno()).st_size == 0:
            raise ValueError(f"{file}: not an omikuji tree: the file is empty")
        try:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            return _complete(*_omikuji_nodes(Reader(memoryview(content))))
        except ValueError as error:
            raise ValueError(f"{file}: not an omikuji tree: {error}") from None


def from_napkinxc(path: str | os.PathLike[str]) -> LabelTree:
    """Return the tree of a napkinXC model: its folder, or the file tree.txt in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "tree.txt").write_text("2 3\\n-1 0 \\n0 1 1\\n0 2 0\\n")
    ...     from_napkinxc(folder).to_nested()
    [1, 0]
    """
    file = Path(path)
    if file.is_dir():
        file = file / "tree.txt"
    lines = list(numbered_lines(file))
    if not lines:
        raise ValueError(f"{file}: there is no tree in it")
    _, n_nodes = _numbers(*lines[0], (2,))
    if n_nodes != len(lines) - 1:
        raise ValueError(
            f"{file}: there must be {shown(n_nodes)} nodes, but there are {len(lines) - 1}"
        )
    parent, label = [-2] * n_nodes, [-1] * n_nodes
    for where, line in lines[1:]:
        above, node, *leaf = _numbers(where, line, (2, 3))
        if not 0 <= node < n_nodes or parent[node] != -2:
            raise ValueError(
                f"{where}: nodes are 0..{n_nodes - 1}, each once, but one is {shown(node)}"
            )
        parent[node] = above
        label[node] = leaf[0] if leaf else -1
    try:
        return _complete(parent, label)
    except (TypeError, ValueError) as error:  # numbers of more than 63 bits are no integers
        raise ValueError(f"{file}: {error}") from None


@checked
def to_napkinxc(tree: LabelTree, path: str | os.PathLike[str]) -> None:
    """Write a tree in the format of napkinXC's ``PLT(..., tree_structure=path)``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_napkinxc(LabelTree.from_nested([[0, 1], 2]), Path(folder, "tree.txt"))
    ...     Path(folder, "tree.txt").read_text().splitlines()
    ['3 5', '-1 0 ', '0 1 ', '0 2 2', '1 3 0', '1 4 1']
    """
    nodes = zip(count(), tree.parent.tolist(), tree.label.tolist(), strict=False)
    lines = [f"{above} {v} {'' if label < 0 else label}\n" for v, above, label in nodes]
    with open_write(path) as stream:
        stream.write(f"{tree.n_labels} {tree.n_nodes}\n".encode())
        stream.writelines(line.encode() for line in lines)


def from_pecos(path: str | os.PathLike[str]) -> LabelTree:
    """Return the tree of a PECOS model: a saved cluster chain or the folder of an XLinearModel.

    Examples
    --------
    >>> import tempfile
    >>> from labeltree.data import write_npz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "config.json").write_text('{"len": 2}')
    ...     write_npz(Path(folder, "C0.npz"), [[1], [1]])
    ...     write_npz(Path(folder, "C1.npz"), [[0, 1], [1, 0], [1, 0]])
    ...     from_pecos(folder).to_nested()
    [[1, 2], 0]
    """
    parent = [-1]
    above = np.zeros(1, np.int64)  # the nodes of the previous level
    for file in _pecos_levels(Path(path)):
        clusters = _cluster_of(file, len(above))
        nodes = len(parent) + np.arange(len(clusters))
        parent += above[clusters].tolist()
        above = nodes
    label = np.full(len(parent), -1)
    label[above] = np.arange(len(above))
    try:
        return _complete(parent, label.tolist())
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


READERS: dict[str, Callable[..., LabelTree]] = {
    "omikuji": from_omikuji,
    "napkinxc": from_napkinxc,
    "pecos": from_pecos,
}


def system_of(path: str | os.PathLike[str]) -> str | None:
    """Return the system that wrote a folder or file, or None if it is not a supported one."""
    folder = Path(path)
    if folder.suffix == ".cbor" or (folder / "tree0.cbor").exists():
        return "omikuji"
    if (folder / "tree.txt").exists():
        return "napkinxc"
    if any((folder / name).exists() for name in ("C0.npz", "0.model", "ranker")):
        return "pecos"
    return None


def _omikuji_nodes(reader: Reader) -> tuple[list[int], list[int]]:
    """Return parents and labels of {"Branch": {children}} and {"Leaf": {labels}}."""
    parent: list[int] = []
    label: list[int] = []
    open_lists = [(-1, 1)]  # (node whose children are being read, number of children left)
    while open_lists:
        above, left = open_lists.pop()
        if left == 0:
            continue
        open_lists.append((above, left - 1))
        if reader.mapping() != 1 or (kind := reader.text()) not in ("Branch", "Leaf"):
            raise ValueError("a node must be a Branch or a Leaf")
        v = len(parent)
        parent.append(above)
        label.append(-1)
        for n_left in reversed(range(reader.mapping())):
            field = reader.text()
            if (kind, field) == ("Branch", "children"):
                if n_left:
                    raise ValueError("the children of a Branch must be its last field")
                open_lists.append((v, reader.items()))
            elif (kind, field) == ("Leaf", "labels"):
                labels = reader.integers()
                parent += [v] * len(labels)
                label += labels
            else:
                reader.skip()
    return parent, label


def _complete(parent: list[int], label: list[int]) -> LabelTree:
    """Return a tree in which labels without a leaf are placed under one child of the root."""
    present = {j for j in label if j >= 0}
    n_missing = max(present, default=-1) + 1 - len(present)
    limit = max(MAX_MISSING_LABELS, len(present))
    if n_missing > limit:
        raise ValueError(
            f"a tree may leave out at most {limit} labels, but this one has label "
            f"{shown(max(present))} and leaves out {shown(n_missing)} below it"
        )
    if -1 not in parent:
        raise ValueError("a tree must have a root, but no node has parent -1")
    missing = [j for j in range(n_missing + len(present)) if j not in present]
    if missing:
        aside = len(parent)
        parent = [*parent, parent.index(-1), *[aside] * len(missing)]
        label = [*label, -1, *missing]
    return LabelTree.from_parents(parent, label)


def _numbers(where: str, line: str, sizes: Sequence[int]) -> list[int]:
    fields = line.split()
    try:
        numbers = [int(field) for field in fields]
    except ValueError:
        numbers = []
    if len(numbers) not in sizes:
        raise ValueError(f"{where}: there must be {sizes[-1]} integers, but there is {line!r:.40}")
    return numbers


def _pecos_levels(folder: Path) -> list[Path]:
    """Return the files of the levels, from the root down."""
    if (folder / "config.json").exists():
        return [folder / f"C{i}.npz" for i in range(_pecos_length(folder / "config.json"))]
    ranker = folder / "ranker" if (folder / "ranker").exists() else folder
    levels = [ranker / f"{i}.model" / "C.npz" for i in range(len(list(ranker.glob("*.model"))))]
    if not levels:
        raise ValueError(f"{folder}: there is neither config.json nor 0.model of PECOS")
    return levels


def _pecos_length(file: Path) -> int:
    """Return the number of levels that a cluster chain says it has."""
    n_files = len(list(file.parent.glob("C*.npz")))
    try:
        config = parsed_json(file.read_bytes().decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"{file}: must be UTF-8, but byte {error.start} is not") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    length = config.get("len") if isinstance(config, dict) else None
    if type(length) is not int or not 1 <= length <= n_files:
        raise ValueError(
            f'{file}: "len" must be a number of levels, at least 1 and at most the {n_files} files '
            f"C*.npz of the folder, but the content is {config!r:.40}"
        )
    return length


def _cluster_of(file: Path, n_clusters: int) -> NDArray[np.int64]:
    """Return the parent, in the level above, of each node of a level."""
    level = read_npz(file)
    if level.shape[1] != n_clusters or not (np.diff(level.indptr) == 1).all():
        raise ValueError(
            f"{file}: each row must be in one of {n_clusters} clusters, but the shape is "
            f"{level.shape} with {level.nnz} entries"
        )
    return level.indices.astype(np.int64)
