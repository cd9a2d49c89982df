"""The option --encoder, with packages that open encoders of the tests."""

import json

import pytest

import labeltree as lt
from labeltree.cli import main
from tests.cli.text_files import ROWS, file_with, jsonl_of
from tests.text.test_named_encoders import SENTENCES, STATIC, packages

__all__ = ["packages"]


@pytest.fixture
def texts(tmp_path):
    return file_with(tmp_path, "green tea\nwhite bread\n", "texts.txt")


@pytest.fixture
def trained(tmp_path, packages):
    """A model file trained with an encoder that is not in the local cache."""
    docs, model = jsonl_of(tmp_path, ROWS), str(tmp_path / "model.lt")
    assert main(["train", docs, "-o", model, "--encoder", STATIC, "--no-holdout"]) == 0
    return model


def test_train_adds_the_numbers_of_an_encoder(trained) -> None:
    tagger = lt.load(trained)
    assert tagger.encoder.name == STATIC
    assert tagger.features_.n_embeddings > 0


def test_predict_opens_the_encoder_that_is_named(trained, texts, capfd) -> None:
    expected = lt.load(trained).set_encoder(STATIC).tag(["green tea", "white bread"])
    capfd.readouterr()
    assert main(["predict", trained, texts, "--encoder", STATIC, "--json"]) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["labels"] for row in rows] == [[tag for tag, _ in row] for row in expected]


def test_predict_needs_no_option_for_a_cached_encoder(trained, texts, packages) -> None:
    packages.cached.add(STATIC.partition(":")[2])
    assert main(["predict", trained, texts]) == 0


def test_an_encoder_that_is_not_cached_is_named(trained, texts, capfd) -> None:
    assert main(["predict", trained, texts]) == 1
    assert "is not in the local cache" in capfd.readouterr().err


@pytest.mark.parametrize("command", ["evaluate", "update"])
def test_other_commands_open_the_encoder(command, trained, tmp_path) -> None:
    docs = jsonl_of(tmp_path, ROWS)
    assert main([command, trained, docs, "--encoder", STATIC]) == 0


def test_explain_opens_the_encoder(trained) -> None:
    assert main(["explain", trained, "green tea", "--encoder", STATIC]) == 0


def test_an_unknown_package_is_refused(tmp_path, capfd) -> None:
    docs = jsonl_of(tmp_path, ROWS)
    assert main(["train", docs, "-o", str(tmp_path / "m.lt"), "--encoder", "bert"]) == 2
    message = "must be sentence-transformers:MODEL or model2vec:MODEL, but is 'bert'"
    assert message in capfd.readouterr().err


def test_a_model_of_words_takes_no_encoder(model, texts, capfd) -> None:
    assert main(["predict", model, texts, "--encoder", SENTENCES]) == 2
    assert "this one has words only" in capfd.readouterr().err


def test_numeric_features_take_no_encoder(matrices, tmp_path, capfd) -> None:
    arguments = ["train", *matrices, "-o", str(tmp_path / "m.lt"), "--encoder", STATIC]
    assert main(arguments) == 2
    assert "--encoder applies to texts" in capfd.readouterr().err
