"""The routes of Annif's REST API v1, so that its clients work unchanged.

A project is a model, and a subject is a label: its URI and its name are the text of the label.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

import labeltree
from labeltree.serve import answers
from labeltree.serve.exchange import Request, Response
from labeltree.serve.feedback import feedback_record
from labeltree.serve.messages import FeedbackRequest, encode
from labeltree.serve.problems import RequestError
from labeltree.serve.routing import Route
from labeltree.serve.served import ServedModel

if TYPE_CHECKING:
    from labeltree.serve.service import Service

_LIMIT = 10  # Annif's default
_PROJECT = "/v1/projects/{project_id}"


class SuggestForm(msgspec.Struct):
    """A text, as a form."""

    text: str
    limit: int = _LIMIT
    threshold: float = 0.0


class Document(msgspec.Struct):
    """A text of a batch. Unknown fields are ignored, as in Annif."""

    text: str
    document_id: str | None = None


class Documents(msgspec.Struct):
    """A batch of texts."""

    documents: list[Document]


class Subject(msgspec.Struct):
    """A label, by its URI or its name."""

    uri: str | None = None
    label: str | None = None


class LabeledDocument(msgspec.Struct):
    """A text with its right labels."""

    text: str
    subjects: list[Subject]


_decode_documents = msgspec.json.Decoder(Documents).decode
_decode_labeled = msgspec.json.Decoder(list[LabeledDocument]).decode


def information(_: Service, __: Request) -> Response:
    """The name and version of the API."""
    title = "labeltree, with the routes of the Annif REST API"
    return Response(encode({"title": title, "version": labeltree.__version__}))


def projects(service: Service, _: Request) -> Response:
    """All models."""
    found = [_project(model) for model in service.models.by_name.values() if model.is_text]
    return Response(encode({"projects": found}))


def project(service: Service, request: Request) -> Response:
    """One model."""
    return Response(encode(_project(_model(service, request))))


def suggest(service: Service, request: Request) -> Response:
    """Labels of one text, given as a form."""
    model = _model(service, request)
    text = request.form.get("text")
    if text is None:
        raise RequestError(400, "the form must have a text; send text=...")
    k, threshold = _limits(service, request.form)
    found = answers.tag_texts(model, [text], k, threshold, service.settings)
    service.metrics.texts.inc()
    return Response(encode({"results": _subjects(found[0])}))


def suggest_batch(service: Service, request: Request) -> Response:
    """Labels of several texts."""
    model = _model(service, request)
    batch: Documents = request.json(_decode_documents)
    k, threshold = _limits(service, request.query)
    texts = [document.text for document in batch.documents]
    found = answers.tag_texts(model, texts, k, threshold, service.settings)
    service.metrics.texts.inc(len(texts))
    results = [
        {"document_id": document.document_id, "results": _subjects(tags)}
        for document, tags in zip(batch.documents, found, strict=True)
    ]
    return Response(encode(results))


def learn(service: Service, request: Request) -> Response:
    """Texts with their right labels, which become feedback."""
    model = _model(service, request)
    feedback_file = service.feedback
    if feedback_file is None:
        raise RequestError(403, "the server takes no feedback; start it with --feedback FILE")
    documents: list[LabeledDocument] = request.json(_decode_labeled)
    answers.check_number(len(documents), service.settings)
    records = []
    for document in documents:
        answers.check_text(document.text, service.settings)
        labels: list[Any] = [_label(subject) for subject in document.subjects]
        asked = FeedbackRequest(document.text, accepted=labels)
        records.append(feedback_record(asked, model.name, model.version))
    service.write_feedback(records)
    return Response(b"", 204)


def _model(service: Service, request: Request) -> ServedModel:
    name = request.parameters["project_id"]
    found = service.models.by_name.get(name)
    if found is None or not found.is_text:
        raise RequestError(404, f"Project '{name:.100}' not found")
    return found


def _project(model: ServedModel) -> dict[str, Any]:
    return {
        "project_id": model.name,
        "name": model.name,
        "language": "und",
        "backend": {"backend_id": "labeltree"},
        "vocab": {"vocab_id": model.name, "languages": ["und"], "size": model.card["n_labels"]},
        "vocab_language": "und",
        "is_trained": True,
        "modification_time": datetime.fromtimestamp(model.loaded, UTC).isoformat(),
    }


def _limits(service: Service, given: dict[str, str]) -> tuple[int, float]:
    try:
        k, threshold = int(given.get("limit", _LIMIT)), float(given.get("threshold", 0.0))
    except ValueError:
        raise RequestError(400, "limit and threshold must be numbers") from None
    answers.check_k(k, service.settings)
    if k < 1 or not 0 <= threshold <= 1:
        raise RequestError(400, "limit must be at least 1, and threshold from 0 to 1")
    return k, threshold


def _subjects(tags: answers.Ranked) -> list[dict[str, Any]]:
    return [
        {"uri": str(label), "label": str(label), "notation": None, "score": probability}
        for label, probability in tags
    ]


def _label(subject: Subject) -> str:
    label = subject.uri or subject.label
    if not label:
        raise RequestError(400, "a subject must have a uri or a label, but has neither")
    return label


ANNIF_ROUTES = [
    Route("GET", "/v1/", information),
    Route("GET", "/v1/projects", projects, summary="Models, as Annif's projects"),
    Route("GET", _PROJECT, project, summary="A model, as Annif's project"),
    Route(
        "POST",
        f"{_PROJECT}/suggest",
        suggest,
        "long",
        summary="Labels of a text, as in Annif",
        request=SuggestForm,
        is_form=True,
    ),
    Route(
        "POST",
        f"{_PROJECT}/suggest-batch",
        suggest_batch,
        "long",
        summary="Labels of several texts, as in Annif",
        request=Documents,
        query=("limit", "threshold"),
    ),
    Route(
        "POST",
        f"{_PROJECT}/learn",
        learn,
        "always",
        is_change=True,
        summary="Texts with their right labels, as in Annif",
        request=list[LabeledDocument],
    ),
]
