"""All errors as `{error, hint}` with a status, without tracebacks and paths of the server."""

from __future__ import annotations

import logging
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from ark_tui.domain import errors
from ark_tui.interfaces.calls.state import Refused
from ark_tui.interfaces.reports.shape import TooMuch, of_json, place_of
from ark_tui.operations import catalog
from ark_tui.operations.catalog import Given
from ark_tui.operations.operation import Operation

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

log = logging.getLogger(__name__)

STATUSES: tuple[tuple[type[errors.ArkError], int], ...] = (
    (errors.NotFound, 404),
    (errors.Forbidden, 403),
    (errors.Ambiguous, 409),
    (errors.NoVector, 409),
    (errors.KeyReused, 422),
    (TooMuch, 413),
    (errors.UsageError, 400),
    (errors.ConfigError, 400),
    (errors.ModelUnavailable, 503),
    (errors.StoreLocked, 503),
    (errors.StoreError, 500),
    (errors.Busy, 429),
    (errors.Cancelled, 503),
)
"""HTTP status by error class, specific classes first; any other `ArkError` is a bad request."""

PATHS = "All paths are listed at /docs."
SHAPES = "The shapes of all requests are at /docs."
PATH = re.compile(r"(?<!\S)/\S+")
STORE_HINT = "On the machine of the server, `ark-tui doctor` says why."
SOON = "1"  # seconds after which a client may retry a busy server


class Failure(BaseModel):
    """What every refused or failed request gets."""

    error: str
    hint: str


def answer(refused: Refused) -> Response:
    """The response to a refused request."""
    headers = {}
    if refused.status in {429, 503}:
        headers["Retry-After"] = SOON
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"error": refused.what, "hint": refused.hint}, refused.status, headers)


def refusal(error: errors.ArkError) -> Refused:
    """Convert an `ArkError` to a refusal."""
    return Refused(status_of(error), error.what, worded(error.hint))


def worded(told: Any) -> Any:
    """JSON with the steps of its hints worded as HTTP requests."""
    return catalog.worded(told, _asked)


def _asked(operation: Operation, given: Given) -> str:
    """A step of a hint as an HTTP request."""
    method, path = operation.route.split()
    others = dict(given)
    path = re.sub(r"{(\w+)}", lambda place: str(others.pop(place[1], place[0])), path)
    said = ", ".join(f"{name}={'true' if value is True else value}" for name, value in others.items())
    return f"{method} {path}{' with ' if said else ''}{said}"


def status_of(error: errors.ArkError) -> int:
    """The HTTP status of an `ArkError`."""
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 400)


def install(app: FastAPI) -> None:
    """Install the exception handlers of the app."""

    def expected(request: Request, error: Exception) -> Response:
        assert isinstance(error, errors.ArkError)
        status = status_of(error)
        if status == 500:  # its message may contain file names of the home and database details
            log.error("%s %s", request.method, request.url.path, exc_info=error)
            what = PATH.sub("…", error.what.partition(": ")[0].rstrip("."))
            return answer(Refused(status, f"{what}.", STORE_HINT))
        return answer(refusal(error))

    def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return answer(error)

    def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(Refused(422, _sentence(error.errors()), SHAPES))

    def unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 404:
            path = request.url.path
            return answer(Refused(404, f"There is no such path {path}.", PATHS))
        phrase = HTTPStatus(error.status_code).phrase
        response = answer(Refused(error.status_code, f"{phrase}.", SHAPES))
        response.headers.update(error.headers or {})
        return response

    def fault(request: Request, error: Exception) -> Response:
        log.error("%s %s", request.method, request.url.path, exc_info=error)
        return answer(Refused(500, errors.BUG, errors.BUG_HINT))

    app.add_exception_handler(errors.ArkError, expected)
    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, unknown)
    app.add_exception_handler(Exception, fault)


def _sentence(problems: Any) -> str:
    """The first validation problem of a request as a sentence, without the values that were sent."""
    first = problems[0]
    place = place_of(first["loc"][1:])  # the first part is `body` or `query`
    match first["type"]:
        case "extra_forbidden":
            return f"There is no field {place}."
        case "missing":
            return f"{place} is missing." if place else "The request has no body."
        case "json_invalid":
            return f"The body is not JSON: {first['ctx']['error']}."
        case "model_attributes_type" | "dict_type" | "model_type" if not place:
            return "The body has to be a JSON object."
        case _:
            said = of_json(first["msg"])
            return f"{place}: {said}." if place else f"{said}."
