"""Commands that read and write Parquet files."""

import json
from pathlib import Path

import pytest

import labeltree as lt
from labeltree import cli
from labeltree.data import read_parquet, write_parquet
from tests.cli.text_files import ROWS

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def run(*arguments: object, code: int = 0) -> None:
    assert cli.main([*map(str, arguments)]) == code


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    write_parquet(tmp_path / "docs.parquet", ROWS)
    return tmp_path / "docs.parquet"


def test_a_model_of_parquet_is_that_of_json(docs, jsonl, tmp_path) -> None:
    for source, model in ((docs, "a.lt"), (jsonl, "b.lt")):
        run("train", source, "-o", tmp_path / model, "--quiet")
    assert (tmp_path / "a.lt").read_bytes() == (tmp_path / "b.lt").read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "MODEL", "DOCS"],
        ["update", "MODEL", "DOCS"],
        ["stream", "MODEL", "DOCS"],
        ["plan", "DOCS", "--labels-only"],
        ["tree", "DOCS"],
    ],
)
def test_commands_read_parquet(command, docs, model, capsys) -> None:
    places = {"MODEL": model, "DOCS": docs}
    run(*[places.get(word, word) for word in command])


@pytest.mark.parametrize("name", ["docs.jsonl", "docs.tsv", "docs.ft"])
def test_texts_survive_a_round_trip_through_parquet(name, tmp_path) -> None:
    rows = [("green tea", ["tea", "hot"]), ("rye bread", ["bread"])]
    write_parquet(tmp_path / "a.parquet", rows)
    run("convert", tmp_path / "a.parquet", "-o", tmp_path / name)
    run("convert", tmp_path / name, "-o", tmp_path / "b.parquet")
    assert list(read_parquet(tmp_path / "b.parquet")) == rows


def test_predictions_are_written_as_lists(docs, model, tmp_path) -> None:
    run("predict", model, docs, "-o", tmp_path / "tags.parquet", "--k", 2)
    run("predict", model, docs, "-o", tmp_path / "tags.jsonl", "--k", 2)
    table = pq.read_table(tmp_path / "tags.parquet")
    lines = (tmp_path / "tags.jsonl").read_text().splitlines()
    assert table.column_names == ["labels", "probabilities"]
    assert table["labels"].to_pylist() == [json.loads(line)["labels"] for line in lines]


@pytest.mark.parametrize("ids", [[7, 8], ["a", "b"]])
def test_identifiers_keep_their_type(ids, model, tmp_path) -> None:
    pq.write_table(pa.table({"text": ["tea", "rye"], "nr": ids}), tmp_path / "in.parquet")
    run("predict", model, tmp_path / "in.parquet", "--id-field", "nr", "-o", tmp_path / "o.parquet")
    assert pq.read_table(tmp_path / "o.parquet")["id"].to_pylist() == ids


def test_identifiers_of_two_types_are_refused(model, tmp_path, capsys) -> None:
    lines = [json.dumps({"text": "tea", "nr": number}) for number in (7, "b")]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    options = ["--id-field", "nr", "--chunk", 1, "-o", tmp_path / "o.parquet"]
    run("predict", model, tmp_path / "in.jsonl", *options, code=1)
    assert "all integers or all strings" in capsys.readouterr().err
    assert not (tmp_path / "o.parquet").exists()


def test_labels_that_are_numbers_stay_numbers(tmp_path) -> None:
    lt.PLTClassifier(n_jobs=1).fit([[1, 0], [0, 1]], [[3], [5]]).save(tmp_path / "model.lt")
    (tmp_path / "X.txt").write_text("1 2 6\n 0:1\n")
    run("predict", tmp_path / "model.lt", tmp_path / "X.txt", "-o", tmp_path / "o.parquet")
    assert sorted(pq.read_table(tmp_path / "o.parquet")["labels"][0].as_py()) == [3, 5]


def test_a_failed_prediction_leaves_the_output_as_it_was(model, tmp_path, capsys) -> None:
    out = tmp_path / "tags.parquet"
    write_parquet(out, [("before", [])])
    before = out.read_bytes()
    pq.write_table(pa.table({"text": ["tea", None]}), tmp_path / "in.parquet")
    run("predict", model, tmp_path / "in.parquet", "-o", out, code=1)
    assert 'in.parquet: row 1: column "text" must not be null' in capsys.readouterr().err
    assert out.read_bytes() == before


@pytest.mark.parametrize("output", ["-", "tags.parquet.gz"])
def test_parquet_is_written_to_a_plain_file_only(output, docs, model, capsys) -> None:
    run("convert", docs, "--to", "parquet", "-o", output, code=2)
    run("predict", model, docs, "--output-format", "parquet", "-o", output, code=2)
    assert "Parquet is written to a plain file" in capsys.readouterr().err


def test_a_missing_column_names_the_option(docs, tmp_path, capsys) -> None:
    run("train", docs, "--text-field", "body", "-o", tmp_path / "m.lt", code=1)
    message = 'docs.parquet: column "body" is missing; columns are "text", "tags"; set --text-field'
    assert message in capsys.readouterr().err


def test_a_stream_continues_after_a_bad_row(model, tmp_path, capsys) -> None:
    made = pa.table({"text": ["green tea", None, "rye"], "tags": [["tea"], ["a"], None]})
    pq.write_table(made, tmp_path / "in.parquet")
    run("stream", model, tmp_path / "in.parquet")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert ["error" in line for line in lines] == [False, True, False]


# Numeric features -------------------------------------------------------------------------------


def test_features_survive_a_round_trip_through_parquet(xmc, tmp_path) -> None:
    run("convert", xmc, "-o", tmp_path / "rows.parquet")
    run("convert", tmp_path / "rows.parquet", "-o", tmp_path / "back.txt")
    assert (tmp_path / "back.txt").read_text() == Path(xmc).read_text()


def test_a_model_of_features_in_parquet_is_that_of_xmc_text(xmc, tmp_path) -> None:
    run("convert", xmc, "-o", tmp_path / "rows.parquet")
    for source, name in ((xmc, "a.lt"), (tmp_path / "rows.parquet", "b.lt")):
        run("train", source, "-o", tmp_path / name, "--quiet", "--no-holdout")
    assert (tmp_path / "a.lt").read_bytes() == (tmp_path / "b.lt").read_bytes()


def test_features_without_labels_are_predicted_but_not_trained_on(xmc, tmp_path, capsys) -> None:
    run("train", xmc, "-o", tmp_path / "model.lt", "--quiet", "--no-holdout")
    pq.write_table(pa.table({"indices": [[0]], "values": [[1.0]]}), tmp_path / "x.parquet")
    run("predict", tmp_path / "model.lt", tmp_path / "x.parquet")
    run("train", tmp_path / "x.parquet", "-o", tmp_path / "other.lt", code=1)
    assert "there is no column of labels; set --label-field" in capsys.readouterr().err
