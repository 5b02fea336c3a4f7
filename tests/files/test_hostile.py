"""What is made to hang, burst or break a reader is a row with a reason, and the next file is read (I21)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui.domain import archives
from ark_tui.domain.work import Problem
from ark_tui.ingest import apart, readers
from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.reading import Reading, load
from ark_tui.ingest.walk import Entry
from ark_tui.settings.tree import Tree
from tests.files.hostile import HOSTILE, SLOW, changed, vast
from tests.files.makers import MAKERS, SENTENCE


@pytest.mark.parametrize(
    "name",
    [*sorted(HOSTILE.keys() - SLOW), *(pytest.param(name, marks=pytest.mark.soak) for name in sorted(SLOW))],
)
def test_it_is_a_row_with_a_reason_and_the_next_file_is_read(name: str) -> None:
    data = HOSTILE[name]()
    found = Reading().read(Entry(name, len(data), 0, 1), data)
    assert isinstance(found, Problem)
    assert (found.path, found.state) == (name, "skipped")
    assert 0 < len(found.reason) < 200
    assert found.reason.startswith("encrypted: ") == name.startswith("locked")
    after = MAKERS["odp"]()
    assert not isinstance(Reading().read(Entry("a.odp", len(after), 0, 1), after), Problem)


def test_a_gigabyte_of_nothing_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ark_tui.ingest.reading.is_binary", None)
    with Tree(tmp_path) as tree:
        found = load(tree, Entry.of(tree, vast(tmp_path)))
    assert isinstance(found, Problem)
    assert found.reason == "too large: 1,024.0 MB, the limit is 32 MB"


def test_macros_are_no_text_and_do_not_run() -> None:
    data = changed("docx", {"word/vbaProject.bin": b'Sub AutoOpen()\nShell "rm"\nEnd Sub'})
    (draft,) = tuple(Reading().read(Entry("a.docm", len(data), 0, 1), data))  # type: ignore[arg-type]
    assert SENTENCE in draft.body
    assert "Shell" not in draft.body


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("while True: pass", "takes more than 10 s to read"),
        ("bytearray(600 << 20)", "takes more than 470 MB to read"),
        ("import os; os.abort()", "damaged, or too much: its reader died (SIGABRT)"),
        ("print('hello'); raise ValueError('no')", "damaged: ValueError, no"),
    ],
)
def test_a_reader_that_runs_bursts_or_dies_is_said(
    code: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a reader of our own in the process, and a tenth of a second for the one that never ends."""

    def started(_: apart._Process) -> subprocess.Popen[bytes]:
        program = (
            "import sys; from ark_tui.ingest import apart, readers\n"
            f"def read(data):\n    {code}\n"
            "apart.texts, apart.SECONDS = (lambda suffix, data: read(data)), 0.1\napart.main()"
        )
        return subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    monkeypatch.setattr(apart._Process, "_started", started)
    process = apart._Process()
    with pytest.raises(Unreadable, match=re.escape(reason)):
        process.read(".pdf", b"")
    process.end()


LARGER = archives.ALWAYS + 1


@pytest.mark.parametrize("kind", ["docx", "pptx", "xlsx", "ods", "odt", "epub"])
def test_an_archive_is_refused_by_its_declared_size_before_its_library_reads_it(kind: str) -> None:
    data = changed(kind, {"blanks.xml": b" " * LARGER})
    with pytest.raises(Unreadable, match=r"too large: blanks.xml unpacks to 16 MB, more than 200 times"):
        list(readers.texts(f".{kind}", data))


def test_a_sheet_that_unpacks_to_more_than_it_declares_is_damaged() -> None:
    data = changed("xlsx", {"blanks.xml": b" " * LARGER})
    declared = LARGER.to_bytes(4, "little")
    assert data.count(declared) == 2
    with pytest.raises(Unreadable, match="damaged: Bad CRC-32"):
        list(readers.texts(".xlsx", data.replace(declared, (1000).to_bytes(4, "little"))))
