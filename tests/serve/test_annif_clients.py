"""Annif's own clients: its client package, and its backend that asks another server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.running import Running, running


@pytest.fixture(scope="module")
def server(text_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that takes feedback."""
    folder = tmp_path_factory.mktemp("server")
    feedback = str(folder / "feedback.jsonl")
    with running(folder, str(text_file), "--feedback", feedback) as started:
        yield started


@pytest.fixture
def client(server: Running):
    """Annif's client. It knows no tokens, so the header is set by hand."""
    module = pytest.importorskip("annif_client")
    made = module.AnnifClient(api_base=f"{server.url}/v1/")
    made._headers["Authorization"] = f"Bearer {server.token}"
    return made


def test_the_client_finds_the_projects(client) -> None:
    assert [project["project_id"] for project in client.projects] == ["food"]
    assert client.get_project("food")["is_trained"]
    assert "version" in client.api_info
    with pytest.raises(ValueError, match="Project 'wine' not found"):
        client.get_project("wine")


def test_the_client_gets_suggestions(client) -> None:
    found = client.suggest("food", "green tea", limit=2, threshold=0.1)
    assert found[0]["label"] == "tea"
    batch = client.suggest_batch("food", [{"text": "rye bread", "document_id": "1"}], limit=1)
    assert (batch[0]["document_id"], batch[0]["results"][0]["label"]) == ("1", "bread")


def test_the_client_teaches(client) -> None:
    documents = [{"text": "chai", "subjects": [{"uri": "tea"}]}]
    assert client.learn("food", documents).status_code == 204


def test_the_http_backend_of_annif_gets_suggestions(
    server: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = pytest.importorskip("annif.registry")
    from annif.corpus import Document
    from annif.vocab import VocabFileTSV

    names = ("tea", "milk", "bread", "butter")
    (tmp_path / "vocab.tsv").write_text("".join(f"<{name}>\t{name}\n" for name in names))
    (tmp_path / "projects.cfg").write_text(
        "[remote]\nbackend=http\nlanguage=en\nvocab=food\nlimit=2\n"
        f"endpoint={server.url}/v1/projects/food/suggest\n"
    )
    monkeypatch.chdir(tmp_path)
    project = registry.AnnifRegistry("projects.cfg", "data", False).get_project("remote")
    project.vocab.load_vocabulary(VocabFileTSV("vocab.tsv", "en"))
    assert project.is_trained
    (found,) = project.suggest([Document(text="green tea")])
    best = max(found, key=lambda suggestion: suggestion.score)
    assert project.subjects[best.subject_id].uri == "tea"
