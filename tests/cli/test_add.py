"""`add` stores a text, a file or a web page, by what it is given."""

from __future__ import annotations

import http.server
import io
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Ark


@pytest.fixture
def page() -> Iterator[str]:
    """The address of a web page."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>Otters</title><p>Otters sleep in rafts.</p>")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/otters"
        server.shutdown()


def test_a_text_a_file_and_a_url_are_told_apart(
    ark: Ark, notes: Path, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ark("add", "- call", "Ann, -5 degrees", "--title", "Call", "--tag", "team", "--json").json[
        "document"
    ]
    assert (text["title"], text["tags"], text["collection"]) == ("Call", ["team"], "default")
    assert ark("add", notes / "bread.md", "--tag", "kitchen").out.startswith("1 added, 0 changed")
    assert ark("search", "sourdough tag:kitchen", "--json").json["hits"]
    fetched = ark("add", page, "--private", "--json").json["document"]
    assert (fetched["title"], fetched["collection"]) == ("Otters", "web")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"# Piped\n\nfrom elsewhere")))
    assert ark("add", "-", "--json").json["document"]["title"] == "Piped"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((".",), 2, "Index it: ark-tui index ."),
        (("notes/missing.md",), 1, "There is no file notes/missing.md."),
        (("a text", "--private"), 2, "A text takes no --private."),
        (("https://example.org/", "--title", "x"), 2, "A URL takes no --title."),
        (("x", "--jsno"), 2, "Did you mean --json?"),
        ((), 2, "There is no text."),
    ],
)
def test_what_cannot_be_added_is_said_with_the_way_out(
    ark: Ark, words: tuple[str, ...], code: int, said: str
) -> None:
    told = ark("add", *words)
    assert (told.code, told.out) == (code, "")
    assert said in told.err
