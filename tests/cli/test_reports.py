"""Reports as JSON, exit codes, and messages that name options, for every command."""

from __future__ import annotations

import argparse
import json
import os

import pytest

from labeltree import datasets
from labeltree.cli import main, make_parser
from labeltree.datasets import TextData
from tests.cli.text_files import ROWS, command, file_with


@pytest.fixture
def few_docs(monkeypatch) -> None:
    texts, tags = [text for text, _ in ROWS], [tags for _, tags in ROWS]
    monkeypatch.setattr(
        datasets, "python_docs", lambda packages: TextData("python_docs", texts, tags)
    )


def filled(words: list[str], **values: str) -> list[str]:
    return [values.get(word, word) for word in words]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["train", "DATA", "-o", "OUT"], {"n_rows", "metrics", "cost_per_row", "written"}),
        (["tune", "DATA", "-o", "OUT", "--n-settings", "2"], {"trials", "best", "written"}),
        (["tune", "DATA", "--dry-run", "--n-settings", "2"], {"trials", "best", "command"}),
        (["update", "MODEL", "DATA"], {"n_rows", "n_new_labels", "cost_per_row", "written"}),
        (["evaluate", "MODEL", "DATA"], {"n_rows", "P@1", "seconds_per_row"}),
        (["explain", "MODEL", "green tea"], {"label"}),
        (["plan", "DATA"], {"best", "trees", "fits"}),
        (["tree", "DATA"], {"cost", "lower_bound", "written"}),
        (["inspect", "MODEL"], {"trees"}),
        (["demo", "--output", "OUT"], {"plan", "model", "written"}),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else "",
)
@pytest.mark.usefixtures("few_docs")
def test_json_is_one_object_on_standard_output(
    words, names, model, jsonl, tmp_path, capsys
) -> None:
    arguments = filled(words, DATA=jsonl, MODEL=model, OUT=str(tmp_path / "out"))
    assert main([*arguments, "--json"]) == 0
    assert names <= json.loads(capsys.readouterr().out).keys()


def test_the_figures_of_json_are_those_of_the_report(jsonl, tmp_path, capsys) -> None:
    out = str(tmp_path / "out.lt")
    assert main(["train", jsonl, "-o", out, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert main(["train", jsonl, "-o", out]) == 0
    report = capsys.readouterr().out
    assert f"cost           {found['cost_per_row']:.1f} nodes per row" in report
    assert f"P@1 / 3 / 5    {100 * found['metrics']['P@1']:.1f} %" in report


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "DATA", "-o", "OUT", "--tree", "oak"], "argument --tree: invalid choice: 'oak'"),
        (["train", "DATA", "-o", "OUT", "--C", "-1"], "--C must be"),
        (["train", "DATA", "-o", "OUT", "--n-trees", "0"], "--n-trees must be"),
        (["train", "DATA", "-o", "OUT", "--max-memory", "lots"], "argument --max-memory"),
        (["tune", "DATA", "-o", "OUT", "--time", "soon"], "argument --time: a limit is a number"),
        (["tune", "DATA", "-o", "OUT", "--holdout", "2"], "--holdout must be"),
        (["tune", "DATA", "-o", "OUT", "--n-settings", "0"], "--n-settings must be"),
        (["plan", "DATA", "--sweeps", "-1"], "--sweeps must be"),
        (["plan", "DATA", "--holdout", "2"], "--holdout must be"),
        (["plan", "DATA", "--trees", "oak"], "--trees must be among"),
        (["plan", "DATA", "--labels-only", "--budget", "1s"], "--budget needs features"),
        (["plan", "DATA", "--json", "plan.json"], "unrecognized arguments: plan.json"),
        (["predict", "MODEL", "DATA", "--beam", "0"], "--beam must be at least 1"),
        (["predict", "MODEL", "DATA", "--threshold", "2"], "--threshold must be from 0 to 1"),
    ],
)
def test_a_wrong_value_of_an_option_is_code_2(
    words, message, model, jsonl, tmp_path, capsys
) -> None:
    arguments = filled(words, DATA=jsonl, MODEL=model, OUT=str(tmp_path / "out.lt"))
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_messages_about_data_have_no_python_names(tmp_path, capsys) -> None:
    data = file_with(tmp_path, "tea\ta\n" * 3, "docs.tsv")
    assert main(["tune", data, "--dry-run"]) == 1
    assert "but the data has 3 rows" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_reported_for_the_target(jsonl, tmp_path, capsys) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    assert main(["train", jsonl, "-q", "-o", str(folder / "m.lt")]) == 1
    assert capsys.readouterr().err == f"labeltree: {folder / 'm.lt'}: Permission denied\n"


def test_errors_never_name_the_temporary_file(jsonl, tmp_path, monkeypatch, capsys) -> None:
    plain = os.open

    def denied(path, flags, *rest, **options):
        if flags & os.O_EXCL and str(path).endswith(".part"):
            raise PermissionError(13, "Permission denied", str(path))
        return plain(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", denied)
    out = str(tmp_path / "out.lt")
    assert main(["train", jsonl, "-q", "-o", out]) == 1
    assert capsys.readouterr().err == f"labeltree: {out}: Permission denied\n"


def test_predict_takes_a_beam_and_a_number_of_threads(model, jsonl, capfd) -> None:
    assert main(["predict", model, jsonl, "--n-jobs", "1"]) == 0
    exact = capfd.readouterr().out
    assert main(["predict", model, jsonl, "--n-jobs", "1", "--beam", "50"]) == 0
    assert capfd.readouterr().out == exact


def test_tune_prints_one_line_per_stage_without_a_terminal(jsonl, tmp_path) -> None:
    out = str(tmp_path / "out.lt")
    done = command("tune", jsonl, "-o", out, "--n-settings", "2", "--json", stdout=-1)
    stages = [line.partition(": ")[0] for line in done.stderr.splitlines()]
    expected = ["reading", "searching", "making features", "building trees", "training", "writing"]
    assert stages == expected


def test_every_command_has_a_json_flag() -> None:
    parsers = next(a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction))
    without = {
        name
        for name, parser in parsers.choices.items()
        if not any("--json" in action.option_strings for action in parser._actions)
    }
    assert without == {"completion"}  # whose output is a script


def test_convert_reports_as_json(tmp_path, capsys) -> None:
    (tmp_path / "docs.jsonl").write_text('{"text": "green tea", "tags": ["tea"]}\n')
    out = str(tmp_path / "docs.tsv")
    assert main(["convert", str(tmp_path / "docs.jsonl"), "-o", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"written": [out], "n_rows": 1}


def test_predict_prints_json_on_request(model, tmp_path, capsys) -> None:
    (tmp_path / "texts.txt").write_text("green tea\n")
    assert main(["predict", model, str(tmp_path / "texts.txt"), "--json", "--k", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["labels"] == ["tea"]
    wrong = ["predict", model, str(tmp_path / "texts.txt"), "--json", "--output-format", "csv"]
    assert main(wrong) == 2


def test_stream_summarizes_as_json_on_standard_error(tmp_path, capsys) -> None:
    (tmp_path / "docs.jsonl").write_text('{"text": "green tea", "tags": ["tea"]}\n{"text": 7}\n')
    arguments = ["stream", str(tmp_path / "new.lt"), str(tmp_path / "docs.jsonl"), "--json"]
    assert main(arguments) == 0
    figures = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert (figures["n_good"], figures["n_learned"], figures["n_bad"]) == (1, 1, 1)
