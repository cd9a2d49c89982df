"""The server as processes: sockets, workers and signals."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import labeltree as lt
from tests.serve.conftest import TAGS, TEXTS
from tests.serve.running import Running, running


@pytest.fixture(scope="module")
def server(text_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of two workers with a model that may be replaced, and short limits."""
    folder = tmp_path_factory.mktemp("server")
    model = shutil.copy(text_file, folder / "food.lt")
    limits = ("--body-seconds", "0.5", "--max-headers", "2kB", "--reload-seconds", "0.1")
    feedback = ("--feedback", str(folder / "feedback.jsonl"))
    with running(folder, str(model), "--workers", "2", *limits, *feedback) as started:
        yield started


def raw(server: Running, sent: bytes, *, seconds: float = 5.0) -> bytes:
    """Send bytes and return everything that comes back until the server closes."""
    with socket.create_connection((server.host, server.port), timeout=seconds) as connection:
        connection.sendall(sent)
        received = b""
        while part := connection.recv(65536):
            received += part
        return received


def tag(server: Running) -> httpx.Response:
    return httpx.post(f"{server.url}/v1/tag", json={"text": "green tea", "k": 1})


def test_it_answers(server: Running) -> None:
    assert tag(server).json()["results"][0][0]["label"] == "tea"


def test_a_body_that_does_not_arrive_gets_408(server: Running) -> None:
    head = b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    assert b" 408 " in raw(server, head + b"Content-Length: 100\r\n\r\n{").partition(b"\n")[0]


def test_headers_that_do_not_end_get_408(server: Running) -> None:
    assert b" 408 " in raw(server, b"GET /live HTTP/1.1\r\nHost: local")


def test_long_headers_get_431(server: Running) -> None:
    head = b"GET /live HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 3_000
    assert b" 431 " in raw(server, head)
    assert b" 431 " in raw(server, head + b"\r\n\r\n")


def test_what_is_not_http_gets_400(server: Running) -> None:
    assert b" 400 " in raw(server, b"hello\r\n\r\n")


def test_a_false_content_length_is_refused(server: Running) -> None:
    head = b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
    assert b" 413 " in raw(server, head)


def test_no_text_reaches_the_log(server: Running) -> None:
    httpx.post(f"{server.url}/v1/tag", json={"text": "a secret sentence"})
    httpx.post(f"{server.url}/v1/tag?secret", content=b"secret")
    assert '"route":"/v1/tag"' in server.log
    assert "secret" not in server.log


def test_a_killed_worker_is_replaced(server: Running) -> None:
    before = server.workers()
    os.kill(before[0], signal.SIGKILL)
    for _ in range(100):
        time.sleep(0.05)
        workers = server.workers()
        if len(workers) == 2 and before[0] not in workers:
            break
    assert len(server.workers()) == 2
    for _ in range(4):
        assert tag(server).status_code == 200


def test_metrics_count_the_requests_of_all_workers(server: Running) -> None:
    before = _n_tagged(server)
    for _ in range(10):
        tag(server)  # each on a connection of its own
    assert _n_tagged(server) == before + 10


def _n_tagged(server: Running) -> float:
    for line in httpx.get(f"{server.url}/metrics").text.splitlines():
        if line.startswith("labeltree_texts_total"):
            return float(line.split()[1])
    return 0.0


def test_all_workers_load_a_replaced_file(server: Running) -> None:
    model = Path(server.process.args[6])  # type: ignore[index]
    lt.TextTagger(n_jobs=1).fit(TEXTS, [[*tags, "food"] for tags in TAGS]).save(model)
    time.sleep(0.5)
    for _ in range(8):
        assert tag(server).json()["results"][0][0]["label"] == "food"


def test_feedback_survives_kill_9(server: Running) -> None:
    sent = {"text": "chai", "accepted": ["tea"]}
    ids = []
    for worker in server.workers():
        ids.append(server.change("/v1/feedback", sent).json()["id"])
        os.kill(worker, signal.SIGKILL)
        time.sleep(0.3)
    model = Path(server.process.args[6])  # type: ignore[index]
    content = model.with_name("feedback.jsonl").read_text()
    assert all(one in content for one in ids)


def test_sigterm_ends_the_server_after_the_requests_in_flight(text_file, tmp_path) -> None:
    with running(tmp_path, str(text_file)) as started:
        body = b'{"text": "green tea"}'
        head = (
            b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)
        )
        with socket.create_connection((started.host, started.port), timeout=5) as connection:
            connection.sendall(head + body[:5])
            time.sleep(0.2)
            started.process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            connection.sendall(body[5:])
            assert b" 200 " in connection.recv(4096).partition(b"\n")[0]
        assert started.process.wait(10) == 0
        assert '"event":"ended"' in started.log


def test_a_port_in_use_is_told(text_file, tmp_path) -> None:
    with running(tmp_path, str(text_file)) as started:
        from labeltree.cli import main

        assert main(["serve", str(text_file), "--port", str(started.port)]) == 1


def test_the_address_is_printed_as_json(text_file) -> None:
    command = [sys.executable, "-m", "labeltree", "serve", str(text_file), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        about = json.loads(process.stdout.readline())
        process.terminate()
    assert about["models"] == ["food"]
    assert about["address"].startswith("http://127.0.0.1:")
    assert len(about["token"]) > 10


def test_feedback_is_never_written_into_the_model(text_file, capsys) -> None:
    from labeltree.cli import main

    assert main(["serve", str(text_file), "--feedback", str(text_file)]) == 2
    assert "is both input and output" in capsys.readouterr().err
