"""Model files of any content: refused with a sentence, or safe to use in every way."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import labeltree as lt
from labeltree import ModelFileError, TextTagger
from labeltree.estimators.summary import summarize
from labeltree.trees import Hierarchy
from tests.animals import PAIRS
from tests.fuzz.byte_mutations import Random, pick
from tests.fuzz.model_mutations import Parts, mutated_model
from tests.fuzz.seed_models import TAGS, TEXTS, seed_models
from tests.fuzz.verdicts import OddResultError, check_finite, check_probabilities, judged
from tests.fuzz.worker import ANSWERED, REFUSED

_MOST_COLUMNS = 1 << 22  # wider ones are asked in sparse form only
_MOST_LABELS = 10**5


class ModelFuzzer:
    """Loads mutated files and uses the estimators in them."""

    def __init__(self) -> None:
        self.files = seed_models()
        self.seeds = {name: Parts.of(file) for name, file in self.files.items()}

    def run(self, rng: Random, folder: Path) -> str:
        """Load one file and, if it opens, do a few things with it."""
        path = folder / "attacked.lt"
        path.write_bytes(mutated_model(rng, self.seeds, self.files))
        try:
            estimator: Any = lt.load(path, verify=bool(rng.integers(2)))
        except ModelFileError as error:
            if not str(error).startswith(str(path)):
                raise OddResultError(f"the error must name the file: {error}") from error
            if judged(error) is not None:
                raise
            return REFUSED
        if rng.random() < 0.3:
            _try(summarize_both, path, rng)
        is_text = isinstance(estimator, TextTagger)
        uses = TEXT_USES if is_text else ROW_USES
        first = tag_texts if is_text else predict_rows
        _try(first, estimator, rng)
        for _ in range(int(rng.integers(1, 5))):
            _try(pick(rng, uses), estimator, rng, folder)
        return ANSWERED


def _try(use: Callable[..., None], *arguments: Any) -> None:
    """Use the estimator; a plain sentence is an answer as well."""
    if "FUZZ_VERBOSE" in os.environ:
        print(f"{use.__name__} ...", flush=True)
    try:
        use(*arguments)
    except Exception as error:
        if "FUZZ_VERBOSE" in os.environ:
            print(f"  {type(error).__name__}: {error}")
        if judged(error) is not None:
            raise


def summarize_both(path: Path, rng: Random) -> None:
    summary = summarize(path, verify=bool(rng.integers(2)))
    str(summary)
    summary.to_dict()


# Classifiers ------------------------------------------------------------------------------------


def features(clf: Any, rng: Random, n_rows: int = 3) -> sparse.csr_array:
    """Return a few rows of the width of the model."""
    width = clf.n_features_in_
    columns = rng.integers(width, size=n_rows * 4).astype(np.int32)
    if rng.random() < 0.5:
        columns[: len(columns) // 2] %= min(width, 24)
    rows = np.repeat(np.arange(n_rows, dtype=np.int32), 4)
    values = rng.random(len(rows), dtype=np.float32)
    return sparse.coo_array((values, (rows, columns)), shape=(n_rows, width)).tocsr()


def targets(clf: Any, rng: Random, n_rows: int = 3) -> Any:
    """Return labels of the form that the model knows, a new one among them."""
    classes = clf.classes_
    if clf.label_kind_ == "indicator":
        return (rng.random((n_rows, len(classes))) < 0.5).astype(np.uint8)
    names = [*classes[:3].tolist(), pick(rng, ["new", "cat", 77])]
    if clf.label_kind_ == "classes":
        return [pick(rng, names) for _ in range(n_rows)]
    return [[pick(rng, names)] for _ in range(n_rows)]


def predict_rows(clf: Any, rng: Random, folder: Path | None = None) -> None:
    if len(clf.classes_) != clf.tree_.n_labels:
        raise OddResultError("there must be one class for each label")
    labels, probabilities = clf.top_k(features(clf, rng), k=3)
    check_probabilities(probabilities)
    if ((labels < -1) | (labels >= len(clf.classes_))).any():
        raise OddResultError("labels must be those of the model")


def predict_all(clf: Any, rng: Random, folder: Path) -> None:
    X = features(clf, rng)
    found = clf.predict_proba(X)
    check_probabilities(found.data if sparse.issparse(found) else found)
    clf.predict(X)
    clf.predict_labels(X)


def predict_otherwise(clf: Any, rng: Random, folder: Path) -> None:
    X = features(clf, rng)
    check_probabilities(clf.predict_proba(X, k=2).data)
    check_probabilities(clf.predict_proba(X, threshold=0.2).data)
    clf.top_k(X, k=2, beam=2)
    row = X[[0]]
    clf.top_k_row(row.indices, row.data, k=2)


def ask_for_labels(clf: Any, rng: Random, folder: Path) -> None:
    X = features(clf, rng)
    Y = [clf.classes_[:2].tolist()] * 3
    if clf.label_kind_ == "sets":
        check_probabilities(clf.label_proba(X, Y).data)
    clf.prediction_cost(X)
    clf.prediction_cost_bound(X, 0.3)


def explain_row(clf: Any, rng: Random, folder: Path) -> None:
    found = clf.explain(features(clf, rng, 1), clf.classes_[0])
    check_probabilities(found.probability)
    found.to_dict()
    str(found)
    found._repr_html_()


def learn(clf: Any, rng: Random, folder: Path) -> None:
    clf.partial_fit(features(clf, rng), targets(clf, rng))
    predict_rows(clf, rng)
    if clf.tree_cost_.n_rows:
        check_finite("cost", [clf.tree_cost_.cost, clf.tree_cost_.lower_bound])


def learn_then_save(clf: Any, rng: Random, folder: Path) -> None:
    clf.predict_then_fit(features(clf, rng), targets(clf, rng), 2)
    clf.save(folder / "learned.lt")
    predict_rows(lt.load(folder / "learned.lt"), rng)


def predict_one(clf: Any, rng: Random, folder: Path) -> None:
    row = features(clf, rng, 1)
    found = clf.predict_proba_one(row.indices, row.data, 2)
    check_probabilities(list(found.values()) if isinstance(found, dict) else [])


def rebuild(clf: Any, rng: Random, folder: Path) -> None:
    clf.rebuild_tree(tree=pick(rng, [None, "cheapest", "huffman", "kmeans"]))
    predict_rows(clf, rng)


def remove(clf: Any, rng: Random, folder: Path) -> None:
    clf.remove_labels(clf.classes_[:1].tolist())
    predict_rows(clf, rng)


def save_again(clf: Any, rng: Random, folder: Path) -> None:
    clf.save(folder / "again.lt")
    predict_rows(lt.load(folder / "again.lt"), rng)


def pickle_it(clf: Any, rng: Random, folder: Path) -> None:
    again = pickle.loads(pickle.dumps(clf))
    predict_rows(again, rng)
    learn(again, rng, folder)


def quantize(clf: Any, rng: Random, folder: Path) -> None:
    clf.quantize()
    predict_rows(clf, rng)


def calibrate(clf: Any, rng: Random, folder: Path) -> None:
    X = features(clf, rng, 6)
    Y = [pick(rng, clf.classes_[:4].tolist()) for _ in range(6)]
    clf.calibrate(X, Y if clf.label_kind_ == "classes" else [[name] for name in Y])
    predict_all(clf, rng, folder)
    clf.tune_thresholds(X, Y if clf.label_kind_ == "classes" else [[name] for name in Y])
    predict_all(clf, rng, folder)


def fit_again(clf: Any, rng: Random, folder: Path) -> None:
    is_short = isinstance(clf.max_iter, int) and clf.max_iter <= 10**4
    if clf.n_features_in_ > _MOST_COLUMNS or not is_short:
        return
    clf.set_params(warm_start=bool(rng.integers(2)))
    clf.fit(features(clf, rng, 6), targets(clf, rng, 6))
    predict_rows(clf, rng)


def look(clf: Any, rng: Random, folder: Path) -> None:
    repr(clf)
    clf.get_params()
    for name in ("n_rows_", "training_cost_", "n_iter_", "n_visits_", "value_power_"):
        getattr(clf, name)
    check_finite("feature_weights_", clf.feature_weights_)
    clf.tree_.to_json()
    clf.tree_.to_newick()
    clf.model_.weights()


def ask_ancestors(clf: Any, rng: Random, folder: Path) -> None:
    found = lt.ancestor_proba(clf, features(clf, rng), Hierarchy(PAIRS), threshold=0.1)
    check_probabilities(found.probabilities.data if hasattr(found, "probabilities") else [])


ROW_USES: list[Callable[..., None]] = [
    *(predict_all, predict_otherwise, ask_for_labels, explain_row, learn, learn, learn_then_save),
    *(predict_one, rebuild, rebuild, remove, save_again, save_again, pickle_it, quantize),
    *(calibrate, fit_again, look, ask_ancestors),
]

# Taggers ----------------------------------------------------------------------------------------


def _of_classifier(use: Callable[..., None]) -> Callable[..., None]:
    def use_classifier(tagger: Any, rng: Random, folder: Path) -> None:
        use(tagger.classifier_, rng, folder)

    use_classifier.__name__ = f"{use.__name__} of the classifier"
    return use_classifier


def _tags(tagger: Any) -> list[Any]:
    return [row[0] for row in TAGS] if tagger.label_kind_ == "classes" else list(TAGS)


def _embeddings(tagger: Any, n_texts: int) -> Any:
    n_values = tagger.features_.n_embeddings
    return np.ones((n_texts, n_values), np.float32) if 0 < n_values < _MOST_LABELS else None


def tag_texts(tagger: Any, rng: Random, folder: Path | None = None) -> None:
    texts = ["grüner tea with bread", "", pick(rng, TEXTS)]
    for found in tagger.tag(texts, k=3, embeddings=_embeddings(tagger, 3)):
        check_probabilities([probability for _, probability in found])


def predict_texts(tagger: Any, rng: Random, folder: Path) -> None:
    given = {"embeddings": _embeddings(tagger, len(TEXTS))}
    tagger.predict(TEXTS, **given)
    tagger.top_k(TEXTS, 2, **given)
    tagger.evaluate(TEXTS, _tags(tagger), **given)


def explain_text(tagger: Any, rng: Random, folder: Path) -> None:
    if not len(tagger.classes_):  # all were removed
        return
    vectors = _embeddings(tagger, 1)
    found = tagger.explain(
        "black tea", tagger.classes_[0], embedding=None if vectors is None else vectors[0]
    )
    check_probabilities(found.probability)
    str(found)


def learn_texts(tagger: Any, rng: Random, folder: Path) -> None:
    tagger.partial_fit(TEXTS, _tags(tagger), embeddings=_embeddings(tagger, len(TEXTS)))
    tag_texts(tagger, rng)


def rebuild_for_texts(tagger: Any, rng: Random, folder: Path) -> None:
    tagger.rebuild_tree()
    tag_texts(tagger, rng)


def save_tagger(tagger: Any, rng: Random, folder: Path) -> None:
    tagger.save(folder / "again.lt")
    tag_texts(lt.load(folder / "again.lt"), rng)


def pickle_tagger(tagger: Any, rng: Random, folder: Path) -> None:
    again = pickle.loads(pickle.dumps(tagger))
    learn_texts(again, rng, folder)


def look_at_tagger(tagger: Any, rng: Random, folder: Path) -> None:
    repr(tagger)
    tagger.get_params()
    tagger.remove_labels(tagger.classes_[:1].tolist())
    tag_texts(tagger, rng)


TEXT_USES: list[Callable[..., None]] = [
    *(predict_texts, explain_text, learn_texts, learn_texts, rebuild_for_texts, save_tagger),
    *(save_tagger, pickle_tagger, look_at_tagger),
    *(_of_classifier(use) for use in (rebuild, learn_then_save, look, predict_otherwise)),
]
