"""Models in MLflow, with a store in a folder."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import labeltree as lt

pytest.importorskip("mlflow")

# Imports of MLflow warn.
pytestmark = pytest.mark.filterwarnings("ignore")

TEXTS, TAGS = ["green tea", "rye bread"] * 3, [["tea"], ["bread"]] * 3


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    import mlflow
    import mlflow.pyfunc

    monkeypatch.chdir(tmp_path)
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    yield mlflow
    mlflow.set_tracking_uri(before)


@pytest.fixture
def flavor():
    import labeltree.mlflow

    return labeltree.mlflow


@pytest.fixture
def tagger() -> lt.TextTagger:
    return lt.TextTagger(n_jobs=1).fit(TEXTS, TAGS)


def test_a_saved_model_is_a_pyfunc(mlflow, flavor, tagger, tmp_path) -> None:
    flavor.save_model(tagger, tmp_path / "saved")
    found = mlflow.pyfunc.load_model(str(tmp_path / "saved")).predict(["green tea", "rye"])
    assert [labels[0] for labels in found["labels"]] == ["tea", "bread"]
    assert found["probabilities"][0] == [p for _, p in tagger.tag(["green tea"])[0]]


def test_a_pyfunc_has_the_parameters_of_tag(mlflow, flavor, tagger, tmp_path) -> None:
    flavor.save_model(tagger, tmp_path / "saved")
    pyfunc = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    assert pyfunc.predict(["tea"], params={"k": 1})["labels"].tolist() == [["tea"]]
    assert pyfunc.predict(["tea"], params={"threshold": 0.999})["labels"].tolist() == [[]]


def test_a_frame_keeps_its_index(mlflow, flavor, tagger, tmp_path) -> None:
    pandas = pytest.importorskip("pandas")
    flavor.save_model(tagger, tmp_path / "saved")
    frame = pandas.DataFrame({"text": ["tea", "rye"]}, index=[7, 8])
    found = mlflow.pyfunc.load_model(str(tmp_path / "saved")).predict(frame)
    assert found.index.tolist() == [7, 8]


def test_a_model_of_features_is_a_pyfunc(mlflow, flavor, tmp_path) -> None:
    clf = lt.PLTClassifier(n_jobs=1).fit(np.eye(3), [[0], [1], [2]])
    flavor.save_model(clf, tmp_path / "saved")
    found = mlflow.pyfunc.load_model(str(tmp_path / "saved")).predict(np.eye(3))
    assert [labels[0] for labels in found["labels"]] == [0, 1, 2]


def test_a_pyfunc_of_features_has_the_parameters_too(mlflow, flavor, tmp_path) -> None:
    clf = lt.PLTClassifier(n_jobs=1).fit(np.eye(3), [[0], [1], [2]])
    flavor.save_model(clf, tmp_path / "saved")
    pyfunc = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    found = pyfunc.predict(np.eye(3, dtype=np.float32), params={"k": 1})
    assert found["labels"].tolist() == [[0], [1], [2]]


@pytest.mark.parametrize(("tags", "kind"), [(TAGS, "string"), ([[7], [9]] * 3, "long")])
def test_the_signature_has_the_type_of_the_labels(mlflow, flavor, tags, kind, tmp_path) -> None:
    flavor.save_model(lt.TextTagger(n_jobs=1).fit(TEXTS, tags), tmp_path / "saved")
    outputs = mlflow.models.Model.load(str(tmp_path / "saved")).signature.outputs
    assert outputs.to_dict()[0]["items"] == {"type": kind}


def test_requirements_have_the_package_of_the_encoder(mlflow, flavor, tmp_path) -> None:
    rows = np.eye(2, dtype=np.float32)[[0, 1] * 3]
    tagger = lt.TextTagger(n_jobs=1).fit(TEXTS, TAGS, embeddings=rows)
    tagger.set_encoder("model2vec:some/model")
    flavor.save_model(tagger, tmp_path / "saved")
    assert "model2vec" in (tmp_path / "saved" / "requirements.txt").read_text().split()


def test_a_logged_model_is_loaded_as_an_estimator(mlflow, flavor, tagger) -> None:
    with mlflow.start_run():
        logged = flavor.log_model(tagger, "tagger")
    assert flavor.load_model(logged.model_uri).tag(TEXTS) == tagger.tag(TEXTS)


def test_a_model_of_another_flavor_is_refused(mlflow, flavor, tmp_path) -> None:
    import mlflow.sklearn
    from sklearn.linear_model import LinearRegression

    line = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    mlflow.sklearn.save_model(line, str(tmp_path / "line"), serialization_format="pickle")
    with pytest.raises(ValueError, match="must have the flavor labeltree, but has"):
        flavor.load_model(str(tmp_path / "line"))


def test_the_module_is_imported_without_mlflow() -> None:
    code = (
        "import sys; sys.modules['mlflow'] = None; import labeltree.mlflow as m; m.load_model('x')"
    )
    folder = Path(__file__).parents[1]
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert "pip install 'mlflow>=3'" in made.stderr
