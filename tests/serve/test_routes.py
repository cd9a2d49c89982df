"""What the routes answer."""

import json
from pathlib import Path

import labeltree as lt
from tests.serve.conftest import Client


def labels_of(result: list[dict[str, object]]) -> list[object]:
    return [tag["label"] for tag in result]


def test_a_text_is_tagged_as_by_the_library(client: Client, text_file: Path) -> None:
    answer = client.post("/v1/tag", {"text": "a cup of green tea", "k": 2}).json()
    expected = lt.load(text_file).tag(["a cup of green tea"], k=2)[0]
    assert [(tag["label"], tag["probability"]) for tag in answer["results"][0]] == expected
    assert answer["model"] == "food"


def test_several_texts_are_tagged_in_order(client: Client) -> None:
    results = client.post("/v1/tag", {"texts": ["tea", "bread", ""], "k": 1}).json()["results"]
    assert [labels_of(result) for result in results[:2]] == [["tea"], ["bread"]]
    assert len(results) == 3


def test_a_threshold_leaves_improbable_labels_out(client: Client) -> None:
    found = client.post("/v1/tag", {"text": "green tea", "k": 4, "threshold": 0.5}).json()
    assert labels_of(found["results"][0]) == ["tea"]


def test_only_the_labels_asked_for_are_returned(client: Client) -> None:
    found = client.post("/v1/tag", {"text": "green tea", "labels": ["bread", "milk"]}).json()
    assert set(labels_of(found["results"][0])) == {"bread", "milk"}


def test_a_sparse_row_and_the_same_dense_row_get_the_same_labels(client: Client) -> None:
    rows = [{"indices": [1], "values": [1.0]}, [0.0, 1.0, 0.0]]
    found = client.post("/v1/tag", {"features": rows, "model": "rows", "k": 1}).json()["results"]
    assert found[0] == found[1]
    assert labels_of(found[0]) == ["b"]


def test_an_explanation_has_the_path_the_words_and_the_cost(client: Client) -> None:
    text = "green tea, please"
    found = client.post("/v1/explain", {"text": text, "label": "tea"}).json()
    assert found["explanation"]["label"] == "tea"
    words = {text[one["start"] : one["end"]]: one["contribution"] for one in found["highlights"]}
    assert words["tea"] > 0
    assert "please" not in words
    cost = found["cost"]
    assert 0 < cost["n_evaluated"] <= cost["bound"]
    assert cost["n_evaluated"] <= cost["n_classifiers"]


def test_a_row_of_features_is_explained(client: Client) -> None:
    row = {"indices": [0], "values": [1.0]}
    found = client.post("/v1/explain", {"features": row, "model": "rows"}).json()
    assert found["explanation"]["label"] == "a"
    assert found["highlights"] == []


def test_the_card_tells_what_a_model_is(client: Client) -> None:
    card = client.get("/v1/model", params={"model": "rows"}).json()
    assert (card["takes"], card["n_labels"], card["n_features"]) == ("features", 3, 3)
    assert card["n_interactions"] == 0
    assert client.get("/v1/models").json() == {"models": ["food", "rows"]}


def test_probes_and_metrics_answer(client: Client) -> None:
    assert client.get("/live").json() == {"status": "live"}
    assert client.get("/ready").json()["status"] == "ready"
    client.post("/v1/tag", {"texts": ["tea", "milk"]})
    figures = client.get("/metrics").text
    assert 'labeltree_requests_total{route="/v1/tag",status="200"} 1.0' in figures
    assert "labeltree_texts_total 2.0" in figures


def test_head_has_the_headers_of_get_without_its_content(client: Client) -> None:
    answer = client.ask("HEAD", "/live")
    assert (answer.status_code, answer.content) == (200, b"")


def test_every_response_has_the_security_headers(client: Client) -> None:
    for path in ("/", "/live", "/nothing"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"


def test_the_openapi_document_lists_all_routes_with_their_messages(client: Client) -> None:
    document = client.get("/openapi.json").json()
    assert {"/v1/tag", "/v1/explain", "/v1/feedback", "/v2/models/{name}/infer"} <= set(
        document["paths"]
    )
    schemas = document["components"]["schemas"]
    assert "text" in schemas["TagRequest"]["properties"]
    references = json.dumps(document).split('"$ref": "#/components/schemas/')[1:]
    assert {name.partition('"')[0] for name in references} <= set(schemas)


def test_excluded_labels_are_never_returned(client: Client) -> None:
    asked = {"text": "green tea", "exclude_labels": ["tea", "gin"]}
    found = labels_of(client.post("/v1/tag", asked).json()["results"][0])
    assert found
    assert "tea" not in found
