"""A server of S3 on loopback for tests: `moto`, and if asked for, a bad network before it."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

import boto3  # type: ignore[import-untyped]
import pytest
from moto import settings
from moto.moto_server.werkzeug_app import create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}
REFUSED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
BUSY = b"<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: object) -> None:
        """Nothing."""


class TableServer:
    """Buckets in memory. `busy`: of so many requests one is refused for now; 0: none.

    `slow`: seconds that each request takes longer; `met`: is told of each before it is answered; `heard`:
    what was asked for, each with its query; `forbidden`: what of that is refused for good.
    """

    def __init__(self) -> None:
        self._app = create_backend_app("s3")  # told, not found out anew for each request
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=_Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self._count = itertools.count(1)
        self.busy = 0
        self.asked = 0
        self.slow = 0.0
        self.heard: list[str] = []
        self.forbidden: Callable[[str], bool] = lambda _: False
        self.met: Callable[[], object] = lambda: None
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to be let in."""
        return {**KEYS, "AWS_ENDPOINT": self.url, "AWS_ALLOW_HTTP": "true"}

    @classmethod
    @contextmanager
    def reached(cls) -> Iterator[TableServer]:
        """One that this process finds by its environment meanwhile."""
        found = cls()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in found.environment.items():
                patch.setenv(name, value)
            yield found
        found.close()

    def bucket(self, name: str) -> str:
        """The address of a new bucket."""
        self.client().create_bucket(Bucket=name)
        return f"s3://{name}"

    def remove(self, name: str) -> None:
        """Remove a bucket with all that is in it."""
        client = self.client()
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=name):
            for one in page.get("Contents", ()):
                client.delete_object(Bucket=name, Key=one["Key"])
        client.delete_bucket(Bucket=name)

    def client(self) -> Any:
        """Amazon's own client."""
        return boto3.client(
            "s3", endpoint_url=self.url, aws_access_key_id="testing", aws_secret_access_key="testing",
            region_name="us-east-1",
        )  # fmt: skip

    @contextmanager
    def checking_keys(self) -> Iterator[None]:
        """Within this, nobody is let in whose keys the server has not given out."""
        before, settings.INITIAL_NO_AUTH_ACTION_COUNT = settings.INITIAL_NO_AUTH_ACTION_COUNT, 0
        try:
            yield
        finally:
            settings.INITIAL_NO_AUTH_ACTION_COUNT = before

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, environ: dict[str, Any], begin: Callable[..., Any]) -> Iterable[bytes]:
        self.asked += 1
        self.heard.append(unquote(f"{environ['REQUEST_METHOD']} {environ['RAW_URI']}"))
        self.met()
        if self.forbidden(self.heard[-1]):
            begin(
                "403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(REFUSED)))]
            )
            return [REFUSED]
        if self.slow:
            threading.Event().wait(self.slow)
        if self.busy and next(self._count) % self.busy == 0:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            begin("503 Slow Down", [("Content-Type", "application/xml"), ("Content-Length", str(len(BUSY)))])
            return [BUSY]
        return self._app(environ, begin)
