"""The commands for online learning: update and stream."""

from __future__ import annotations

import gzip
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


def test_stream_reads_other_formats_and_copies_identifiers(tmp_path, capsys) -> None:
    table = tmp_path / "docs.csv"
    table.write_text("id;text;label\n" + "a;green tea;tea\nb;rye bread;bread\n" * 6)
    arguments = ["stream", str(tmp_path / "new.lt"), str(table), "--id-field", "id", "--k", "1"]
    assert main(arguments) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["id"], last["labels"]) == ("b", ["bread"])


def streamed(model: str, folder: Path, lines: list[str | bytes], *options: str) -> list[str]:
    """Return the arguments that stream these lines."""
    encoded = (line if isinstance(line, bytes) else line.encode() for line in lines)
    (folder / "docs.jsonl").write_bytes(b"\n".join(encoded))
    return ["stream", model, str(folder / "docs.jsonl"), *options]


@pytest.mark.parametrize("fields", ['"x": 1', '"tags": null', '"labels": null', '"tags": []'])
def test_a_line_whose_tags_are_missing_or_null_is_only_predicted(
    fields, model, tmp_path, capsys
) -> None:
    assert main(streamed(model, tmp_path, [f'{{"text": "green tea", {fields}}}'])) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["labels"][0] == "tea"
    assert "learned 0 rows" in printed.err
    assert "1 line without tags, 0 bad lines" in printed.err


BAD = ['{"text": "tea"', '{"tags": ["tea"]}', '{"text": 7}', b'{"text": "gr\xfcn"}']
GOOD = '{"text": "green tea", "tags": ["tea"]}'


@pytest.mark.parametrize("chunk", ["1", "3", "9"])
def test_bad_lines_are_reported_with_their_number_and_the_stream_continues(
    chunk, model, tmp_path, capsys
) -> None:
    assert main(streamed(model, tmp_path, [GOOD, *BAD, "", GOOD], "--chunk", chunk)) == 0
    printed = capsys.readouterr()
    errors = printed.err.splitlines()
    for number, message in enumerate(errors[:4], start=2):
        assert message.startswith(f"labeltree: {tmp_path / 'docs.jsonl'}: line {number}: ")
    assert "learned 2 rows" in errors[4]
    assert "4 bad lines" in errors[4]
    outputs = [json.loads(line) for line in printed.out.splitlines()]
    assert [bool(output["labels"]) for output in outputs] == [True, *[False] * 4, True]
    assert ["error" in output for output in outputs] == [False, *[True] * 4, False]


def test_two_tags_are_a_bad_line_for_a_model_of_one_class_per_text(tmp_path, capsys) -> None:
    path = str(tmp_path / "model.lt")
    TextTagger(n_jobs=1).fit(["green tea", "rye bread"], ["tea", "bread"]).save(path)
    two = '{"text": "rye tea", "tags": ["tea", "bread"]}'
    assert main(streamed(path, tmp_path, [GOOD, two, GOOD], "--chunk", "3")) == 0
    printed = capsys.readouterr().err
    assert "docs.jsonl: line 2: the model has one class per text, but the line has 2" in printed
    assert "learned 2 rows" in printed


def test_strict_stops_at_the_first_bad_line_and_keeps_what_was_learned(
    model, tmp_path, capsys
) -> None:
    before = Path(model).read_bytes()
    lines = [GOOD, BAD[0], GOOD]
    assert main(streamed(model, tmp_path, lines, "--strict", "--chunk", "3")) == 1
    printed = capsys.readouterr()
    assert "docs.jsonl: line 2: broken JSON" in printed.err
    assert len(printed.out.splitlines()) == 1
    assert Path(model).read_bytes() != before


OTHER_FORMATS = {
    "docs.tsv": b"green tea\ttea\ngreen tea\nrye \xff bread\tbread\nrye bread\tbread\n",
    "docs.csv": b'text,tags\ngreen tea,tea\n"rye" bread,bread\na,b,c\nrye bread,bread\n',
    "docs.ft": b"__label__tea green tea\n__label__ tea\n\xff\n__label__bread rye bread\n",
}


@pytest.mark.parametrize("name", OTHER_FORMATS)
def test_a_stream_continues_after_bad_lines_of_other_formats(
    model, tmp_path, capsys, name: str
) -> None:
    (tmp_path / name).write_bytes(OTHER_FORMATS[name])
    assert main(["stream", model, str(tmp_path / name)]) == 0
    printed = capsys.readouterr()
    has_error = ["error" in json.loads(line) for line in printed.out.splitlines()]
    assert has_error == [False, True, True, False]
    assert "learned 2 rows" in printed.err
    assert "2 bad lines" in printed.err


def test_a_stream_stops_where_compressed_csv_is_cut_off(model, tmp_path, capsys) -> None:
    packed = gzip.compress(b"text,tags\n" + b"green tea,tea\n" * 10)
    (tmp_path / "docs.csv.gz").write_bytes(packed[:-8])
    assert main(["stream", model, str(tmp_path / "docs.csv.gz")]) == 1
    assert "docs.csv.gz: broken gzip data" in capsys.readouterr().err


def test_a_stream_of_only_bad_lines_is_code_1(model, tmp_path, capsys) -> None:
    assert main(streamed(model, tmp_path, BAD)) == 1
    assert "4 bad lines" in capsys.readouterr().err


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
