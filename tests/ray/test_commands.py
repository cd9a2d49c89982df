import json

import pytest

pytest.importorskip("ray", reason='needs Ray: pip install "labeltree[ray]"')

from labeltree import cli


@pytest.fixture
def texts(tmp_path):
    lines = [{"text": f"word{i % 7} word{i % 5} tea", "tags": [f"t{i % 7}"]} for i in range(300)]
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_model_file_of_a_cluster_has_the_same_bytes(nodes, texts, tmp_path) -> None:
    one, other = tmp_path / "a.lt", tmp_path / "b.lt"
    assert cli.main(["train", str(texts), "-o", str(one), "-q"]) == 0
    command = ["train", str(texts), "-o", str(other), "-q", "--ray", nodes.address]
    assert cli.main(command) == 0
    assert one.read_bytes() == other.read_bytes()


def test_predictions_have_the_order_of_the_input(nodes, texts, tmp_path) -> None:
    model, one, other = tmp_path / "a.lt", tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    assert cli.main(["train", str(texts), "-o", str(model), "-q"]) == 0
    predict = ["predict", str(model), str(texts), "-q", "--chunk", "7", "-o"]
    assert cli.main([*predict, str(one)]) == 0
    assert cli.main([*predict, str(other), "--ray", nodes.address]) == 0
    assert other.read_text() == one.read_text()
    assert len(one.read_text().splitlines()) == 300


def test_tune_runs_on_a_cluster(nodes, texts, tmp_path, capsys) -> None:
    model = tmp_path / "a.lt"
    command = ["tune", str(texts), "-o", str(model), "--n-settings", "3", "--ray", nodes.address]
    assert cli.main([*command, "--time", "600s", "--json"]) == 0
    assert model.exists()
    assert len(json.loads(capsys.readouterr().out)["trials"]) >= 3


def test_workers_read_several_files(nodes, texts, tmp_path) -> None:
    lines = texts.read_text().splitlines(keepends=True)
    for i in range(5):
        (tmp_path / f"part-{i}.jsonl").write_text("".join(lines[60 * i : 60 * (i + 1)]))
    one, other = tmp_path / "a.lt", tmp_path / "b.lt"
    assert cli.main(["train", str(texts), "-o", str(one), "-q", "--no-holdout"]) == 0
    command = ["train", f"{tmp_path}/part-*.jsonl", "-o", str(other), "-q"]
    assert cli.main([*command, "--ray", nodes.address, "--shared-dir", str(tmp_path)]) == 0
    assert one.read_bytes() == other.read_bytes()
    assert not list(tmp_path.glob("labeltree-*"))
