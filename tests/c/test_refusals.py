"""What the C library refuses, and how it says so."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import labeltree as lt
from labeltree import ModelFileError, PLTClassifier, TextTagger
from tests.c.library import SKIP_CHECKSUMS, Model, RefusedError, needs_library, version
from tests.fuzz.model_mutations import Parts, mutated_model
from tests.fuzz.seed_models import seed_models
from tests.model_files import assemble, content_edit, edited, put, with_array, with_section
from tests.shown_errors import message_of, not_raised
from tests.storage.small_model import TREE, X, Y

pytestmark = needs_library


@pytest.fixture
def path(tmp_path) -> Path:
    PLTClassifier(tree=TREE, n_jobs=1).fit(X, Y).save(tmp_path / "model.lt")
    return tmp_path / "model.lt"


def is_refused(path: Path, match: str | None, options: int = 0) -> None:
    with pytest.raises(RefusedError, match=match) as failure:
        Model(path, options)
    assert str(failure.value).startswith(f"{path}: ")


# Files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"x", "not a labeltree model file"),
        (b"\x89LTM\r\n\x1a\n", "cut off after 8 bytes"),
        (assemble(b"{}", version=2), "it has format 2; this release reads format 1. Upgrade"),
        (assemble(b"{}", version=0), "formats count from 1"),
    ],
)
def test_another_kind_of_file_is_named(content, message, tmp_path) -> None:
    is_refused(put(tmp_path, content), message)


def test_a_missing_file_is_not_found(tmp_path) -> None:
    is_refused(tmp_path / "none.lt", "No such file")


def test_a_folder_is_not_a_model_file(tmp_path) -> None:
    is_refused(tmp_path, "it is a folder")


def test_a_pipe_is_refused_without_waiting(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    is_refused(tmp_path / "pipe", "pipe or a device")


def test_a_tagger_is_refused_with_what_to_do(tmp_path) -> None:
    tagger = TextTagger().fit(["green tea", "black tea"], [["green"], ["black"]])
    tagger.save(tmp_path / "tagger.lt")
    is_refused(tmp_path / "tagger.lt", "holds a TextTagger.* Save its classifier_ instead")
    tagger.classifier_.save(tmp_path / "classifier.lt")
    with Model(tmp_path / "classifier.lt") as model:
        assert model.names() == ["black", "green"]


def test_a_required_section_of_a_later_release_is_refused(path) -> None:
    file = with_section(path.read_bytes(), "later", required=True)
    is_refused(put(path.parent, file), "section 'later' is required, but .* Upgrade labeltree")


def test_an_optional_section_of_a_later_release_is_skipped(path) -> None:
    with Model(put(path.parent, with_section(path.read_bytes(), "later", required=False))) as model:
        assert model.n_labels == 4


@pytest.mark.parametrize(
    ("section", "key", "value", "message"),
    [
        ("model", "n_trees", 0, "n_trees must be an integer in 1.."),
        ("model", "n_trees", 2, "array tree1.parent is missing"),
        ("model", "link", "cosine", "link must be one of"),
        ("model", "depth", 3, "section 'model': key depth is unknown to this release"),
        ("model", "has_root", None, "section 'model': 'has_root' is missing"),
        ("labels", "names", "pickled", 'unknown kind "pickled"'),
        ("labels", "names", "positions", "section 'labels': array labels.* is unknown"),
        ("estimator", "kind", "OSError", 'the estimator "OSError" is unknown'),
        ("calibration", "objective", "accuracy", "objective must be null or one of"),
    ],
)
def test_hostile_content_is_refused(section, key, value, message, path) -> None:
    file = edited(path.read_bytes(), content_edit(section, key, value=value))
    is_refused(put(path.parent, file), message)


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("tree0.parent", 6, 7, "tree0: parents must lie in -1..6, but node 6 has 7"),
        ("tree0.label", 6, 0, "tree0: a label sits on one leaf"),
        ("tree0.bias", 2, np.nan, "tree0: bias, .* must be finite, but are not in node 2"),
        ("tree0.byte_begin", 1, 2**40, "tree0: byte_begin must lie within bytes"),
        ("labels.ends", 1, 2**40, "labels.ends must not decrease"),
        ("labels.text", 0, 0xFF, "labels.text must be UTF-8"),
    ],
)
def test_hostile_arrays_are_refused(name, place, value, message, path) -> None:
    array = Parts.of(path.read_bytes()).arrays[name].copy()
    array[place] = value
    is_refused(put(path.parent, with_array(path.read_bytes(), name, array.tobytes())), message)


@pytest.fixture(scope="module")
def pairs_file() -> bytes:
    return seed_models()["pairs"]


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("row_scaling.pair_begin", 0, 1, "row_scaling: pairs must begin with 0 and end with"),
        ("row_scaling.pair_begin", 1, 2**30, "row_scaling: beginnings of pairs must ascend"),
        ("row_scaling.pair_begin", 1, -1, "row_scaling: beginnings of pairs must ascend"),
        ("row_scaling.pair_begin", -1, -5, "row_scaling: pairs must begin with 0 and end with"),
        ("row_scaling.pair_partners", 0, 2**30, "partners of feature 0 must be larger features"),
        ("row_scaling.pair_partners", 0, 0, "partners of feature 0 must be larger features"),
        ("row_scaling.pair_partners", -1, -1, "must be larger features that ascend"),
    ],
)
def test_hostile_pairs_are_refused(name, place, value, message, pairs_file, tmp_path) -> None:
    array = Parts.of(pairs_file).arrays[name].copy()
    array[place] = value
    changed = put(tmp_path, with_array(pairs_file, name, array.tobytes()))
    is_refused(changed, message)
    with pytest.raises(ModelFileError, match=message.removeprefix("row_scaling: ")):
        lt.load(changed)


@pytest.mark.parametrize("name", ["row_scaling.pair_begin", "row_scaling.pair_partners"])
@pytest.mark.parametrize("size", [0, 1, 2])
def test_pairs_of_another_number_are_refused(name, size, pairs_file, tmp_path) -> None:
    parts = Parts.of(pairs_file)
    parts.arrays[name] = np.zeros(size, np.int32)
    header, data = parts.laid_out()
    changed = put(tmp_path, assemble(json.dumps(header).encode(), data))
    is_refused(changed, "row_scaling has .* pairs of .* features, but the model has")
    with pytest.raises(ModelFileError, match=r"row_scaling has .* pairs of .* features, but"):
        lt.load(changed)


@pytest.mark.parametrize(
    ("factor", "message"),
    [
        (0.0, "the factor of pairs must be above 0"),
        (-1.0, "pair_factor must"),
        (1e9, "pair_factor must"),
        ("much", "pair_factor must"),
        (None, "'pair_factor' is missing"),
    ],
)
def test_a_hostile_factor_of_pairs_is_refused(factor, message, pairs_file, tmp_path) -> None:
    edit = content_edit("row_scaling", "pair_factor", value=factor)
    is_refused(put(tmp_path, edited(pairs_file, edit)), message)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "not JSON"),
        (b'{"sections": []', "not JSON: expected }"),
        (b'{"sections": [],}', "not JSON: expected a key"),
        (b'{"sections": [1,]}', "not JSON: expected a value"),
        (b'{"sections": [01]}', "not JSON: expected a value"),
        (b'{"sections": [NaN]}', "not JSON: expected a value"),
        (b'{"sections": [1.]}', "not JSON: expected a digit"),
        (b'{"sections": [1e999]}', "must fit into a float64, but one is 1e999"),
        (b'{"sections": [1e-999]}', "must fit into a float64, but one is 1e-999"),
        (b'{"sections": [1' + b"0" * 400 + b"]}", "must fit into a float64, but one is 1000"),
        (b'{"sections": ["\\x"]}', "not JSON: a text has the unknown escape"),
        (b'{"sections": ["\\ud800"]}', "not JSON: a text has the unknown escape"),
        (b'{"sections": ["a\tb"]}', "not JSON: control characters are escaped"),
        (b'{"sections": ["\xff"]}', "not JSON: it is not UTF-8"),
        (b'{"sections": ["', "not JSON: a text has no end"),
        (b'{"sections": []} 1', "not JSON: there is more behind it"),
        (b'{"sections": [], "section\\u0073": []}', 'the key "section.*" twice'),
        (b'{"sections": ' + b"[" * 15 + b"0" + b"]" * 15 + b"}", "nested more than 16 deep"),
        (b"[" * 10**6, "nested more than 16 deep"),
        (b"[]", "the header must be an object with sections"),
        (b'{"sections": {}}', "sections of the header must be a list"),
        (b'{"sections": []}', "section 'estimator' is missing"),
    ],
)
def test_hostile_headers_are_refused(header, message, tmp_path) -> None:
    is_refused(put(tmp_path, assemble(header)), message)


# Damage -----------------------------------------------------------------------------------------


def test_a_file_cut_off_anywhere_is_refused(path) -> None:
    whole = path.read_bytes()
    for size in range(0, len(whole), 7):
        is_refused(put(path.parent, whole[:size]), None, SKIP_CHECKSUMS)


def test_every_flipped_bit_is_found(path) -> None:
    whole = bytearray(path.read_bytes())
    for place in range(len(whole)):
        whole[place] ^= 1 << place % 8
        is_refused(put(path.parent, bytes(whole)), None)
        whole[place] ^= 1 << place % 8


def test_without_checksums_a_flip_in_an_array_is_not_looked_for(path) -> None:
    array = Parts.of(path.read_bytes()).arrays["tree0.bytes"].tobytes()
    damaged = path.read_bytes().replace(array, array[:-1] + bytes([array[-1] ^ 1]))
    is_refused(put(path.parent, damaged), "array tree0.bytes is damaged: its checksum is wrong")
    with Model(put(path.parent, damaged), SKIP_CHECKSUMS) as model:
        assert model.n_features == 3


# Any file ---------------------------------------------------------------------------------------


def opened_by_python(path: Path) -> PLTClassifier | None:
    try:
        found = lt.load(path)
    except ModelFileError:
        return None
    return None if isinstance(found, TextTagger) else found


def opened(path: Path) -> Model | str:
    """Return the model of a file, or why there is none."""
    try:
        return Model(path)
    except RefusedError as error:
        return str(error)


def predicts(model: Model, clf: PLTClassifier | None, feature: int) -> None:
    """Check a prediction of a file that the library opens, which Python may refuse."""
    labels, found = model.top_k([feature], [1.0], 3)
    assert ((found >= 0) & (found <= 1)).all()
    assert len(model.names()) == model.n_labels
    if clf is not None:
        row = np.array([feature], np.int32), np.ones(1, np.float32)
        expected = clf.top_k_row(*row, min(3, model.n_labels))
        assert labels.tolist() == expected[0].tolist()
        assert found.tobytes() == expected[1].tobytes()


def test_mutated_files_are_refused_or_predict_as_in_python(tmp_path) -> None:
    rng, files = np.random.default_rng(0), seed_models()
    seeds = {name: Parts.of(file) for name, file in files.items()}
    n_opened = 0
    for _ in range(int(os.environ.get("LABELTREE_C_CASES", "1000"))):
        path = put(tmp_path, mutated_model(rng, seeds, files))
        clf, model = opened_by_python(path), opened(path)
        if isinstance(model, str):
            assert model.startswith(f"{path}: ")
            assert clf is None, model
            continue
        with model:
            predicts(model, clf, int(rng.integers(model.n_features)))
        n_opened += 1
    assert n_opened


# Calls ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "values", "k", "message"),
    [
        ([3], [1.0], 1, r"feature 3 is outside 0\.\.2"),
        ([-1], [1.0], 1, r"feature -1 is outside 0\.\.2"),
        ([0], [np.nan], 1, "must not contain NaN or inf, but feature 0 does"),
        ([0], [1.0], 0, "k must be at least 1, but is 0"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused(features, values, k, message, path) -> None:
    with Model(path) as model, pytest.raises(RefusedError, match=message):
        model.top_k(features, values, k)


def test_more_labels_than_there_are_cannot_be_found(path) -> None:
    with Model(path) as model:
        labels, _ = model.top_k([0], [1.0], 2**63)
        assert sorted(labels.tolist()) == [0, 1, 2, 3]


def test_a_name_that_is_too_long_is_cut_off(path) -> None:
    with Model(path) as model:
        assert model.names()[0] == "tea"
        assert model.name(0, size=4) == (3, b"tea\0")
        assert model.name(0, size=3) == (3, b"te\0")
        assert model.name(0, size=0) == (3, b"")


@pytest.mark.parametrize("label", [-1, 4, 2**31 - 1])
def test_a_label_that_there_is_not_has_no_name(label, path) -> None:
    with Model(path) as model:
        assert model.name(label)[0] == -1


def test_unknown_options_are_refused(path) -> None:
    is_refused(path, "options must be 0 or LABELTREE_SKIP_CHECKSUMS, but is 2", 2)


def test_the_version_is_that_of_the_package() -> None:
    project = Path(__file__).parent.parent.parent / "pyproject.toml"
    assert f'version = "{version()}"' in project.read_text()


def test_the_guide_shows_what_the_library_says(path, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Model(path) as model:
        said = [message_of(lambda: model.top_k([3], [1.0], 1), RefusedError)]
    TextTagger().fit(["green tea", "rye bread"], [["tea"], ["bread"]]).save("model.lt")
    said.append(message_of(lambda: Model(Path("model.lt")), RefusedError))
    Path("model.lt").write_bytes(b"x")
    said.append(message_of(lambda: Model(Path("model.lt")), RefusedError))
    assert not_raised("c", said) == []
