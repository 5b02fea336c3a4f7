"""Text in pictures of pages, by the command of tesseract where that is installed (requirement I8)."""

from __future__ import annotations

import time
from functools import cache
from shutil import which
from typing import TYPE_CHECKING

from ark_tui.domain import children

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

DPI = 200  # that a page is drawn with; tesseract's manual has 300 for small print, at twice the time
PIXELS = 20_000_000  # of a page that is drawn
SECONDS = 15.0  # for one page
BUDGET = 30.0  # seconds, after which no other page of a file is begun
LANGUAGES = 4  # of those that are installed, by name; each takes its time


class Ocr:
    """Reads the pages of one file until its time is up."""

    def __init__(self) -> None:
        self._until = time.monotonic() + BUDGET
        self._languages = _languages()
        self.pages: list[int] = []  # that were read, from 1

    def text(self, page: PdfPage, number: int) -> str:
        """What stands on a page; "" where tesseract is not there, finds nothing, or there is no time left."""
        if not self._languages or time.monotonic() > self._until:
            return ""
        width, height = page.get_size()
        if width * height * (DPI / 72) ** 2 > PIXELS:
            return ""
        drawn = page.render(scale=DPI / 72, grayscale=True)
        rows = (
            bytes(drawn.buffer[y * drawn.stride : y * drawn.stride + drawn.width])
            for y in range(drawn.height)
        )
        picture = b"P5 %d %d 255\n" % (drawn.width, drawn.height) + b"".join(rows)
        found = _run("stdout", "-l", self._languages, picture=picture)
        if found.strip():
            self.pages.append(number)
        return found.replace("\f", "")


@cache
def _languages() -> str:
    """The languages that tesseract has, as it takes them; "" where it is not installed."""
    found = _run(option="--list-langs").splitlines()[1:]
    return "+".join([name for name in found if name != "osd" and "/" not in name][:LANGUAGES])


def _run(*more: str, option: str = "stdin", picture: bytes = b"") -> str:
    program = which("tesseract")
    if program is None:
        return ""
    try:
        return children.run_program(
            [program, option, *more], input=picture, capture_output=True, timeout=SECONDS,
            env={"OMP_THREAD_LIMIT": "1"}, check=True,
        ).stdout.decode("utf-8", "replace")  # fmt: skip
    except (OSError, children.SubprocessError):
        return ""
