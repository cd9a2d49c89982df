import json
import threading
import urllib.request

import pytest

ray = pytest.importorskip("ray", reason='needs Ray: pip install "labeltree[ray]"')
serve = pytest.importorskip("ray.serve", reason='needs Ray Serve: pip install "labeltree[ray]"')

from labeltree import TextTagger
from labeltree.ray import deployment

TEXTS = ["green tea", "black tea", "rye bread", "white bread"] * 5


def write(path, drink: str) -> None:
    """Write a model with one of two names for a label."""
    TextTagger(n_jobs=1).fit(TEXTS, [[drink], [drink], ["bread"], ["bread"]] * 5).save(path)


def tag(text: str) -> str:
    request = urllib.request.Request(
        "http://127.0.0.1:18000/v1/tag",
        json.dumps({"text": text}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        assert response.status == 200
        return response.read().decode()


@pytest.fixture
def served(nodes, tmp_path):
    nodes.resize(2)
    path = tmp_path / "model.lt"
    write(path, "tea")
    serve.start(http_options={"host": "127.0.0.1", "port": 18000})
    app = deployment([str(path)], n_replicas=2, reload_seconds=0.2, log_requests=False)
    serve.run(app)
    yield path
    serve.shutdown()


def test_a_replaced_model_file_is_served_without_a_failed_request(served) -> None:
    assert "tea" in tag("a pot of green tea")
    answers, failures, is_over = [], [], threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            try:
                answers.append(tag("a pot of green tea"))
            except Exception as error:
                failures.append(error)

    clients = [threading.Thread(target=ask) for _ in range(3)]
    for client in clients:
        client.start()
    try:
        while len(answers) < 20 and not failures:
            is_over.wait(0.1)
        write(served, "drink")
        n_before, n_new = len(answers), 0
        while n_new < 20 and len(answers) < n_before + 20_000 and not failures:
            is_over.wait(0.1)
            n_new = sum("drink" in answer for answer in answers[n_before:])
    finally:
        is_over.set()
        for client in clients:
            client.join()
    assert not failures
    assert n_new >= 20
