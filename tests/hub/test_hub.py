"""Models to the hub and back, against a hub on loopback."""

import json

import pytest

import labeltree as lt
from tests.fake_hub import COMMIT

LOAD = "import labeltree, sys; print(labeltree.load(sys.argv[1]).tag(['tea'], k=1)[0][0][0])"
PUSH = """
import labeltree, labeltree.hub
tagger = labeltree.TextTagger(n_jobs=1).fit(["green tea", "rye bread"] * 3, ["tea", "bread"] * 3)
print(labeltree.hub.push(tagger, "me/tags", report={"P@1": 0.5}))
"""


@pytest.fixture
def pushed(hub, tagger, tmp_path) -> bytes:
    tagger.save(tmp_path / "saved.lt")
    content = (tmp_path / "saved.lt").read_bytes()
    hub.files["me/tags"] = {"model.lt": content, "old/a.lt": content, "bad.lt": b"no model"}
    return content


def test_push_uploads_the_file_and_its_card_in_one_commit(hub, run, tagger, tmp_path) -> None:
    tagger.save(tmp_path / "model.lt")
    made = run("-m", "labeltree", "push", "model.lt", "me/tags", "--license", "mit")
    assert made.stdout.strip() == f"hf://me/tags@{COMMIT}"
    assert hub.files["me/tags"]["model.lt"] == (tmp_path / "model.lt").read_bytes()
    assert "license: mit" in hub.files["me/tags"]["README.md"].decode()
    assert sum("/commit/" in request for request in hub.requests) == 1


def test_an_estimator_can_be_pushed_without_a_file_of_its_own(hub, run) -> None:
    made = run("-c", PUSH)
    assert made.stdout.strip() == f"hf://me/tags@{COMMIT}"
    assert "| P@1 | 0.5000 |" in hub.files["me/tags"]["README.md"].decode()


@pytest.mark.parametrize(
    "address", ["hf://me/tags", "hf://me/tags/old/a.lt", f"hf://me/tags@{COMMIT}"]
)
def test_load_opens_an_address(address, pushed, run) -> None:
    assert run("-c", LOAD, address).stdout.strip() == "tea"


def test_a_command_opens_an_address(pushed, run, tmp_path) -> None:
    (tmp_path / "texts.txt").write_text("green tea\n")
    made = run("-m", "labeltree", "predict", "hf://me/tags", "texts.txt", "--k", 1)
    assert made.stdout.startswith("tea:")


def test_inspect_opens_an_address(pushed, run) -> None:
    assert "TextTagger" in run("-m", "labeltree", "inspect", "hf://me/tags").stdout


def test_pull_writes_the_file(pushed, run, tmp_path) -> None:
    made = run("-m", "labeltree", "pull", "me/tags", "-o", "here.lt")
    assert "written to here.lt" in made.stdout
    assert (tmp_path / "here.lt").read_bytes() == pushed


@pytest.mark.parametrize("address", ["me/other", "me/tags/none.lt", "hf://me/tags@v9"])
def test_what_is_not_on_the_hub_is_named(address, pushed, run, tmp_path) -> None:
    made = run("-m", "labeltree", "pull", address, "-o", "here.lt", code=1)
    assert made.stderr.startswith(f"labeltree: hf://{address.removeprefix('hf://')}: ")
    assert len(made.stderr.splitlines()) == 1
    assert not (tmp_path / "here.lt").exists()


def test_a_file_that_is_not_a_model_leaves_the_output_as_it_was(pushed, run, tmp_path) -> None:
    (tmp_path / "here.lt").write_bytes(b"before")
    made = run("-m", "labeltree", "pull", "me/tags/bad.lt", "-o", "here.lt", code=1)
    assert "not a labeltree model file" in made.stderr
    assert (tmp_path / "here.lt").read_bytes() == b"before"


def test_nothing_is_asked_of_the_hub_for_a_path(hub, run, tagger, tmp_path) -> None:
    tagger.save(tmp_path / "model.lt")
    run("-c", LOAD, "model.lt")
    assert hub.requests == []


def test_a_hub_that_does_not_answer_is_named(hub, run, tagger, tmp_path) -> None:
    tagger.save(tmp_path / "model.lt")
    hub.server_close()
    made = run("-m", "labeltree", "push", "model.lt", "me/tags", code=1)
    assert made.stderr.startswith("labeltree: hf://me/tags: ")
    assert len(made.stderr.splitlines()) == 1


def test_a_report_must_be_a_json_object(run, tagger, tmp_path) -> None:
    tagger.save(tmp_path / "model.lt")
    (tmp_path / "report.json").write_text("[]")
    made = run("-m", "labeltree", "push", "model.lt", "me/tags", "--report", "report.json", code=2)
    assert "must be a JSON object" in made.stderr


def test_a_dry_run_prints_the_card_of_a_training_report(hub, run, tmp_path) -> None:
    rows = [
        {"text": f"{tag} number {i}", "tags": [tag]} for i in range(40) for tag in ("tea", "rye")
    ]
    (tmp_path / "docs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    report = run("-m", "labeltree", "train", "docs.jsonl", "-o", "model.lt", "--json").stdout
    (tmp_path / "report.json").write_text(report)
    words = ["push", "model.lt", "me/tags", "--report", "report.json", "--dry-run"]
    card = run("-m", "labeltree", *words).stdout
    assert "times the lower bound of any tree" in card
    assert "| ECE@5 |" in card
    assert hub.requests == []


def test_without_the_package_the_error_names_the_extra(monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ImportError, match=r'pip install "labeltree\[hub\]"'):
        lt.load("hf://me/tags")
