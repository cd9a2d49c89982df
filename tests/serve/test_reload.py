"""Replaced model files."""

import shutil
from pathlib import Path

import pytest

import labeltree as lt
from tests.serve.conftest import TAGS, TEXTS, Client, make_client


@pytest.fixture
def copied(text_file: Path, tmp_path: Path) -> Path:
    """A copy of the model that may be replaced."""
    return Path(shutil.copy(text_file, tmp_path / "food.lt"))


def replace(path: Path, content: bytes) -> None:
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


def version(client: Client) -> str:
    found: str = client.get("/ready").json()["versions"]["food"]
    return found


def test_a_replaced_file_is_loaded(copied: Path) -> None:
    client = make_client({"food": copied})
    before = version(client)
    lt.TextTagger(n_jobs=1).fit(TEXTS, [[*tags, "food"] for tags in TAGS]).save(copied)
    answer = client.change("/v1/reload")
    assert answer.status_code == 200
    assert version(client) != before
    found = client.post("/v1/tag", {"text": "tea", "k": 1}).json()
    assert found["results"][0][0]["label"] == "food"
    assert found["version"] == version(client)


@pytest.mark.parametrize("content", [b"", b"not a model", None])
def test_a_bad_file_leaves_the_model_and_is_told(content, copied: Path) -> None:
    client = make_client({"food": copied})
    before, whole = version(client), copied.read_bytes()
    replace(copied, whole[:-100] if content is None else content)
    answer = client.change("/v1/reload")
    assert answer.status_code == 409
    assert "food.lt" in answer.json()["errors"]["food"]
    assert "labeltree_reload_failures_total 1.0" in client.get("/metrics").text
    assert client.get("/ready").json()["errors"] == {
        "food": "the new file was refused; see the log"
    }
    assert version(client) == before
    assert client.post("/v1/tag", {"text": "tea", "k": 1}).status_code == 200
    replace(copied, whole)
    assert client.change("/v1/reload").json()["errors"] == {}


def test_a_model_that_needs_embeddings_is_refused_at_the_start(tmp_path: Path) -> None:
    tagger = lt.TextTagger(n_jobs=1)
    tagger.fit(TEXTS, TAGS, embeddings=[[1.0, float(i)] for i in range(len(TEXTS))])
    tagger.save(tmp_path / "model.lt")
    with pytest.raises(ValueError, match="needs embeddings"):
        make_client({"model": tmp_path / "model.lt"})
