"""The command explain, run in this process."""

from __future__ import annotations

import json

import pytest

from labeltree.cli import main
from tests.cli.text_files import printed


def test_explain_names_words(model, capsys) -> None:
    assert main(["explain", model, "a green tea", "--label", "tea"]) == 0
    said = printed(capsys)
    assert said.startswith("tea: probability ")
    assert "green tea" in said


def test_explain_gives_json_and_a_picture(model, tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "why.png"
    assert main(["explain", model, "rye", "--json", "--plot", str(picture)]) == 0
    assert json.loads(printed(capsys))["label"] == "rye"
    assert picture.exists()


def test_explain_refuses_an_unknown_label(model, capsys) -> None:
    assert main(["explain", model, "tea", "--label", "wine"]) == 1
    assert "label must be one of the 4 in classes_, but is 'wine'" in capsys.readouterr().err
