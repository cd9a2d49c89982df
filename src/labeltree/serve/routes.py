"""The table of routes, and the handlers of the routes of our own."""

from __future__ import annotations

from typing import Any

import labeltree
from labeltree.serve import answers
from labeltree.serve.annif_routes import ANNIF_ROUTES
from labeltree.serve.exchange import Request, Response
from labeltree.serve.feedback import feedback_record
from labeltree.serve.inference_routes import INFERENCE_ROUTES
from labeltree.serve.messages import (
    ExplainAnswer,
    ExplainRequest,
    FeedbackAnswer,
    FeedbackRequest,
    ReloadAnswer,
    TagAnswer,
    TagRequest,
    decode_explain,
    decode_feedback,
    decode_tag,
    encode,
)
from labeltree.serve.openapi import openapi
from labeltree.serve.page import PARTS, page_file
from labeltree.serve.problems import RequestError
from labeltree.serve.routing import Route, Routes
from labeltree.serve.service import Service


def tag(service: Service, request: Request) -> Response:
    """Labels of texts or rows."""
    asked: TagRequest = request.json(decode_tag)
    answer = answers.tag(service.models.find(asked.model), asked, service.settings)
    service.metrics.texts.inc(len(answer.results))
    return Response(encode(answer))


def explain(service: Service, request: Request) -> Response:
    """Why a label has its probability."""
    asked: ExplainRequest = request.json(decode_explain)
    answer = answers.explain(service.models.find(asked.model), asked, service.settings)
    return Response(encode(answer))


def feedback(service: Service, request: Request) -> Response:
    """Feedback, acknowledged when it is on disk."""
    if service.feedback is None:
        raise RequestError(404, "the server takes no feedback; start it with --feedback FILE")
    asked: FeedbackRequest = request.json(decode_feedback)
    model = service.models.find(asked.model)
    answers.check_text(asked.text, service.settings)
    record = feedback_record(asked, model.name, model.version)
    service.write_feedback([record])
    return Response(encode(FeedbackAnswer(record["id"])), 202)


def model(service: Service, request: Request) -> Response:
    """The card of a model."""
    found = service.models.find(request.query.get("model"))
    takes_feedback = service.feedback is not None
    return Response(encode({**found.card, "takes_feedback": takes_feedback}))


def models(service: Service, _: Request) -> Response:
    """The names of all models, the default first."""
    default = service.models.find(None).name
    names = [default, *(name for name in service.models.by_name if name != default)]
    return Response(encode({"models": names}))


def reload(service: Service, _: Request) -> Response:
    """Load replaced model files now."""
    service.reload(always=True)
    versions = {name: model.version for name, model in service.models.by_name.items()}
    answer = ReloadAnswer(versions, dict(service.models.errors))
    return Response(encode(answer), 200 if not answer.errors else 409)


def live(_: Service, __: Request) -> Response:
    """The process answers."""
    return Response(b'{"status":"live"}')


def ready(service: Service, _: Request) -> Response:
    """The models answer; errors are files that could not replace a model, which still answers."""
    versions = {name: model.version for name, model in service.models.by_name.items()}
    errors = dict.fromkeys(service.models.errors, "the new file was refused; see the log")
    return Response(encode({"status": "ready", "versions": versions, "errors": errors}))


def prometheus(service: Service, _: Request) -> Response:
    """Figures for Prometheus."""
    service.metrics.in_flight.set(service.gate.n_in_flight)
    text = service.metrics.text()
    return Response(text, content_type=b"text/plain; version=0.0.4; charset=utf-8")


def page(name: str) -> Any:
    """Return the handler of a file of the page."""

    def answer(service: Service, _: Request) -> Response:
        if not service.settings.page:
            raise RequestError(404, "the server has no page; start it without --no-page")
        content, content_type = page_file(name)
        return Response(content, content_type=content_type)

    return answer


def description(_: Service, __: Request) -> Response:
    """The OpenAPI document."""
    return Response(encode(openapi(ROUTES.all, labeltree.__version__)))


def _open(path: str, handler: Any, summary: str = "") -> Route:
    return Route("GET", path, handler, is_open=True, summary=summary)


ROUTES = Routes(
    [
        Route(
            "POST",
            "/v1/tag",
            tag,
            "long",
            summary="Tag texts or rows of features",
            request=TagRequest,
            answer=TagAnswer,
        ),
        Route(
            "POST",
            "/v1/explain",
            explain,
            "always",
            summary="Explain the probability of a label",
            request=ExplainRequest,
            answer=ExplainAnswer,
        ),
        Route(
            "POST",
            "/v1/feedback",
            feedback,
            "always",
            is_change=True,
            summary="Tell which labels are right",
            request=FeedbackRequest,
            answer=FeedbackAnswer,
        ),
        Route("GET", "/v1/model", model, query=("model",), summary="The card of a model"),
        Route("GET", "/v1/models", models, summary="The names of the models"),
        Route(
            "POST",
            "/v1/reload",
            reload,
            "always",
            is_change=True,
            summary="Load replaced model files now",
            answer=ReloadAnswer,
        ),
        Route("GET", "/metrics", prometheus, summary="Figures for Prometheus"),
        _open("/live", live, "Whether the process answers"),
        _open("/ready", ready, "Whether the models answer"),
        _open("/openapi.json", description),
        *(_open(path, page(name)) for path, name in (("/", "page.html"),)),
        *(_open(f"/{name}", page(name)) for name in PARTS),
        *ANNIF_ROUTES,
        *INFERENCE_ROUTES,
    ]
)
