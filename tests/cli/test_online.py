"""The commands for online learning: update and stream."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import labeltree as lt
from labeltree import PLTClassifier, TextTagger
from labeltree.cli import main

ROWS = [("green tea", ["tea"]), ("rye bread", ["bread"])] * 6


def jsonl(path: Path, rows: list[tuple[str, list[str]]]) -> str:
    path.write_text("".join(json.dumps({"text": t, "tags": tags}) + "\n" for t, tags in rows))
    return str(path)


@pytest.fixture
def model(tmp_path: Path) -> str:
    tagger = TextTagger(n_jobs=1).fit([text for text, _ in ROWS], [tags for _, tags in ROWS])
    tagger.save(tmp_path / "model.lt")
    return str(tmp_path / "model.lt")


def test_update_adds_new_labels(model, tmp_path, capsys) -> None:
    new = jsonl(tmp_path / "new.jsonl", [("green leaf", ["leaf"]), ("rye bread", ["bread"])])
    assert main(["update", model, new, "--rebuild-tree"]) == 0
    assert "learned 2 rows and 1 new labels" in capsys.readouterr().out
    assert lt.load(model).classes_.tolist() == ["bread", "tea", "leaf"]


def test_update_can_write_to_another_file(model, tmp_path) -> None:
    new = jsonl(tmp_path / "new.jsonl", [("green leaf", ["leaf"])])
    assert main(["update", model, new, "-q", "-o", str(tmp_path / "newer.lt")]) == 0
    assert len(lt.load(model).classes_) == 2
    assert len(lt.load(tmp_path / "newer.lt").classes_) == 3


def test_update_accepts_matrices(tmp_path) -> None:
    X = sparse.csr_array(np.eye(3, dtype=np.float32))
    PLTClassifier(n_jobs=1).fit(X, X.astype(np.uint8)).save(tmp_path / "model.lt")
    sparse.save_npz(tmp_path / "X.npz", X)
    sparse.save_npz(tmp_path / "Y.npz", sparse.csr_array(np.eye(3, 4, 1, dtype=np.uint8)))
    files = ["--x", str(tmp_path / "X.npz"), "--y", str(tmp_path / "Y.npz")]
    assert main(["update", str(tmp_path / "model.lt"), *files]) == 0
    assert len(lt.load(tmp_path / "model.lt").classes_) == 4


def test_update_refuses_the_other_kind_of_data(model, tmp_path, capsys) -> None:
    sparse.save_npz(tmp_path / "X.npz", sparse.csr_array(np.eye(3, dtype=np.float32)))
    files = ["--x", str(tmp_path / "X.npz"), "--y", str(tmp_path / "X.npz")]
    assert main(["update", model, *files]) == 2
    assert "the model was trained on texts" in capsys.readouterr().err


def test_stream_creates_a_model_and_predicts_before_it_learns(tmp_path, capsys) -> None:
    path = str(tmp_path / "new.lt")
    assert main(["stream", path, jsonl(tmp_path / "docs.jsonl", ROWS), "--k", "1"]) == 0
    printed = capsys.readouterr()
    predictions = [json.loads(line)["labels"] for line in printed.out.splitlines()]
    assert predictions[0] == []
    assert predictions[-2:] == [["tea"], ["bread"]]
    assert "learned 12 rows; predicted before learning: P@1" in printed.err
    assert lt.load(path).n_features_in_ == 2**18


def test_a_line_without_tags_is_only_predicted(model, tmp_path, capsys) -> None:
    before = Path(model).read_bytes()
    lines = jsonl(tmp_path / "docs.jsonl", [("green tea", []), ("rye", [])])
    assert main(["stream", model, lines, "--chunk", "2"]) == 0
    first, _ = (json.loads(line)["labels"] for line in capsys.readouterr().out.splitlines())
    assert first[0] == "tea"
    assert Path(model).read_bytes() == before


def test_chunks_give_the_same_predictions_as_single_lines(tmp_path, capsys) -> None:
    docs = jsonl(tmp_path / "docs.jsonl", ROWS)
    outputs = []
    for chunk in ("1", "5"):
        TextTagger(n_features=2**10).partial_fit(*map(list, zip(*ROWS, strict=True))).save(
            tmp_path / "model.lt"
        )
        assert main(["stream", str(tmp_path / "model.lt"), docs, "-q", "--chunk", chunk]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_stream_refuses_a_model_of_numeric_features(tmp_path, capsys) -> None:
    PLTClassifier(n_jobs=1).fit(np.eye(2), ["a", "b"]).save(tmp_path / "model.lt")
    assert main(["stream", str(tmp_path / "model.lt"), str(tmp_path)]) == 2
    assert "stream needs a model of texts" in capsys.readouterr().err


def stop_stream(path, stop: signal.Signals, *options: str) -> int:
    """Send six rows to a running stream, then the signal; return its exit status."""
    command = [sys.executable, "-m", "labeltree.cli", "stream", str(path), *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    for text, tags in ROWS[:6]:
        process.stdin.write((json.dumps({"text": text, "tags": tags}) + "\n").encode())
    process.stdin.flush()
    for _ in range(6):
        process.stdout.readline()
    deadline = time.monotonic() + 20
    while stop == signal.SIGKILL and not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(stop)
    status = process.wait()
    process.stdin.close()
    process.stdout.close()
    return status


def test_a_killed_stream_keeps_the_last_save(tmp_path) -> None:
    path = tmp_path / "model.lt"
    stop_stream(path, signal.SIGKILL, "--save-rows", "4")
    assert lt.load(path).partial_fit(["jam"], [["jam"]]).classifier_.n_rows_ == 5


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_stream_saves_all_rows(stop, tmp_path) -> None:
    path = tmp_path / "model.lt"
    assert stop_stream(path, stop) == 130
    assert lt.load(path).partial_fit(["jam"], [["jam"]]).classifier_.n_rows_ == 7
