"""The description of all requests as one page, generated from the OpenAPI document, without scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.requests import Request  # noqa: TC002 - FastAPI reads it from the signature
from starlette.responses import HTMLResponse, Response

router = APIRouter(include_in_schema=False)

STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color-scheme: light dark }
h2 { border-bottom: 1px solid; margin-top: 3rem } h3 { margin-bottom: 0 }
code, pre { font-family: ui-monospace, monospace } pre { overflow-x: auto }
table { border-collapse: collapse } td { padding: .1rem 1rem .1rem 0; vertical-align: top }
"""
POLICY = (
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    f"style-src 'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'"
)

Schema = Mapping[str, Any]


_making = threading.Lock()


def described(app: FastAPI) -> tuple[bytes, bytes]:
    """The OpenAPI document and its HTML page, built once even for concurrent requests."""
    with _making:
        return _described(app)


@lru_cache(maxsize=1)
def _described(app: FastAPI) -> tuple[bytes, bytes]:
    document = app.openapi()
    return json.dumps(document, ensure_ascii=False).encode(), page(document).encode()


@router.get("/openapi.json")
def openapi(request: Request) -> Response:
    """The document."""
    return Response(described(request.app)[0], media_type="application/json")


@router.get("/docs")
def docs(request: Request) -> Response:
    """The page."""
    return HTMLResponse(described(request.app)[1], headers={"Content-Security-Policy": POLICY})


def page(document: Schema) -> str:
    """The OpenAPI document as HTML."""
    title, about = escape(document["info"]["title"]), escape(document["info"]["description"])
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        f"<h1>{title} {escape(document['info']['version'])}</h1><p>{about}</p>"
        f'<p>For programs: <a href="/openapi.json">openapi.json</a></p>{"".join(_families(document))}</html>'
    )


def _families(document: Schema) -> Iterator[str]:
    family = None
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if operation["tags"][0] != family:
                family = operation["tags"][0]
                yield f"<h2>{escape(family)}</h2>"
            yield f"<h3><code>{method.upper()} {escape(path)}</code></h3>"
            yield f"<p>{escape(operation.get('description', ''))}</p>"
            yield from _fields(_wanted(operation, document))
            if example := _body(operation).get("example"):
                yield f"<pre>{escape(json.dumps(example, ensure_ascii=False))}</pre>"


def _wanted(operation: Schema, document: Schema) -> Iterator[tuple[str, str, Schema, bool]]:
    """Each parameter of a request: name, location, type, and whether it is required."""
    for one in operation.get("parameters", ()):
        yield one["name"], one["in"], one["schema"], one.get("required", False)
    body = _resolved(_body(operation).get("schema", {}), document)
    for name, schema in body.get("properties", {}).items():
        yield name, "body", _resolved(schema, document), name in body.get("required", ())


def _body(operation: Schema) -> Schema:
    found: Schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return found


def _fields(wanted: Iterable[tuple[str, str, Schema, bool]]) -> Iterator[str]:
    rows = [
        f"<tr><td><code>{escape(name)}</code><td>{place}{', needed' if needed else ''}"
        f"<td>{escape(schema.get('description', ''))}<td><code>{escape(_said(schema))}</code>"
        for name, place, schema, needed in wanted
    ]
    if rows:
        yield f"<table>{''.join(rows)}</table>"


def _resolved(schema: Schema, document: Schema) -> Schema:
    """A schema with its references resolved."""
    for one in (schema, *schema.get("anyOf", ())):
        if "$ref" in one:
            found: Schema = document["components"]["schemas"][one["$ref"].rpartition("/")[2]]
            return found
    return schema


def _said(schema: Schema) -> str:
    """The type of a value in terms of JSON Schema."""
    left_out = {"title", "description"}
    return json.dumps({name: value for name, value in schema.items() if name not in left_out})[1:-1]
