"""Taggers that learn from tables."""

import pytest

from labeltree import TextTagger

pa = pytest.importorskip("pyarrow")

TEXTS = ["green tea", "black tea", "white bread", "rye bread"] * 3
TAGS = [["tea", "green"], ["tea"], ["bread"], ["bread", "rye"]] * 3


def table() -> "pa.Table":
    return pa.table({"text": TEXTS, "tags": TAGS})


def fitted() -> TextTagger:
    return TextTagger(n_jobs=1).fit(TEXTS, TAGS)


def test_a_table_trains_the_same_model_as_lists() -> None:
    from_table = TextTagger(n_jobs=1).fit(table())
    assert from_table.tag(TEXTS) == fitted().tag(TEXTS)


def test_a_reader_is_read_once() -> None:
    assert TextTagger(n_jobs=1).fit(table().to_reader()).tag(TEXTS) == fitted().tag(TEXTS)


def test_columns_train_the_same_model_as_lists() -> None:
    from_columns = TextTagger(n_jobs=1).fit(table()["text"], table()["tags"])
    assert from_columns.tag(TEXTS) == fitted().tag(TEXTS)


def test_columns_of_polars_train_the_same_model_as_lists() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(table())
    assert TextTagger(n_jobs=1).fit(frame["text"], frame["tags"]).tag(TEXTS) == fitted().tag(TEXTS)


def test_tags_that_are_given_are_used_in_place_of_those_of_the_table() -> None:
    tagger = TextTagger(n_jobs=1).fit(table(), ["a", "b"] * 6)
    assert tagger.classes_.tolist() == ["a", "b"]


def test_one_tag_per_text_makes_classes() -> None:
    tagger = TextTagger(n_jobs=1).fit(pa.table({"text": TEXTS, "label": [1, 1, 2, 2] * 3}))
    assert (tagger.label_kind_, tagger.predict(["tea"])) == ("classes", [1])


def test_a_null_list_is_a_text_without_tags() -> None:
    made = pa.table({"text": [*TEXTS, "milk"], "tags": [*TAGS, None]})
    assert "bread" in TextTagger(n_jobs=1).fit(made).classes_


def test_all_methods_accept_a_table() -> None:
    tagger, made = fitted(), table()
    assert tagger.tag(made) == tagger.tag(TEXTS)
    assert tagger.predict(made) == tagger.predict(TEXTS)
    assert tagger.top_k(made, 2)[0].tolist() == tagger.top_k(TEXTS, 2)[0].tolist()
    assert tagger.predict_proba(made, 1).nnz == len(TEXTS)
    assert tagger.evaluate(made) == tagger.evaluate(TEXTS, TAGS)
    assert tagger.score(made) == tagger.score(TEXTS, TAGS)
    tagger.calibrate(made).tune_thresholds(made).partial_fit(made)
    assert len(tagger.predict_then_fit(made)) == len(TEXTS)


def test_a_table_without_tags_is_refused() -> None:
    with pytest.raises(ValueError, match='column "tags" is missing; columns are "text"'):
        TextTagger().fit(table().drop_columns("tags"))


def test_texts_without_tags_are_refused() -> None:
    with pytest.raises(TypeError, match="tags must be a list"):
        TextTagger().fit(TEXTS)


def test_a_null_text_is_named_by_its_row() -> None:
    with pytest.raises(ValueError, match='row 1: column "text" must not be null'):
        fitted().tag(pa.table({"text": ["tea", None]}))
