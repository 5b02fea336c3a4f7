"""Pictures of documents: found where a link says, and drawn by a process of its own, as the terminal can."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import zlib
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from time import monotonic

import pytest

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.engine import Engine, reading
from ark_tui.interfaces.tui import picture
from tests.terminal import Terminal, needs_tmux
from tests.tui.bench import PATIENCE, settings_of

KITTY, SIXEL, HALVES = b"\x1b_G", b"\x1bP", "▀".encode()
NOTE = """# A walk

![the tree](pictures/tree.png) then ![[oak.png]] and ![gone](none.png) and ![out](../out.png)
"""
WALK = "a walk"


def png(width: int, height: int, *, said: tuple[int, int] | None = None) -> bytes:
    """A picture of one colour; `said`: the size that its head says it has."""

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\xc0\x40\x20" * width) * height
    head = struct.pack(">IIBBBBB", *(said or (width, height)), 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")
    )


def drawn(data: bytes, tmp_path: Path, *, kitty: bool = False, sixel: bool = False) -> tuple[int, bytes, str]:
    """A picture on a terminal of that kind, left by a key: how its process ended, what it wrote and said."""
    file = tmp_path / "picture"
    file.write_bytes(data)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 640, 384))
    answers = {b"\x1b[c": b"\x1b[?62;4;6c" if sixel else b"\x1b[?62;6c"}
    if kitty:
        answers[b"a=q"] = b"\x1b_Gi=1;OK\x1b\\"
    with file.open("rb") as opened, os.fdopen(theirs, "rb+", buffering=0) as terminal:
        words = [sys.executable, "-m", picture.__name__, str(opened.fileno()), "tree\x1b[2J.png"]
        child = subprocess.Popen(
            words, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, pass_fds=(opened.fileno(),)
        )
    with child, os.fdopen(ours, "rb+", buffering=0) as terminal:
        written = b"".join(talk(terminal, {**answers, b"any key goes back": b"\x03"}))  # ^c is a key, too
        child.kill()  # if it has not ended by itself
        assert child.stderr is not None
        return child.wait(), written, child.stderr.read().decode()


def talk(terminal: FileIO, answers: dict[bytes, bytes]) -> Iterator[bytes]:
    """What is written to a terminal until nobody has it any more; what is asked is answered, each once."""
    written, end = b"", monotonic() + PATIENCE
    with suppress(OSError):  # nobody has the other end any more
        while monotonic() < end:
            if select.select([terminal], [], [], 0.05)[0]:
                yield (new := terminal.read(65_536))
                written += new
                for question in [one for one in answers if one in written]:
                    terminal.write(answers.pop(question))


def test_it_is_drawn_by_kittys_protocol_where_the_terminal_answers_to_that(tmp_path: Path) -> None:
    code, written, _ = drawn(png(60, 40), tmp_path, kitty=True)
    assert code == 0
    assert written.count(KITTY) >= 4, "asked, sent, placed, and taken away at the end"
    assert "\U0010eeee".encode() in written
    assert SIXEL not in written
    assert HALVES not in written


def test_elsewhere_it_is_drawn_in_halves_of_cells_and_the_terminal_is_given_back(tmp_path: Path) -> None:
    code, written, _ = drawn(png(60, 40), tmp_path)
    assert code == 0
    assert written.count(HALVES) > 100
    assert SIXEL not in written
    assert "tree␛[2J.png · 60×40 · any key goes back".encode() in written, "and no name acts on the terminal"
    assert written.endswith(picture.BACK.encode())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\nno picture at all", "damaged, or of another kind"),
        (b"GIF89a", "damaged, or of another kind"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "damaged, or of another kind"),
        (png(4, 4, said=(60_000, 60_000)), "more than 100,000,000 pixels"),
        (png(40, 40)[:70], "damaged, or of another kind"),
    ],
)
def test_one_that_is_hostile_or_damaged_ends_its_process_with_the_reason_and_draws_nothing(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    code, written, said = drawn(data, tmp_path)
    assert code == 1
    assert reason in said
    assert written == b""


@pytest.fixture
def album(home: Path, tmp_path: Path) -> Path:
    """A home with a note that names pictures, and one outside of its folder."""
    notes = tmp_path / "notes"
    (notes / "pictures").mkdir(parents=True)
    (notes / "deep" / "deeper").mkdir(parents=True)
    (notes / "walk.md").write_text(NOTE)
    (notes / "pictures" / "tree.png").write_bytes(png(3, 2))
    (notes / "deep" / "deeper" / "oak.png").write_bytes(png(4, 2))
    (notes / "link.png").symlink_to(tmp_path / "out.png")
    (tmp_path / "out.png").write_bytes(png(5, 2))
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
    return home


def test_a_picture_is_found_beside_its_document_or_by_name_anywhere_in_the_folder_and_never_outside(
    album: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine(settings_of(album)) as engine:
        look = engine.reading.picture
        assert look("walk.md", "pictures/tree.png", wiki=False) == ("tree.png", png(3, 2))
        assert look("walk.md", "oak.png|300", wiki=True) == ("oak.png", png(4, 2))
        for written, wiki in (
            ("none.png", False),
            ("../out.png", False),
            ("../out.png", True),
            ("link.png", True),
        ):
            with pytest.raises(NotFound, match=r"There is no picture"):
                look("walk.md", written, wiki=wiki)
        monkeypatch.setattr(reading, "LARGEST", 20)
        with pytest.raises(UsageError, match="MB"):
            look("walk.md", "pictures/tree.png", wiki=False)


@needs_tmux
def test_in_a_real_terminal_the_workbench_comes_back_from_a_picture_and_from_an_editor_that_is_not_there(
    album: Path, tmp_path: Path
) -> None:
    terminal = Terminal(tmp_path / "tmux")
    try:
        environ = {"ARK_HOME": str(album), "ARK_WATCH": "0", "VISUAL": "/no/such/editor"}
        terminal.start([sys.executable, "-m", "ark_tui"], environ)
        terminal.until(lambda s: "1 doc" in s, "the workbench")
        terminal.type(WALK)
        terminal.until(lambda s: "▌A walk" in s, "the hit")
        terminal.press("Enter")
        terminal.until(lambda s: "⏎ open" in s, "the list")
        terminal.press("Enter")
        terminal.until(lambda s: "⏎ follow" in s, "the reader")
        terminal.press(".", "Enter")
        terminal.until(lambda s: "tree.png · 3×2 · any key goes back" in s and "▀" in s, "the picture")
        terminal.press("C-c")
        terminal.until(lambda s: "⏎ follow" in s, "the reader again")
        terminal.press("e")
        terminal.until(lambda s: "could not be started" in s and "⏎ follow" in s, "why there is no editor")
    finally:
        terminal.end()
