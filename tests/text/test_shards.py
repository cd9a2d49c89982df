"""Taggers that learn from shards are those that learn from one list of all texts."""

import gzip
import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfTransformer

from labeltree import TextTagger
from labeltree.data import TextShards, as_labels, write_jsonl, write_parquet
from labeltree.text.features import TextFeatures
from labeltree.text.options import TextOptions
from labeltree.text.spread import joined_labels
from labeltree.text.word_counts import AllWords, WordCounts, inverse_frequencies
from tests.execution.test_same_model import Shuffled

WORDS = ["tea", "green tea", "bread", "rye", "\u6771\u4eac\u90fd", "Caf\u00e9", "x", ""]


def pairs(n: int = 400) -> list[tuple[str, list[str]]]:
    rng = np.random.default_rng(1)
    made = []
    for i in range(n):
        chosen = rng.choice(len(WORDS), 3)
        text = " ".join([*(WORDS[j] for j in chosen), f"word{i % 37}"])
        made.append((text, sorted({f"t{j}" for j in chosen if j})))
    return made


PAIRS = pairs()
TEXTS, TAGS = [text for text, _ in PAIRS], [tags for _, tags in PAIRS]


@pytest.fixture
def files(tmp_path):
    """Four files in three formats, one of which is empty."""
    pytest.importorskip("pyarrow")
    write_parquet(tmp_path / "0.parquet", PAIRS[:50])
    write_jsonl(tmp_path / "1.jsonl", [])
    write_jsonl(tmp_path / "2.jsonl.gz", PAIRS[50:300])
    rows = "".join(f"{text}\t{','.join(tags)}\n" for text, tags in PAIRS[300:])
    (tmp_path / "3.tsv").write_text(rows)
    return f"{tmp_path}/[0-3].*"


def written(tagger: TextTagger, path) -> bytes:
    tagger.save(path)
    return path.read_bytes()


OPTIONS = {
    "default": {},
    "all words": {"min_df": 1},
    "share of texts": {"min_df": 0.05},
    "most frequent words": {"max_features": 7},
    "hashed": {"n_features": 64},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 3)},
    "stop words and counts": {"stop_words": "english", "sublinear_tf": False},
    "own tokenizer": {"tokenizer": str.split},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_features_are_those_of_one_list(options, files, tmp_path) -> None:
    one = TextTagger(n_jobs=1, **options).fit(TEXTS, TAGS)
    shards = TextTagger(n_jobs=1, **options).fit(TextShards(files))
    assert one.features_.names.tolist() == shards.features_.names.tolist()
    assert one.features_.idf.tobytes() == shards.features_.idf.tobytes()
    assert one.tag(TEXTS) == shards.tag(TEXTS)


def test_the_model_file_has_the_same_bytes_on_any_executor(files, tmp_path) -> None:
    one = written(TextTagger(n_jobs=1).fit(TEXTS, TAGS), tmp_path / "a.lt")
    context = get_context("spawn")
    with ProcessPoolExecutor(2, context) as pool:
        tagger = TextTagger(n_jobs=1, executor=pool).fit(TextShards(files))
    assert written(tagger, tmp_path / "b.lt") == one
    tagger = TextTagger(n_jobs=1, executor=Shuffled()).fit(TextShards(files))
    assert written(tagger, tmp_path / "c.lt") == one


def test_temporary_files_are_removed(files, tmp_path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()

    class Within(Shuffled):
        work_dir = folder

    TextTagger(n_jobs=1, executor=Within()).fit(TextShards(files))
    assert list(folder.iterdir()) == []


def test_a_warm_start_keeps_the_vocabulary(files) -> None:
    shards, one = (TextTagger(n_jobs=1, warm_start=True).fit(TEXTS[:99], TAGS[:99]) for _ in "12")
    before = shards.features_.names.tolist()
    shards.fit(TextShards(files))
    assert shards.features_.names.tolist() == before
    assert shards.tag(TEXTS) == one.fit(TEXTS, TAGS).tag(TEXTS)


def test_rows_come_in_the_order_of_the_files(files) -> None:
    shards = TextShards(files)
    found = [(row.text, row.tags) for i in range(len(shards)) for row in shards.rows(i)]
    assert found == PAIRS


def test_fields_are_named_once_for_all_files(tmp_path) -> None:
    line = json.dumps({"body": "green tea", "topics": ["tea"]}).encode()
    for i in range(2):
        (tmp_path / f"{i}.jsonl.gz").write_bytes(gzip.compress(line))
    shards = TextShards(f"{tmp_path}/*", text_field="body", label_field="topics")
    assert next(shards.rows(1)) == ("green tea", ["tea"], None)


def test_an_address_is_read_by_fsspec(tmp_path) -> None:
    fsspec = pytest.importorskip("fsspec")
    for i, part in enumerate((PAIRS[:200], PAIRS[200:])):
        write_jsonl(tmp_path / "part.jsonl", part)
        with fsspec.open(f"memory://docs/{i}.jsonl", "wb") as file:
            file.write((tmp_path / "part.jsonl").read_bytes())
    tagger = TextTagger(n_jobs=1).fit(TextShards("memory://docs/*.jsonl"))
    assert tagger.tag(TEXTS) == TextTagger(n_jobs=1).fit(TEXTS, TAGS).tag(TEXTS)


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "reason"),
    [
        ("nothing-*.jsonl", "no file has such a name"),
        ([], "paths must have at least one file"),
        ("docs.pdf", "the suffix of a shard must be one of .jsonl"),
        (["a.jsonl", 3], "3"),
    ],
)
def test_paths_that_are_no_shards_are_refused(paths, reason) -> None:
    with pytest.raises((ValueError, TypeError), match=reason):
        TextShards(paths)


