"""Readers of files that are no text, each in a process of its own (`ark_tui.ingest.apart`).

A reader is a module here, which is imported there only, and its line in `READERS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from shutil import which
from typing import TYPE_CHECKING, NamedTuple

from ark_tui.ingest.decode import LOCKED, Unreadable

if TYPE_CHECKING:
    from ark_tui.ingest.readers.content import Content

NEEDED = "needs ark-tui[files] (pip install 'ark-tui[files]')"
DRAWN = "scanned, or drawn"
UNSEEN = f"{DRAWN}; tesseract would read it, but is not installed"


class Reader(NamedTuple):
    """A module and its function; `needs`: a package of the extra `files`."""

    module: str
    function: str
    needs: str = ""


READERS: dict[str, Reader] = {
    ".pdf": Reader("pdf", "read", "pypdfium2"),
    **dict.fromkeys((".docx", ".docm", ".dotx"), Reader("office", "document", "docx")),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx"), Reader("office", "slides", "pptx")),
    **dict.fromkeys(
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), Reader("office", "sheets", "python_calamine")
    ),
    **dict.fromkeys((".odt", ".ott", ".odp", ".otp"), Reader("zipped", "opendocument")),
    ".epub": Reader("zipped", "book"),
    ".rtf": Reader("office", "rich", "striprtf"),
    ".eml": Reader("mail", "message"),
    **dict.fromkeys((".mbox", ".mbx"), Reader("mail", "box")),
}
OLE = b"\xd0\xcf\x11\xe0"  # how files of Office 97 begin, and those of today that are encrypted
OLD = dict.fromkeys((".doc", ".ppt"), "a format of Office 97, which is not read: save it as .docx or .pptx")


def missing(suffix: str) -> bool:
    """Whether a package is not installed that files of this suffix need."""
    reader = READERS.get(suffix)
    return bool(reader and reader.needs and find_spec(reader.needs) is None)


def met(suffix: str, reason: str) -> bool:
    """Whether what a file was left out for want of is installed now."""
    from ark_tui.ingest.chunk import symbols
    from ark_tui.ingest.formats import sourcecode

    if reason.endswith(sourcecode.UNCUT):
        return not symbols.missing(sourcecode.LANGUAGES.get(suffix, ""))
    return (reason.startswith(NEEDED.partition(" (")[0]) and not missing(suffix)) or (
        reason.endswith(UNSEEN) and which("tesseract") is not None
    )


def texts(suffix: str, data: bytes) -> Iterable[Content]:
    """The texts in a file. Raises `decode.Unreadable` with the reason, or whatever its library raises."""
    reader = READERS[suffix]
    if data.startswith(OLE) and reader.needs in ("docx", "pptx"):
        raise Unreadable(f"{LOCKED}; or a file of Office 97 by another name")
    found: Iterable[Content] = getattr(import_module(f"{__name__}.{reader.module}"), reader.function)(data)
    return found
