"""Commands with folders of mapped rows."""

import json

import numpy as np
import pytest
from scipy import sparse

import labeltree as lt
from labeltree.cli import main
from labeltree.data import read_mapped, write_parquet_features
from labeltree.training.memory import is_mapped


@pytest.fixture
def parquet(tmp_path):
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 20), density=0.3, rng=rng, dtype=np.float32, format="csr")
    Y = sparse.csr_array((rng.random((300, 6)) < 0.3).astype(np.uint8))
    write_parquet_features(tmp_path / "rows.parquet", X, Y)
    return str(tmp_path / "rows.parquet")


@pytest.fixture
def mapped(parquet, tmp_path):
    assert main(["convert", parquet, "-o", str(tmp_path / "rows.mapped")]) == 0
    return str(tmp_path / "rows.mapped")


def trained(data: str, tmp_path, *options: str) -> bytes:
    model = tmp_path / f"{len(list(tmp_path.iterdir()))}.lt"
    assert main(["train", data, "-q", "-o", str(model), *options]) == 0
    return lt.load(model).top_k(np.eye(20, dtype=np.float32), 6)[1].tobytes()


def test_a_parquet_file_becomes_mapped_rows(parquet, mapped) -> None:
    X, rows = lt.data.read_parquet_features(parquet)
    found, labels = read_mapped(mapped)
    np.testing.assert_array_equal(found.toarray(), X.toarray())
    np.testing.assert_array_equal(labels.to_csr().toarray(), rows.to_csr().toarray())


def test_several_batches_become_mapped_rows(parquet, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("labeltree.data.parquet.BATCH_ROWS", 7)
    assert main(["convert", parquet, "-o", str(tmp_path / "small.mapped")]) == 0
    found = read_mapped(tmp_path / "small.mapped")[0]
    np.testing.assert_array_equal(
        found.toarray(), lt.data.read_parquet_features(parquet)[0].toarray()
    )


def test_the_report_has_the_sizes(parquet, tmp_path, capsys) -> None:
    arguments = ["convert", parquet, "-o", str(tmp_path / "other.mapped"), "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n_rows"], found["n_features"], found["n_labels"]) == (300, 20, 6)


def test_matrices_become_mapped_rows(matrices, tmp_path) -> None:
    assert main(["convert", *matrices, "-o", str(tmp_path / "rows.mapped")]) == 0
    assert read_mapped(tmp_path / "rows.mapped")[0].shape == (24, 3)


@pytest.mark.parametrize("options", [["--no-holdout"], ["--max-memory", "1GB"]])
def test_training_from_mapped_rows_gives_the_same_model(options, parquet, mapped, tmp_path) -> None:
    assert trained(mapped, tmp_path, *options) == trained(parquet, tmp_path, *options)


def test_held_out_rows_leave_the_others_mapped(mapped, monkeypatch, tmp_path) -> None:
    seen, fit = [], lt.PLTClassifier.fit

    def watched(self, X, *rest, **options):
        seen.append(is_mapped(X))
        return fit(self, X, *rest, **options)

    monkeypatch.setattr(lt.PLTClassifier, "fit", watched)
    trained(mapped, tmp_path)
    assert seen == [True]


@pytest.mark.parametrize("command", ["evaluate", "plan", "predict"])
def test_other_commands_read_mapped_rows(command, mapped, tmp_path, capsys) -> None:
    trained(mapped, tmp_path)
    model = [str(next(tmp_path.glob("*.lt")))] if command != "plan" else []
    assert main([command, *model, mapped]) == 0
    assert capsys.readouterr().out


def test_predictions_of_a_parquet_file_are_those_of_its_mapped_rows(
    parquet, mapped, tmp_path, capsys, monkeypatch
) -> None:
    trained(mapped, tmp_path)
    model = str(next(tmp_path.glob("*.lt")))
    assert main(["predict", model, mapped]) == 0
    expected = capsys.readouterr().out
    monkeypatch.setattr("labeltree.data.parquet.BATCH_ROWS", 7)
    assert main(["predict", model, parquet]) == 0
    assert capsys.readouterr().out == expected


def test_an_existing_folder_is_not_replaced(parquet, mapped, capsys) -> None:
    assert main(["convert", parquet, "-o", mapped]) == 1
    assert "must not exist, but does" in capsys.readouterr().err
