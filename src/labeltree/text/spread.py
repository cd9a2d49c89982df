"""Features of texts in shards: workers count words, then write their rows into one matrix."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree.data.compressed import pointers
from labeltree.data.features import FeatureMatrix, canonical_csr
from labeltree.data.labels import LabelRows, as_labels
from labeltree.data.text_shards import TextShards
from labeltree.execution.executor import Executor, in_order, work_dir
from labeltree.execution.mapped_arrays import open_array
from labeltree.text.features import TextFeatures
from labeltree.text.options import TextOptions
from labeltree.text.word_counts import AllWords, WordCounts

_TEXTS_AT_ONCE = 4096
_PARTS = (("indices", np.int32), ("values", np.float32))


class SpreadRows(NamedTuple):
    """Features in files, and tags."""

    features: TextFeatures
    X: FeatureMatrix
    rows: LabelRows


@contextmanager
def spread_rows(
    known: TextOptions | TextFeatures, shards: TextShards, executor: Executor
) -> Iterator[SpreadRows]:
    """Features that are learned from shards, or known; their files exist within the block."""
    with TemporaryDirectory(prefix="labeltree-", dir=work_dir(executor)) as folder:
        make: Any = transform_shards if isinstance(known, TextFeatures) else fit_shards
        yield make(known, shards, executor, Path(folder))


def fit_shards(
    options: TextOptions, shards: TextShards, executor: Executor, folder: Path
) -> SpreadRows:
    """Return features that were learned from shards; every worker can write to the folder."""
    words, labels = AllWords(options), list[LabelRows]()
    for counts, found in in_order(executor.run(_Count(options, shards), range(len(shards)))):
        words.add(counts)
        labels.append(found)
    rows = joined_labels(labels)
    features = TextFeatures(options, *words.learned())
    return SpreadRows(features, shard_rows(features, shards, executor, folder), rows)


def transform_shards(
    features: TextFeatures, shards: TextShards, executor: Executor, folder: Path
) -> SpreadRows:
    """Return features that are known, of the texts of shards."""
    labels = list(in_order(executor.run(_Labels(shards), range(len(shards)))))
    rows = joined_labels(labels)
    return SpreadRows(features, shard_rows(features, shards, executor, folder), rows)


def shard_rows(
    features: TextFeatures, shards: TextShards, executor: Executor, folder: Path
) -> FeatureMatrix:
    """Return the rows of all shards, mapped from two files that workers write."""
    numbers = range(len(shards))
    write = _Write(features, shards, folder)
    lengths = list(in_order(executor.run(write, numbers)))
    begin = pointers(np.array([part.sum() for part in lengths], np.int64))
    for name, _ in _PARTS:
        with (folder / name).open("wb") as file:
            file.truncate(4 * int(begin[-1]))
    jobs = list(zip(numbers, begin[:-1].tolist(), strict=True))
    for number, _ in executor.run(_Place(folder), jobs):
        for name, _ in _PARTS:
            _part(folder, name, number).unlink()
    indices, values = (_mapped(folder / name, dtype, int(begin[-1])) for name, dtype in _PARTS)
    return canonical_csr(pointers(np.concatenate(lengths)), indices, values, len(features.idf))


def _mapped(path: Path, dtype: Any, size: int) -> NDArray[Any]:
    if not size:  # an empty file cannot be mapped
        return np.zeros(0, dtype)
    return open_array(str(path), 0, np.dtype(dtype).str, (size,))


def _part(folder: Path, name: str, number: int) -> Path:
    return folder / f"{name}.{number}"


@dataclass(frozen=True, eq=False)
class _Count:
    """Counts the words of a shard, and reads its tags."""

    options: TextOptions
    shards: TextShards

    def __call__(self, number: int) -> tuple[WordCounts, LabelRows]:
        tags: list[list[str]] = []

        def texts() -> Iterator[str]:
            for row in self.shards.rows(number):
                tags.append(row.tags)
                yield row.text

        return WordCounts.of(self.options, texts()), as_labels(tags)


@dataclass(frozen=True, eq=False)
class _Labels:
    """Reads the tags of a shard."""

    shards: TextShards

    def __call__(self, number: int) -> LabelRows:
        return as_labels([row.tags for row in self.shards.rows(number)])


@dataclass(frozen=True, eq=False)
class _Write:
    """Writes the entries of a shard to two files, and returns the number of each row."""

    features: TextFeatures
    shards: TextShards
    folder: Path

    def __call__(self, number: int) -> NDArray[np.int64]:
        lengths = [np.zeros(0, np.int64)]
        with (
            _part(self.folder, "indices", number).open("wb") as indices,
            _part(self.folder, "values", number).open("wb") as values,
        ):
            texts = (row.text for row in self.shards.rows(number))
            while some := list(islice(texts, _TEXTS_AT_ONCE)):
                X = self.features.transform(some)
                indices.write(X.indices.data)
                values.write(X.data.data)
                lengths.append(np.diff(X.indptr).astype(np.int64))
        return np.concatenate(lengths)


@dataclass(frozen=True)
class _Place:
    """Copies the files of a shard to their place. It can be done again, so it removes nothing."""

    folder: Path

    def __call__(self, job: tuple[int, int]) -> None:
        number, begin = job
        for name, _ in _PARTS:
            with (
                _part(self.folder, name, number).open("rb") as part,
                (self.folder / name).open("r+b") as whole,
            ):
                whole.seek(4 * begin)
                shutil.copyfileobj(part, whole, 1 << 20)


def joined_labels(parts: Sequence[LabelRows]) -> LabelRows:
    """Return the labels of all rows, numbered as those of one list are.

    Examples
    --------
    >>> parts = [as_labels([["tea"], []]), as_labels([["milk", "tea"]])]
    >>> rows = joined_labels(parts)
    >>> rows.names.tolist(), rows.indptr.tolist(), rows.indices.tolist()
    (['milk', 'tea'], [0, 1, 1, 3], [1, 0, 1])
    """
    every = as_labels([list({name for part in parts for name in _names(part)})])
    number = {name: j for j, name in enumerate(_names(every))}
    indices = [np.zeros(0, np.int32)]
    for part in parts:
        new = np.array([number[name] for name in _names(part)], np.int32)
        indices.append(new[part.indices])
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    if not len(lengths):
        raise ValueError("there must be at least one text, but the files have none")
    return LabelRows(
        pointers(lengths), np.concatenate(indices), every.n_labels, every.names, "sets"
    )


def _names(rows: LabelRows) -> list[Any]:
    return [] if rows.names is None else list(rows.names.tolist())
