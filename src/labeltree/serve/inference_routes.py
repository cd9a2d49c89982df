"""The health, metadata and infer routes of the Open Inference Protocol v2.

A model of texts has one input, `text` of type BYTES and shape [n]; other models have the input
`features` of type FP32 and shape [n, n_features]. The outputs are `label` (BYTES) and
`probability` (FP32), both of shape [n, k]; k is a parameter of the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

import labeltree
from labeltree.serve import answers
from labeltree.serve.exchange import Request, Response
from labeltree.serve.messages import TagRequest, encode
from labeltree.serve.problems import RequestError
from labeltree.serve.routing import Route
from labeltree.serve.served import ServedModel

if TYPE_CHECKING:
    from labeltree.serve.service import Service

_MODEL = "/v2/models/{name}"


class InputTensor(msgspec.Struct):
    """A named array, flat or nested."""

    name: str
    shape: list[int]
    datatype: str
    data: list[Any]


class InferRequest(msgspec.Struct):
    """One input. Unknown fields are ignored, as the protocol says."""

    inputs: list[InputTensor]
    id: str | None = None
    parameters: dict[str, Any] = {}


_decode = msgspec.json.Decoder(InferRequest).decode


def server(_: Service, __: Request) -> Response:
    """The name and version of the server."""
    about = {"name": "labeltree", "version": labeltree.__version__, "extensions": []}
    return Response(encode(about))


def server_live(_: Service, __: Request) -> Response:
    """The process answers."""
    return Response(b'{"live":true}')


def server_ready(_: Service, __: Request) -> Response:
    """The models answer."""
    return Response(b'{"ready":true}')


def model_ready(service: Service, request: Request) -> Response:
    """The model answers."""
    name = service.models.find(request.parameters["name"]).name
    return Response(encode({"name": name, "ready": True}))


def metadata(service: Service, request: Request) -> Response:
    """Inputs and outputs of a model."""
    model = service.models.find(request.parameters["name"])
    return Response(
        encode(
            {
                "name": model.name,
                "versions": [model.version],
                "platform": "labeltree",
                "inputs": [_expected(model)],
                "outputs": [
                    {"name": "label", "datatype": "BYTES", "shape": [-1, -1]},
                    {"name": "probability", "datatype": "FP32", "shape": [-1, -1]},
                ],
            }
        )
    )


def infer(service: Service, request: Request) -> Response:
    """The labels of each text or row."""
    model = service.models.find(request.parameters["name"])
    asked: InferRequest = request.json(_decode)
    rows, k = _rows(model, asked), asked.parameters.get("k", 5)
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise RequestError(400, f"parameters.k must be an integer of at least 1, but is {k!r:.50}")
    given: dict[str, Any] = {"texts": rows} if model.is_text else {"features": rows}
    answer = answers.tag(model, TagRequest(k=k, **given), service.settings)
    service.metrics.texts.inc(len(answer.results))
    return Response(encode(_outputs(asked, model, answer.results)))


def _expected(model: ServedModel) -> dict[str, Any]:
    if model.is_text:
        return {"name": "text", "datatype": "BYTES", "shape": [-1]}
    shape = [-1, model.classifier.n_features_in_]
    return {"name": "features", "datatype": "FP32", "shape": shape}


def _rows(model: ServedModel, asked: InferRequest) -> list[Any]:
    expected = _expected(model)
    name = expected["name"]
    if len(asked.inputs) != 1 or asked.inputs[0].name != name:
        raise RequestError(400, f"the model {model.name} takes one input, named {name}")
    given = asked.inputs[0]
    types = ("BYTES",) if model.is_text else ("FP32", "FP64")
    if given.datatype not in types:
        raise RequestError(
            400, f"datatype must be {' or '.join(types)}, but is {given.datatype!r:.50}"
        )
    if model.is_text:
        texts = _flat(given.data)
        if given.shape not in ([len(texts)], [len(texts), 1]):
            raise RequestError(400, f"the shape must be [{len(texts)}], the number of texts")
        if not all(isinstance(text, str) for text in texts):
            raise RequestError(400, "texts must be strings")
        return texts
    return _matrix(given, model.classifier.n_features_in_)


def _flat(data: list[Any]) -> list[Any]:
    """Return the entries of lists of at most two levels."""
    return [entry for part in data for entry in (part if isinstance(part, list) else [part])]


def _matrix(given: InputTensor, n_features: int) -> list[Any]:
    try:
        values = np.array(_flat(given.data), np.float64)
    except (TypeError, ValueError):
        raise RequestError(400, "features must be numbers") from None
    n_rows = len(values) // n_features
    if len(values) != n_rows * n_features or given.shape != [n_rows, n_features]:
        raise RequestError(
            400,
            f"the shape must be [n, {n_features}], but is {given.shape!r:.50} with "
            f"{len(values):,} numbers",
        )
    return values.reshape(n_rows, n_features).tolist()


def _outputs(asked: InferRequest, model: ServedModel, results: list[Any]) -> dict[str, Any]:
    k = max(map(len, results), default=0)
    labels = [str(row[i].label) if i < len(row) else "" for row in results for i in range(k)]
    found = [row[i].probability if i < len(row) else 0.0 for row in results for i in range(k)]
    shape = [len(results), k]
    answer = {
        "model_name": model.name,
        "model_version": model.version,
        "outputs": [
            {"name": "label", "shape": shape, "datatype": "BYTES", "data": labels},
            {"name": "probability", "shape": shape, "datatype": "FP32", "data": found},
        ],
    }
    return answer if asked.id is None else {**answer, "id": asked.id}


INFERENCE_ROUTES = [
    Route("GET", "/v2", server),
    Route("GET", "/v2/health/live", server_live, is_open=True),
    Route("GET", "/v2/health/ready", server_ready, is_open=True),
    Route("GET", f"{_MODEL}/ready", model_ready, is_open=True),
    Route("GET", _MODEL, metadata, summary="Inputs and outputs, Open Inference Protocol v2"),
    Route(
        "POST",
        f"{_MODEL}/infer",
        infer,
        "long",
        summary="Labels, Open Inference Protocol v2",
        request=InferRequest,
    ),
]
