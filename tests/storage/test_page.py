"""docs/reference/model-file.md against the files: a reader that knows only the page reads them."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labeltree import HSMClassifier, PLTClassifier, TextTagger
from labeltree.storage.registry import known_sections
from tests.reference import storage as reference

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "model-file.md").read_text()
RNG = np.random.default_rng(0)
X = (RNG.random((90, 300)) * (RNG.random((90, 300)) < 0.1)).astype(np.float32)
Y = [[f"label {j}" for j in np.flatnonzero(row)] for row in RNG.random((90, 12)) < 0.2]
ABOVE = [[*row, "label 12"] for row in Y]
CLASSES = RNG.integers(12, size=90)
WIDE = RNG.integers(600, size=(90, 20)).tolist()


def calibrated() -> PLTClassifier:
    clf = PLTClassifier(n_trees=2, tree="random").fit(X, Y)
    clf.calibrate(X, Y, method="depth_isotonic")
    return clf.tune_thresholds(X, Y, "macro_f1")


def fitted(**parameters):
    return lambda: PLTClassifier(**parameters).fit(X, Y)


def spread() -> np.ndarray:
    """X in columns far apart, so that features share buckets."""
    wide = np.zeros((90, 6000), np.float32)
    wide[:, ::20] = X
    return wide


MODELS = {
    "default": fitted(),
    "shared": lambda: PLTClassifier().fit(spread(), Y),
    "shared, quantized": lambda: PLTClassifier().fit(spread(), Y).quantize(),
    "logistic": fitted(loss="logistic", normalize=False, feature_weighting=None),
    "forest": fitted(tree="random", n_trees=3),
    "star": lambda: PLTClassifier(tree="star", weight_threshold=0.0).fit(X, WIDE),
    "quantized": lambda: PLTClassifier().fit(X, Y).quantize(),
    "weighted": fitted(feature_weighting=(0.5, 0.3)),
    "rankers": fitted(rerank=True),
    "forest with rankers": lambda: PLTClassifier(n_trees=2, rerank=True).fit(X, Y).quantize(),
    "implications": lambda: PLTClassifier(implications=True).fit(X, ABOVE),
    "calibrated": calibrated,
    "named": lambda: PLTClassifier().fit(pd.DataFrame(X).add_prefix("column "), Y),
    "online": lambda: PLTClassifier().fit(X, Y).partial_fit(X, Y),
    "classes": lambda: PLTClassifier().fit(X, CLASSES),
    "softmax": lambda: HSMClassifier().fit(X, CLASSES),
}


def tagger() -> TextTagger:
    texts, tags = ["green tea", "black tea", "rye bread"], [["tea"], ["tea"], ["bread"]]
    return TextTagger().fit(texts, tags, embeddings=np.eye(3))


def sections_of(estimator, folder: Path):
    estimator.save(folder / "model.lt")
    return reference.read_sections((folder / "model.lt").read_bytes())


@pytest.mark.parametrize("name", MODELS)
def test_a_reader_that_knows_only_the_page_predicts_the_same(name, tmp_path) -> None:
    clf = MODELS[name]()
    plain = spread() if name.startswith("shared") else X
    rows = pd.DataFrame(X).add_prefix("column ") if name == "named" else plain
    found = clf.predict_proba(rows)
    expected = found if isinstance(found, np.ndarray) else found.toarray()
    sections = sections_of(clf, tmp_path)
    np.testing.assert_allclose(reference.predict_proba(sections, plain), expected, atol=2e-6)


def test_features_of_a_wide_model_share_buckets(tmp_path) -> None:
    arrays = sections_of(MODELS["shared"](), tmp_path)["model"]["arrays"]
    assert ((arrays["tree0.shift"] > 0) & (arrays["tree0.shift"] < 10)).any()


def documented(name: str) -> set[str]:
    """What the page calls by name in the part about a section."""
    part = PAGE.partition(f"#### `{name}`\n")[2]
    return set(re.findall(r"`([^`\n]+)`", re.split(r"^###", part, flags=re.MULTILINE)[0]))


@pytest.mark.parametrize("make", [*MODELS.values(), tagger], ids=[*MODELS, "tagger"])
def test_every_key_and_array_of_a_file_is_on_the_page(make, tmp_path) -> None:
    for name, section in sections_of(make(), tmp_path).items():
        arrays = {re.sub(r"^tree\d+", "tree0", array) for array in section["arrays"]}
        if name == "features":  # "stored like those of the labels"
            arrays = {array.replace("features.", "labels.") for array in arrays}
            assert arrays <= documented("labels")
            arrays = set()
        assert {*section["content"], *arrays} <= documented(name)


def test_the_page_describes_the_sections_that_are_known() -> None:
    assert set(re.findall(r"^#### `(\w+)`$", PAGE, flags=re.MULTILINE)) == known_sections()


@pytest.mark.parametrize("make", [*MODELS.values(), tagger], ids=[*MODELS, "tagger"])
def test_the_page_says_which_sections_are_required(make, tmp_path) -> None:
    rows = re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \| (\w+) \|", PAGE, flags=re.MULTILINE)
    kinds = {name: kind == "required" for name, kind in rows}
    for name, section in sections_of(make(), tmp_path).items():
        assert section["required"] == kinds[name]
