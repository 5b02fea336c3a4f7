"""What a terminal is told beside the text: where links lead, and a title that it gets back."""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from tests.terminal import PATIENCE, WORKBENCH, more, open_in_terminal
from tests.tui.bench import settings_of

NOTE = """# A tour of otters

On [the river](https://example.org/otters?q=1 "a \x07 title") there is [a program](javascript:alert(1)) and [a
trap](https://example.org/\x1b]52;c;AAAA\x07).
"""
LINK = re.compile(rb"\x1b\]8;[^;]*;([^\x1b\x07]*)\x1b\\(?:\x1b\[[\d;]*m)*([^\x1b]*)")
ID = re.compile(rb"\x1b\]8;id=([^;]+);([^\x1b\x07]+)\x1b")


@pytest.fixture
def otters(home: Path, tmp_path: Path) -> Path:
    """A home with one note."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tour.md").write_text(NOTE)
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
    return home


def ended(process: subprocess.Popen[bytes], terminal: int) -> bytes:
    """What a workbench writes from ctrl+q on until it has ended well."""
    written = b""
    os.write(terminal, b"\x11")  # ctrl+q
    with suppress(OSError):
        while part := more(terminal):
            written += part
    os.close(terminal)
    assert process.wait(PATIENCE) == 0
    return written


def test_a_link_of_a_document_is_told_with_its_address_and_nothing_else_of_a_document_is(
    otters: Path,
) -> None:
    process, terminal = open_in_terminal(otters, *WORKBENCH, query="tour otters")
    written = b""
    while (b"https://example.org/otters?q=1", b"the river") not in LINK.findall(written):
        written += more(terminal)
    written += ended(process, terminal)
    told = {address for address, _ in LINK.findall(written) if address}
    assert told == {b"https://example.org/otters?q=1", b"https://example.org/%E2%90%9B]52;c;AAAA%E2%90%87"}
    assert b"\x1b]52;" not in written
    assert b"\x1b]2;ark-tui: tour otters\x1b\\" in written
    assert written.rindex(b"\x1b[23;2t") > written.rindex(b"\x1b]2;"), "its title comes back at the end"


def test_a_link_that_is_folded_over_two_rows_is_told_as_one(home: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    long = "the very long name of a river that no window of a usual width has room for in a single row of it"
    (notes / "tour.md").write_text(
        f"# A tour of otters\n\nOn [{long}](https://example.org/a) and [the sea](https://example.org/b).\n"
    )
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
    process, terminal = open_in_terminal(home, *WORKBENCH, query="tour otters")
    written = b""
    while b"the sea" not in written:
        written += more(terminal)
    written += ended(process, terminal)
    rows = [text for address, text in LINK.findall(written) if address == b"https://example.org/a"]
    assert len({*rows}) >= 2, "it is folded"
    names = defaultdict[bytes, set[bytes]](set)
    for name, address in ID.findall(written):
        names[address].add(name)
    assert len(names[b"https://example.org/a"]) == 1
    assert names[b"https://example.org/a"] != names[b"https://example.org/b"]
