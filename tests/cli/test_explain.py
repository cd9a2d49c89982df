"""The command explain, run in process."""

from __future__ import annotations

import json

import pytest

from labeltree.cli import main
from tests.cli.text_files import printed


def test_explain_names_words(model, capsys) -> None:
    assert main(["explain", model, "a green tea", "--label", "tea"]) == 0
    output = printed(capsys)
    assert output.startswith("tea: probability ")
    assert "green tea" in output


def test_explain_prints_json_and_saves_a_plot(model, tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    saved = tmp_path / "why.png"
    assert main(["explain", model, "rye", "--json", "--plot", str(saved)]) == 0
    assert json.loads(printed(capsys))["label"] == "rye"
    assert saved.exists()


def test_explain_refuses_an_unknown_label(model, capsys) -> None:
    assert main(["explain", model, "tea", "--label", "wine"]) == 1
    assert (
        "--label must be one of the 4 labels of the model, but is 'wine'" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--holdout", "0.4"], "calibrated; before calibration 0."),
        (["--no-holdout"], "not calibrated with validation rows; before the fixed curve 0."),
    ],
)
def test_explain_says_calibrated_only_if_train_held_out_rows(
    options, words, jsonl, tmp_path, capsys
) -> None:
    saved = str(tmp_path / "model.lt")
    assert main(["train", str(jsonl), "-o", saved, "--quiet", *options]) == 0
    printed(capsys)
    assert main(["explain", saved, "a green tea", "--label", "tea"]) == 0
    assert printed(capsys).splitlines()[1].startswith(words)
