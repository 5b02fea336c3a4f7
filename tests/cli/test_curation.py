"""Adding and curating by command line: what was done on stdout, as JSON, errors in a sentence."""

from __future__ import annotations

import http.server
import io
import shlex
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.interfaces.cli.diagnostics import ExitCode
from tests.cli.conftest import Ark


@pytest.fixture
def home(home: Path, indexed: Path) -> Path:
    """A copy of the indexed notes."""
    shutil.copytree(indexed, home)
    return home


@pytest.mark.usefixtures("home")
def test_a_hit_is_tagged_and_untagged_again(ark: Ark) -> None:
    ark("search", "sourdough")
    assert ark("tag", "food, to read", "@1").out == "tagged “Bread” with food, to read\n"
    assert ark("search", 'tag:"to read"', "--json").json["hits"][0]["document"]["tags"] == ["food", "to read"]
    undone = ark("undo", "--json").json
    assert (undone["done"], undone["changed"]) == ("untagged “Bread”", True)
    assert undone["documents"][0]["tags"] == []
    assert ark("redo").out == "tagged “Bread” with food, to read\n"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("command", ["show @1", "explain @1 sourdough", "graph traverse @1", "doc tag x @1"])
def test_the_first_hit_of_the_last_search_is_a_name_wherever_a_document_is_named(
    ark: Ark, command: str
) -> None:
    ark("search", "sourdough")
    done = ark(*command.split(), "--json")
    assert (done.code, "Bread" in done.out or "bread.md" in done.out) == (0, True), done.err


@pytest.mark.usefixtures("home")
def test_a_note_is_words_dashes_and_all(ark: Ark) -> None:
    assert ark("note", "-", "buy", "-rice", "--tag", "todo").out == "added the note “- buy -rice”\n"
    ref = ark("search", "tag:todo", "--json").json["hits"][0]["document"]["short_id"]
    assert ark("note", "--replace", ref, "buy", "bread").out.startswith("rewrote the note")
    assert ark("show", ref).out == "buy bread\n"
    assert ark("note").code == 2


@pytest.mark.usefixtures("home")
def test_the_trash_is_purged_only_when_yes_is_said(ark: Ark) -> None:
    ark("trash", "bread")
    for words in ((), ("--dry-run", "--yes")):
        told = ark("purge", *words)
        assert "Bread" in told.out
        assert "--yes" in told.err
    kept = ark("backup").out.strip()
    purged = ark("purge", "--yes", "--json").json["trash"]
    assert (purged["purged"], len(purged["documents"]), purged["remains"]) == (True, 1, [kept])
    assert ark("doc", "--trashed", "--json").json["documents"] == []


@pytest.mark.usefixtures("home")
def test_curation_is_written_to_a_file_and_taken_up_again(ark: Ark, tmp_path: Path) -> None:
    ark("tag", "food", "bread")
    file = tmp_path / "curation.jsonl"
    assert ark("export-curation", file, "--json").json == {"written": str(file), "lines": 1}
    assert ark("export-curation", "-").out == file.read_text()
    ark("undo")
    taken = ark("import-curation", file, "--json").json
    assert (taken["applied"], taken["unmatched"]) == (1, [])
    assert ark("import-curation", file).out == "nothing to do: it is so already\n"
    file.write_text(file.read_text().replace("bread.md", "cake.md").replace('"hash": "', '"hash": "0'))
    assert "notes/cake.md" in ark("import-curation", file).out
    file.write_bytes(b"\xff")
    assert ark("import-curation", file).code == 2
    assert ark("import-curation", tmp_path / "none.jsonl").code == 1


@pytest.mark.usefixtures("home")
def test_a_collection_is_let_go_of_only_with_yes_and_what_is_said_then_brings_all_of_it_back(
    ark: Ark,
) -> None:
    (one,) = (one for one in ark("collections", "--json").json["collections"] if one["root"])
    ark("tag", "food", "bread")
    for options in ((), ("--dry-run",), ("--yes", "--dry-run")):
        asked = ark("collections", "let-go", one["name"], *options)
        assert "--yes" in asked.err
        assert ark("status", "--json").json["documents"] == one["documents"]
    done = ark("collections", "let-go", one["name"], "--yes", "--json").json
    assert (done["done"], done["documents"]) == (True, one["documents"])
    assert ark("status", "--json").json["documents"] == 0
    assert (Path(one["root"]) / "bread.md").exists()
    ark(*shlex.split(done["back"])[1:])
    assert ark("search", "tag:food sourdough", "--json").json["hits"]
    for name, code in (("nothing", ExitCode.FAILED), ("default", ExitCode.USAGE)):
        assert ark("collections", "let-go", name, "--yes").code == code


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
        ((), 2, "There is no text to keep."),
    ],
)
def test_what_cannot_be_added_is_said_with_the_way_out(
    ark: Ark, words: tuple[str, ...], code: int, said: str
) -> None:
    told = ark("add", *words)
    assert (told.code, told.out) == (code, "")
    assert said in told.err
