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


def test_the_http_backend_of_annif_gets_suggestions(server: Running, tmp_path: Path) -> None:
    pytest.importorskip("annif")
    from annif.backend.http import HTTPBackend
    from annif.corpus import Document, Subject
    from annif.vocab import SubjectIndex

    class Project:
        project_id, subjects, datadir = "http", SubjectIndex(), str(tmp_path)
        vocab_lang = "en"

    for name in ("tea", "milk", "bread", "butter"):
        Project.subjects.append(Subject(uri=name, labels={"en": name}, notation=None))
    parameters = {"endpoint": f"{server.url}/v1/projects/food/suggest", "project": "food"}
    backend = HTTPBackend("http", parameters, Project())
    backend.initialize()
    (found,) = backend.suggest([Document(text="green tea")])
    best = max(found, key=lambda suggestion: suggestion.score)
    assert Project.subjects[best.subject_id].uri == "tea"
