"""Annif documents as features and labels, cached in a file so that training can be repeated."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.data import LabelRows, as_features, as_labels
from labeltree.data.arrays import take
from labeltree.data.compressed import pointers
from labeltree.data.features import FeatureMatrix
from labeltree.storage import ModelFileError, Section, read_file, write_file
from labeltree.storage.parameters import restore_parameters, store_parameters
from labeltree.storage.registry import known_sections
from labeltree.text.features import TextFeatures
from labeltree.text.options import MANY_TEXTS, OPTION_NAMES, TextOptions

_SECTION = "annif_training_data"
_PART = 1000  # documents that are in memory at once when a model learns from them
_FEATURES = ("data", "indices", "indptr")  # of X
_SUBJECTS = ("indices", "indptr", "names")  # of rows


@dataclass(frozen=True)
class TrainingData:
    """A corpus as features and labels.

    Examples
    --------
    >>> from types import SimpleNamespace as Document
    >>> corpus = [Document(text="green tea", subject_set=[7]), Document(text="?", subject_set=[])]
    >>> data = TrainingData.of(corpus, TextOptions(), "words", str.split)
    >>> data.X.shape, data.rows.names.tolist()
    ((1, 3), [7])
    """

    features: TextFeatures  # with the name of its tokenizer
    X: FeatureMatrix
    rows: LabelRows  # names are the numbers of subjects

    @classmethod
    def of(
        cls,
        documents: Iterable[Any],
        options: TextOptions,
        name: str,
        tokenizer: Callable[[str], Iterable[str]],
    ) -> Self:
        """Read documents in one pass; those without a subject are skipped.

        Parameters
        ----------
        documents
            Objects with `text` and `subject_set`, the numbers of subjects.
        options
            Options of the text features.
        name, tokenizer
            The function that splits a text into words, and its name in files.
        """
        subjects, lengths = array("q"), array("q")
        first, texts = _peek(_texts(documents, subjects, lengths))
        if not first:
            raise ValueError("no document has a subject of the vocabulary")
        given = replace(options, tokenizer=tokenizer)
        features, X = TextFeatures.fit(given, texts, None, n_texts=len(first))
        indptr = pointers(np.frombuffer(lengths, np.int64))
        # Only subjects that occur become labels, not the whole vocabulary.
        names, numbers = np.unique(np.frombuffer(subjects, np.int64), return_inverse=True)
        return cls(features.with_tokenizer(name), X, _label_rows(numbers, indptr, names))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, or nothing."""
        text, arrays = self.features.to_arrays()
        content = {
            "options": store_parameters(vars(self.features.options), []),
            "text": text,
            "n_features": self.X.shape[1],
        }
        arrays |= {f"features.{name}": getattr(self.X, name) for name in _FEATURES}
        arrays |= {f"subjects.{name}": getattr(self.rows, name) for name in _SUBJECTS}
        write_file(path, [Section(_SECTION, content, arrays)])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Map what `save` wrote."""
        sections = read_file(path, known={_SECTION, *known_sections()}).sections
        if _SECTION not in sections:
            raise ModelFileError(f"{os.fspath(path)}: there is no training data of Annif in it")
        try:
            return cls._from_section(sections[_SECTION])
        except ValueError as error:
            raise ModelFileError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def _from_section(cls, section: Section) -> Self:
        section.check_content({"options": dict, "text": dict, "n_features": int})
        content, arrays = section.content, section.arrays
        n_features = content["n_features"]
        options = vars(TextOptions()) | restore_parameters(content["options"], OPTION_NAMES, [])
        features = TextFeatures.from_arrays(content["text"], options, arrays, n_features)
        data, columns, starts = (take(arrays, f"features.{name}", None) for name in _FEATURES)
        X = sparse.csr_array((data, columns, starts), shape=(len(starts) - 1, n_features))
        numbers, indptr, names = (take(arrays, f"subjects.{name}", None) for name in _SUBJECTS)
        return cls(features, as_features(X), _label_rows(numbers, indptr, names))


def labeled_parts(documents: Iterable[Any]) -> Iterator[tuple[list[str], list[list[int]]]]:
    """Iterate over texts and their subjects, some at a time; texts without subjects are skipped."""
    labeled = (one for one in documents if len(one.subject_set))
    while part := list(islice(labeled, _PART)):
        yield [one.text for one in part], [list(one.subject_set) for one in part]


def _texts(documents: Iterable[Any], subjects: array[int], lengths: array[int]) -> Iterator[str]:
    """Iterate over texts, and append the subjects of each to `subjects` and `lengths`."""
    for document in documents:
        if len(document.subject_set):
            subjects.extend(document.subject_set)
            lengths.append(len(document.subject_set))
            yield document.text


def _peek(texts: Iterator[str]) -> tuple[list[str], Iterator[str]]:
    """Return the first texts, enough to tell whether there are many, and an iterator over all."""
    first = list(islice(texts, MANY_TEXTS))
    return first, chain(first, texts)


def _label_rows(numbers: NDArray[Any], indptr: NDArray[Any], names: NDArray[np.int64]) -> LabelRows:
    ones = np.ones(len(numbers), np.uint8)
    Y = sparse.csr_array((ones, numbers, indptr), shape=(len(indptr) - 1, len(names)))
    return replace(as_labels(Y), names=names, kind="sets")
