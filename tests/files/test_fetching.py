"""A page or paper is fetched once when a person asks, within limits, and from public addresses only (I8)."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, fetching
from ark_tui.operations.catalog import shipped
from ark_tui.settings import load
from tests.files.makers import MAKERS, SENTENCE

PAGE = f"<html><head><title>Grüße</title></head><nav>Home</nav><main><h2>Winter</h2><p>{SENTENCE}</p></main>"
HTML = {"Content-Type": "text/html; charset=iso-8859-1"}
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/page": (200, HTML, PAGE.encode("latin-1")),
    "/packed": (200, {**HTML, "Content-Encoding": "gzip"}, gzip.compress(PAGE.encode("latin-1"))),
    "/paper": (200, {"Content-Type": "application/pdf"}, MAKERS["pdf"]()),
    "/notes.md": (200, {"Content-Type": "text/plain"}, f"# Notes\n\n{SENTENCE}\n".encode()),
    "/moved": (302, {"Location": "/page"}, b""),
    "/round": (302, {"Location": "/round"}, b""),
    "/away": (302, {"Location": "file:///etc/hostname"}, b""),
    "/gone": (404, {}, b""),
    "/bomb": (200, {**HTML, "Content-Encoding": "gzip"}, gzip.compress(bytes(2 << 20))),
    "/large": (200, HTML, bytes(2 << 20)),
    "/cut": (200, {**HTML, "Content-Length": "9999"}, b"<p>a"),
    "/brotli": (200, {**HTML, "Content-Encoding": "br"}, b"a"),
    "/noise": (200, {"Content-Type": "application/octet-stream"}, bytes(99)),
}


class Handler(BaseHTTPRequestHandler):
    """Answers as the table has it; `/slow` a byte at a time."""

    def do_GET(self) -> None:
        if self.path == "/slow":
            while True:
                self.wfile.write(b"H")
                time.sleep(0.01)
        status, headers, body = ANSWERS[self.path]
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:  # whoever asked has gone
            self.close_connection = True


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(load(tmp_path, environ={"ARK_MAX_BYTES": str(1 << 20)})) as engine:
        yield engine


def fetched(engine: Engine, url: str, *, private: bool = True) -> Document:
    return fetching.ingest_url(engine, url, tags=("reading",), collection="web", private=private)


@pytest.mark.parametrize(
    ("path", "title", "place"),
    [
        ("/page", "Grüße", "Winter"),
        ("/packed", "Grüße", "Winter"),
        ("/paper", "River birds", "Winter › p. 2"),
    ],
)
def test_a_page_or_paper_is_found_with_where_it_came_from_and_when(
    engine: Engine, site: str, path: str, title: str, place: str
) -> None:
    document = fetched(engine, site + path)
    assert (document.title, document.path, document.tags) == (title, site[7:] + path, ("reading",))
    (hit,) = engine.search(Request(f'"{SENTENCE}" in:web has:fetched_at has:fetched')).hits
    assert hit.chunk.heading == place
    assert "Home" not in engine.show(document.id).text


def test_it_is_fetched_again_only_when_asked_and_stays_the_same_document(engine: Engine, site: str) -> None:
    first = fetched(engine, f"{site}/notes.md")
    before = ANSWERS["/notes.md"]
    try:
        ANSWERS["/notes.md"] = (200, before[1], b"# Notes\n\nThe weir has thawed.\n")
        assert SENTENCE in engine.show(first.id).text
        assert fetched(engine, f"{site}/notes.md").id == first.id
    finally:
        ANSWERS["/notes.md"] = before
    assert engine.show(first.id).text == "# Notes\n\nThe weir has thawed.\n"
    assert fetched(engine, f"{site}/moved").path.endswith("/moved")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/round", "redirects more than 5 times"), ("/away", "is not a web address"),
        ("/gone", "answers 404"), ("/bomb", "it has more than 1 MB"), ("/large", "it has more than 1 MB"),
        ("/cut", "it is incomplete"), ("/brotli", "has the encoding br"),
        ("/noise", "cannot be read: binary"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_said_and_nothing_is_kept(
    engine: Engine, site: str, path: str, reason: str
) -> None:
    with pytest.raises(ArkError, match=reason):
        fetched(engine, site + path)
    assert engine.status().documents == 0


def test_an_answer_that_trickles_ends_with_the_time_it_has(
    engine: Engine, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 0.3)
    with pytest.raises(ArkError, match="takes more than 0 s"):
        fetched(engine, f"{site}/slow")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]", "0.0.0.0"]
)
def test_no_private_address_is_asked_unless_that_is_meant(engine: Engine, host: str) -> None:
    with pytest.raises(UsageError, match="of this machine or of a private network"):
        fetched(engine, f"http://{host}/", private=False)


@pytest.mark.parametrize("url", ["ftp://a.org/", "file:///etc/passwd", "notes.md", "http://", "http://a:x/"])
def test_only_the_web_is_asked(engine: Engine, url: str) -> None:
    with pytest.raises(ArkError):
        fetched(engine, url)


def test_only_a_person_has_something_fetched() -> None:
    assert shipped().get("ingest-url").personal
