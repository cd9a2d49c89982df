"""Models in MLflow: a flavor "labeltree" with a pyfunc.

Needs ``pip install "mlflow>=3"``. MLflow keeps the model file that `save` writes; nothing is
pickled.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from labeltree.data.tables import is_table
from labeltree.estimators import PLTClassifier
from labeltree.storage import load
from labeltree.text import TextTagger
from labeltree.text.named_encoders import NamedEncoder

__all__ = ["load_model", "log_model", "save_model"]

#: Name of the flavor.
FLAVOR_NAME = "labeltree"
_MODEL_FILE = "model.lt"
_K = 5


def save_model(
    model: PLTClassifier | TextTagger,
    path: str | os.PathLike[str],
    *,
    signature: Any = None,
    pip_requirements: list[str] | None = None,
    mlflow_model: Any = None,
    **parameters: Any,
) -> None:
    """Write a fitted estimator as a folder in the format of MLflow.

    ``mlflow.pyfunc.load_model`` opens it. The `predict` of the result takes a list or a column of
    texts, a table with a column "text", or a matrix of features, and returns a DataFrame with the
    columns labels and probabilities. Its parameters are `k` and `threshold`.

    Parameters
    ----------
    model
        The fitted estimator.
    path
        Folder to write, which must be empty or not exist.
    signature
        Signature of the model; by default with the parameters and the results, and with the texts
        of a tagger.
    pip_requirements
        What the model needs; by default this version of labeltree, and the package that opens the
        encoder of a tagger by name.
    mlflow_model, **parameters
        Parameters of `mlflow.pyfunc.save_model`, such as `input_example` and `metadata`.
    """
    mlflow = _mlflow()
    described = mlflow.models.Model() if mlflow_model is None else mlflow_model
    described.add_flavor(FLAVOR_NAME, data=f"data/{_MODEL_FILE}", labeltree_version=_version())
    with tempfile.TemporaryDirectory(prefix="labeltree-") as folder:
        model.save(Path(folder, _MODEL_FILE))
        mlflow.pyfunc.save_model(
            path,
            loader_module=__name__,
            data_path=str(Path(folder, _MODEL_FILE)),
            mlflow_model=described,
            signature=_signature(model) if signature is None else signature,
            pip_requirements=pip_requirements or _requirements(model),
            **parameters,
        )


def log_model(model: PLTClassifier | TextTagger, name: str = "model", **parameters: Any) -> Any:
    """Log a fitted estimator to the current run, and return its description.

    Parameters
    ----------
    model
        The fitted estimator.
    name
        Name of the model in the run.
    **parameters
        Parameters of `save_model` and of `mlflow.models.Model.log`, such as
        `registered_model_name`.
    """
    import labeltree.mlflow as flavor

    return _mlflow().models.Model.log(
        artifact_path=None, name=name, flavor=flavor, model=model, **parameters
    )


def load_model(model_uri: str) -> PLTClassifier | TextTagger:
    """Return the estimator of a model in MLflow, such as ``runs:/ID/model`` or a folder."""
    mlflow = _mlflow()
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=model_uri))
    flavors = mlflow.models.Model.load(str(folder)).flavors
    if FLAVOR_NAME not in flavors:
        raise ValueError(
            f"{model_uri}: the model must have the flavor {FLAVOR_NAME}, but has "
            f"{', '.join(flavors)}; use mlflow.pyfunc.load_model"
        )
    return load(folder / "data" / _MODEL_FILE)


def _load_pyfunc(path: str) -> PyFunc:
    return PyFunc(load(Path(path)))


class PyFunc:
    """What ``mlflow.pyfunc.load_model`` calls."""

    def __init__(self, model: PLTClassifier | TextTagger) -> None:
        self.model = model

    def get_raw_model(self) -> PLTClassifier | TextTagger:
        """Return the estimator."""
        return self.model

    def predict(self, data: Any, params: dict[str, Any] | None = None) -> Any:
        """Return a DataFrame with the labels of each row and their probabilities, best first."""
        import pandas

        given = dict(params or {})
        k, threshold = given.get("k", _K), given.get("threshold") or None
        ranked = self._ranked(data, k, threshold)
        return pandas.DataFrame(
            {
                "labels": [[label for label, _ in row] for row in ranked],
                "probabilities": [[p for _, p in row] for row in ranked],
            },
            index=getattr(data, "index", None),
        )

    def _ranked(self, data: Any, k: int | None, threshold: float | None) -> Any:
        if isinstance(self.model, TextTagger):
            return self.model.tag(_texts(data), k, threshold)
        model = self.model
        return model._ranked(model._checked(model._fitted, data), k, threshold)


def _texts(data: Any) -> Any:
    """Return the texts of what MLflow passes: a frame with one column or with a column "text"."""
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        names = list(data.columns)
        if "text" not in names and len(names) != 1:
            raise ValueError(f'data must have a column "text" or only one, but has {names!r:.100}')
        return data["text" if "text" in names else names[0]].tolist()
    if isinstance(data, np.ndarray):
        return data.ravel().tolist()
    return data if is_table(data) or not isinstance(data, str) else [data]


def _requirements(model: PLTClassifier | TextTagger) -> list[str]:
    """Return what pip installs for a model: labeltree, and what opens its words and its encoder."""
    if not isinstance(model, TextTagger):
        return [f"labeltree=={_version()}"]
    extra = "" if model.features_.options.language is None else "[stem]"
    encoder = model.encoder_
    packages = [encoder.package] if isinstance(encoder, NamedEncoder) else []
    return [f"labeltree{extra}=={_version()}", *packages]


def _signature(model: PLTClassifier | TextTagger) -> Any:
    """Return the signature of a model.

    MLflow ignores parameters that a signature lacks. Numeric features may be of any type and have
    any names, so their signature has no input.
    """
    schema = _mlflow().types.schema
    parameters = [
        schema.ParamSpec("k", "long", _K),
        schema.ParamSpec("threshold", "double", 0.0),
    ]
    kind = {"i": "long", "u": "long", "f": "double"}.get(model.classes_.dtype.kind, "string")
    outputs = [
        schema.ColSpec(schema.Array(kind), "labels"),
        schema.ColSpec(schema.Array("double"), "probabilities"),
    ]
    is_text = isinstance(model, TextTagger)
    return _mlflow().models.ModelSignature(
        inputs=schema.Schema([schema.ColSpec("string")]) if is_text else None,
        outputs=schema.Schema(outputs),
        params=schema.ParamSchema(parameters),
    )


def _version() -> str:
    from labeltree import __version__

    return __version__


def _mlflow() -> Any:
    try:
        import mlflow
        import mlflow.artifacts
        import mlflow.models
        import mlflow.pyfunc
        import mlflow.types.schema
    except ImportError as error:
        raise ImportError(
            f"labeltree.mlflow needs MLflow ({error}): pip install 'mlflow>=3'"
        ) from None
    return mlflow
