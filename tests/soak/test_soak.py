"""The parts of the soak, in a second; `make soak` runs an hour."""

from __future__ import annotations

from pathlib import Path

import pytest

import labeltree as lt
from tests.soak.life import CHUNK, digest, opened
from tests.soak.stream import row
from tests.soak.watch import Watched


def digests(tagger, first: int, last: int) -> list[str]:
    found = []
    for i in range(first, last, CHUNK):
        rows = [row(j) for j in range(i, i + CHUNK)]
        texts, tags = [text for text, _ in rows], [tags for _, tags in rows]
        found.append(digest(tagger.predict_then_fit(texts, tags, 3)))
    return found


def test_a_stream_that_goes_on_from_its_save_predicts_the_same(tmp_path) -> None:
    tagger = opened(tmp_path / "model.lt")
    digests(tagger, 0, 20 * CHUNK)
    tagger.save(tmp_path / "model.lt")
    expected = digests(tagger, 20 * CHUNK, 40 * CHUNK)
    assert digests(lt.load(tmp_path / "model.lt"), 20 * CHUNK, 40 * CHUNK) == expected


@pytest.fixture
def watched() -> Watched:
    return Watched("killed", Path("none.lt"), None)


def test_growth_is_that_of_the_worst_life(watched) -> None:
    watched.lives = [[(i, 1000) for i in range(100)], [(i, 1000 + 2 * i) for i in range(100)]]
    watched.lives[1] = watched.lives[1][::-1]  # shrinks, but ends above the first one
    assert watched.growth(warm_up=0) == pytest.approx(1018 / 1000, abs=0.01)


def test_growth_from_one_life_to_the_next_counts(watched) -> None:
    watched.lives = [[(i, size) for i in range(100)] for size in (1000, 1030, 1060)]
    assert watched.growth(warm_up=0) == pytest.approx(1.06)


def test_rows_that_differ_when_replayed_are_counted(watched) -> None:
    watched._hear({"first": 0, "hits": [1, 2], "digest": "a"})
    watched._hear({"first": 0, "hits": [1, 2], "digest": "b"})
    assert (watched.n_replayed, watched.n_differing) == (1, 1)


def test_a_model_that_is_gone_is_a_problem(watched) -> None:
    watched._hear({"saved": 1000})
    watched.check_file()
    assert watched.problems == ["killed: the model is gone"]
