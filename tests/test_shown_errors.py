"""What how-to guides show as error messages is what labeltree says."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier, TextTagger
from tests.serve.conftest import make_client
from tests.shown_errors import FOLDER, message_of, not_raised, shown_errors

TEXTS = ["green tea", "a pot of black tea", "white bread", "rye bread with butter"]
TAGS = [["drink", "tea"], ["drink", "tea"], ["bread"], ["bread", "butter"]]
X = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0.1], [0, 1, 0.1]])
Y = [["tea", "drink"], ["bread"], ["tea"], ["bread"]]
#: Pages whose messages other tests compare, which need more packages or programs.
ELSEWHERE = {"annif", "c", "torch"}
#: Messages of several machines; tests/ray raises them.
OF_RAY = {
    "a job must not end its worker, but 4 workers died with …",
    "all nodes must have the same release of labeltree, …",
    "nodes on several machines need a folder that all of them can write to, …",
}


@pytest.fixture
def clf() -> PLTClassifier:
    return PLTClassifier(n_jobs=1).fit(X, Y)


def warning_of(work: object) -> str:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()  # type: ignore[operator]
    return str(found[0].message)


def test_every_guide_with_messages_is_compared() -> None:
    tests = {name.removeprefix("test_the_messages_of_") for name in globals()}
    pages = {path.stem for path in FOLDER.glob("*.md") if shown_errors(path.stem)}
    assert pages - tests == ELSEWHERE


def test_the_messages_of_text(tmp_path: Path) -> None:
    split = TextTagger(tokenizer=str.split).fit(TEXTS, TAGS)
    said = [
        message_of(lambda: TextTagger().fit(TEXTS, TAGS[:3])),
        message_of(lambda: TextTagger().fit(TEXTS, TAGS).tag("tea"), TypeError),
        message_of(lambda: TextTagger().fit(["", "a"], [["x"], ["y"]])),
        message_of(lambda: split.save(tmp_path / "model.lt")),
    ]
    assert not_raised("text", said) == []


def test_the_messages_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    Path("docs.parquet").write_text("text")

    def fitted(**columns: object) -> str:
        return message_of(lambda: TextTagger().fit(pa.table(columns)))

    said = [
        fitted(body=TEXTS, topics=TAGS),
        fitted(text=[1, 2], tags=[["a"], ["b"]]),
        fitted(text=["a", "b"], tags=[0.5, 0.6]),
        fitted(text=["a", None], tags=[["a"], ["b"]]),
        message_of(lambda: list(lt.data.read_parquet("docs.parquet"))),
    ]
    assert not_raised("tables", said) == []


def test_the_messages_of_training(clf: PLTClassifier) -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((300, 50)), rng.integers(0, 2, (300, 20))
    said = [
        message_of(lambda: PLTClassifier().fit(TEXTS[:2], Y), TypeError),
        message_of(lambda: PLTClassifier().fit([[np.nan, 1], [1, 2]], Y[:2])),
        message_of(lambda: clf.predict(np.ones((2, 5)))),
        message_of(lambda: PLTClassifier().fit(X[:2], [[0, 1], [1, 0]])),
        warning_of(lambda: PLTClassifier(max_iter=1, C=1000.0).fit(*rows)),
    ]
    assert not_raised("training", said) == []


def test_the_messages_of_interactions() -> None:
    said = [message_of(lambda: PLTClassifier(interactions=2, normalize=False).fit(X, Y))]
    assert not_raised("interactions", said) == []


def test_the_messages_of_prediction(clf: PLTClassifier) -> None:
    eye = sparse.eye_array(20_000, 60_000, format="csr", dtype=np.float32)
    many = PLTClassifier(tree="complete", sparse_output=False, C=1.0, feature_weighting=None)
    many.fit(eye, eye)
    said = [
        message_of(lambda: clf.top_k(X, labels=["jam"])),
        message_of(lambda: many.predict_proba(eye)),
        message_of(lambda: clf.top_k_row([0], [1.0], k=2), TypeError),
        message_of(lambda: clf.top_k(X, weights=[1, 2])),
    ]
    assert not_raised("prediction", said) == []


def test_the_messages_of_calibration(clf: PLTClassifier) -> None:
    classes = ["tea", "bread", "tea", "bread"]
    one = HSMClassifier().fit(X, classes)
    said = [
        message_of(lambda: clf.calibrate(X, [["jam"]] * 4)),
        message_of(lambda: one.tune_thresholds(X, classes, "macro_f1")),
    ]
    assert not_raised("calibration", said) == []


def test_the_messages_of_online(clf: PLTClassifier) -> None:
    high = PLTClassifier(effort="high").fit(X, Y)
    indicator = PLTClassifier().fit(X, np.eye(4))
    said = [
        message_of(lambda: clf.partial_fit(np.ones((1, 5)), [["tea"]])),
        message_of(lambda: TextTagger().partial_fit(TEXTS, TAGS)),
        message_of(lambda: high.partial_fit(X, Y)),
        message_of(lambda: indicator.partial_fit(X, Y)),
    ]
    assert not_raised("online", said) == []


def test_the_messages_of_hierarchy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rdflib")
    monkeypatch.chdir(tmp_path)
    Path("taxonomy.tsv").write_text("bread food\n")
    skos = "http://www.w3.org/2004/02/skos/core#"
    Path("thesaurus.ttl").write_text(f"<http://a.example> <{skos}prefLabel> 'tea' .\n")

    def tree(*pairs: tuple[str, str]) -> lt.LabelTree:
        return lt.trees.from_hierarchy(lt.trees.Hierarchy(pairs), Y)

    said = [
        message_of(lambda: tree(("animal", "cat"))),
        warning_of(lambda: tree(("food", "bread"), ("food", "tea"))),
        message_of(lambda: tree(("tea", "drink"), ("drink", "tea"))),
        message_of(lambda: lt.trees.Hierarchy.load("taxonomy.tsv")),
        message_of(lambda: lt.trees.Hierarchy.load("thesaurus.ttl")),
    ]
    assert not_raised("hierarchy", said) == []


def test_the_messages_of_serving(tmp_path: Path) -> None:
    TextTagger(n_jobs=1).fit(TEXTS, TAGS).save(tmp_path / "model.lt")
    client = make_client({"model": tmp_path / "model.lt"})
    answers = [
        client.post("/v1/reload", {}),
        client.ask("POST", "/v1/tag", content=b"text=tea"),
        client.post("/v1/tag", {"text": "tea"}, headers={"Host": "example.org"}),
        client.post("/v1/tag", {}),
    ]
    client.service.threads.shutdown()
    assert [answer.status_code for answer in answers] == [401, 415, 421, 422]
    assert not_raised("serving", [answer.json()["detail"] for answer in answers]) == []


def test_the_messages_of_sharing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = PLTClassifier(node_estimator=LogisticRegression()).fit(X, Y)
    TextTagger(n_jobs=1).fit(TEXTS, TAGS).save("model.lt")
    whole = Path("model.lt").read_bytes()

    def opened(content: bytes) -> str:
        Path("model.lt").write_bytes(content)
        return message_of(lambda: lt.load("model.lt"))

    said = [
        opened(b"text"),
        opened(whole[:-100]),
        message_of(lambda: lt.load("hf://me")),
        message_of(lambda: own.save("own.lt")),
    ]
    assert not_raised("sharing", said) == []


def test_the_messages_of_cluster() -> None:
    said = [message_of(lambda: PLTClassifier(executor="10.0.0.1").fit(X, Y), TypeError)]
    assert set(not_raised("cluster", said)) == OF_RAY