def test_a_bad_line_names_its_file_and_the_tagger_stays_as_it_was(tmp_path) -> None:
    write_jsonl(tmp_path / "0.jsonl", PAIRS)
    (tmp_path / "1.jsonl").write_text('{"text": "tea"}\n')
    tagger = TextTagger(n_jobs=1).fit(TEXTS, TAGS)
    before = tagger.tag(TEXTS)
    with pytest.raises(ValueError, match=r"1\.jsonl: line 1: "):
        tagger.fit(TextShards(f"{tmp_path}/*.jsonl"))
    assert tagger.tag(TEXTS) == before


@pytest.mark.parametrize("given", [{"tags": TAGS}, {"embeddings": [[1.0]]}, {"descriptions": {}}])
def test_shards_stand_alone(given, files) -> None:
    with pytest.raises(ValueError, match="must be None for shards"):
        TextTagger().fit(TextShards(files), **given)


def test_shards_are_not_encoded(files) -> None:
    with pytest.raises(ValueError, match="encoder must be None for shards"):
        TextTagger(encoder=lambda texts: np.ones((len(texts), 2))).fit(TextShards(files))


def test_files_without_texts_are_refused(tmp_path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [])
    with pytest.raises(ValueError, match="at least one text"):
        TextTagger().fit(TextShards(tmp_path / "0.jsonl"))


@pytest.mark.parametrize(
    ("texts", "options", "reason"),
    [(["a", "b"], {}, "no text has a word"), (["tea", "milk"], {"min_df": 2}, "min_df is 2")],
)
def test_too_few_words_are_refused(texts, options, reason, tmp_path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [(text, [f"t{text}"]) for text in texts])
    with pytest.raises(ValueError, match=reason):
        TextTagger(**options).fit(TextShards(tmp_path / "0.jsonl"))


# Parts --------------------------------------------------------------------------------------------

some_texts = st.lists(st.lists(st.sampled_from(WORDS[:4]), max_size=6).map(" ".join), min_size=1)


@settings(deadline=None, max_examples=50)
@given(some_texts, some_texts, st.sampled_from([{}, {"max_features": 2}, {"n_features": 5}]))
def test_counts_of_two_parts_are_those_of_all_texts(first, second, options) -> None:
    chosen = TextOptions(**options)
    every = [*first, *second, "green tea"]
    words = AllWords(chosen)
    words.add(WordCounts.of(chosen, [*second, "green tea"]))
    words.add(WordCounts.of(chosen, first))
    vocabulary, idf = words.learned()
    expected, _ = TextFeatures.fit(chosen, every, None)
    assert idf.tobytes() == expected.idf.tobytes()
    if vocabulary is not None:
        assert vocabulary.names.tolist() == expected.names.tolist()


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=9))
def test_weights_of_words_are_those_of_scikit_learn(n_with) -> None:
    counts = np.zeros((50, len(n_with)), np.float32)
    for column, n in enumerate(n_with):
        counts[:n, column] = 1
    weighting = TfidfTransformer().fit(counts)
    assert inverse_frequencies(np.array(n_with), 50).tobytes() == weighting.idf_.tobytes()


label_lists = st.lists(st.lists(st.sampled_from("abcd"), max_size=3), max_size=4)


@settings(deadline=None)
@given(st.lists(label_lists, min_size=1, max_size=4).filter(lambda parts: any(parts)))
def test_labels_of_parts_are_those_of_one_list(parts) -> None:
    every = as_labels([row for part in parts for row in part])
    found = joined_labels([as_labels(part) for part in parts])
    assert found.indices.tolist() == every.indices.tolist()
    assert found.indptr.tolist() == every.indptr.tolist()
    assert (found.n_labels, found.kind) == (every.n_labels, every.kind)
    if every.names is not None:
        assert found.names.tolist() == every.names.tolist()
