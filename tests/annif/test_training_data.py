"""Annif documents as features and labels; does not need Annif."""

import builtins
from types import SimpleNamespace

import numpy as np
import pytest

import labeltree.annif
from labeltree import ModelFileError, PLTClassifier
from labeltree.annif.training_data import TrainingData
from labeltree.storage import write_file
from labeltree.text.options import MANY_TEXTS, TextOptions
from tests.model_files import content_edit, edited, put

DOCUMENTS = [("green tea", [7, 3]), ("", []), ("rye bread", [5]), ("tea", [3])]


def documents(pairs=DOCUMENTS):
    """Return documents that can be read only once."""
    return (SimpleNamespace(text=text, subject_set=subjects) for text, subjects in pairs)


@pytest.fixture
def data() -> TrainingData:
    return TrainingData.of(documents(), TextOptions(), "blanks", str.split)


def test_labels_are_the_subjects_that_occur(data) -> None:
    assert data.rows.names.tolist() == [3, 5, 7]
    assert [data.rows.row(i).tolist() for i in range(3)] == [[0, 2], [1], [0]]


def test_documents_without_subjects_are_skipped(data) -> None:
    assert data.X.shape[0] == data.rows.n_rows == 3


def test_features_are_the_words_of_the_tokenizer() -> None:
    pairs = [("a-b c", [1])]
    data = TrainingData.of(documents(pairs), TextOptions(ngram_range=(1, 1)), "blanks", str.split)
    assert data.features.names.tolist() == ["a-b", "c"]


@pytest.mark.parametrize(("n_texts", "n_words"), [(MANY_TEXTS - 1, 2), (MANY_TEXTS, 1)])
def test_rare_words_of_many_documents_are_dropped(n_texts, n_words) -> None:
    pairs = [("tea", [1])] * (n_texts - 1) + [("rare", [2])]
    data = TrainingData.of(documents(pairs), TextOptions(), "blanks", str.split)
    assert len(data.features.names) == n_words


def test_a_corpus_without_subjects_is_refused() -> None:
    with pytest.raises(ValueError, match="no document has a subject"):
        TrainingData.of(documents([("tea", [])]), TextOptions(), "blanks", str.split)


def test_saved_data_can_be_loaded(data, tmp_path) -> None:
    data.save(tmp_path / "train.lt")
    again = TrainingData.load(tmp_path / "train.lt")
    np.testing.assert_array_equal(again.X.toarray(), data.X.toarray())
    np.testing.assert_array_equal(again.rows.indices, data.rows.indices)
    np.testing.assert_array_equal(again.rows.names, data.rows.names)
    assert again.features.names.tolist() == data.features.names.tolist()
    assert again.features.options == data.features.options


def test_another_file_is_refused(tmp_path) -> None:
    write_file(tmp_path / "other.lt", [])
    with pytest.raises(ModelFileError, match="no training data of Annif"):
        TrainingData.load(tmp_path / "other.lt")


def test_a_model_is_not_training_data(tmp_path) -> None:
    PLTClassifier().fit([[1], [2]], [[0], [1]]).save(tmp_path / "model.lt")
    with pytest.raises(ModelFileError, match="no training data of Annif"):
        TrainingData.load(tmp_path / "model.lt")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("n_features", None, "'n_features' is missing"),
        ("n_features", "3", "n_features must be an integer"),
        ("n_features", 9, "must make up the 9 features"),
        ("more", 1, "'more' is unknown to this release"),
        ("options", [], "options must be an object"),
    ],
)
def test_hostile_training_data_is_refused(key, value, message, data, tmp_path) -> None:
    data.save(tmp_path / "train.lt")
    edit = content_edit("annif_training_data", key, value=value)
    file = put(tmp_path, edited((tmp_path / "train.lt").read_bytes(), edit))
    with pytest.raises(ModelFileError, match=message):
        TrainingData.load(file)


def test_without_annif_the_extra_is_named(monkeypatch) -> None:
    plain = builtins.__import__

    def without(name, *rest, **options):
        if name.partition(".")[0] == "annif":
            raise ModuleNotFoundError(name=name)
        return plain(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r'pip install "labeltree\[annif\]"'):
        labeltree.annif.register()
