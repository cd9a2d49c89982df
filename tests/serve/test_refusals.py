"""Requests that are refused, each with its status and a sentence."""

from pathlib import Path

import pytest

from tests.serve.conftest import TOKEN, Client, make_client

JSON = {"Content-Type": "application/json"}


def detail(answer: object, status: int) -> str:
    assert answer.status_code == status, answer.text  # type: ignore[attr-defined]
    assert answer.headers["content-type"] == "application/problem+json"  # type: ignore[attr-defined]
    sentence: str = answer.json()["detail"]  # type: ignore[attr-defined]
    return sentence


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "give exactly one of text, texts and features"),
        ({"text": "tea", "texts": ["tea"]}, "give exactly one of text, texts and features"),
        ({"text": "tea", "k": 101}, "k must be at most 100, but is 101"),
        ({"text": "tea", "k": 0}, "Expected `int` >= 1"),
        ({"text": "tea", "k": 1.5}, "Expected `int`, got `float`"),
        ({"text": "tea", "threshold": 2}, "Expected `float` <= 1"),
        ({"text": 5}, "Expected `str`, got `int`"),
        ({"text": "tea", "color": "red"}, "unknown field `color`"),
        ({"texts": ["tea"] * 1001}, "at most 1,000 texts or rows, but has 1,001"),
        ({"text": "t" * 500_001}, "at most 500,000 characters, but one has 500,001"),
        ({"features": [[1.0]]}, "the model food takes texts, but the request has features"),
        ({"text": "tea", "labels": ["gin"]}, "gin"),
        ({"text": "tea", "model": "rows"}, "takes features, but the request has texts"),
        ({"features": [[1.0]], "model": "rows"}, "must have 3 numbers, but has 1"),
        (
            {"features": [{"indices": [3], "values": [1]}], "model": "rows"},
            "indices must be below 3, but one is 3",
        ),
        (
            {"features": [{"indices": [0, 1], "values": [1]}], "model": "rows"},
            "as many values as indices, but has 1 and 2",
        ),
        ({"features": [[1e300, 0, 0]], "model": "rows"}, "must be finite numbers"),
    ],
)
def test_a_request_that_breaks_a_rule_gets_422(body, sentence, client: Client) -> None:
    assert sentence in detail(client.post("/v1/tag", body), 422)


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"text": "\xff"}', b'{"text": NaN}', b'{"text": "\\ud800"']
)
def test_a_body_that_is_not_json_gets_400(body, client: Client) -> None:
    answer = client.ask("POST", "/v1/tag", content=body, headers=JSON)
    assert "the body must be JSON" in detail(answer, 400)


@pytest.mark.parametrize("start", [b"[", b'{"text":' * 2, b'{"features":[', b'{"labels":['])
def test_deep_nesting_is_refused(start, client: Client) -> None:
    answer = client.ask("POST", "/v1/tag", content=start * 50_000, headers=JSON)
    assert answer.status_code in (400, 422)


def test_half_of_a_character_is_refused_or_answered(client: Client) -> None:
    body = b'{"text": "tea \\ud800"}'
    assert client.ask("POST", "/v1/tag", content=body, headers=JSON).status_code in (200, 400)


def test_a_form_sent_to_a_json_route_gets_415(client: Client) -> None:
    answer = client.ask("POST", "/v1/tag", data={"text": "tea"})
    assert "send Content-Type: application/json" in detail(answer, 415)


def test_a_compressed_body_gets_415(client: Client) -> None:
    headers = {**JSON, "Content-Encoding": "gzip"}
    answer = client.ask("POST", "/v1/tag", content=b"x", headers=headers)
    assert "must not be compressed" in detail(answer, 415)


def test_unknown_paths_and_methods_get_404_and_405(client: Client) -> None:
    assert "there is no '/v1/nothing'" in detail(client.get("/v1/nothing"), 404)
    answer = client.get("/v1/tag")
    assert "allows POST, but the method is 'GET'" in detail(answer, 405)
    assert answer.headers["allow"] == "POST"


def test_an_unknown_model_gets_404(client: Client) -> None:
    answer = client.post("/v1/tag", {"text": "tea", "model": "wine"})
    assert detail(answer, 404) == "model must be one of food, rows, but is 'wine'"


def test_a_body_beyond_the_limit_gets_413_unread(text_file: Path) -> None:
    client = make_client({"food": text_file}, max_body=100)
    answer = client.post("/v1/tag", {"text": "t" * 200})
    assert "at most 100 bytes" in detail(answer, 413)


def test_a_body_in_parts_is_counted_while_it_is_read(text_file: Path) -> None:
    async def parts():
        for _ in range(1_000_000):
            yield b"t" * 100

    client = make_client({"food": text_file}, max_body=1_000)
    answer = client.ask("POST", "/v1/tag", content=parts(), headers=JSON)
    assert "at most 1,000 bytes" in detail(answer, 413)


def test_too_many_requests_at_once_get_503(text_file: Path) -> None:
    client = make_client({"food": text_file}, max_in_flight=1)
    client.service.gate.enter()
    answer = client.post("/v1/tag", {"text": "tea"})
    assert "the server is busy" in detail(answer, 503)
    assert answer.headers["retry-after"] == "1"
    assert client.get("/live").status_code == 200


@pytest.mark.parametrize(
    "authorization", ["", "Bearer wrong", "Basic a-token", "Bearer", "a-token"]
)
def test_a_wrong_token_gets_401(authorization, text_file: Path) -> None:
    client = make_client({"food": text_file}, token=TOKEN)
    headers = {"Authorization": authorization} if authorization else {}
    answer = client.post("/v1/tag", {"text": "tea"}, headers=headers)
    assert "send Authorization: Bearer TOKEN" in detail(answer, 401)


def test_the_right_token_opens_the_server(text_file: Path) -> None:
    client = make_client({"food": text_file}, token=TOKEN)
    assert client.change("/v1/tag", {"text": "tea"}).status_code == 200
    assert client.get("/live").status_code == 200
    assert client.get("/metrics").status_code == 401


@pytest.mark.parametrize("path", ["/v1/feedback", "/v1/reload", "/v1/projects/food/learn"])
def test_changes_need_a_token_even_on_this_machine(path, client: Client) -> None:
    assert "changes need a token" in detail(client.post(path, {}), 401)


def test_another_name_for_this_machine_gets_421(client: Client, text_file: Path) -> None:
    headers = {"Host": "evil.example"}
    answer = client.post("/v1/tag", {"text": "tea"}, headers=headers)
    assert "does not answer as 'evil.example'" in detail(answer, 421)
    named = make_client({"food": text_file}, allowed_hosts=("evil.example",))
    assert named.post("/v1/tag", {"text": "tea"}, headers=headers).status_code == 200


def test_pages_of_other_origins_may_read_answers_only_if_allowed(text_file: Path) -> None:
    client = make_client({"food": text_file}, cors_origins=("https://a.example",))
    for origin, allowed in (("https://a.example", True), ("https://b.example", False)):
        for method, path in (("OPTIONS", "/v1/tag"), ("GET", "/v1/models")):
            answer = client.ask(method, path, headers={"Origin": origin})
            assert ("access-control-allow-origin" in answer.headers) is allowed


def test_a_bug_gets_500_without_its_message(client: Client, monkeypatch, capfd) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret text")

    monkeypatch.setattr("labeltree.serve.answers.tag", fail)
    assert "secret" not in detail(client.post("/v1/tag", {"text": "tea"}), 500)
    logged = capfd.readouterr().err
    assert '"kind":"RuntimeError"' in logged
    assert "secret" not in logged
