"""Feedback: written before it is acknowledged, and learned."""

import json
import os
from pathlib import Path

import pytest

import labeltree as lt
from labeltree.cli import main
from labeltree.serve.feedback import FeedbackFile
from labeltree.serve.learning import learn_once
from tests.serve.conftest import TAGS, TEXTS, Client, make_client


def lines_of(client: Client) -> list[dict[str, object]]:
    assert client.service.feedback is not None
    return [
        json.loads(line) for line in Path(client.service.feedback.path).read_text().splitlines()
    ]


def test_feedback_is_on_disk_when_it_is_acknowledged(client: Client) -> None:
    sent = {"text": "chai", "accepted": ["tea"], "rejected": ["bread"], "added": ["spice"]}
    answer = client.change("/v1/feedback", sent)
    assert answer.status_code == 202
    (line,) = lines_of(client)
    assert line["id"] == answer.json()["id"]
    assert (line["text"], line["tags"], line["rejected"]) == ("chai", ["tea", "spice"], ["bread"])


def test_feedback_is_readable_by_its_owner_only(client: Client) -> None:
    client.change("/v1/feedback", {"text": "chai", "accepted": ["tea"]})
    assert Path(client.service.feedback.path).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"text": "chai"}, "must accept, reject or add a label"),
        ({"text": "chai", "accepted": ["tea"], "rejected": ["tea"]}, "both right and rejected"),
    ],
)
def test_feedback_that_says_nothing_is_refused(sent, sentence, client: Client) -> None:
    answer = client.change("/v1/feedback", sent)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]
    assert not Path(client.service.feedback.path).exists()


def test_a_server_without_a_file_takes_no_feedback(text_file: Path) -> None:
    client = make_client({"food": text_file})
    answer = client.change("/v1/feedback", {"text": "chai", "accepted": ["tea"]})
    assert answer.status_code == 404


def test_a_line_that_broke_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    path.write_bytes(b'{"text": "half')
    FeedbackFile(str(path)).append([{"text": "whole"}])
    assert path.read_bytes().splitlines()[1:] == [b'{"text":"whole"}']


def test_a_full_disk_leaves_no_half_of_a_line(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "feedback.jsonl"
    file = FeedbackFile(str(path))
    file.append([{"text": "first"}])
    before, write = path.read_bytes(), os.write

    def fail(handle: int, data: bytes) -> int:
        write(handle, data[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(OSError, match="No space"):
        file.append([{"text": "second"}])
    assert path.read_bytes() == before


def test_a_disk_that_refuses_gets_507(client: Client, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(client.service.feedback, "append", fail)
    answer = client.change("/v1/feedback", {"text": "chai", "accepted": ["tea"]})
    assert answer.status_code == 507
    assert answer.json()["detail"] == "feedback was not saved: No space left on device"


def test_new_feedback_is_learned_once(tmp_path: Path) -> None:
    model, feedback = tmp_path / "food.lt", str(tmp_path / "feedback.jsonl")
    lt.TextTagger(n_jobs=1).fit(TEXTS, TAGS).save(model)
    file = FeedbackFile(feedback)
    record = {"model": "food", "text": "green milk", "tags": ["butter"]}
    file.append([record] * 20 + [{**record, "tags": None}])
    files = {"food": str(model)}
    before = lt.load(model).tag(["green milk"], k=4)[0]
    assert learn_once(files, feedback) == 20
    after = dict(lt.load(model).tag(["green milk"], k=4)[0])
    assert after["butter"] > dict(before)["butter"]
    assert learn_once(files, feedback) == 0


def test_a_line_that_is_not_complete_is_learned_later(tmp_path: Path) -> None:
    model, path = tmp_path / "food.lt", tmp_path / "feedback.jsonl"
    lt.TextTagger(n_jobs=1).fit(TEXTS, TAGS).save(model)
    line = b'{"model":"food","text":"green milk","tags":["butter"]}\n'
    path.write_bytes(line + line[:20])
    assert learn_once({"food": str(model)}, str(path)) == 1
    path.write_bytes(line + line)
    assert learn_once({"food": str(model)}, str(path)) == 1


def feedback_of(path: Path) -> str:
    record = {"model": "food", "text": "green milk", "tags": ["butter", "gin"]}
    FeedbackFile(str(path)).append([record] * 20 + [{**record, "tags": None, "rejected": ["tea"]}])
    with path.open("ab") as file:
        file.write(b'{"text": "half of a li')
    return str(path)


def test_update_learns_feedback_with_its_new_labels(tmp_path: Path, capsys) -> None:
    model = tmp_path / "food.lt"
    lt.TextTagger(n_jobs=1).fit(TEXTS, TAGS).save(model)
    feedback = feedback_of(tmp_path / "feedback.jsonl")
    assert main(["update", str(model), "--feedback", feedback]) == 0
    assert "learned 20 rows and 1 new labels" in capsys.readouterr().out
    assert "gin" in lt.load(model).classes_.tolist()


def test_a_warm_update_raises_right_labels_and_adds_none(tmp_path: Path, capsys) -> None:
    model = tmp_path / "food.lt"
    lt.TextTagger(n_jobs=1).fit(TEXTS, TAGS).save(model)
    before = dict(lt.load(model).tag(["green milk"], k=4)[0])
    feedback = feedback_of(tmp_path / "feedback.jsonl")
    assert main(["update", str(model), "--warm", "--feedback", feedback]) == 0
    assert "1 new labels were left out" in capsys.readouterr().out
    after = lt.load(model)
    assert dict(after.tag(["green milk"], k=4)[0])["butter"] > before["butter"]
    assert after.classes_.tolist() == lt.TextTagger().fit(TEXTS, TAGS).classes_.tolist()
    assert not after.classifier.warm_start
