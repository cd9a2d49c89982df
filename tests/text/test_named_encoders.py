"""TextTagger with the name of an encoder, and what a model file with such a name may open."""

import pickle
import sys
from types import ModuleType

import numpy as np
import pytest
from sklearn.base import clone

import labeltree as lt
from labeltree import TextTagger
from tests.model_files import content_edit, edited, put
from tests.text.test_encoders import TAGS, TEXTS, by_letters

SENTENCES = "sentence-transformers:all-MiniLM-L6-v2"
STATIC = "model2vec:minishlab/potion-base-8M"


class Model:
    def encode(self, texts):
        return by_letters(texts)


class Packages:
    """What was opened, and the models that are in the cache."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, bool]] = []
        self.cached: set[str] = set()

    def sentence_transformer(self, model, *, local_files_only=False):
        if local_files_only and model not in self.cached:
            raise OSError("offline")
        self.opened.append((model, local_files_only))
        return Model()

    def snapshot_download(self, model, *, local_files_only=False):
        assert local_files_only
        if model not in self.cached:
            raise FileNotFoundError("offline")
        return f"cache/{model}"

    def from_pretrained(self, model):
        self.opened.append((model, model.startswith("cache/")))
        return Model()


@pytest.fixture
def packages(monkeypatch):
    made = Packages()
    contents = {
        "sentence_transformers": {"SentenceTransformer": made.sentence_transformer},
        "model2vec": {"StaticModel": made},
        "huggingface_hub": {"snapshot_download": made.snapshot_download},
    }
    for name, names in contents.items():
        module = ModuleType(name)
        vars(module).update(names)
        monkeypatch.setitem(sys.modules, name, module)
    return made


def fitted(encoder, **options) -> TextTagger:
    return TextTagger(n_jobs=1, ngram_range=(1, 1), encoder=encoder, **options).fit(TEXTS, TAGS)


def saved(tagger, folder):
    tagger.save(folder / "model.lt")
    return folder / "model.lt"


@pytest.mark.parametrize("name", [SENTENCES, STATIC])
def test_a_name_is_an_encoder(name, packages) -> None:
    assert fitted(name).tag(TEXTS) == fitted(by_letters).tag(TEXTS)
    assert packages.opened == [(name.partition(":")[2], False)]


def test_the_name_stays_the_parameter(packages) -> None:
    tagger = fitted(STATIC)
    assert clone(tagger).get_params()["encoder"] == STATIC
    assert tagger.encoder_.name == STATIC


def test_a_pickle_opens_the_model_again(packages) -> None:
    tagger = pickle.loads(pickle.dumps(fitted(STATIC)))
    assert len(tagger.tag(TEXTS)) == 4
    assert len(packages.opened) == 2


@pytest.mark.parametrize("name", [SENTENCES, STATIC])
def test_a_missing_package_is_named_with_the_remedy(name, monkeypatch) -> None:
    package = name.partition(":")[0]
    monkeypatch.setitem(sys.modules, package.replace("-", "_"), None)
    with pytest.raises(ModuleNotFoundError, match=f"needs the package .*: pip install {package}"):
        fitted(name)


@pytest.mark.parametrize("name", ["potion", "spacy:en", "model2vec:"])
def test_other_names_are_refused(name) -> None:
    with pytest.raises(ValueError, match="a name that starts with 'sentence-transformers:'"):
        fitted(name)


# The model file ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [SENTENCES, STATIC])
def test_a_loaded_tagger_opens_its_encoder_from_the_cache(name, packages, tmp_path) -> None:
    tagger = fitted(name)
    packages.cached.add(name.partition(":")[2])
    loaded = lt.load(saved(tagger, tmp_path))
    assert loaded.tag(TEXTS) == tagger.tag(TEXTS)
    assert [is_cached for _, is_cached in packages.opened] == [False, True]


@pytest.mark.parametrize("name", [SENTENCES, STATIC])
def test_a_file_downloads_nothing(name, packages, tmp_path) -> None:
    loaded = lt.load(saved(fitted(name), tmp_path))
    with pytest.raises(
        ValueError, match=r"not in the local cache.*set_encoder\('.*'\) to download"
    ):
        loaded.tag(TEXTS)
    assert len(packages.opened) == 1


def test_a_file_downloads_nothing_when_its_tagger_is_trained_again(packages, tmp_path) -> None:
    loaded = lt.load(saved(fitted(STATIC), tmp_path))
    with pytest.raises(ValueError, match="not in the local cache"):
        clone(loaded).fit(TEXTS, TAGS)


def test_set_encoder_takes_a_name_and_downloads(packages, tmp_path) -> None:
    tagger = fitted(STATIC)
    loaded = lt.load(saved(tagger, tmp_path)).set_encoder(STATIC)
    assert loaded.tag(TEXTS) == tagger.tag(TEXTS)
    assert packages.opened[-1] == ("minishlab/potion-base-8M", False)


@pytest.mark.parametrize(
    "model", ["/srv/model", "../model", "a/b/c", "C:\\m", "//host/m", "http://a"]
)
@pytest.mark.parametrize("package", ["sentence-transformers", "model2vec"])
def test_a_file_reads_no_folder_and_no_address(package, model, packages, tmp_path) -> None:
    path = saved(fitted(STATIC), tmp_path)
    name = f"{package}:{model}"
    packages.cached.add(model)
    edit = content_edit("text", "encoder", value=name)
    loaded = lt.load(put(tmp_path, edited(path.read_bytes(), edit)))
    with pytest.raises(ValueError, match="files do not decide which folders are read"):
        loaded.tag(TEXTS)
    assert len(packages.opened) == 1


def test_a_file_reads_no_folder_with_the_name_of_a_model(packages, tmp_path, monkeypatch) -> None:
    loaded = lt.load(saved(fitted(SENTENCES), tmp_path))
    packages.cached.add("all-MiniLM-L6-v2")
    (tmp_path / "all-MiniLM-L6-v2").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="files do not decide which folders are read"):
        loaded.tag(TEXTS)


def test_a_model_of_model2vec_is_opened_from_a_folder(tmp_path) -> None:
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    words = sorted({word for text in TEXTS for word in text.split()})
    numbers = {"[UNK]": 0} | {word: i for i, word in enumerate(words, 1)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    model = model2vec.StaticModel(0.5 + np.eye(len(numbers), 4, dtype=np.float32), tokenizer)
    model.save_pretrained(tmp_path / "static")
    assert fitted(f"model2vec:{tmp_path / 'static'}").tag(TEXTS) == fitted(model).tag(TEXTS)
