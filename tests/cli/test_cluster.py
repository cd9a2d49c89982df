import sys

import pytest

from labeltree import cli


@pytest.mark.parametrize("option", ["--shared-dir", "--worker-threads"])
def test_options_of_a_cluster_need_one(option, tmp_path, capsys) -> None:
    data = tmp_path / "docs.jsonl"
    data.write_text('{"text": "green tea", "tags": ["tea"]}\n')
    value = {"--shared-dir": str(tmp_path), "--worker-threads": "2"}[option]
    assert cli.main(["train", str(data), "-o", str(tmp_path / "m.lt"), option, value]) == 2
    assert f"{option} is for a cluster; add --ray ADDRESS" in capsys.readouterr().err


def test_without_ray_the_message_names_the_extra(tmp_path, capsys, monkeypatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[:2] == ["labeltree", "ray"]]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    data = tmp_path / "docs.jsonl"
    data.write_text('{"text": "green tea", "tags": ["tea"]}\n')
    assert cli.main(["train", str(data), "-o", str(tmp_path / "m.lt"), "--ray", "auto"]) == 2
    assert 'pip install "labeltree[ray]"' in capsys.readouterr().err
