"""A thousand broken model files: each is refused, or predicts probabilities."""

import json

import numpy as np
import pytest
from scipy import sparse

import labeltree as lt
from labeltree import ModelFileError, PLTClassifier
from tests.model_files import assemble, entries, put, take_apart, with_array

N_SEEDS, N_FILES = 5, 200
ODD_NUMBERS = [-1, 0, 1, 2**31, 2**63, 1e300]
ODD_VALUES = [*ODD_NUMBERS, None, True, "", "text", "0" * 16, [], {}, [[]], {"a": 1}]


def model_file(folder) -> bytes:
    rng = np.random.default_rng(0)
    X = sparse.random_array((40, 80), density=0.04, rng=rng, dtype=np.float32).tocsr()
    Y = [[f"läbel {j}" for j in np.flatnonzero(row)] for row in rng.random((40, 6)) < 0.3]
    clf = PLTClassifier(tree="cheapest", n_jobs=1, class_weight={"läbel 1": 2.0}).fit(X, Y)
    clf.save(folder / "model.lt")
    return (folder / "model.lt").read_bytes()


def flipped(rng, file: bytes) -> bytes:
    changed = bytearray(file)
    for place in rng.integers(len(file), size=rng.integers(1, 4)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(rng, file: bytes) -> bytes:
    return file[: rng.integers(len(file))]


def spliced(rng, file: bytes) -> bytes:
    first, last, at = (int(place) for place in rng.integers(len(file), size=3))
    return file[:at] + file[min(first, last) : max(first, last)] + file[at:]


def with_odd_value(rng, file: bytes) -> bytes:
    """A value somewhere in the header is another, and all checksums are right."""
    parts, data = take_apart(file)
    inner = parts
    while True:
        key = list(inner)[rng.integers(len(inner))] if isinstance(inner, dict) else None
        key = int(rng.integers(len(inner))) if key is None else key
        if not inner[key] or not isinstance(inner[key], dict | list) or rng.random() < 0.1:
            inner[key] = ODD_VALUES[rng.integers(len(ODD_VALUES))]
            return assemble(json.dumps(parts).encode(), data)
        inner = inner[key]


def with_odd_number(rng, file: bytes) -> bytes:
    """An array holds something else, and all checksums are right."""
    parts, data = take_apart(file)
    filled = [entry for entry in entries(parts) if 0 not in entry["shape"]]
    entry = filled[rng.integers(len(filled))]
    size = np.dtype(entry["dtype"]).itemsize * int(np.prod(entry["shape"]))
    array = bytearray(data[entry["offset"] : entry["offset"] + size])
    for place in rng.integers(size, size=rng.integers(1, 5)):
        array[place] = int(rng.choice([0, 1, 127, 128, 255, rng.integers(256)]))
    return with_array(file, entry["name"], bytes(array))


def tagger_file(folder) -> bytes:
    texts = ["grüner tee", "black tea", "white bread", "rye bread"]
    tagger = lt.TextTagger(n_jobs=1, stop_words=["with"])
    tagger.fit(texts, [["tea"], ["tea"], ["bread"], ["bread", "rye"]])
    tagger.save(folder / "model.lt")
    return (folder / "model.lt").read_bytes()


MUTATIONS = [flipped, cut, spliced, *[with_odd_value, with_odd_number] * 3]


@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_a_broken_file_is_refused_or_answers_with_probabilities(seed, tmp_path) -> None:
    rng = np.random.default_rng(seed)
    whole = model_file(tmp_path)
    n_refused = 0
    for _ in range(N_FILES):
        mutation = MUTATIONS[rng.integers(len(MUTATIONS))]
        file = put(tmp_path, mutation(rng, whole))
        try:
            clf = lt.load(file, verify=bool(rng.integers(2)))
        except ModelFileError:
            n_refused += 1
            continue
        columns = rng.integers(clf.n_features_in_, size=12)
        rows = np.repeat(np.arange(3), 4)
        X = sparse.coo_array((rng.random(12), (rows, columns)), shape=(3, clf.n_features_in_))
        probabilities = clf.predict_proba(X).data
        assert ((probabilities >= 0) & (probabilities <= 1)).all()
        assert len(clf.classes_) == clf.tree_.n_labels
        assert clf.predict_labels(X) is not None
    assert N_FILES // 4 < n_refused < N_FILES


@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_a_broken_tagger_is_refused_or_answers_with_probabilities(seed, tmp_path) -> None:
    rng = np.random.default_rng(seed)
    whole = tagger_file(tmp_path)
    n_refused = 0
    for _ in range(N_FILES // 2):
        mutation = MUTATIONS[rng.integers(len(MUTATIONS))]
        file = put(tmp_path, mutation(rng, whole))
        try:
            tagger = lt.load(file, verify=bool(rng.integers(2)))
        except ModelFileError:
            n_refused += 1
            continue
        for found in tagger.tag(["grüner tea with bread", ""], k=3):
            assert all(0 <= probability <= 1 for _, probability in found)
    assert N_FILES // 8 < n_refused < N_FILES // 2
