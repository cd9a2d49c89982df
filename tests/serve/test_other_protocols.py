"""Annif's routes and the Open Inference Protocol."""

import json
from pathlib import Path

from tests.serve.conftest import TOKEN, Client


def test_annif_lists_models_of_texts_as_projects(client: Client) -> None:
    (project,) = client.get("/v1/projects").json()["projects"]
    assert (project["project_id"], project["is_trained"]) == ("food", True)
    assert client.get("/v1/projects/food").json() == project
    assert "version" in client.get("/v1/").json()


def test_annif_suggests_for_a_form(client: Client) -> None:
    form = {"text": "green tea", "limit": "2", "threshold": "0.1"}
    answer = client.ask("POST", "/v1/projects/food/suggest", data=form).json()
    best = answer["results"][0]
    assert (best["uri"], best["label"], best["notation"]) == ("tea", "tea", None)
    assert best["score"] > 0.5


def test_annif_suggests_for_a_batch(client: Client) -> None:
    documents = {"documents": [{"text": "green tea", "document_id": "1"}, {"text": "rye bread"}]}
    answer = client.post("/v1/projects/food/suggest-batch?limit=1", documents).json()
    assert [one["document_id"] for one in answer] == ["1", None]
    assert [one["results"][0]["label"] for one in answer] == ["tea", "bread"]


def test_annif_learns_by_feedback(client: Client) -> None:
    documents = [{"text": "chai", "subjects": [{"uri": "tea", "label": "Tea"}]}]
    assert client.change("/v1/projects/food/learn", documents).status_code == 204
    line = json.loads(Path(client.service.feedback.path).read_text())
    assert (line["text"], line["tags"]) == ("chai", ["tea"])


def test_annif_tells_an_unknown_project(client: Client) -> None:
    answer = client.ask("POST", "/v1/projects/wine/suggest", data={"text": "tea"})
    assert answer.status_code == 404
    assert answer.json()["detail"] == "Project 'wine' not found"


def test_inference_of_texts(client: Client) -> None:
    tensor = {"name": "text", "shape": [2], "datatype": "BYTES", "data": ["tea", "bread"]}
    body = {"id": "7", "inputs": [tensor], "parameters": {"k": 1}}
    answer = client.post("/v2/models/food/infer", body).json()
    labels, probabilities = answer["outputs"]
    assert (answer["id"], labels["data"], labels["shape"]) == ("7", ["tea", "bread"], [2, 1])
    assert all(0 < p < 1 for p in probabilities["data"])


def test_inference_of_rows_flat_and_nested(client: Client) -> None:
    tensor = {"name": "features", "shape": [2, 3], "datatype": "FP32"}
    answers = [
        client.post("/v2/models/rows/infer", {"inputs": [{**tensor, "data": data}]}).json()
        for data in ([0, 1, 0, 1, 0, 0], [[0, 1, 0], [1, 0, 0]])
    ]
    assert answers[0] == answers[1]
    assert answers[0]["outputs"][0]["data"][::3] == ["b", "a"]


def test_inference_health_and_metadata(client: Client) -> None:
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/health/ready").json() == {"ready": True}
    assert client.get("/v2/models/food/ready").json() == {"name": "food", "ready": True}
    (expected,) = client.get("/v2/models/rows").json()["inputs"]
    assert expected == {"name": "features", "datatype": "FP32", "shape": [-1, 3]}


def test_an_input_of_another_shape_is_refused(client: Client) -> None:
    tensor = {"name": "features", "shape": [2, 2], "datatype": "FP32", "data": [1, 2, 3, 4]}
    answer = client.post("/v2/models/rows/infer", {"inputs": [tensor]})
    assert answer.status_code == 400
    assert "the shape must be [n, 3]" in answer.json()["detail"]


def test_the_token_opens_all_routes(client: Client) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/v2/models/food", headers=headers).status_code == 200
